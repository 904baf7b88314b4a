"""Positions ⇄ JSON (schemas/way-out-west/position.schema.json): every default written, every default understood.

What is nobody or not there (``active``, a ``farmer``, the ``fight``) is left out, never null (schemas/README.md §1.1).

Members beyond what lies on the table, each only where it is needed to go on from the JSON alone: in ``fight`` the
attacker's ``plan``, ``left`` (``retreat_garrison=fights_on``), and in phase ``chance`` ``rolls`` and ``hits``;
on top ``jails_lost`` (``jail_fate=out_of_game``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Final, Literal

from pbem.base.sentences import joined, sentence
from pbem.base.shapes.schema import narrowed
from pbem.game import BadSetup, Json, JsonObject, MalformedAction
from pbem.games.way_out_west import actions, state
from pbem.games.way_out_west.board import ASSETS, COUNTERS
from pbem.games.way_out_west.results import with_strengths
from pbem.games.way_out_west.scoring import SOURCES, controller, income_of, points_of

# --- writing ----------------------------------------------------------------------------------------------


def position_to_json(match: state.Match, position: state.Position, shown: Iterable[int]) -> JsonObject:
    """The position with every default; ``cash`` only of the seats ``shown``."""
    names = match.seats
    obj: JsonObject = {
        "space": position.space,
        "phase": position.phase,
        "order": [names[seat] for seat in position.order],
        "active": None if position.active == state.NOBODY else names[position.active],
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
    return _without_nulls(obj)


def _without_nulls(obj: JsonObject) -> JsonObject:
    return {name: value for name, value in obj.items() if value is not None}


def _by_seat(match: state.Match, counts: Sequence[int]) -> JsonObject:
    return dict(zip(match.seats, counts, strict=True))


def _some(match: state.Match, counts: Sequence[int]) -> JsonObject:
    return {seat: count for seat, count in zip(match.seats, counts, strict=True) if count}


def _town_to_json(match: state.Match, town: state.Town) -> JsonObject:
    owners = zip(ASSETS, town.assets, strict=True)
    return _without_nulls(
        {
            "cowboys": _some(match, town.cowboys),
            "cattle": _some(match, town.cattle),
            "assets": {asset: match.seats[owner] for asset, owner in owners if owner != state.NOBODY},
            "farmer": None if town.farmer == state.NOBODY else match.seats[town.farmer],
            "sheriff_down": town.sheriff_down,
        }
    )


def _fight_to_json(match: state.Match, fight: state.Fight) -> JsonObject:
    def name(seat: int, nobody: str | None) -> str | None:
        return nobody if seat == state.NOBODY else match.seats[seat]

    sides = {"attack": match.seats[fight.attacker], "defence": name(fight.defender, "farmer"), "both": "both"}
    obj: JsonObject = {
        "town": match.board.towns[fight.town].id,
        "attacker": match.seats[fight.attacker],
        "defender": name(fight.defender, "farmer"),
        "target": actions.target_to_json(fight.target),
        "attack": fight.attack,
        "defence": fight.defence,
        "first": None if fight.first is None else sides[fight.first],
        "round": fight.round,
        "asks": fight.asks,
        "seat": name(fight.seat, None),
        "sheriff": fight.sheriff or "none",
    }
    if fight.plan is not None:
        obj["plan"] = actions.plan_to_json(fight.plan)
    if fight.left:
        obj["left"] = True
    if fight.rolls is not None:
        obj |= {"rolls": fight.rolls, "hits": fight.hits}
    return _without_nulls(obj)


# --- reading ----------------------------------------------------------------------------------------------


def position_from_json(match: state.Match, obj: Json, hidden: int, *, bulk: bool = False) -> state.Position:
    """The position a JSON object describes; what it leaves out is the default.

    ``hidden`` is the cash of seats that are not named (0 in a view with ``money_public=false``); ``bulk``: it comes out
    of a record.

    Raises:
        BadSetup: if it has not the form of ``position.schema.json``, or shows what no table can.
    """
    fault = narrowed("way-out-west/position", match.words).fault(obj, bulk=bulk)
    if fault is not None:
        raise BadSetup(fault.describe("position"))
    return _PositionReader(match, obj, hidden).position()


def lying_from_json(match: state.Match, obj: JsonObject) -> state.Position:
    """What lies on the table of a view, for counting: towns, money, Wanted counters; of the rest only its defaults."""
    lying: JsonObject = {name: obj[name] for name in ("towns", "cash", "wanted", "jails_lost") if name in obj}
    return _PositionReader(match, lying, 0).position(checked=False)


class _PositionReader:
    """Reads one position object of the right form."""

    def __init__(self, match: state.Match, obj: JsonObject, cash: int) -> None:
        self.match = match
        self.obj = obj
        self.cash = cash

    def position(self, *, checked: bool = True) -> state.Position:
        towns = tuple(map(self._town, self.match.town_ids))
        seats = range(len(self.match.seats))
        order = self.seats(self.obj.get("order") or self.match.seats)
        if len(order) != len(seats):
            raise BadSetup("position: 'order' must name every seat once")
        on_map = [sum(town.farmer == seat for town in towns) for seat in seats]
        auction = self.obj.get("auction", {})
        dropped = self.seats(auction.get("dropped", ()))
        if len(dropped) >= len(order):
            raise BadSetup("position: an auction is over when one is left (B10)")
        phase = self._phase()
        fight = self._fight(towns, self.obj["fight"]) if self.obj.get("fight") else None
        used = self.obj.get("used_boxes", ())
        position = state.Position(
            space=self.obj.get("space", self.match.start_space),
            phase=phase,
            order=order,
            active=self._active(phase, [seat for seat in order if seat not in dropped]),
            cash=self.counts(self.obj.get("cash"), [self.cash] * len(seats)),
            wanted=self.counts(self.obj.get("wanted")),
            farmers=self.counts(
                self.obj.get("farmers"), [max(0, self.match.board.farmers - number) for number in on_map]
            ),
            tokens=self.counts(self.obj.get("tokens"), [state.TOKENS] * len(seats)),
            used=tuple(box.id for box in self.match.board.boxes if box.id in used),
            towns=towns,
            bids=self.counts(auction.get("bids")),
            dropped=dropped,
            jails_lost=self.counts(self.obj.get("jails_lost")),
            fight=fight,
        )
        if checked:
            self._check(position)
        return position

    # members

    def counts(self, table: JsonObject | None, default: Sequence[int] = ()) -> tuple[int, ...]:
        """A table of numbers by seat; seats that it leaves out have the default, without one 0."""
        counts = list(default or [0] * len(self.match.seats))
        for seat, count in (table or {}).items():
            counts[self.match.seat_numbers[seat]] = count
        return tuple(counts)

    def seats(self, names: Iterable[str]) -> tuple[int, ...]:
        """The numbers of these seats."""
        return tuple(self.match.seat_numbers[name] for name in names)

    def seat(self, name: str | None) -> int:
        """The number of this seat; of nobody, and of a farmer, ``NOBODY``."""
        return self.match.seat_numbers.get(name or "", state.NOBODY)

    def _phase(self) -> state.Phase:
        guess: state.Phase = (
            "gunfight" if self.obj.get("fight") else "auction" if self.obj.get("auction") else "actions"
        )
        phase: state.Phase = self.obj.get("phase", guess)
        return phase

    def _active(self, phase: state.Phase, able: Sequence[int]) -> int:
        fight = self.obj.get("fight")
        if phase == "over" or (phase == "chance" and not fight):
            return state.NOBODY
        named = self.obj.get("active") or (fight and fight["attacker"])
        return self.seat(named) if named else able[0]

    def _town(self, name: str) -> state.Town:
        obj = self.obj.get("towns", {}).get(name, {})
        owners = obj.get("assets", {})
        return state.Town(
            cowboys=self.counts(obj.get("cowboys")),
            cattle=self.counts(obj.get("cattle")),
            assets=tuple(self.seat(owners.get(asset)) for asset in ASSETS),
            farmer=self.seat(obj.get("farmer")),
            sheriff_down=obj.get("sheriff_down", False),
        )

    # the gunfight

    def _fight(self, towns: tuple[state.Town, ...], obj: JsonObject) -> state.Fight:
        town, target = self.match.board.numbers[obj["town"]], read_target(obj["target"])
        owner = state.target_owner(towns, town, target, self.match.seat_numbers)
        # the seat that is named may own the target no longer, when only the Wanted counter is missing
        defender = self.seat(obj["defender"]) if "defender" in obj else owner
        if defender == state.NOBODY and not isinstance(target, actions.FarmerTarget):
            raise BadSetup("position, fight: the target is not in the town")
        fight = state.Fight(town, self.seat(obj["attacker"]), defender, target, 0, 0, plan=read_plan(obj))
        sheriff = obj.get("sheriff", "none")
        fight = with_strengths(towns[town], fight._replace(sheriff=None if sheriff == "none" else sheriff))
        fight = fight._replace(
            attack=obj.get("attack", fight.attack), defence=obj.get("defence", fight.defence)
        )
        return self._stage(obj, fight)

    def _stage(self, obj: JsonObject, fight: state.Fight) -> state.Fight:
        """Who is asked what, or whose dice are missing."""
        asks: state.Ask | None = obj.get("asks")
        if asks is None and "rolls" not in obj:
            raise BadSetup("position, fight: 'asks' must say what is asked")
        asking = asks in ("ask-sheriff", "lend-sheriff")
        fight = fight._replace(
            first=None if asking else self._first(obj, fight),
            round=obj.get("round", 0 if asking else 1),
            asks=asks,
            rolls=obj.get("rolls"),
            seat=self.seat(obj.get("seat")),
            left=obj.get("left", False),
            hits=obj.get("hits", 0),
        )
        return fight if fight.seat != state.NOBODY or asks is None else fight._replace(seat=_asked(fight))

    def _first(self, obj: JsonObject, fight: state.Fight) -> state.Side | Literal["both"]:
        """Who fires first: as given, or else the weaker side."""
        if "first" not in obj:
            weaker: state.Side = "attack" if fight.attack < fight.defence else "defence"
            return "both" if fight.attack == fight.defence else weaker
        sides: dict[int, state.Side] = {fight.attacker: "attack", fight.defender: "defence"}
        if obj["first"] == "both":
            return "both"
        side = sides.get(self.seat(obj["first"]))
        if side is None:
            raise BadSetup(f"position, fight: 'first': {obj['first']} does not fight")
        return side

    # what cannot be

    def _check(self, position: state.Position) -> None:
        for at, (plan, town) in enumerate(zip(self.match.board.towns, position.towns, strict=True)):
            if town.corrals_taken > plan.corrals:
                raise BadSetup(
                    f"position, {plan.id}: {town.corrals_taken} corral boxes taken of {plan.corrals} (D2)"
                )
            if town.size > plan.buildings:
                raise BadSetup(
                    f"position, {plan.id}: {town.size} assets in {plan.buildings} building boxes (F1)"
                )
            if town.sheriff_down and town.owner("jail") == state.NOBODY:
                raise BadSetup(f"position, {plan.id}: sheriff_down without a jail (K10)")
            self._check_fight(position, at)
        for seat, name in enumerate(self.match.seats):
            short = [counter for counter in COUNTERS if state.stock(self.match, position, seat, counter) < 0]
            if short:
                raise BadSetup(f"position: {name} has more {short[0]} counters than there are (A10)")

    def _check_fight(self, position: state.Position, town: int) -> None:
        fight = position.fight
        over = fight is not None and (fight.asks in ("leave-town", "take-wanted") or fight.rolls == "robbery")
        if fight is None or fight.town != town or over:
            return
        cowboys = position.towns[town].cowboys
        beyond = (
            fight.attack - cowboys[fight.attacker],
            fight.defence - (0 if fight.defender == state.NOBODY else cowboys[fight.defender]),
        )
        most = int(fight.sheriff == "attack"), 1 + (fight.sheriff == "defence")
        if not (0 <= beyond[0] <= most[0] and 0 <= beyond[1] <= most[1]):
            raise BadSetup("position, fight: strengths do not agree with the cowboys in the town (J7 to J15)")


def _asked(fight: state.Fight) -> int:
    """Whom a question goes to that does not say it: the defender, or for the other questions the attacker."""
    return fight.defender if fight.asks == "ask-sheriff" else fight.attacker


# --- actions, from JSON -----------------------------------------------------------------------------------
#
# JSON → actions. What an action may look like is said by ``schemas/way-out-west/action.schema.json``.
#
# Here stand what a schema cannot say: that an empty list is nothing unless boxes may be blocked, that
# unordered lists have one order, and which rule rows a form breaks that the schema forbids already (a bid
# of 0).


def action_from_json(match: state.Match, obj: Json, *, bulk: bool = False) -> actions.Action:
    """The action an object stands for; ``MalformedAction`` if it stands for none; ``bulk`` as for ``Rules``."""
    fault = narrowed("way-out-west/action", match.words).fault(obj, bulk=bulk)
    if fault is not None:
        do = str(obj["do"]) if "do" not in fault.names and isinstance(obj, dict) and "do" in obj else ""
        raise MalformedAction(fault.describe(do), _ROWS.get((do, *fault.names), ()))
    return read_action(match, obj)


def read_action(match: state.Match, obj: JsonObject) -> actions.Action:
    """``action_from_json`` for an object of the form that the schema wants."""
    row = _ACTS_ON.get(obj["do"])
    if row is not None and match.options.box_must_act and not obj[row[0]]:
        empty = sentence("{name!r} is empty: a box may not be used without acting", name=row[0])
        raise MalformedAction(joined((obj["do"], empty), ": "), ("C8", row[1]))
    return _READ[obj["do"]](obj)


_ACTS_ON: Final = {"cattle": ("towns", "D1"), "cowboys": ("towns", "E1"), "move-cowboys": ("moves", "G1")}
_ROWS: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    ("bid", "amount"): ("B5", "B4"),
    ("cattle", "towns"): ("D1",),
    ("cowboys", "towns"): ("E1",),
    ("move-cowboys", "moves", "count"): ("C8", "G1"),
    ("gunfight", "target"): ("J18", "J2"),
    ("gunfight", "target", "cattle"): ("J2",),
    ("gunfight", "plan", "to"): ("L13",),
    ("leave-town", "moves"): ("M5",),
    ("leave-town", "moves", "count"): ("M5",),
}
"""The rows that forbid at a place what the schema forbids there."""


def read_target(obj: JsonObject) -> actions.Target:
    """What a gunfight is about."""
    if "asset" in obj:
        return actions.AssetTarget(obj["asset"])
    return actions.CattleTarget(obj["cattle"], obj["seat"]) if "cattle" in obj else actions.FarmerTarget()


def read_plan(obj: JsonObject) -> actions.Plan | None:
    """The member ``plan``, if it is there."""
    return actions.Plan(obj["plan"]["retreat_below"], tuple(obj["plan"]["to"])) if "plan" in obj else None


def _move_cowboys(obj: JsonObject) -> actions.Action:
    moves: Counter[tuple[str, str]] = Counter()
    for move in obj["moves"]:
        moves[move["from"], move["to"]] += move["count"]
    return actions.MoveCowboys(
        tuple(actions.Move(*towns, count) for towns, count in sorted(moves.items())), obj.get("box")
    )


def _leave_town(obj: JsonObject) -> actions.Action:
    moves: Counter[str] = Counter()
    for move in obj["moves"]:
        moves[move["to"]] += move["count"]
    return actions.LeaveTown(tuple(sorted(moves.items())))


def _gunfight(obj: JsonObject) -> actions.Action:
    return actions.Gunfight(obj["town"], read_target(obj["target"]), read_plan(obj), obj.get("box"))


_READ: Final[dict[str, Callable[[JsonObject], actions.Action]]] = {
    "place-cowboy": lambda obj: actions.PlaceCowboy(obj["town"]),
    "bid": lambda obj: actions.Bid(obj["amount"]),
    "drop-out": lambda _: actions.DropOut(),
    "cattle": lambda obj: actions.Cattle(tuple(obj["towns"]), obj.get("box")),
    "cowboys": lambda obj: actions.Cowboys(tuple(obj["towns"]), obj.get("box")),
    "build": lambda obj: actions.Build(obj["asset"], obj["town"], obj.get("box")),
    "move-cowboys": _move_cowboys,
    "move-cattle": lambda obj: actions.MoveCattle(obj["from"], obj["to"], obj.get("seat"), obj.get("box")),
    "gunfight": _gunfight,
    "farmer": lambda obj: actions.Farmer(obj["town"], obj.get("replace"), obj.get("box")),
    "pass": lambda obj: actions.Pass(obj.get("box")),
    "ask-sheriff": lambda obj: actions.AskSheriff(obj["ask"]),
    "lend-sheriff": lambda obj: actions.LendSheriff(obj["lend"]),
    "fire": lambda _: actions.Fire(),
    "retreat": lambda obj: actions.Retreat(tuple(sorted(obj["to"]))),
    "leave-town": _leave_town,
    "take-wanted": lambda obj: actions.TakeWanted(obj["from"]),
}


# --- summary ----------------------------------------------------------------------------------------------
#
# Derived public figures of Way Out West for a person, from the public view's JSON and the rules that
# score it.
#
# ::
#
#     {"towns":  [{"id", "name", "number", "corrals", "filled", "needed", "open", "buildings", "size", "control"}, …]
#      "boxes":  [{"id", "kind", "price", "per_counter", "value", "asset", "used"}, …]     boxes of this match (C6)
#      "income": {seat: {"cattle", "bank", "store", "hotel", "total"}}                 if it were paid now (P4–P9)
#      "next_income": space or null,  "last_space": n
#      "points": {seat: {"assets", "cattle", "control", "cash", "wanted", "total"}}    if the match ended now (Q1–Q7)
#      "stock":  {seat: {"cowboy", "cattle", …}},  "wanted_supply": n}
#
# ``needed`` is how many filled corrals open the next town (D3); ``control`` the seat that would score it,
# or null. Where cash is not public (``money_public=false``) nobody scores for it here.


def summary(match: state.Match, view: JsonObject) -> JsonObject:
    """The figures of this view (or of a seat's)."""
    position = lying_from_json(match, view)
    board = match.board
    later = [space for space in sorted(board.income_spaces) if space >= view["space"]]
    return {
        "towns": [_town(match, position, number) for number in range(len(board.towns))],
        "boxes": [
            {
                "id": box.id,
                "kind": box.kind,
                "asset": box.asset,
                "price": box.price,
                "per_counter": box.per_counter,
                "value": box.value,
                "used": box.id in view.get("used_boxes", ()),
            }
            for box in match.boxes
        ],
        "income": _income(match, position),
        "next_income": later[0] if later else None,
        "last_space": board.last_space,
        "points": _points(match, position, cash_known=len(view.get("cash", {})) == len(match.seats)),
        "stock": {
            seat: {counter: state.stock_on_board(match, position, at, counter) for counter in COUNTERS}
            for at, seat in enumerate(match.seats)
        },
        "wanted_supply": state.wanted_supply(match, position),
    }


def _town(match: state.Match, position: state.Position, number: int) -> JsonObject:
    plan, town = match.board.towns[number], position.towns[number]
    ruler = controller(town)
    return {
        "id": plan.id,
        "name": plan.name,
        "number": number + 1,
        "corrals": plan.corrals,
        "filled": state.filled_corrals(match, town),
        "needed": plan.corrals // 2 + 1,
        "open": state.is_open(match, position.towns, number),
        "buildings": plan.buildings,
        "size": town.size,
        "control": None if ruler == state.NOBODY else match.seats[ruler],
    }


def _income(match: state.Match, position: state.Position) -> JsonObject:
    paid: JsonObject = {seat: {**dict.fromkeys(SOURCES, 0), "total": 0} for seat in match.seats}
    for seat, source, _, amount in income_of(match, position):
        paid[match.seats[seat]][source] += amount
        paid[match.seats[seat]]["total"] += amount
    return paid


def _points(match: state.Match, position: state.Position, *, cash_known: bool) -> JsonObject:
    scores = zip(match.seats, points_of(match, position), strict=True)
    counted = {seat: score if cash_known else replace(score, cash=0) for seat, score in scores}
    return {seat: {**asdict(score), "total": score.total} for seat, score in counted.items()}
