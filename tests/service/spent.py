"""Whose processor time it was: of the processes of a run, by what they do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

import psutil

Named = Callable[[psutil.Process], str]
"""What a process is counted as; nothing, if it is not counted."""
OF_WORKERS: Final = "workers", "painters", "readers of mail"
_TASKS: Final = dict(zip(("to_png", "look"), OF_WORKERS[1:], strict=True))


class Spent:
    """Seconds of processor time since this was made, by what it was spent on.

    ``look`` notes what each process has used, as often as it is called; of one that ended between two looks the last is
    lost, unless its parent waits for its children: then it stands under the parent's name.
    """

    def __init__(self, masters: dict[int, Named]) -> None:
        self._masters = masters
        self._seen: dict[tuple[int, float], tuple[str, float]] = {}
        self._before: dict[str, float] = {}
        self.look()
        self._before = self.by_name()

    def look(self) -> None:
        """Note what all processes have used up to now."""
        for pid, named in self._masters.items():
            with suppress(psutil.NoSuchProcess):
                master = psutil.Process(pid)
                self._note(master, named)
                for process in master.children(recursive=True):
                    with suppress(psutil.NoSuchProcess):
                        self._note(process, named)

    def _note(self, process: psutil.Process, named: Named) -> None:
        if name := named(process):
            self._seen[process.pid, process.create_time()] = name, sum(process.cpu_times()[:2])

    def add(self, pid: int, named: Named) -> None:
        """Look at one more process and at those that it starts."""
        self._masters[pid] = named

    def by_name(self) -> dict[str, float]:
        """What was spent on each."""
        by_name: dict[str, float] = {}
        for name, seconds in self._seen.values():
            by_name[name] = by_name.get(name, 0.0) + seconds
        return {name: seconds - self._before.get(name, 0.0) for name, seconds in by_name.items()}


def of_worker(process: psutil.Process) -> str:
    """A process of ``pbem host serve``, or one that it lets work for it."""
    task = next((word for word in process.cmdline() if word.startswith("pbem.") and ":" in word), "")
    return _TASKS.get(task.rpartition(":")[2], OF_WORKERS[0])


def of_mail_server(process: psutil.Process) -> str:
    """A process of Dovecot or Postfix, which have some of the same name."""
    return f"{'Dovecot' if 'dovecot' in process.exe() else 'Postfix'} {process.name()}"
