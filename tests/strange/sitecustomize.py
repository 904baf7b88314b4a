"""Sleep in another way, in every Python under faketime: this folder is its ``PYTHONPATH``.

Where the monotonic clock is left alone, which whoever waits needs, faketime refuses the sleep of Python 3.11 and later
(``clock_nanosleep`` until a moment of that clock) as an invalid argument.
"""

from __future__ import annotations

import select
import time


def _sleep(seconds: float, /) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    select.select([], [], [], seconds)


time.sleep = _sleep  # type: ignore[assignment]
