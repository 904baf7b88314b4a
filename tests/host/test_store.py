"""One host, two stores: the same tests on a folder and on the database, kill -9 at every point of one list.

What is said to a player is shown by what the player reads: no test here asks on which store it runs.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pbem.game import JsonObject, Seat
from pbem.host import Outcome
from pbem.host.match import POINTS
from pbem.host.printing import POINTS as PRINTED
from pbem.host.service.matches import MatchClient
from pbem.player.mail import content_of
from pbem.protocol.client import compose_ready
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.envelopes import make_file
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import canon, parse
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.line import read_line
from pbem.protocol.referee import Accepted, Held, Ignored, Refused, Repeated, Unchanged
from tests.host.rigs import DatabaseRig, FolderRig, Kind, Rig, killed
from tests.needed import require
from tests.service.people import lines_in
from tests.service.people import parse as mail_of
from tests.service.postgres import Postgres, why_missing
from tests.world import START, World, accepted

DRAW: JsonObject = {"do": "draw", "from": "supply"}
UNTIL = "2026-11-23T00:00:00Z"
PAUSE: JsonObject = {"kind": "pause", "until": UNTIL}


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    require(why_missing())
    with Postgres() as running:
        yield running


@dataclass
class Bench:
    """A match of two that has begun, and one kind of store to lay it on."""

    world: World
    lay: Callable[[], Kind]
    rigs: list[Rig] = field(default_factory=list)

    def kind(self) -> Kind:
        """A new store that holds the match as the world has it."""
        store = self.lay()
        store.rig.lay(store.place, self.world.lines)
        return store

    def rig(self) -> Rig:
        """A host at new store."""
        return self.at(self.kind())

    def at(self, kind: Kind) -> Rig:
        """A host at a store that is there."""
        self.rigs.append(kind.rig(kind.place))
        return self.rigs[-1]

    def turn(self, seat: str) -> bytes:
        """A draw."""
        return canon(self.world.turn_file(seat, DRAW))

    def consent(self, seat: str, terms: JsonObject) -> bytes:
        """A consent."""
        return canon(self.world.consent(seat, terms))


@pytest.fixture(scope="module")
def started() -> World:
    return World("wyatt-earp", ["anna", "burt"]).start()


@pytest.fixture(params=["folder", "sqlite", "postgresql"])
def bench(request: pytest.FixtureRequest, started: World, tmp_path: Path) -> Iterator[Bench]:
    world = World("wyatt-earp", ["anna", "burt"])
    world.record, world.numbers = started.record.fork(), started.numbers  # numbers go up from test to test

    def lay() -> Kind:
        name = f"books{uuid.uuid4().hex[:12]}"
        if request.param == "folder":
            return Kind(FolderRig, str(tmp_path / name))
        if request.param == "sqlite":
            return Kind(DatabaseRig, f"sqlite:///{tmp_path / name}")
        return Kind(DatabaseRig, request.getfixturevalue("server").url(name))

    bench = Bench(world, lay)
    yield bench
    for rig in bench.rigs:
        rig.close()


def recorded(rig: Rig, raw: bytes) -> int:
    """In how many records this file stands."""
    files = [read_line(line).body.get("msg") for line in rig.lines()]
    return sum(file is not None and canon(file) == raw for file in files)


def rejects(rig: Rig) -> set[bytes]:
    """Every different reject in the emails."""
    return {file for raw in rig.letters().values() for file in content_of(raw).files if b'"code"' in file}


def first_letters(rig: Rig) -> dict[str, str]:
    """Every email that was not asked for a second time, with its subject."""
    return {
        name: str(mail_of(raw)["Subject"]) for name, raw in rig.letters().items() if "-again-" not in name
    }


# --- kill -9 ----------------------------------------------------------------------------------------------------


NEVER = {(case, point) for case in ("refused", "held") for point in ("appended", "cut", "printed")}
"""Where no new record is written, none is printed."""
ONCE: dict[str, tuple[int, int, int]] = {
    "accepted": (1, 0, 0),
    "refused": (0, 1, 0),
    "held": (0, 0, 1),
}
"""The results of three files, however often their host is killed: records, rejects, consents."""


def points(kind: Kind) -> tuple[str, ...]:
    """Where a host of this kind may be killed; one by hand prints after the commit."""
    return (*POINTS, "committed", *(PRINTED if kind.rig is FolderRig else ()))


def killed_everywhere(bench: Bench) -> dict[tuple[str, str], tuple[int, int, int, object]]:
    """The result of each of them after a kill at each point that its ruling passes."""
    files = {
        "accepted": bench.turn("anna"),
        "refused": bench.turn("burt"),
        "held": bench.consent("anna", PAUSE),
    }
    table: dict[tuple[str, str], tuple[int, int, int, object]] = {}
    for case, raw in files.items():
        calm = bench.rig()
        calm.take(raw)
        for point in points(bench.kind()):
            kind = bench.kind()
            if not killed(kind, START, raw, point):
                assert (case, point) in NEVER
                continue
            rig = bench.at(kind)
            outcome = rig.take(raw)
            assert isinstance(outcome.ruling, (Accepted, Repeated, Refused, Held))
            table[case, point] = (
                recorded(rig, raw),
                len(rejects(rig)),
                len(rig.consents()),
                "each once" if first_letters(rig) == first_letters(calm) else first_letters(rig),
            )
    return table


def test_kill_at_every_point(bench: Bench) -> None:
    """At each: a file is recorded or refused once, nobody misses an email and nobody gets one twice."""
    table = killed_everywhere(bench)
    for (case, point), cases in table.items():
        print(
            f"{case:9} {point:10} records {cases[0]} rejects {cases[1]} consents {cases[2]} letters {cases[3]}"
        )
    assert table == {(case, point): (*ONCE[case], "each once") for case, point in table}
    passed = points(bench.kind())
    assert len(table) == sum((case, point) not in NEVER for case in ONCE for point in passed)


# --- what is said -----------------------------------------------------------------------------------------------


def test_a_file_that_was_refused_is_never_recorded(bench: Bench) -> None:
    """A line and a reject for one message would prove the host's misconduct."""
    rig, burt = bench.rig(), bench.world.people[Seat("burt")]
    for seat in ("anna", "burt"):
        last = rig.take(bench.consent(seat, PAUSE))
    assert isinstance(last.ruling, Accepted)
    bench.world.record = last.ruling.record
    early = bench.turn("anna")
    first = rig.take(early)
    assert isinstance(first.ruling, Refused)
    assert first.ruling.code == "paused"
    rig.now = "2026-11-23T00:00:01Z"  # the pause is over, and nothing else stands against the file
    forged = make_file("turn", parse(early, limit=len(early))["body"], burt.sign_key, burt.sign_public)
    nobodys = rig.take(canon(forged))
    assert isinstance(nobodys.ruling, Ignored)
    assert nobodys.letters == ()
    again = rig.take(early)
    assert isinstance(again.ruling, Refused)
    assert again.again
    assert again.ruling.reject == first.ruling.reject
    assert recorded(rig, early) == 0
    assert len(rejects(rig)) == 1
    assert len(again.letters) == 1
    assert isinstance(rig.take(bench.turn("anna")).ruling, Accepted)


def test_a_consent_that_was_refused_counts_no_more(bench: Bench) -> None:
    rig = bench.rig()
    for seat in ("anna", "burt"):
        last = rig.take(bench.consent(seat, PAUSE))
    assert isinstance(last.ruling, Accepted)
    bench.world.record = last.ruling.record
    resume = bench.consent("anna", {"kind": "pause", "until": "2026-11-22T00:00:00Z"})
    assert isinstance(rig.take(resume).ruling, Held)
    assert len(rig.consents()) == 1
    rig.now = "2026-11-23T00:00:01Z"
    refused = rig.take(resume)
    assert isinstance(refused.ruling, Refused)
    assert rig.consents() == []
    (letter,) = [rig.letters()[name] for name in refused.letters]
    assert b"not paused" in letter


def _words(raw: bytes) -> str:
    text = mail_of(raw).get_body(("plain",))  # a file may lie beside it
    assert text is not None
    return " ".join(text.get_content().split())


def test_consents_are_kept_shown_counted_and_forgotten(bench: Bench) -> None:
    rig = bench.rig()
    held = rig.take(bench.consent("anna", PAUSE))
    assert isinstance(held.ruling, Held)
    letters = [raw for name, raw in rig.letters().items() if "held" in name]
    by_name = {str(mail_of(raw)["To"]).partition("@")[0]: raw for raw in letters}
    assert "It counts as soon as Burt agrees too." in _words(by_name["anna"])
    asked = _words(by_name["burt"])
    assert "Anna proposes: Pause the match until Monday 00:00 UTC." in asked
    assert "pbem consent . pause until=2026-11-23T00:00:00Z" in asked
    assert "The match goes on as before: Waiting for Anna" in asked
    assert mail_of(by_name["burt"])["Subject"].startswith("Do you agree? Pause the match until ")
    done = rig.take(bench.consent("burt", PAUSE))
    assert isinstance(done.ruling, Accepted)
    assert len(read_line(rig.lines()[-1]).body["consents"]) == 2
    assert rig.consents() == []


def test_a_repeated_file_gets_its_receipt_again_and_a_second_ready_a_word(bench: Bench) -> None:
    rig = bench.rig()
    raw = bench.turn("anna")
    first = rig.take(raw)
    before = first_letters(rig)
    again = rig.take(raw)
    assert isinstance(again.ruling, Repeated)
    (name,) = again.letters
    assert mail_of(rig.letters()[name])["To"].startswith("anna@")
    once_more = rig.take(raw)
    assert isinstance(once_more.ruling, Repeated)
    assert bool(once_more.letters) is isinstance(rig, FolderRig), "by mail at most once an hour"
    assert first_letters(rig) == before
    assert recorded(rig, raw) == 1
    assert len(first.letters) == 1


def test_a_second_ready_is_answered_and_not_recorded(bench: Bench) -> None:
    world = World("wyatt-earp", ["anna", "burt"])
    for seat in world.seats:
        world.join(seat)
    anna, number = world.people[Seat("anna")], world.number("anna")
    first, second = (compose_ready(world.copy(), anna, Seat("anna"), number + more) for more in (0, 1))
    world.send(first)
    bench.world = world
    rig = bench.rig()
    outcome = rig.take(canon(second))
    assert isinstance(outcome.ruling, Unchanged)
    (letter,) = [raw for name, raw in rig.letters().items() if "unchanged" in name]
    assert b"you were ready already" in letter
    assert len(rig.lines()) == len(world.lines)


def test_a_letter_is_called_the_same_in_a_folder_and_in_a_service(started: World, tmp_path: Path) -> None:
    world = World("wyatt-earp", ["anna", "burt"])
    world.record, world.numbers = started.record.fork(), started.numbers
    raw = canon(world.turn_file("anna", DRAW))
    names = []
    for rig, place in ((FolderRig, str(tmp_path / "f")), (DatabaseRig, f"sqlite:///{tmp_path / 'd'}")):
        rig.lay(place, world.lines)
        host = rig(place)
        host.take(raw)
        upto = len(world.lines)
        emails = [mail_of(letter) for letter in host.letters().values()]
        host.close()
        names += [
            str(email["Message-ID"]).partition("@")[0]
            for email in emails
            if f"-{upto}.jsonl" in str([part.get_filename() for part in email.iter_attachments()])
        ]
    assert len(names) == 2
    assert len(set(names)) == 1


def test_the_reject_of_a_letter_is_of_the_file_that_was_sent(bench: Bench) -> None:
    rig = bench.rig()
    raw = bench.turn("burt")
    rig.take(raw)
    (reject,) = rejects(rig)
    body = parse(reject, limit=len(reject))["body"]
    assert (body["hash"], body["code"]) == (b64(read_message(raw).hash), "not-your-turn")


def test_a_service_that_takes_a_folder_over_takes_its_refusals_and_consents_along(
    started: World, tmp_path: Path
) -> None:
    world = World("wyatt-earp", ["anna", "burt"])
    world.record, world.numbers = started.record.fork(), started.numbers
    place, database = str(tmp_path / "f"), f"sqlite:///{tmp_path / 'd'}"
    FolderRig.lay(place, world.lines)
    early, kept = canon(world.turn_file("burt", DRAW)), canon(world.consent("anna", PAUSE))
    folder = FolderRig(place)
    refused, held = folder.take(early).ruling, folder.take(kept).ruling
    assert isinstance(refused, Refused)
    assert isinstance(held, Held)
    service = DatabaseRig(database)
    MatchClient(service.context).adopt(Path(place))
    again = service.take(early).ruling
    assert isinstance(again, Refused)
    assert again.reject == refused.reject
    assert isinstance(service.take(canon(world.consent("burt", PAUSE))).ruling, Accepted)
    service.close()


# --- time and readers -------------------------------------------------------------------------------------------


def letters_to(rig: Rig, address: str) -> list[bytes]:
    """What waits for somebody, oldest record first."""
    letters = [raw for raw in rig.letters().values() if address in str(mail_of(raw)["To"])]
    return sorted(letters, key=lambda raw: len(lines_in(raw)) + json.loads(lines_in(raw)[0])["body"]["seq"])


def on_time(rig: Rig) -> list[Outcome]:
    """All that the clock makes due now."""
    done: list[Outcome] = []
    while True:
        with rig.opened() as store:
            outcome = store.host(rig.now).on_time()
        if outcome is None:
            return done
        done.append(outcome)


def test_whoever_is_awaited_is_reminded_as_he_wishes_and_once(bench: Bench) -> None:
    rig, due = bench.rig(), bench.world.record.due
    assert due is not None
    count = len(rig.letters())
    for hours, wish, more in (
        (-25, None, 0),
        (-23, None, 1),
        (-23, None, 1),
        (-9, (10,), 2),
        (0, None, 2),
        (1, None, 2),
    ):
        rig.now = plus_hours(due, hours)
        if wish is not None:
            with rig.opened() as store:
                store.wish(Seat("anna"), wish)
                assert store.wishes() == {Seat("anna"): wish}
        assert on_time(rig) == []
        assert len(rig.letters()) == count + more, hours
    subjects = [
        str(mail_of(raw)["Subject"]) for name, raw in sorted(rig.letters().items()) if "reminder" in name
    ]
    assert [subject.partition(" left")[0] for subject in subjects] == ["24 hours", "10 hours"]


def test_who_reads_along_gets_every_record_by_public_letters_and_once(bench: Bench) -> None:
    rig, world = bench.rig(), bench.world
    with rig.opened() as store:
        store.let_in("olga@elsewhere.test")
        assert list(store.observers()) == ["olga@elsewhere.test"]
    (welcome,) = letters_to(rig, "olga")
    assert lines_in(welcome) == rig.lines()
    for move in (DRAW, {"do": "discard", "card": world.view("anna").view_json["hands"]["anna"][0]}):
        raw = canon(world.turn_file("anna", move))
        world.take(accepted(rig.take(raw).ruling))
    _, public = letters_to(rig, "olga")
    assert lines_in(welcome) + lines_in(public) == rig.lines()
    assert b"anna" not in str(mail_of(public)["To"]).encode()
    with rig.opened() as store:
        store.let_go("olga@elsewhere.test")
        assert list(store.observers()) == []


def test_a_public_letter_that_a_crash_kept_from_being_written_is_written_after_it(bench: Bench) -> None:
    kind, world = bench.kind(), bench.world
    with bench.at(kind).opened() as store:
        store.let_in("olga@elsewhere.test")
    rig = bench.at(kind)
    world.take(accepted(rig.take(bench.turn("anna")).ruling))
    raw = canon(
        world.turn_file("anna", {"do": "discard", "card": world.view("anna").view_json["hands"]["anna"][0]})
    )
    assert killed(kind, START, raw, "noted")
    rig = bench.at(kind)
    rig.take(raw)
    assert len(letters_to(rig, "olga")) == 2
    assert lines_in(letters_to(rig, "olga")[-1])[-1] == rig.lines()[-1]
