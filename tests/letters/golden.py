"""Compare with a file that was looked at by a person; ``make golden`` writes it again (``PBEM_GOLDEN=write``).

A test that does so has the mark ``golden``.
"""

from __future__ import annotations

import os
from pathlib import Path

_FOLDER = Path(__file__).parent / "golden"


def check(name: str, text: str, folder: Path = _FOLDER) -> None:
    path = folder / name
    if os.environ.get("PBEM_GOLDEN") == "write":
        folder.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, (
        f"{name} differs from the golden file: make golden KIND=letters"
    )
