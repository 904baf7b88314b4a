"""Pictures of the table, made in a process of their own: what draws them stops every thread of the process it is in.

While one is made the service's API answers and its mail is read; what one table shows is drawn once, however many
emails of whichever batch show it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import suppress
from typing import Final

from pbem.base.system.helper import Ended, Helper
from pbem.player.pictures import to_png

KEPT: Final = 64
"""Pictures of about 50 KB."""
PATIENCE: Final = 60.0
"""Seconds of the clock for one picture; it takes a third of one."""


class Painter:
    """Makes PNGs in another process; it is started when it is first needed."""

    def __init__(self, task: str = "pbem.player.pictures:to_png") -> None:
        self._helper = Helper(task, patience=PATIENCE)
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def pid(self) -> int:
        """The process that makes the next picture; 0 if there is none yet."""
        return self._helper.pid

    def __call__(self, svg: str) -> bytes:
        """The drawing as PNG; where no other process can make it, this one does."""
        with self._lock:
            raw = self._kept.pop(svg, None) or self._painted(svg)
            self._kept[svg] = raw
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return raw

    def close(self) -> None:
        """End the process."""
        self._helper.close()

    def _painted(self, svg: str) -> bytes:
        for _ in range(2):  # one that died is replaced
            with suppress(Ended, OSError):
                raw: bytes = self._helper.ask(svg)
                return raw
        return to_png(svg)
