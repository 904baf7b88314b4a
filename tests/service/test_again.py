"""The next match in a service: everybody is invited where they are, in their language, and answers with one mail."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import RefusedError
from pbem.base.language import language_of
from pbem.host.service.client import ServiceClient
from tests.plain import plain_pictures as plain_pictures
from tests.service.people import Player, parse
from tests.service.table import Table
from tests.service.test_languages import join
from tests.service.test_people import consent
from tests.world import secret


def test_the_same_people_are_invited_again_and_the_season_is_shown(tmp_path: Path) -> None:
    table = Table(tmp_path)
    matches = table.service.matches
    addresses = {player.seat: player.address for player in table.players.values()}
    words = {
        invitation.seat: invitation.word
        for invitation in matches.invite(table.short, addresses, title="Saturday")
    }
    table.pump()
    anna, burt = table.players.values()
    table.send(anna.mail(join(anna, words["anna"], "de")))
    table.send(burt.mail(join(burt, words["burt"], "en")))
    for player in (anna, burt):
        table.send(player.mail(player.ready()))
    with pytest.raises(RefusedError, match="not over yet"):
        matches.again(table.short, secret("nonce again")[:16])
    _end(table)
    assert "Saturday" in _text(anna), "every letter names the match as the host does"

    short, invited, unknown = matches.again(table.short, secret("nonce again")[:16])
    table.pump()
    assert ({invitation.seat: invitation.address for invitation in invited}, unknown) == (addresses, [])
    assert language_of("de").gettext("The invite code works once. Do not share it.") in " ".join(
        _text(anna).split()
    )
    again = " ".join(_text(burt).split())
    assert "invites you to a rematch: Wyatt Earp" in again
    assert "The same people play again in the same seats; only the first place moves on by one." in again
    assert "Last time nobody won: Anna $0, Burt $0." in again
    assert "Get pbem's folder from your host" not in again, "nobody who has played installs anything again"
    assert [row["name"] for row in matches.status()] == ["Saturday", "Saturday"]

    letters = {player.seat: player.letters[-1] for player in (anna, burt)}
    table.short, table.players = short, {invitation.seat: Player(invitation.seat) for invitation in invited}
    for invitation in invited:
        player = table.players[invitation.seat]
        player.read(letters[invitation.seat])
        assert player.lines == matches.lines(short)[:1]
        table.send(player.mail(player.join(invitation.word)))  # the one mail
    for player in table.players.values():
        table.send(player.mail(player.ready()))
    _end(table)
    last = _text(table.players["anna"])
    assert "THE SEASON" in last
    assert "2 matches of this group" in " ".join(last.split())
    assert matches.contacts(short).season[0]["game"] != ""


def _end(table: Table) -> None:
    for player in table.players.values():
        consent(table, player, {"kind": "end", "why": "The train is here"})
    if not all(player.record.over for player in table.players.values()):
        ServiceClient(table.service, table.short).end()  # for the reason that both have given
        table.pump()


def _text(player: Player) -> str:
    body = parse(player.letters[-1]).get_body(("plain",))
    assert body is not None
    return str(body.get_content())
