"""QR codes for terminals: a link or a paper that a phone reads off the screen."""

from __future__ import annotations

import io

import segno


def squares(text: str, *, colour: bool) -> str:
    """A code in half blocks, light where a block is; in black and white whatever the terminal has."""
    drawn = io.StringIO()
    segno.make(text, error="m", micro=False).terminal(drawn, compact=True, border=4)
    lines = drawn.getvalue().splitlines()
    return "\n".join(f"\x1b[97;40m{line}\x1b[0m" for line in lines) if colour else "\n".join(lines)
