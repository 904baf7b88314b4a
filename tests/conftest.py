"""For every session: what Python compiles is kept, and no example of hypothesis is held against the clock.

A session starts hundreds of programs and reads the tests in every worker. Where the machine forbids Python to keep what
it compiled (``PYTHONDONTWRITEBYTECODE``), each of them would compile the whole package again, which is a third of
everything; so it is kept where it is in nobody's way, beside pytest's own cache. How long an example takes says
something of the machine only.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

_KEPT = Path(__file__).resolve().parents[1] / ".pytest_cache" / "bytecode"

if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(_KEPT)
    del os.environ["PYTHONDONTWRITEBYTECODE"]

settings.register_profile("pbem", deadline=None)
settings.load_profile("pbem")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files with long tests first, so that no worker begins one when the others are done."""
    long = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in long)
