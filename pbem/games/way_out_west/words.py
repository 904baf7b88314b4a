"""How a person types an action and reads one: ``gunfight deadwood bank``, ``move-cowboys 2 from abilene to deadwood``.

Only the form is looked at here; whether a town exists is for ``action_from_json`` with the match's board.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject, MalformedAction
from pbem.games.way_out_west.board import ASSETS

FORMS: Final = {
    "place": "place TOWN",
    "bid": "bid DOLLARS",
    "drop-out": "drop-out",
    "cattle": "cattle TOWN [TOWN]",
    "cowboys": "cowboys TOWN [TOWN]",
    "build": "build ASSET TOWN",
    "move-cowboys": "move-cowboys N from TOWN to TOWN[, N from TOWN to TOWN …]",
    "move-cattle": "move-cattle from TOWN to TOWN [of SEAT]",
    "gunfight": "gunfight TOWN ASSET | cattle 1|2 of SEAT | farmer [plan retreat below N [to TOWN …]]",
    "farmer": "farmer TOWN [replace SEAT]",
    "pass": "pass",
    "ask": "ask yes|no",
    "lend": "lend yes|no",
    "fire": "fire",
    "retreat": "retreat [to TOWN …]",
    "leave": "leave TOWN N [TOWN N …]",
    "take-wanted": "take-wanted SEAT",
}
"""First word → what may be typed; a box may be named behind every action that uses one: ``… box cattle-2``.

Under ``box_must_act=false`` the words ``cattle``, ``cowboys`` and ``move-cowboys`` alone, and ``pass box jail``, block.
"""
_LONG: Final = {"place-cowboy": "place", "ask-sheriff": "ask", "lend-sheriff": "lend", "leave-town": "leave"}
_BOXED: Final = ("cattle", "cowboys", "build", "move-cowboys", "move-cattle", "gunfight", "farmer", "pass")


class _Words:
    """The words of one action, taken one by one."""

    def __init__(self, words: Sequence[str]) -> None:
        text = " ".join(words).replace(",", " , ")
        self.left = text.split()
        self.form = "one of: " + "; ".join(FORMS.values())

    def fail(self, typed: str) -> MalformedAction:
        return MalformedAction(sentence("expected {form}; found {found}", form=self.form, found=typed))

    def take(self) -> str:
        """The next word."""
        if not self.left:
            raise self.fail("nothing more")
        return self.left.pop(0)

    def keyword(self, word: str) -> None:
        """The next word must be this one."""
        text = self.take()
        if text != word:
            raise self.fail(repr(text))

    def skip(self, word: str) -> bool:
        """Take the next word if it is this one."""
        if self.left[:1] == [word]:
            self.left.pop(0)
            return True
        return False

    def number(self) -> int:
        """The next word as a number."""
        word = self.take()
        if not (word.isascii() and word.isdigit() and len(word) < 16):
            raise self.fail(repr(word))
        return int(word)

    def names(self) -> list[str]:
        """Everything up to the next keyword."""
        names = []
        while self.left and self.left[0] not in ("plan", "box"):
            names.append(self.take())
        return names


def action_from_words(words: Sequence[str]) -> JsonObject:
    """The action object; ``MalformedAction`` says what may be typed."""
    read = _Words(words)
    first = read.take()
    first = _LONG.get(first, first)
    if first not in FORMS:
        raise read.fail(repr(first))
    read.form = FORMS[first]
    obj = _PARSERS[first](read)
    if first in _BOXED and read.skip("box"):
        obj["box"] = read.take()
    if read.left:
        raise read.fail(repr(" ".join(read.left)))
    return obj


def _yes(read: _Words) -> bool:
    word = read.take()
    if word not in ("yes", "no"):
        raise read.fail(repr(word))
    return word == "yes"


def _bought(name: str) -> Callable[[_Words], JsonObject]:
    return lambda read: {"do": name, "towns": read.names()}


def _moves(read: _Words) -> JsonObject:
    moves: list[JsonObject] = []
    while read.left[:1] not in ([], ["box"]) and (not moves or read.skip(",")):
        count = read.number()
        read.keyword("from")
        origin = read.take()
        read.keyword("to")
        moves.append({"from": origin, "to": read.take(), "count": count})
    return {"do": "move-cowboys", "moves": moves}


def _move_cattle(read: _Words) -> JsonObject:
    read.keyword("from")
    obj: JsonObject = {"do": "move-cattle", "from": read.take()}
    read.keyword("to")
    obj["to"] = read.take()
    if read.skip("of"):
        obj["seat"] = read.take()
    return obj


def _gunfight(read: _Words) -> JsonObject:
    obj: JsonObject = {"do": "gunfight", "town": read.take()}
    kind = read.take()
    if kind == "cattle":
        count = read.number()
        read.keyword("of")
        obj["target"] = {"cattle": count, "seat": read.take()}
    elif kind == "farmer":
        obj["target"] = {"farmer": True}
    elif kind in ASSETS:
        obj["target"] = {"asset": kind}
    else:
        raise read.fail(repr(kind))
    if read.skip("plan"):
        read.keyword("retreat")
        read.keyword("below")
        below = read.number()
        obj["plan"] = {"retreat_below": below, "to": read.names() if read.skip("to") else []}
    return obj


def _farmer(read: _Words) -> JsonObject:
    obj: JsonObject = {"do": "farmer", "town": read.take()}
    if read.skip("replace"):
        obj["replace"] = read.take()
    return obj


def _retreat(read: _Words) -> JsonObject:
    read.skip("to")
    return {"do": "retreat", "to": read.names()}


def _leave(read: _Words) -> JsonObject:
    moves: list[JsonObject] = []
    while read.left or not moves:
        read.skip(",")
        moves.append({"to": read.take(), "count": read.number()})
    return {"do": "leave-town", "moves": moves}


_PARSERS: Final[dict[str, Callable[[_Words], JsonObject]]] = {
    "place": lambda read: {"do": "place-cowboy", "town": read.take()},
    "bid": lambda read: {"do": "bid", "amount": read.number()},
    "drop-out": lambda _: {"do": "drop-out"},
    "cattle": _bought("cattle"),
    "cowboys": _bought("cowboys"),
    "build": lambda read: {"do": "build", "asset": read.take(), "town": read.take()},
    "move-cowboys": _moves,
    "move-cattle": _move_cattle,
    "gunfight": _gunfight,
    "farmer": _farmer,
    "pass": lambda _: {"do": "pass"},
    "ask": lambda read: {"do": "ask-sheriff", "ask": _yes(read)},
    "lend": lambda read: {"do": "lend-sheriff", "lend": _yes(read)},
    "fire": lambda _: {"do": "fire"},
    "retreat": _retreat,
    "leave": _leave,
    "take-wanted": lambda read: {"do": "take-wanted", "from": read.take()},
}


def action_to_words(obj: JsonObject) -> str:
    """The words that ``action_from_words`` reads back as this object."""
    name: str = obj["do"]
    parts: list[str] = [_LONG.get(name, name), *_WRITERS[name](obj)]
    if "box" in obj:
        parts += ["box", obj["box"]]
    return " ".join(parts)


def _write_yes(member: str) -> Callable[[JsonObject], list[str]]:
    return lambda obj: ["yes" if obj[member] else "no"]


def _write_gunfight(obj: JsonObject) -> list[str]:
    target = obj["target"]
    parts = [obj["town"]]
    if "asset" in target:
        parts.append(target["asset"])
    elif "cattle" in target:
        parts += ["cattle", str(target["cattle"]), "of", target["seat"]]
    else:
        parts.append("farmer")
    if "plan" in obj:
        parts += ["plan", "retreat", "below", str(obj["plan"]["retreat_below"])]
        parts += ["to", *obj["plan"]["to"]] if obj["plan"]["to"] else []
    return parts


def _write_moves(obj: JsonObject) -> list[str]:
    moves = [f"{move['count']} from {move['from']} to {move['to']}" for move in obj["moves"]]
    return [", ".join(moves)] if moves else []


_WRITERS: Final[dict[str, Callable[[JsonObject], list[str]]]] = {
    "place-cowboy": lambda obj: [obj["town"]],
    "bid": lambda obj: [str(obj["amount"])],
    "drop-out": lambda _: [],
    "cattle": lambda obj: list(obj["towns"]),
    "cowboys": lambda obj: list(obj["towns"]),
    "build": lambda obj: [obj["asset"], obj["town"]],
    "move-cowboys": _write_moves,
    "move-cattle": lambda obj: [
        "from",
        obj["from"],
        "to",
        obj["to"],
        *(["of", obj["seat"]] if "seat" in obj else []),
    ],
    "gunfight": _write_gunfight,
    "farmer": lambda obj: [obj["town"], *(["replace", obj["replace"]] if "replace" in obj else [])],
    "pass": lambda _: [],
    "ask-sheriff": _write_yes("ask"),
    "lend-sheriff": _write_yes("lend"),
    "fire": lambda _: [],
    "retreat": lambda obj: ["to", *obj["to"]] if obj["to"] else [],
    "leave-town": lambda obj: [f"{move['to']} {move['count']}" for move in obj["moves"]],
    "take-wanted": lambda obj: [obj["from"]],
}
