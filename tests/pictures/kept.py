"""What was drawn before is kept; a measurement or a test may want to begin without it."""

from __future__ import annotations

from pbem.player.pictures import tiles
from pbem.player.pictures.picture import to_png


def forget() -> None:
    """As if nothing had been drawn yet in this process."""
    to_png.cache_clear()
    tiles._drawn.cache_clear()
    tiles._kept.cache_clear()
