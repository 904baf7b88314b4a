"""What another program needs of pbem, by the public names alone, on the files of examples/."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import partial
from pathlib import Path
from secrets import token_bytes

import pytest

import pbem

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/wyatt-earp"


def test_every_public_name_is_the_librarys() -> None:
    from pbem import api

    assert pbem.__all__ == api.__all__
    for name in pbem.__all__:
        assert getattr(pbem, name) is getattr(api, name)


def test_importing_pbem_costs_nothing() -> None:
    """No package is loaded before a name of it is asked for."""
    program = "import sys, pbem; print([name for name in sys.modules if name.startswith('pbem.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_name_that_is_not_public_says_what_there_is() -> None:
    with pytest.raises(AttributeError, match="no public name 'shuffle'; there are: GAMES, Accepted"):
        _ = pbem.shuffle  # type: ignore[attr-defined]


def test_a_match_is_loaded_audited_and_its_luck_shown() -> None:
    record = pbem.load(EXAMPLE / "game.jsonl")
    report = pbem.audit_file(EXAMPLE / "game.jsonl")
    draws = pbem.draws_of(record.rules, record.lines, report.labels)
    assert report.ok
    assert report.records == len(record.lines)
    assert {luck.player for luck in pbem.luck_of(draws)} <= set(record.seats)
    assert draws


def test_a_faulty_file_is_refused_by_load_and_shown_by_audit(tmp_path: Path) -> None:
    altered = tmp_path / "game.jsonl"
    lines = (EXAMPLE / "game.jsonl").read_bytes().splitlines(keepends=True)
    altered.write_bytes(b"".join(lines[:3] + lines[4:]))
    with pytest.raises(pbem.PbemError, match="record"):
        pbem.load(altered)
    assert not pbem.audit_file(altered).ok


def test_a_seat_looks_composes_and_is_checked() -> None:
    """From a copy that waits for the seat: its view, what it may do, a signed turn, the host's word on it."""
    record = pbem.load(EXAMPLE / "game.jsonl")
    passphrase = (EXAMPLE / "keys/passphrase").read_text(encoding="utf-8").strip()
    lines = [line.raw for line in record.lines]
    until = next(
        n for n in range(len(lines), 0, -1) if (pbem.Record.load(lines[:n]).waiting or {}).get("seat")
    )
    record = pbem.Record.load(lines[:until])
    assert record.waiting is not None
    seat = pbem.Seat(record.waiting["seat"])
    me = pbem.open_identity(EXAMPLE / f"keys/identities/{seat}.json", passphrase)
    view = pbem.SeatView(record, me)
    assert view.seat == seat
    n = record.ledger.players[seat].n + 1
    turn = pbem.compose_turn(record, me, seat, n, actions=view.legal[:1], salt=partial(token_bytes, 16))
    verdict = pbem.check_file(record, pbem.line_of(turn.file), view)
    assert verdict.ok, verdict


def test_the_example_plots_luck_by_public_names_alone(tmp_path: Path) -> None:
    program = ROOT / "examples/library/luck.py"
    used = {
        node.attr
        for node in ast.walk(ast.parse(program.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "pbem"
    }
    assert used <= set(pbem.__all__)
    done = subprocess.run(
        [sys.executable, program, ROOT / "examples/way-out-west/game.jsonl", tmp_path / "luck.svg"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    shown = (ROOT / "examples/library/README.md").read_text(encoding="utf-8")
    assert done.stdout.strip() in shown
    assert b"<svg" in (tmp_path / "luck.svg").read_bytes()
