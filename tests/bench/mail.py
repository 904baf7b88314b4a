"""Emails as the service makes them: one ``LetterContext`` for all seats, MIME included; and pictures of the table."""

from __future__ import annotations

import base64
import binascii
import importlib
import re
import threading
import time
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import resvg_py

from pbem.base.language import ENGLISH
from pbem.game import Seat
from pbem.host.letter_mail import to_eml
from pbem.host.service.painting import Painter
from pbem.player.letters.letter import Letter
from pbem.player.letters.rendering import LetterContext, Style, environment
from pbem.player.mail.outgoing import MailHead
from pbem.player.pictures.picture import ZOOM, Font, Paint, to_png
from pbem.protocol.record import line as record_line
from tests.bench.measure import aimed, interleaved, line, ratio_line
from tests.letters.batch import letters_for
from tests.world import World

REPEAT = 3
TABLES = 11
"""So many tables of one match are drawn."""


def _world() -> World:
    world = World("wyatt-earp", ("anna", "burt", "curt", "dora"), seed="bench").start().play(30)
    while world.record.waiting is None or world.record.waiting["phase"] != "draw":
        world.move()
    return world


def _head(letter: Letter) -> MailHead:
    own = f"<{letter.seat}.{letter.upto}@pbem.invalid>"
    return MailHead("games@pbem.invalid", f"{letter.seat}@pbem.invalid", "", own, datetime.now(UTC))


def eml_of(letter: Letter) -> bytes:
    """The email as MIME."""
    return to_eml(letter, _head(letter))


def _by_hand(letter: Letter, html: str) -> bytes:
    """The parts of a mail put behind each other: what no writer of MIME can do without."""
    parts = [
        binascii.b2a_qp(letter.text.encode(), istext=True),
        binascii.b2a_qp(html.encode(), istext=True),
        base64.encodebytes(letter.attachment),
        *(base64.encodebytes(picture.png) for picture in letter.pictures),
    ]
    return b"\r\n--boundary\r\n".join(parts)


def letters() -> None:
    """Four emails of a batch, with and without their mails, against rendering, inlining and encoding alone."""
    compose: Any = importlib.import_module("pbem.player.letters.compose")
    world = _world()
    record = world.record
    head = record.head.seq
    first = next(entry.seq for entry in reversed(record.lines) if entry.kind == "open")
    contexts: dict[Style, Any] = {}
    gathers = compose._parts

    def seen(style: Style, *given: Any) -> Any:
        contexts[style] = gathers(style, *given)
        return contexts[style]

    compose._parts = seen  # what the templates are given, seen once
    letters_for(record, first, head, Seat("anna"), pictures=False)
    compose._parts = gathers
    messages = letters_for(record, first, head, Seat("anna"), pictures=False)
    assert len(messages) == 4, [message.kind for message in messages]

    def bare() -> None:
        for message in messages:
            environment(Style.TEXT).get_template("letter.txt.jinja").render(contexts[Style.TEXT])
            html = environment(Style.HTML).get_template("letter.html.jinja").render(contexts[Style.HTML])
            _by_hand(message, compose._inliner().inline(html))

    def composed() -> None:
        letters_for(record, first, head, Seat("anna"), pictures=False)

    def mailed() -> None:
        record_line._packed.cache_clear()  # as if no email had brought any of these records before
        for message in letters_for(record, first, head, Seat("anna"), pictures=False):
            eml_of(message)

    def repeated(work: object) -> object:
        return lambda: [work() for _ in range(REPEAT)]  # type: ignore[operator]

    parts = {
        name: repeated(work) for name, work in (("bare", bare), ("letters", composed), ("mails", mailed))
    }
    times = interleaved(parts, clock=time.process_time)  # type: ignore[arg-type]
    print(f"letters: {len(messages)} of one batch, shared face, no new picture")
    for name, taken in times.items():
        line(name, f"{taken.median / REPEAT * 1e3:8.1f} ms   spread {taken.spread:.0%}")
    ratio_line("four letters without MIME / floor", times, "letters", "bare", 2)
    ratio_line("four letters, MIME and all / floor", times, "mails", "bare", 2)


def _tables() -> list[list[str]]:
    """The drawings of one match's tables, file after file: for each both formats."""
    world = _world()
    tables = []
    for _ in range(TABLES):
        letter_context = LetterContext(world.record, world.record.head.seq, ENGLISH)
        tables.append(
            [
                drawing.svg
                for drawing in (letter_context.picture, letter_context.portrait)
                if drawing is not None
            ]
        )
        world.play(1)
    assert all(before != after for before, after in pairwise(tables))
    return tables


def pictures() -> None:
    """The picture of a table that a file has changed, of one that was never drawn, and of one that did not change.

    Both formats, against resvg on the same pixels.
    """
    fonts = [str(font.path) for font in Font]
    tables = _tables()
    fresh = iter(range(10**9))
    bare_turn, changed_turn, first_turn = (iter(tables[1:]) for _ in range(3))

    def bare() -> None:
        for svg in next(bare_turn):
            resvg_py.svg_to_bytes(svg_string=svg, zoom=ZOOM, skip_system_fonts=True, font_files=fonts)

    def changed() -> None:
        for svg in next(changed_turn):
            to_png(svg)

    def unchanged() -> None:
        for svg in tables[0]:
            to_png(svg)

    def other(svg: str) -> str:
        """The same drawing with other tiles, so that of the cache only the background serves: that is its size's."""
        return re.sub("(<!--tile[^<>]*-->)", rf"\1<!-- {next(fresh)} -->", svg)

    def first() -> None:
        for svg in next(first_turn):
            to_png(other(svg))

    unchanged()
    parts = {"bare resvg": bare, "changed table": changed, "new table": first, "unchanged table": unchanged}
    times = interleaved(parts, rounds=TABLES - 2, clock=time.process_time)
    print("pictures: both formats of one table")
    for name, taken in times.items():
        line(name, f"{taken.median * 1e3:8.1f} ms   spread {taken.spread:.0%}")
    ratio_line("picture of a changed table / bare resvg", times, "changed table", "bare resvg", 1.3)
    ratio_line("picture of a table never drawn / bare resvg", times, "new table", "bare resvg", 1.5)
    ratio_line("picture of an unchanged table / bare resvg", times, "unchanged table", "bare resvg", 0.05)

    painter = Painter()
    painter(other(tables[0][0]))
    for name, paint in (("in the service's own process", to_png), ("in a process of its own", painter)):
        shares = sorted(_progress(paint, other(tables[0][0])) for _ in range(7))
        line(f"what another thread gets done meanwhile, {name}", f"{shares[3]:6.2f} of what it does alone")
    aimed(
        "another thread while a picture is made / alone", shares[3], shares[0], shares[-1], 0.8, at_least=True
    )
    painter.close()


def _progress(paint: Paint, svg: str) -> float:
    """What a thread that only counts gets done while a picture is made, over what it does in as long without one."""
    done = 0
    over = threading.Event()

    def count() -> None:
        nonlocal done
        while not over.is_set():
            done += 1

    thread = threading.Thread(target=count)
    thread.start()
    begin, before = time.perf_counter(), done
    paint(svg)
    taken, during = time.perf_counter() - begin, done - before
    before = done
    over.wait(taken)
    alone = done - before
    over.set()
    thread.join()
    return during / alone
