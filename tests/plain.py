"""Letters without pictures where pictures are not the point: drawing one costs more than the rest of a turn."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest

DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg=="
)
"""A PNG of one pixel, which stands for every picture."""


@pytest.fixture(scope="module", autouse=True)
def plain_pictures() -> Iterator[None]:
    """Every picture is a dot; a folder asks for it in its ``conftest.py``, a module by importing it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbem.pictures.picture.to_png", lambda _: DOT)
        yield
