"""Starting ``pbem``: what is imported, how faults are shown, exit codes, pipes, colour."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.base.errors import (
    FormatError,
    PbemError,
    RefusedError,
    StoreError,
    UsageProblem,
    VerificationError,
)
from pbem.base.language import CODES, language_of
from pbem.base.resources import INSTALL, SYSTEMS
from pbem.cli import main
from pbem.cli.console import read_input, wants_colour, write_output
from pbem.cli.standing_here import start_page
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {
    "cryptography", "css_inline", "imaplib", "jinja2", "jsonschema", "pbem.protocol.crypto",
    "pbem.protocol.formats", "pbem.game",
    "pbem.games.way_out_west", "pbem.games.wyatt_earp", "pbem.host", "pbem.player.letters",
    "pbem.player.mail", "pbem.protocol.record",
    "pbem.protocol.referee", "pbem.player.store", "rich", "smtplib",
}  # fmt: skip


def pbem(
    *arguments: str, env: dict[str, str] | None = None, text: str | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pbem", *arguments],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        input=text if text is not None else "",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_the_command_tree_loads_nothing_heavy() -> None:
    code = "import sys, pbem.cli.app; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert "typer" in done.stdout.split()
    assert set(done.stdout.split()) & HEAVY == set()


def test_help_goes_to_stdout_and_is_plain() -> None:
    done = pbem("--help", env={"NO_COLOR": ""})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: pbem [OPTIONS] COMMAND")
    assert "\x1b" not in done.stdout
    assert "--install-completion" in done.stdout


def test_the_version_is_shown() -> None:
    assert pbem("--version").stdout.startswith("pbem ")


def test_completion_offers_the_commands() -> None:
    done = pbem(env={"_PBEM_COMPLETE": "complete_bash", "COMP_WORDS": "pbem i", "COMP_CWORD": "1"})
    assert "id" in done.stdout.split()


def test_an_unknown_command_is_a_usage_fault() -> None:
    done = pbem("shoot")
    assert done.returncode == 2
    assert done.stderr == (
        "error: pbem has no command 'shoot'\n  hint: Did you mean show, host?\n  try:  pbem --help\n"
    )


def test_a_fault_is_one_sentence_and_a_hint_on_stderr(tmp_path: Path) -> None:
    done = pbem("id", "show", "anna", "--home", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: there is no identity 'anna' in {tmp_path}/identities\n"
        "  hint: There is none yet\n"
        "  try:  pbem id new\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (PbemError("x"), 1),
        (UsageProblem("x"), 2),
        (FormatError("x", where="/a"), 3),
        (VerificationError("code", "x"), 4),
        (RefusedError("x"), 5),
        (StoreError("x", hint="do"), 6),
    ],
)
def test_every_kind_of_fault_has_its_exit_code(
    fault: PbemError, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(**_: object) -> None:
        raise fault

    # The one seam there is: main gets no app, since it must import it itself, and late.
    monkeypatch.setattr("pbem.cli.app.command", lambda: failing)
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == code
    printed = capsys.readouterr()
    assert printed.out == ""
    hint = f"  hint: {fault.hint}\n" if fault.hint else ""
    assert printed.err == f"error: {fault}\n{hint}"


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    reading, writing = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-m", "pbem", "--help"], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE
    ) as child:
        os.close(writing)
        os.close(reading)
        _, err = child.communicate(timeout=PATIENCE)
    assert (child.returncode, err) == (1, b"")


# --- console ------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environ", "colour"),
    [({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colour_only_where_it_is_wanted(environ: dict[str, str], colour: bool) -> None:
    assert wants_colour(Terminal(), environ) is colour
    assert wants_colour(io.StringIO(), environ) is False


def test_named_files_are_read_up_to_a_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_input(tmp_path / "a", limit=5) == b"12345"
    with pytest.raises(UsageProblem, match="is too long: at most 4 bytes are read"):
        read_input(tmp_path / "a", limit=4)
    with pytest.raises(UsageProblem, match=r"cannot read .*none: No such file"):
        read_input(tmp_path / "none", limit=4)
    with pytest.raises(UsageProblem, match="cannot read"):
        read_input(tmp_path, limit=4)


def test_an_output_file_is_not_replaced_unasked(tmp_path: Path) -> None:
    path = tmp_path / "turn.json"
    write_output(path, b"1")
    with pytest.raises(UsageProblem, match="is there already"):
        write_output(path, b"2")
    assert path.read_bytes() == b"1"
    write_output(path, b"3", replace=True)
    assert path.read_bytes() == b"3"
    with pytest.raises(UsageProblem, match="there is no folder"):
        write_output(tmp_path / "none" / "x", b"")


# --- the start page -----------------------------------------------------------------------------------------


def test_pbem_alone_says_where_to_begin() -> None:
    done = pbem(env={"PBEM_LANG": "de"})
    assert done.returncode == 0
    assert "pbem practice wyatt-earp --lesson" in done.stdout
    assert "Du wurdest eingeladen" in done.stdout


def test_pbem_alone_in_a_terminal_offers_practice_a_lesson_rules_play_and_host(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "pbem"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "80", "PBEM_LANG": "en"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as child:
        os.close(theirs)
        shown = b""
        while part := _read(ours):
            shown += part
        assert child.wait(timeout=PATIENCE) == 0
    os.close(ours)
    lines = shown.decode().splitlines()
    offered = [
        "pbem practice wyatt-earp --lesson",
        "pbem practice way-out-west",
        "pbem rules",
        "pbem play",
        "pbem host",
    ]
    positions = [
        next(at for at, line in enumerate(lines) if line.startswith(f"  {offer}")) for offer in offered
    ]
    assert positions == sorted(positions)
    assert max(map(len, lines)) <= 80


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.parametrize("code", CODES)
def test_the_start_page_names_every_way_to_install_and_fits(code: str) -> None:
    page = start_page(language_of(code))
    assert all(f"\n  {line}\n" in page for line in INSTALL)
    assert max(map(len, page.splitlines())) <= 110
    assert f"  {language_of(code).translate(SYSTEMS)}\n" in page
    assert all(line in (ROOT / "README.md").read_text(encoding="utf-8") for line in (*INSTALL, SYSTEMS))


@pytest.mark.parametrize(
    ("words", "reached", "spared"),
    [
        (
            ["show", "--public"],
            "pbem.player.seat.copy",
            {"pydantic", "pbem.player.mail.gate", "pbem.host.folder", "pbem.games.way_out_west", "smtplib"},
        ),
        (["play", "--colours", "dark"], "pbem.cli.play", {"pydantic"}),
    ],
    ids=["show", "play"],
)
def test_a_command_that_words_and_paths_suffice_for_loads_no_pydantic_and_no_mail(
    tmp_path: Path, words: list[str], reached: str, spared: set[str]
) -> None:
    """What every command waits for: a slide here is felt with each of them."""
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('\\n'.join(sys.modules), file=sys.stderr))\n"
        f"from pbem.cli import main; main([*{words!r}, {str(tmp_path)!r}])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    loaded = set(done.stderr.split())
    assert reached in loaded
    assert loaded & spared == set()


def test_a_branch_of_the_tree_behaves_as_the_whole_does() -> None:
    refused = pbem("update", ".", "--for-host", "x")
    assert refused.returncode == 2
    assert "error: --for-host is a whole number, not 'x'" in refused.stderr
    assert "error: pbem host has no command 'xyz'" in pbem("host", "xyz").stderr
    assert pbem("host", "new", "--help").stdout.startswith("Usage: pbem host new ")


def test_a_template_is_compiled_once(tmp_path: Path) -> None:
    code = (
        "from pbem.player.letters.rendering import Style, environment\n"
        "from jinja2 import Environment\n"
        "made = []\n"
        "compiled = Environment._compile\n"
        "Environment._compile = lambda *a, **k: made.append(1) or compiled(*a, **k)\n"
        "environment(Style.TEXT).get_template('story.txt.jinja')\n"
        "print(len(made))"
    )
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(tmp_path)

    def compiled() -> str:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert (compiled(), compiled()) == ("1", "0")
    (kept,) = (path for path in tmp_path.rglob("story.txt.jinja.*"))
    kept.write_bytes(kept.read_bytes()[:-40])  # cut short: never believed, never in the way
    assert (compiled(), compiled()) == ("1", "0")


@pytest.mark.parametrize(
    ("more", "words", "code", "last"),
    [
        ("atexit.register(print, 'served')", ["--version"], 0, "served"),
        ("atexit.register(print, 'served')", ["update", ".", "--for-host", "x"], 2, "served"),
        ("atexit.register(print, '-' * 100_000 + 'whole')", ["--version"], 0, "whole"),
        (
            "threading.Thread(target=lambda: (threading.main_thread().join(), print('late'))).start()",
            ["--version"],
            0,
            "late",
        ),
    ],
    ids=["what was registered", "after a refusal", "much written", "a thread left"],
)
def test_a_process_is_left_with_everything_done_and_written(
    more: str, words: list[str], code: int, last: str
) -> None:
    program = (
        "import atexit, sys, threading\n"
        "from pbem.cli import run\n"
        f"{more}\n"
        f"sys.argv = ['pbem', *{words!r}]\n"
        "run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == code
    assert done.stdout.rstrip().endswith(last)
