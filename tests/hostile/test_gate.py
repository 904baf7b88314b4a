"""Class 4, time that grows faster than the input: every entry of untrusted bytes answers in time, whatever it is given.

The four that were found (S1, S2, M4, S4; S1, S2 and M4 also inside zips), and six members more: a command of blanks,
blanks while repairing, an entity of 5,000 digits, parameters without end in a part, signature marks in a record's line,
encoded words in a saved email. Each of ``CASES`` broke the program or took longer than is allowed here before the one
gate was built. The search behind them: every pattern of the program (``test_patterns.py``), and the families of
``tests/fuzz/families.py`` (boundaries, nested mails, encodings, entities, bombs, tiny parts, lone carriage returns)
through every entry; those passed before, too, if slower, and are held by ``tests/fuzz/test_cost.py``.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import pbem
from pbem.base.errors import FormatError
from pbem.player.mail import content_of
from pbem.player.mail.boxes import letters_in
from pbem.player.mail.gate import MailRefused, Work, read_mail
from pbem.player.mail.intake import take_in
from pbem.player.mail.look import Looked, look
from pbem.player.store.game_file import judge_tail
from pbem.protocol.formats.strict_json import MAX_FILE, parse
from tests.fuzz.families import HEAD, MAIL, REFUSED, part_header, parts, text, zipped
from tests.patience import PATIENCE
from tests.world import World

PACKAGE = Path(pbem.__file__).parent
OWN = "games@pbem.test"
SECONDS = 2.0
"""Of processor time; every one of these took more than ten, or did not end, or broke the program."""


def looked(raw: bytes) -> Looked | MailRefused:
    try:
        return look(raw, OWN)
    except MailRefused as fault:
        return fault


def content(raw: bytes) -> object:
    return content_of(raw)


CASES: dict[str, tuple[bytes, Callable[[bytes], object]]] = {
    "S1: escaped quotes in a mail": (text('\\"', '{"body":{"a":"')(64_000), looked),
    "S1: the same in a zip": (parts(zipped('{"body":{"a":"\\"'), "application/zip")(39_000), looked),
    "S2: head opened again and again": (text("<head>", kind="html")(192_000), looked),
    "S2: the same in a small zip": (parts(zipped("<html><head>"), "application/zip", 1)(739), looked),
    "M4: braces in a small zip": (parts(zipped('{"body":'), "application/zip")(9000), looked),
    "S4: a saved letter with 280 KB of header": (
        HEAD + b"Content-Type: text/plain;\r\n " + b"a=(x);\r\n " * 31_000 + b"\r\n\r\nx",
        content,
    ),
    "S4: a saved letter with a header of brackets": (
        HEAD + b"Content-Type: text/plain; a=" + b"(" * 3000 + b"\r\n\r\nx",
        content,
    ),
    "a command of blanks": (text(" ", "STATUS", "%")(20_000), looked),
    "blanks while mending": (text(" ", '{"body":1')(200_000), looked),
    "a number of 5,000 digits": (text("9", "&#", ";", "html")(6000), looked),
    "parameters in a part": (part_header(";", ";")(500_000), looked),
    "signature marks on a line": (b'{"body":{"prev":"",' + b'"sig":{' * 100_000, content),
    "a line of strings that just stops": (b"{" + b'""' * 700_000, judge_tail),
    "encoded words in a saved letter": (
        HEAD + b"X-Pbem-Seat: " + b"=?utf-8?q?a?= " * 20_000 + b"\r\n\r\nx",
        content,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_foreign_bytes_are_answered_in_time(name: str) -> None:
    """Each in a process of its own, since at 5bfb1b0 most do not end."""
    run = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_CPU, (20, 20));"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30,) * 2);"
        "from tests.hostile.test_gate import CASES, timed; timed(*CASES[sys.argv[1]])"
    )
    done = subprocess.run([sys.executable, "-c", run, name], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-1500:]


def timed(raw: bytes, enter: Callable[[bytes], object]) -> None:
    """Fail if it takes too long."""
    enter(raw[:300])  # what is imported late
    begin = time.process_time()
    enter(raw)
    spent = time.process_time() - begin
    assert spent < SECONDS, f"{spent:.1f} seconds"


def lzma(size: int) -> bytes:
    """An archive that asks for as much memory as its dictionary may have: four GiB."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a", b"x" * size)
    raw = out.getvalue()
    return raw.replace(b"\x09\x04\x05\x00\x5d\x00\x00\x80\x00", b"\x09\x04\x05\x00\x5d\xff\xff\xff\xff")


def test_an_archive_may_not_ask_for_memory() -> None:
    (fault,) = look(parts(lzma, "application/zip", 1)(4000), OWN).intake.faults
    assert "unusual" in fault.sentence


@pytest.mark.parametrize("name", MAIL)
def test_every_family_is_looked_at_and_leaves_the_gate_by_its_front(name: str) -> None:
    raw = MAIL[name](30_000)
    looked = look(raw, OWN)
    assert not looked.intake.messages
    assert content_of(raw).kind == "mail"


@pytest.mark.parametrize("name", REFUSED)
def test_what_nobody_sends_is_refused_before_it_is_parsed(name: str) -> None:
    with pytest.raises(MailRefused):
        read_mail(REFUSED[name](400_000))
    assert content_of(REFUSED[name](400_000)).kind == "mail"


@pytest.mark.parametrize(
    "name", ["S4: a saved letter with 280 KB of header", "S4: a saved letter with a header of brackets"]
)
def test_a_letter_nobody_can_read_does_not_keep_a_match_from_being_shown(name: str, tmp_path: Path) -> None:
    world = World("wyatt-earp", ("anna", "burt")).start()
    (tmp_path / "game.jsonl").write_bytes(b"".join(line + b"\n" for line in world.lines))
    (tmp_path / "hostile.eml").write_bytes(CASES[name][0])
    done = subprocess.run(
        [sys.executable, "-m", "pbem", "show", str(tmp_path), "--public"],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[-1500:]
    assert b"Traceback" not in done.stderr


def test_a_deep_bracket_is_an_error_with_a_place_and_in_time() -> None:
    begin = time.process_time()
    with pytest.raises(FormatError):
        parse(b'{"body":"' + b'\\"' * 32_000, limit=MAX_FILE)
    assert time.process_time() - begin < SECONDS


def test_the_work_of_a_mail_is_one_for_all_its_parts() -> None:
    """Twenty archives do not get twenty times what one gets; what was found before it is used up counts."""
    raw = parts(zipped('{"body":{"a":"“\\"'), "application/zip")(20_000)
    mail = read_mail(raw)
    most = Work(len(raw)).left
    intake = take_in(mail)
    assert [fault.kind for fault in intake.faults][-1] == "too-much"
    assert mail.work.left == 0 < most


def test_a_box_is_cut_where_letters_begin(tmp_path: Path) -> None:
    box = tmp_path / "box"
    box.write_bytes(
        b"From a@b.c Sat Nov 21 18:00:00 2026\nSubject: one\n\nwords\nFrom here on words\n\n"
        b"From d@e.f Sat Nov 21 18:00:01 2026\nSubject: two\n\nwords\n"
        b"From g@h.i Sat Nov 21 18:00:02 2026\nSubject: three\n"
    )
    kept = [(letter.source, letter.raw.partition(b"\n")[0]) for letter in letters_in(box)]
    assert kept == [
        ("letter 1", b"Subject: one"),
        ("letter 2", b"Subject: two"),
        ("letter 3", b"Subject: three"),
    ]


def test_mail_is_parsed_in_one_place() -> None:
    """Anywhere else a header of untrusted mail may raise, or take minutes."""
    parsing = re.compile(
        r"message_from_\w+|\b(?:Bytes)?(?:Feed|Header)?Parser\(|email\.policy import default|import mailbox\b"
    )
    modules = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "node_modules" not in path.parts and parsing.search(path.read_text("utf-8"))
    }
    assert modules == {"player/mail/gate.py"}
