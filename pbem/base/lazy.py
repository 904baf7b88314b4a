"""Packages whose names are imported when they are first asked for: a command waits for nothing that it does not use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's ``__getattr__``.

    Args:
        package: its ``__name__``.
        places: each module below it, and the names that come from there, with blanks between them.
    """
    module_of = {name: f"{package}.{module}" for module, names in places.items() for name in names.split()}

    def get(name: str) -> Any:
        if name in module_of:
            return getattr(import_module(module_of[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get
