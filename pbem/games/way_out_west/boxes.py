"""The boxes of the board: which one carries an action out, what it costs, and why none does (rules C3 to C9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from pbem.base.sentences import sentence, term
from pbem.games.touching import Fault, Faults
from pbem.games.way_out_west import actions
from pbem.games.way_out_west.board import Box, box_name, first_box
from pbem.games.way_out_west.state import Match, Position

_KINDS: Final[dict[type[actions.Action], str]] = {
    kind: name.replace("-", "_") for kind, name in actions.NAMES.items()
}


class Purse(Protocol):
    """What a choice of box looks at: a position, or one that is being changed."""

    @property
    def used(self) -> tuple[str, ...]:
        """The boxes that hold a token."""

    @property
    def cash(self) -> Sequence[int]:
        """Everybody's dollars."""


def counters_of(action: actions.BoxAction) -> int:
    """How many counters the action buys, builds or moves: what a price by the counter is paid for."""
    if isinstance(action, (actions.Cattle, actions.Cowboys)):
        return len(action.towns)
    if isinstance(action, actions.MoveCowboys):
        return sum([move.count for move in action.moves])
    return 1


def box_kind(action: actions.BoxAction) -> tuple[str, str | None]:
    """The kind of box an action needs, and the asset of a build box."""
    if isinstance(action, actions.Build):
        return "build", action.asset
    return _KINDS[type(action)], None


def price_of(box: Box, action: actions.BoxAction) -> int:
    """What the action costs on this box; nothing if it does nothing (``box_must_act=false``)."""
    counters = counters_of(action)
    return box.cost(counters) if counters else 0


def find_box(match: Match, position: Purse, seat: int, action: actions.BoxAction) -> Box | None:
    """The named box, or the first free one of its kind that can carry the action out."""
    purpose = action.asset if isinstance(action, actions.Build) else _KINDS[type(action)]
    counters, cash = counters_of(action), position.cash[seat]
    least = _least_value(action, counters)
    if action.box is None:
        return first_box(match.box_index, purpose, position.used, cash, counters, least)
    box = next((box for box in match.box_index.boxes_for[purpose] if box.id == action.box), None)
    if box is None or box.id in position.used or box.value < least or price_of(box, action) > cash:
        return None
    return box


def _least_value(action: actions.BoxAction, counters: int) -> int:
    """A box that moves cowboys says how many at most; other boxes have no value to keep to."""
    return counters if isinstance(action, actions.MoveCowboys) else 0


def most_moved(match: Match, position: Purse, seat: int) -> int:
    """Count the cowboys that a free box moves at most for the seat's cash (G1)."""
    index, use = match.box_index, "move_cowboys"
    counts = range(max([box.value for box in index.boxes_for[use]], default=0), 0, -1)
    boxes = (first_box(index, use, position.used, position.cash[seat], count, count) for count in counts)
    return next((count for count, box in zip(counts, boxes, strict=True) if box is not None), 0)


def box_faults(match: Match, position: Position, seat: int, action: actions.BoxAction) -> Faults:
    """Why no box can carry the action out; the rows of every box that was looked at."""
    if find_box(match, position, seat, action) is not None:
        return
    kind, asset = box_kind(action)
    looked_at = [box for box in match.board.boxes if action.box in (None, box.id)]
    boxes = [box for box in looked_at if (box.kind, box.asset) == (kind, asset)]
    word = asset or kind
    purpose = term(word, word.replace("_", " "))
    if not boxes and action.box:
        yield Fault(("C3",), sentence("box {box} is not for {what}", box=box_name(action.box), what=purpose))
    elif not boxes:
        yield Fault(("C3",), sentence("no box for {what}", what=purpose))
    for box in boxes:
        yield _box_fault(match, position, seat, action, box)


def _box_fault(match: Match, position: Position, seat: int, action: actions.BoxAction, box: Box) -> Fault:
    if box.min_players > len(match.seats):
        text = sentence(
            "box {id} exists only with {min_players} players",
            id=box_name(box.id),
            min_players=box.min_players,
        )
        return Fault(("C6",), text)
    if box.id in position.used:
        return Fault(("C4",), sentence("box {id} holds a token already", id=box_name(box.id)))
    if box.value < _least_value(action, counters_of(action)):
        return Fault(
            ("G1",), sentence("box {id} moves at most {value}", id=box_name(box.id), value=box.value)
        )
    row = {"build": "F1", "cattle": "D1", "cowboys": "E1"}.get(box.kind, "C3")
    price, cash = price_of(box, action), position.cash[seat]
    text = sentence("box {id} costs {price}, there is {cash}", id=box_name(box.id), price=price, cash=cash)
    return Fault(("C9", row), text)
