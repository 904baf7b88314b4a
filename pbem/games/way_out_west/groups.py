"""Legal actions in groups, for people: combinations in one line each, with prices and odds.

``legal`` has hundreds of ways to move cowboys and dozens to buy them; a person wants to know how many, from where, to
where, for how much. The words are those to type, with ``N`` and ``TOWN`` where a choice is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from pbem.base.sentences import dollars, sentence
from pbem.game import JsonObject, Seat
from pbem.games.ordering import Offer
from pbem.games.touching import Moved, Touch
from pbem.games.way_out_west.actions import Gunfight
from pbem.games.way_out_west.odds import odds
from pbem.games.way_out_west.order_words import PRESETS
from pbem.games.way_out_west.player import imagined_fight, wishes
from pbem.games.way_out_west.position_json import action_from_json
from pbem.games.way_out_west.state import Match, Position, View
from pbem.games.way_out_west.words import action_to_words


def grouped(
    match: Match, position: Position, seat: int, actions: Sequence[JsonObject]
) -> list[tuple[str, str]]:
    """The legal ``actions`` in groups: what is typed, and what it means, costs or promises (a sentence or nothing)."""
    kinds: defaultdict[str, list[JsonObject]] = defaultdict(list)
    for action in actions:
        kinds[action["do"]].append(action)
    rows: list[tuple[str, str]] = []
    for do, forms in kinds.items():
        grouped_rows = _GROUPS[do](match, position, seat, forms) if do in _GROUPS else None
        rows += [(action_to_words(action), "") for action in forms] if grouped_rows is None else grouped_rows
    return rows


Group = Callable[[Match, Position, int, list[JsonObject]], list[tuple[str, str]]]


def _per_counter(match: Match, position: Position, kind: str) -> str:
    """The price of one counter in the free boxes of this kind."""
    prices = [box.per_counter for box in match.boxes if box.kind == kind and box.id not in position.used]
    return sentence("{amount} each", amount=dollars(min(prices, default=0)))


def _bids(match: Match, position: Position, seat: int, forms: list[JsonObject]) -> list[tuple[str, str]]:
    del match, position, seat
    amounts = [action["amount"] for action in forms]
    least, most = dollars(min(amounts)), dollars(max(amounts))
    return [("bid N", sentence("N from {least} to {most}", least=least, most=most))]


def _bought(match: Match, position: Position, seat: int, forms: list[JsonObject]) -> list[tuple[str, str]]:
    del seat
    do = str(forms[0]["do"])
    towns = sorted({town for action in forms for town in action["towns"]})
    most = max(len(action["towns"]) for action in forms)
    words = f"{do} TOWN{' [TOWN]' * (most - 1)}"
    return [
        (words, sentence("{price}: {names}", price=_per_counter(match, position, do), names=", ".join(towns)))
    ]


def _built(match: Match, position: Position, seat: int, forms: list[JsonObject]) -> list[tuple[str, str]]:
    del seat
    towns: defaultdict[str, list[str]] = defaultdict(list)
    for action in forms:
        towns[action["asset"]].append(action["town"])
    prices = {box.asset: box.price for box in match.boxes if box.asset and box.id not in position.used}
    return [
        (
            f"build {asset} TOWN",
            sentence("{price}: {names}", price=dollars(prices.get(asset, 0)), names=", ".join(where)),
        )
        for asset, where in towns.items()
    ]


def _moved(match: Match, position: Position, seat: int, forms: list[JsonObject]) -> list[tuple[str, str]]:
    moved = [action["moves"] for action in forms]
    most = max(sum(move["count"] for move in moves) for moves in moved)
    origins = [
        f"{name} {town.cowboys[seat]}"
        for name, town in zip(match.town_ids, position.towns, strict=True)
        if town.cowboys[seat]
    ]
    text = sentence("up to {most}: {names} → any other town", most=most, names=", ".join(origins))
    return [("move-cowboys N from TOWN to TOWN[, N from TOWN to TOWN …]", text)]


def _cattle_moved(
    match: Match, position: Position, seat: int, forms: list[JsonObject]
) -> list[tuple[str, str]]:
    del match, position, seat
    ways: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for action in forms:
        ways[action["from"], action.get("seat", "")].append(action["to"])
    return [
        (f"move-cattle from {begin} to TOWN{f' of {owner}' if owner else ''}", " | ".join(to))
        for (begin, owner), to in ways.items()
    ]


def _fought(match: Match, position: Position, seat: int, forms: list[JsonObject]) -> list[tuple[str, str]]:
    """Each target with the strengths as they would be, a third player's sheriff helping the defence."""
    rows: list[tuple[str, str]] = []
    for form in forms:
        action = action_from_json(match, form, bulk=True)
        assert isinstance(action, Gunfight)  # noqa: S101 - its "do" said so
        fight = imagined_fight(match, position, seat, action)
        chance = (
            odds(fight.attack, fight.defence).attack
            if fight.attack and fight.defence
            else int(fight.attack > 0)
        )
        text = sentence(
            "{attack} against {defence}: wins {percent} %",
            attack=fight.attack,
            defence=fight.defence,
            percent=round(100 * chance),
        )
        rows.append((action_to_words(form), text))
    return rows


_GROUPS: Final[dict[str, Group]] = {
    "bid": _bids,
    "cattle": _bought,
    "cowboys": _bought,
    "build": _built,
    "move-cowboys": _moved,
    "move-cattle": _cattle_moved,
    "gunfight": _fought,
}


# --- offers -----------------------------------------------------------------------------------------------
#
# Orders that most people would give: answers in gunfights, the next auction, the second action of a turn.
#
# They follow from the public view alone (``pbem.games.ordering.Offering``). Where cash is hidden
# everybody counts as having what they began with: the first of the named actions that is possible is taken,
# and only the rules know which that is.

_MOST_NAMED: Final = 3


def common_orders(
    match: Match, public: View | None, seat: Seat, turn: JsonObject, done: Sequence[JsonObject]
) -> tuple[Offer, ...]:
    """Gunfights and the auction always; behind the first action of a turn the second, before them."""
    offers = (
        Offer(
            "fights",
            sentence(
                "in gunfights: ask for the sheriff, lend yours to nobody, fire while the chance to win is one in "
                "six or better, else retreat"
            ),
            _fights(match, seat),
        ),
        Offer("auction", sentence("in the next auctions: bid nothing"), PRESETS["no-bids"].rules),
    )
    if public is None:
        return offers
    number = match.seats.index(seat)
    position = public.position
    if position.phase != "actions" or position.tokens[number] != 2 or len(done) != 1:
        return offers
    cash = tuple(money if at in public.shown else match.start_cash for at, money in enumerate(position.cash))
    wanted = [action for action in wishes(match, position._replace(cash=cash), number) if action != done[0]]
    if not wanted:
        return offers
    this = {"epoch": turn["epoch"], "number": turn["number"]}
    do = {"do": "first-of", "actions": [*wanted, *([] if {"do": "pass"} in wanted else [{"do": "pass"}])]}
    rule: JsonObject = {"when": "actions", "turn": this, "if": {"tokens": 1}, "do": do}
    words = sentence(
        "as your second action, the first of these that is possible: {names}; else pass",
        names="; ".join(action_to_words(action) for action in wanted[:_MOST_NAMED]),
    )
    return Offer("second", words, (rule,)), *offers


def _fights(match: Match, seat: Seat) -> tuple[JsonObject, ...]:
    """An answer to everything that a gunfight asks."""
    others = [other for other in match.seats if other != seat]
    return (
        *PRESETS["ask-always"].rules,
        *PRESETS["lend-never"].rules,
        *PRESETS["retreat-hopeless"].rules,
        {"when": "leave-town", "do": {"do": "leave-town", "to": [town.id for town in match.board.towns]}},
        {"when": "take-wanted", "do": {"do": "take-wanted", "from": others}},
    )


# --- touching ---------------------------------------------------------------------------------------------
#
# Way Out West by touch (``pbem.games.touching.Touching``): a box, then the towns of what is bought, built
# or moved.

_BOX_ROWS: Final[dict[str, tuple[str, ...]]] = {
    "cattle": ("D1", "D2", "D3", "D6"),
    "cowboys": ("E1", "E2", "E3"),
    "move-cowboys": ("G1", "G2"),
    "move-cattle": ("H1", "H2", "H4"),
    "gunfight": ("J1", "J2", "L1", "L3"),
    "farmer": ("N1", "N2", "N3"),
}


def town(name: str) -> str:
    """A town of the map."""
    return f"town:{name}"


def seat_part(seat: str) -> str:
    """A player."""
    return f"seat:{seat}"


def touched(shown: JsonObject, action: JsonObject) -> Touch:
    """A town, a bid or a yes; in the action phase the box, its towns, and what is said in advance."""
    del shown
    do = action["do"]
    named = (f"use:{action['box']}",) if "box" in action else ()
    if do == "place-cowboy":
        return Touch((town(action["town"]),))
    if do == "bid":
        return Touch((f"bid:{action['amount']}",))
    if do in ("drop-out", "fire", "pass"):
        return Touch((f"do:{do}", *named))
    if do in ("ask-sheriff", "lend-sheriff"):
        return Touch(("say:yes" if action.get("ask", action.get("lend")) else "say:no",))
    if do == "retreat":
        return Touch(("do:retreat",), tuple((town(to),) for to in action["to"]))
    if do == "leave-town":
        rides = [(town(move["to"]),) for move in action["moves"] for _ in range(move["count"])]
        return Touch((), tuple(rides)) if rides else Touch(("do:leave",))
    if do == "take-wanted":
        return Touch((seat_part(action["from"]),))
    return _box_touch(do, action, named)


def held(shown: JsonObject, summary: JsonObject) -> Sequence[tuple[str, int]]:
    """The action boxes by what they are for, each with how many of them are free."""
    del shown
    free: dict[str, int] = {}
    for box in summary["boxes"]:
        part = "box:" + (f"build/{box['asset']}" if box["asset"] else box["kind"].replace("_", "-"))
        free[part] = free.get(part, 0) + (not box["used"])
    return list(free.items())


def _box_touch(do: str, action: JsonObject, named: tuple[str, ...]) -> Touch:
    """What a box does; several counters in any order."""
    box = f"box:{do}"
    if do in ("cattle", "cowboys"):
        bought = tuple((town(to),) for to in action["towns"])
        return Touch((box,), bought, named) if bought else Touch((box, "do:block", *named))
    if do == "move-cowboys":
        rides = [
            (town(move["from"]), town(move["to"])) for move in action["moves"] for _ in range(move["count"])
        ]
        return Touch((box,), tuple(rides), named) if rides else Touch((box, "do:block", *named))
    if do == "build":
        return Touch((f"box:build/{action['asset']}", town(action["town"]), *named))
    if do == "move-cattle":
        whose = (seat_part(action["seat"]),) if "seat" in action else ()
        return Touch((box, town(action["from"]), town(action["to"]), *whose, *named))
    if do == "farmer":
        replaced = (seat_part(action["replace"]),) if "replace" in action else ()
        return Touch((box, town(action["town"]), *replaced, *named))
    return Touch((box, town(action["town"]), *_aim(action["target"]), *_plan(action.get("plan")), *named))


def _aim(target: JsonObject) -> tuple[str, ...]:
    if "asset" in target:
        return (f"target:{target['asset']}",)
    if "farmer" in target:
        return ("target:farmer",)
    return (seat_part(target["seat"]), f"cattle:{target['cattle']}")


def _plan(plan: JsonObject | None) -> tuple[str, ...]:
    return () if plan is None else (f"below:{plan['retreat_below']}", *map(town, plan["to"]))


def meant(shown: JsonObject, part: str) -> JsonObject | None:
    """Nothing that the rules would have to judge: what a box is for says itself."""
    del shown, part
    return None


def moved(event: JsonObject) -> Sequence[Moved]:
    """Counters that went from player or town to another."""
    kind, seat = event["event"], seat_part(event.get("seat", ""))
    if kind == "placed":
        return (Moved(seat, town(event["town"]), event["what"]),)
    if kind == "moved":
        return (Moved(town(event["from"]), town(event["to"]), event["what"], event["count"]),)
    if kind == "returned":
        return (Moved(town(event["town"]), seat, event["what"], event["count"]),)
    if kind == "captured":
        return (Moved(seat_part(event["from"]), seat, event["what"]),)
    if kind == "toll":
        return (Moved(town(event["town"]), seat_part(event["to"])),)
    return ()


def rows_about(part: str) -> Sequence[str]:
    """What a box or a place is for."""
    kind, _, name = part.partition(":")
    if kind == "box":
        return _BOX_ROWS.get(name, ("F1", "F2", "F3"))
    return ("D3", "D6", "Q3") if kind == "town" else ("C2", "Q6", "Q7")
