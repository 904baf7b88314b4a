"""The player's side: open and check one's packets, see one's own view, compose a turn (schemas/README.md §3, §6).

Nothing in a packet needs trust: each card is checked against the leaves that were laid before the cut.

In: one seat's packets opened and checked, its view, its own actions tried, its files composed. Out: where files lie
and what was signed before (``pbem.player.seat``), the host's judgement (``pbem.protocol.record.judge``), the
network. Called by: api, cli, history, host, play, seat, world.
"""

from __future__ import annotations

from pbem.protocol.client.compose import (
    NO_ORDERS,
    Composed,
    channel_address,
    compose_channel,
    compose_consent,
    compose_join,
    compose_ready,
    compose_turn,
    link_of,
    no_channel,
    split_actions,
)
from pbem.protocol.client.seat_view import CheckedActions, Packets, SeatView, check_actions

__all__ = [
    "NO_ORDERS",
    "CheckedActions",
    "Composed",
    "Packets",
    "SeatView",
    "channel_address",
    "check_actions",
    "compose_channel",
    "compose_consent",
    "compose_join",
    "compose_ready",
    "compose_turn",
    "link_of",
    "no_channel",
    "split_actions",
]
