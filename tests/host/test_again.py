"""The next match of the same people, and the season that its last email shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import RefusedError
from pbem.game import Seat
from pbem.host.letter_mail import Contacts, batches_of
from pbem.host.rematch import contacts_again, plan_again
from pbem.player.letters.letter import Kind
from pbem.player.lookback.figures import score_of
from pbem.player.lookback.season import came_of, season_of, with_match
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import Record
from tests.history.matches import GAMES, played
from tests.host.folders import note_contacts
from tests.host.test_client import client_of
from tests.host.test_contacts import letters
from tests.letters.batch import letters_for
from tests.plain import plain_pictures as plain_pictures
from tests.world import World, accepted, secret


def test_seats_and_first_place_turn_by_one_and_all_else_stays(tmp_path: Path) -> None:
    match = played("wyatt-earp")
    client = client_of(match, tmp_path / "old", now=match.record.head.at)
    note_contacts(
        client, Contacts("Hanna", "hanna@example.org", "Saturday", "en", {"burt": "burt@example.org"})
    )
    new = client.again(tmp_path / "new", lambda size: secret("again")[:size], "Sunday")
    before, after = (Record.load(host.folder.game.read().lines).genesis for host in (client, new))
    assert (before["seats"], after["seats"]) == (["anna", "burt", "curt"], ["burt", "curt", "anna"])
    assert (before["setup"]["dealer"], after["setup"]["dealer"]) == ("curt", "anna")
    for member in ("options", "deadlines", "consent", "draw", "rules"):
        assert before[member] == after[member]
    invited = letters(new)["burt"]
    assert (invited["To"], invited["From"]) == ("burt@example.org", "Hanna <hanna@example.org>")
    with new._opened() as store:
        noted = store.contacts
    assert (noted.title, len(noted.season)) == ("Sunday", 1)
    assert after["nonce"] != before["nonce"]


def test_it_comes_after_the_end() -> None:
    with pytest.raises(RefusedError, match="not over yet"):
        plan_again(World("way-out-west", ("anna", "burt", "curt")).record)


@pytest.mark.parametrize("game", GAMES)
def test_the_last_letter_shows_the_season_and_gives_nothing_away(game: str) -> None:
    """Of another match nothing is in an email but names, wins, scores, luck and times; it can be written again."""
    first, second = played(game).record, played(game, seed="1").record
    earlier = came_of(first) | {"game": "another"}
    contacts = Contacts(title="Saturday", season=(earlier,))
    batch = batches_of(second.lines)[-1]
    beside = contacts.extras(second, batch.first, batch.last)
    assert beside.season is not None
    assert beside.season.matches == 2
    totals = {row.name: row.total for row in beside.season.rows}
    assert totals == {seat.title(): 2 * amount for seat, amount in score_of(second).by_seat.items()}
    letters = letters_for(second, batch.first, batch.last, batch.sender, beside=beside)
    for letter in letters:
        for text in (letter.text, letter.html):
            assert "Saturday" in text
            assert "THE SEASON" in text.upper()
            assert "2 matches of this group" in " ".join(text.split())
    again = letters_for(
        second, batch.first, batch.last, batch.sender, beside=contacts.extras(second, batch.first, batch.last)
    )
    assert again == letters
    kinds = {letter.kind for letter in letters}
    assert Kind.MATCH_END in kinds
    assert contacts.extras(second, 1, batch.first - 1).season is None, "only where the match ends"


def test_a_season_counts_people_and_not_seats_and_who_took_new_keys_is_the_same() -> None:
    world = World("way-out-west", ("anna", "burt", "curt"), seed="keys").start()
    accepted(world.ready("anna"))
    old = came_of(world.record)
    new = Identity(secret("anna anew"))
    accepted(world.send(world.rekey_file("anna", world.people[Seat("anna")].sign_key, new)))
    season = season_of((old | {"game": "another"},), world.record)
    assert season is not None
    assert {row.name: row.matches for row in season.rows} == {"Anna": 2, "Burt": 2, "Curt": 2}
    stranger = World("way-out-west", ("anna", "burt", "curt"), seed="other").start()
    fresh = season_of((old,), stranger.record)
    assert fresh is not None
    assert {row.matches for row in fresh.rows} == {1}, "another Anna has not played the first match"
    assert len(with_match(with_match((), world.record), world.record)) == 1
    assert season_of((), world.record) is None


def test_a_rematch_has_the_title_of_the_match_before() -> None:
    record = World("wyatt-earp", ("anna", "burt")).record
    host = World("wyatt-earp", ("anna", "burt")).host
    before = Contacts(title="Friends 2026")
    assert contacts_again(record, before, host, None).title == "Friends 2026"
    assert contacts_again(record, before, host, "Sunday").title == "Sunday"
