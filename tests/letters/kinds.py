"""Ten emails of real matches, those that matter most, to be looked at: ``python -m tests.letters.kinds FOLDER``.

Written are pictures of each at three widths in a light and a dark scheme, in every language; ``--kept`` writes only
what ``examples/letters`` keeps. Each line printed says how tall the picture is.
"""

from __future__ import annotations

import argparse
import base64
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path

from pbem.base.language import CODES, Language, language_of
from pbem.game import JsonObject, Seat
from pbem.player.letters.compose import compose, refusal_letter
from pbem.player.letters.letter import Kind, Letter, LetterExtras
from pbem.player.letters.rendering import LetterContext
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import format_time, parse_time
from pbem.protocol.referee import perform_default
from tests import one_time_keys
from tests.browsers import launched
from tests.service.screenshots import photograph
from tests.world import World, accepted, refusal

ANNA, BURT = Seat("anna"), Seat("burt")
WIDTHS = {"narrow": 360, "phone": 390, "desk": 1280}
SCHEMES = ("light", "dark")
TALLEST = 6000


@cache
def _played(kind: str, game: str, moves: int) -> World:
    """A match of computer players after so many files, for emails of one kind alone."""
    with one_time_keys.fixed():
        world = World(game, ("anna", "burt", "curt"), seed="letters to look at").start()
        for _ in range(moves):
            world.move()
        if kind.endswith("turn"):
            while world.record.waiting is None or world.record.waiting["seat"] != ANNA:
                world.move()
        if kind == "defaulted" and world.record.waiting is not None:
            seat = Seat(world.record.waiting["seat"])
            world.tick(96)
            world.take(perform_default(world.record, world.host, seat, world.now))
        if kind == "end":
            accepted(world.agree({"kind": "end", "why": "supper"}, *world.seats))
    return world


@cache
def _joined() -> World:
    with one_time_keys.fixed():
        world = World("wyatt-earp", ("anna", "burt", "curt"), seed="letters to look at")
        for seat in world.seats:
            accepted(world.join(seat))
    return world


def written(record: Record, seat: Seat, since: int, kind: Kind, language: Language) -> Letter:
    head = record.head.seq
    return compose(record, seat, head, since, kind, letter_context=LetterContext(record, head, language))


def _asked(record: Record) -> Seat:
    assert record.waiting is not None
    return Seat(record.waiting["seat"])


def _your_turn(language: Language) -> Letter:
    record = _played("your-turn", "wyatt-earp", 24).record
    return written(record, ANNA, record.head.seq - 6, Kind.TURN_END, language)


def _map_turn(language: Language) -> Letter:
    record = _played("map-turn", "way-out-west", 30).record
    return written(record, ANNA, record.head.seq - 5, Kind.ASKED, language)


def _ready(language: Language) -> Letter:
    return written(_joined().record, BURT, 0, Kind.ROSTER, language)


def _defaulted(language: Language) -> Letter:
    record = _played("defaulted", "wyatt-earp", 24).record
    (default,) = [line for line in record.lines if line.kind == "default"]
    return written(record, Seat(default.body["seat"]), default.seq - 5, Kind.TURN_END, language)


def _refused(language: Language) -> Letter:
    world = _played("refused", "wyatt-earp", 24)
    record = world.record
    seat = next(seat for seat in record.seats if seat != _asked(record))
    refused = refusal(world.turn(seat, {"do": "draw", "from": "supply"}))
    body: JsonObject = {"seat": seat, "n": 9, "code": refused.code, "at": world.now}
    return refusal_letter(record, seat, {"body": body, "sig": {}}, refused.sentence, language=language)


def _time_is_up(language: Language) -> Letter:
    record = _played("time-is-up", "wyatt-earp", 24).record
    head, due = record.head.seq, record.due
    return compose(
        record,
        _asked(record),
        head,
        head - 3,
        Kind.REMINDER,
        now=due,
        letter_context=LetterContext(record, head, language),
    )


def _end(language: Language) -> Letter:
    record = _played("end", "way-out-west", 12).record
    return written(record, BURT, record.head.seq - 1, Kind.MATCH_END, language)


def _invitation(language: Language) -> Letter:
    record = World("wyatt-earp", ("anna", "burt", "curt"), seed="letters to look at").record
    says = {"host": "Helga <helga@example.org>", "word": "beejtc3zqy"}
    letter_context, beside = LetterContext(record, 0, language), LetterExtras("Saturday")
    return compose(
        record, BURT, 0, -1, Kind.INVITATION, details=says, letter_context=letter_context, extras=beside
    )


def _receipt(language: Language) -> Letter:
    record = _played("receipt", "wyatt-earp", 24).record
    own = max(
        line.seq for line in record.lines if line.kind == "turn" and line.body["msg"]["body"]["seat"] == BURT
    )
    return compose(
        record, BURT, own, own - 1, Kind.ACCEPTED, letter_context=LetterContext(record, own, language)
    )


def _a_day_left(language: Language) -> Letter:
    record = _played("a-day-left", "way-out-west", 30).record
    assert record.due is not None
    head, now = record.head.seq, format_time(parse_time(record.due) - timedelta(hours=24))
    return compose(
        record,
        _asked(record),
        head,
        head - 3,
        Kind.REMINDER,
        now=now,
        letter_context=LetterContext(record, head, language),
    )


KINDS: dict[str, Callable[[Language], Letter]] = {
    "your-turn": _your_turn,
    "map-turn": _map_turn,
    "ready": _ready,
    "defaulted": _defaulted,
    "refused": _refused,
    "time-is-up": _time_is_up,
    "end": _end,
    "invitation": _invitation,
    "receipt": _receipt,
    "a-day-left": _a_day_left,
}


def shown(letter: Letter) -> str:
    """The HTML with its pictures put in, as a mail program shows it."""
    html = letter.html
    for picture in letter.pictures:
        data = base64.b64encode(picture.png).decode()
        html = html.replace(f"cid:{picture.cid}", f"data:image/png;base64,{data}")
    return html


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kept", action="store_true", help="English, light, on a phone")
    parser.add_argument("--kinds", nargs="*", default=list(KINDS))
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    options.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver, launched(driver) as browser:
        for name in options.kinds:
            for code in ("en",) if options.kept else CODES:
                letter = KINDS[name](language_of(code))
                for place, width in {"phone": 390}.items() if options.kept else WIDTHS.items():
                    for scheme in ("light",) if options.kept else SCHEMES:
                        path = (
                            options.folder
                            / f"{name}{'' if options.kept else f'-{code}-{place}-{scheme}'}.png"
                        )
                        path.write_bytes(photograph(browser, shown(letter), width, scheme, most=TALLEST))
                        print(f"{path.name}: {height_of(path)} high; {letter.subject}")


def height_of(picture: Path) -> int:
    """Pixels, from the head of the PNG."""
    return int.from_bytes(picture.read_bytes()[20:24], "big")


if __name__ == "__main__":
    main()
