"""Three floods at once through real servers, and others beside: ``python -m tests.service.floods_real --log FILE``.

A worker by ``pbem host serve`` at Postfix and Dovecot, with its HTTP API, under the limits that a host has. While it
is stopped the mailbox is filled, in the server's own folder: mails of 4 KB that name a player's domain, then consents
of one seat. Behind them stand the honest files, one of each match, brought by SMTP. Then the worker starts, the
flooding seat posts files that are refused, all of them, as fast as it is answered, while the others play on. Counted
are how long honest files wait for their answer, from the worker's start on, emails to anybody who floods, bytes that
the database grew by, and what the API answered.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from pwd import getpwnam
from typing import Final

import httpx

from pbem.game import Seat
from pbem.host.service.service import Service
from pbem.protocol.client import compose_consent
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.referee import MatchPlan
from tests.mail.stack import MailStack, free_port, why_missing
from tests.service.api_people import Visitor
from tests.service.by_command import QUICKLY, HostSetup, Worker
from tests.service.load import Plan, invite, match_of
from tests.service.load_people import Match, Players, Visitors
from tests.service.many import stored
from tests.service.people import Player
from tests.service.real import Place, Postbox, real_service
from tests.service.test_floods import stranger
from tests.world import secret

SEATS: Final = ("anna", "burt", "curt")
LIMITS: Final = {name: most for name, most in QUICKLY.items() if name not in ("per_sender", "per_domain")}
"""How much leaves is not limited here; how much of a sender's and of a domain's mail is looked at is, as usual."""
LONG: Final = 900.0
"""Seconds after which something will not happen any more."""
LAST: Final = 180.0
"""Seconds for the answers to the last files."""
LONGEST_WAIT: Final = 60.0
"""Aim, in seconds: no honest file waits longer for its answer."""
MOST_LETTERS: Final = 10
"""Aim: no more to anybody who floods, or whose name is used for it."""
MOST_GROWTH: Final = 50e6
"""Aim, in bytes of the database."""


class Loud:
    """The match of the seat that floods: three people with a mailbox each."""

    def __init__(self, place: Place, service: Service) -> None:
        self._place = place
        self.boxes = [Postbox(place, Player(seat)) for seat in SEATS]
        self.short = service.matches.create(MatchPlan("wyatt-earp", list(SEATS)), secret("nonce loud")[:16])
        invited = service.matches.invite(
            self.short, {box.player.seat: box.player.address for box in self.boxes}
        )
        self._words = {invitation.seat: invitation.word for invitation in invited}

    def begin(self) -> None:
        """Everybody has joined and is ready."""
        self._until(lambda player: bool(player.lines))
        for box in self.boxes:
            box.send(box.player.mail(box.player.join(self._words[box.player.seat])))
        self._until(lambda player: player.asked)
        for box in self.boxes:
            box.send(box.player.mail(box.player.ready()))
        self._until(lambda player: player.record.waiting is not None)

    def _until(self, so: Callable[[Player], bool]) -> None:
        end = time.monotonic() + LONG
        while not all(so(box.player) for box in self.boxes):
            assert time.monotonic() < end
            for box in self.boxes:
                box.read()
            self.boxes[0].pause(0.5)

    @property
    def mover(self) -> Postbox:
        """Who is to act."""
        return next(box for box in self.boxes if box.player.asked)

    @property
    def loud(self) -> Player:
        """Who floods: it is not their turn."""
        return next(box.player for box in self.boxes if not box.player.asked)

    def consents(self, number: int) -> Iterator[bytes]:
        """Emails with consents, each with other words."""
        loud, first = self.loud, self.loud.number
        for at in range(number):
            loud.number += 1
            terms = {"kind": "end", "why": f"reason {at}"}
            yield loud.mail(compose_consent(loud.record, loud.identity, Seat(loud.seat), loud.number, terms))
        loud.number = first


class Posting(threading.Thread):
    """The flooding seat at the HTTP API: files that are refused, one behind the other."""

    def __init__(self, loud: Player, url: str, number: int) -> None:
        super().__init__(daemon=True)
        first = loud.number
        self._files = []
        for _ in range(number):
            loud.number = first
            self._files.append(canon(loud.turn({"do": "draw", "from": "supply"})))
        self._loud = loud
        self._client = httpx.Client(base_url=url, timeout=300)
        self.answers: Counter[int] = Counter()
        self.slowest = self.seconds = 0.0

    def run(self) -> None:
        """All of them."""
        loud, begin = self._loud, time.monotonic()
        visitor = Visitor(loud, self._client, loud.letters[-1])
        for raw in self._files:
            at = time.monotonic()
            answer = visitor.ask("POST", f"{visitor.path}/files", content=raw)
            self.slowest = max(self.slowest, time.monotonic() - at)
            self.answers[answer.status_code] += 1
        self.seconds = time.monotonic() - begin
        self._client.close()


def fill(folder: Path, mails: Iterator[bytes]) -> int:
    """Lay mails into a user's inbox as a mail server does; how many."""
    nobody, place = getpwnam("nobody"), folder / "Maildir/new"
    number, now = 0, int(time.time())
    for number, raw in enumerate(mails, 1):
        lines = raw.count(b"\n") - raw.count(b"\r\n")
        path = place / f"{now}.M{number:08d}P1.flood,S={len(raw)},W={len(raw) + lines}"
        path.write_bytes(raw)
        os.chown(path, nobody.pw_uid, nobody.pw_gid)
    return number


def play(players: Players, worker: Worker, more: float, loud: Loud, posting: Posting) -> float:
    """Everybody plays on until the flooded match's move is recorded and all is posted; that move's wait.

    It takes ``more`` seconds at least.
    """
    begin, wait, records = time.monotonic(), 0.0, len(loud.mover.player.lines)
    while not wait or posting.is_alive() or time.monotonic() - begin < more:
        assert worker.runs, worker.path.read_text()[-3000:]
        assert time.monotonic() - begin < LONG, posting.answers
        for number in players.read():
            players.write(players.matches[number])
        if not wait:
            for box in loud.boxes:
                box.read()
            if any(len(box.player.lines) > records for box in loud.boxes):
                wait = time.monotonic() - begin
        players.pause(0.5)
    end = time.monotonic() + LAST
    while players.sent and time.monotonic() < end:
        players.read()
        players.pause(0.5)
    return wait


def warm(players: Players, matches: list[Match], turns: int) -> None:
    """Until every match has so many turns and nothing is on its way."""

    def far(match: Match) -> bool:
        lines = match.record.lines if match.record is not None else ()
        return sum(line.kind == "turn" for line in lines) >= turns

    end = time.monotonic() + LONG
    while not all(far(match) for match in matches) or players.sent:
        assert time.monotonic() < end
        for number in players.read():
            if not far(players.matches[number]):
                players.write(players.matches[number])
        players.pause(0.5)


def run(folder: Path, given: argparse.Namespace) -> tuple[list[tuple[str, str]], bool]:
    """All of it: rows of a table, and whether every aim is reached."""
    with ExitStack() as stack:
        mail = stack.enter_context(MailStack(("games", "boss", "players", *SEATS)))
        place, port = Place(mail.ports, str(mail.ca_file)), free_port()
        url, address = f"sqlite:///{folder / 'service.db'}", f"http://127.0.0.1:{port}"
        matches = [match_of(number, Plan(given.matches)) for number in range(given.matches)]
        players = Players(place, matches, Visitors(""))
        stack.callback(players.close)
        setup = HostSetup(place, folder, url, api=address, pictures=False, **LIMITS)
        service = real_service(place, url, fetches=False, api=address, host=setup.identity)
        stack.callback(service.close)
        invite(service, matches, players)
        loud = Loud(place, service)
        machine = setup.machine("machine")

        def started() -> Worker:
            worker = Worker(machine, f"--http=127.0.0.1:{port}")
            stack.callback(worker.close)
            return worker.until("serving")

        worker = started()
        loud.begin()
        warm(players, matches, 2)
        assert worker.stop() == 0
        inbox = mail.folder / "mail/games"
        floods = fill(inbox, (stranger(number) for number in range(given.mails)))
        floods += fill(inbox, loud.consents(given.files))
        posting = Posting(loud.loud, address, given.files)
        had, size, before = letters(service), stored(service, url), len(players.delays)
        for match in matches:
            players.write(match)
        mover = loud.mover
        mover.send(mover.player.mail(mover.player.move()))
        worker = started()
        now = time.monotonic()
        players.sent = {name: (number, seat, now) for name, (number, seat, _) in players.sent.items()}
        posting.start()
        wait = play(players, worker, given.seconds, loud, posting)
        left = len([path for path in (inbox / "Maildir").glob("*/*") if path.parent.name in ("cur", "new")])
        delays = players.delays[before:]
        posting.join(LONG)
        more = Counter(letters(service))
        more.subtract(had)
        noisy = {to: n for to, n in more.items() if not to.startswith(("players+", mover.player.address))}
        unanswered = len(players.sent)
        spent = sum(sum(process.cpu_times()[:2]) for process in worker.family())
        assert worker.stop() == 0
        grown = stored(service, url) - size
        longest, loudest = max(*delays, wait), max(noisy.values(), default=0)
        reached = longest <= LONGEST_WAIT and loudest <= MOST_LETTERS and grown <= MOST_GROWTH
        rows = [
            ("mails in the mailbox before the honest ones", f"{floods:,}"),
            (
                "posted meanwhile: taken and refused (202), refused at once (429)",
                f"{sum(posting.answers.values()):,} in {posting.seconds:.0f} s: {dict(posting.answers)}",
            ),
            ("slowest answer of the API", f"{posting.slowest:.1f} s"),
            ("honest matches beside, and their files", f"{given.matches}, {len(delays)}"),
            (
                f"their wait from file to answer (aim {LONGEST_WAIT:.0f} s)",
                f"median {statistics.median(delays):.1f} s, worst {max(delays):.1f} s; without an answer {unanswered}",
            ),
            ("processor time of the worker", f"{spent:.0f} s in {posting.seconds:.0f}"),
            ("wait of a move in the match of the seat that floods", f"{wait:.1f} s"),
            (f"most letters to one who floods, or was named (aim {MOST_LETTERS})", f"{loudest}"),
            (f"database (aim {MOST_GROWTH / 1e6:.0f} MB)", f"{grown / 1e6:.1f} MB more"),
            ("mails in the inbox still", f"{left:,}"),
            ("machine", f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end"),
        ]
        return rows, reached and not unanswered


def letters(service: Service) -> Counter[str]:
    """How many emails each address had."""
    with service.context.database.transaction() as transaction:
        return Counter(dict(transaction.run("SELECT rcpt, COUNT(*) FROM outbox GROUP BY rcpt")))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mails", type=int, default=60_000)
    parser.add_argument("--files", type=int, default=10_000, help="consents by mail, and files at the API")
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=120, help="how long the others play on at least")
    parser.add_argument("--log", type=Path)
    given = parser.parse_args()
    if why_missing():
        sys.exit(why_missing())
    with tempfile.TemporaryDirectory() as folder:
        rows, reached = run(Path(folder), given)
    table = "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])
    text = f"# Three floods at once, {datetime.now(UTC):%d %B %Y}\n\n{table}\n"
    print(text)
    if given.log:
        given.log.write_text(text)
    if not reached:
        sys.exit("an aim is missed")


if __name__ == "__main__":
    main()
