"""Every cheat of the table in examples/cheats.md: carried out, and noticed by whom and when the table promises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.games import GAMES
from pbem.protocol.audit import audit
from tests.attacks import (
    ATTACKS,
    Aftermath,
    Attack,
    AttackRow,
    markdown,
    run_attack,
    sentence,
    stage_of,
    witnesses,
)
from tests.attacks.attack import ANYBODY, NOBODY, REFUSED
from tests.attacks.stage import USUAL

ROOT = Path(__file__).resolve().parents[2]
IDS = [game.info.id for game in GAMES]


ROWS: dict[str, AttackRow] = {}
"""They are small, and stay when a worker whose memory is nearly full drops what functions have cached."""


def row(attack: Attack) -> AttackRow:
    if attack.title not in ROWS:
        ROWS[attack.title] = run_attack(attack, IDS)
    return ROWS[attack.title]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.title)
def test_a_cheat_is_noticed_as_the_protocol_promises(attack: Attack) -> None:
    came = row(attack)
    assert came.game, "no match offers an occasion for it"
    assert came.notices == attack.promise, [noticed.how for noticed in came.noticed]
    assert all(noticed.how for noticed in came.noticed)


SAYS = {
    "host forges a shot": "is not the card committed at",
    "host skips a card": "next draw or roll of main",
    "host forges a die": "roll 1 of public: expected",
    "host skips a die": "next draw or roll of public",
    "host turns up the bottom card": "place of draw",
    "host arranges the deck": "does not follow from the seed",
    "host swaps two cards of the deck": "does not follow from the seed",
    "host puts a card in twice, and another not at all": "cards in main: expected",
    "host reveals a different seed from the committed one": "is not the committed one",
    "host delays an announcement until play has started": "must be announced right after",
    "host deals a deck although a part of its shuffle is missing": "without the part of the shuffle",
    "host uses a player's old part of the shuffle again": "stands before it",
    "host edits a player's turn": "signature",
    "host invents a turn": "signature",
    "host opens the wrong standing order": "is not what is opened here",
    "host keeps a sealed part closed": "must be opened here",
    "host ignores a standing order": "steps: expected",
    "host answers by a standing order as it does not say": "expected",
    "host and player play a card that was never held": "you have no",
    "host voids a deck though nobody is overdue": "not overdue",
    "host voids a deck although no part of its shuffle is missing": "are missing, not those from",
    "host plays a timeout move before time is up": "is due from",
    "host tells two players two histories": "two histories",
    "host refuses a turn and records it too": "holds this very file",
    "player takes a secret card in an open action": "must-be-sealed",
    "player copies another's sealed orders into their own file": "bad-seal",
    "player tries parts of the shuffle until the cut suits them": "bad-link",
    "player withholds their part of the shuffle but plays on": "link-missing",
    "player has seen a record that nobody wrote": "stale",
    "player sends a file of the same number with other orders": "bad-seal",
    "player seals what would make a later record unreadable": "sealed.schema.json",
    "player seals so much that no reveal could open it all": "over-budget",
    "player seals orders in the room that is kept for choices": "over-budget",
    "host takes orders in the room that is kept for choices": "bytes sealed and not opened yet",
    "player floods the match with talk": "too-many",
    "player writes a private message to nobody": "tell 1, to",
    "player is away again and again without end": "agree too",
    "leaver signs the highest number, so that nobody can follow in that seat": "number-ahead",
    "player takes two seats with one key": "keys",
    "player takes a name that looks like another's": "looks like",
    "all the others give a seat to a key of theirs behind its owner's back": "proposes to give my seat",
    "host and all the others give a seat away before its owner could object": "is held until",
    "host holds back an owner's message until the seat is given away": "another key",
    "host goes on from an older backup": "signed by him and is missing",
    "host writes commands for the terminal into a record": "U+009B",
}
"""What the first who notices learns: it must be about this cheat, not about something that went with it."""


@pytest.mark.parametrize("title", SAYS)
def test_what_is_noticed_is_the_cheat_itself(title: str) -> None:
    attack = next(attack for attack in ATTACKS if attack.title == title)
    assert SAYS[title] in row(attack).noticed[0].how


def test_the_titles_are_different_and_every_unnoticed_cheat_is_explained() -> None:
    assert len({attack.title for attack in ATTACKS}) == len(ATTACKS)
    for attack in ATTACKS:
        if attack.promise == (NOBODY,):
            assert sentence(row(attack)).endswith("."), attack.title
            assert len(attack.words) > 20


@pytest.mark.parametrize("game", IDS)
def test_in_an_honest_match_nobody_notices_anything(game: str) -> None:
    stage = stage_of(game)
    assert audit(stage.lines).ok
    for upto in (len(stage.lines) // 3, len(stage.lines) // 2, len(stage.lines)):
        scene = Aftermath(stage.lines, upto=upto, since=upto)
        assert [witness.notice for witness in witnesses(stage, scene)] == [NOBODY]


def test_a_file_that_the_host_accepts_is_not_counted_as_refused() -> None:
    record = stage_of(IDS[0]).moment(lambda record: record.waiting is not None)
    assert record is not None
    branch = stage_of(IDS[0]).branch(record)
    seat = branch.seat_to_act()
    assert seat is not None
    ruling = branch.judge(branch.turn_file(seat, branch.advice(seat)))
    assert [witness.notice for witness in witnesses(branch, Aftermath(ruling=ruling))] == [NOBODY]


def test_a_broken_promise_is_shown() -> None:
    attack = next(attack for attack in ATTACKS if attack.promise == (ANYBODY,))
    lied = AttackRow(Attack(attack.by, attack.name, (REFUSED,), attack.make), IDS[0], row(attack).noticed)
    assert not lied.kept
    assert not lied.to_json()["kept"]


def test_the_page_shows_what_the_command_prints() -> None:
    page = (ROOT / "examples/cheats.md").read_text(encoding="utf-8")
    match = re.search(r"<!-- attacks -->\n(.*?)\n<!-- /attacks -->", page, re.DOTALL)
    assert match is not None
    assert match[1].strip() == markdown([row(attack) for attack in ATTACKS]).strip()


TABLES = [(game.info.id, seats) for game in GAMES for seats in game.info.seats if seats != USUAL]
NOT_WITH_TWO = {
    "host reshuffles other cards than were discarded",
    "host who plays keeps an opponent's part back until its time is up, and deals again",
    "host who plays voids one deck after another until nobody else's part is in it",
}
"""No hand comes that uses a deck up; and a playing host with one opponent has no other part to leave out."""


def table_of(number: int, attack: Attack) -> tuple[str, int]:
    """Each attack has a table that is not of the usual size, of a game in which it may find an occasion."""
    fitting = [
        (game, seats)
        for game, seats in TABLES
        if (game != IDS[0] or row(attack).game == game) and (seats > 2 or attack.title not in NOT_WITH_TWO)
    ]
    return fitting[number % len(fitting)]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_every_promise_is_kept_at_a_table_of_any_size(game: str, seats: int) -> None:
    """And what finds an occasion with three finds one with any number.

    Each attack at its table; ``python -m tests.attacks --game GAME --seats N`` tries every one at each.
    """
    chosen = [attack for number, attack in enumerate(ATTACKS) if table_of(number, attack) == (game, seats)]
    assert len(chosen) > 10
    rows = [run_attack(attack, [game], seats) for attack in chosen]
    assert [row.attack.title for row in rows if not row.kept] == []
    idle = [row.attack for row in rows if not row.game]
    assert [attack.title for attack in idle if run_attack(attack, [game]).game] == []
