"""Positions ⇄ JSON (schemas/way-out-west/position.schema.json): every default written, every default understood.

What is nobody or not there (``active``, a ``farmer``, the ``fight``) is left out, never null (schemas/README.md §1.1).

Members beyond what lies on the table, each only where it is needed to go on from the JSON alone: in ``fight`` the
attacker's ``plan``, ``left`` (``retreat_garrison=fights_on``), and in phase ``chance`` ``rolls`` and ``hits``;
on top ``jails_lost`` (``jail_fate=out_of_game``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, get_args

from pbem.game import BadSetup, Json, JsonObject, MalformedAction
from pbem.games.way_out_west.action_json import Reader, target_from_reader
from pbem.games.way_out_west.actions import FarmerTarget, Plan, plan_to_json, target_to_json
from pbem.games.way_out_west.board import ASSETS, COUNTERS
from pbem.games.way_out_west.position import (
    ASSET_NUMBER,
    NOBODY,
    TOKENS,
    Ask,
    Fight,
    Match,
    Phase,
    Position,
    Side,
    Town,
    stock,
    target_owner,
)
from pbem.games.way_out_west.sides import with_strengths

_MEMBERS: Final = {
    "space", "phase", "order", "active", "cash", "wanted", "farmers", "tokens", "used_boxes", "towns", "auction",
    "fight", "jails_lost", "waiting",
}  # fmt: skip
_FIGHT_MEMBERS: Final = (
    "defender", "attack", "defence", "first", "round", "asks", "seat", "sheriff", "plan", "left", "rolls", "hits",
)  # fmt: skip


# --- writing ----------------------------------------------------------------------------------------------


def position_to_json(match: Match, position: Position, shown: Iterable[int]) -> JsonObject:
    """The position with every default; ``cash`` only of the seats ``shown``."""
    names = match.seats
    obj: JsonObject = {
        "space": position.space,
        "phase": position.phase,
        "order": [names[seat] for seat in position.order],
        "active": None if position.active == NOBODY else names[position.active],
        "cash": {names[seat]: position.cash[seat] for seat in shown},
        "wanted": _by_seat(match, position.wanted),
        "farmers": _by_seat(match, position.farmers),
        "tokens": _by_seat(match, position.tokens),
        "used_boxes": list(position.used),
        "towns": {
            plan.id: _town_to_json(match, town)
            for plan, town in zip(match.board.towns, position.towns, strict=True)
        },
        "auction": {
            "bids": _by_seat(match, position.bids),
            "dropped": [names[seat] for seat in position.dropped],
        },
        "fight": None if position.fight is None else _fight_to_json(match, position.fight),
    }
    if any(position.jails_lost):
        obj["jails_lost"] = _by_seat(match, position.jails_lost)
    return _there(obj)


def _there(obj: JsonObject) -> JsonObject:
    return {name: value for name, value in obj.items() if value is not None}


def _by_seat(match: Match, counts: Sequence[int]) -> JsonObject:
    return dict(zip(match.seats, counts, strict=True))


def _some(match: Match, counts: Sequence[int]) -> JsonObject:
    return {seat: count for seat, count in zip(match.seats, counts, strict=True) if count}


def _town_to_json(match: Match, town: Town) -> JsonObject:
    owners = zip(ASSETS, town.assets, strict=True)
    return _there(
        {
            "cowboys": _some(match, town.cowboys),
            "cattle": _some(match, town.cattle),
            "assets": {asset: match.seats[owner] for asset, owner in owners if owner != NOBODY},
            "farmer": None if town.farmer == NOBODY else match.seats[town.farmer],
            "sheriff_down": town.sheriff_down,
        }
    )


def _fight_to_json(match: Match, fight: Fight) -> JsonObject:
    def name(seat: int, nobody: str | None) -> str | None:
        return nobody if seat == NOBODY else match.seats[seat]

    sides = {"attack": match.seats[fight.attacker], "defence": name(fight.defender, "farmer"), "both": "both"}
    obj: JsonObject = {
        "town": match.board.towns[fight.town].id,
        "attacker": match.seats[fight.attacker],
        "defender": name(fight.defender, "farmer"),
        "target": target_to_json(fight.target),
        "attack": fight.attack,
        "defence": fight.defence,
        "first": None if fight.first is None else sides[fight.first],
        "round": fight.round,
        "asks": fight.asks,
        "seat": name(fight.seat, None),
        "sheriff": fight.sheriff or "none",
    }
    if fight.plan is not None:
        obj["plan"] = plan_to_json(fight.plan)
    if fight.left:
        obj["left"] = True
    if fight.rolls is not None:
        obj |= {"rolls": fight.rolls, "hits": fight.hits}
    return _there(obj)


# --- reading ----------------------------------------------------------------------------------------------


def position_from_json(match: Match, obj: Json, hidden: int) -> Position:
    """The position a JSON object describes; what it leaves out is the default.

    ``hidden`` is the cash of seats that are not named (0 in a view with ``money_public=false``).

    Raises:
        BadSetup: if it names what does not exist, or has more counters than there are.
    """
    if not isinstance(obj, dict):
        raise BadSetup(f"a position is a JSON object, found {obj!r}")
    try:
        return _PositionReader(match, obj, hidden).position()
    except MalformedAction as error:
        raise BadSetup(str(error)) from error


class _PositionReader:
    """Reads one position object."""

    def __init__(self, match: Match, obj: JsonObject, cash: int) -> None:
        self.match = match
        self.obj = obj
        self.cash = cash
        self.read = Reader(match, obj, "position")

    def position(self) -> Position:
        self.read.members([], _MEMBERS)
        towns = self._towns()
        order = self._order()
        on_map = [sum(town.farmer == seat for town in towns) for seat in range(len(self.match.seats))]
        position = Position(
            space=self._number("space", self.match.start_space, 1),
            phase=self._phase(),
            order=order,
            active=NOBODY,
            cash=self.counts("cash", [self.cash] * len(on_map)),
            wanted=self.counts("wanted", [0] * len(on_map)),
            farmers=self.counts("farmers", [max(0, self.match.board.farmers - there) for there in on_map]),
            tokens=self.counts("tokens", [TOKENS] * len(on_map)),
            used=self._used(),
            towns=towns,
            bids=(0,) * len(on_map),
            dropped=(),
            jails_lost=self.counts("jails_lost", [0] * len(on_map)),
        )
        position = self._auction(position)
        position = replace(position, active=self._active(position))
        if self.obj.get("fight") is not None:
            position = replace(position, fight=self._fight(towns))
        self._check(position)
        return position

    # members

    def counts(self, name: str, default: Sequence[int], obj: JsonObject | None = None) -> tuple[int, ...]:
        """A table of numbers by seat; seats that it leaves out have the default."""
        table = (self.obj if obj is None else obj).get(name) or {}
        if not isinstance(table, dict):
            raise BadSetup(f"position: {name!r} must be an object of numbers by seat")
        counts = list(default)
        for seat in table:
            self.read.one_of(name, seat, self.match.seats, "seat")
            counts[self.match.seat_numbers[seat]] = Reader(self.match, table, name).number(seat, 0)
        return tuple(counts)

    def _number(self, name: str, default: int, least: int) -> int:
        return self.read.number(name, least) if self.obj.get(name) is not None else default

    def _phase(self) -> Phase:
        guess = "gunfight" if self.obj.get("fight") else "auction" if self.obj.get("auction") else "actions"
        found = self.read.one_of("phase", self.obj.get("phase", guess), get_args(Phase), "phase")
        phases: dict[str, Phase] = {phase: phase for phase in get_args(Phase)}
        return phases[found]

    def _seats(self, name: str, value: Json) -> tuple[int, ...]:
        if not isinstance(value, list) or len(set(map(str, value))) < len(value):
            raise BadSetup(f"position: {name!r} must be a list of different seats")
        return tuple(
            self.match.seat_numbers[self.read.one_of(name, s, self.match.seats, "seat")] for s in value
        )

    def _order(self) -> tuple[int, ...]:
        order = self._seats("order", self.obj.get("order") or list(self.match.seats))
        if len(order) != len(self.match.seats):
            raise BadSetup("position: 'order' must name every seat once")
        return order

    def _used(self) -> tuple[str, ...]:
        used = self.obj.get("used_boxes") or []
        known = [box.id for box in self.match.board.boxes]
        if not isinstance(used, list):
            raise BadSetup("position: 'used_boxes' must be a list of action boxes")
        for box in used:
            self.read.one_of("used_boxes", box, known, "action box")
        return tuple(box for box in known if box in used)

    def _auction(self, position: Position) -> Position:
        auction = self.obj.get("auction") or {}
        if not isinstance(auction, dict) or set(auction) - {"bids", "dropped"}:
            raise BadSetup("position: 'auction' has the members 'bids' and 'dropped'")
        dropped = self._seats("dropped", auction.get("dropped") or [])
        if len(dropped) >= len(position.order):
            raise BadSetup("position: an auction is over when one is left (B10)")
        return replace(position, bids=self.counts("bids", position.bids, auction), dropped=dropped)

    def _active(self, position: Position) -> int:
        if position.phase == "over" or (position.phase == "chance" and not self.obj.get("fight")):
            return NOBODY
        name = self.obj.get("active")
        if name is None and self.obj.get("fight"):
            name = self.read.under("fight").obj.get("attacker")
        if name is not None:
            return self.match.seat_numbers[self.read.one_of("active", name, self.match.seats, "seat")]
        return next(seat for seat in position.order if seat not in position.dropped)

    # towns

    def _towns(self) -> tuple[Town, ...]:
        towns = self.obj.get("towns") or {}
        if not isinstance(towns, dict):
            raise BadSetup("position: 'towns' must be an object of towns")
        for name in towns:
            self.read.one_of("towns", name, self.match.board.numbers, "town")
        return tuple(self._town(plan.id, towns.get(plan.id) or {}) for plan in self.match.board.towns)

    def _town(self, name: str, obj: Json) -> Town:
        if not isinstance(obj, dict):
            raise BadSetup(f"position, {name}: a town is an object, found {obj!r}")
        read = Reader(self.match, obj, f"position, {name}")
        read.members([], ["cowboys", "cattle", "assets", "farmer", "sheriff_down"])
        assets = [NOBODY] * len(ASSETS)
        owners = obj.get("assets") or {}
        if not isinstance(owners, dict):
            raise BadSetup(f"position, {name}: 'assets' must be an object of seats by asset")
        for asset, owner in owners.items():
            read.one_of("assets", asset, ASSETS, "asset")
            if owner is not None:
                assets[ASSET_NUMBER[asset]] = self._seat(read, "assets", owner)
        zeros = [0] * len(self.match.seats)
        return Town(
            cowboys=self.counts("cowboys", zeros, obj),
            cattle=self.counts("cattle", zeros, obj),
            assets=tuple(assets),
            farmer=NOBODY if obj.get("farmer") is None else self._seat(read, "farmer", obj["farmer"]),
            sheriff_down=bool(obj.get("sheriff_down", False)),
        )

    def _seat(self, read: Reader, name: str, value: Json) -> int:
        return self.match.seat_numbers[read.one_of(name, value, self.match.seats, "seat")]

    # the gunfight

    def _fight(self, towns: tuple[Town, ...]) -> Fight:
        read = self.read.under("fight")
        read.members(["town", "attacker", "target"], _FIGHT_MEMBERS)
        town = self.match.board.numbers[read.town("town")]
        target = target_from_reader(read.under("target"))
        defender = self._defender(read, target_owner(towns, town, target, self.match.seat_numbers))
        attacker = self._seat(read, "attacker", read.obj["attacker"])
        if defender == NOBODY and not isinstance(target, FarmerTarget):
            raise BadSetup("position, fight: the target is not in the town")
        fight = Fight(town, attacker, defender, target, 0, 0, plan=self._plan(read))
        fight = replace(fight, sheriff=_choice(read, "sheriff", {"attack": "attack", "defence": "defence"}))
        fight = with_strengths(towns[town], fight)
        if read.obj.get("attack") is not None:
            fight = replace(fight, attack=read.number("attack", 0))
        if read.obj.get("defence") is not None:
            fight = replace(fight, defence=read.number("defence", 0))
        return self._stage(read, fight)

    def _defender(self, read: Reader, owner: int) -> int:
        """The seat named; it may own the target no longer, when only the Wanted counter is missing."""
        name = read.obj.get("defender")
        if name is None or name == "farmer":
            return owner if name is None else NOBODY
        return self._seat(read, "defender", name)

    def _plan(self, read: Reader) -> Plan | None:
        if read.obj.get("plan") is None:
            return None
        plan = read.under("plan")
        plan.members(["retreat_below", "to"])
        return Plan(plan.number("retreat_below", 0), plan.towns("to"))

    def _stage(self, read: Reader, fight: Fight) -> Fight:
        """Who is asked what, or whose dice are missing."""
        asks: Ask | None = _choice(read, "asks", {question: question for question in get_args(Ask)})
        asking = asks in ("ask-sheriff", "lend-sheriff")
        rolls = _choice(read, "rolls", {"attack": "attack", "defence": "defence", "robbery": "robbery"})
        if asks is None and rolls is None:
            raise BadSetup("position, fight: 'asks' must say what is asked")
        equal = fight.attack == fight.defence
        weaker: Side = "attack" if fight.attack < fight.defence else "defence"
        names = {self.match.seats[fight.attacker]: "attack", "both": "both"}
        names["farmer" if fight.defender == NOBODY else self.match.seats[fight.defender]] = "defence"
        first: Literal["attack", "defence", "both"] | None = None if asking else _choice(read, "first", names)
        seat = read.obj.get("seat")
        fight = replace(
            fight,
            first=first or (None if asking else "both" if equal else weaker),
            round=self._at_least(read, "round", 0 if asking else 1),
            asks=asks,
            rolls=rolls,
            seat=NOBODY if seat is None else self._seat(read, "seat", seat),
            left=bool(read.obj.get("left", False)),
            hits=self._at_least(read, "hits", 0),
        )
        return fight if fight.seat != NOBODY or asks is None else replace(fight, seat=_asked(fight))

    def _at_least(self, read: Reader, name: str, default: int) -> int:
        return read.number(name, 0) if read.obj.get(name) is not None else default

    # what cannot be

    def _check(self, position: Position) -> None:
        for at, (plan, town) in enumerate(zip(self.match.board.towns, position.towns, strict=True)):
            if town.corrals_taken > plan.corrals:
                raise BadSetup(
                    f"position, {plan.id}: {town.corrals_taken} corral boxes taken of {plan.corrals} (D2)"
                )
            if town.size > plan.buildings:
                raise BadSetup(
                    f"position, {plan.id}: {town.size} assets in {plan.buildings} building boxes (F1)"
                )
            if town.sheriff_down and town.owner("jail") == NOBODY:
                raise BadSetup(f"position, {plan.id}: sheriff_down without a jail (K10)")
            self._check_fight(position, at)
        for seat, name in enumerate(self.match.seats):
            short = [what for what in COUNTERS if stock(self.match, position, seat, what) < 0]
            if short:
                raise BadSetup(f"position: {name} has more {short[0]} counters than there are (A10)")

    def _check_fight(self, position: Position, town: int) -> None:
        fight = position.fight
        over = fight is not None and (fight.asks in ("leave-town", "take-wanted") or fight.rolls == "robbery")
        if fight is None or fight.town != town or over:
            return
        there = position.towns[town].cowboys
        beyond = (
            fight.attack - there[fight.attacker],
            fight.defence - (0 if fight.defender == NOBODY else there[fight.defender]),
        )
        most = int(fight.sheriff == "attack"), 1 + (fight.sheriff == "defence")
        if not (0 <= beyond[0] <= most[0] and 0 <= beyond[1] <= most[1]):
            raise BadSetup("position, fight: strengths do not agree with the cowboys in the town (J7 to J15)")


def _choice(read: Reader, name: str, known: dict[str, Any]) -> Any:
    value = read.obj.get(name)
    if value is None or (name == "sheriff" and value == "none"):
        return None
    return known[read.one_of(name, value, known, name)]


def _asked(fight: Fight) -> int:
    """Whom a question goes to that does not say it: the defender, or for the other questions the attacker."""
    return fight.defender if fight.asks == "ask-sheriff" else fight.attacker
