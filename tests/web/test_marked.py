"""What is marked on the page can be touched there (``tests.web.marked``)."""

from __future__ import annotations

from tests.web.marked import run


def test_whatever_is_marked_is_touched_by_a_finger_on_it() -> None:
    touched = run(120, 3)
    for width in ("narrow", "wide"):
        kinds = {kind for kind in touched if kind.startswith(width)}
        assert {f"{width} {kind}" for kind in ("hand", "poster", "box", "town", "seat", "do")} <= kinds
