"""What was drawn before is cached; a measurement or a test may want to begin without it."""

from __future__ import annotations

from pbem.player.pictures import picture


def forget() -> None:
    """As if nothing had been drawn yet in this process."""
    picture.to_png.cache_clear()
    picture._drawn.cache_clear()
    picture._kept.cache_clear()
