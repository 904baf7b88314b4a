"""Compare with a file that was looked at by a person; ``PBEM_GOLDEN=write`` writes it anew."""

from __future__ import annotations

import os
from pathlib import Path

_FOLDER = Path(__file__).parent / "golden"


def check(name: str, text: str, folder: Path = _FOLDER) -> None:
    path = folder / name
    if os.environ.get("PBEM_GOLDEN") == "write":
        folder.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"{name} differs from the golden file"
