"""Ten emails of each game on a phone, before and now: ``python -m tests.letters.ten examples/letters/ten``.

FOLDER keeps a picture of each pair, 390 pixels a side, and ``subjects.json``. The left half and the first subject are
those of November 2026, before the words were changed: they are taken from what FOLDER keeps, or once from
``--before OLD``, a folder with the same names that this module wrote there (``--alone``). The right half is made again,
and so is the page ``README.md`` with both subjects as a mail list shows them.
"""

from __future__ import annotations

import argparse
import json
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image

from pbem.base.language import language_of
from pbem.game import JsonObject, Seat
from pbem.player.letters.compose import compose, refusal_letter
from pbem.player.letters.letter import Kind, Letter, LetterExtras, Link
from pbem.player.letters.rendering import LetterContext
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import format_time, parse_time
from pbem.protocol.referee import perform_default
from tests import one_time_keys
from tests.browsers import launched
from tests.letters.kinds import shown
from tests.service.screenshots import photograph
from tests.world import World, accepted, refusal

GAMES: Final = {"wyatt-earp": "Wyatt Earp", "way-out-west": "Way Out West"}
SEATS: Final = ("anna", "burt", "curt")
ANNA, BURT = Seat("anna"), Seat("burt")
WIDTH, TALLEST, GAP = 390, 1_200, 10
QUALITY: Final = 30
OUT_OF_TURN: Final[dict[str, JsonObject]] = {
    "wyatt-earp": {"do": "draw", "from": "supply"},
    "way-out-west": {"do": "pass"},
}


def ten(game: str, page: str = "") -> dict[str, Letter]:
    """The ten, in the order in which a match sends them; ``page``: the address of the web app that their host has."""
    with one_time_keys.fixed():
        letters = _first(game, page)
        world = World(game, SEATS, seed="letters to look at").start()
        for _ in range(24):
            world.move()
        while world.record.waiting is None or world.record.waiting["seat"] != ANNA:
            world.move()
        letters |= _running(world, game, page)
        seat = _asked(world.record)
        world.tick(96)
        world.take(perform_default(world.record, world.host, seat, world.now))
        head = world.record.head.seq
        letters["your time ran out"] = _written(world.record, seat, head - 3, Kind.TURN_END, page)
        accepted(world.agree({"kind": "end", "why": "supper"}, *world.seats))
        letters["the end"] = _written(world.record, BURT, world.record.head.seq - 1, Kind.MATCH_END, page)
    return letters


def _first(game: str, page: str) -> dict[str, Letter]:
    world = World(game, SEATS, seed="letters to look at")
    says = {"host": "Helga <helga@example.org>", "word": "beejtc3zqy"}
    invitation = compose(
        world.record,
        BURT,
        0,
        -1,
        Kind.INVITATION,
        details=says,
        letter_context=LetterContext(world.record, 0, language_of("en")),
        link=_way(world.record, BURT, page, "k" * 26),
        extras=LetterExtras("Saturday"),
    )
    for seat in world.seats:
        accepted(world.join(seat))
    return {"invitation": invitation, "press Ready": _written(world.record, BURT, 0, Kind.ROSTER, page)}


def _running(world: World, game: str, page: str) -> dict[str, Letter]:
    record = world.record
    head, due = record.head.seq, record.due
    assert due is not None
    own = max(
        line.seq for line in record.lines if line.kind == "turn" and line.body["msg"]["body"]["seat"] == BURT
    )
    refused = refusal(world.turn(BURT, OUT_OF_TURN[game]))
    body: JsonObject = {"seat": BURT, "n": 9, "code": refused.code, "at": world.now}
    day_before = format_time(parse_time(due) - timedelta(hours=24))
    return {
        "your turn": _written(record, ANNA, head - 6, Kind.TURN_END, page),
        "somebody's turn": _written(record, BURT, head - 6, Kind.TURN_END, page),
        "receipt": _written(record, BURT, own - 1, Kind.ACCEPTED, page, own),
        "refused": refusal_letter(
            record,
            BURT,
            {"body": body, "sig": {}},
            refused.sentence,
            language=language_of("en"),
            link=_way(record, BURT, page),
        ),
        "a day left": _written(record, ANNA, head - 3, Kind.REMINDER, page, now=day_before),
        "time is up": _written(record, ANNA, head - 3, Kind.REMINDER, page, now=due),
    }


def _written(
    record: Record,
    seat: Seat,
    since: int,
    kind: Kind,
    page: str,
    upto: int | None = None,
    now: str | None = None,
) -> Letter:
    head = record.head.seq if upto is None else upto
    letter_context = LetterContext(record, head, language_of("en"))
    link = _way(record, seat, page)
    return compose(record, seat, head, since, kind, now=now, letter_context=letter_context, link=link)


def _way(record: Record, seat: Seat, page: str, code: str = "") -> Link | None:
    return Link(page, "https://games.example.org", b64(record.game), seat, code=code) if page else None


def _asked(record: Record) -> Seat:
    assert record.waiting is not None
    return Seat(record.waiting["seat"])


# --- pictures ---------------------------------------------------------------------------------------------


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.letters.ten", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--before", type=Path, help="the folder with the pictures of the left side")
    parser.add_argument("--alone", action="store_true", help="only what is sent now, to be a left side")
    asked = parser.parse_args()
    from playwright.sync_api import sync_playwright

    folder: Path = asked.folder
    folder.mkdir(parents=True, exist_ok=True)
    old: Path = asked.before or folder
    known = {} if asked.alone else json.loads((old / "subjects.json").read_text(encoding="utf-8"))
    subjects: dict[str, list[str]] = {}
    with sync_playwright() as driver, launched(driver) as browser:
        for game in GAMES:
            for name, letter in ten(game).items():
                file = f"{game}-{name.replace(' ', '-').replace(chr(39), '')}.webp"
                page = photograph(browser, shown(letter), WIDTH, "light", most=TALLEST)
                now = Image.open(BytesIO(page)).convert("RGB")
                if asked.alone:
                    now.save(folder / file, quality=90)
                    subjects[file] = [letter.subject]
                    continue
                left = Image.open(old / file).convert("RGB")
                left = left.crop((0, 0, min(left.width, WIDTH), left.height))
                both = Image.new("RGB", (2 * WIDTH + GAP, max(left.height, now.height)), "white")
                both.paste(left, (0, 0))
                both.paste(now, (WIDTH + GAP, 0))
                both.save(folder / file, quality=QUALITY, method=6)
                subjects[file] = [known[file][0], letter.subject]
    text = json.dumps(subjects, indent=1, ensure_ascii=False)
    (folder / "subjects.json").write_text(text + "\n", encoding="utf-8")
    if not asked.alone:
        (folder / "README.md").write_text(page_of(subjects), encoding="utf-8")


def page_of(subjects: dict[str, list[str]]) -> str:
    """The page with the subjects, each beside its picture."""
    lines = [
        "# Ten emails of each game, before and now",
        "",
        "Each picture shows one email on a phone, 390 pixels wide: on the left as it was on 23 November 2026, on the",
        "right as it is sent now. Long ones are cut. `python -m tests.letters.ten examples/letters/ten` makes the",
        "right side again.",
    ]
    for game, title in GAMES.items():
        lines += ["", f"## {title}", "", "| email | subject before | subject now |", "|---|---|---|"]
        for file, (before, now) in subjects.items():
            if file.startswith(game):
                name = file.removeprefix(f"{game}-").removesuffix(".webp").replace("-", " ")
                lines.append(f"| [{name}]({file}) | {_cell(before)} | {_cell(now)} |")
    return "\n".join(lines) + "\n"


def _cell(subject: str) -> str:
    return subject.replace("|", "\\|")


if __name__ == "__main__":
    main()
