"""A diary: words to oneself that nobody else can read, kept beside the copy and never in the record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.base.language import language_of
from pbem.game import Seat
from pbem.player.history import Timeline, Viewpoint, page_of
from pbem.player.report import examine
from pbem.player.report import page_of as report_page
from pbem.player.seat import Copy
from pbem.player.seat.copy import LONGEST, Diary
from pbem.player.store import MatchFolder
from pbem.protocol.crypto.identity import Identity
from tests.history.matches import played
from tests.world import secret

GAME = secret("game")
BURT = "Burt hält die Sheriffs; er blufft — vielleicht"


def nonces() -> Iterator[bytes]:
    number = 0
    while True:
        number += 1
        yield secret(f"nonce {number}")[:12]


def diary_at(path: Path, name: str = "anna", game: bytes = GAME) -> Diary:
    return Diary(MatchFolder(path), Identity(secret(name)), game)


def test_what_is_noted_is_read_again_and_by_nobody_else(tmp_path: Path) -> None:
    mine, fresh = diary_at(tmp_path), nonces()
    for seq, text in enumerate((BURT, "short")):
        mine.write(text, seq, f"2026-11-2{seq}T18:00:00Z", lambda size: next(fresh)[:size])
    notes, closed = diary_at(tmp_path).read()
    assert ([(note.seq, note.text) for note in notes], closed) == ([(0, BURT), (1, "short")], 0)
    assert diary_at(tmp_path, "burt").read() == ([], 2)
    assert diary_at(tmp_path, game=secret("another")).read() == ([], 2)
    files = sorted((tmp_path / "diary").iterdir())
    assert len({path.stat().st_size for path in files}) == 1, "how long a page is tells nothing"
    assert all(b"Sheriff" not in path.read_bytes() for path in files)
    files[0].write_bytes(files[0].read_bytes()[:-1] + b"x")
    assert mine.read()[1] == 1, "a damaged page is counted, the others are read"


@pytest.mark.parametrize("text", ["", "   ", "a" * (LONGEST + 1), "bell \x07", "\x1b[2J"])
def test_nothing_and_too_much_and_what_moves_a_cursor_are_not_kept(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageProblem, match="plain text of 1 to"):
        diary_at(tmp_path).write(text, 0, "2026-11-21T18:00:00Z", bytes)
    assert not (tmp_path / "diary").exists()


def test_replay_and_ones_own_page_show_it_and_the_record_and_the_others_page_do_not(tmp_path: Path) -> None:
    match = played("wyatt-earp")
    client_copy = Copy(MatchFolder(tmp_path))
    client_copy.take_in(match.lines, "the test")
    diary = Diary(client_copy.folder, match.people[Seat("anna")], match.record.game)
    diary.write(BURT, 20, match.record.head.at, lambda size: secret("n")[:size])
    assert client_copy.record.head.hash == match.record.head.hash
    timeline = Timeline(match.record)
    viewpoint = Viewpoint(Seat("anna"), match.people[Seat("anna")])
    german = language_of("de")
    words = diary.by_record()[20]
    page = " ".join(
        page_of(timeline.frame(20, viewpoint), timeline.last, language=german, diary=words).split()
    )
    assert f"Dein Tagebuch: „{BURT}“" in page
    document = examine(match.lines, language=german).document
    own = report_page(document, language=german, diary={20: [BURT], 10_000: ["At the end"]})
    assert BURT in own
    assert "At the end" in own
    assert "nur für dich" in own
    assert BURT not in report_page(document, language=german)
