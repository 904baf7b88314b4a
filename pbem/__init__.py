"""Play Wyatt Earp and Way Out West by email: signed turns, proven draws, sealed hands.

For other programs: what ``pbem.api`` names is public, and can be had here (``pbem.load``, ``pbem.SeatView`` …).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.api import (
        GAMES,
        Accepted,
        Composed,
        Draw,
        Game,
        HostOpenings,
        Identity,
        Luck,
        PbemError,
        Record,
        Refused,
        Report,
        Seat,
        SeatView,
        Verdict,
        audit_file,
        check_file,
        compare_copies,
        compose_consent,
        compose_join,
        compose_ready,
        compose_turn,
        draws_of,
        find_game,
        line_of,
        load,
        luck_of,
        open_identity,
        read_lines,
        receive,
    )

__all__ = [
    "GAMES",
    "Accepted",
    "Composed",
    "Draw",
    "Game",
    "HostOpenings",
    "Identity",
    "Luck",
    "PbemError",
    "Record",
    "Refused",
    "Report",
    "Seat",
    "SeatView",
    "Verdict",
    "audit_file",
    "check_file",
    "compare_copies",
    "compose_consent",
    "compose_join",
    "compose_ready",
    "compose_turn",
    "draws_of",
    "find_game",
    "line_of",
    "load",
    "luck_of",
    "open_identity",
    "read_lines",
    "receive",
]

if not TYPE_CHECKING:  # a type checker shall know which names there are

    def __getattr__(name: str) -> object:
        """A public name, loaded when it is first asked for."""
        if name not in __all__:
            raise AttributeError(f"pbem has no public name {name!r}; there are: {', '.join(__all__)}")
        from pbem import api  # a command that needs none of it starts without it

        return getattr(api, name)
