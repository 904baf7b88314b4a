"""Errors that only a real server causes: the tests that start it provoke them, and ``servers/`` keeps what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tests.errors.calls import entry
from tests.errors.stage import steady

KEPT: Final = Path(__file__).parent / "servers"


def check(name: str, calls: Mapping[str, Callable[[], object]]) -> None:
    """Each call fails, or returns what ``pbem host try`` says, as the golden file of this name has it."""
    parts = [entry(title, call, "exit 6") for title, call in calls.items()]
    text = steady("\n\n".join(parts)) + "\n"
    path = KEPT / f"{name}.txt"
    assert text == path.read_text(encoding="utf-8"), f"{path} is to hold:\n{text}"
