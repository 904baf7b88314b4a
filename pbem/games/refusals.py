"""Why an action is refused: the conditions that fail, each with its rule rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn, TypeAlias

from pbem.base.sentences import joined
from pbem.game import IllegalAction


class Fault(NamedTuple):
    """One reason, and the rows that say so."""

    rows: tuple[str, ...]
    sentence: str


Faults: TypeAlias = Iterator[Fault]
"""The conditions that fail, one after the other: whoever needs only one asks for no more."""


def refuse(faults: Sequence[Fault]) -> NoReturn:
    """Raise ``IllegalAction`` with all rows and sentences, each once, the most telling first."""
    rows = dict.fromkeys(row for fault in faults for row in fault.rows)
    raise IllegalAction(tuple(rows), joined(dict.fromkeys(fault.sentence for fault in faults)))
