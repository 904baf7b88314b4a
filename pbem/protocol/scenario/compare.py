"""Comparing a position or an event with what a scenario names of it (schemas/scenario.schema.json).

Only the members named are compared. A member that is left out counts as its default: 0, false, null, an
empty group or list; null means nobody or not there. A number where a list stands is the number of its cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final

from pbem.game import Json, JsonObject
from pbem.protocol.scenario.mismatch import Mismatch, shown, text_of


class _Lists(Enum):
    """What the order of a list means."""

    ORDERED = "ordered"
    MULTISET = "multiset"
    SET = "set"


_MEANING: Final = {"hands": _Lists.MULTISET, "used_boxes": _Lists.SET, "opened": _Lists.SET}
"""Hands are multisets; ``used_boxes`` is a set; so are the Outlaws that are opened."""


def check_subset(expected: Json, actual: Json, where: str) -> None:
    """Return if ``actual`` agrees with all that ``expected`` names; else raise the first difference."""
    _check(expected, actual, where, _Lists.ORDERED)


def matches(expected: Json, actual: Json) -> bool:
    """Whether ``actual`` agrees with all that ``expected`` names."""
    try:
        _check(expected, actual, "", _Lists.ORDERED)
    except Mismatch:
        return False
    return True


def check_events(expected: Sequence[JsonObject], events: Sequence[JsonObject]) -> None:
    """Each expected event must occur, in this order; others may stand between."""
    at = 0
    for number, wanted in enumerate(expected, 1):
        while at < len(events) and not matches(wanted, events[at]):
            at += 1
        if at == len(events):
            raise Mismatch(f"events {number}", shown(wanted), _alike(wanted, events))
        at += 1


def check_no_events(unwanted: Sequence[JsonObject], events: Sequence[JsonObject]) -> None:
    """None of the partial events may occur."""
    for number, partial in enumerate(unwanted, 1):
        for event in events:
            if matches(partial, event):
                raise Mismatch(f"not_events {number}", f"no event like {shown(partial)}", shown(event))


def _check(expected: Json, actual: Json, where: str, lists: _Lists) -> None:
    if _is_default(expected) and _is_default(actual):
        return
    if isinstance(expected, dict):
        _check_members(expected, actual, where, lists)
    elif isinstance(expected, list) and isinstance(actual, list):
        _check_list(expected, actual, where, lists)
    elif _is_count(expected) and isinstance(actual, list):
        if expected != len(actual):
            raise Mismatch(where, shown(expected), str(len(actual)))
    elif text_of(expected) != text_of(actual):
        raise Mismatch(where, shown(expected), shown(actual))


def _check_members(expected: JsonObject, actual: Json, where: str, lists: _Lists) -> None:
    if not isinstance(actual, dict) and not _is_default(actual):
        raise Mismatch(where, shown(expected), shown(actual))
    members = actual if isinstance(actual, dict) else {}
    for name, value in expected.items():
        inner = f"{where}.{name}" if where else name
        _check(value, members.get(name), inner, _MEANING.get(name, lists))


def _check_list(expected: list[Json], actual: list[Json], where: str, lists: _Lists) -> None:
    wanted, found = _in_order(expected, lists), _in_order(actual, lists)
    if len(wanted) != len(found):
        raise Mismatch(where, shown(expected), shown(actual))
    for one, other in zip(wanted, found, strict=True):
        try:
            _check(one, other, where, _Lists.ORDERED)
        except Mismatch:
            raise Mismatch(where, shown(expected), shown(actual)) from None


def _in_order(values: list[Json], lists: _Lists) -> list[Json]:
    if lists is _Lists.ORDERED:
        return values
    ordered = sorted(values, key=text_of)
    if lists is _Lists.MULTISET:
        return ordered
    return [value for i, value in enumerate(ordered) if i == 0 or value != ordered[i - 1]]


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_default(value: Json) -> bool:
    """0, false, null, "", nothing in it, or a group all of whose members are defaults."""
    if isinstance(value, dict):
        return all(_is_default(member) for member in value.values())
    return not value


def _alike(wanted: JsonObject, events: Sequence[JsonObject]) -> str:
    """What happened instead: the events of that name, else the names of all."""
    same = [event for event in events if event.get("event") == wanted.get("event")]
    if same:
        return shown(same)
    return shown([event.get("event", "") for event in events]) if events else "no events"
