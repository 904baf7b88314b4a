"""The table at once: drawn into the bare terminal by the same template, before the library of the screen is loaded.

Loading it and building its screen takes longer than everything before. Meanwhile the table and what is asked can be
read; the screen then comes up over the same lines in the same places. Nothing here knows the library.
"""

from __future__ import annotations

import re
from typing import Final

from pbem.player.letters.layout import cells
from pbem.player.play.choices import Choices
from pbem.player.play.session import Session

SHORT: Final = 24
"""Lines below which the table and the hand do not fit together."""
WIDE: Final = 118
"""Columns from which table and choices stand side by side."""
ENTER: Final = "\x1b[?1049h\x1b[2J\x1b[H"
"""To the second page of the terminal, where the screen goes, too (xterm control sequences, private mode 1049)."""
LEAVE: Final = "\x1b[?1049l"
_COLOURS: Final = re.compile(r"\x1b\[[\d;]*m")


def first_look(session: Session, columns: int, lines: int, *, colour: bool = True) -> str:
    """The lines that the screen begins with: its top line, the table, what is asked until when.

    Empty where it begins with something else or differently: news, no table yet, a small or a wide window.
    """
    view = session.shown
    if view is None or session.news or lines < SHORT or columns >= WIDE:
        return ""
    table = session.drawing.compact_view(view, columns - 2, fresh=session.fresh()).splitlines()
    choices = Choices(session)
    asked = ", ".join(text for text in (choices.title, choices.due) if text)
    top = session.top()
    if len(table) + 2 > lines or max(map(cells, (top, asked))) > columns - 2:
        return ""
    blanks = " " * (columns - 1 - cells(top))
    text = "\n".join((blanks + top, *(f" {line}" for line in table), f"─{asked}".ljust(columns, "─")))
    return text if colour else _COLOURS.sub("", text)
