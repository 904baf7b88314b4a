"""Wyatt Earp by touch (``pbem.games.touching.Touching``): a card of the hand, then where it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from pbem.game import JsonObject
from pbem.games.touching import Moved, Touch
from pbem.games.wyatt_earp.cards import NAMES

SUPPLY: Final = "supply"
DISCARD: Final = "discard"
_ROWS: Final[dict[str, tuple[str, ...]]] = {
    "bank-robbery": ("K1", "K2", "K3"),
    "stagecoach-robbery": ("K1", "K2", "K3"),
    "fastest-gun": ("L1", "L2", "L4"),
    "most-wanted": ("M2", "M4", "M9", "M10"),
    "hideout": ("N1", "N2", "N3"),
    "wyatt-earp": ("O2", "O5", "O12", "O13"),
}


def hand(card: str) -> str:
    """A card that one holds."""
    return f"hand:{card}"


def poster(outlaw: str) -> str:
    """An Outlaw's poster, with the groups that lie at it."""
    return f"poster:{outlaw}"


def seat_part(seat: str) -> str:
    """A player."""
    return f"seat:{seat}"


def touched(shown: JsonObject, action: JsonObject) -> Touch:
    """A draw is its pile; a discard the card alone; every other play of a card the card and where it goes."""
    do = action["do"]
    if do == "draw":
        return Touch((action["from"],))
    if do == "discard":
        return Touch((hand(action["card"]),))
    if do == "lay":
        return Touch((hand(action["outlaw"]), poster(action["outlaw"]), *_fewer(shown, action)))
    if do == "photo":
        return Touch((hand(f"photo:{action['outlaw']}"), poster(action["outlaw"])))
    if do == "react":
        return Touch((hand("wyatt-earp"),) if action["with"] == "wyatt-earp" else ("do:pass",))
    if do == "choose":
        return Touch(_chosen(action))
    return Touch((hand(do), *_played(action)))


def _own(shown: JsonObject) -> list[str]:
    """The own hand."""
    return next((cards for cards in shown["hands"].values() if isinstance(cards, list)), [])


def held(shown: JsonObject, summary: JsonObject) -> Sequence[tuple[str, int]]:
    """The hand by kind: Outlaws as the posters lie, then their Photos, then the others."""
    del summary
    count = Counter(_own(shown))
    return [(hand(card), count[card]) for card in sorted(count, key=NAMES.index)]


def _fewer(shown: JsonObject, action: JsonObject) -> tuple[str, ...]:
    """All cards of a kind lie down at once; fewer are asked for."""
    return () if _own(shown).count(action["outlaw"]) == action["count"] else (f"count:{action['count']}",)


def _aim(action: JsonObject, outlaw: str) -> tuple[str, ...]:
    """An Outlaw, then whose group."""
    on = (poster(action[outlaw]),) if outlaw in action else ()
    return (*on, seat_part(action["seat"])) if "seat" in action else on


def _played(action: JsonObject) -> tuple[str, ...]:
    """Behind the card: a target named in advance, else how it is played."""
    if "ask" in action:
        order = map(seat_part, action.get("order", ()))
        return (poster(action["ask"]), f"way:{action['direction']}", *order)
    if "steal" in action:
        return ("do:steal", *_aim(action, "outlaw"))
    mode = action.get("mode")
    if mode == "draw":
        return (SUPPLY,)
    if mode == "search":
        return ("do:search", *(f"card:{card}" for card in action.get("take", ())))
    return _aim(action, "on") or (("do:remove-hideout",) if mode else ("do:shoot",))


def _chosen(action: JsonObject) -> tuple[str, ...]:
    if "decline" in action:
        return ("do:decline",)
    return (f"card:{action['take']}",) if "take" in action else _aim(action, "on")


def meant(shown: JsonObject, part: str) -> JsonObject | None:
    """A pile is drawn from, a card of the hand is discarded, at a poster a card is laid."""
    del shown
    kind, _, name = part.partition(":")
    if part in (SUPPLY, DISCARD):
        return {"do": "draw", "from": part}
    if kind == "poster":
        return {"do": "lay", "outlaw": name, "count": 1}
    return {"do": "discard", "card": name} if kind == "hand" else None


def moved(event: JsonObject) -> Sequence[Moved]:
    """Cards that went from pile, hand and poster to another."""
    what, seat = event["event"], seat_part(event.get("seat", ""))
    if what == "drew":
        return (Moved(event["from"], seat, event.get("card", ""), event["count"]),)
    if what == "laid":
        return (Moved(seat, poster(event["outlaw"]), event["outlaw"], event["count"]),)
    if what == "photo-played":
        return (Moved(seat, poster(event["outlaw"]), f"photo:{event['outlaw']}"),)
    if what in ("shot", "duel-draw"):
        return (Moved(SUPPLY, DISCARD, event["card"]),)
    if what == "attached":
        return (Moved(seat, poster(event["outlaw"]), event["card"]),)
    if what == "discarded":
        return (Moved(seat, DISCARD, event["card"]),)
    if what == "given":
        return (Moved(seat_part(event["from"]), seat_part(event["to"]), event["outlaw"]),)
    if what == "stolen":
        return (Moved(poster(event["outlaw"]), seat, event["outlaw"]),)
    if what == "hidden":
        return (Moved(seat, poster(event["outlaw"]), "hideout"),)
    if what == "found":
        return (Moved(SUPPLY, seat, event.get("card", "")),)
    return ()


def rows_about(part: str) -> Sequence[str]:
    """What a card does, or what a place is for."""
    kind, _, name = part.partition(":")
    if part in (SUPPLY, DISCARD):
        return ("C2", "C6") if part == SUPPLY else ("C2", "C4", "E1")
    if name.startswith("photo:"):
        return ("J1", "J2", "J3")
    if name in _ROWS:
        return _ROWS[name]
    return ("D4", "D5", "D9") if kind in ("hand", "card") else ("G2", "G3", "G4")
