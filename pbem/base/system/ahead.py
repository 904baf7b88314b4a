"""A row of questions that another process answers ahead of whoever goes through the row.

Nothing ever depends on that process: what it has not answered in time, or cannot, is for the asker to find out himself.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from pbem.base.system.helper import Ended, Helper

PATIENCE: Final = 60.0
"""Seconds of the clock for one question."""
_WAIT: Final = 1.0
"""Seconds that somebody waits for an answer that is on its way; then he finds it out himself."""


def processors() -> int:
    """How many processors this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


class Ahead:
    """The other process; it is started by the first row and answers any number of them, one after the other.

    Args:
        task: as for ``Helper``.
    """

    def __init__(self, task: str) -> None:
        self._helper = Helper(task, patience=PATIENCE)

    @contextmanager
    def over(self, questions: Sequence[tuple[object, ...]]) -> Iterator[Row]:
        """The row of these questions, while they are answered."""
        row = Row(questions)
        work = threading.Thread(target=row.work, args=(self._helper,), daemon=True)
        work.start()
        try:
            yield row
        finally:
            row.stop()
            work.join()

    def close(self) -> None:
        """End the process."""
        self._helper.close()


class Row:
    """Questions in a row: each is asked unless the asker is there already."""

    def __init__(self, questions: Sequence[tuple[object, ...]]) -> None:
        self._questions = questions
        self._changed = threading.Condition()
        self._next = 0
        """The place that is asked next."""
        self._asked: deque[int] = deque()
        """Places that are asked and not answered."""
        self._answers: dict[int, Any] = {}
        self._begun = False
        """Whether the process was ever heard of: until then nobody waits for it."""

    def answer(self, place: int, /) -> Any:
        """The answer to question ``place``; None if there is none yet. Places before it are not asked any more."""
        with self._changed:
            self._next = max(self._next, place + 1)
            self._changed.wait_for(lambda: not self._begun or place not in self._asked, _WAIT)
            return self._answers.pop(place, None)

    def stop(self) -> None:
        """Ask nothing more."""
        with self._changed:
            self._next = len(self._questions)

    def work(self, helper: Helper) -> None:
        """Have the row answered."""
        try:
            for answer in helper.ask_each(self._asking()):
                with self._changed:
                    self._answers[self._asked.popleft()] = answer
                    self._begun = True
                    self._changed.notify_all()
        except (Ended, OSError):
            pass  # the asker finds it out himself
        finally:
            with self._changed:
                self._next = len(self._questions)
                self._asked.clear()
                self._changed.notify_all()

    def _asking(self) -> Iterator[tuple[object, ...]]:
        while True:
            with self._changed:
                place = self._next
                if place >= len(self._questions):
                    return
                self._next = place + 1
                self._asked.append(place)
            yield self._questions[place]
