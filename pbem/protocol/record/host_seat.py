"""A host who plays: which seat genesis gives to the host, and from whom the match is hidden (schemas/README.md §5)."""

from __future__ import annotations

from pbem.game import JsonObject, Seat


def host_seat(genesis: JsonObject) -> Seat | None:
    """The seat that the host plays, as the body of record 0 declares it; None if the host does not play."""
    found = genesis["host"].get("seat")
    return None if found is None else Seat(found)


def hidden_from(genesis: JsonObject) -> str:
    """From whom hands, orders and draws to come are hidden: ``all players``, or all but the seat of the host."""
    seat = host_seat(genesis)
    return "all players" if seat is None else f"all but {seat}"
