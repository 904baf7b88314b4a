"""What a hostile player makes of a good turn file before they sign it: each changes the body in one way.

``TWISTS`` names them; ``Known`` ones need something of the match (an earlier record, another seat's file).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pbem.game import Json, JsonObject, Seat
from tests.machine import files
from tests.machine.fate import Fate
from tests.machine.match import Match

Twist = Callable[[Match, Fate, JsonObject], None]
RULES: Final[JsonObject] = {"rules": []}
DRAW: Final[JsonObject] = {"do": "draw", "from": "supply"}


def _stale(match: Match, fate: Fate, body: JsonObject) -> None:
    body["seen"] = fate.pick(match.seens)


def _other_history(match: Match, fate: Fate, body: JsonObject) -> None:
    seen = dict(body["seen"])
    name = fate.pick(sorted(set(seen) - {"seq"}))
    body["seen"] = {**seen, name: files.flipped(seen[name])}


def _unseen(match: Match, fate: Fate, body: JsonObject) -> None:
    body["seen"] = {**body["seen"], "seq": body["seen"]["seq"] + fate.pick((1, 1000))}


def _jump(match: Match, fate: Fate, body: JsonObject) -> None:
    last = match.ledger.players[Seat(body["seat"])].n
    body["n"] = min(last + fate.pick((2, 256, 257, 100_000, 2**32)), 2**32 - 1)
    for name in ("sealed", "orders"):
        if name in body:
            body[name] = files.part(match, body, name, [] if name == "sealed" else RULES)


def _old_number(match: Match, fate: Fate, body: JsonObject) -> None:
    body["n"] = fate.pick((0, match.ledger.players[Seat(body["seat"])].n))


def _no_link(match: Match, fate: Fate, body: JsonObject) -> None:
    body.pop("link", None)


def _wrong_link(match: Match, fate: Fate, body: JsonObject) -> None:
    link = body.get("link", {"epoch": 1, "value": "A" * 43})
    body["link"] = {"epoch": link["epoch"] + fate.pick((0, 1, 5)), "value": files.flipped(link["value"])}


def _part_name(fate: Fate, body: JsonObject) -> str:
    return fate.pick([name for name in ("sealed", "orders") if name in body] or ["sealed"])


def _bad_commit(match: Match, fate: Fate, body: JsonObject) -> None:
    name = _part_name(fate, body)
    part = body.get(name) or files.part(match, body, name, [])
    body[name] = {**part, "commit": files.flipped(part["commit"])}


def _bad_seal(match: Match, fate: Fate, body: JsonObject) -> None:
    name = _part_name(fate, body)
    part = body.get(name) or files.part(match, body, name, [])
    ct = part["ct"]
    body[name] = {**part, "ct": fate.pick((files.flipped(ct), ct[:-4], ct + "AAAA", ct[: len(ct) // 2]))}


def _other_own(match: Match, fate: Fate, body: JsonObject) -> None:
    part = files.part(match, body, "sealed", [])
    longer = files.part(match, body, "sealed", [], size=1024)["own"]
    body["sealed"] = {**part, "own": fate.pick((files.flipped(part["own"]), longer))}


def _no_parts(match: Match, fate: Fate, body: JsonObject) -> None:
    for name in fate.some(("sealed", "orders")):
        body.pop(name, None)


def _longer(match: Match, fate: Fate, body: JsonObject) -> None:
    body["sealed"] = files.part(match, body, "sealed", [], size=fate.pick((1024, 8192, 40_960)))


JUNK: Final[dict[str, Json]] = {
    "a step further": [DRAW],
    "no action": [{"do": "nothing-of-the-kind"}],
    "long": [{"do": "draw", "from": "x" * 30_000}],
    "deep": [{"do": "draw", "from": files.nested(27)}],
    "deeper": [{"do": "draw", "from": files.nested(33)}],
    "null": [{"do": "draw", "from": None}],
    "no object": ["draw"],
    "too many": [DRAW] * 65,
    "an order": {"rules": []},
    "fraction": [{"do": "draw", "from": 1.5}],
    "invisible": [{"do": "draw", "from": "a\u200bb\u202e"}],
    "upper case": [{"do": "DRAW"}],
    "names": [{"do": "draw", "constructor": {"x": 1}}],
}
"""What is sealed as further actions."""


def _junk_sealed(match: Match, fate: Fate, body: JsonObject) -> None:
    body["sealed"] = files.part(match, body, "sealed", JUNK[match.choose(fate, JUNK)])


ORDERS: Final[dict[str, Json]] = {
    "none": {"rules": []},
    "no rules": {},
    "wrong": {"rules": [{"when": "never", "do": {"do": "draw"}}]},
    "text": {"rules": "x" * 2_500},
    "huge": {"rules": [], "more": "x" * 30_000},
    "deep": {"rules": files.nested(27)},
    "null": {"rules": [None]},
    "list": [],
}
"""What is sealed as standing orders."""


def _junk_orders(match: Match, fate: Fate, body: JsonObject) -> None:
    content = ORDERS[match.choose(fate, ORDERS)]
    body["orders"] = files.part(match, body, "orders", content, size=fate.pick((1024, 2048, 512, 3072)))


def _said(match: Match, fate: Fate, body: JsonObject) -> None:
    body["say"] = fate.pick(
        ("y" * 280, "y" * 281, "\u202e", "\u200b", "\x85", "\u00ad", "<b>", "e\u0301", "🤠")
    )


def _private_message(match: Match, fate: Fate, body: JsonObject) -> None:
    to = fate.pick((*match.record.seats, "zoe"))
    body["tell"] = [files.word(match, body, to, fate.pick(("psst", "\x1b[2J", "z" * 400)))]
    if fate.number(0, 3) == 3:
        body["tell"] *= fate.pick((2, 8, 9))


def _message_to_nobody(match: Match, fate: Fate, body: JsonObject) -> None:
    body["tell"] = [files.word(match, body, fate.pick(("nobody", "table", "supply")), "psst")]


def _actions(match: Match, fate: Fate, body: JsonObject) -> None:
    rubbish: tuple[list[Json], ...] = (
        [{"do": "nothing-of-the-kind"}],
        [{"do": "draw", "from": files.nested(20)}],
        [{"do": "draw", "from": "supply", "__proto__": 1}],
        [DRAW] * 64,
        [DRAW] * 65,
        ["draw"],
    )
    body["actions"] = fate.pick(rubbish)


def _shape(match: Match, fate: Fate, body: JsonObject) -> None:
    if fate.number(0, 1):
        body["more"] = 1
    else:
        del body[fate.pick(("game", "seat", "n", "seen", "actions"))]


TWISTS: Final[dict[str, Twist]] = {
    "stale": _stale,
    "other history": _other_history,
    "unseen": _unseen,
    "old number": _old_number,
    "no link": _no_link,
    "wrong link": _wrong_link,
    "bad commitment": _bad_commit,
    "bad seal": _bad_seal,
    "another own copy": _other_own,
    "no parts": _no_parts,
    "longer than need be": _longer,
    "junk sealed": _junk_sealed,
    "junk orders": _junk_orders,
    "talk": _said,
    "private word": _private_message,
    "private word to nobody": _message_to_nobody,
    "rubbish actions": _actions,
    "another shape": _shape,
    "number jump": _jump,
}
"""Every change, by name."""
