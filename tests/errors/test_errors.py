"""Errors are what their golden files say, in one form, and never in the language of the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import one_time_keys
from tests.errors.__main__ import FINDINGS, GOLDEN, PAGE, everything
from tests.errors.missing import RULES, messages, not_golden, not_tested, untranslated

IN_ENGLISH = {
    "pbem/games/way_out_west/position_json.py": "a position written by hand: whoever writes a scenario",
    "pbem/games/wyatt_earp/position_json.py": "a position written by hand: whoever writes a scenario",
    "pbem/host/service/api.py": "an answer over HTTP, which has a code word for programs beside it",
    "pbem/host/service/http.py": "an answer over HTTP, which has a code word for programs beside it",
    "pbem/host/service/http_parts.py": "an answer over HTTP, which has a code word for programs beside it",
    "pbem/host/service/pairing.py": "an answer over HTTP, which has a code word for programs beside it",
    "pbem/player/mail/smtp.py": "caught by the sender of emails and never shown",
    "pbem/protocol/formats/envelopes.py": "the place in a file, as a JSON pointer",
    "pbem/web/build.py": "building the web app, for whoever releases pbem",
    "pbem/web/modules.py": "building the web app, for whoever releases pbem",
}
"""Modules whose errors say something in plain text, and who reads it."""
ODD = {
    "a JSON pointer": re.compile(r"(?<![\w./])/(body|header|sig|kdf)\b"),
    "a number of the operating system": re.compile(r"\[Errno"),
    "a class of Python": re.compile(r"\b\w+(Error|Exception)\b|Traceback"),
    "a notation of Python": re.compile(r"\[\"|\['|PosixPath|\bNone\b|\bTrue\b"),
    "a dangerous flag": re.compile(
        r"^  try: .*(--unchecked|-database|--here|--now|--clock-is-right)|--unchecked", re.MULTILINE
    ),
    "the parser's own form": re.compile(r"^(Error|Usage): ", re.MULTILINE),
}


@pytest.fixture(scope="module")
def produced(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    with one_time_keys.fixed():
        return everything(tmp_path_factory.mktemp("errors").resolve())


def test_every_error_is_what_its_golden_file_says(produced: dict[str, str]) -> None:
    kept = {path.name for path in GOLDEN.glob("*.txt")} | {PAGE.name}
    assert kept == {*produced, FINDINGS.name}
    for name, text in produced.items():
        path = PAGE if name == PAGE.name else GOLDEN / name
        assert path.read_text(encoding="utf-8") == text, "python -m tests.errors"


@pytest.mark.parametrize("path", sorted([*GOLDEN.rglob("*.txt"), PAGE]), ids=lambda path: Path(path).name)
def test_no_error_speaks_the_language_of_the_program(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    hits = {name: pattern.findall(text) for name, pattern in ODD.items() if pattern.search(text)}
    assert hits == {}


TYPED = sorted({*GOLDEN.rglob("*.txt")} - {*GOLDEN.glob("rules-*.txt"), FINDINGS})


@pytest.mark.parametrize("path", TYPED, ids=lambda path: Path(path).name)
def test_every_line_that_was_typed_failed(path: Path) -> None:
    codes = re.findall(r"^\((?:exit (\d)|no exit)\)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert codes
    assert set(codes) <= {"", "1", "2", "3", "4", "5", "6"}


def test_every_finding_stands_under_a_name_of_its_own() -> None:
    """What was falsified or kept, and below it what the audit says: in which record and step, a code, a sentence."""
    first, *parts = re.split(r"^# ", FINDINGS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert not first
    assert len(parts) > 120
    named = dict(part.strip().split("\n", 1) for part in parts)
    assert len(named) == len(parts)
    finding = re.compile(r"(record \d+, step \d+ )?\([a-z-]+\): \S.*")
    assert [
        line for said in named.values() for line in said.splitlines() if not finding.fullmatch(line)
    ] == []


def test_the_page_is_read_in_ten_minutes_and_has_a_hundred_errors() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(text.split()) <= 2_000
    assert len(re.findall(r"^pbem ", text, re.MULTILINE)) >= 100


def test_every_error_message_is_provoked() -> None:
    """By the typed lines and calls of this folder, or by the tests that start a server (``servers``)."""
    provoked = messages()
    assert len(provoked) > 540
    rules = {
        message
        for message, modules in provoked.items()
        if all(Path(module).name in RULES for module in modules)
    }
    assert not not_golden() - rules, "python -m tests.errors.missing names where they are"
    assert not not_tested()


def test_what_a_player_or_host_can_meet_is_a_message_of_the_catalogue() -> None:
    plain = untranslated()
    assert plain.keys() == IN_ENGLISH.keys(), plain
