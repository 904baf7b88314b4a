"""Errors that only a real server causes: the tests that start it provoke them, and ``servers/`` keeps what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from pbem.base.errors import PbemError
from pbem.base.language import ENGLISH
from pbem.cli.console import fault_page
from tests.errors.stage import steady

KEPT: Final = Path(__file__).parent / "servers"


def check(name: str, calls: Mapping[str, Callable[[], object]]) -> None:
    """Each call fails, or returns what ``pbem host try`` says, as the golden file of this name has it."""
    parts = []
    for title, call in calls.items():
        try:
            told = call()
        except PbemError as fault:
            parts.append(f"# {title}\n{fault_page(fault, ENGLISH)}\n(exit {fault.exit_code})")
        else:
            assert isinstance(told, str), f"{title}: nothing is wrong"
            assert told, f"{title}: nothing is said"
            parts.append(f"# {title}\n{ENGLISH.tell(told)}\n(exit 6)")
    text = steady("\n\n".join(parts)) + "\n"
    path = KEPT / f"{name}.txt"
    assert text == path.read_text(encoding="utf-8"), f"{path} is to hold:\n{text}"
