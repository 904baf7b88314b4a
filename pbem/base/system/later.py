"""Modules that are loaded when something of them is first used: for libraries that import more than they need.

The standard library's ``LazyLoader`` does not help there: an import statement looks at a module's ``__spec__``, and
that is a use for it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


def put_off(*names: str) -> None:
    """Whoever imports one of these modules from now on gets what stands in for it until it is used.

    Args:
        names: of modules; those that are loaded already, or are not there, are left alone.
    """
    for name in names:
        if name not in sys.modules and _is_there(name):
            module = sys.modules[name] = _Later(name)
            package, _, own = name.rpartition(".")
            if package:
                setattr(sys.modules[package], own, module)


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ImportError:  # the package it is in is not there
        return False


class _Later(ModuleType):
    """Stands in for a module; asked for anything, it loads the module and has all that it has."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        real = import_module(self.__name__)
        vars(self).update(vars(real))
        return getattr(real, name)
