"""Looking back: a match record by record through chosen eyes, and what many matches came to.

* ``Timeline`` and ``page_of``: the table, the hand and the story after any record (``pbem replay``);
* ``Stepper`` and ``step_through``: going back and forth with keys, without a manual;
* ``summarise``: results, luck against chance, who waited for whom, money or points by source (``pbem stats``), as
  text with bars (``report_text``), as a picture (``chart_of``) and as data.

Nothing here needs a key, except a seat's own hand. No figure is computed from what is still sealed.

In: the timeline, a page of it, stepping with keys, statistics as text and picture. Out: the figures themselves
(``pbem.player.tally``), the audit's report (``pbem.player.report``), letters. Called by: cli, report.
"""

from __future__ import annotations

from pbem.player.history.chart import chart_of
from pbem.player.history.files import LeftOut, match_files
from pbem.player.history.report import report_text
from pbem.player.history.summary import Summary, summarise
from pbem.player.history.terminal import HistoryScreen, Stepper, keys_from, step_through
from pbem.player.history.timeline import (
    OPEN_EYES,
    PUBLIC_EYES,
    Frame,
    Timeline,
    Viewpoint,
    page_of,
    viewpoint_of,
)

__all__ = [
    "OPEN_EYES",
    "PUBLIC_EYES",
    "Frame",
    "HistoryScreen",
    "LeftOut",
    "Stepper",
    "Summary",
    "Timeline",
    "Viewpoint",
    "chart_of",
    "keys_from",
    "match_files",
    "page_of",
    "report_text",
    "step_through",
    "summarise",
    "viewpoint_of",
]
