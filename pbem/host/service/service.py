"""The host's service: one process next to a mailbox, or several at one database.

::

    fetch    mail is kept byte for byte, then looked into             (each reader its own: ``service.readers``)
    sort     which match is it for? a bounce, a command, nothing?
    time     an outage is mended before; defaults, burns, reminders after (``service.time``; one of them)
    rule     one transaction: records + emails + the mail is dealt with
    flush    emails leave, each with a witness copy
    ring     browsers that want it are called                         (``service.push``; one of them)
    file     mail that is dealt with is moved to its folder           (who has read it)

Every arrow may be interrupted at any point and repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import field
from functools import partial
from typing import Final, TypeAlias

from pbem.base.errors import StoreError
from pbem.base.sentences import joined
from pbem.base.values import dataclass, replace
from pbem.host.config import FOR_EVER, Folders, Keep
from pbem.host.database.database import Transaction
from pbem.host.database.driver import DatabaseDamaged
from pbem.host.database.mail import DONE, QUARANTINED, InboxRows, OutboxRows
from pbem.host.database.matches import Matches
from pbem.host.database.notes import MailNotes
from pbem.host.database.push import PushRows
from pbem.host.database.times import Times
from pbem.host.service.alarms import Alarms, FallbackAlert, ServerWatch
from pbem.host.service.check import QuietCheck, check_database
from pbem.host.service.context import ServiceContext
from pbem.host.service.crowd import MOST_NEW, Crowd
from pbem.host.service.inbox import HEADERS_ONLY, SIGNED, Patient, Sorter, keep, ours
from pbem.host.service.matches import MatchClient
from pbem.host.service.place import NotSure, ServedElsewhere, Whereabouts
from pbem.host.service.push import NewMailNotifiers
from pbem.host.service.readers import Readers
from pbem.host.service.restore import Restorer
from pbem.host.service.retention import Forgotten, Keeper, forget
from pbem.host.service.rule import RulingWorker
from pbem.host.service.send import BRAKE, RELEASED, Postman
from pbem.host.service.time import Timekeeper
from pbem.host.service.webhooks import WebhookCaller, Webhooks
from pbem.host.store import clock_problem
from pbem.player.mail.gate import MAX_MESSAGE
from pbem.player.mail.ports import (
    LoginRefused,
    Mailbox,
    MailTrouble,
    Outgoing,
    Stop,
    WaitingMail,
    never,
    outermost,
)

Sleep: TypeAlias = Callable[[float], object]
Notify: TypeAlias = Callable[[str], object]
_CHUNK: Final = 20
_TURN: Final = 50
"""Files that are ruled on before more of a crowd of emails is sorted."""
_SORTED: Final = 50
"""Emails that are sorted before what they brought is ruled on."""
_AT_MAILBOX: Final = ("fetch", "look-past", "settle", "file", "let-go")
"""Stages that need the mailbox; the others that can meet trouble need the submission server."""
_SHORT: Final = 1
_LONG: Final = 10
"""Seconds between two looks at what no mail announces, while several processes read and while one does."""
_RETRIES: Final = (2.0, 5.0, 15.0, 30.0, 60.0)
"""Seconds after trouble: who plays does not wait longer than a minute for a server that is back."""
_LOCKED_OUT: Final = (2.0, 5.0, 15.0, 60.0, 120.0, 300.0)
"""Where a server refuses the password: it may shut out who tries often, and a person has to do something."""


@dataclass
class Done:
    """What one round did."""

    fetched: int = 0
    sorted: int = 0
    ruled: int = 0
    timed: int = 0
    """Looks at matches because of the time: defaults, burns, reminders, outages."""
    sent: int = 0
    announced: int = 0
    """Chat webhooks that took something."""
    troubles: list[str] = field(default_factory=list)
    let_go: int = 0
    """Emails that are no longer kept."""
    more: bool = False
    """Whether emails wait to be looked past."""
    failed: set[str] = field(default_factory=set)
    """Which of ``mailbox`` and ``submission`` gave trouble; ``login``, if one refused the password."""

    @property
    def anything(self) -> bool:
        """Whether there was work."""
        return any(
            (
                self.fetched,
                self.sorted,
                self.ruled,
                self.timed,
                self.sent,
                self.announced,
                self.let_go,
                self.more,
            )
        )


@dataclass(frozen=True, slots=True)
class _Seen:
    """What waits, by one look at the database."""

    unsorted: bool = True
    ready: bool = True
    lost: bool = True
    due: bool = True
    leaving: bool = True
    interrupted: bool = True
    brake: bool = False
    calls: bool = True


_EVERYTHING: Final = _Seen()


class Service:
    """The loop. ``mailbox`` may be missing: mail then comes by ``deliver`` alone."""

    def __init__(
        self,
        context: ServiceContext,
        outgoing: Outgoing,
        mailbox: Mailbox | None = None,
        folders: Folders | None = None,
        keep: Keep = FOR_EVER,
        whereabouts: Whereabouts | None = None,
    ) -> None:
        self.context = context
        self.whereabouts = whereabouts or Whereabouts(context, "", ())
        """Whether this is the place that serves."""
        self.matches = MatchClient(context)
        self._mailbox = mailbox
        self._folders = folders or Folders()
        self.time = Timekeeper(context)
        self.fallback_alert = FallbackAlert.of(context, outgoing)
        self._watch = ServerWatch(context)
        self._keeper = Keeper(context, keep)
        self._checker = QuietCheck(context)
        self._outgoing = outgoing
        self._sorter = Sorter(context)
        self._ruling_worker = RulingWorker(context)
        self._postman = Postman(context, outgoing)
        self.webhooks = WebhookCaller(context)
        self.readers = Readers(context)
        self.notifiers = NewMailNotifiers(context)
        self._listed = ""
        """When this process has last asked for the mail that it has read."""
        self._numbers: dict[str, int] = {}
        """Emails in the inbox by their uid, with their numbers in the database; 0 for witness copies."""
        self._others: set[str] = set()
        """Emails that other processes read."""
        self._crowd = Crowd(context)
        self._asked = ""
        """When this process has last asked what there is, if it got all."""

    def run_once(self, stop: Stop = never) -> Done:
        """Do everything there is to do now; mail trouble is reported, and does not keep the rest from being done.

        When ``stop`` says so it ends after what it has in hand, and leaves the rest to the next round.
        """
        done, reads = Done(), self._mailbox is not None
        seen = None if self._not_sure(done) else self._look(done, reads=reads)
        if seen is None:
            return done
        first = reads and self.readers.first
        keeper = first or not reads
        """Whether this process keeps the time: it must know what has arrived."""
        if reads and not stop():
            done.fetched = self._trying(done, "fetch", lambda: self.fetch(stop))
        if keeper and not done.troubles and not stop() and self.time.away():
            done.timed += self._trying(done, "time", self._come_back)
        if not self.time.away():
            self._work(done, stop, seen)
            if keeper and not done.troubles and (seen.due or done.anything):
                done.timed += self._on_time(stop)
            self._pass(done, stop)
        if reads and self.readers.settles and seen.interrupted and not stop():
            witnessed = (self._folders.processed, *self._folders.sent)
            settle = partial(self._postman.settle, self._mailbox, witnessed)
            seen = replace(seen, leaving=bool(self._trying(done, "settle", settle)) or seen.leaving)
        self._send(done, stop, seen)
        if keeper and not stop() and (seen.calls or self.context.calls):
            self.context.calls = False
            self.notifiers.ring()
            done.announced = self.webhooks.flush()
        if reads and not stop():
            self._trying(done, "file", self.file)
        if not stop():
            self._watched(done, mine=reads)
        if keeper and not done.anything and not done.troubles and not stop():
            self._quiet(done)
        if keeper and not done.troubles and not stop():
            self.time.beat()
        self.context.heads.write()
        return done

    def run_once_without_mailbox(self, stop: Stop = never) -> Done:
        """Rule and send, for a mail server's pipe: the mailbox and the time are somebody else's business."""
        done = Done()
        seen = None if self._not_sure(done) else self._look(done, reads=False)
        if seen is not None and not self.time.away():
            self._work(done, stop, seen)
            self._send(done, stop, seen)
        self.context.heads.write()
        return done

    def _not_sure(self, done: Done) -> bool:
        """Whether nothing may be signed yet, since another place may go on; ``ServedElsewhere`` if one does."""
        try:
            self.whereabouts.look()
        except NotSure as fault:
            done.troubles.append(str(fault))
        return bool(done.troubles)

    def _look(self, done: Done, *, reads: bool) -> _Seen | None:
        """One look at the database for a whole round: the clock, who reads, what waits. None: nothing may be done."""
        context = self.context
        with context.database.transaction() as transaction:
            fault = self.time.look(transaction)
            alarms = Alarms(context, transaction)
            if fault:
                problem = clock_problem(fault, "go-on")
                done.troubles.append(f"{problem} {problem.hint}")
                alarms.notify_of_state("clock", str(problem))
            else:
                if moved := self.time.moved():
                    alarms.notify_of_state("clock", moved)
                alarms.late()
                Patient(context).look_again(transaction)
                if reads:
                    self.readers.look(transaction)
            seen = self._seen(transaction)
        if fault:
            done.sent = self._trying(done, "send", lambda: self._postman.flush(only=context.operator))
            return None
        return seen

    def _seen(self, transaction: Transaction) -> _Seen:
        context, now = self.context, self.context.now()
        inbox, outbox, times = InboxRows(transaction), OutboxRows(transaction), Times(transaction)
        return _Seen(
            inbox.unsorted(),
            Matches(transaction).have_mail(),
            times.lost(),
            times.due(self.time.certain()),
            outbox.leaving(now),
            outbox.interrupted(context.later(-context.limits.witness_wait)),
            bool(MailNotes(transaction).get(BRAKE)),
            bool(Webhooks(context, transaction).due() or PushRows(transaction).due(now, 1)),
        )

    def _send(self, done: Done, stop: Stop, seen: _Seen) -> None:
        self.context.heads.write()
        if seen.leaving or done.anything or done.troubles:
            done.sent = self._trying(done, "send", lambda: self._postman.flush(stop))

    def _quiet(self, done: Done) -> None:
        """What has time until nothing else is to be done: what is no longer kept, or a match to look through."""
        done.let_go = self._trying(done, "let-go", lambda: self._keeper.work_one(self._mailbox, self.copies))
        if not done.let_go and not done.troubles:
            self._checker.check_one()

    def forget(self, address: str, *, even_now: bool = False) -> Forgotten:
        """See ``retention.forget``."""
        return forget(self.context, address, self._mailbox, self.copies, even_now=even_now)

    @property
    def copies(self) -> tuple[str, ...]:
        """The folders of the mailbox in which copies lie that are let go of one day."""
        return (self._folders.processed, self._folders.quarantine, *self._folders.sent)

    def _watched(self, done: Done, *, mine: bool) -> None:
        """What worked in this round, for the operator: what failed is noted where it failed."""
        changed = False
        if mine and self._mailbox is not None and "mailbox" not in done.failed:
            changed = self._watch.worked("mailbox", self._mailbox.valid_until())
        if done.sent and "submission" not in done.failed:
            changed = self._watch.worked("submission", self._outgoing.valid_until()) or changed
        if changed:
            done.sent += self._trying(done, "send", lambda: self._postman.flush(only=self.context.operator))

    def _come_back(self) -> int:
        """After an outage: once emails can leave again, every match has its time given back, first of all."""
        self._postman.reach()
        self.time.mark_outage()
        return 1

    def _on_time(self, stop: Stop) -> int:
        """Do what time makes due, as far as everything is known that had come by then; how many things."""
        count = 0
        upto = self.time.certain()
        if self._mailbox is not None:
            upto = min(upto, self.readers.all_read(self._listed))
        while upto and not stop() and self.time.act_one(upto):
            count += 1
            if not self.time.more:
                break
        return count

    def work(self, done: Done, stop: Stop = never) -> None:
        """Sort, give lost time back, then rule until nothing is left."""
        self._work(done, stop, _EVERYTHING)

    def _work(self, done: Done, stop: Stop, seen: _Seen) -> None:
        """What was seen, and what comes of it.

        Sorting comes first: an email may show that the database is older than what was signed, and then not even
        the time of an outage may be given back.
        """
        again = seen.unsorted or bool(done.fetched)
        while again and not stop():
            again = self._sort(done, stop)
            if again:
                self._rule(done, stop, seen, most=_TURN)
        self._rule(done, stop, seen)

    def _sort(self, done: Done, stop: Stop) -> bool:
        """Sort what has come, so many emails at most; whether there are more."""
        again, end = True, done.sorted + _SORTED
        while again and done.sorted < end and not stop() and self._sorter.sort_one():
            done.sorted += 1
            again = self._sorter.more
        return again and done.sorted >= end

    def _rule(self, done: Done, stop: Stop, seen: _Seen, most: int | None = None) -> None:
        while (seen.lost or done.timed or self._sorter.healed) and not stop() and self.time.repair_one():
            done.timed += 1
        again = seen.ready or bool(done.sorted or done.timed)
        while again and not stop() and (most is None or most > 0) and self._ruling_worker.work_one():
            most = None if most is None else most - 1
            self.context.heads.write()  # before an email or the API's answer shows it
            done.ruled += 1
            self.readers.renew_lease()
            again = self._ruling_worker.more

    def _trying(self, done: Done, stage: str, step: Callable[[], int]) -> int:
        try:
            return step()
        except MailTrouble as fault:
            server = "mailbox" if stage in _AT_MAILBOX else "submission"
            done.troubles.append(str(fault))
            done.failed.update((server, "login") if isinstance(fault, LoginRefused) else (server,))
            self._watch.failed(server, fault)
            self._forget_mailbox()
            if server == "mailbox":
                self.readers.step_back()
            return 0

    def _forget_mailbox(self) -> None:
        """What is known of the emails there may be wrong now."""
        self._numbers.clear()
        self._others.clear()
        self._crowd.forget()

    def fetch(self, stop: Stop = never) -> int:
        """Keep what is this process's to read of the inbox, as far as its limits go; how many emails were new here."""
        box = self._mailbox
        if box is None:
            return 0
        at = self.context.now()
        listed = box.waiting(MOST_NEW)
        if self.readers.changed:
            self._forget_mailbox()
        if self._others:
            self._others.intersection_update([mail.uid for mail in listed])
        unknown = [mail for mail in listed if mail.uid not in self._numbers and mail.uid not in self._others]
        self._others.update(mail.uid for mail in unknown if not self.readers.mine(mail))
        mine = self._crowd.new([mail for mail in unknown if mail.uid not in self._others])
        fresh = outermost(mine, MOST_NEW)
        beside = len(mine) - len(fresh) + box.unlisted
        strange = self._without_copies(fresh)
        for mail in strange:
            if mail.size > MAX_MESSAGE and not stop():
                self._keep({mail.uid: HEADERS_ONLY + b"\r\n" + box.fetch_head(mail.uid)})
        now, more = self._crowd.sort([mail for mail in strange if mail.size <= MAX_MESSAGE], beside)
        for start in range(0, len(now), _CHUNK):
            if stop():
                break
            bodies = box.fetch([mail.uid for mail in now[start : start + _CHUNK]])
            self.context.steps("fetched")
            self._keep(bodies)
        self._asked = "" if more or stop() else at
        self._have_read()
        return len(fresh)

    def _without_copies(self, mails: Sequence[WaitingMail]) -> Sequence[WaitingMail]:
        """Note which of our emails have left, by the names of their copies; the other emails, which are fetched."""
        own = ours(self.context, mails)
        if not own:
            return mails
        with self.context.database.transaction() as transaction:
            known = OutboxRows(transaction).witnessed([mail.message_id for mail in own], self.context.now())
            self.context.steps("keeping")
        copies = {mail.uid: 0 for mail in own if mail.message_id in known}
        self._numbers.update(copies)
        self.context.steps("kept")
        return [mail for mail in mails if mail.uid not in copies]

    def _have_read(self) -> None:
        """Say by when everything that had come was read, if it was."""
        if self._asked and self._crowd.whole:
            self._listed, self._asked = self._asked, ""
            self.readers.have_read(self._listed)

    def _pass(self, done: Done, stop: Stop) -> None:
        """For a moment, take signed files out of emails over a limit, which stay where they are; rule on those."""
        box, crowd = self._mailbox, self._crowd
        if box is None or crowd.whole:
            return

        def look_past() -> int:
            count = 0
            for mails in crowd.look_past(box, stop):
                self._keep(mails, SIGNED)
                count += len(mails)
            self._have_read()
            return count

        jumping = self._trying(done, "look-past", look_past)
        done.more = not crowd.whole
        if jumping and not stop():
            self._work(done, stop, _EVERYTHING)

    def _keep(self, bodies: dict[str, bytes], reason: str = "") -> None:
        with self.context.database.transaction() as transaction:
            kept = {uid: keep(self.context, transaction, raw, reason)[0] for uid, raw in bodies.items()}
            self.context.steps("keeping")
        self._numbers.update(kept)
        self.context.steps("kept")

    def file(self) -> int:
        """Move what is dealt with out of the inbox; how many emails."""
        box = self._mailbox
        if box is None or not self._numbers:
            return 0
        with self.context.database.transaction() as transaction:
            states = InboxRows(transaction).states([number for number in self._numbers.values() if number])
        done = [uid for uid, number in self._numbers.items() if not number or states.get(number) == DONE]
        aside = [uid for uid, number in self._numbers.items() if number and states.get(number) == QUARANTINED]
        for uids, folder in ((done, self._folders.processed), (aside, self._folders.quarantine)):
            if uids:
                box.move(uids, folder)
                self.context.steps("moved")
        for uid in (*done, *aside):
            del self._numbers[uid]
        return len(done) + len(aside)

    def deliver(self, raw: bytes) -> tuple[int, str]:
        """Keep an email that a mail server's pipe brings; when this returns it is on the disk."""
        with self.context.database.transaction() as transaction:
            return keep(self.context, transaction, raw)

    def restorer(self) -> Restorer:
        """For a database that was just put back."""
        return Restorer(self.context, self._mailbox, self._folders)

    def begin(self, stop: Stop, sleep: Sleep, notify: Notify) -> bool:
        """Look at the database (``check_database``), once it can be used; False: the process was to stop before."""
        look = partial(check_database, self.context, thorough=False)
        return self._patiently(look, stop, sleep, notify, once=True)

    def serve(self, stop: Stop, sleep: Sleep, notify: Notify) -> None:
        """Rounds until ``stop``; after trouble it waits longer each time.

        ``sleep`` waits at most the given seconds and returns early when the process is to stop.
        """

        def work() -> Done:
            done = self.run_once(stop)
            self.fallback_alert.works()
            if not done.anything and not done.troubles and not stop():
                self._wait(stop, sleep)  # it looks at the database now and then, which may be lost meanwhile
            return done

        self._patiently(work, stop, sleep, notify)

    def _patiently(
        self, work: Callable[[], Done | None], stop: Stop, sleep: Sleep, notify: Notify, *, once: bool = False
    ) -> bool:
        """Again and again until ``stop``, or ``once`` without trouble: whether it went so."""
        failures = 0
        self.fallback_alert.ready()
        while not stop():
            pauses: Sequence[float] = _RETRIES
            try:
                done = work() or Done()
                troubles: Sequence[str] = done.troubles
                pauses = _LOCKED_OUT if "login" in done.failed else _RETRIES
            except (DatabaseDamaged, ServedElsewhere) as fault:
                if isinstance(fault, DatabaseDamaged):
                    self.fallback_alert.trouble(fault)
                raise  # waiting does not repair it: whoever watches this process shall see it end
            except StoreError as fault:
                troubles = [joined([str(fault), fault.hint], " ") if fault.hint else str(fault)]
                self.fallback_alert.trouble(fault)
            for trouble in troubles:
                notify(trouble)
            if troubles:
                sleep(pauses[min(failures, len(pauses) - 1)])
                failures += 1
                continue
            if once:
                return True
            failures = 0
        return False

    def _wait(self, stop: Stop, sleep: Sleep) -> None:
        """Wait for mail, at most so long that a delayed email or the lease is not forgotten, or until ``stop``.

        Several readers wait shorter: what one of them has read the others may rule on, and the time waits for all.
        """
        if self._mailbox is None:
            sleep(0.5)
            return
        pause, most = (_SHORT, _LONG) if self.readers.several else (_LONG, self.context.limits.idle)
        for _ in range(max(1, most // pause)):
            try:
                if stop() or self._mailbox.wait(pause, stop) or self._due():
                    return
            except MailTrouble:
                self._forget_mailbox()
                self.readers.step_back()
                return

    def _due(self) -> bool:
        """Whether something waits that no mail will announce."""
        context = self.context
        if self.readers.renew_lease() or self.whereabouts.due():
            return True
        with context.database.reading() as transaction:
            seen = self._seen(transaction)
        letters = (seen.leaving or seen.interrupted) and not seen.brake
        return seen.due or seen.calls or seen.unsorted or seen.ready or letters

    def go_on(self) -> None:
        """Release the brake."""
        with self.context.database.transaction() as transaction:
            MailNotes(transaction).set(BRAKE, "")
            MailNotes(transaction).set(RELEASED, self.context.now())

    def counts(self) -> dict[str, int]:
        """How many emails are in each state."""
        with self.context.database.transaction() as transaction:
            return OutboxRows(transaction).counts()

    def close(self) -> None:
        """Hang up everywhere, and leave the mailbox to others."""
        if self._mailbox is not None:
            with suppress(StoreError):
                self.readers.leave()
        self._postman.close()
        with suppress(StoreError):
            self.context.heads.write()
        if self._mailbox is not None:
            self._mailbox.close()
        self.context.close()
