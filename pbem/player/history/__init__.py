"""Looking back: a match record by record through chosen eyes, and the results of many matches.

* ``Timeline`` and ``page_of``: the table, the hand and the story after any record (``pbem replay``);
* ``Stepper`` and ``step_through``: going back and forth with keys, without a manual;
* ``summarise``: results, luck against chance, who waited for whom, money or points by source (``pbem stats``), as
  text with bars (``report_text``), as a picture (``chart_of``) and as data.

Nothing here needs a key, except a seat's own hand. No figure is computed from what is still sealed.

In: the timeline, a page of it, stepping with keys, statistics as text and picture. Out: the figures themselves
(``pbem.player.tally``), the audit's report (``pbem.player.report``), letters. Called by: cli, report.
"""

from pbem.player.history.chart import chart_of as chart_of
from pbem.player.history.files import match_files as match_files
from pbem.player.history.report import report_text as report_text
from pbem.player.history.summary import Summary as Summary
from pbem.player.history.summary import summarise as summarise
from pbem.player.history.terminal import HistoryScreen as HistoryScreen
from pbem.player.history.terminal import Stepper as Stepper
from pbem.player.history.terminal import keys_from as keys_from
from pbem.player.history.terminal import step_through as step_through
from pbem.player.history.timeline import OPEN_VIEWPOINT as OPEN_VIEWPOINT
from pbem.player.history.timeline import PUBLIC_VIEWPOINT as PUBLIC_VIEWPOINT
from pbem.player.history.timeline import Frame as Frame
from pbem.player.history.timeline import Timeline as Timeline
from pbem.player.history.timeline import Viewpoint as Viewpoint
from pbem.player.history.timeline import page_of as page_of
from pbem.player.history.timeline import viewpoint_of as viewpoint_of
