"""Records in a file: plain, packed, damaged, and packed so that they unfold into much."""

from __future__ import annotations

import gzip
import random
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.host.letter_mail import to_eml
from pbem.player.mail import content_of
from pbem.player.mail.gate import read_mail
from pbem.player.mail.intake import Lines, items_of
from pbem.player.mail.look import look
from pbem.player.mail.outgoing import MailHead
from pbem.protocol.record.line import lines_in, pack_lines
from tests.letters.test_golden import LETTERS

GAME = Path(__file__).parents[2] / "examples" / "wyatt-earp" / "game.jsonl"
WHOLE = GAME.read_bytes()
RECORDS = tuple(WHOLE.splitlines())
HEAD = MailHead(
    "host@pbem.example", "anna@players.example", "", "<g@pbem.example>", datetime(2026, 11, 23, tzinfo=UTC)
)
SHORT = b"\n".join(b"%x" % number for number in random.Random(7).choices(range(4096), k=50_000))


def test_packed_records_are_the_same_records_in_less_space() -> None:
    packed = pack_lines(WHOLE)
    assert gzip.decompress(packed) == WHOLE
    assert packed == pack_lines(WHOLE)
    assert lines_in(packed) == lines_in(WHOLE) == RECORDS
    assert len(packed) < len(WHOLE) * 0.75
    assert content_of(packed).lines == RECORDS


@pytest.mark.parametrize(
    "packed",
    [
        pack_lines(WHOLE)[:-1],
        pack_lines(WHOLE)[:1000],
        pack_lines(WHOLE) + b"x",
        pack_lines(WHOLE) + pack_lines(WHOLE),
        pack_lines(pack_lines(WHOLE)),
        pack_lines(b"no records"),
        pack_lines(b""),
        b"\x1f\x8b\x08",
        pack_lines(WHOLE)[:100] + bytes(100) + pack_lines(WHOLE)[200:],
    ],
    ids=[
        "its end",
        "its rest",
        "behind",
        "two",
        "twice",
        "words",
        "nothing",
        "its beginning",
        "in the middle",
    ],
)
def test_what_is_damaged_or_no_records_brings_nothing(packed: bytes) -> None:
    assert not lines_in(packed)
    assert content_of(packed).lines == ()


@pytest.mark.parametrize(
    ("piece", "times"),
    [(b"a", 20_000_000), (b"\n", 300_000), (SHORT, 1)],
    ids=["far too much", "empty lines", "short lines that hardly get shorter"],
)
def test_what_unfolds_into_too_much_brings_nothing(piece: bytes, times: int) -> None:
    assert not lines_in(pack_lines(RECORDS[0] + b"\n" + piece * times))


def test_a_letter_with_many_records_is_read_by_everybody_who_reads_letters() -> None:
    letter = replace(LETTERS["earp_turn_end"](), attachment=WHOLE, attachment_name="game-x-0-99.jsonl.gz")
    plain = replace(letter, attachment_name="game-x-0-99.jsonl")
    raw = to_eml(letter, HEAD)
    assert len(to_eml(plain, HEAD)) - len(raw) > len(WHOLE) // 4
    assert b"application/gzip" in raw
    assert content_of(raw).lines == RECORDS
    assert look(raw, "nobody@host.test").copies == (RECORDS,)
    assert Lines(RECORDS) in list(items_of(read_mail(raw)))
