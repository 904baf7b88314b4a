"""One frame as text: what happened, the table after it, and the hand where the eyes may see one."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import Sentence, sentence, term
from pbem.game import Seat
from pbem.player.history.timeline import Frame
from pbem.player.letters import story_text
from pbem.player.letters.layout import clean_name, fill
from pbem.player.letters.standing import waiting_at
from pbem.player.letters.terminal import render_table
from pbem.player.seat.diary import DiaryEntry


def page_of(
    frame: Frame,
    last: int,
    *,
    width: int = 80,
    colour: bool = False,
    language: Language = ENGLISH,
    diary: Sequence[DiaryEntry] = (),
) -> str:
    """The page of one frame; ``last`` is the number of the newest record of the match, ``diary`` the reader's words."""
    parts = [
        fill(_heading(frame, last, language), width),
        _story(frame, language),
        *(fill(language.tell(_noted(words)), width) for words in diary),
        _table(frame, width, colour, language),
    ]
    if frame.view is not None:
        reader = frame.viewpoint.seat
        words = waiting_at(frame.record, reader, frame.seq, language)
        parts.append(fill(words.told(), width))
    if frame.note:
        parts.append(fill(f"({language.tell(frame.note)})", width))
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def _noted(words: DiaryEntry) -> Sentence:
    return sentence("Your diary: “{text}”", text=words.text)


def _heading(frame: Frame, last: int, language: Language) -> str:
    line = frame.record.head
    told = {"seq": line.seq, "last": last, "kind": term(line.kind), "time": language.when(line.at)}
    if frame.seat:
        name = _name(frame, frame.seat)
        first = sentence("Record {seq} of {last}: {kind} of {name}, {time}", name=name, **told)
    else:
        first = sentence("Record {seq} of {last}: {kind}, {time}", **told)
    return f"{language.tell(first)}\n{language.tell(_viewpoint(frame))}"


def _viewpoint(frame: Frame) -> str:
    if frame.viewpoint.everything:
        return (
            sentence("Seen by everybody, all cards open.") if frame.hands else sentence("Seen by everybody.")
        )
    if frame.viewpoint.seat is None:
        return sentence("Seen by the public.")
    return sentence("Seen by {name}.", name=_name(frame, frame.viewpoint.seat))


def _name(frame: Frame, seat: Seat | None) -> str:
    return clean_name(frame.record.names.get(seat, str(seat))) if seat else ""


def _story(frame: Frame, language: Language) -> str:
    """The record's own sentences; a record that tells nothing needs none."""
    if frame.seq == 0:
        return ""
    _, _, told = story_text(frame.record, frame.seq - 1, frame.seq, language).partition("\n")
    return told


def _table(frame: Frame, width: int, colour: bool, language: Language) -> str:
    record = frame.record
    if frame.view is None:
        return language.gettext("Nothing has been dealt yet.")
    public = record.public or frame.view
    return render_table(
        record.game_info.id,
        frame.view,
        record.rules.setup,
        record.names,
        record.rules.summary(public),
        width=width,
        colour=colour,
        viewer=frame.viewpoint.seat if frame.hands else None,
        everything=frame.viewpoint.everything,
        language=language,
    )
