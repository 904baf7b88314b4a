"""A whole match played by computer players through the real path: files in, letters out, nothing else.

Identities, invitation, joins, ready files, one signed turn file after another, letters, closes, audit. The host has a
folder; each player has a folder of his own with his identity and the letters he was sent, and acts from these
alone. What is left is what a real match leaves.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pbem.demo.entropy import SeededEntropy, StepClock
    from pbem.demo.match import Demo, DemoResult
    from pbem.demo.people import Person, free_folder

__all__ = ["Demo", "DemoResult", "Person", "SeededEntropy", "StepClock", "free_folder"]

_PLACES: Final = {
    "Demo": "pbem.demo.match",
    "DemoResult": "pbem.demo.match",
    "Person": "pbem.demo.people",
    "SeededEntropy": "pbem.demo.entropy",
    "StepClock": "pbem.demo.entropy",
    "free_folder": "pbem.demo.people",
}
"""Loaded when first asked for: practice needs people, and no host."""


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
