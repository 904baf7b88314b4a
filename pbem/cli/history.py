"""Commands that look back: replay a match step by step, and the results of one or many."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.cli.clients import checkpoints, lone_record, player_client
from pbem.cli.console import WIDEST, answer, coloured, page_width, print_notice, say, write_output
from pbem.cli.options import HERE, KEYS, AsJson, GameArgument, Keys, Lang, Png
from pbem.cli.speech import spoken
from pbem.game import JsonObject
from pbem.player.lookback.files import match_files
from pbem.player.lookback.picture import chart_of
from pbem.player.lookback.screen import report_text
from pbem.player.lookback.stepper import HistoryScreen, Stepper, keys_from, step_through
from pbem.player.lookback.summary import Summary, summarise
from pbem.player.lookback.timeline import OPEN_VIEWPOINT, PUBLIC_VIEWPOINT, Timeline, Viewpoint, page_of
from pbem.protocol.record import Record

app = typer.Typer()


@app.command()
def replay(
    game: GameArgument = HERE,
    start: Annotated[int, typer.Option("--from", metavar="N", help="Begin at record N.")] = 0,
    to: Annotated[int | None, typer.Option(metavar="N", help="Print no further than record N.")] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Print page after page; so it is in a pipe, too.")
    ] = False,
    public: Annotated[bool, typer.Option("--public", help="What everybody saw; needs no identity.")] = False,
    everything: Annotated[
        bool, typer.Option("--open", help="With all cards of hands that have ended; needs no identity.")
    ] = False,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Step through a match, move by move.

    Keys: n next, p back (or the arrows), g N go to, v other eyes, q quit.

    You see what you saw then: your own hand, if you hold the key of a seat.
    """
    wish = Wish(start, to, plain=plain, public=public, everything=everything, as_json=as_json)
    replayed(game, keys, wish, spoken(lang))


@app.command()
def stats(
    games: Annotated[
        Path,
        typer.Argument(metavar="COPY|FOLDER", help="A match, or a folder with the match files of several."),
    ],
    png: Png = None,
    lang: Lang = None,
    as_json: AsJson = False,
) -> None:
    """Show results, luck, waiting times and sources of points. Needs no key."""
    language = spoken(lang)
    text, facts, summaries = summed_up(games, language)
    if png is None:
        answer(text.rstrip("\n"), facts, as_json=as_json)
        return
    for place, picture in picture_of_stats(summaries, png, language):
        write_output(place, picture, replace=True)


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
    record, viewpoints = _viewpoints(game, keys, wish, language)
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
    wanted = range(wish.start, last + 1)
    if wish.as_json:
        answer("", [timeline.frame(seq, viewpoints[0]).to_json() for seq in wanted], as_json=True)
    elif wish.plain or wish.to is not None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        width, colour = page_width(), coloured()
        for seq in wanted:
            frame = timeline.frame(seq, viewpoints[0])
            say(page_of(frame, timeline.last, width=width, colour=colour, language=language))
    else:
        _step(timeline, viewpoints, wish.start, language)


def _viewpoints(game: Path, keys: Keys, wish: Wish, language: Language) -> tuple[Record, list[Viewpoint]]:
    """The match, and the viewpoints that there are, the wanted one first."""
    if wish.public:
        return lone_record(game, keys.home), [PUBLIC_VIEWPOINT, OPEN_VIEWPOINT]
    if wish.everything:
        return lone_record(game, keys.home), [OPEN_VIEWPOINT, PUBLIC_VIEWPOINT]
    try:
        client = player_client(game, keys)
    except UsageProblem as fault:
        if keys.who is not None:
            raise
        record = lone_record(game, keys.home)
        print_notice(language.translate(joined((str(fault), sentence("you see what everybody saw")))))
        return record, [PUBLIC_VIEWPOINT, OPEN_VIEWPOINT]
    return client.record, [Viewpoint(client.seat, client.identity), PUBLIC_VIEWPOINT, OPEN_VIEWPOINT]


def _step(timeline: Timeline, viewpoints: Sequence[Viewpoint], start: int, language: Language) -> None:
    stepper = Stepper(timeline.last, timeline.chapters, len(viewpoints), at=start)
    colour = coloured()

    def page(seq: int, which: int, columns: int) -> str:
        frame = timeline.frame(seq, viewpoints[which])
        width = min(columns, WIDEST)
        return page_of(frame, timeline.last, width=width, colour=colour, language=language)

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def size() -> tuple[int, int]:
        terminal_size = shutil.get_terminal_size()
        return terminal_size.columns, terminal_size.lines

    keys = keys_from(sys.stdin.fileno())
    step_through(stepper, page, keys, HistoryScreen(write, size, language=language))


class Statistics(NamedTuple):
    """Statistics of matches: as text, as data, and by game."""

    text: str
    facts: JsonObject
    summaries: list[Summary]


def summed_up(path: Path, language: Language) -> Statistics:
    """The statistics of the matches that lie at ``path``."""
    records, left = match_files(path, checkpoints(None))
    summaries = summarise(records)
    for left_out in left:
        said = sentence("{path} is not counted: {why}", path=left_out.path, why=left_out.why)
        print_notice(language.translate(said))
    facts: JsonObject = {
        "pbem": "stats/1",
        "games": [summary.to_json() for summary in summaries],
        "left_out": [{"file": str(left_out.path), "why": left_out.why} for left_out in left],
    }
    text = report_text(summaries, width=page_width(), colour=coloured(), language=language)
    return Statistics(text, facts, summaries)


def picture_of_stats(summaries: Sequence[Summary], png: Path, language: Language) -> list[tuple[Path, bytes]]:
    """A picture for each game; with several, the game's id stands in the name of its file."""
    if len(summaries) == 1:
        return [(png, chart_of(summaries[0], language).png)]
    return [
        (png.with_name(f"{png.stem}-{summary.game}{png.suffix}"), chart_of(summary, language).png)
        for summary in summaries
    ]
