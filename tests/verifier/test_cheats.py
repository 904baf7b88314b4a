"""Every cheat by our verifier alone, without node: found at the step and under the code that the protocol promises."""

from __future__ import annotations

import json

import pytest

from pbem.base.errors import FormatError, VerificationError
from pbem.protocol.audit import audit
from pbem.protocol.formats.strict_json import MAX_FILE, canon
from pbem.protocol.record import Record
from tests.errors import findings
from tests.errors.__main__ import FINDINGS
from tests.forge import Forge
from tests.verifier.matches import PAPER, match
from tests.verifier.tampering import CHEATS, Cheat, falsified, faults_of

HONEST = "way-out-west-short"
BY_THE_RULES = 12
"""The step that plays the match again by its game's rules; every cheat is found without it (schemas/README.md §11)."""


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_a_cheat_is_found_under_its_step_and_code(cheat: Cheat) -> None:
    assert cheat.step < BY_THE_RULES
    assert (cheat.step, cheat.code) in {(fault.step, fault.code) for fault in faults_of(cheat)}
    with pytest.raises((FormatError, VerificationError)):
        Record.load(falsified(cheat))


@pytest.mark.parametrize(
    "name",
    [
        "another link for the same epoch",
        "a seat is left out of an announcement",
        "an announcement is delayed until links could be known",
        "an epoch is opened before the one before is closed",
    ],
)
def test_draws_of_an_epoch_that_did_not_begin_well_are_bound_only(name: str) -> None:
    cheat = next(cheat for cheat in CHEATS if cheat.name == name)
    lines = cheat.make(Forge(match(HONEST), [PAPER]))
    assert lines is not None
    report = audit(lines, engine=False)
    (bad, *_) = [fault for fault in report.faults if (fault.step, fault.code) == (cheat.step, cheat.code)]
    body = json.loads(lines[bad.seq])["body"]
    number = body["epoch"] if "epoch" in body else body["msg"]["body"]["link"]["epoch"]
    own = [json.loads(raw)["body"].get("epoch") for raw in lines]
    assert {label.label for label in report.labels if own[label.seq] == number} == {"bound only"}
    assert "fair" in {label.label for label in audit(match(HONEST).lines, engine=False).labels}


def test_cards_of_a_reshuffle_that_the_host_arranged_are_bound_only() -> None:
    """Although its epoch was closed; the deck that was announced is none of this."""
    cheat = next(
        cheat for cheat in CHEATS if cheat.name == "the host arranges a reshuffle: two cards he swaps"
    )
    labels = {label.label for label in audit(falsified(cheat), engine=False).labels if label.gen}
    assert labels == {"bound only"}


def test_the_last_link_of_a_chain_still_counts() -> None:
    bodies = Forge(match(HONEST)).bodies()
    links = [
        body["msg"]["body"]["link"]["epoch"]
        for body in bodies
        if "link" in body.get("msg", {}).get("body", {})
    ]
    for body in bodies:
        if body["kind"] == "join":
            body["msg"]["body"]["length"] = max(links)
    Record.load(Forge(match(HONEST)).write(bodies))


def test_the_last_die_of_a_tape_still_counts() -> None:
    """The tape is as long as it was used; what the close then says of its anchor is another matter."""
    bodies = Forge(match(HONEST)).bodies()
    rolls = [
        (entry["j"], body["epoch"])
        for body in bodies
        for step in body.get("steps", ())
        for entry in step["chance"]
        if "roll" in entry
    ]
    most, epoch = max(rolls)
    announce = next(body for body in bodies if body["kind"] == "announce" and body["epoch"] == epoch)
    announce["tapes"]["public"]["length"] = most
    faults = audit(Forge(match(HONEST)).write(bodies), engine=False).faults
    assert not [fault for fault in faults if fault.step == 6]


@pytest.mark.parametrize("where", ["action", "events 1", "public"])
def test_a_result_has_nothing_that_its_game_has_not(where: str) -> None:
    """All that is read afterwards, whatever else of the result is right (schemas/README.md §11, 1)."""
    bodies = Forge(match(HONEST)).bodies()
    at, body, step = next(
        (at, body, step)
        for at, body in enumerate(bodies)
        for step in body.get("steps", ())
        if step["events"] and "action" in step
    )
    values = {"action": step["action"], "events 1": step["events"][0], "public": body["public"]}
    values[where]["unheard-of"] = 1
    faults = audit(Forge(match(HONEST)).write(bodies), engine=False).faults
    named = [
        str(fault.sentence) for fault in faults if (fault.seq, fault.step, fault.code) == (at, 1, "malformed")
    ]
    assert len(named) == 1
    assert where in named[0]


@pytest.mark.parametrize("more", [0, 1])
def test_a_file_may_have_64_kib_and_no_byte_more(more: int) -> None:
    forge = Forge(match(HONEST))
    bodies = forge.bodies()
    body = next(body["msg"]["body"] for body in bodies if body["kind"] == "turn")
    body["say"] = "x"
    body["tell"] = [{"to": forge.world.seats[1], "ct": ""}]
    signature = {"key": "A" * 43, "value": "A" * 86}
    left = MAX_FILE + more - len(canon({"body": body, "sig": signature}))
    body["say"] += "x" * (left % 4)
    body["tell"][0]["ct"] = "A" * (left - left % 4)
    sizes = [fault for fault in audit(forge.write(bodies), engine=False).faults if fault.code == "size"]
    assert len(sizes) == more


def test_what_an_audit_finds_is_what_its_golden_file_says() -> None:
    """In every falsified match, and in what people kept: with what was looked at above."""
    assert FINDINGS.read_text(encoding="utf-8") == findings.everything(), "python -m tests.errors"
