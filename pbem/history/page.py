"""One frame as text: what happened, the table after it, and the hand where the eyes may see one."""

from __future__ import annotations

from pbem.game import Seat
from pbem.history.timeline import Frame
from pbem.letters import story_text
from pbem.letters.environment import when
from pbem.letters.layout import clean_name, fill
from pbem.letters.terminal import render_table


def page_of(frame: Frame, last: int, *, width: int = 80, colour: bool = False) -> str:
    """The page of one frame; ``last`` is the number of the newest record of the match."""
    parts = [fill(_heading(frame, last), width), _story(frame), _table(frame, width, colour=colour)]
    if frame.note:
        parts.append(fill(f"({frame.note})", width))
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def _heading(frame: Frame, last: int) -> str:
    line = frame.record.head
    who = f" of {_name(frame, frame.seat)}" if frame.seat else ""
    return f"Record {line.seq} of {last}: {line.kind}{who}, {when(line.at)}\nSeen by {_eyes(frame)}."


def _eyes(frame: Frame) -> str:
    if frame.eyes.everything:
        return "everybody, all cards open" if frame.hands else "everybody"
    return _name(frame, frame.eyes.seat) if frame.eyes.seat else "the public"


def _name(frame: Frame, seat: Seat | None) -> str:
    return clean_name(frame.record.names.get(seat, str(seat))) if seat else ""


def _story(frame: Frame) -> str:
    """The record's own sentences; a record that tells nothing needs none."""
    if frame.seq == 0:
        return ""
    _, _, told = story_text(frame.record, frame.seq - 1, frame.seq).partition("\n")
    return told


def _table(frame: Frame, width: int, *, colour: bool) -> str:
    record = frame.record
    if frame.view is None:
        return "Nothing has been dealt yet."
    public = record.public or frame.view
    return render_table(
        record.game_info.id,
        frame.view,
        record.rules.setup,
        record.names,
        record.rules.summary(public),
        width=width,
        colour=colour,
        viewer=frame.eyes.seat if frame.hands else None,
        everything=frame.eyes.everything,
    )
