"""JSON → actions: strict about members and types, lenient about the order of unordered lists.

``MalformedAction`` says what was expected and what was found; where a rule row forbids what the form already
forbids (a bid of 0) it names the row too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pbem.game import Json, JsonObject, MalformedAction
from pbem.games.way_out_west.actions import (
    Action,
    AskSheriff,
    AssetTarget,
    Bid,
    Build,
    Cattle,
    CattleTarget,
    Cowboys,
    DropOut,
    Farmer,
    FarmerTarget,
    Fire,
    Gunfight,
    LeaveTown,
    LendSheriff,
    Move,
    MoveCattle,
    MoveCowboys,
    Pass,
    PlaceCowboy,
    Plan,
    Retreat,
    TakeWanted,
    Target,
)
from pbem.games.way_out_west.board import ASSETS
from pbem.games.way_out_west.position import Match
from pbem.sentences import joined, sentence


@dataclass(frozen=True, slots=True)
class Reader:
    """One JSON object being read: typed access to its members, against the names of one match."""

    match: Match
    obj: JsonObject
    where: str

    def fail(self, text: str, rules: Sequence[str] = ()) -> MalformedAction:
        """The exception to raise about this object."""
        return MalformedAction(joined((self.where, text), ": "), rules)

    def members(self, required: Iterable[str], optional: Iterable[str] = ()) -> None:
        """Refuse missing and unknown members."""
        for name in required:
            if name not in self.obj:
                raise self.fail(sentence("member {name!r} is missing", name=name))
        unknown = sorted(set(self.obj) - {"do", *required, *optional})
        if unknown:
            raise self.fail(sentence("unknown member {unknown!r}", unknown=unknown[0]))

    def number(self, name: str, least: int, most: int | None = None, rules: Sequence[str] = ()) -> int:
        """A whole number within limits."""
        value = self.obj[name]
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.fail(
                sentence("{name!r} must be a whole number, found {value!r}", name=name, value=value)
            )
        if value < least or (most is not None and value > most):
            limit = (
                sentence("at least {least}", least=least)
                if most is None
                else sentence("{least} to {most}", least=least, most=most)
            )
            raise self.fail(
                sentence("{name!r} must be {limit}, found {value}", name=name, limit=limit, value=value),
                rules,
            )
        return value

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.obj[name]
        if not isinstance(value, bool):
            raise self.fail(
                sentence("{name!r} must be true or false, found {value!r}", name=name, value=value)
            )
        return value

    def one_of(self, name: str, value: Json, known: Iterable[str], what: str) -> str:
        """A name out of a known list."""
        names = tuple(known)
        if not isinstance(value, str) or value not in names:
            raise self.fail(
                sentence(
                    "{name!r}: no {what} {value!r}; there are: {names}",
                    name=name,
                    what=what,
                    value=value,
                    names=", ".join(names),
                )
            )
        return value

    def town(self, name: str) -> str:
        """A town of the board."""
        return self.one_of(name, self.obj[name], self.match.board.numbers, "town")

    def towns(self, name: str) -> tuple[str, ...]:
        """A list of towns, in the order given."""
        value = self.obj[name]
        if not isinstance(value, list):
            raise self.fail(
                sentence("{name!r} must be a list of towns, found {value!r}", name=name, value=value)
            )
        return tuple(self.one_of(name, town, self.match.board.numbers, "town") for town in value)

    def seat(self, name: str) -> str:
        """A seat of the match."""
        return self.one_of(name, self.obj[name], self.match.seats, "seat")

    def box(self) -> str | None:
        """The optional ``box``: any box of the board file; whether it is open is a question for the rules."""
        if "box" not in self.obj:
            return None
        return self.one_of("box", self.obj["box"], (box.id for box in self.match.board.boxes), "action box")

    def entries(self, name: str) -> tuple[Reader, ...]:
        """A list of objects, each to be read on its own."""
        value = self.obj[name]
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise self.fail(sentence("{name!r} must be a list of objects", name=name))
        return tuple(
            Reader(self.match, entry, f"{self.where}, {name} {at}") for at, entry in enumerate(value, 1)
        )

    def under(self, name: str) -> Reader:
        """An object inside this one."""
        value = self.obj[name]
        if not isinstance(value, dict):
            raise self.fail(sentence("{name!r} must be an object, found {value!r}", name=name, value=value))
        return Reader(self.match, value, f"{self.where}, {name}")


def action_from_json(match: Match, obj: Json) -> Action:
    """The action an object stands for; ``MalformedAction`` if it stands for none."""
    if not isinstance(obj, dict):
        raise MalformedAction(sentence("an action is a JSON object, found {obj!r}", obj=obj))
    name = obj.get("do")
    if not isinstance(name, str) or name not in _READERS:
        raise MalformedAction(
            sentence("no action {name!r}; 'do' must be one of: {names}", name=name, names=", ".join(_READERS))
        )
    return _READERS[name](Reader(match, obj, name))


def _place_cowboy(read: Reader) -> Action:
    read.members(["town"])
    return PlaceCowboy(read.town("town"))


def _bid(read: Reader) -> Action:
    read.members(["amount"])
    return Bid(read.number("amount", 1, rules=("B5", "B4")))


def _drop_out(read: Reader) -> Action:
    read.members([])
    return DropOut()


def _bought(read: Reader, row: str) -> tuple[str, ...]:
    read.members(["towns"], ["box"])
    towns = read.towns("towns")
    if len(towns) > 2:
        raise read.fail(sentence("one or two counters are bought, found {count}", count=len(towns)), (row,))
    _not_empty(read, "towns", len(towns), row)
    return towns


def _not_empty(read: Reader, name: str, count: int, row: str) -> None:
    if not count and read.match.options.box_must_act:
        raise read.fail(
            sentence("{name!r} is empty: a box may not be used without acting", name=name), ("C8", row)
        )


def _cattle(read: Reader) -> Action:
    return Cattle(_bought(read, "D1"), read.box())


def _cowboys(read: Reader) -> Action:
    return Cowboys(_bought(read, "E1"), read.box())


def _build(read: Reader) -> Action:
    read.members(["asset", "town"], ["box"])
    return Build(read.one_of("asset", read.obj["asset"], ASSETS, "asset"), read.town("town"), read.box())


def _move_cowboys(read: Reader) -> Action:
    read.members(["moves"], ["box"])
    moves: Counter[tuple[str, str]] = Counter()
    for entry in read.entries("moves"):
        entry.members(["from", "to", "count"])
        moves[entry.town("from"), entry.town("to")] += entry.number("count", 1, rules=("C8", "G1"))
    _not_empty(read, "moves", len(moves), "G1")
    return MoveCowboys(tuple(Move(*towns, count) for towns, count in sorted(moves.items())), read.box())


def _move_cattle(read: Reader) -> Action:
    read.members(["from", "to"], ["seat", "box"])
    seat = read.seat("seat") if "seat" in read.obj else None
    return MoveCattle(read.town("from"), read.town("to"), seat, read.box())


def _gunfight(read: Reader) -> Action:
    read.members(["town", "target"], ["plan", "box"])
    plan = _plan(read.under("plan")) if "plan" in read.obj else None
    return Gunfight(read.town("town"), target_from_reader(read.under("target")), plan, read.box())


def _plan(read: Reader) -> Plan:
    read.members(["retreat_below", "to"])
    return Plan(read.number("retreat_below", 0), read.towns("to"))


def target_from_reader(read: Reader) -> Target:
    """A target: exactly one of asset, cattle, farmer (J18)."""
    kinds = [kind for kind in ("asset", "cattle", "farmer") if kind in read.obj]
    if len(kinds) != 1:
        raise read.fail(sentence("a target is one asset, or cattle of one seat, or a farmer"), ("J18", "J2"))
    if kinds == ["asset"]:
        read.members(["asset"])
        return AssetTarget(read.one_of("asset", read.obj["asset"], ASSETS, "asset"))
    if kinds == ["cattle"]:
        read.members(["cattle", "seat"])
        return CattleTarget(read.number("cattle", 1, 2, ("J2",)), read.seat("seat"))
    read.members(["farmer"])
    if read.obj["farmer"] is not True:
        raise read.fail(sentence("'farmer' must be true, found {farmer!r}", farmer=read.obj["farmer"]))
    return FarmerTarget()


def _farmer(read: Reader) -> Action:
    read.members(["town"], ["replace", "box"])
    seat = read.seat("replace") if "replace" in read.obj else None
    return Farmer(read.town("town"), seat, read.box())


def _pass(read: Reader) -> Action:
    read.members([], ["box"])
    return Pass(read.box())


def _ask_sheriff(read: Reader) -> Action:
    read.members(["ask"])
    return AskSheriff(read.flag("ask"))


def _lend_sheriff(read: Reader) -> Action:
    read.members(["lend"])
    return LendSheriff(read.flag("lend"))


def _fire(read: Reader) -> Action:
    read.members([])
    return Fire()


def _retreat(read: Reader) -> Action:
    read.members(["to"])
    return Retreat(tuple(sorted(read.towns("to"))))


def _leave_town(read: Reader) -> Action:
    read.members(["moves"])
    moves: Counter[str] = Counter()
    for entry in read.entries("moves"):
        entry.members(["to", "count"])
        moves[entry.town("to")] += entry.number("count", 1, rules=("M5",))
    if not moves:
        raise read.fail(sentence("'moves' is empty: all cowboys leave"), ("M5",))
    return LeaveTown(tuple(sorted(moves.items())))


def _take_wanted(read: Reader) -> Action:
    read.members(["from"])
    return TakeWanted(read.seat("from"))


_READERS: Final[dict[str, Callable[[Reader], Action]]] = {
    "place-cowboy": _place_cowboy,
    "bid": _bid,
    "drop-out": _drop_out,
    "cattle": _cattle,
    "cowboys": _cowboys,
    "build": _build,
    "move-cowboys": _move_cowboys,
    "move-cattle": _move_cattle,
    "gunfight": _gunfight,
    "farmer": _farmer,
    "pass": _pass,
    "ask-sheriff": _ask_sheriff,
    "lend-sheriff": _lend_sheriff,
    "fire": _fire,
    "retreat": _retreat,
    "leave-town": _leave_town,
    "take-wanted": _take_wanted,
}
