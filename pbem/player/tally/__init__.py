"""Statistics of a match and of a season: scores, tables, luck, waiting, by person.

Nothing here needs a key, and nothing is computed from what is still sealed. ``pbem stats``, the report and the letter
at the end of a match all count with it.

In: scores and their tables, luck by person, waiting, seasons. Out: text, pictures and pages (``pbem.player.history``,
``pbem.player.report``), the audit's own count of shots. Called by: history, host, host.service, report.
"""

from __future__ import annotations

from pbem.player.tally.figures import Figures, Score, figures_of, score_of, standing_lines
from pbem.player.tally.season import (
    How,
    Played,
    Wait,
    came_of,
    newest_key,
    season_of,
    waits_of,
    with_match,
)

__all__ = [
    "Figures",
    "How",
    "Played",
    "Score",
    "Wait",
    "came_of",
    "figures_of",
    "newest_key",
    "score_of",
    "season_of",
    "standing_lines",
    "waits_of",
    "with_match",
]
