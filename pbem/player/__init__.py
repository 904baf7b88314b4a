"""The player's desk: his verified copy of the game file, his signed files, and what he may know.

``PlayerDesk`` owns one folder with a game file; nothing else is needed than that and an identity.

In: the copy, the desk, the book of signed files, joins, consents, orders and what is said of them, one look at the
table, settings, diary. Out: composing and checking cards (``pbem.client``), drawing and keys of a terminal
(``pbem.play``), the host. Called by: api, attacks, cli, demo, history, play, practice, web, world.
"""

from __future__ import annotations

from pbem.player.actions import parse_actions
from pbem.player.book import Book, BookEntry, Fate
from pbem.player.check import Verdict, check_file
from pbem.player.copy import Copy, find_copy, in_order, read_lines
from pbem.player.desk import AlreadySigned, PlayerDesk
from pbem.player.inspect import inspect_file, inspect_text
from pbem.player.sent_files import Signed

__all__ = [
    "AlreadySigned",
    "Book",
    "BookEntry",
    "Copy",
    "Fate",
    "PlayerDesk",
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
