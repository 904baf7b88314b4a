"""``pbem audit --html`` and ``--json`` as they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.shapes.schema import load
from tests.cli.seats import run
from tests.report.matches import GAMES, altered, running, whole


def kept(folder: Path, lines: list[bytes]) -> Path:
    """The game file in a folder."""
    path = folder / "game.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


@pytest.mark.parametrize("game", GAMES)
def test_a_page_is_written_and_the_verdict_is_said(tmp_path: Path, game: str) -> None:
    done = run("audit", kept(tmp_path, whole(game)), "--html", tmp_path / "report.html")
    assert done.code == 0, done.err
    assert "Verdict: Everything is proven" in done.out
    assert done.out.rstrip().endswith(f"The report is in {tmp_path / 'report.html'}.")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert 'src="data:image/png;base64,' in text
    assert run("audit", tmp_path, "--html", tmp_path / "report.html").code == 0, "a report may be made again"


def test_a_match_with_a_fault_has_its_page_and_exit_code_4(tmp_path: Path) -> None:
    lines = altered("wyatt-earp")["a shot is forged"]
    done = run("audit", kept(tmp_path, lines), "--html", tmp_path / "report.html")
    assert done.code == 4
    assert "Findings" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_json_is_what_the_schema_describes_and_what_the_page_is_made_of(tmp_path: Path, game: str) -> None:
    done = run("audit", kept(tmp_path, running(game).lines), "--json", "--html", tmp_path / "report.html")
    assert done.code == 0
    from jsonschema import Draft202012Validator

    Draft202012Validator(load("audit-report")).validate(done.json)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert done.json["verdict"] in text
    assert all(claim["text"].split(".")[0] in text for claim in done.json["claims"]["unseen"])


def test_where_a_page_cannot_be_written_it_is_said(tmp_path: Path) -> None:
    done = run("audit", kept(tmp_path, whole("wyatt-earp")[:9]), "--html", tmp_path / "none" / "report.html")
    assert done.code == 2
    assert "there is no folder" in done.err
