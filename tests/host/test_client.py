"""The host's client: what is committed, what is answered, what a crash leaves, two hosts at once."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.base.errors import RefusedError, UsageProblem, VerificationError
from pbem.game import JsonObject, Seat
from pbem.host import FolderHost, Outcome
from pbem.host.letter_mail import batches_of
from pbem.host.recover import recover
from pbem.player.mail import content_of
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Deadlines, Record
from pbem.protocol.referee import Accepted, Held, Ignored, MatchPlan, Refused, Repeated
from tests.history.matches import PlayedMatch
from tests.host.folders import laid
from tests.patience import PATIENCE
from tests.world import World, secret

ROOT = Path(__file__).resolve().parents[2]
NOW = "2026-11-22T09:00:00Z"
PAUSE: JsonObject = {"kind": "pause", "until": "2027-01-03T00:00:00Z"}


def client_of(world: World | PlayedMatch, path: Path, now: str = NOW) -> FolderHost:
    """The client of a world's host over a folder that holds the world's record so far."""
    return laid(path, world.lines, world.host, lambda: now)


@pytest.fixture
def world() -> World:
    return World("wyatt-earp", ["anna", "burt"]).start()


def test_a_new_match_invites_every_seat(tmp_path: Path) -> None:
    host = Identity(secret("host"))
    plan = MatchPlan("wyatt-earp", ["anna", "burt"])
    client = FolderHost.create(tmp_path / "m", host, plan, lambda: NOW, lambda size: secret("n")[:size])
    letters = client.folder.outbox.letters()
    assert letters == ("000000-anna-invitation.eml", "000000-burt-invitation.eml")
    brought = content_of(client.folder.outbox.read(letters[1]))
    assert brought.seat == "burt"
    assert brought.lines == client.folder.game.read().lines
    with pytest.raises(UsageProblem, match="already holds a match"):
        FolderHost.create(tmp_path / "m", host, plan, lambda: NOW, lambda size: secret("n")[:size])


def test_nobody_else_can_go_on_with_a_match(world: World, tmp_path: Path) -> None:
    path = client_of(world, tmp_path / "m").folder.path
    with pytest.raises(UsageProblem, match="not the host of this match"):
        FolderHost(path, Identity(secret("stranger")), lambda: NOW).status()


def test_letters_are_a_pure_function_of_the_record(world: World, tmp_path: Path) -> None:
    letters = []
    for folder in ("one", "two"):
        client = client_of(world, tmp_path / folder)
        seat = world.record.waiting["seat"]  # type: ignore[index]
        world.numbers[seat] = 7
        world.salts[seat].count = 0
        if folder == "one":
            raw = canon(world.turn_file(seat, {"do": "draw", "from": "supply"}))
        outcome = client.take(raw)
        assert isinstance(outcome.ruling, Accepted)
        box = client.folder.outbox
        before = {name: box.read(name) for name in outcome.letters}
        for name in outcome.letters:
            box.path(name).unlink()
        again = FolderHost(client.folder.path, world.host, lambda: "2027-01-01T00:00:00Z")
        again.status()
        assert {name: box.read(name) for name in outcome.letters} == before
        assert any("missing and ha" in sentence for sentence in again.notices)
        letters.append(set(before))
    assert letters[0] == letters[1]


def test_a_letter_that_was_sent_is_not_made_again(world: World, tmp_path: Path) -> None:
    client = client_of(world, tmp_path)
    client.status()
    box = client.folder.outbox
    names = box.letters()
    for name in names:
        box.mark_sent(name)
        box.path(name).unlink()
    FolderHost(tmp_path, world.host, lambda: NOW).status()
    assert box.letters() == ()


def test_what_comes_of_each_kind_of_file(world: World, tmp_path: Path) -> None:
    client = client_of(world, tmp_path)
    seat = Seat(world.record.waiting["seat"])  # type: ignore[index]
    other = next(other for other in world.record.seats if other != seat)
    turn = canon(world.turn_file(seat, {"do": "draw", "from": "supply"}))
    first = client.take(turn)
    assert isinstance(first.ruling, Accepted)
    again = client.take(turn)
    assert isinstance(again.ruling, Repeated)
    assert again.letters[0].endswith(f"{seat}-receipt-accepted-again-1.eml")
    early = client.take(canon(world.turn_file(other, {"do": "draw", "from": "supply"})))
    assert isinstance(early.ruling, Refused)
    assert early.ruling.code == "not-your-turn"
    reject = content_of(client.folder.outbox.read(early.letters[0]))
    assert b'"code":"not-your-turn"' in reject.files[0]
    held = client.take(canon(world.consent(other, PAUSE)))
    assert isinstance(held.ruling, Held)
    assert client.status()["consents"] == [{"what": PAUSE, "seats": [other]}]
    stranger = World("wyatt-earp", ["anna", "burt"], seed="2").start()
    foreign = client.take(canon(stranger.turn_file("anna", {"do": "draw", "from": "supply"})))
    assert isinstance(foreign.ruling, Ignored)
    assert foreign.letters == ()
    assert "another match" in foreign.ruling.reason
    assert client.status()["mail"]["files"] == 4


def test_held_consents_count_when_the_last_one_arrives(world: World, tmp_path: Path) -> None:
    client = client_of(world, tmp_path)
    assert isinstance(client.take(canon(world.consent("anna", PAUSE))).ruling, Held)
    fresh = FolderHost(tmp_path, world.host, lambda: NOW)
    done = fresh.take(canon(world.consent("burt", PAUSE)))
    assert isinstance(done.ruling, Accepted)
    assert fresh.status()["phase"] == "paused"
    assert len(done.letters) == 2


def test_the_hosts_acts_are_refused_unless_due(world: World, tmp_path: Path) -> None:
    client = client_of(world, tmp_path)
    seat = Seat(client.status()["waiting"]["seat"])
    other = next(other for other in world.record.seats if other != seat)
    acts: list[Callable[[], Outcome]] = [
        lambda: client.default(seat),
        client.burn,
        client.end,
        lambda: client.extend(other, "2027-01-01T00:00:00Z"),
    ]
    for act in acts:
        with pytest.raises(RefusedError):
            act()
    before = client.folder.game.read().lines
    assert list(before) == world.lines
    assert isinstance(client.extend(seat, "2026-12-24T00:00:00Z").ruling, Accepted)
    assert client.status()["due"] == "2026-12-24T00:00:00Z"
    assert isinstance(client.reseal(seat).ruling, Accepted)


def test_a_default_is_played_once_its_time_has_come(tmp_path: Path) -> None:
    world = World("wyatt-earp", ["anna", "burt"], deadlines=Deadlines(hours=1, grace=1)).start()
    client = client_of(world, tmp_path, now="2026-11-25T00:00:00Z")
    seat = Seat(client.status()["waiting"]["seat"])
    assert client.status()["may"]["default"]["now"]
    assert isinstance(client.default(seat).ruling, Accepted)


def test_a_substitute_takes_a_seat_with_the_others_consent(world: World, tmp_path: Path) -> None:
    clock = [world.now]
    client = client_of(world, tmp_path)
    client = FolderHost(client.folder.path, world.host, lambda: clock[0])
    gone = world.consent("burt", {"kind": "resign", "seat": "burt"})
    assert isinstance(client.take(canon(gone)).ruling, Accepted)
    clock[0] = "2026-11-25T18:00:00Z"  # the hold is over
    agreed = world.consent("anna", world.substitute_terms("burt", "newcomer"))
    assert isinstance(client.take(canon(agreed)).ruling, Held)
    from pbem.protocol.client import SeatView, compose_join

    newcomer = Identity(secret(f"newcomer {world.seed}"))
    join = compose_join(world.copy(), newcomer, "burt", name="Bertha", n=50)
    done = client.substitute(canon(join))
    assert isinstance(done.ruling, Accepted)
    record = Record.load(client.folder.game.read().lines)
    assert record.names[Seat("burt")] == "Bertha"
    assert (
        SeatView(record, newcomer).view_json["hands"]["burt"] == world.view("burt").view_json["hands"]["burt"]
    )


# --- batches --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["wyatt-earp", "way-out-west"])
def test_batches_are_what_the_host_committed_together(game: str) -> None:
    world = World(game, ["anna", "burt", "curt"])
    ends = [0]

    def noted(step: object) -> None:
        if world.head.seq > ends[-1]:
            ends.append(world.head.seq)

    for seat in world.seats:
        noted(world.join(seat))
    for seat in world.seats:
        noted(world.ready(seat))
    for _ in range(150):
        if not world.move():
            break
        noted(None)
    assert [batch.last for batch in batches_of(world.record.lines)] == ends


# --- crashes --------------------------------------------------------------------------------------------------


def _take(folder: str, raw: bytes, barrier: object, results: object) -> None:
    world = World("wyatt-earp", ["anna", "burt"])
    client = FolderHost(Path(folder), world.host, lambda: NOW)
    barrier.wait()  # type: ignore[attr-defined]
    results.put(type(client.take(raw).ruling).__name__)  # type: ignore[attr-defined]


def test_two_hosts_at_once_commit_one_file_once(world: World, tmp_path: Path) -> None:
    client = client_of(world, tmp_path)
    client.status()
    seat = world.record.waiting["seat"]  # type: ignore[index]
    raws = [canon(world.turn_file(seat, {"do": "draw", "from": "supply"})) for _ in range(2)]
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(2), context.Queue()
    children = [context.Process(target=_take, args=(str(tmp_path), raw, barrier, results)) for raw in raws]
    for child in children:
        child.start()
    names = sorted(results.get(timeout=PATIENCE) for _ in children)
    for child in children:
        child.join(timeout=PATIENCE)
    assert names == ["Accepted", "Refused"]
    lines = client.folder.game.read().lines
    assert len(Record.load(lines).lines) == len(world.lines) + 1


# --- recovery -------------------------------------------------------------------------------------------------


def test_recovery_takes_the_longest_valid_copy(world: World, tmp_path: Path) -> None:
    world.play(6)
    lines = world.lines
    bent = [*lines[:-1], lines[-1].replace(b'"at":"2', b'"at":"3', 1)]
    result = recover(
        tmp_path / "new", world.host, [("short", lines[:-2]), ("bent", bent), ("whole", lines)], lambda: NOW
    )
    assert (result.source, result.records) == ("whole", len(lines))
    assert "bent is used up to record" in result.notes[0]
    client = FolderHost(tmp_path / "new", world.host, lambda: NOW)
    assert list(client.folder.game.read().lines) == lines
    with client.at_work() as record:
        world.record = record
    assert world.move()


def test_recovery_completes_a_folder_that_fell_behind(world: World, tmp_path: Path) -> None:
    client = client_of(world, tmp_path)
    client.status()
    world.play(4)
    recover(tmp_path, world.host, [("anna", world.lines)], lambda: NOW)
    assert list(FolderHost(tmp_path, world.host, lambda: NOW).folder.game.read().lines) == world.lines


def test_recovery_refuses_two_histories_and_strangers(world: World, tmp_path: Path) -> None:
    fork = World("wyatt-earp", ["anna", "burt"])
    fork.record, fork.numbers = world.record.fork(), dict(world.numbers)
    seat = world.record.waiting["seat"]  # type: ignore[index]
    world.turn(seat, {"do": "draw", "from": "supply"})
    fork.turn(seat, {"do": "draw", "from": "discard"})
    with pytest.raises(VerificationError, match="contradict each other"):
        recover(tmp_path / "x", world.host, [("one", world.lines), ("two", fork.lines)], lambda: NOW)
    assert not (tmp_path / "x" / "game.jsonl").exists()
    with pytest.raises(UsageProblem, match="not of a match that this identity hosts"):
        recover(tmp_path / "x", Identity(secret("x")), [("one", world.lines)], lambda: NOW)


def test_the_private_part_is_closed_to_others(world: World, tmp_path: Path) -> None:
    client = client_of(world, tmp_path)
    client.take(canon(world.consent("anna", PAUSE)))
    for name in client.folder.host.names():
        assert client.folder.host.path(name).stat().st_mode & 0o077 == 0
