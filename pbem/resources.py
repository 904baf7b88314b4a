"""What this installation is: where ``schemas/`` and ``templates/`` lie, and how a friend gets the same program."""

from __future__ import annotations

import os
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: str) -> Path:
    """The folder ``schemas`` or ``templates`` of this installation."""
    packaged = _PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name


@cache
def program_stamp() -> bytes:
    """32 bytes that are others for every other program: names, sizes and times of its modules, and Python's version.

    What one program has worked out and kept is of no use to another one.
    """
    found = sha256(repr((sys.version, sys.implementation.cache_tag)).encode())
    for folder in _folders(str(_PACKAGE)):
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith(".py"):
                    stat = entry.stat()
                    found.update(f"{entry.path}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode())
    return found.digest()


def _folders(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        inside = sorted(entry.path for entry in entries if entry.is_dir() and entry.name != "__pycache__")
    return [folder, *(one for place in inside for one in _folders(place))]


INSTALL: Final = ("uv tool install pbem", "pipx install pbem", "pip install pbem")
"""Each of these lines alone installs pbem; the first brings a Python along. All who tell it read it here."""
