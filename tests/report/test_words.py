"""What verify, audit and compare say: every word of it is a message."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from pbem.base.language import language_of
from pbem.player.lookback.chance import Luck
from pbem.player.lookback.words import audit_words, comparison_words, holding_words, luck_words
from pbem.protocol.audit import Report, compare_copies
from pbem.protocol.audit.audit import EpochReport, holding
from pbem.protocol.record import Fault
from tests.languages.brackets import unmarked
from tests.world import World

NAMES = {"anna", "burt", "wyatt", "earp", "TZ"}


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    return World("wyatt-earp", ("anna", "burt")).start().lines


def test_how_far_a_file_holds_is_shown_in_messages_only(lines: list[bytes]) -> None:
    whole = holding(lines).to_json()
    assert whole["ok"]
    assert whole["records"] == len(lines)
    words = holding_words(whole)
    assert words.startswith(f"match {whole['match']} (wyatt-earp), running\nAll {len(lines)} records hold.")
    assert not unmarked(words, NAMES)


def test_a_file_that_was_cut_off_says_so(lines: list[bytes]) -> None:
    cut = holding([*lines[:-1], lines[-1][:40]]).to_json()
    assert cut["fault"]["record"] == len(lines) - 1
    assert cut["fault"]["text"].endswith("(the file may have been cut off here)")
    assert holding_words(cut).splitlines()[1].startswith(f"Record {len(lines) - 1} does not hold")
    changed = holding([*lines[:-1], lines[-1].replace(b'"at"', b'"ta"', 1)]).to_json()
    middle = holding([lines[0], lines[1][:40], *lines[2:]]).to_json()
    assert "cut off" not in middle["fault"]["text"]
    assert not changed["ok"]
    nothing = holding([b"{}"]).to_json()
    assert "match" not in nothing
    assert holding_words(nothing).startswith("Record 0 does not hold: ")


def test_an_audit_is_shown_in_messages_only() -> None:
    report = Report(
        records=9,
        fingerprint="0-0",
        game_id="wyatt-earp",
        faults=[Fault(3, 5, "anna", "burt")],
        notes=["burt"],
        epochs=[EpochReport(2, "open", 9, {}, again=("burt",))],
        burns=[{"record": 4, "epoch": 2, "missing": ["burt"]}],
        defaults=Counter({"anna": 1}),
        engine=False,
    )
    words = audit_words(report, (), ())
    assert "Finding in record 3, step 5 (anna): burt" in words
    assert not unmarked(words, NAMES)


def test_luck_is_set_in_columns_of_the_language() -> None:
    luck = [Luck("anna", "", 4, 2, Fraction(3, 2), (0, 3), (0.07, 0.93), 0.6)]
    words = luck_words(luck)
    assert not unmarked(words, NAMES)
    head, rule, row = language_of("de").translate(words).splitlines()
    assert head.split()[0] == "Platz"
    assert rule.startswith("-----  ")
    assert row.split()[:2] == ["anna", "zusammen"]


def test_two_copies_are_compared_in_messages_only(lines: list[bytes]) -> None:
    for first, second in ((lines, lines), (lines, lines[:-1]), (lines[:-1], lines), ([], lines)):
        comparison = compare_copies(first, second)
        assert not unmarked(comparison_words(comparison), NAMES)
    altered = [*lines[:-1], lines[-1].replace(b'"at"', b'"ta"', 1)]
    assert "in the second copy it does not hold" in compare_copies(lines, altered).sentence
    assert "in the first copy it does not hold" in compare_copies(altered, lines).sentence
