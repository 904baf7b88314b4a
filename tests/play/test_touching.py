"""What may be touched is what may be chosen (``pbem.player.play.touching``)."""

from __future__ import annotations

import pytest

from pbem.games.touching import Touch
from tests.play.touching import run


@pytest.mark.parametrize("seed", range(4))
def test_every_row_is_reached_by_touch_and_nothing_else(seed: int) -> None:
    assert run(12, seed) > 24  # 2,000 positions by ``python -m tests.play.touching``


def test_parts_in_any_order_and_parts_in_order() -> None:
    touch = Touch(("box",), (("a", "b"), ("a", "c")), ("last",))
    assert touch.heads == ("box",)
    assert touch.after("a") == ()
    (inside,) = touch.after("box")
    assert inside.heads == ("a",)
    first, other = inside.after("a")
    assert (first.heads, other.heads) == (("b",), ("c",))
    (rest,) = other.after("c")
    assert rest == Touch((), (("a", "b"),), ("last",))
    (end,) = rest.after("a")[0].after("b")
    assert end.heads == ("last",)
    assert end.after("last")[0].done
