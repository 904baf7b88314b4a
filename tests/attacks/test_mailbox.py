"""From mailboxes to a verdict: a match rebuilt without the host; what is missing, altered, shown differently."""

from __future__ import annotations

import json
import mailbox
import shutil
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.cli.mailboxes import judged
from pbem.game import JsonObject, Seat
from pbem.host.demo import Demo
from pbem.player.world import SeededEntropy, StepClock
from pbem.protocol.audit.mailbox import rebuild
from pbem.protocol.audit.mailbox_papers import FoundPapers, MailboxAudit
from pbem.protocol.client import compose_channel
from pbem.protocol.formats.messages import build_reject, message_of
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.referee import Refused
from tests.attacks import stage_of
from tests.forge import Forge, acting, first

GAME = "wyatt-earp"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    clock = StepClock("2026-11-21T18:00:00Z")
    Demo(
        "way-out-west", 3, folder, clock, lambda name: SeededEntropy("mail", name), limit=24, labelled=False
    ).run()
    return folder


def letters(demo: Path, seat: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((demo / "players" / seat / "letters").iterdir())]


def as_mbox(path: Path, raws: list[bytes]) -> Path:
    box = mailbox.mbox(path)
    for raw in raws:
        box.add(raw)
    box.close()
    return path


def as_maildir(path: Path, raws: list[bytes]) -> Path:
    box = mailbox.Maildir(path)
    for raw in raws:
        box.add(raw)
    return path


def as_folder(path: Path, raws: list[bytes]) -> Path:
    path.mkdir()
    for number, raw in enumerate(raws):
        (path / f"{number:03}.eml").write_bytes(raw)
    return path


def only(facts: JsonObject) -> JsonObject:
    assert len(facts["matches"]) == 1
    match: JsonObject = facts["matches"][0]
    return match


@pytest.mark.parametrize("kind", [as_mbox, as_maildir, as_folder])
def test_one_mailbox_is_enough_to_rebuild_the_match(demo: Path, tmp_path: Path, kind: object) -> None:
    assert callable(kind)
    box = kind(tmp_path / "box", letters(demo, "anna"))
    facts, text = judged([box], [], engine=True)
    match = only(facts)
    whole = (demo / "game.jsonl").read_bytes().splitlines()
    assert facts["ok"], text
    assert match["findings"] == []
    assert 0 < match["records"] <= len(whole)
    assert match["audit"]["ok"]
    assert "Everything in these emails fits together." in text


def test_two_mailboxes_and_the_files_that_were_sent_are_merged(demo: Path, tmp_path: Path) -> None:
    boxes = [as_mbox(tmp_path / "anna.mbox", letters(demo, "anna"))]
    boxes.append(as_maildir(tmp_path / "burt", letters(demo, "burt")))
    sent = tmp_path / "sent"
    sent.mkdir()
    for path in (demo / "players" / "anna" / "sent").glob("0*.json"):
        shutil.copy(path, sent / path.name)
    facts, text = judged([*boxes, sent], [], engine=True)
    match = only(facts)
    assert facts["ok"], text
    assert len(match["files"]) == len(list(sent.iterdir()))
    assert {file["fate"] for file in match["files"]} == {"recorded"}


def test_missing_letters_are_shown_by_the_records_they_brought(demo: Path, tmp_path: Path) -> None:
    every = letters(demo, "anna")
    box = as_mbox(tmp_path / "box", [*every[:3], *every[-1:]])
    match = only(judged([box], [], engine=True)[0])
    assert "missing-lines" in {finding["code"] for finding in match["findings"]}
    assert not any(finding["proof"] for finding in match["findings"])


def test_nothing_to_read_and_no_beginning_are_shown(tmp_path: Path, demo: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageProblem, match="there is no email"):
        judged([tmp_path / "empty"], [], engine=True)
    with pytest.raises(UsageProblem, match="record 0"):
        judged([as_mbox(tmp_path / "late", letters(demo, "anna")[-1:])], [], engine=True)


# --- cheats, by what people hold ------------------------------------------------------------------------------


def rebuilt(*papers: FoundPapers) -> MailboxAudit:
    boxes = rebuild(papers)
    assert len(boxes) == 1
    return boxes[0]


def codes(box: MailboxAudit) -> set[tuple[str, bool]]:
    return {(finding.code, finding.proof) for finding in box.findings}


def test_two_players_who_were_shown_two_histories_prove_it_together() -> None:
    stage = stage_of(GAME)
    record = stage.past[14]
    first, other = stage.branch(record), stage.branch(record)
    first.move()
    other.silence(Seat(record.waiting["seat"]) if record.waiting else Seat("anna"))
    box = rebuilt(
        FoundPapers("letter 9", "anna", tuple(first.lines)),
        FoundPapers("letter 7", "burt", tuple(other.lines)),
    )
    assert ("forked", True) in codes(box)
    fork = next(finding for finding in box.findings if finding.code == "forked")
    assert fork.seq == len(record.lines)
    assert len(fork.papers) == 2
    assert "anna: letter 9" in fork.sentence
    assert "burt: letter 7" in fork.sentence
    assert not box.ok


def test_a_turn_that_was_confirmed_and_then_dropped_is_proven_by_its_receipt() -> None:
    stage = stage_of(GAME)
    record = stage.past[14]
    kept, branch = stage.branch(record), stage.branch(record)
    file = kept.next_file()
    assert file is not None
    kept.send(file)
    receipt = kept.lines[len(record.lines)]
    branch.silence(Seat(file["body"]["seat"]))
    for _ in range(3):
        branch.move()
    box = rebuilt(
        FoundPapers("game.jsonl", "", tuple(branch.lines)),
        FoundPapers("receipt", "anna", (receipt,)),
        FoundPapers("sent", "anna", (), (canon(file),)),
    )
    assert {("forked", True), ("unrecorded", True)} <= codes(box)
    assert box.fates[0]["fate"] == "recorded in a history that was dropped"


def test_a_turn_without_any_answer_is_shown_but_proves_nothing() -> None:
    stage = stage_of(GAME)
    branch = stage.branch(stage.past[14])
    file = branch.next_file()
    assert file is not None
    box = rebuilt(
        FoundPapers("game", "", tuple(branch.lines)), FoundPapers("sent", "anna", (), (canon(file),))
    )
    assert codes(box) == {("unrecorded", False)}
    assert box.fates[0]["fate"] == "nowhere"


def test_a_file_that_no_record_ever_holds_is_not_missed() -> None:
    stage = stage_of(GAME)
    file = compose_channel(
        stage.record,
        stage.people[Seat("anna")],
        Seat("anna"),
        stage.number(Seat("anna")),
        "https://ntfy.sh/anna",
    )
    box = rebuilt(
        FoundPapers("game", "", tuple(stage.lines)), FoundPapers("sent", "anna", (), (canon(file),))
    )
    assert codes(box) == set()
    assert box.fates[0]["fate"] == "for the host alone"


def test_an_altered_line_in_one_mailbox_is_repaired_from_another_and_shown() -> None:
    lines = stage_of(GAME).lines
    bad = list(lines)
    bad[20] = bad[20].replace(b'"at":"2026', b'"at":"2027', 1)
    box = rebuilt(FoundPapers("a", "anna", tuple(bad)), FoundPapers("b", "burt", tuple(lines)))
    assert codes(box) == {("altered", False)}
    assert box.lines == lines
    assert box.findings[0].sources == ("anna: a",)


def test_a_file_that_stands_otherwise_in_the_record_is_proof_only_if_its_player_never_signed_that() -> None:
    stage = stage_of(GAME)
    forge = Forge(stage)
    bodies = forge.bodies()
    body = first(bodies, acting)
    assert body is not None
    mine = stage.record.lines[body["_was"]].body["msg"]
    sent = FoundPapers("sent", "anna", (), (canon(mine),))
    body["msg"]["body"]["say"] = "I give up"
    signed = forge.write(bodies)
    body["_keep"] = True
    unsigned = forge.write(bodies)
    assert ("signed-twice", False) in codes(rebuilt(FoundPapers("g", "", tuple(signed)), sent))
    assert ("other-content", True) in codes(rebuilt(FoundPapers("g", "", tuple(unsigned)), sent))


def _reject(file: JsonObject, code: str, at: int) -> JsonObject:
    stage = stage_of(GAME)
    head = stage.record.lines[at]
    rules: JsonObject = {"action": 0, "rules": ["D4"]} if code == "illegal" else {}
    return build_reject(stage.host, message_of(file), code=code, head=head.reference, at=head.at, **rules)


def test_a_refusal_and_a_record_of_one_file_are_proof() -> None:
    stage = stage_of(GAME)
    line = next(line for line in stage.record.lines if "steps" in line.body and "msg" in line.body)
    reject = _reject(line.body["msg"], "illegal", line.seq - 1)
    box = rebuilt(
        FoundPapers("g", "", tuple(stage.lines)), FoundPapers("answer", "anna", (), (canon(reject),))
    )
    assert codes(box) == {("refused-and-recorded", True)}


def test_a_refusal_of_a_legal_turn_is_proven_wrong_once_the_hand_is_open() -> None:
    stage = stage_of(GAME)
    branch = stage.branch(stage.past[14])
    file = branch.next_file()
    assert file is not None
    reject = _reject(file, "illegal", len(branch.lines) - 1)
    papers = FoundPapers("answer", "anna", (), (canon(file), canon(reject)))
    assert codes(rebuilt(FoundPapers("g", "", tuple(stage.lines)), papers)) == {("wrongly-refused", True)}
    assert codes(rebuilt(FoundPapers("g", "", tuple(branch.lines)), papers)) == set()


def test_a_just_refusal_is_no_finding() -> None:
    stage = stage_of(GAME)
    branch = stage.branch(stage.past[14])
    seat = branch.seat_to_act()
    other = next(Seat(name) for name in stage.seats if name != seat)
    file = branch.turn_file(other, {"do": "draw", "from": "supply"})
    ruling = branch.judge(file)
    assert isinstance(ruling, Refused)
    assert ruling.reject is not None
    papers = FoundPapers("answer", "", (), (canon(file), canon(ruling.reject)))
    box = rebuilt(FoundPapers("g", "", tuple(stage.lines)), papers)
    assert box.ok, box.findings
    assert box.fates[0]["fate"] == "refused"


def test_a_refusal_that_the_host_never_signed_is_shown_as_forged() -> None:
    stage = stage_of(GAME)
    line = next(line for line in stage.record.lines if "steps" in line.body and "msg" in line.body)
    reject = _reject(line.body["msg"], "stale", line.seq - 1)
    reject["body"]["code"] = "illegal"
    box = rebuilt(FoundPapers("g", "", tuple(stage.lines)), FoundPapers("answer", "", (), (canon(reject),)))
    assert codes(box) == {("forged-refusal", False)}


def test_two_matches_in_one_mailbox_are_kept_apart() -> None:
    first, other = stage_of(GAME), stage_of("way-out-west")
    papers = [
        FoundPapers("1", "", tuple(first.lines[:10])),
        FoundPapers("2", "", tuple(other.lines[:10])),
        FoundPapers("3", "", tuple(first.lines[10:])),
        FoundPapers("4", "", tuple(other.lines[10:])),
    ]
    boxes = rebuild(papers)
    assert [box.lines for box in boxes] == [first.lines, other.lines]
    assert all(box.ok for box in boxes), [box.findings for box in boxes]
    assert json.dumps(boxes[0].to_json())
