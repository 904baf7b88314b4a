"""Which program this is, for whoever keeps what it has worked out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parents[2]
_given: list[bytes] = []


def use_stamp(stamp: bytes) -> None:
    """Let this be the stamp: for whoever starts a program whose modules have no source files, and knows which it is.

    ``stamp``: 32 bytes, those of another program are others.
    """
    _given[:] = [stamp]
    program_stamp.cache_clear()


@cache
def program_stamp() -> bytes:
    """32 bytes that are others for every other program: names, sizes and times of its modules, and Python's version.

    What one program has worked out and kept is of no use to another one.
    """
    if _given:
        return _given[0]
    digest = sha256(repr((sys.version, sys.implementation.cache_tag)).encode())
    for module in modules_of(str(_PACKAGE)):
        stat = module.stat()
        digest.update(f"{module.path}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode())
    return digest.digest()


def modules_of(folder: str) -> Iterator[os.DirEntry[str]]:
    """The modules of a package and of those inside it; a folder that is no package (node_modules) has none."""
    with os.scandir(folder) as entries:
        inside = sorted(entries, key=lambda entry: entry.name)
    if any(entry.name == "__init__.py" for entry in inside):
        yield from (entry for entry in inside if entry.name.endswith(".py"))
        for entry in inside:
            if entry.is_dir():
                yield from modules_of(entry.path)
