"""A match at once: one person against computer players, without mail, identity or host of one's own.

Underneath it is a match like any other: a throwaway host deals, every file is signed, the record lies in a folder. So
``pbem replay``, ``stats``, ``report`` and ``audit`` work on it. Nothing of it is a secret: all keys lie in the folder.

In: a throwaway host, computer players at their seats, the session, the lesson, hints. Out: the screen
(``pbem.player.play``), how a computer judges (``pbem.bots``), mail. Called by: cli, web.
"""

from pbem.player.practice.interactive import PracticeSession
from pbem.player.practice.match import Practice, PracticePlan, lesson_plan

__all__ = ["Practice", "PracticePlan", "PracticeSession", "lesson_plan"]
