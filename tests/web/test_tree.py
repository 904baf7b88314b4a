"""A table as the page builds it: only what is on the list, whatever a name says, and every part where it belongs."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from pbem.base.language import CODES, language_of
from pbem.game import JsonObject, Seat
from pbem.games import find_game
from pbem.games.touching import touching_of
from pbem.player.pictures import Picture, draw
from pbem.protocol.record.play import Table
from pbem.web.touch import ATTRIBUTES, ELEMENTS, NotAllowed, parts_of, tree_of
from tests.play.walk import positions

HOSTILE = '<script href="javascript:x">]]>&lt;/svg> "\' {{7*7}} Annabella-Maximiliana-Theodora'
GAMES = (("wyatt-earp", 4), ("way-out-west", 5))


def drawn(game: str, table: Table, seat: Seat, code: str, **how: Any) -> Picture:
    """The table of a position in one language, every player with a hostile name."""
    rules = table.rules
    view = rules.view_to_json(rules.observe(table.state, seat))
    names = dict.fromkeys(rules.setup.seats, HOSTILE)
    drawing = draw(
        game, view, rules.setup, names, rules.summary(view), viewer=seat, language=language_of(code), **how
    )
    assert drawing is not None
    return drawing


def tables(game: str, seats: int) -> Iterator[tuple[Table, Seat]]:
    """Some positions of a random match, early and late."""
    return islice(positions(game, seats, 11), 0, 240, 30)


@pytest.mark.parametrize(("game", "seats"), GAMES)
@pytest.mark.parametrize(
    "how", [{"form": "board"}, {"portrait": True}, {}], ids=["board", "portrait", "wide"]
)
def test_every_table_is_built_of_what_is_allowed(game: str, seats: int, how: dict[str, Any]) -> None:
    for at, (table, seat) in enumerate(tables(game, seats)):
        tree = tree_of(drawn(game, table, seat, CODES[at % len(CODES)], **how).svg)
        waiting = [tree]
        while waiting:
            name, given, *inside = waiting.pop()
            assert name in ELEMENTS
            assert ATTRIBUTES.issuperset(given)
            waiting += [child for child in inside if isinstance(child, list)]
        assert "data-part" in json.dumps(tree)


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_the_small_words_of_the_tiles_can_be_read_and_none_is_cut(game: str, seats: int) -> None:
    for code in CODES:
        for table, seat in islice(tables(game, seats), 4):
            waiting = [tree_of(drawn(game, table, seat, code, form="board").svg)]
            while waiting:
                name, given, *inside = waiting.pop()
                if name == "text":
                    words = "".join(inside)
                    assert "…" not in words, (code, words)
                    assert float(given["font-size"]) >= 11 or len(words) <= 3, (code, words, given)
                waiting += [child for child in inside if isinstance(child, list)]


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_each_part_of_the_board_is_as_large_as_a_finger(game: str, seats: int) -> None:
    table, seat = next(tables(game, seats))
    for part, (first, *others) in parts_of(tree_of(drawn(game, table, seat, "en", form="board").svg)).items():
        assert not others
        ground = first[2]
        assert ground[0] == "rect", part
        assert float(ground[1]["width"]) >= 39, part
        assert float(ground[1]["height"]) >= 39, part


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_what_is_held_and_drawn_has_the_names_that_touches_have(game: str, seats: int) -> None:
    touching, rng, seen = touching_of(find_game(game)), random.Random(2), set[str]()
    for table, seat in islice(positions(game, seats, 12), 120):
        rules = table.rules
        view: JsonObject = rules.view_to_json(rules.observe(table.state, seat))
        legal = [
            rules.action_to_json(action) for action in rules.legal_actions(rules.observe(table.state, seat))
        ]
        first = {touching.touched(view, action).heads[0] for action in rng.sample(legal, min(len(legal), 20))}
        held = {part for part, _ in touching.held(view, rules.summary(view))}
        board = parts_of(tree_of(drawn(game, table, seat, "en", form="board").svg))
        chips = {part for part in first if part.partition(":")[0] in ("do", "bid", "say", "seat", "card")}
        assert first <= held | set(board) | chips, first
        seen |= first
    assert len(seen) > 12


@pytest.mark.parametrize(
    "svg",
    [
        "<svg><script>x</script></svg>",
        '<svg><a href="x"/></svg>',
        '<svg><g onclick="x"/></svg>',
        '<svg><g style="x"/></svg>',
        "<svg><foreignObject/></svg>",
        '<svg><image width="1"/></svg>',
        '<svg><use href="#x"/></svg>',
    ],
)
def test_a_drawing_with_anything_else_is_none(svg: str) -> None:
    with pytest.raises(NotAllowed):
        tree_of(svg)
