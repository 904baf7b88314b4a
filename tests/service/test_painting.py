"""Pictures are made in another process: the same bytes, once for each table, while this one goes on."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.host.database.database import Database
from pbem.host.service.context import ServiceContext
from pbem.host.service.painting import Painter
from pbem.player.mail.outgoing import Sender
from pbem.player.pictures import to_png
from pbem.protocol.crypto.identity import Identity
from tests.service.fakes import HOST, fake_service
from tests.service.table import Table


def drawing(colour: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8">'
        f'<rect width="8" height="8" fill="{colour}"/></svg>'
    )


@pytest.fixture
def painter() -> Iterator[Painter]:
    new_painter = Painter()
    yield new_painter
    new_painter.close()


def test_a_picture_is_made_elsewhere_and_once(painter: Painter) -> None:
    assert painter.pid == 0, "nothing is started before it is needed"
    assert painter(drawing("red")) == to_png(drawing("red"))
    first = painter.pid
    assert first not in (0, os.getpid())
    assert painter(drawing("blue")) == to_png(drawing("blue"))
    assert painter.pid == first
    os.kill(first, getattr(signal, "SIGKILL", signal.SIGTERM))
    assert painter(drawing("red")) == to_png(drawing("red"))
    assert painter.pid == first, "it is kept: nobody was asked"
    assert painter(drawing("green")) == to_png(drawing("green"))
    assert painter.pid != first, "one that died is replaced"


def test_a_picture_that_no_other_process_makes_is_made_here() -> None:
    broken = Painter("tests.service.painted:breaks")
    assert broken(drawing("red")) == to_png(drawing("red"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="waits at a named pipe")
def test_this_process_goes_on_meanwhile(tmp_path: Path) -> None:
    slow = Painter("tests.service.painted:waits")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    pictures: list[bytes] = []
    paint = threading.Thread(target=lambda: pictures.append(slow(str(gate))))
    paint.start()
    with gate.open("wb") as opened:  # opens once the other process has begun, which waits for what is written
        assert pictures == []
        opened.write(b"done")
    paint.join()
    assert pictures == [b"done"]
    slow.close()


def test_the_service_context_ends_it(tmp_path: Path, painter: Painter) -> None:
    host = Identity(bytes(range(32)))
    context = ServiceContext(Database(f"sqlite:///{tmp_path}/x.db"), host, Sender(HOST), HOST, paint=painter)
    context.paint(drawing("red"))
    pid = painter.pid
    context.close()
    assert painter.pid == 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


class Drawing:
    """A painter that keeps what it has drawn, as the true one does, and notes it for all."""

    def __init__(self, drawn: list[str]) -> None:
        self.drawn = drawn
        self.kept: set[str] = set()

    def __call__(self, svg: str) -> bytes:
        if svg not in self.kept:
            self.kept.add(svg)
            self.drawn.append(svg)
        return b"picture"


def test_three_workers_draw_each_table_once(tmp_path: Path) -> None:
    """Each has a painter of its own: all emails that show a table are written by the one that ruled on its change."""
    drawn: list[str] = []
    table = Table(tmp_path, "way-out-west", ("anna", "burt", "curt"), paint=Drawing(drawn)).start()
    workers = [fake_service(tmp_path, table.mail, table.clock, paint=Drawing(drawn)) for _ in range(3)]
    for number in range(9):
        player = table.asked()[0]
        workers[number % 3].deliver(player.mail(player.move()))
        assert workers[number % 3].run_once_without_mailbox().ruled == 1
        table.read()
    assert len(drawn) == len(set(drawn))
    assert len(drawn) >= 9
    for service in (*workers, table.service):
        service.close()
