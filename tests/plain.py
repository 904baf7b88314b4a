"""Emails without pictures where pictures are not the point: drawing one costs more than the rest of a turn."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest

from pbem.player.pictures import to_png

_ENCODED = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg=="
DOT = base64.b64decode(_ENCODED)
"""A PNG of one pixel, which stands for every picture."""


@pytest.fixture(scope="module", autouse=True)
def plain_pictures() -> Iterator[None]:
    """Every picture is a dot; a folder asks for it in its ``conftest.py``, a module by importing it.

    What ``to_png`` calls is replaced, and not its name, which others hold; what it cached is of this module alone.
    """
    to_png.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("resvg_py.svg_to_bytes", lambda **_: DOT)
        patch.setattr("pbem.player.pictures.picture.assembled", lambda _: None)
        patch.setattr("pbem.player.pictures.picture.shrink", bytes)
        yield
    to_png.cache_clear()


def is_plain(letter: bytes) -> bool:
    """Whether an email carries dots for its pictures, and has one."""
    return _ENCODED[:60].encode() in letter
