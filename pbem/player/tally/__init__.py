"""Statistics of a match and of a season: scores, tables, luck, waiting, by person.

Nothing here needs a key, and nothing is computed from what is still sealed. ``pbem stats``, the report and the email
at the end of a match all count with it.

In: scores and their tables, luck by person, waiting, seasons. Out: text, pictures and pages (``pbem.player.history``,
``pbem.player.report``), the audit's own count of shots. Called by: history, host, host.service, report.
"""

from pbem.player.tally.figures import Score as Score
from pbem.player.tally.figures import figures_of as figures_of
from pbem.player.tally.figures import score_of as score_of
from pbem.player.tally.season import How as How
from pbem.player.tally.season import Played as Played
from pbem.player.tally.season import PlayerWait as PlayerWait
from pbem.player.tally.season import came_of as came_of
from pbem.player.tally.season import season_of as season_of
from pbem.player.tally.season import with_match as with_match
