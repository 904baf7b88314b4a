"""Two machines at one PostgreSQL, one of them cut off from it: ``python -m tests.service.cut_off --seconds 60``.

Real programs throughout: both workers are ``pbem host serve``, each beside a ``service.toml`` of its own and on a
machine of its own name; Postfix and Dovecot, one mailbox. The first one's way to the database leads through a ``Wire``,
and its emails through a ``Gate``. It is cut off in play while the other goes on, while nobody else is there, and twice
just before an email's first byte, once for shorter and once for longer than its claim holds.

What must come out: every file in the records once, every email once, every mail of the players still in the mailbox,
nothing ruled and nothing sent by the one that is cut off and alone, and no alarm for it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pbem.host.database.database import Database
from pbem.host.database.matches import Matches
from pbem.player.mail.gate import peek_message_id
from pbem.player.mail.imap import ImapMailbox
from pbem.protocol.audit import audit
from tests.mail.stack import MailStack, why_missing
from tests.patience import PATIENCE, patiently
from tests.service.by_command import HostSetup, Worker
from tests.service.people import Player, parse
from tests.service.postgres import Postgres
from tests.service.real import Place, Postbox
from tests.service.wire import Gate, Wire

SEATS = ("anna", "burt")


@dataclass
class Outcome:
    """The result."""

    rows: list[tuple[str, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def note(self, title: str, came: str) -> None:
        """One more row, at once."""
        self.rows.append((title, came))
        print(f"{title}: {came}", file=sys.stderr, flush=True)

    def text(self) -> str:
        """For people."""
        lines = ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in self.rows)]
        return "\n".join([*lines, "", *(f"WRONG: {fault}" for fault in self.faults)]).rstrip() + "\n"


class Evening:
    """A match of two by mail, with two machines; the first one is the one that is cut off."""

    def __init__(self, stack: ExitStack, folder: Path, *, lease: int, witness_wait: int) -> None:
        mail = stack.enter_context(MailStack(("games", "boss", *SEATS)))
        server = stack.enter_context(Postgres())
        self.wire = stack.enter_context(Wire(server.socket))
        self.gate = stack.enter_context(Gate(mail))
        self.place = Place(mail.ports, str(mail.ca_file))
        self.url = server.url("house")
        self.hold = witness_wait
        self.lease = lease
        setup = HostSetup(
            self.place, folder, self.url, lease=lease, witness_wait=witness_wait, per_minute=1000
        )
        through = f"postgresql://postgres@127.0.0.1:{self.wire.port}/house"
        self._machines = {
            "first": setup.machine("first", database=through, submission=self.gate.port),
            "other": setup.machine("other"),
        }
        self.workers: dict[str, Worker] = {}
        self.all_workers: list[Worker] = []
        """All that ever ran."""
        self.boxes = [Postbox(self.place, Player(seat)) for seat in SEATS]
        self.mails: list[str] = []
        """The Message-IDs of what the players sent."""
        self.setup = setup
        stack.callback(self.close)

    # --- workers ----------------------------------------------------------------------------------------------

    def start(self, name: str) -> None:
        """A worker on this machine."""
        self.workers[name] = Worker(self._machines[name], machine=name).until("serving")
        self.all_workers.append(self.workers[name])

    def stop(self, name: str) -> None:
        """As its supervisor stops it."""
        assert self.workers.pop(name).stop() == 0

    # --- the match --------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Everybody has joined and is ready."""
        self.setup.host.run("host", "new", "evening", "--game", "wyatt-earp", "--seats", ",".join(SEATS))
        given = [f"{box.player.seat}={box.player.address}" for box in self.boxes]
        invited = json.loads(self.setup.host.run("host", "invite", "evening", *given, "--json"))
        self.short = invited["match"]
        words = {invitation["seat"]: invitation["word"] for invitation in invited["invited"]}
        self.until(lambda: all(box.player.lines for box in self.boxes), "the invitations")
        for box in self.boxes:
            self.send(box, box.player.mail(box.player.join(words[box.player.seat])))
        self.until(lambda: all(box.player.asked for box in self.boxes), "everybody has joined")
        for box in self.boxes:
            self.send(box, box.player.mail(box.player.ready()))
        self.until(lambda: any(box.player.record.waiting for box in self.boxes), "the first cards")

    def send(self, box: Postbox, raw: bytes) -> None:
        """One mail of a player."""
        self.mails.append(str(parse(raw)["Message-ID"]))
        box.send(raw)

    def turn(self) -> int:
        """Whoever is asked moves, by mail; how many records there will be then."""
        self.until(lambda: self._asked() is not None, "somebody is asked")
        box = self._asked()
        assert box is not None
        self.send(box, box.player.mail(box.player.move()))
        return len(box.player.lines) + 1

    def _asked(self) -> Postbox | None:
        """Who is to act, as the newest copy says; the others get an email about a move when it concerns them."""
        newest = max(len(box.player.lines) for box in self.boxes)
        up_to_date = (box for box in self.boxes if box.player.asked and len(box.player.lines) == newest)
        return next(up_to_date, None)

    def play(self, number: int) -> None:
        """So many turns, each answered."""
        for _ in range(number):
            self.heard(self.turn())

    def heard(self, records: int) -> float:
        """Until one of them has so many records; seconds."""
        begin = time.monotonic()
        self.until(lambda: any(len(box.player.lines) >= records for box in self.boxes), f"record {records}")
        return time.monotonic() - begin

    def until(self, done: Callable[[], bool], title: str) -> None:
        """Read until it is so."""
        for _ in patiently(title, self.hold):
            if done():
                return
            for name, worker in self.workers.items():
                assert worker.runs, f"{name} has ended: {worker.path.read_text()[-3000:]}"
            for box in self.boxes:
                box.read()
            self.boxes[0].pause(0.3)

    def all_left(self) -> None:
        """Until no email waits."""
        self.until(lambda: set(self.letters().values()) == {"sent"}, "every letter has left")

    # --- looks ------------------------------------------------------------------------------------------------

    def records(self) -> list[bytes]:
        """The match as the database has it."""
        with closing(Database(self.url)) as database, database.reading() as transaction:
            matches = Matches(transaction)
            return [raw for match in matches.all() for raw in matches.lines(match.game)]

    def letters(self) -> dict[str, str]:
        """The emails to players: Message-IDs and states."""
        with closing(Database(self.url)) as database, database.reading() as transaction:
            rows = transaction.run("SELECT message_id, state FROM outbox WHERE game <> ''")
        return {str(name): str(state) for name, state in rows}

    def waits_in_the_mailbox(self, name: str) -> bool:
        """Whether a mail lies in the host's inbox."""
        with self._mailbox() as box:
            mails = box.fetch([mail.uid for mail in box.waiting()])
        return name in {peek_message_id(raw) for raw in mails.values()}

    def in_the_mailbox(self) -> Counter[str]:
        """Message-IDs of everything that lies there, in whichever folder."""
        since = datetime.now(UTC).date() - timedelta(days=2)
        with self._mailbox() as box:
            return Counter(
                peek_message_id(raw) for raw in box.kept(("INBOX", "Processed", "Quarantine"), since)
            )

    @contextmanager
    def _mailbox(self) -> Iterator[ImapMailbox]:
        with closing(
            ImapMailbox(lambda: self.place.account("imaps", "games"), folders=("Processed",))
        ) as box:
            yield box

    def close(self) -> None:
        """End the workers and close the mailboxes."""
        for worker in self.all_workers:
            worker.close()
        for box in self.boxes:
            box.close()


# --- what happens -------------------------------------------------------------------------------------------------


def cut_in_play(evening: Evening, seconds: float, result: Outcome, *, ends: bool) -> None:
    """The first one is cut off, the other goes on; then both play on."""
    evening.play(2)
    begin = time.monotonic()
    evening.wire.cut(ends=ends)
    waits: list[float] = []
    if ends:  # a server that does not know of the cut keeps for the lost one what that has claimed
        while time.monotonic() - begin < seconds or len(waits) < 2:
            waits.append(evening.heard(evening.turn()))
    else:
        pass_by(seconds)
    took = time.monotonic() - begin
    evening.wire.heal()
    evening.play(2)
    how = "connections end" if ends else "nothing gets through"
    said = (
        f"{len(waits)} turns by the other machine, {max(waits):.1f} s at most"
        if waits
        else "then both play on"
    )
    result.note(f"cut off in play, {how}", f"{took:.0f} s; {said}")


def cut_and_alone(evening: Evening, seconds: float, result: Outcome) -> None:
    """Nobody else is there: a turn stays in the mailbox, and nothing leaves."""
    evening.stop("other")
    evening.play(1)
    evening.all_left()
    evening.wire.cut(ends=True)
    before, left = evening.records(), len(evening.gate.taken)
    wanted = evening.turn()
    evening.until(lambda: evening.waits_in_the_mailbox(evening.mails[-1]), "the turn has arrived")
    pass_by(seconds)
    if evening.records() != before or len(evening.gate.taken) != left:
        result.faults.append("who was cut off has ruled or sent")
    if not evening.waits_in_the_mailbox(evening.mails[-1]):
        result.faults.append("who was cut off has moved a mail")
    evening.wire.heal()
    waited = evening.heard(wanted)
    result.note(
        "cut off and alone", f"{seconds:.0f} s: nothing ruled, sent or moved; ruled {waited:.1f} s after it"
    )


def cut_before_data(evening: Evening, result: Outcome, *, longer: bool) -> None:
    """An email is named, and the first one is cut off; its first byte comes in time, or too late."""
    evening.play(1)
    evening.all_left()  # else an email of the turn before is the one that stands at the gate
    evening.gate.park()
    wanted = evening.turn()
    assert evening.gate.stands.wait(PATIENCE)
    left = len(evening.gate.taken)
    evening.wire.cut(ends=not longer)
    if longer:
        evening.start("other")
        evening.heard(wanted)  # the other one has taken it over
        evening.gate.let_go()
        pass_by(evening.hold / 4)
    else:
        evening.gate.let_go()
        evening.heard(wanted)
        evening.start("other")
        evening.all_left()  # the copy was found
    taken = len(evening.gate.taken) - left
    evening.wire.heal()
    evening.play(2)
    most = (
        0 if longer else len(SEATS)
    )  # a turn's emails are claimed together, and leave while the claim holds
    if not min(most, 1) <= taken <= most:
        which = "longer" if longer else "shorter"
        result.faults.append(f"letters through the gate while it was cut off for {which}: {taken}")
    when = "longer than the claim" if longer else "shorter than the claim"
    came = (
        "0 letters of its own left" if longer else "what was claimed left, and the other one found the copy"
    )
    result.note(f"cut off just before DATA, {when}", came)
    evening.stop("other")


def pass_by(seconds: float) -> None:
    """Time in which something is not to happen."""
    threading.Event().wait(seconds)


def judge(evening: Evening, result: Outcome) -> None:
    """Count everything."""
    evening.all_left()
    letters = evening.letters()
    for box in evening.boxes:
        box.read()
    came = Counter(str(parse(raw)["Message-ID"]) for box in evening.boxes for raw in box.player.letters)
    lines = evening.records()
    said = [json.loads(line)["body"].get("msg", {}).get("body", {}) for line in lines]
    recorded = Counter((body["seat"], body["n"]) for body in said if "n" in body)
    sent = {
        (box.player.seat, file["body"]["n"])
        for box in evening.boxes
        for file in box.player.files
        if "n" in file["body"]
    }
    lying = evening.in_the_mailbox()
    boss = Postbox(evening.place, Player("boss"))
    alarms = [str(kind) for raw in boss.read() if (kind := parse(raw)["X-Pbem-Alarm"])]
    boss.close()
    wrong = {
        f"letters twice: {[name for name, number in came.items() if number > 1]}": max(came.values()) > 1,
        f"letters lost: {sorted(set(letters) - set(came))}": set(letters) - set(came),
        f"files twice: {recorded}": max(recorded.values()) > 1,
        f"files lost: {sent - set(recorded)}": sent - set(recorded),
        "a copy differs": any(box.player.lines != lines[: len(box.player.lines)] for box in evening.boxes),
        "the audit has findings": not audit(lines).ok,
        f"mails gone from the mailbox: {[name for name in evening.mails if lying[name] != 1]}": any(
            lying[name] != 1 for name in evening.mails
        ),
        f"alarms: {alarms}": alarms,
    }
    result.faults += [fault for fault, is_so in wrong.items() if is_so]
    result.rows += [
        ("files sent, in the records", f"{len(sent)}, {len(recorded)}"),
        ("letters sent, read, twice", f"{len(letters)}, {len(came)}, {sum(came.values()) - len(came)}"),
        (
            "mails of players, in the mailbox still",
            f"{len(evening.mails)}, {sum(lying[name] == 1 for name in evening.mails)}",
        ),
        ("records", str(len(lines))),
        ("mails to the operator", str(len(alarms))),
    ]


def run(folder: Path, seconds: float, *, lease: int, witness_wait: int) -> Outcome:
    """All of it."""
    result = Outcome()
    with ExitStack() as stack:
        evening = Evening(stack, folder, lease=lease, witness_wait=witness_wait)
        evening.start("first")
        evening.begin()
        evening.start("other")
        cut_in_play(evening, seconds, result, ends=True)
        cut_in_play(evening, seconds, result, ends=False)
        cut_and_alone(evening, seconds, result)
        for longer in (False, True):
            cut_before_data(evening, result, longer=longer)
        judge(evening, result)
    return result


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--lease", type=int, default=60)
    parser.add_argument("--witness-wait", type=int, default=60)
    parser.add_argument("--log", type=Path)
    given = parser.parse_args()
    if why_missing():
        sys.exit(why_missing())
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        result = run(Path(folder), given.seconds, lease=given.lease, witness_wait=given.witness_wait)
    result.rows += [
        ("lease, witness_wait", f"{given.lease} s, {given.witness_wait} s"),
        ("all of it", f"{time.monotonic() - begin:.0f} s, load {os.getloadavg()[0]:.0f}"),
    ]
    print(result.text())
    if given.log:
        given.log.write_text(f"# One of two machines is cut off from the database\n\n{result.text()}")
    return 1 if result.faults else 0


if __name__ == "__main__":
    sys.exit(main())
