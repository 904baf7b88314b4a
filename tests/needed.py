"""Programs of this machine that some tests need, servers and a browser among them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

import pytest


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
