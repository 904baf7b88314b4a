"""How long a test waits for what should happen at once: a minute, longer only on a machine that has more to do.

A machine whose processors have ten things to do each gets ten minutes; nothing waits that long on a quiet one.
``LIMIT`` ends a run that hangs (``tests/conftest.py``).
"""

from __future__ import annotations

import os
from typing import Final


def load() -> float:
    """How many things each processor has to do, at least one."""
    waiting = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1.0, waiting / (os.cpu_count() or 1))


PATIENCE: Final = 60.0 * load()
"""Seconds of the clock."""
LIMIT: Final = 600.0
"""Seconds for one test on a quiet machine, its fixtures with it; then the run ends with the test's name."""
