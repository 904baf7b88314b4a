"""The player's side: open and check one's packets, see one's own view, compose a turn (schemas/README.md §3, §6).

Nothing in a packet needs trust: each card is checked against the leaves that were laid before the cut.

In: one seat's packets opened and checked, its view, its own actions tried, its files composed. Out: where files lie
and what was signed before (``pbem.player.seat``), the host's judgement (``pbem.protocol.record.verifier``), the
network. Called by: api, cli, host.service, lookback, play, seat, world.
"""

from pbem.protocol.client.compose import NO_ORDERS as NO_ORDERS
from pbem.protocol.client.compose import Composed as Composed
from pbem.protocol.client.compose import compose_channel as compose_channel
from pbem.protocol.client.compose import compose_consent as compose_consent
from pbem.protocol.client.compose import compose_join as compose_join
from pbem.protocol.client.compose import compose_ready as compose_ready
from pbem.protocol.client.compose import compose_rekey as compose_rekey
from pbem.protocol.client.compose import compose_turn as compose_turn
from pbem.protocol.client.compose import link_of as link_of
from pbem.protocol.client.compose import rekey_terms as rekey_terms
from pbem.protocol.client.compose import split_actions as split_actions
from pbem.protocol.client.seat_view import Packets as Packets
from pbem.protocol.client.seat_view import SeatView as SeatView
from pbem.protocol.client.seat_view import check_actions as check_actions
from pbem.protocol.client.webhook import ANYWHERE as ANYWHERE
from pbem.protocol.client.webhook import UnknownService as UnknownService
from pbem.protocol.client.webhook import Webhook as Webhook
from pbem.protocol.client.webhook import read_webhook as read_webhook
