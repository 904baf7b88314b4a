"""Where a record and the play that the rules make of it differ, as faults (schemas/README.md §11, engine)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.game import Json, JsonObject
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.fault import Fault
from pbem.protocol.record.line import Line
from pbem.protocol.record.play import Play


def differences(line: Line, play: Play) -> list[Fault]:
    """What a record with a result says otherwise than ``play``: steps, view, whether anybody is asked, how far."""
    body = line.body
    faults = []
    if len(play.steps) != len(body["steps"]):
        sentence = f"the rules give {len(play.steps)} steps, the record has {len(body['steps'])}"
        faults.append(Fault(line.seq, 12, "steps", sentence))
    misused = order_misused(play.steps, body["steps"])
    if misused:
        faults.append(Fault(line.seq, 12, "order", misused))
    same = canon(play.steps) == canon(body["steps"])
    for index, (made, told) in enumerate(() if same else zip(play.steps, body["steps"], strict=False)):
        if canon(made) != canon(told):
            faults.append(Fault(line.seq, 12, "step", f"step {index}: {difference(made, told)}"))
    public = play.table.public
    if canon(public) != canon(body["public"]):
        faults.append(Fault(line.seq, 12, "public", f"the public view: {difference(public, body['public'])}"))
    asks = play.table.asks
    if (asks is None) == ("due" in body):
        whom = "nobody is asked" if asks is None else f"{asks.seat} is asked, but not until when"
        faults.append(Fault(line.seq, 12, "due", whom))
    if play.applied != body.get("applied", play.applied):
        faults.append(Fault(line.seq, 12, "applied", f"the rules apply {play.applied} actions"))
    if (play.stopped or {}) != body.get("stopped", {}):
        faults.append(Fault(line.seq, 12, "stopped", f"the rules stop so: {play.stopped}"))
    return faults


def order_misused(made: Sequence[JsonObject], told: Sequence[JsonObject]) -> str:
    """Whose order was ignored, misapplied or invented where two lists of steps part; empty if none was.

    The first difference decides: from there on the two play different matches.
    """
    ends = max(len(made), len(told))
    pairs = ((_at(made, index), _at(told, index)) for index in range(ends))
    for index, (right, found) in enumerate(pairs):
        if _deed(right) == _deed(found):
            continue
        ordered, claimed = right.get("by") == "order", found.get("by") == "order"
        if ordered and claimed and right["seat"] == found["seat"]:
            shown = shown_value(right["action"]), shown_value(found["action"])
            return f"{_whose(right)} answers {shown[0]} at step {index}, not {shown[1]}"
        if ordered:
            there = f"{found['by']} acted instead" if found else "it stands nowhere"
            return f"{_whose(right)} should have answered {shown_value(right['action'])} at step {index}; {there}"
        if claimed:
            return f"{_whose(found)} did not answer at step {index}: {shown_value(found['action'])} was not ordered"
        return ""
    return ""


def _at(steps: Sequence[JsonObject], index: int) -> JsonObject:
    return steps[index] if index < len(steps) else {}


def _deed(step: JsonObject) -> tuple[Json, ...]:
    return tuple(step.get(name) for name in ("by", "seat", "action", "n"))


def _whose(step: JsonObject) -> str:
    return f"the order of {step['seat']} (message {step['n']})"


def difference(expected: Json, found: Json, where: str = "") -> str:
    """The first place where two JSON values differ, in words."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in sorted(expected.keys() | found.keys()):
            if name not in expected or name not in found:
                side = "unexpected" if name in found else "missing"
                return f"{where}/{name} is {side}"
            if expected[name] != found[name]:
                return difference(expected[name], found[name], f"{where}/{name}")
    if isinstance(expected, list) and isinstance(found, list):
        for index, (a, b) in enumerate(zip(expected, found, strict=False)):
            if a != b:
                return difference(a, b, f"{where}/{index}")
        return f"{where} has {len(found)} entries instead of {len(expected)}"
    return f"{where or '/'}: expected {shown_value(expected)}, found {shown_value(found)}"


def shown_value(value: Json) -> str:
    """A value as it stands in a record, cut off where it is long."""
    text = canon(value).decode()
    return text if len(text) <= 80 else text[:77] + "..."
