"""The subject of a letter: what the reader has to do or what happened, by when, and the title of the match last.

In: what it says, by when, the title. Out: one line of at most ``LONGEST`` characters, in every language and with the
longest names. The title is shortened first, then what is said; the time never is.
"""

from __future__ import annotations

from typing import Final

from pbem.player.letters.layout import clean

LONGEST: Final = 60
"""Characters; a phone's list of emails shows about so many."""
SHORTEST_TITLE: Final = 8
"""A title keeps so many characters, the mark of what was cut included."""
LONGEST_NAME: Final = 14
"""Characters of a player's name in a subject."""


def subject_line(what: str, by: str = "", title: str = "") -> str:
    """``what, by (title)``; ``by`` and ``title`` may be empty.

    >>> subject_line("Your turn: draw", "by Fri 18:56 CET", "Friends 2026")
    'Your turn: draw, by Fri 18:56 CET (Friends 2026)'
    """
    what, title = clean(what, 200), clean(title, 200)
    tail = f", {by}" if by else ""
    room = LONGEST - len(tail)
    if title:
        shortest = min(len(title), SHORTEST_TITLE)
        said = shortened(what, room - shortest - 3)
        return f"{said}{tail} ({shortened(title, room - len(said) - 3)})"
    return shortened(what, room) + tail


def shortened(text: str, most: int) -> str:
    """``text`` in at most ``most`` characters; what is cut is marked by ``…``."""
    return text if len(text) <= most else text[: most - 1].rstrip(" ,.;:") + "…"
