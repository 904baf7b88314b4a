"""The player's desk: his verified copy of the game file, his signed files, and what he may know.

``PlayerDesk`` owns one folder with a game file; nothing else is needed than that and an identity.
"""

from __future__ import annotations

from pbem.player.actions import parse_actions
from pbem.player.book import Book, Entry, Fate
from pbem.player.check import Verdict, check_file
from pbem.player.copy import Copy, find_copy, read_lines
from pbem.player.desk import AlreadySigned, PlayerDesk, Signed
from pbem.player.inspect import inspect_file
from pbem.player.luck import Draw, Luck, draws_of, luck_of

__all__ = [
    "AlreadySigned",
    "Book",
    "Copy",
    "Draw",
    "Entry",
    "Fate",
    "Luck",
    "PlayerDesk",
    "Signed",
    "Verdict",
    "check_file",
    "draws_of",
    "find_copy",
    "inspect_file",
    "luck_of",
    "parse_actions",
    "read_lines",
]
