"""A match is put together from what people kept; what is missing, altered or contradictory is shown."""

from __future__ import annotations

import json
import mailbox
from pathlib import Path

import pytest

from pbem.game import JsonObject, Seat
from pbem.host.demo import Demo
from pbem.player.world import SeededEntropy, StepClock
from pbem.protocol.audit.pieces import MOST_FINDINGS, KeptRecords, PutTogether, put_together
from pbem.protocol.formats.messages import build_reject, message_of
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.referee import Refused
from tests.attacks import stage_of
from tests.cli.seats import run

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


@pytest.mark.parametrize("kind", [as_mbox, as_maildir, as_folder])
def test_one_mailbox_is_enough_to_put_the_match_together(demo: Path, tmp_path: Path, kind: object) -> None:
    assert callable(kind)
    box = kind(tmp_path / "box", letters(demo, "anna"))
    done = run("verify", box)
    whole = (demo / "game.jsonl").read_bytes().splitlines()
    assert (done.code, done.err) == (0, ""), done.out
    (match,) = json.loads(run("verify", box, "--json").out)["matches"]
    assert 0 < match["records"] <= len(whole)
    assert match["findings"] == []
    copy = run("compare", demo / "game.jsonl", box)
    assert copy.code == 0, copy.out
    assert "the first copy continues the other" in copy.out or "the copies are the same" in copy.out


def test_missing_emails_are_shown_by_the_records_they_brought(demo: Path, tmp_path: Path) -> None:
    every = letters(demo, "anna")
    box = as_mbox(tmp_path / "box", [*every[:3], *every[-1:]])
    done = run("verify", box)
    assert done.code == 4
    assert "records are missing: " in done.out
    whole = as_folder(tmp_path / "burt", letters(demo, "burt"))
    assert run("compare", box, whole).code == 0, "what one lacks the other has"


def test_nothing_to_read_and_no_beginning_are_shown(tmp_path: Path, demo: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = run("verify", tmp_path / "empty")
    assert (done.code, "there is no email and no match file in" in done.err) == (2, True)
    done = run("verify", as_mbox(tmp_path / "late", letters(demo, "anna")[-1:]))
    assert (done.code, "record 0 of the match is in none" in done.err) == (2, True)


def test_a_match_file_and_its_folder_are_read_as_before(demo: Path, tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_bytes((demo / "game.jsonl").read_bytes())
    (tmp_path / "late.eml").write_bytes(letters(demo, "anna")[-1])
    for place in (tmp_path, tmp_path / "game.jsonl"):
        facts = json.loads(run("verify", place, "--json").out)
        assert facts["ok"]
        assert "matches" not in facts


def of_one(*pieces: KeptRecords) -> PutTogether:
    (match,) = put_together(pieces)
    return match


def test_two_players_who_were_shown_two_histories_prove_it_together(tmp_path: Path) -> None:
    stage = stage_of(GAME)
    record = stage.past[14]
    first, other = stage.branch(record), stage.branch(record)
    first.move()
    other.silence(Seat(record.waiting["seat"]) if record.waiting else Seat("anna"))
    for seat, lines in (("anna", first.lines), ("burt", other.lines)):
        (tmp_path / seat).mkdir()
        (tmp_path / seat / "letter.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    done = run("compare", tmp_path / "anna", tmp_path / "burt")
    assert done.code == 4
    assert f"record {len(record.lines)} in " in done.out
    assert "the host signed both: two histories" in done.out
    facts = json.loads(run("compare", tmp_path / "anna", tmp_path / "burt", "--json").out)
    assert facts["verdict"] == "forked"
    assert len(facts["proof"]) == 2
    assert run("verify", tmp_path).code == 4, "one folder that holds both shows it, too"


def test_a_fork_behind_a_gap_is_a_proof_all_the_same() -> None:
    stage = stage_of(GAME)
    record = stage.past[14]
    first, other = stage.branch(record), stage.branch(record)
    other.silence(Seat(record.waiting["seat"]) if record.waiting else Seat("anna"))
    for _ in range(3):
        first.move()
        other.move()
    lone = other.lines[len(record.lines) + 1]
    match = of_one(KeptRecords("copy", tuple(first.lines)), KeptRecords("burt: email 7", (lone,)))
    assert ["two histories" in finding for finding in match.findings] == [True]
    assert match.other[-1] == lone


def test_an_altered_record_in_one_mailbox_is_replaced_from_another_and_shown() -> None:
    lines = stage_of(GAME).lines
    bad = list(lines)
    bad[20] = bad[20].replace(b'"at":"2026', b'"at":"2027', 1)
    match = of_one(KeptRecords("anna: a", tuple(bad)), KeptRecords("burt: b", tuple(lines)))
    assert match.lines == lines
    (finding,) = match.findings
    assert "record 20 in anna: a was altered on the way" in finding


def test_a_mailbox_full_of_altered_records_is_not_shown_record_by_record() -> None:
    lines = stage_of(GAME).lines
    many = [lines[20].replace(b'"at":"2026', b'"at":"%d' % year, 1) for year in range(3000, 3300)]
    match = of_one(KeptRecords("copy", tuple(lines)), KeptRecords("burt", tuple(many)))
    assert len(match.findings) == MOST_FINDINGS


def _reject(file: JsonObject, code: str, at: int) -> JsonObject:
    stage = stage_of(GAME)
    head = stage.record.lines[at]
    rules: JsonObject = {"action": 0, "rules": ["D4"]} if code == "illegal" else {}
    return build_reject(stage.host, message_of(file), code=code, head=head.reference, at=head.at, **rules)


def test_a_refusal_and_a_record_of_one_file_are_a_finding(tmp_path: Path) -> None:
    stage = stage_of(GAME)
    line = next(line for line in stage.record.lines if "steps" in line.body and "msg" in line.body)
    reject = _reject(line.body["msg"], "illegal", line.seq - 1)
    (tmp_path / "copy.jsonl").write_bytes(b"".join(raw + b"\n" for raw in stage.lines))
    (tmp_path / "answer.json").write_bytes(canon(reject))
    done = run("verify", tmp_path)
    assert done.code == 4
    assert f"was refused and stands in record {line.seq} all the same; the host signed both" in done.out


def test_a_refusal_of_a_legal_turn_is_wrong_once_the_hand_is_open() -> None:
    stage = stage_of(GAME)
    branch = stage.branch(stage.past[14])
    file = branch.next_file()
    assert file is not None
    reject = _reject(file, "illegal", len(branch.lines) - 1)
    answer = KeptRecords("answer", (), (canon(file), canon(reject)))
    (finding,) = of_one(KeptRecords("g", tuple(stage.lines)), answer).findings
    assert "was refused wrongly: the rules allow its open moves" in finding
    assert of_one(KeptRecords("g", tuple(branch.lines)), answer).findings == []


def test_a_just_refusal_is_no_finding() -> None:
    stage = stage_of(GAME)
    branch = stage.branch(stage.past[14])
    seat = branch.seat_to_act()
    other = next(Seat(name) for name in stage.seats if name != seat)
    file = branch.turn_file(other, {"do": "draw", "from": "supply"})
    ruling = branch.judge(file)
    assert isinstance(ruling, Refused)
    assert ruling.reject is not None
    answer = KeptRecords("answer", (), (canon(file), canon(ruling.reject)))
    assert of_one(KeptRecords("g", tuple(stage.lines)), answer).findings == []


def test_a_refusal_that_the_host_never_signed_is_shown_as_forged() -> None:
    stage = stage_of(GAME)
    line = next(line for line in stage.record.lines if "steps" in line.body and "msg" in line.body)
    reject = _reject(line.body["msg"], "stale", line.seq - 1)
    reject["body"]["code"] = "illegal"
    (finding,) = of_one(
        KeptRecords("g", tuple(stage.lines)), KeptRecords("answer", (), (canon(reject),))
    ).findings
    assert "is not the host's" in finding


def test_two_matches_in_one_mailbox_are_kept_apart() -> None:
    first, other = stage_of(GAME), stage_of("way-out-west")
    matches = put_together(
        [
            KeptRecords("1", tuple(first.lines[:10])),
            KeptRecords("2", tuple(other.lines[:10])),
            KeptRecords("3", tuple(first.lines[10:])),
            KeptRecords("4", tuple(other.lines[10:])),
        ]
    )
    assert [match.lines for match in matches] == [first.lines, other.lines]
    assert [match.findings for match in matches] == [[], []]
