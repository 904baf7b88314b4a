"""A host without a mail account: one match, its database in a folder, the game file and the emails printed beside it.

::

    host = FolderHost.create(path, identity, plan, clock, entropy)    # database, game file, invitations
    host = FolderHost(path, identity, clock)                          # later
    outcome = host.take(raw)                                          # one file of a player
    host.default(seat); host.extend(seat, due); host.burn()           # refused unless due

Every call is the same: a transaction, then the note outside of it, then the print (``pbem.host.printing``). A crash in
between loses nothing: the next call prints what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from pbem.base.errors import RefusedError, StoreError, UsageProblem
from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import counted, sentence
from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.host.archive import Archived, Contents, write_archive
from pbem.host.config import Limits
from pbem.host.database.database import Database, Transaction
from pbem.host.database.driver import DatabaseDamaged
from pbem.host.database.heads import Heads
from pbem.host.database.mail import InboxRows, OutboxRows
from pbem.host.database.matches import Matches, MatchRow
from pbem.host.database.notes import MailNotes
from pbem.host.database.times import Stops, Times
from pbem.host.folder_database import database_at, only_match, opened_database
from pbem.host.letter_mail import NOWHERE, Batch, Contacts, batches_of, effect_of, names_of
from pbem.host.placing import check_place, synchronised
from pbem.host.printing import PrintedOutbox, print_lines, signed_beyond
from pbem.host.rematch import contacts_again, plan_again
from pbem.host.service.check import behind_of
from pbem.host.service.client import HostedMatch
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox
from pbem.host.service.send import Postman
from pbem.host.service.store import DatabaseStore
from pbem.host.store import LIMIT, MOST, Act, Heartbeat, Outcome, Written, refuse
from pbem.player.mail.outgoing import Sender
from pbem.player.mail.ports import Outgoing
from pbem.player.store import MatchFolder
from pbem.player.store.durable import Steps, no_steps
from pbem.protocol import referee
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import Line, Record
from pbem.protocol.record.deadlines import parse_time
from pbem.protocol.referee import MatchPlan

Clock = Callable[[], str]
Entropy = Callable[[int], bytes]

_HEADS: Final = "heads.jsonl"
_BESIDE: Final = "print-beside"
"""Under which name the database holds the other folder into which the game file is printed."""
_NONCE_SIZE: Final = 32
_FREE: Final = 10**9
_UNLIMITED: Final = Limits(per_minute=_FREE, per_hour=_FREE, per_match=_FREE, receipts=0)


def archive(folder: MatchFolder, target: Path) -> Archived:
    """Write the archive of a match folder; it needs no identity. See ``write_archive``."""
    database = opened_database(folder.path)
    try:
        with database.reading() as transaction:
            game = only_match(transaction, folder.path).game
            lines = Matches(transaction).lines(game)
            boxes = {f"inbox/{number:08}": raw for number, raw in InboxRows(transaction).of(game)}
    finally:
        database.close()
    boxes |= {f"outbox/{name}": folder.outbox.read(name) for name in folder.outbox.names()}
    return write_archive(Contents(tuple(lines), boxes), target)


def heads_of(folder: MatchFolder) -> Heads:
    """What the host of a folder has signed, as it is noted beside the database."""
    return Heads(folder.path / "host" / _HEADS)


def folder_context(
    folder: MatchFolder,
    database: Database,
    host: Identity,
    clock: Clock,
    heads: Heads,
    steps: Steps = no_steps,
) -> ServiceContext:
    """What a host by hand works with: a database, no mail account, nobody to alert."""
    return ServiceContext(
        database,
        host,
        _sender(Contacts()),
        "",
        lambda: parse_time(clock()),
        limits=_UNLIMITED,
        witness=False,
        null_sender=False,
        steps=steps,
        heads=heads,
        page="",
        folder=folder.path,
    )


def _sender(contacts: Contacts) -> Sender:
    return Sender(contacts.mail or f"host@{NOWHERE}", contacts.name or "pbem host", plus=False)


def _check_noted(context: ServiceContext, transaction: Transaction, match: MatchRow) -> None:
    """Use no database that lacks what is noted beside it as signed.

    Raises:
        DatabaseDamaged: it was put back to an older state.
    """
    head = context.heads.known().get(match.game)
    if head is not None and behind_of({match.game: head}, Matches(transaction), [match]):
        raise DatabaseDamaged(
            sentence(
                "this folder is not the newest: its database ends with record {seq}, and record {signed} was signed;"
                " nothing is signed here until it is there",
                seq=match.seq,
                signed=head.seq,
            ),
            hint=sentence(
                "Take in every copy that there is: {command}", command=context.recover_command(match.short)
            ),
        )


def _synchronised(folder: MatchFolder) -> list[str]:
    """That a program synchronises the folder, if one seems to."""
    above = synchronised(folder.path)
    if not above:
        return []
    return [
        sentence(
            "{path} lies in {above}, which a program synchronises: it may put back an older database. Keep the folder"
            " elsewhere, and let the match file be printed there: pbem host advance {path} --beside {above}",
            path=folder.path,
            above=above,
        )
    ]


class FolderHost(HostedMatch):
    """A host at work on the match of a folder."""

    def __init__(self, path: Path, host: Identity, clock: Clock, steps: Steps = no_steps) -> None:
        self.folder = MatchFolder(path)
        self.clock = clock
        heads = heads_of(self.folder)
        context = folder_context(self.folder, opened_database(path), host, clock, heads, steps)
        with context.database.reading() as transaction:
            match = only_match(transaction, path)
            contacts = Contacts.from_json(Matches(transaction).contacts(match.game))
            _check_noted(context, transaction, match)
            self._noted = MailNotes(transaction).last()
            """The last line of the log that the host was shown."""
        context.sender = _sender(contacts)
        super().__init__(context, match.short)
        self._looked = False
        self._files: dict[str, str] = {}
        """The file of each email that has not left, by its effect."""

    @classmethod
    def create(
        cls,
        path: Path,
        host: Identity,
        plan: MatchPlan,
        clock: Clock,
        entropy: Entropy,
        contacts: Contacts | None = None,
    ) -> FolderHost:
        """A new match in a new folder, with an invitation to every seat in the outbox.

        ``contacts`` holds what emails say and no record does: who the host is, where everybody is reached.

        Raises:
            UsageProblem: the folder holds a match already, or the plan does not fit.
        """
        contacts = contacts or Contacts()
        genesis = referee.create_match(plan, host, entropy(_NONCE_SIZE), clock())
        folder = MatchFolder.create(path)
        context = new_context(folder, host, clock, heads_of(folder))
        context.sender = _sender(contacts)
        with context.database.transaction() as transaction:
            begin(context, transaction, [genesis], contacts)
        context.database.close()
        client = cls(path, host, clock)
        client._looked = True  # nothing was missing: nothing was there
        client.notices.extend(_synchronised(folder))
        client._print()
        return client

    def again(self, path: Path, entropy: Entropy, title: str | None) -> FolderHost:
        """The next match of the same people, in a new folder: seats and first place turned by one.

        ``title``: of the next match; None leaves it as it was.

        Raises:
            RefusedError: this match is not over.
        """
        with self._opened() as store:
            contacts = contacts_again(store.record, store.contacts, self.host, title)
            plan = plan_again(store.record)
        return FolderHost.create(path, self.host, plan, self.clock, entropy, contacts)

    @contextmanager
    def at_work(self) -> Iterator[Record]:
        """The match as it stands, with everything printed."""
        with self._opened() as store:
            record = store.record
        yield record

    @contextmanager
    def _opened(self) -> Iterator[DatabaseStore]:
        if not self._looked:
            self._looked = True
            self.notices.extend([*self.folder.warnings(), *_synchronised(self.folder)])
            self._missing(self._print())
        with super()._opened() as store:
            yield store
        self._print()

    def _missing(self, written: Sequence[str]) -> None:
        """Say which emails were missing: a crash kept them from being printed, or somebody removed them."""
        if written:
            least, most = written[0], written[-1]
            which = least if least == most else sentence("{first} to {last}", first=least, last=most)
            self.notices.append(
                counted(
                    "{n} email was missing and has been written: {which}",
                    "{n} emails were missing and have been written: {which}",
                    len(written),
                    which=which,
                )
            )

    def _print(self, again: Sequence[str] = ()) -> list[str]:
        """Bring game file and outbox to what the database has; the emails that were written now.

        What stands in the log since the last time is shown to the host.
        """
        context = self.context
        with self.folder.lock(), context.database.transaction() as transaction:
            matches, notes = Matches(transaction), MailNotes(transaction)
            match = matches.required(self.short)
            lines = context.records.load(matches, match).lines
            raws = [line.raw for line in lines]
            context.before_showing(match)
            context.steps("shown")
            given_up = Stops(transaction).era(match.game)[1]
            if signed_beyond(self.folder.game.path, raws, self.host.sign_public, given_up) is None:
                self.notices.extend(print_lines(self.folder.game.path, raws, context.steps))
                self.notices.extend(self._print_beside(notes.get(_BESIDE), raws))
            box = PrintedOutbox(context, transaction, self.folder.outbox)
            self._files, written = box.print(lines, again=again)
            context.steps("mailed")
            for number, text in notes.after(self._noted):
                self._noted = number
                self.notices.append(text)
        return written

    def _print_beside(self, place: str, lines: Sequence[bytes]) -> list[str]:
        """Print the game file into the other folder, too; what is wrong with it, in words."""
        if not place:
            return []
        try:
            if not Path(place).is_dir():
                raise StoreError(sentence("there is no folder {path}", path=place))
            return print_lines(Path(place) / f"game-{self.short}.jsonl", lines)
        except StoreError as fault:
            return [sentence("the match file was not printed into {path}: {fault}", path=place, fault=fault)]

    def print_beside(self, place: Path) -> None:
        """From now on print the game file into this folder as well, which others may read."""
        with self._opened() as store:
            store.notes.set(_BESIDE, str(place.resolve()))

    def _named(self, outcome: Outcome) -> Outcome:
        """The same with its emails called as their files are."""
        names = [self._files[effect] for effect in outcome.letters if effect in self._files]
        return replace(outcome, letters=tuple(dict.fromkeys(names)))

    def take(self, raw: bytes) -> Outcome:
        """Rule on a file that a person hands in; see ``HostedMatch``."""
        return self._named(super().take(raw))

    def _act(self, act: Act) -> Outcome:
        return self._named(super()._act(act))

    def offer(self, lines: Sequence[bytes]) -> list[str]:
        """Take from a copy of the record what is missing here; see ``HostedMatch``."""
        said = super().offer(lines)
        self._print()
        return said

    def check(self) -> None:
        """Sign nothing with a clock that jumped, or while a record is missing here that this host has signed."""
        with self._opened() as store:
            record = store.record
        self._check_newest(record)
        self._give_back_lost()
        with self.context.database.reading() as transaction:
            beat = Heartbeat(MailNotes(transaction))
            refuse(beat.fault(self.clock(), LIMIT, record.head.at), "outage FOLDER")

    def _check_newest(self, record: Record) -> None:
        raws = [line.raw for line in record.lines]
        with self.context.database.reading() as transaction:
            match = only_match(transaction, self.folder.path)
            given_up = Stops(transaction).era(match.game)[1]
            missing = signed_beyond(self.folder.game.path, raws, self.host.sign_public, given_up)
            if missing is not None:
                raise RefusedError(
                    sentence(
                        "this folder is not the newest: record {missing}, which you have signed, is not in its"
                        " database; nothing is signed here until it is",
                        missing=missing,
                    ),
                    hint=sentence(
                        "Take in every copy that there is: {command}",
                        command=self.context.recover_command(self.short),
                    ),
                )
            self.matches.refuse_stopped(transaction, match)

    def _give_back_lost(self) -> None:
        """The time for which the match stood still, since this folder was not the newest."""
        with self.context.database.reading() as transaction:
            lost = Times(transaction).row(only_match(transaction, self.folder.path).game).lost
        if lost is None:
            return
        with self._opened() as store:
            if not store.record.over and lost[1] > max(lost[0], store.record.head.at):
                store.host().give_back(*lost)
            store.lost_is_given_back()

    def beat(self, *, clock_is_right: bool = False) -> Outcome | None:
        """Note that the host is at work; after an outage, first give back the time of it (schemas/README.md §10.7).

        Args:
            clock_is_right: a person has looked at the clock, however far from the last sign of life it is.

        Raises:
            ClockProblem: the clock went back or jumped ahead; nothing was noted.
        """
        with self.at_work() as record:
            self._check_newest(record)
        with self._opened() as store:
            now, record = self.clock(), store.record
            beat, limit = Heartbeat(store.notes), MOST if clock_is_right else LIMIT
            if clock_is_right and beat.set_back(now, record.head.at):
                return None
            refuse(beat.fault(now, limit, record.head.at), "outage FOLDER")
            outage = beat.outage(now)
            outcome = None if outage is None else store.host().give_back(outage.since, outage.until)
            beat.beat(now)
        return None if outcome is None else self._named(outcome)

    def on_time(self) -> tuple[Outcome, ...]:
        """Record everything that the clock makes due now: what a pause held up, defaults, burns; write reminders."""
        done: list[Outcome] = []
        self.check()
        while True:
            with self._opened() as store:
                outcome = store.host().on_time()
            if outcome is None:
                return tuple(done)
            done.append(self._named(outcome))

    def where(self, letter: str) -> str:
        """Where an email lies."""
        return str(self.folder.outbox.path(letter))

    def rewrite_letters(self, seats: Sequence[Seat] = ()) -> tuple[str, ...]:
        """Make the emails of the last commit again (for these seats, else all), as far as they are not sent."""
        with self._opened() as store:
            record = store.record
            names = [
                name
                for name in names_of(record, batches_of(record.lines)[-1])
                if not seats or name.seat in seats
            ]
            store.write([Written(name) for name in names])
        effects = [effect_of(record.game, name.upto, name.seat, name.kind) for name in names]
        self._print(again=effects)
        return tuple(self._files[effect] for effect in effects if effect in self._files)

    def status(self, language: Language = ENGLISH) -> JsonObject:
        """Where the match stands, with what only the host knows; see ``HostedMatch``."""
        with self.at_work():
            pass
        unsent = {"folder": str(self.folder.outbox.folder), "unsent": sorted(set(self._files.values()))}
        return super().status(language) | {"outbox": unsent}

    def send(self, outgoing: Outgoing) -> JsonObject:
        """Send every email that waits; what became of each, by the names of their files.

        Raises:
            MailTrouble: the server cannot be reached; what was sent before is marked.
        """
        with self._opened():
            pass
        before = dict(self._files)
        with self.context.database.transaction() as transaction:
            OutboxRows(transaction).retry()
        try:
            Postman(self.context, outgoing).flush()
        finally:
            self._print()
        with self.context.database.reading() as transaction:
            left = {row.effect: row for row in OutboxRows(transaction).unsent_rows()}
        return {
            "sent": [name for effect, name in before.items() if effect not in left],
            "no_address": [before[effect] for effect, row in left.items() if row.state == "held"],
            "refused": {
                before[row.effect]: row.fault for row in left.values() if row.state != "held" and row.fault
            },
            "doubtful": [before[effect] for effect, row in left.items() if row.state == "sending"],
        }

    def mark_sent(self) -> list[str]:
        """Mark the emails that wait as sent: the host has handed them over. The names of their files."""
        with self._opened() as store:
            names = sorted(set(self._files.values()))
            store.outbox.mark_all(self.context.now())
        return names

    def close(self) -> None:
        """Let go of the database."""
        with suppress(StoreError):
            self.context.database.close()


def new_context(folder: MatchFolder, host: Identity, clock: Clock, heads: Heads) -> ServiceContext:
    """The context of a folder whose database is made now.

    Raises:
        UsageProblem: there is a match in it.
        StoreError: a database would be damaged there sooner or later.
    """
    path = database_at(folder.path)
    check_place(path)
    context = folder_context(folder, Database(f"sqlite:///{path}"), host, clock, heads)
    with context.database.reading() as transaction:
        taken = bool(Matches(transaction).all())
    if taken:
        context.database.close()
        raise UsageProblem(
            sentence("{path} already holds a match", path=folder.path),
            hint=sentence("Choose another folder."),
        )
    return context


def begin(
    context: ServiceContext, transaction: Transaction, lines: Sequence[Line], contacts: Contacts
) -> None:
    """Put a match into a folder's database, with the emails of its last step: a new match invites everybody."""
    from pbem.host.service.matches import MatchClient

    match = MatchClient(context).add_within(transaction, lines, contacts)
    store = DatabaseStore(context, transaction, match)
    store.note_addresses(contacts.seats)
    Letterbox(context, transaction).learn_addresses(store.record, store.record.lines)
    last = batches_of(store.record.lines)[-1] if match.seq else Batch(0, 0, None)
    store.write([Written(name) for name in names_of(store.record, last)])
