"""The store of a match in a folder: the game file, notes in the host's private part, emails as files.

The append is the commit. An email is a function of the record, of the note ``contacts`` and of the host's secret, so
what a crash kept from being written is made again by ``repair``; a file's ``reject`` and a kept consent are notes, on
the disk before any email names them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from email.headerregistry import Address
from itertools import count
from typing import Any, Final, NamedTuple

from pbem.base.errors import RefusedError, StoreError
from pbem.base.sentences import counted, sentence
from pbem.game import JsonObject, Seat
from pbem.host.acts import public_kind
from pbem.host.letter_mail import (
    NOWHERE,
    Around,
    Batch,
    Contacts,
    Envelope,
    LetterName,
    Name,
    answer_mail,
    batches_of,
    contact_of,
    effect_of,
    letter_key,
    letter_mail,
    make_letter,
    name_of_refusal,
    names_of,
)
from pbem.host.reminders import Wishes
from pbem.host.store import NOBODY, Caller, Known, Plain, Shown, Written, grown, lacking, name_in, opened
from pbem.player.letters.compose import public_letter
from pbem.player.letters.letter import Kind
from pbem.player.mail.outgoing import Sender
from pbem.player.store import Mark, MatchFolder, Outbox
from pbem.player.store.durable import Steps, no_steps
from pbem.player.store.game_file import no_match_file
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import b64, mac, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import Message, read_message
from pbem.protocol.formats.strict_json import MAX_FILE, canon, parse
from pbem.protocol.record import Record
from pbem.protocol.referee import Accepted, Departed, Ignored

_ABANDONED: Final = "abandoned"
_CONSENT: Final = "consent-"
_GIVEN_UP: Final = "given-up"
_LETTERS_FROM: Final = "letters-from"
_LOG: Final = "log"
_LOG_LINES: Final = 1000
OBSERVERS: Final = "observers.json"
_REFUSED: Final = "refused-"
_REMINDED: Final = "reminded"
_SHOWN: Final = "shown"
_WISHES: Final = "reminders.json"


class _Reader(NamedTuple):
    """Somebody who reads along: their address, and the name and kind of the public email about a batch."""

    address: str
    letter: str
    kind: Kind


class FolderStore:
    """See ``MatchStore``; ``open`` is called under the folder's lock before anything else."""

    def __init__(
        self, folder: MatchFolder, host: Identity, clock: Callable[[], str], steps: Steps = no_steps
    ) -> None:
        self.folder = folder
        self.steps = steps
        self.notices: list[str] = []
        """What the host should hear; the caller prints and forgets it."""
        self._host = host
        self._clock = clock
        self._key = letter_key(host)
        self._record: Record | None = None
        self._mark = Mark.EMPTY

    def open(self) -> bool:
        """Take in what the file holds now, verifying only lines that are new here; whether there were any."""
        loaded = self.folder.game.read(self._mark)
        if loaded.torn or loaded.unfinished:
            raise StoreError(
                sentence(
                    "{path} ends in half a line; another process has just been killed",
                    path=self.folder.game.path,
                ),
                hint=sentence("Run the command again: it repairs the file first."),
            )
        if self._record is not None and loaded.lines:
            self._record = grown(self._record, loaded.lines)
        elif self._record is None:
            if not loaded.lines:
                raise no_match_file(self.folder.game.path)
            self._record = opened(loaded.lines, self._host)
        self._mark = loaded.end
        return bool(loaded.lines)

    @property
    def name(self) -> str:
        """See ``MatchStore``."""
        return str(self.folder.path)

    @property
    def record(self) -> Record:
        """See ``MatchStore``."""
        if self._record is None:
            raise LookupError("nothing is loaded; work inside at_work()")
        return self._record

    @property
    def contacts(self) -> Contacts:
        """See ``MatchStore``."""
        return Contacts.read(self.folder.host)

    def addresses(self) -> Mapping[Seat, str]:
        """See ``MatchStore``."""
        addresses = {
            seat: contact_of(self.record, self._host, seat) or self.contacts.seats.get(seat, "")
            for seat in self.record.seats
        }
        return {seat: mail for seat, mail in addresses.items() if mail}

    def note_contacts(self, contacts: Contacts) -> None:
        """See ``MatchStore``."""
        contacts.write(self.folder.host)

    def append(self, done: Accepted) -> None:
        """See ``MatchStore``."""
        self._mark = self.folder.game.append([line.raw for line in done.lines], expected=self._mark)
        self._record = done.record

    def known(self, message: Message) -> Known:
        """See ``MatchStore``."""
        name = _REFUSED + message.hash.hex()
        if self.record.ledger.earlier_line(message.hash) is not None:
            return Known()  # whatever a note says: it is recorded
        if self.folder.host.has(name):
            return Known(parse(self.folder.host.read(name), limit=MAX_FILE))
        return Known(given_up=b64(message.hash) in self._noted(_ABANDONED, ()))

    def refuse(self, message: Message, reject: JsonObject) -> None:
        """See ``MatchStore``."""
        self.folder.host.write(_REFUSED + message.hash.hex(), canon(reject), replace=True)

    def rejects(self) -> list[JsonObject]:
        """Every ``reject`` that was signed."""
        notes = self.folder.host
        return [
            parse(notes.read(name), limit=MAX_FILE) for name in notes.names() if name.startswith(_REFUSED)
        ]

    def hold(self, message: Message) -> None:
        """See ``MatchStore``."""
        self.folder.host.write(_consent_name(message), canon(message.file), replace=True)

    def consents(self) -> list[Message]:
        """See ``MatchStore``."""
        notes = self.folder.host
        return [read_message(notes.read(name)) for name in notes.names() if name.startswith(_CONSENT)]

    def drop(self, message: Message) -> None:
        """See ``MatchStore``."""
        self.folder.host.remove(_consent_name(message))

    def note_contact(self, message: Message, caller: Caller) -> None:
        """See ``MatchStore``: the file lies in the inbox, which says when."""

    def give_up(self, upto: int, names: Sequence[str]) -> None:
        """Other records with a number up to this one belong to a history that was given up, and these files."""
        self._note(_GIVEN_UP, upto)
        self._note(_ABANDONED, list(names))

    def given_up(self) -> int:
        """See ``MatchStore``."""
        return int(self._noted(_GIVEN_UP, -1))

    def shown(self) -> Sequence[Shown]:
        """See ``MatchStore``: the newest that was."""
        seen = self._noted(_SHOWN, None)
        return [] if seen is None else [(int(seen["seq"]), unb64(seen["line"], 32).hex())]

    def stand_still(self, ruling: Departed, caller: Caller) -> None:
        """See ``MatchStore``: ``check_newest`` refuses from now on."""
        del caller
        self._note(_SHOWN, ruling.seen)

    def check_newest(self) -> None:
        """Sign nothing while a record is missing here that was shown to be the host's own.

        Raises:
            RefusedError: one is missing.
        """
        if missing := lacking(self.shown(), name_in(self.record.lines)):
            raise RefusedError(
                sentence(
                    "this folder is not the newest: record {missing}, which you have signed, is not in it;"
                    " nothing is signed here until it is",
                    missing=missing[0],
                ),
                hint=sentence(
                    "Take in the players' copies: pbem host recover -o {path} COPY...", path=self.folder.path
                ),
            )

    def webhook(self, message: Message, address: str) -> str:
        """See ``MatchStore``: nothing runs that could call one."""
        del message, address
        return sentence("This host calls no webhooks.")

    def wishes(self) -> Wishes:
        """See ``MatchStore``."""
        try:
            wishes = self._noted(_WISHES, {})
            return {Seat(seat): tuple(map(int, hours)) for seat, hours in wishes.items()}
        except (ValueError, AttributeError, TypeError) as fault:
            raise StoreError(
                sentence("{path} is damaged", path=self.folder.host.path(_WISHES)),
                hint=sentence("Remove it; everybody is reminded as usual."),
            ) from fault

    def wish(self, seat: Seat, hours: Sequence[int]) -> None:
        """See ``MatchStore``."""
        self._note(_WISHES, {**self.wishes(), seat: list(hours)})

    def reminded(self) -> str:
        """See ``MatchStore``."""
        return self.get(_REMINDED)

    def remind_from(self, moment: str) -> None:
        """See ``MatchStore``."""
        self.set(_REMINDED, moment)

    def observers(self) -> Sequence[str]:
        """See ``MatchStore``."""
        return observers_at(self.folder)

    def let_in(self, address: str) -> None:
        """See ``MatchStore``."""
        head = self.record.head.seq
        self._note(OBSERVERS, {**_observers(self.folder), address: head})
        name, raw = self._made_public(address, head, -1, Kind.NOTICE)
        self.folder.outbox.write({name: raw})

    def let_go(self, address: str) -> None:
        """See ``MatchStore``."""
        self._note(
            OBSERVERS, {who: since for who, since in _observers(self.folder).items() if who != address}
        )

    def _write_public(self, batch: Batch, only: Container[str] | None = None) -> tuple[str, ...]:
        """The public email about a batch, if there is one, to everybody who read along then."""
        letters = {}
        for reader in self._readers(batch):
            if only is None or reader.letter in only:
                since = max(_observers(self.folder)[reader.address], self._public_before(batch.first))
                _, letters[reader.letter] = self._made_public(reader.address, batch.last, since, reader.kind)
        if letters:
            self.folder.outbox.write(letters)
        return tuple(letters)

    def _readers(self, batch: Batch) -> Iterator[_Reader]:
        """Who reads along and gets an email about a batch."""
        known = {address: since for address, since in _observers(self.folder).items() if since < batch.first}
        kind = public_kind(self.record, batch.first, batch.last) if known else None
        if kind is not None:
            for address in known:
                yield _Reader(address, Outbox.name(batch.last, self._reader(address), kind.value), kind)

    def _public_before(self, first: int) -> int:
        """The last record that a public email brought before record ``first``; -1 if there was none."""
        for batch in reversed(batches_of(self.record.lines[:first])):
            if public_kind(self.record, batch.first, batch.last) is not None:
                return batch.last
        return -1

    def _made_public(self, address: str, upto: int, since: int, kind: Kind) -> tuple[str, bytes]:
        """The name of a public email's file, and the email."""
        record, contacts = self.record, self.contacts
        letter = public_letter(record, upto, since, kind, title=contacts.title)
        sender = _sender(contacts)
        name, own = self._named(upto, self._reader(address), kind.value, sender)
        envelope = Envelope(sender, address, own, record.lines[upto].at)
        return name, letter_mail(record, letter, envelope, answer=False)

    def _reader(self, address: str) -> str:
        """What stands for a seat in the name of an email to somebody who reads along."""
        return f"reader-{base32.encode(mac(self._key, address.encode()))[:8].lower()}"

    def write(self, letters: Sequence[Written]) -> tuple[str, ...]:
        """See ``MatchStore``."""
        contacts = self.contacts
        host = f"{contacts.name} <{contacts.mail}>" if contacts.mail else contacts.name
        around = Around(contacts, host, reject=self._reject)
        files = dict([self._named_letter(letter, around) for letter in letters])
        for name, letter in zip(files, letters, strict=True):
            if letter.spare:
                self.folder.outbox.mark_spare(name)
        if files:
            self.folder.outbox.write(files)
        return tuple(files)

    def public(self, first: int) -> None:
        """See ``MatchStore``."""
        self._write_public(Batch(first, self.record.head.seq, None))

    def say(self, seat: Seat, answer: Plain, caller: Caller = NOBODY) -> tuple[str, ...]:
        """See ``MatchStore``."""
        to = self._address(seat, self.contacts)
        to = to.addr_spec if isinstance(to, Address) else to
        tag = base32.encode(mac(self._key, answer.name.encode()))[:8].lower()
        sender = _sender(self.contacts)
        name, own = self._named(self.record.head.seq, seat, f"{answer.kind}-{tag}", sender)
        envelope = Envelope(sender, to, own, self._clock(), (), caller.message_id)
        self.folder.outbox.write({name: answer_mail(answer, envelope)})
        return (name,)

    def may_answer(
        self, seat: Seat, kind: str, caller: Caller, limit: str = "", *, pays: bool = True
    ) -> bool:
        """See ``MatchStore``: the host hands in every file."""
        del seat, kind, caller, limit, pays
        return True

    def may_talk(self, seat: Seat) -> bool:
        """See ``MatchStore``."""
        del seat
        return True

    def may_repeat(self, seat: Seat, message: Message, caller: Caller) -> bool:
        """See ``MatchStore``."""
        del seat, message, caller
        return True

    def notify_host(self, kind: str, text: str) -> None:
        """See ``MatchStore``."""
        self.notices.append(text)
        self._log(f"{kind}: {text}")

    def put_aside(self, fault: str, caller: Caller) -> None:
        """See ``MatchStore``; the file lies in the inbox."""
        del caller
        self._log(fault)

    def ignore(self, message: Message, ruling: Ignored, caller: Caller) -> None:
        """See ``MatchStore``; the file lies in the inbox."""
        del message, caller
        self._log(ruling.reason)

    def _log(self, reason: str) -> None:
        """One entry more in the log; the oldest are dropped."""
        before = self.folder.host.read(_LOG).splitlines() if self.folder.host.has(_LOG) else []
        entry = f"{self._clock()} {reason}".encode("utf-8", "replace")
        kept = [*before[1 - _LOG_LINES :], entry]
        self.folder.host.write(_LOG, b"\n".join(kept) + b"\n", replace=True)

    def skip_letters_before(self, seq: int) -> None:
        """After a recovery: the emails of records before ``seq`` were sent long ago."""
        self._note(_LETTERS_FROM, seq)

    def repair(self) -> tuple[str, ...]:
        """Write the emails that a crash kept from being written, newest batch first until one is complete."""
        written = list(self._repair_refusals())
        since = int(self._noted(_LETTERS_FROM, 0))
        for batch in reversed(batches_of(self.record.lines)):
            names = (*self._names(batch), *(reader.letter for reader in self._readers(batch)))
            missing = set(self.folder.outbox.missing(names))
            if batch.first < since or (names and not missing):
                break
            written += self.write(
                [
                    Written(letter_name)
                    for letter_name in names_of(self.record, batch)
                    if _name(letter_name) in missing
                ]
            )
            written += self._write_public(batch, missing)
        if written and len(self.record.lines) > 1:
            least, most = min(written), max(written)
            which = least if least == most else sentence("{first} to {last}", first=least, last=most)
            self.notices.append(
                counted(
                    "{n} email was missing and has been written: {which}",
                    "{n} emails were missing and have been written: {which}",
                    len(written),
                    which=which,
                )
            )
        return tuple(written)

    def _repair_refusals(self) -> tuple[str, ...]:
        """Refusals of the present moment without their email; an older one's file comes again if it is missed."""
        newest = [
            reject for reject in self.rejects() if reject["body"]["head"]["seq"] == self.record.head.seq
        ]
        letters = {
            _name(name): name for name in (name_of_refusal(old, self.record.head.seq) for old in newest)
        }
        missing = self.folder.outbox.missing(letters)
        return self.write([Written(letters[name]) for name in missing])

    def newest(self, seats: Sequence[Seat] = ()) -> tuple[str, ...]:
        """Make the emails of the last commit again (for these seats, else all), as far as they are not sent."""
        batch = batches_of(self.record.lines)[-1]
        names = names_of(self.record, batch)
        public = () if seats else self._write_public(batch)
        return self.write([Written(name) for name in names if not seats or name.seat in seats]) + public

    def _names(self, batch: Batch) -> Iterator[str]:
        """What the emails of a batch are called; cheaper than writing them."""
        return map(_name, names_of(self.record, batch))

    def _named_letter(self, written: Written, around: Around) -> tuple[str, bytes]:
        """The name of an email's file, and the email as it lies there. Its date is that of its record."""
        record, sender = self.record, _sender(around.contacts)
        letter = make_letter(written.name, record, around)
        name, own = self._named(letter.upto, letter.seat, self._kind(written), sender)
        _, thread = self._named(0, letter.seat, Kind.INVITATION.value, sender)
        at = written.name.at or record.lines[letter.upto].at
        earlier = () if own == thread else (thread,)
        envelope = Envelope(sender, self._address(letter.seat, around.contacts), own, at, earlier)
        return name, letter_mail(record, letter, envelope, answer=letter.kind.answers)

    def _kind(self, written: Written) -> str:
        """What an email is called by; one that is written again has the first number that has not left yet."""
        name, sent = written.name, self.folder.outbox.is_sent
        if not written.again:
            return name.kind
        numbers = (f"{name.kind}-again-{number}" for number in count(1))
        return next(kind for kind in numbers if not sent(Outbox.name(name.upto, name.seat, kind)))

    def _reject(self, name: str) -> JsonObject:
        reject: JsonObject = parse(self.folder.host.read(_REFUSED + unb64(name, 32).hex()), limit=MAX_FILE)
        return reject

    def _named(self, seq: int, seat: str, kind: str, sender: Sender) -> tuple[str, str]:
        """File name and Message-ID."""
        name = Name.of(self._key, effect_of(self.record.game, seq, seat, kind), sender)
        return Outbox.name(seq, seat, kind), name.own_id

    def _address(self, seat: Seat, contacts: Contacts) -> str | Address:
        mail = contact_of(self.record, self._host, seat)
        return Address(addr_spec=mail) if mail else contacts.seats.get(seat, f"{seat}@{NOWHERE}")

    def get(self, name: str) -> str:
        """See ``KeyValueStore``."""
        notes = self.folder.host
        return notes.read(name).decode("ascii", "replace").strip() if notes.has(name) else ""

    locked = get
    """See ``KeyValueStore``: the folder's lock is held."""

    def set(self, name: str, value: str) -> None:
        """See ``KeyValueStore``."""
        self.folder.host.write(name, value.encode() + b"\n", replace=True)

    def _noted(self, name: str, otherwise: Any) -> Any:
        return json.loads(self.folder.host.read(name)) if self.folder.host.has(name) else otherwise

    def _note(self, name: str, value: Any) -> None:
        self.folder.host.write(name, json.dumps(value).encode(), replace=True)


def observers_at(folder: MatchFolder) -> tuple[str, ...]:
    """Who reads along in the match of a folder, sorted; it needs no identity."""
    return tuple(sorted(_observers(folder)))


def _observers(folder: MatchFolder) -> dict[str, int]:
    """The note: from which record on everybody reads along."""
    if not folder.host.has(OBSERVERS):
        return {}
    try:
        return {address: int(since) for address, since in json.loads(folder.host.read(OBSERVERS)).items()}
    except (ValueError, TypeError, AttributeError) as fault:
        raise StoreError(
            sentence("{path} is damaged", path=folder.host.path(OBSERVERS)),
            hint=sentence("Remove it and add them again."),
        ) from fault


def _name(name: LetterName) -> str:
    return Outbox.name(name.upto, name.seat, name.kind)


def _consent_name(message: Message) -> str:
    return f"{_CONSENT}{message.seat}-{message.n:06}-{message.hash.hex()[:16]}.json"


def _sender(contacts: Contacts) -> Sender:
    return Sender(contacts.mail or f"host@{NOWHERE}", contacts.name or "pbem host", plus=False)
