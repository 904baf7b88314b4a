"""What helps where something failed: a fault that the page can mend has a button of its own (``help`` of an answer)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.sentences import sentence

LOOK: Final = "look"
"""Show the table as it is now."""
PAPER: Final = "paper"
"""Type the words of the paper, or take in a backup."""
UPDATE: Final = "update"
"""Look for a newer version of the page."""
_LONGEST: Final = 40


class TableChanged(UsageProblem):
    """A tap on what is not shown any more."""

    def __init__(self) -> None:
        super().__init__(sentence("the table has changed meanwhile; look again"))


class KeysLost(UsageProblem):
    """The browser has not kept the keys of a match."""

    def __init__(self) -> None:
        hint = sentence("Open your backup file, or type your recovery words.")
        super().__init__(sentence("the keys of this match are not on this device any more"), hint=hint)


class OlderPage(UsageProblem):
    """A record of a kind that this page does not know: it is older than the host."""

    def __init__(self, kind: str) -> None:
        told = sentence(
            "This page is older than a record of this match (“{kind}”). Nothing was taken in.", kind=kind
        )
        super().__init__(told, hint=sentence("Load the newest version of the page, then ask again."))


def help_for(fault: PbemError) -> str:
    """The name of the button that helps; empty where none does."""
    for kind, name in ((TableChanged, LOOK), (KeysLost, PAPER), (OlderPage, UPDATE)):
        if isinstance(fault, kind):
            return name
    return ""


def refuse_newer(lines: Iterable[bytes], known: Iterable[str]) -> None:
    """``OlderPage`` if one of these records is of a kind that is not ``known``; what else is wrong others say."""
    kinds = frozenset(known)
    for line in lines:
        try:
            body = json.loads(line)["body"]
            kind = str(body["kind"])
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if kind not in kinds and kind.replace("-", "").isalnum() and len(kind) < _LONGEST:
            raise OlderPage(kind)
