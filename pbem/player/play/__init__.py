"""``pbem play``: a terminal client that needs no manual: see, choose, say it in advance, send.

Below the screen nothing knows Textual or a game: ``trial`` tries actions on positions that agree with the player's
view, ``menu`` makes few choices of many actions, ``phrases`` and ``drawing`` speak through the game's templates,
``history`` goes back and forth through the match, ``session`` holds it all together over a ``PlayerClient``. ``app`` is
the screen; it is imported only when it is started.

In: the screen, choices and their words, orders, what arrives and leaves while somebody sits.
Out: a match without a terminal (``pbem.player.seat``), a browser's page (``pbem.web``), questions before the screen
(``pbem.cli``). Called by: cli, practice, web.
"""

from pbem.player.play.history import History as History
from pbem.player.play.session import Post as Post
from pbem.player.play.session import Session as Session
from pbem.player.play.trial import TrayState as TrayState
