"""A host who plays: which seat is the host's own, and from whom the match is hidden (schemas/README.md §5)."""

from __future__ import annotations

from pbem.game import JsonObject, Seat


def host_seat(genesis: JsonObject) -> Seat | None:
    """The seat that the first host plays, as the body of record 0 declares it; None if the host does not play."""
    seat = genesis["host"].get("seat")
    return None if seat is None else Seat(seat)


def hidden_from(host: JsonObject) -> str:
    """From whom hands, orders and draws to come are hidden: ``all players``, or all but the seat of this host."""
    return "all players" if "seat" not in host else f"all but {host['seat']}"
