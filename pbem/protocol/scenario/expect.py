"""The members of ``expect``, one check for each (schemas/scenario.schema.json)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.game import (
    PUBLIC,
    AnyRules,
    Chance,
    Decision,
    IllegalAction,
    Json,
    JsonObject,
    MalformedAction,
    Seat,
)
from pbem.protocol.scenario.compare import check_events, check_no_events, check_subset
from pbem.protocol.scenario.mismatch import Mismatch, shown, text_of


def check_refused(
    expect: JsonObject, refusal: IllegalAction | MalformedAction, before: JsonObject, after: JsonObject
) -> None:
    """A refusal names the expected rule, and the position is unchanged."""
    if text_of(before) != text_of(after):
        raise Mismatch("position", "no change by a refused action", "another position")
    rule = expect.get("rule")
    if rule is not None and rule not in refusal.rules:
        named = " ".join(refusal.rules) or "no rule"
        raise Mismatch("rule", str(rule), f"{named} ({refusal})")


def check_after(expect: JsonObject, rules: AnyRules, state: object, events: Sequence[JsonObject]) -> None:
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


def check_waiting(expected: Json, rules: AnyRules, state: object) -> None:
    """Who is asked what; when the match is over nobody is, and while chance is to answer no seat is."""
    node = rules.node(state)
    waiting: JsonObject | None = None
    if isinstance(node, Decision):
        waiting = {"seat": node.seat, "phase": node.phase}
    elif isinstance(node, Chance) and expected is not None:
        waiting = {"phase": "chance"}
    check_subset(expected, waiting, "waiting")


def is_legal(rules: AnyRules, state: object, obj: Json) -> bool:
    """Whether the seat to decide may play this: its short form is in the list, and what it names in advance fits.

    List and check are two pieces of an engine; here they must agree.
    """
    node = rules.node(state)
    if not isinstance(node, Decision):
        return False
    view = rules.observe(state, node.seat)
    try:
        action = rules.action_from_json(obj)
        rules.check(view, action)
    except (IllegalAction, MalformedAction):
        return False
    listed = map(rules.action_to_json, rules.legal_actions(view))
    return any(rules.action_to_json(action).items() >= short.items() for short in listed)


def _legal(rules: AnyRules, state: object) -> str:
    node = rules.node(state)
    if not isinstance(node, Decision):
        return "none: nobody is to act"
    actions = rules.legal_actions(rules.observe(state, node.seat))
    return shown([rules.action_to_json(action) for action in actions])


def _check_view(view: JsonObject, rules: AnyRules, state: object) -> None:
    name = view["seat"]
    if name != "public" and name not in rules.setup.seats:
        raise Mismatch("view.seat", "public or a seat", str(name))
    seen = rules.observe(state, PUBLIC if name == "public" else Seat(name))
    text = text_of(rules.view_to_json(seen))
    for unwanted in view.get("lacks", ()):
        if unwanted in text:
            at = text.index(unwanted)
            near = text[max(0, at - 40) : at + len(unwanted) + 40]
            raise Mismatch(f"view of {name}", f"no {unwanted!r} anywhere", near)
