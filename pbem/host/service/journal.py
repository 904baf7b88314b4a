"""What a running service prints: plain words, or a line of JSON with the time for each thing that happened."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from pbem.host.service.meter import Meter

PLAIN: Final = "plain"
FORMS: Final = (PLAIN, "text", "json")


class Journal:
    """Writes one line for each thing: ``plain`` words as they are, ``text`` with the time, or ``json``."""

    def __init__(
        self, form: str, write: Callable[[str], object], clock: Callable[[], datetime], worker: str = ""
    ) -> None:
        self._form = form
        self._worker = {"worker": worker} if worker else {}
        self._write = write
        self._clock = clock

    def notify(self, words: str) -> None:
        """Something for a person."""
        self.note("reported", level="warning", text=words)

    def note(self, event: str, *, level: str = "info", text: str = "", **facts: object) -> None:
        """One thing that happened; what has no words for a person is not in the plain form."""
        at = self._clock().isoformat(timespec="milliseconds")
        if self._form == "json":
            head = {"at": at, "level": level, "event": event, **({"text": text} if text else {})}
            self._write(json.dumps(head | facts | self._worker, ensure_ascii=False))
        elif self._form == PLAIN:
            if text:
                self._write(text)
        else:
            rest = " ".join(f"{name}={value}" for name, value in (facts | self._worker).items())
            self._write(" ".join(word for word in (at, level, event, text, rest) if word))


class FromLibraries(logging.Handler):
    """What libraries have to say, from warnings on: a line of the journal like everything else, tracebacks too."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(logging.WARNING)
        self._journal = journal

    def emit(self, record: logging.LogRecord) -> None:
        """See ``logging.Handler``."""
        text = self.format(record)
        self._journal.note("library", level=record.levelname.lower(), text=text, name=record.name)


class Noting(Meter):
    """Passes all on to another meter, and writes into the journal what a person may look for afterwards."""

    def __init__(self, meter: Meter, journal: Journal) -> None:
        self._meter = meter
        self._journal = journal

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """See ``Meter``."""
        with self._meter.stage(name):
            yield

    def event(self, name: str, **facts: object) -> None:
        """See ``Meter``."""
        self._meter.event(name, **facts)
        level = {"trouble": "error", "alarm": "warning", "not-sent": "warning"}.get(name, "info")
        text = str(facts.pop("text", ""))
        self._journal.note(name, level=level, text=text, **facts)
