"""One seat: the verified copy of the match file, the seat's signed messages, what it may know.

``PlayerClient`` owns one folder with a game file; nothing else is needed than that and an identity.

In: the copy, the client, the book of signed files, joins, consents, orders and what is said of them, one look at the
table, settings, diary. Out: composing and checking cards (``pbem.protocol.client``), drawing and keys of a terminal
(``pbem.player.play``), the host. Called by: api, cli, history, host.demo, play, practice, web.
"""

from __future__ import annotations

from pbem.player.seat.actions import parse_actions
from pbem.player.seat.book import Book, BookEntry, Fate
from pbem.player.seat.check import Verdict, check_file
from pbem.player.seat.client import AlreadySigned, PlayerClient
from pbem.player.seat.copy import Copy, find_copy, in_order, read_lines
from pbem.player.seat.inspect import inspect_file, inspect_text
from pbem.player.seat.sent_files import Signed

__all__ = [
    "AlreadySigned",
    "Book",
    "BookEntry",
    "Copy",
    "Fate",
    "PlayerClient",
    "Signed",
    "Verdict",
    "check_file",
    "find_copy",
    "in_order",
    "inspect_file",
    "inspect_text",
    "parse_actions",
    "read_lines",
]
