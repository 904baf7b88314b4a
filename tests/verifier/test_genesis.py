"""What a genesis sets for a whole match: both verifiers refuse the same options, setups and boards."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from pbem.base.errors import VerificationError
from pbem.game import Json, JsonObject
from pbem.games import GAMES, find_game
from pbem.protocol.audit import audit
from pbem.protocol.record.line import write_line
from pbem.protocol.record.verifier import terms_of
from tests.verifier.damage import paths
from tests.verifier.node import HERE, said_of, verify_all
from tests.verifier.test_form import at, others
from tests.verifier.verdicts import found_by_js, found_by_python
from tests.world import NAMES, World

Change = Callable[[JsonObject], object]


@cache
def world(game: str) -> World:
    """A match that only was begun."""
    return World(game, NAMES[: max(find_game(game).info.seats)])


def genesis(game: str) -> JsonObject:
    """The body of its first record, to be changed."""
    return copy.deepcopy(world(game).record.lines[0].body)


def changed(games: Sequence[str]) -> Iterator[tuple[str, JsonObject]]:
    """Every place in the options and the setup of each game with every other value; of a list its first two items."""
    for game in games:
        body = genesis(game)
        for path in [("options",), ("setup",), *(p for p in paths(body) if p[0] in ("options", "setup"))]:
            if any(isinstance(part, int) and part > 1 for part in path) and path[-1] not in (
                "value",
                "asset",
            ):
                continue
            for value in others(at(body, path)):
                if path in (("options",), ("setup",)) and not isinstance(value, dict):
                    continue  # step (1): the schema of records says so, in both
                changed_body = copy.deepcopy(body)
                at(changed_body, path[:-1])[path[-1]] = value
                yield f"{game} {'/'.join(map(str, path))} {json.dumps(value)[:60]}", changed_body


def ours(body: JsonObject) -> bool:
    try:
        terms_of(body)
    except VerificationError:
        return False
    return True


def judged(games: Sequence[str], *module: Path) -> tuple[int, int]:
    """How many changed beginnings of these games there are, and how many are fine; both verifiers must say the same.

    ``module`` gives the second one a game that is not ours.
    """
    count, fine, apart = 0, 0, []
    for name, body, wrong in said_of(changed(games), HERE / "genesis.mjs", *module):
        count, fine = count + 1, fine + (not wrong)
        if ours(body) == bool(wrong):
            apart.append((name, wrong))
    assert apart == []
    return count, fine


def test_both_verifiers_refuse_the_same_options_setups_and_boards() -> None:
    count, fine = judged([game.info.id for game in GAMES])
    assert count > 2500
    assert 100 < fine < count // 2, "both answers are tried"


def _board(change: Change) -> Change:
    return lambda body: change(body["setup"]["board"])


def _town(index: int, **members: Json) -> Change:
    return _board(lambda board: board["towns"][index].update(members))


EAST, WEST = "wyatt-earp", "way-out-west"
HOSTILE: list[tuple[str, str, Change]] = [
    ("a value that an option cannot have", EAST, lambda b: b["options"].update(duel="pistols")),
    ("true is not 1", EAST, lambda b: b["options"].update(capture_min=True)),
    ("1 is not true", WEST, lambda b: b["options"].update(money_public=1)),
    ("an option is missing", EAST, lambda b: b["options"].pop("photo_test")),
    ("an option that there is none", WEST, lambda b: b["options"].update(quick=True)),
    ("the board of scenarios as an option", WEST, lambda b: b["options"].update(board=b["setup"]["board"])),
    ("another version of the rules", EAST, lambda b: b["rules"].update(version=2)),
    ("too many seats", EAST, lambda b: b["seats"].append("emil")),
    ("too few seats", WEST, lambda b: b.update(seats=b["seats"][:2])),
    ("a dealer who has no seat", EAST, lambda b: b["setup"].update(dealer="zoe")),
    ("a setup with more in it", EAST, lambda b: b["setup"].update(board={})),
    ("no board", WEST, lambda b: b["setup"].clear()),
    ("a board and more", WEST, lambda b: b["setup"].update(dealer="anna")),
    ("a town left out of the numbers", WEST, _town(0, id=9)),
    ("two towns of one number", WEST, _town(0, id=2)),
    (
        "two towns that actions call the same",
        WEST,
        lambda b: _town(0, name=b["setup"]["board"]["towns"][1]["name"] + "!")(b),
    ),
    ("a town without a letter", WEST, _town(0, name="\u2026")),
    (
        "two boxes of one name",
        WEST,
        _board(lambda board: board["action_boxes"].append(board["action_boxes"][0])),
    ),
    ("income that goes back", WEST, _board(lambda board: board["income_spaces"].reverse())),
    ("money that does not rise", WEST, _board(lambda board: board["money_denominations"].reverse())),
    ("income behind the last space", WEST, _board(lambda board: board["income_spaces"].append(500))),
    ("a start behind the last space", WEST, _board(lambda board: board["start_space"].update({"5": 500}))),
    (
        "a build box without what it builds",
        WEST,
        _board(lambda board: [box.pop("asset", None) for box in board["action_boxes"]]),
    ),
]


@cache
def reports() -> dict[str, JsonObject]:
    """What the second verifier says of each hostile beginning."""
    return verify_all({name: [line_of(game, change)] for name, game, change in HOSTILE})


def line_of(game: str, change: Change) -> bytes:
    """A genesis that a host signed after this change."""
    body = genesis(game)
    change(body)
    members = {name: value for name, value in body.items() if name not in ("kind", "seq", "prev", "at")}
    return write_line("genesis", members, world(game).host, game=None, after=None, at=body["at"]).raw


@pytest.mark.parametrize(("name", "game", "change"), HOSTILE, ids=[name for name, _, _ in HOSTILE])
def test_a_genesis_that_no_match_can_be_played_by_is_found_by_both(
    name: str, game: str, change: Change
) -> None:
    expected = [(0, 1, "genesis")]
    assert found_by_python(audit([line_of(game, change)], engine=False)) == expected
    assert found_by_js(reports()[name]) == expected


def test_an_honest_genesis_has_no_fault() -> None:
    lines = {game: [line_of(game, dict)] for game in (EAST, WEST)}
    for game, report in verify_all(lines).items():
        assert found_by_js(report) == found_by_python(audit(lines[game], engine=False)) == []


def test_a_town_is_called_the_same_in_both_languages() -> None:
    """Emails that fall apart into others, and those that fall away: two towns are one for both, or for none."""
    names = (
        "\u00c9l Paso",
        "el-paso",
        "EL PASO",
        "\ufb01ve",
        "five",
        "F\u2160VE",
        "five2",
        "five\u00b2",
        "\u0130",
        "i",
        "\u212a",
        "k",
    )

    def named() -> Iterator[tuple[str, JsonObject]]:
        for first in names:
            for second in names:
                body = genesis(WEST)
                for index, name in enumerate((first, second)):
                    body["setup"]["board"]["towns"][index]["name"] = name
                yield f"{first}, {second}", body

    said = [(ours(body), not wrong) for _, body, wrong in said_of(named(), HERE / "genesis.mjs")]
    assert [fine for fine, _ in said] == [fine for _, fine in said]
    assert len(set(said)) == 2
