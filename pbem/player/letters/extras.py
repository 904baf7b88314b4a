"""What a host lays beside the record when he writes letters: how he calls the match, and the season it belongs to.

Both come from the note that he keeps with the match, so a letter stays a function of the record and of this note.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.values import dataclass


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """One player over the matches of a season.

    ``luck`` is hits beyond the chance each try had, in thousandths; ``answer`` the middle time of an answer in seconds.
    """

    name: str
    matches: int
    wins: int
    total: int
    tries: int
    luck: int
    answer: int


@dataclass(frozen=True, slots=True)
class Season:
    """The table of a season: so many ``matches``, the name and unit of the score, a row for each player, best first."""

    matches: int
    title: str
    unit: str
    rows: tuple[SeasonRow, ...]


@dataclass(frozen=True, slots=True)
class LetterExtras:
    """How the host calls the match (empty: he does not), and the season that it closes, if there is one.

    ``discreet``: the reader wants no result in a subject.
    """

    title: str = ""
    season: Season | None = None
    discreet: bool = False


NOTHING_BESIDE = LetterExtras()


def ranked(rows: Sequence[SeasonRow]) -> tuple[SeasonRow, ...]:
    """Most wins first, then the highest score."""
    return tuple(sorted(rows, key=lambda row: (-row.wins, -row.total)))
