"""A whole match played by computer players through the real path: files in, letters out, nothing else.

Identities, invitation, joins, ready files, one signed turn file after another, letters, closes, audit. The host has a
folder; each player has a folder of his own with his identity and the letters he was sent, and acts from these
alone. What is left is what a real match leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.lazy import lazily

if TYPE_CHECKING:
    from pbem.demo.entropy import SeededEntropy, StepClock
    from pbem.demo.match import Demo, DemoResult
    from pbem.demo.people import Person, free_folder

__all__ = ["Demo", "DemoResult", "Person", "SeededEntropy", "StepClock", "free_folder"]

__getattr__ = lazily(
    __name__,
    {
        "match": "Demo DemoResult",
        "people": "Person free_folder",
        "entropy": "SeededEntropy StepClock",
    },
)
"""Loaded when first asked for: practice needs people, and no host."""
