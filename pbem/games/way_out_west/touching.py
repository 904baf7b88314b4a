"""Way Out West by touch (``pbem.games.touching.Touching``): a box, then the towns of what is bought, built or moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pbem.game import JsonObject
from pbem.games.touching import Moved, Touch

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
    return _boxed(do, action, named)


def held(shown: JsonObject, summary: JsonObject) -> Sequence[tuple[str, int]]:
    """The action boxes by what they are for, each with how many of them are free."""
    del shown
    free: dict[str, int] = {}
    for box in summary["boxes"]:
        part = "box:" + (f"build/{box['asset']}" if box["asset"] else box["kind"].replace("_", "-"))
        free[part] = free.get(part, 0) + (not box["used"])
    return list(free.items())


def _boxed(do: str, action: JsonObject, named: tuple[str, ...]) -> Touch:
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
    what, seat = event["event"], seat_part(event.get("seat", ""))
    if what == "placed":
        return (Moved(seat, town(event["town"]), event["what"]),)
    if what == "moved":
        return (Moved(town(event["from"]), town(event["to"]), event["what"], event["count"]),)
    if what == "returned":
        return (Moved(town(event["town"]), seat, event["what"], event["count"]),)
    if what == "captured":
        return (Moved(seat_part(event["from"]), seat, event["what"]),)
    if what == "toll":
        return (Moved(town(event["town"]), seat_part(event["to"])),)
    return ()


def rows_about(part: str) -> Sequence[str]:
    """What a box or a place is for."""
    kind, _, name = part.partition(":")
    if kind == "box":
        return _BOX_ROWS.get(name, ("F1", "F2", "F3"))
    return ("D3", "D6", "Q3") if kind == "town" else ("C2", "Q6", "Q7")
