"""Modules that are imported when something of them is first used: a command waits for nothing that it does not use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.machinery import PathFinder
from itertools import accumulate
from types import ModuleType
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


def put_off(*names: str) -> None:
    """Whoever imports one of these modules from now on gets what stands in for it until it is used.

    For libraries that import more than they need. The standard library's ``LazyLoader`` does not help there: an import
    statement looks at a module's ``__spec__``, and that is a use for it.

    Args:
        names: of modules; those that are loaded already, or are not there, are left alone. Where the package is not
            loaded yet, the module must be one that is taken by ``from package import module``.
    """
    for name in names:
        if name not in sys.modules and _is_there(name):
            module = sys.modules[name] = _Later(name)
            package, _, own = name.rpartition(".")
            if package in sys.modules:
                setattr(sys.modules[package], own, module)


def _is_there(name: str) -> bool:
    """Whether the module can be found; packages that it is in are not imported for that."""
    places = None
    for whole in accumulate(name.split("."), "{}.{}".format):
        spec = PathFinder.find_spec(whole, places)
        if spec is None:
            return False
        places = spec.submodule_search_locations or []
    return True


class _Later(ModuleType):
    """Stands in for a module; asked for anything, it loads the module and has all that it has."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        real = import_module(self.__name__)
        vars(self).update(vars(real))
        return getattr(real, name)
