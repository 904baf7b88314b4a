"""Two verifiers, written apart, say the same of every honest, falsified and damaged file."""

from __future__ import annotations

from collections import Counter

import pytest

from pbem.audit import Report, audit
from pbem.game import JsonObject
from tests.verifier.matches import MATCHES, PAPER, match
from tests.verifier.node import first_fault, verify_all
from tests.verifier.tampering import CHEATS, tampered


def found_by_python(report: Report) -> list[tuple[int, int, str]]:
    return [(fault.seq, fault.step, fault.code) for fault in report.faults]


def found_by_js(report: JsonObject) -> list[tuple[int, int, str]]:
    return [(fault["record"], fault["step"], fault["code"]) for fault in report["faults"]]


QUICK = ("wyatt-earp-italian", "way-out-west-short")
CHEATED = (*QUICK, "wyatt-earp-absent", "wyatt-earp-agreed", "wyatt-earp-rewound", "way-out-west-hidden")
"""Matches that are falsified: between them they give an occasion for every cheat."""
NAMES = [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in CHEATED]


@pytest.mark.parametrize("name", MATCHES)
def test_honest_matches_verify_with_the_same_draws_labels_and_head(name: str) -> None:
    lines = match(name).lines
    ours = audit(lines, engine=False)
    theirs = verify_all({name: lines})[name]
    assert ours.ok, ours.faults
    assert theirs["ok"], theirs["faults"]
    for member in (
        "records",
        "head",
        "fingerprint",
        "game",
        "game_id",
        "names",
        "ended",
        "outcome",
        "burns",
        "defaults",
    ):
        assert theirs[member] == getattr(ours, member), member
    labels = Counter(label.label for label in ours.labels)
    assert {label: count for label, count in theirs["draws"].items() if count} == labels


@pytest.mark.parametrize("name", NAMES)
def test_every_cheat_is_found_by_both_in_the_same_place(name: str) -> None:
    files = {one.name: one for one in tampered(match(name), [PAPER])}
    theirs = verify_all({cheat: one.lines for cheat, one in files.items()})
    for cheat, one in files.items():
        js = found_by_js(theirs[cheat])
        assert (one.cheat.step, one.cheat.code) in {fault[1:] for fault in js}, (cheat, js[:5])
        py = found_by_python(audit(one.lines, engine=False))
        assert (one.cheat.step, one.cheat.code) in {fault[1:] for fault in py}, (cheat, py[:5])
        assert place(py) == place(js), (cheat, py[:5], js[:5])


def place(faults: list[tuple[int, int, str]]) -> tuple[int, int] | None:
    """Where the first fault is. A record that lies about its number is known by its step alone."""
    first = first_fault(faults)
    if first is None:
        return None
    return (-1, 1) if first[2] in ("seq", "prev", "malformed", "signature") else first[:2]


@pytest.mark.slow
def test_every_cheat_found_an_occasion_in_some_match() -> None:
    seen = {one.name for each in CHEATED for one in tampered(match(each), [PAPER])}
    assert seen == {cheat.name for cheat in CHEATS}
