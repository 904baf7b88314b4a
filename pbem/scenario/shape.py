"""The form of a scenario object, before anything of it is used (actions-and-scenarios §3, §3.1).

``schemas/scenario.schema.json`` says the same for other programs. What an action or a position holds is not
looked at here: a malformed action is a refusal, an impossible position is the game's to name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pbem.game import Json
from pbem.scenario.mismatch import Mismatch, shown

FORMAT: Final = "scenario/1"
_Check = Callable[[Json, str], None]


def check_shape(scenario: Json) -> None:
    """Return if ``scenario`` has the form of a scenario; else raise what is wrong, and where."""
    if not isinstance(scenario, dict) or scenario.get("pbem") != FORMAT:
        found = scenario.get("pbem") if isinstance(scenario, dict) else scenario
        raise Mismatch("pbem", f'a scenario ("pbem":"{FORMAT}")', shown(found))
    _scenario(scenario, "")


def _of(kind: type, what: str) -> _Check:
    def check(value: Json, where: str) -> None:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise Mismatch(where, what, shown(value))

    return check


def _list_of(each: _Check, least: int = 0) -> _Check:
    def check(value: Json, where: str) -> None:
        if not isinstance(value, list) or len(value) < least:
            raise Mismatch(where, "a list" if least == 0 else f"a list of at least {least}", shown(value))
        for number, item in enumerate(value, 1):
            each(item, f"{where} {number}")

    return check


def _group(members: dict[str, _Check], needed: tuple[str, ...] = ()) -> _Check:
    def check(value: Json, where: str) -> None:
        if not isinstance(value, dict):
            raise Mismatch(where, "an object", shown(value))
        for name in needed:
            if name not in value:
                raise Mismatch(where, f"a member {name!r}", "none")
        for name, member in value.items():
            if name not in members:
                raise Mismatch(where, f"only the members {', '.join(members)}", repr(name))
            members[name](member, f"{where}.{name}" if where else name)

    return check


def _null_or(each: _Check) -> _Check:
    def check(value: Json, where: str) -> None:
        if value is not None:
            each(value, where)

    return check


def _view(value: Json, where: str) -> None:
    (_list_of(_ONE_VIEW) if isinstance(value, list) else _ONE_VIEW)(value, where)


def _anything(value: Json, where: str) -> None:  # noqa: ARG001  what it holds is judged later
    return


_TEXT: Final = _of(str, "text")
_FLAG: Final = _of(bool, "true or false")
_OBJECT: Final = _of(dict, "an object")
_ONE_VIEW: Final = _group({"seat": _TEXT, "lacks": _list_of(_TEXT)}, ("seat", "lacks"))
_EXPECT: Final = _group(
    {
        "refused": _FLAG,
        "rule": _TEXT,
        "position": _OBJECT,
        "waiting": _null_or(_OBJECT),
        "events": _list_of(_OBJECT),
        "not_events": _list_of(_OBJECT),
        "legal": _list_of(_OBJECT),
        "not_legal": _list_of(_OBJECT),
        "view": _view,
    }
)
_STEP: Final = _group({"seat": _TEXT, "action": _anything, "expect": _EXPECT}, ("seat", "action"))
_CHANCE: Final = _group(
    {"shuffles": _list_of(_list_of(_TEXT)), "rolls": _list_of(_of(int, "the value of a die"))}
)
_scenario: Final = _group(
    {
        "pbem": _TEXT,
        "game": _TEXT,
        "title": _TEXT,
        "rules": _list_of(_TEXT),
        "profile": _TEXT,
        "options": _OBJECT,
        "seats": _list_of(_TEXT, 1),
        "position": _OBJECT,
        "chance": _CHANCE,
        "steps": _list_of(_STEP),
    },
    ("pbem", "game", "seats", "steps"),
)
