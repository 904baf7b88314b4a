"""What replay and stats call. Imported only by the bodies of commands."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pbem.cli.console import answer, say, tell, wants_colour
from pbem.cli.desks import Keys, lone_record, player_desk
from pbem.errors import UsageProblem
from pbem.game import JsonObject
from pbem.history import (
    OPEN_EYES,
    PUBLIC_EYES,
    Eyes,
    Screen,
    Stepper,
    Summary,
    Timeline,
    chart_of,
    keys_from,
    match_files,
    page_of,
    report_text,
    step_through,
    summarise,
)
from pbem.language import Language
from pbem.record import Record
from pbem.sentences import joined, sentence

_PIPED_WIDTH = 80
_WIDEST = 110


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked of replay."""

    start: int
    to: int | None
    plain: bool
    public: bool
    everything: bool
    as_json: bool


def replayed(game: Path, keys: Keys, wish: Wish, language: Language) -> None:
    """Step through the match on a terminal, else print its pages."""
    if wish.public and wish.everything:
        raise UsageProblem(
            sentence("--public and --open ask for different eyes"), hint=sentence("Give one of them.")
        )
    record, eyes = _eyes(game, keys, wish, language)
    timeline = Timeline(record)
    last = timeline.last if wish.to is None else wish.to
    if not 0 <= wish.start <= last <= timeline.last:
        raise UsageProblem(
            sentence(
                "records {start} to {last} cannot be shown; the match has 0 to {newest}",
                start=wish.start,
                last=last,
                newest=timeline.last,
            )
        )
    if wish.as_json:
        frames = [timeline.frame(seq, eyes[0]).to_json() for seq in range(wish.start, last + 1)]
        answer("", frames, as_json=True)
    elif wish.plain or wish.to is not None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        for seq in range(wish.start, last + 1):
            frame = timeline.frame(seq, eyes[0])
            say(page_of(frame, timeline.last, width=_width(), colour=_colour(), language=language))
    else:
        _step(timeline, eyes, wish.start, language)


def _eyes(game: Path, keys: Keys, wish: Wish, language: Language) -> tuple[Record, list[Eyes]]:
    """The match, and the eyes that there are, those that were asked for first."""
    if wish.public:
        return lone_record(game, keys.home), [PUBLIC_EYES, OPEN_EYES]
    if wish.everything:
        return lone_record(game, keys.home), [OPEN_EYES, PUBLIC_EYES]
    try:
        desk = player_desk(game, keys)
    except UsageProblem as fault:
        if keys.who is not None:
            raise
        record = lone_record(game, keys.home)
        tell(language.tell(joined((str(fault), sentence("you see what everybody saw")))))
        return record, [PUBLIC_EYES, OPEN_EYES]
    return desk.record, [Eyes(desk.seat, desk.identity), PUBLIC_EYES, OPEN_EYES]


def _step(timeline: Timeline, eyes: Sequence[Eyes], start: int, language: Language) -> None:
    stepper = Stepper(timeline.last, timeline.chapters, len(eyes), at=start)
    colour = _colour()

    def page(seq: int, which: int, columns: int) -> str:
        frame = timeline.frame(seq, eyes[which])
        return page_of(frame, timeline.last, width=min(columns, _WIDEST), colour=colour, language=language)

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def size() -> tuple[int, int]:
        found = shutil.get_terminal_size()
        return found.columns, found.lines

    step_through(stepper, page, keys_from(sys.stdin.fileno()), Screen(write, size, language=language))


def counted(path: Path, language: Language) -> tuple[str, JsonObject, list[Summary]]:
    """The statistics as text and as data."""
    records, left = match_files(path)
    summaries = summarise(records)
    for one in left:
        tell(language.tell(sentence("{path} is not counted: {why}", path=one.path, why=one.why)))
    facts: JsonObject = {
        "pbem": "stats/1",
        "games": [summary.to_json() for summary in summaries],
        "left_out": [{"file": str(one.path), "why": one.why} for one in left],
    }
    text = report_text(summaries, width=_width(), colour=_colour(), language=language)
    return text, facts, summaries


def picture_of_stats(summaries: Sequence[Summary], png: Path, language: Language) -> list[tuple[Path, bytes]]:
    """A picture for each game; with several, the game's id stands in the name of its file."""
    if len(summaries) == 1:
        return [(png, chart_of(summaries[0], language).png)]
    return [
        (png.with_name(f"{png.stem}-{summary.game}{png.suffix}"), chart_of(summary, language).png)
        for summary in summaries
    ]


def _width() -> int:
    return min(shutil.get_terminal_size().columns, _WIDEST) if sys.stdout.isatty() else _PIPED_WIDTH


def _colour() -> bool:
    return wants_colour(sys.stdout, os.environ)
