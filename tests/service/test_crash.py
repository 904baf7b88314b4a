"""The crash table: kill -9 at every commit point of a turn's way, with real mail servers, then start again.

After each: the turn is applied once, every email is in its mailbox once, and none is missing.
"""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from pbem.host.database.notes import ReaderRows
from pbem.host.service.service import Service
from pbem.protocol.audit import audit
from pbem.protocol.record import Deadlines
from pbem.protocol.referee import MatchPlan
from tests.forked import Forked
from tests.mail.stack import MailStack, why_missing
from tests.needed import require
from tests.patience import until
from tests.service import child
from tests.service.people import Player, headers
from tests.service.postgres import Postgres
from tests.service.postgres import why_missing as why_no_postgresql
from tests.service.real import Place, Postbox, database_url, real_service, rounds, sent_to
from tests.world import secret

POINTS = (
    "fetched",  # the mail is in memory only
    "keeping",  # in the transaction that keeps it
    "kept",
    "sorted",  # in the transaction that finds its match
    "ruled",  # records, emails and inbox state are written, not committed
    "committed",
    "marking",  # in the transaction that marks emails as being sent
    "marked",
    "made",  # from its name, by nobody else
    "taken",  # the server has said 250, we have not noted it
    "marking-sent",
    "sent",
    "moved",
)
READER_POINTS = ("fetched", "keeping", "kept")
FOR_EVER = 1_000_000
"""Rounds without work after which a process ends."""


@pytest.fixture
def stack() -> Iterator[MailStack]:
    """Servers of one table: what a failed one leaves in their boxes is no other one's."""
    require(why_missing())
    with MailStack(("games", "anna", "burt", "boss")) as running:
        yield running


class Crashing(ExitStack):
    """A match of two whose service is killed again and again; at its end all is closed that was opened."""

    def __init__(
        self, stack: MailStack, folder: Path, deadlines: Deadlines | None = None, url: str = ""
    ) -> None:
        super().__init__()
        self.stack, self.folder, self.count = stack, folder, 0
        self.place = place = Place(stack.ports, str(stack.ca_file))
        self.url = url or database_url(folder)
        self.service: Service = self.enter_context(closing(real_service(place, self.url)))
        self.players = [Player("anna"), Player("burt")]
        self.boxes = [self.enter_context(closing(Postbox(place, player))) for player in self.players]
        plan = MatchPlan("wyatt-earp", ["anna", "burt"], deadlines=deadlines or Deadlines())
        self.short = self.service.matches.create(plan, secret("nonce crash")[:16])

    def start(self) -> None:
        addresses = {player.seat: player.address for player in self.players}
        words = {
            invitation.seat: invitation.word
            for invitation in self.service.matches.invite(self.short, addresses)
        }
        rounds(self.service, self.boxes, lambda: all(player.lines for player in self.players))
        for box in self.boxes:
            box.send(box.player.mail(box.player.join(words[box.player.seat])))
        rounds(
            self.service, self.boxes, lambda: len(self.players[0].lines) >= 4 <= len(self.players[1].lines)
        )
        for box in self.boxes:
            box.send(box.player.mail(box.player.ready()))
        rounds(  # who has not been ready is asked, too, as long as that mail is under way
            self.service,
            self.boxes,
            lambda: any(player.asked and player.record.waiting for player in self.players),
        )
        self.settle()

    def settle(self) -> None:
        """Work until everything that was sent has arrived and is read, witnesses too."""
        rounds(self.service, self.boxes, self._idle)
        for box in self.boxes:
            box.read()
        self.service.close()

    def _idle(self) -> bool:
        self.stack.quiet()
        return not self.service.run_once().anything

    def started(self, **more: object) -> Forked:
        given = {"ports": self.place.ports, "ca_file": self.place.ca_file, "url": self.url, **more}
        self.count += 1
        process = Forked(child.main, json.dumps(given), self.folder / f"child-{self.count}.err")
        self.callback(process.kill)
        return process

    def child(self, **more: object) -> int:
        code, output = self.started(**more).wait()
        print(output)  # what it could not do at once
        assert code in (0, -signal.SIGKILL), output
        return code

    def readers(self) -> list[str]:
        """For each who reads a word that is the same if they knew of the same readers when they read last.

        Who has not read since there are several has none.
        """
        with self.service.context.database.transaction() as transaction:
            return [
                words.partition(" ")[2]
                for words in ReaderRows(transaction, "games@pbem.test").noted().values()
            ]

    def somebody_plays(self, hours: float) -> None:
        """Whoever is asked answers, so that the match is not left to defaults alone."""
        for box in self.boxes:
            box.read()
        player = next(player for player in self.players if player.asked)
        box = next(box for box in self.boxes if box.player is player)
        box.send(player.mail(player.move()))
        self.arrived(player, 1)
        assert self.child(hours=hours, quiet=3) == 0
        for each_box in self.boxes:
            each_box.read()

    def wait_for(self, done: Callable[[], bool]) -> None:
        """Until what other processes do has come so far."""
        until(done)

    def arrived(self, player: Player, number: int) -> None:
        """Wait until so many mails of this player lie in the host's inbox; witnesses may lie there, too."""
        with closing(Postbox(self.place, Player("games"))) as box:
            until(
                lambda: [mail.sender for mail in box._box.waiting()].count(player.address) >= number,
                f"not {number} mails of {player.seat}",
                lambda: box.pause(1),
            )

    def delivered(self) -> None:
        """Wait until witnesses lie where they are looked for, and longer than is waited for them, by whole seconds."""
        self.stack.quiet()
        time.sleep(1.1)

    def lost_or_twice(self) -> dict[str, dict[str, list[str]]]:
        """For each player, emails that are missing or came twice."""
        wrong = {}
        for box in self.boxes:
            expected = sent_to(self.service, box.player.address)
            with suppress(AssertionError):  # said below, by name
                box.read_until(len(expected))
            box.read()
            got = Counter(str(headers(raw)["Message-ID"]) for raw in box.player.letters)
            members = {
                "missing": [name for name in expected if not got[name]],
                "twice": [name for name, number in got.items() if number > 1],
            }
            if any(members.values()):
                wrong[box.player.seat] = members
        return wrong

    def letters_text(self) -> str:
        """Whether every email came once."""
        letters, counts = self.lost_or_twice(), self.service.counts()
        self.service.close()
        return "each once" if not letters and set(counts) == {"sent"} else f"{letters} {counts}"


TIME_POINTS = (
    "timing",  # in the transaction that plays a default
    "timed",
    "outage",  # in the transaction that marks every match and beats
    "outage-marked",
    "mending",  # in the transaction that gives a match its time back
    "mended",
)


def killed_in_a_turn(match: Crashing, point: str) -> tuple[str, str]:
    """A turn is mailed, the service is killed at ``point`` and started again: how often the turn and emails count."""
    player = next(player for player in match.players if player.asked)
    box = next(box for box in match.boxes if box.player is player)
    head = len(match.service.matches.lines(match.short))
    match.service.close()
    raw = player.mail(player.move())
    box.send(raw)
    box.send(raw)  # and every turn is mailed twice, as a nervous server would
    match.arrived(player, 2)
    killed = match.child(kill=point)
    assert killed == -signal.SIGKILL, f"{point} was never reached"
    match.delivered()
    assert match.child(quiet=3) == 0
    lines = match.service.matches.lines(match.short)
    names = [json.loads(line)["body"].get("msg", {}).get("body", {}).get("n") for line in lines[head:]]
    applied = names.count(player.number)
    return ("once" if applied == 1 else f"{applied} times", match.letters_text())


def killed_while_another_reads(match: Crashing, point: str) -> tuple[str, str]:
    """Two read one mailbox, and the one with the turn is killed while it rules; nobody starts it again."""
    player = next(player for player in match.players if player.asked)
    box = next(box for box in match.boxes if box.player is player)
    head = len(match.service.matches.lines(match.short))
    match.service.close()
    other = match.started(quiet=FOR_EVER)
    match.wait_for(lambda: len(match.readers()) == 1)
    dying = match.started(quiet=FOR_EVER, kill=point, reads=player.address)
    match.wait_for(lambda: len(views := match.readers()) == 2 and len(set(views)) == 1 and all(views))
    raw = player.mail(player.move())
    box.send(raw)
    box.send(raw)
    assert dying.wait() == (-signal.SIGKILL, "")
    match.wait_for(lambda: len(match.service.matches.lines(match.short)) > head)
    assert other.runs
    other.kill()
    match.delivered()
    assert match.child(quiet=3) == 0
    lines = match.service.matches.lines(match.short)
    names = [json.loads(line)["body"].get("msg", {}).get("body", {}).get("n") for line in lines[head:]]
    applied = names.count(player.number)
    return ("once" if applied == 1 else f"{applied} times", match.letters_text())


def killed_by_the_clock(match: Crashing, point: str, hours: float) -> tuple[float, tuple[str, str]]:
    """The same for what a clock makes due; how many hours it is ahead by now, and the outcome."""
    head = len(match.service.matches.lines(match.short))
    match.service.close()
    match.delivered()  # nothing is due as long as a mail is under way
    jump = 0.5 if point in ("timing", "timed") else 5.0
    wanted = "default" if jump < 1 else "extend"
    if jump < 1:  # the service runs while the hour passes
        hours += jump
        assert match.child(hours=hours, quiet=1) == 0
    hours += jump
    killed = match.child(kill=point, hours=hours)
    assert killed == -signal.SIGKILL, f"{point} was never reached"
    match.delivered()
    assert match.child(quiet=3, hours=hours) == 0
    lines = match.service.matches.lines(match.short)
    applied = [json.loads(raw)["body"]["kind"] for raw in lines[head:]].count(wanted)
    letters = match.letters_text()
    if jump < 1:
        match.somebody_plays(hours)
    return hours, ("once" if applied == 1 else f"{wanted} {applied} times", letters)


@pytest.mark.slow
def test_the_crash_table_of_time(stack: MailStack, tmp_path: Path) -> None:
    """The same for what a clock makes due; the clock is an argument, so nothing waits for it."""
    hours = 0.0
    table: dict[str, tuple[str, str]] = {}
    with Crashing(stack, tmp_path, Deadlines(hours=1, grace=0, then="default")) as match:
        match.start()
        for point in TIME_POINTS:
            hours, table[point] = killed_by_the_clock(match, point, hours)
        holds(match, table, TIME_POINTS)


@pytest.mark.slow
def test_the_crash_table_of_two_readers(stack: MailStack, tmp_path: Path) -> None:
    """On PostgreSQL: the one that still runs reads what the killed one had fetched, at once and without help."""
    require(why_no_postgresql())
    with Postgres() as server, Crashing(stack, tmp_path, url=server.url("readers")) as match:
        match.start()
        table = {point: killed_while_another_reads(match, point) for point in READER_POINTS}
        holds(match, table, READER_POINTS)


@pytest.mark.slow
def test_the_crash_table(stack: MailStack, tmp_path: Path) -> None:
    with Crashing(stack, tmp_path) as match:
        match.start()
        table = {point: killed_in_a_turn(match, point) for point in POINTS}
        holds(match, table, POINTS)


def holds(match: Crashing, table: Mapping[str, tuple[str, str]], points: Sequence[str]) -> None:
    """Print the table and look at it, and audit what was played."""
    for point, (act, letters_found) in table.items():
        print(f"{point:14} act {act:8} letters {letters_found}")
    assert table == dict.fromkeys(points, ("once", "each once"))
    assert audit(match.service.matches.lines(match.short)).ok
