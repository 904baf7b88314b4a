"""``pbem id``: made once, never shown, restored from paper, with a passphrase from a file or a prompt."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import zxingcpp
from PIL import Image

from pbem.base.errors import UsageProblem
from pbem.cli.keys import open_identity
from pbem.player.store.keyring import file_name_for
from pbem.protocol.crypto.identity import from_paper, recovery_from_paper, recovery_hash, recovery_key
from tests.cli.test_start import ROOT
from tests.forked import command
from tests.patience import PATIENCE

SENTENCE = "TEST Tombstone, 26 October – six shots"


def pbem(
    *arguments: str, env: dict[str, str] | None = None, text: str | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **(env or {})}
    done = command(*arguments, folder=ROOT, environment=environment, stdin=(text or "").encode())
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def passphrase_file(tmp_path: Path) -> Path:
    path = tmp_path / "passphrase"
    path.write_text(SENTENCE + "\nnot this\n", encoding="utf-8")
    path.chmod(0o600)
    return path


def answered(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def scanned(shown: str) -> str:
    """What a camera reads in the blocks on a screen: another library's reader on white squares and black."""
    rows = [line for line in re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines() if set(line) & set("█▀▄")]
    width = max(map(len, rows))
    picture = Image.new("L", (width, 2 * len(rows)), 0)
    for y, row in enumerate(rows):
        for x, block in enumerate(row):
            for half, light in ((0, "█▀"), (1, "█▄")):
                picture.putpixel((x, 2 * y + half), 255 if block in light else 0)
    (barcode,) = zxingcpp.read_barcodes(picture.resize((width * 6, 12 * len(rows)), Image.Resampling.NEAREST))
    return str(barcode.text)


def test_an_identity_from_its_making_to_its_restoring(
    home: Path, tmp_path: Path, passphrase_file: Path
) -> None:
    env = {"PBEM_HOME": str(home), "PBEM_PASSPHRASE_FILE": str(passphrase_file)}
    done = pbem("id", "new", "Anna K.", "--json", env=env)
    made_identity = answered(done)
    assert done.stderr == ""
    file = Path(made_identity["file"])
    assert file == home / "identities" / "anna-k.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (made_identity["name"], made_identity["person"], made_identity["kind"]) == (
        "anna-k",
        "Anna K.",
        "player",
    )

    identity = open_identity(home, None, passphrase_file)
    raw = file.read_text(encoding="utf-8")
    assert identity.secret.hex() not in raw
    recovery = recovery_key(recovery_from_paper(made_identity["recovery_paper"])).public
    assert json.loads(raw)["header"]["recovery"] == made_identity["recovery"]
    assert len(recovery_hash(recovery)) == 32

    shown = answered(pbem("id", "show", "--json", env=env))
    assert shown == [{key: value for key, value in made_identity.items() if key != "recovery_paper"}]
    assert made_identity["fingerprint"] in pbem("id", "show", "anna-k", env=env).stdout

    paper = tmp_path / "paper.txt"
    answered(pbem("id", "backup", "-o", str(paper), "--json", env=env))
    assert stat.S_IMODE(paper.stat().st_mode) == 0o600
    on_paper = answered(pbem("id", "backup", "anna-k", "--json", env=env))["paper"]
    assert from_paper(on_paper).secret == identity.secret
    for border in (None, tmp_path / "squares.txt"):
        where_to = [] if border is None else ["-o", str(border)]
        squares = pbem("id", "backup", "--qr", *where_to, env=env).stdout
        assert (
            from_paper(scanned(squares if border is None else border.read_text(encoding="utf-8"))) == identity
        )

    elsewhere = tmp_path / "elsewhere"
    for given in ("file", "stdin"):
        where = [
            "--as",
            given,
            "--home",
            str(elsewhere / given),
            "--from",
            str(paper) if given == "file" else "-",
        ]
        typed = on_paper.lower().replace(" ", "-")
        back = answered(pbem("id", "restore", "Anna K.", "--json", *where, env=env, text=typed))
        assert back["fingerprint"] == made_identity["fingerprint"]
        assert "recovery" not in back
    assert open_identity(elsewhere / "stdin", "stdin", passphrase_file).secret == identity.secret


def test_a_name_that_is_taken_is_refused_before_a_passphrase_is_asked_for(home: Path) -> None:
    (home / "identities").mkdir(parents=True)
    (home / "identities" / "anna.json").write_text("kept")
    done = pbem("id", "new", "Anna", "--home", str(home))
    assert done.returncode == 2
    assert "there is already an identity 'anna'" in done.stderr
    assert (home / "identities" / "anna.json").read_text() == "kept"


def test_a_wrong_passphrase_opens_nothing(home: Path, passphrase_file: Path, tmp_path: Path) -> None:
    env = {"PBEM_HOME": str(home)}
    answered(pbem("id", "new", "Anna", "--json", "--passphrase-file", str(passphrase_file), env=env))
    wrong = tmp_path / "wrong"
    wrong.write_text("tombstone")
    done = pbem("id", "backup", "--passphrase-file", str(wrong), env=env)
    assert (done.returncode, done.stdout) == (4, "")
    assert "does not open the identity of Anna" in done.stderr
    assert "is open to other users" in done.stderr, "the passphrase file lies open"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "begins with an empty line"),
        (b"\nsecond line", "begins with an empty line"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"x" * 5000, "too long"),
        (None, "cannot read the passphrase file"),
    ],
)
def test_a_bad_passphrase_file_makes_nothing(
    home: Path, tmp_path: Path, content: bytes | None, sentence: str
) -> None:
    path = tmp_path / "bad"
    if content is not None:
        path.write_bytes(content)
    done = pbem("id", "new", "Anna", "--home", str(home), "--passphrase-file", str(path))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert not home.exists()


def test_without_a_terminal_a_passphrase_file_is_asked_for(home: Path) -> None:
    done = pbem("id", "new", "Anna", "--home", str(home))
    assert done.returncode == 2
    assert "there is no terminal to ask for it" in done.stderr
    assert "--passphrase-file FILE, or PBEM_PASSPHRASE_FILE" in done.stderr
    assert not home.exists()


def test_a_host_without_a_passphrase_must_say_so_and_is_warned(home: Path, tmp_path: Path) -> None:
    done = pbem("id", "new", "Bat", "--host", "--no-passphrase", "--json", "--home", str(home))
    identity = answered(done)
    assert identity["kind"] == "host"
    assert "recovery" not in identity
    assert "recovery_paper" not in identity
    assert done.stderr == "pbem: without a passphrase, whoever gets the identity file plays in your name\n"
    empty = tmp_path / "empty"
    empty.touch(mode=0o600)
    assert open_identity(home, "bat", empty).sign_public


def test_an_identity_file_that_lies_open_is_shown(home: Path) -> None:
    identity = answered(pbem("id", "new", "Bat", "--no-passphrase", "--json", "--home", str(home)))
    Path(identity["file"]).chmod(0o644)
    done = pbem("id", "show", "--home", str(home))
    assert done.returncode == 0
    assert f"chmod 600 {identity['file']}" in done.stderr


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "recovery words have 56 letters and digits, found 0"),
        ("ABCD " * 14, "at least one character is not as it was"),
        ("UUUU " * 14, "is not a character of this code"),
    ],
)
def test_a_paper_that_was_misread_restores_nothing(
    home: Path, passphrase_file: Path, text: str, sentence: str
) -> None:
    done = pbem(
        "id", "restore", "Anna", "--from", "-", "--home", str(home),
        "--passphrase-file", str(passphrase_file), text=text,
    )  # fmt: skip
    assert done.returncode == 3
    assert sentence in done.stderr
    assert not home.exists()


@pytest.mark.parametrize("person", ["", " Anna", "An\u202ena", "x" * 61])
def test_a_name_that_no_record_could_hold_is_refused(home: Path, person: str) -> None:
    done = pbem("id", "new", person, "--no-passphrase", "--home", str(home))
    assert done.returncode == 3
    assert not home.exists()


def test_file_names_are_made_from_the_persons_name() -> None:
    assert file_name_for("Zoë O'Hara") == "zoe-o-hara"
    assert file_name_for("A" * 60) == "a" * 32
    with pytest.raises(UsageProblem, match="can name a file"):
        file_name_for("Анна")


# --- prompts ------------------------------------------------------------------------------------------------


def at_a_terminal(
    arguments: Sequence[str],
    typed: Sequence[str],
    *,
    program: Sequence[str] = ("-m", "pbem"),
    asks: str = ": ",
) -> tuple[int, str]:
    """Run ``pbem`` on a pseudo-terminal; type the next line whenever what it shows ends like a question."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, *program, *arguments])  # noqa: S606 - the child of pty.fork
    shown, waiting, question = "", list(typed), re.compile(rf"{asks}\Z")
    try:
        while select.select([terminal], [], [], PATIENCE)[0]:
            try:
                part = os.read(terminal, 4096).decode()
            except OSError:  # the terminal is closed
                break
            if not part:
                break
            shown += part
            if question.search(shown) and waiting:
                os.write(terminal, (waiting.pop(0) + "\n").encode())
        else:
            raise AssertionError(f"it waits for {waiting}: {shown}")
    finally:
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), shown


def test_an_answer_typed_as_soon_as_its_question_can_be_seen_is_read() -> None:
    code = (
        "from pbem.cli.first_start import Asking\n"
        "from pbem.cli.speech import language_here\n"
        "print([Asking(language_here()).secret('Which?') for _ in range(100)])"
    )
    answers = [str(number) for number in range(100)]
    _, shown = at_a_terminal([], answers, program=("-c", code), asks=r"\?:? ?")
    assert shown.endswith(f"{answers}\r\n")


def test_a_passphrase_is_asked_for_twice_and_never_shown(home: Path) -> None:
    where = ["--home", str(home)]
    code, shown = at_a_terminal(["id", "new", "Anna", *where], ["secret one", "secret two"])
    assert code == 2
    assert "the two passphrases differ" in shown
    assert not home.exists()

    code, shown = at_a_terminal(["id", "new", "Anna", *where], ["secret one", "secret one"])
    assert code == 0, shown
    assert "secret" not in shown

    code, shown = at_a_terminal(["id", "backup", "--json", *where], ["secret one"])
    assert code == 0, shown
    assert "Passphrase of anna: " in shown
    assert "secret" not in shown


def test_an_empty_passphrase_at_the_prompt_is_refused(home: Path) -> None:
    code, shown = at_a_terminal(["id", "new", "Anna", "--home", str(home)], [""])
    assert code == 2
    assert "If you want no passphrase, say --no-passphrase." in shown
    assert not home.exists()
