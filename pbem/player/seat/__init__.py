"""One seat: the verified copy of the match file, the seat's signed messages, what it may know.

``PlayerClient`` owns one folder with a game file; nothing else is needed than that and an identity.

In: the copy, the client, the log of signed files, joins, consents, orders and what is said of them, one look at the
table, settings. Out: composing and checking cards (``pbem.protocol.client``), drawing and keys of a terminal
(``pbem.player.play``), the host. Called by: api, cli, host, lookback, play, practice, web.
"""

from pbem.player.seat.actions import parse_actions as parse_actions
from pbem.player.seat.check import Verdict as Verdict
from pbem.player.seat.check import check_file as check_file
from pbem.player.seat.client import AlreadySigned as AlreadySigned
from pbem.player.seat.client import PlayerClient as PlayerClient
from pbem.player.seat.copy import Copy as Copy
from pbem.player.seat.copy import find_copy as find_copy
from pbem.player.seat.copy import in_order as in_order
from pbem.player.seat.copy import read_lines as read_lines
from pbem.player.seat.inspect import inspect_file as inspect_file
from pbem.player.seat.inspect import inspect_text as inspect_text
from pbem.player.seat.sent_files import Signed as Signed
from pbem.player.seat.sent_log import Fate as Fate
from pbem.player.seat.sent_log import SentEntry as SentEntry
from pbem.player.seat.sent_log import SentLog as SentLog
