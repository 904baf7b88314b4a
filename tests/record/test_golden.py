"""The golden game files are made again and compared record by record; each audits clean."""

from __future__ import annotations

import pytest

from pbem.base.shapes.schema import load
from pbem.protocol.audit import audit
from pbem.protocol.record import Record
from tests.record.golden import FOLDER, WALKS, text_of, walked


@pytest.mark.parametrize("name", WALKS)
def test_a_golden_file_comes_out_as_it_is_kept(name: str) -> None:
    kept = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    lines = text_of(walked(name)).splitlines()
    for number, (expected, line) in enumerate(zip(kept, lines, strict=False)):
        assert line == expected, f"record {number}"
    assert len(lines) == len(kept)


@pytest.mark.parametrize("name", WALKS)
def test_a_golden_file_verifies_and_audits_clean(name: str) -> None:
    lines = walked(name).lines
    Record.load(lines)
    report = audit(lines)
    assert report.ok, report.faults[:3]


def test_every_kind_of_record_stands_in_a_golden_file() -> None:
    kinds = {line.kind for name in WALKS for line in walked(name).record.lines}
    assert kinds == set(load("record")["properties"]["body"]["properties"]["kind"]["enum"])


def test_the_hand_goes_as_protocol_4_6_shows_it() -> None:
    kinds = [line.kind for line in walked("wyatt-earp-hand").record.lines]
    assert kinds[:10] == ["genesis", *["join"] * 3, "announce", *["ready"] * 3, "open", "announce"]
    at = kinds.index("close")
    assert kinds[at - 1] == "turn"
    assert kinds[at : at + 3] == ["close", "open", "announce"]


def test_the_seat_that_ends_a_turn_bids_in_the_opening_by_its_order_only() -> None:
    world = walked("way-out-west-bidding")
    lines = world.record.lines
    close = next(i for i, line in enumerate(lines) if line.kind == "close")
    ending, opening = lines[close - 1].body, lines[close + 1].body
    assert ending["stopped"] == {"at": 1, "why": "epoch"}
    assert opening["steps"][0]["by"] == "order"
    assert opening["steps"][0]["action"]["do"] == "bid"


def test_an_absentee_costs_one_burn_and_no_packets_are_in_an_open_game() -> None:
    world = walked("way-out-west-absent")
    kinds = [line.kind for line in world.record.lines]
    assert kinds.count("burn") == 1
    assert all("packets" not in line.body for line in world.record.lines)
