"""The members of ``expect``, one check for each (schemas/scenario.schema.json)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import Enum
from typing import Final

from pbem import game


def check_refused(
    expect: game.JsonObject,
    refusal: game.IllegalAction | game.MalformedAction,
    before: game.JsonObject,
    after: game.JsonObject,
) -> None:
    """A refusal names the expected rule, and the position is unchanged."""
    if text_of(before) != text_of(after):
        raise Mismatch("position", "no change by a refused action", "another position")
    rule = expect.get("rule")
    if rule is not None and rule not in refusal.rules:
        named = " ".join(refusal.rules) or "no rule"
        raise Mismatch("rule", str(rule), f"{named} ({refusal})")


def check_after(
    expect: game.JsonObject, rules: game.AnyRules, state: object, events: Sequence[game.JsonObject]
) -> None:
    """All that a step expects of the position, the events, the legal actions and the views after it."""
    if "position" in expect:
        check_subset(expect["position"], rules.position_to_json(state), "position")
    if "waiting" in expect:
        check_waiting(expect["waiting"], rules, state)
    check_events(expect.get("events", ()), events)
    check_no_events(expect.get("not_events", ()), events)
    for number, action in enumerate(expect.get("legal", ()), 1):
        if not is_legal(rules, state, action):
            raise Mismatch(
                f"legal {number}", f"{shown(action)} among the legal actions", _legal(rules, state)
            )
    for number, action in enumerate(expect.get("not_legal", ()), 1):
        if is_legal(rules, state, action):
            raise Mismatch(f"not_legal {number}", f"{shown(action)} not to be legal", "it is")
    views = expect.get("view", [])
    for view in views if isinstance(views, list) else [views]:
        _check_view(view, rules, state)


def check_waiting(expected: game.Json, rules: game.AnyRules, state: object) -> None:
    """Who is asked what; when the match is over nobody is, and while chance is to answer no seat is."""
    node = rules.node(state)
    waiting: game.JsonObject | None = None
    if isinstance(node, game.Decision):
        waiting = {"seat": node.seat, "phase": node.phase}
    elif isinstance(node, game.Chance) and expected is not None:
        waiting = {"phase": "chance"}
    check_subset(expected, waiting, "waiting")


def is_legal(rules: game.AnyRules, state: object, obj: game.Json) -> bool:
    """Whether the seat to decide may play this: its short form is in the list, and what it names in advance fits.

    List and check are two pieces of an engine; here they must agree.
    """
    node = rules.node(state)
    if not isinstance(node, game.Decision):
        return False
    view = rules.observe(state, node.seat)
    try:
        action = rules.action_from_json(obj)
        rules.check(view, action)
    except (game.IllegalAction, game.MalformedAction):
        return False
    listed = map(rules.action_to_json, rules.legal_actions(view))
    return any(rules.action_to_json(action).items() >= short.items() for short in listed)


def _legal(rules: game.AnyRules, state: object) -> str:
    node = rules.node(state)
    if not isinstance(node, game.Decision):
        return "none: nobody is to act"
    actions = rules.legal_actions(rules.observe(state, node.seat))
    return shown([rules.action_to_json(action) for action in actions])


def _check_view(view: game.JsonObject, rules: game.AnyRules, state: object) -> None:
    name = view["seat"]
    if name != "public" and name not in rules.setup.seats:
        raise Mismatch("view.seat", "public or a seat", str(name))
    seen = rules.observe(state, game.PUBLIC if name == "public" else game.Seat(name))
    text = text_of(rules.view_to_json(seen))
    for unwanted in view.get("lacks", ()):
        if unwanted in text:
            at = text.index(unwanted)
            near = text[max(0, at - 40) : at + len(unwanted) + 40]
            raise Mismatch(f"view of {name}", f"no {unwanted!r} anywhere", near)


# --- comparing a position or an event with what a scenario names of it (schemas/scenario.schema.json) -----
#
# Only the members named are compared. A member that is left out counts as its default: 0, false, null, an
# empty group or list; null means nobody or not there. A number where a list stands is the number of its
# cards.


class _Lists(Enum):
    """What the order of a list means."""

    ORDERED = "ordered"
    MULTISET = "multiset"
    SET = "set"


_MEANING: Final = {"hands": _Lists.MULTISET, "used_boxes": _Lists.SET, "opened": _Lists.SET}
"""Hands are multisets; ``used_boxes`` is a set; so are the Outlaws that are opened."""


def check_subset(expected: game.Json, actual: game.Json, where: str) -> None:
    """Return if ``actual`` agrees with all that ``expected`` names; else raise the first difference."""
    _check(expected, actual, where, _Lists.ORDERED)


def matches(expected: game.Json, actual: game.Json) -> bool:
    """Whether ``actual`` agrees with all that ``expected`` names."""
    try:
        _check(expected, actual, "", _Lists.ORDERED)
    except Mismatch:
        return False
    return True


def check_events(expected: Sequence[game.JsonObject], events: Sequence[game.JsonObject]) -> None:
    """Each expected event must occur, in this order; others may stand between."""
    at = 0
    for number, wanted in enumerate(expected, 1):
        while at < len(events) and not matches(wanted, events[at]):
            at += 1
        if at == len(events):
            raise Mismatch(f"events {number}", shown(wanted), _alike(wanted, events))
        at += 1


def check_no_events(unwanted: Sequence[game.JsonObject], events: Sequence[game.JsonObject]) -> None:
    """None of the partial events may occur."""
    for number, partial in enumerate(unwanted, 1):
        for event in events:
            if matches(partial, event):
                raise Mismatch(f"not_events {number}", f"no event like {shown(partial)}", shown(event))


def _check(expected: game.Json, actual: game.Json, where: str, lists: _Lists) -> None:
    if _is_default(expected) and _is_default(actual):
        return
    if isinstance(expected, dict):
        _check_members(expected, actual, where, lists)
    elif isinstance(expected, list) and isinstance(actual, list):
        _check_list(expected, actual, where, lists)
    elif (isinstance(expected, int) and not isinstance(expected, bool)) and isinstance(actual, list):
        if expected != len(actual):
            raise Mismatch(where, shown(expected), str(len(actual)))
    elif text_of(expected) != text_of(actual):
        raise Mismatch(where, shown(expected), shown(actual))


def _check_members(expected: game.JsonObject, actual: game.Json, where: str, lists: _Lists) -> None:
    if not isinstance(actual, dict) and not _is_default(actual):
        raise Mismatch(where, shown(expected), shown(actual))
    members = actual if isinstance(actual, dict) else {}
    for name, value in expected.items():
        inner = f"{where}.{name}" if where else name
        _check(value, members.get(name), inner, _MEANING.get(name, lists))


def _check_list(expected: list[game.Json], actual: list[game.Json], where: str, lists: _Lists) -> None:
    wanted, given = _in_order(expected, lists), _in_order(actual, lists)
    if len(wanted) != len(given):
        raise Mismatch(where, shown(expected), shown(actual))
    for value, other in zip(wanted, given, strict=True):
        try:
            _check(value, other, where, _Lists.ORDERED)
        except Mismatch:
            raise Mismatch(where, shown(expected), shown(actual)) from None


def _in_order(values: list[game.Json], lists: _Lists) -> list[game.Json]:
    if lists is _Lists.ORDERED:
        return values
    ordered = sorted(values, key=text_of)
    if lists is _Lists.MULTISET:
        return ordered
    return [value for i, value in enumerate(ordered) if i == 0 or value != ordered[i - 1]]


def _is_default(value: game.Json) -> bool:
    """0, false, null, "", nothing in it, or a group all of whose members are defaults."""
    if isinstance(value, dict):
        return all(_is_default(member) for member in value.values())
    return not value


def _alike(wanted: game.JsonObject, events: Sequence[game.JsonObject]) -> str:
    """What happened instead: the events of that name, else the names of all."""
    same = [event for event in events if event.get("event") == wanted.get("event")]
    if same:
        return shown(same)
    return shown([event.get("event", "") for event in events]) if events else "no events"


# --- where a scenario and the engine part: the place, what was expected and what was found ----------------

_LONGEST = 300


class Mismatch(Exception):
    """The first difference of a scenario; all three parts are text for one line."""

    def __init__(self, where: str, expected: str, got: str) -> None:
        super().__init__(
            f"{where}: expected {expected}, got {got}" if where else f"expected {expected}, got {got}"
        )
        self.where = where
        self.expected = expected
        self.got = got

    def within(self, place: str) -> Mismatch:
        """The same difference, seen from further outside (``step 2: position.money``)."""
        return Mismatch(": ".join(part for part in (place, self.where) if part), self.expected, self.got)


def shown(value: game.Json) -> str:
    """A value as one line of JSON, cut short if it is long; what is not there is ``nothing``."""
    if value is None:
        return "nothing"
    return one_line(text_of(value))


def text_of(value: game.Json) -> str:
    """Compact JSON with sorted members: equal text means equal values, and 1 is not true."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def one_line(text: str) -> str:
    """``text`` without line breaks and not longer than a reader wants."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"
