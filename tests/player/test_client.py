"""The player's client: their copy, their numbers, what they sign and what they refuse to sign."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pbem.base.errors import RefusedError, UsageProblem, VerificationError
from pbem.game import Seat
from pbem.games import find_game
from pbem.player.lookback.chance import luck_of
from pbem.player.seat import AlreadySigned, Copy, PlayerClient, check_file, find_copy, parse_actions
from pbem.player.store import MatchFolder
from pbem.protocol.audit import draws_of
from pbem.protocol.formats.messages import build_ready
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.referee import Accepted, Refused
from tests.world import FixedSalts, World

DRAW = {"do": "draw", "from": "supply"}


class Salt:
    """Entropy of a test: never the same twice."""

    def __init__(self) -> None:
        self.counter = FixedSalts("desk")

    def __call__(self, size: int) -> bytes:
        return self.counter()[:size]


@pytest.fixture
def world() -> World:
    return World("wyatt-earp", ["anna", "burt"]).start()


def write(path: Path, lines: list[bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def client(world: World, seat: str, folder: Path) -> PlayerClient:
    if not (folder / "game.jsonl").exists():
        write(folder / "game.jsonl", world.lines)
    return PlayerClient.open(folder, world.people[Seat(seat)], Salt())


def awaited(world: World) -> str:
    assert world.record.waiting is not None
    return str(world.record.waiting["seat"])


# --- the copy ---------------------------------------------------------------------------------------------------


def test_new_lines_are_verified_and_added(world: World, tmp_path: Path) -> None:
    seat = awaited(world)
    mine = client(world, seat, tmp_path)
    before = len(world.lines)
    world.play(3)
    assert mine.take_in(world.lines[before - 2 :]) == len(world.lines) - before
    assert mine.take_in(world.lines) == 0
    assert (tmp_path / "game.jsonl").read_bytes().splitlines() == world.lines
    assert mine.view.seat == seat


def test_lines_that_contradict_the_copy_are_evidence_not_news(world: World, tmp_path: Path) -> None:
    mine = client(world, "anna", tmp_path)
    fork = World("wyatt-earp", ["anna", "burt"])
    fork.record, fork.numbers = world.record.fork(), dict(world.numbers)
    seat = awaited(world)
    world.turn(seat, DRAW)
    fork.turn(seat, {"do": "draw", "from": "discard"})
    mine.take_in(world.lines)
    kept = (tmp_path / "game.jsonl").read_bytes()
    with pytest.raises(VerificationError, match="has another record"):
        mine.take_in(fork.lines)
    bent = [*world.lines, world.lines[-1].replace(b'"seq":', b'"seq": ', 1)]
    with pytest.raises(Exception, match="record"):
        mine.take_in(bent)
    assert (tmp_path / "game.jsonl").read_bytes() == kept


def test_a_gap_is_named(world: World, tmp_path: Path) -> None:
    mine = client(world, "anna", tmp_path)
    before = len(world.lines)
    world.play(3)
    with pytest.raises(UsageProblem, match="what lies between is missing"):
        mine.take_in(world.lines[before + 1 :])


def test_a_folder_is_read_with_the_parts_that_lie_in_it(world: World, tmp_path: Path) -> None:
    write(tmp_path / "game.jsonl", world.lines)
    before = len(world.lines)
    world.play(4)
    write(tmp_path / "b.jsonl", world.lines[before : before + 2])
    write(tmp_path / "a.jsonl", world.lines[before + 2 :])
    write(tmp_path / "other.jsonl", World("wyatt-earp", ["anna", "burt"], seed="9").start().lines)
    copy = find_copy(tmp_path)
    assert len(copy.record.lines) == len(world.lines)
    assert any("b.jsonl" in note for note in copy.notes)
    assert find_copy(tmp_path).extra == [], "what was taken once is not read again"
    write(tmp_path / "late.jsonl", world.lines)
    assert [path.name for path in find_copy(tmp_path).extra] == ["late.jsonl"]


def test_a_part_alone_is_no_copy(world: World, tmp_path: Path) -> None:
    path = write(tmp_path / "part.jsonl", world.lines[3:])
    with pytest.raises(UsageProblem, match="holds only new records"):
        find_copy(path)
    with pytest.raises(UsageProblem, match="there is no match"):
        find_copy(tmp_path)
    write(tmp_path / "game.jsonl", world.lines[:3])
    assert len(find_copy(path).record.lines) == len(world.lines)


def test_half_a_line_is_repaired_and_said(world: World, tmp_path: Path) -> None:
    path = write(tmp_path / "game.jsonl", world.lines)
    path.write_bytes(path.read_bytes() + world.lines[-1][:50])
    copy = find_copy(tmp_path)
    assert len(copy.record.lines) == len(world.lines)
    assert copy.notes


# --- signing ----------------------------------------------------------------------------------------------------


def test_a_number_is_used_once_whatever_becomes_of_the_file(world: World, tmp_path: Path) -> None:
    seat = awaited(world)
    mine = client(world, seat, tmp_path)
    first, second = mine.turn([DRAW]), mine.turn([DRAW], again=True)
    again = PlayerClient.open(tmp_path, world.people[Seat(seat)], Salt())
    third = again.turn(say="hello")
    assert [first.n, second.n, third.n] == [first.n, first.n + 1, first.n + 2]
    assert isinstance(world.send(third.raw), Accepted)
    refused = world.send(first.raw)
    assert isinstance(refused, Refused)
    assert refused.code == "stale"


def test_what_was_sealed_is_kept_before_the_file_leaves(world: World, tmp_path: Path) -> None:
    seat = awaited(world)
    mine = client(world, seat, tmp_path)
    hand = mine.view.view_json["hands"][seat]
    signed = mine.turn([DRAW, {"do": "discard", "card": hand[0]}])
    assert signed.file["body"]["actions"] == [DRAW]
    assert any("depends on" in note for note in signed.notes)
    kept = [json.loads(path.read_text()) for path in sorted((tmp_path / "sealed").iterdir())]
    assert {copy["kind"]: copy["content"] for copy in kept} == {
        "sealed": [{"do": "discard", "card": hand[0]}],
        "orders": {"rules": []},
    }
    assert mine.check(signed.raw).ok


def test_what_the_rules_refuse_is_not_signed(world: World, tmp_path: Path) -> None:
    seat = awaited(world)
    mine = client(world, seat, tmp_path)
    with pytest.raises(RefusedError, match=r"^action 1: .* \[") as refused:
        mine.turn([{"do": "discard", "card": "hideout"}])
    assert "Nothing was signed" in refused.value.hint
    other = client(world, "burt" if seat == "anna" else "anna", tmp_path / "other")
    with pytest.raises(RefusedError, match=r"^the match waits for "):
        other.turn([DRAW])
    names = {
        path.name[:2] for folder in (tmp_path, tmp_path / "other") for path in folder.glob("sent/*.json")
    }
    assert names == set(), "no number was used up"


def test_a_client_checks_what_the_referee_rules(world: World, tmp_path: Path) -> None:
    seat = awaited(world)
    mine = client(world, seat, tmp_path)
    other = "burt" if seat == "anna" else "anna"
    files: list[tuple[str, Any]] = [
        ("", world.turn_file(seat, DRAW)),
        ("not-your-turn", world.turn_file(other, DRAW)),
        ("illegal", world.turn_file(seat, {"do": "discard", "card": "hideout"})),
    ]
    for code, file in files:
        view = mine.view if file["body"]["seat"] == seat else world.view(other)
        assert check_file(mine.record, canon(file), view, []).code == code
        ruling = world.send(file) if code else None
        assert code == (ruling.code if isinstance(ruling, Refused) else "")


def test_own_messages_must_be_there_as_they_were_sent(world: World, tmp_path: Path) -> None:
    seat = awaited(world)
    mine = client(world, seat, tmp_path)
    sent = mine.turn(say="this is what I sent")
    record = world.copy()
    head = record.head.seen
    link = record.ledger.newest
    assert link is not None
    elsewhere = world.turn_file(seat, say="signed on another device")
    elsewhere["body"]["n"] = sent.n
    from pbem.protocol.formats.envelopes import make_file

    identity = world.people[Seat(seat)]
    forged = make_file("turn", elsewhere["body"], identity.sign_key, identity.sign_public)
    assert isinstance(world.send(forged), Accepted)
    assert head["seq"] < world.head.seq
    mine.take_in(world.lines)
    with pytest.raises(VerificationError, match="not as you sent it"):
        mine.turn([DRAW])


def test_joining_twice_gives_the_same_file(tmp_path: Path) -> None:
    world = World("wyatt-earp", ["anna", "burt"])
    write(tmp_path / "game.jsonl", world.lines)
    mine = PlayerClient.open(tmp_path, world.people[Seat("anna")], Salt())
    first = mine.join("anna", name="Anna", mail="anna@example.org")
    assert mine.join("anna", name="Anna", mail="anna@example.org").raw == first.raw
    with pytest.raises(AlreadySigned, match="your join as Anna"):
        mine.join("anna", name="Anna", mail="anna@example.org", lang="de")
    other = mine.join("anna", name="Anna", mail="anna@example.org", lang="de", again=True)
    assert other.file["body"]["lang"] == "de"
    assert isinstance(world.send(other.raw), Accepted)
    mine.take_in(world.lines)
    with pytest.raises(UsageProblem, match="you have joined already"):
        mine.join("anna", name="Anna", mail="anna@example.org", lang="fr")
    late = PlayerClient(Copy(MatchFolder(tmp_path)), world.people[Seat("burt")], Salt())
    with pytest.raises(UsageProblem, match="taken by Anna"):
        late.join("anna", name="Burt")


def test_standing_orders_travel_with_every_file(world: World, tmp_path: Path) -> None:
    seat = awaited(world)
    mine = client(world, seat, tmp_path)
    orders: dict[str, Any] = {"rules": []}
    assert isinstance(world.send(mine.turn(orders=orders, say="ready").raw), Accepted)
    mine.take_in(world.lines)
    assert mine.orders() == orders
    assert "orders" in mine.turn([DRAW]).file["body"]


def test_a_client_of_somebody_else_says_so(world: World, tmp_path: Path) -> None:
    write(tmp_path / "game.jsonl", world.lines)
    stranger = World("wyatt-earp", ["anna", "burt"], seed="9").people[Seat("anna")]
    with pytest.raises(UsageProblem, match="holds no seat"):
        _ = PlayerClient.open(tmp_path, stranger, Salt()).seat


def test_a_ready_that_is_a_lie_about_the_link_is_seen_in_time(world: World, tmp_path: Path) -> None:
    record = world.copy()
    newest = record.ledger.newest
    assert newest is not None
    identity = world.people[Seat("anna")]
    head = record.head.seen
    wrong = build_ready(identity, record.game, "anna", 9, head, epoch=newest.number, link=b"x" * 32)
    assert check_file(record, canon(wrong)).code == "bad-link"


# --- actions in words -------------------------------------------------------------------------------------------


def test_actions_are_read_however_they_are_separated() -> None:
    game = find_game("wyatt-earp")
    expected = [DRAW, {"do": "lay", "outlaw": "jesse-james", "count": 3}]
    for arguments in (
        ["draw supply", "lay 3 jesse-james"],
        ["draw", "supply", "+", "lay", "3", "jesse-james"],
        ["draw", "supply", ",", "lay", "3", "jesse-james"],
        ["draw", "supply", '{"do":"lay","outlaw":"jesse-james","count":3}'],
        ['[{"do":"draw","from":"supply"},{"do":"lay","outlaw":"jesse-james","count":3}]'],
    ):
        assert parse_actions(game, arguments) == expected, arguments
    text = "draw supply\n\n# then\nlay 3 jesse-james\n"
    assert parse_actions(game, ["-"], lambda: text) == expected
    assert parse_actions(game, []) == []
    belle = [{"do": "discard", "card": "belle-starr"}]
    assert parse_actions(find_game("wyatt-earp"), ["Discard Belle Starr"]) == belle
    assert parse_actions(find_game("wyatt-earp"), ["DISCARD", "Belle-Starr"]) == belle


@pytest.mark.parametrize(
    "arguments", [["reach", "for"], ["{"], ["[1]"], ["draw supply", "lay"], ['{"do":NaN}']]
)
def test_what_is_no_action_is_shown_with_what_may_be_typed(arguments: list[str]) -> None:
    with pytest.raises(UsageProblem):
        parse_actions(find_game("wyatt-earp"), arguments)


@pytest.mark.parametrize("game", ["wyatt-earp", "way-out-west"])
def test_legal_actions_read_back_from_their_words(game: str) -> None:
    world = World(game, ["anna", "burt", "curt"]).start()
    entry = find_game(game)
    for _ in range(40):
        if world.record.waiting is not None:
            for action in world.view(awaited(world)).legal:
                words = entry.action_to_words(action)
                assert parse_actions(entry, words.split()) == [action], words
                assert parse_actions(entry, [words] if " " in words else words.split()) == [action]
        if not world.move():
            break


# --- luck -------------------------------------------------------------------------------------------------------


def test_luck_counts_every_shot_once_with_its_label() -> None:
    world = World("wyatt-earp", ["anna", "burt", "curt"]).start().play(70)
    record: Record = world.copy()
    labels = [label for line in record.lines for label in record.labels(line.seq)]
    draws = draws_of(record.rules, record.lines, labels)
    events = [e for line in record.lines for step in line.body.get("steps", ()) for e in step["events"]]
    shots = [event for event in events if event["event"] in ("shot", "duel-draw")]
    assert [(draw.trial.seat, draw.trial.success) for draw in draws] == [(s["seat"], s["hit"]) for s in shots]
    assert all(draw.label in ("fair", "fair after reveal", "bound only") for draw in draws)
    rows = luck_of(draws)
    assert sum(row.count for row in rows if row.purpose) == len(draws)
    assert all(0 <= row.expected <= row.count for row in rows)
