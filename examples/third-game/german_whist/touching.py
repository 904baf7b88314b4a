"""German Whist by touch (``pbem.games.touching``): each card of the hand is a part, and playing it is touching it."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.game import JsonObject
from pbem.games.touching import Moved, Touch


def touched(shown: JsonObject, action: JsonObject) -> Touch:
    """The card."""
    del shown
    return Touch((f"hand:{action['card']}",))


def meant(shown: JsonObject, part: str) -> JsonObject | None:
    """Whoever touches a card wants to play it; the rules say why not (W2)."""
    del shown
    kind, _, card = part.partition(":")
    return {"do": "play", "card": card} if kind == "hand" else None


def held(shown: JsonObject, summary: JsonObject) -> Sequence[tuple[str, int]]:
    """The own hand, each card once."""
    del summary
    own = next((cards for cards in shown["hands"].values() if isinstance(cards, list)), [])
    return [(f"hand:{card}", 1) for card in own]


def moved(event: JsonObject) -> Sequence[Moved]:
    """A card from a player to the table, and back."""
    seat = f"seat:{event.get('seat', '')}"
    if event["event"] == "played":
        return (Moved(seat, "table", event["card"]),)
    if event["event"] in ("took", "drew"):
        return (Moved("table", seat, event.get("card", "")),)
    return ()


def rows_about(part: str) -> Sequence[str]:
    """What a card may do, and what wins."""
    del part
    return ("W2", "W3")
