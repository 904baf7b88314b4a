"""Programs of this machine that some tests need, servers and a browser among them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

REFUSED: Final[set[Path]] = set()
"""Programs and folders that are here, and are to be taken for missing (``tests.bare``)."""


def require(missing: str, environ: Mapping[str, str] = os.environ) -> None:
    """Skip the test if something is ``missing``, a reason in words; fail it where everything must be there."""
    if missing and environ.get("PBEM_REQUIRE") == "all":
        pytest.fail(f"required here: {missing}")
    if missing:
        pytest.skip(missing)


def program(*names: str) -> str:
    """The first of these programs that there is; without any, see ``require``."""
    path = next(filter(None, map(shutil.which, names)), "")
    require("" if path else f"{names[0]} is not installed")
    return path


def refused(path: str | Path) -> bool:
    """Whether this, or a folder in which it lies, is to be taken for missing."""
    return not REFUSED.isdisjoint((Path(path), *Path(path).parents))


def installed(path: str | Path) -> bool:
    """Whether a program or a folder is at its absolute path."""
    return Path(path).exists() and not refused(path)
