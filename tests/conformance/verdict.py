"""What the engine says to an action, as something that can be compared."""

from __future__ import annotations

import json
import re
from typing import Any

from pbem.game import AnyRules, Chance, IllegalAction, Json, Seat

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_TEXT = re.compile(r"[\x20-\x7e]*")


def compact(value: Json) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def by_apply(rules: AnyRules, state: Any, action: Any) -> tuple[Any, ...]:
    """("legal",) or the rows and the sentence of the refusal."""
    try:
        rules.apply(state, action)
    except IllegalAction as refusal:
        return ("refused", refusal.rules, str(refusal))
    return ("legal",)


def by_check(rules: AnyRules, state: Any, seat: Seat, action: Any) -> tuple[Any, ...]:
    """The same from the seat's view alone."""
    try:
        rules.check(rules.observe(state, seat), action)
    except IllegalAction as refusal:
        return ("refused", refusal.rules, str(refusal))
    return ("legal",)


def draw_of(rules: AnyRules, state: Any) -> Any:
    node = rules.node(state)
    return node.draw if isinstance(node, Chance) else None


def faults_of_form(value: Json) -> list[str]:
    """Where a value leaves the restricted form of schemas/README.md §1.1, or holds a letter beyond ASCII."""
    faults: list[str] = []
    if isinstance(value, str):
        if not _TEXT.fullmatch(value):
            faults.append(f": text {value!r}")
    elif isinstance(value, dict):
        for name, member in value.items():
            if not _NAME.fullmatch(str(name)):
                faults.append(f": member name {name!r}")
            faults += [f"/{name}{fault}" for fault in faults_of_form(member)]
    elif isinstance(value, list):
        for at, item in enumerate(value):
            faults += [f"/{at}{fault}" for fault in faults_of_form(item)]
    elif not (value is None or isinstance(value, bool) or (isinstance(value, int) and abs(value) < 2**53)):
        faults.append(f": {value!r}")
    return faults


def nulls(value: Json, where: str = "") -> list[str]:
    """Where a null stands: in records optional members are left out (schemas/README.md §1.1)."""
    if isinstance(value, dict):
        return [null for name, member in value.items() for null in nulls(member, f"{where}/{name}")]
    if isinstance(value, list):
        return [null for at, item in enumerate(value) for null in nulls(item, f"{where}/{at}")]
    return [where] if value is None else []
