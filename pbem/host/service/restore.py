"""After an older database was put back: what is in the mailbox shows what happened since, before anything is served.

Every email of the service came back to its own mailbox as a witness copy, with the records it brought and the rejects
it answered with. So from the mailbox alone the service learns the records that it had signed, matches that are
younger than the backup, which emails have left, and which files it had refused. A player's mail that was dealt with
after the backup and is in none of these is taken in once more. Whatever is missing even then is asked of the
players, as ever: a match that is known to have gone on stands still until it is whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from datetime import date, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from pbem.base.errors import FormatError, PbemError
from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.host.config import Folders
from pbem.host.database.mail import OutboxRows
from pbem.host.database.matches import Matches
from pbem.host.database.notes import MailNotes
from pbem.host.database.times import Stops
from pbem.host.letter_mail import batches_of, names_of
from pbem.host.service.check import accept_older
from pbem.host.service.context import ServiceContext
from pbem.host.service.heal import Healer
from pbem.host.service.inbox import keep
from pbem.host.service.matches import MatchClient
from pbem.host.service.store import DatabaseStore
from pbem.host.store import Heartbeat, Written
from pbem.player.mail.gate import MailRefused, peek_header, peek_sender
from pbem.player.mail.look import Looked
from pbem.player.mail.ports import Mailbox
from pbem.player.mail.robot import base_address
from pbem.protocol.crypto.digest import b64, short_id, unb64
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import HostOpenings, Line, Record
from pbem.protocol.record.deadlines import format_time, parse_time
from pbem.protocol.record.line import proves, read_line

_SLACK: Final = timedelta(days=1)
"""Before the database's last beat: a mailbox counts days in a zone of its own."""


@dataclass
class Restored:
    """What became of it: short names, and how many."""

    mails: int = 0
    """Looked at in the mailbox."""
    healed: list[str] = field(default_factory=list)
    """Matches that are whole again by the mailbox alone."""
    brought_back: list[str] = field(default_factory=list)
    """Matches that were younger than the backup."""
    asked: list[str] = field(default_factory=list)
    """Matches that stand still; their players are asked."""
    lost: list[str] = field(default_factory=list)
    """Matches that were signed and that nothing in the mailbox mentions."""
    letters: int = 0
    """Emails that had not left."""
    again: int = 0
    """Emails of players that are taken in once more."""


class Restorer:
    """Heals a database that was put back. Nothing else may work at it meanwhile."""

    def __init__(self, context: ServiceContext, mailbox: Mailbox | None, folders: Folders) -> None:
        self._context = context
        self._mailbox = mailbox
        self._folders = folders
        self._own: list[tuple[bytes, Looked]] = []
        self._others: list[tuple[bytes, Looked]] = []
        self._restored = Restored()

    def heal(self) -> Restored:
        """Read the mailbox, heal what can be healed, and ask for the rest.

        Raises:
            MailTrouble: the mailbox cannot be read; it can be tried again.
        """
        self._read()
        behind, gone = accept_older(self._context)
        for game in behind:
            with self._context.database.transaction() as transaction:
                match = Matches(transaction).find(game)
                if match is not None:
                    Healer(self._context, transaction).stand_still(match)
        self._heal_by_letters()
        self._bring_back(gone)
        self._learn_rejects()
        self._settle_letters()
        self._take_in_again()
        self._ask()
        self._remember_life()
        self._context.heads.write()
        return self._restored

    def _read(self) -> None:
        if self._mailbox is None:
            return
        folders = (self._folders.processed, self._folders.quarantine, *self._folders.sent)
        mine = base_address(self._context.sender.address)
        for raw in self._mailbox.kept(folders, self._since()):
            self._restored.mails += 1
            with suppress(MailRefused):
                looked = self._context.look_at(raw)
                own = base_address(peek_sender(raw)) == mine
                (self._own if own else self._others).append((raw, looked))

    def _since(self) -> date:
        with self._context.database.transaction() as transaction:
            beat = Heartbeat(MailNotes(transaction)).last()
        return (parse_time(beat) - _SLACK).date() if beat else date(1970, 1, 1)

    def _heal_by_letters(self) -> None:
        for _, looked in self._own:
            if not looked.copies:
                continue
            with self._context.database.transaction() as transaction:
                healer = Healer(self._context, transaction)
                healer.take(looked)
            for record in healer.repaired:
                self._context.records.keep(record)
                self._restored.healed.append(short_id(record.game))

    def _bring_back(self, gone: list[str]) -> None:
        """Matches that the database has never seen, from the records in their emails."""
        with self._context.database.transaction() as transaction:
            known = {match.short for match in Matches(transaction).all()}
        lines: defaultdict[str, list[Line]] = defaultdict(list)
        for _, looked in self._own:
            if looked.match and looked.match not in known:
                for copy in looked.copies:
                    with suppress(FormatError):
                        for raw in copy:
                            lines[looked.match].append(read_line(raw))
        client = MatchClient(self._context)
        for short, shown in lines.items():
            signed = self._ours(short, shown)
            whole = [signed[number] for number in range(len(signed)) if number in signed]
            with suppress(PbemError, IndexError):
                record = Record.load(whole, HostOpenings(self._context.host, read_line(whole[0])))
                client.bring_back(record.lines, record)
                self._context.records.keep(record)
                self._invite_again(record)
                self._restored.brought_back.append(short)
        brought = set(self._restored.brought_back)
        self._restored.lost = [short for game in gone if (short := _short(game)) not in brought]

    def _ours(self, short: str, shown: Sequence[Line]) -> dict[int, bytes]:
        """Those of these records that this host has signed for the match, by number: anybody writes in their name."""
        key = self._context.host.sign_public
        for game in {line.hash for line in shown if line.seq == 0 and short_id(line.hash) == short}:
            held = {line.seq: line.raw for line in shown if proves(game, key, line.seen)}
            if held:
                return held
        return {}

    def _invite_again(self, record: Record) -> None:
        """Where invitations went: their words are a function of that."""
        short, game = short_id(record.game), b64(record.game)
        with self._context.database.transaction() as transaction:
            matches = Matches(transaction)
            for raw, looked in self._own:
                seat, address = peek_header(raw, "X-Pbem-Seat"), peek_header(raw, "To").lower()
                if looked.match != short or seat not in record.seats or "@" not in address:
                    continue
                if Seat(seat) not in record.ledger.players:
                    matches.invite(game, seat, address, self._context.invite_code(game, seat, address))

    def _learn_rejects(self) -> None:
        """A file that was refused is refused again with the same reject, never recorded."""
        key = self._context.host.sign_public
        with self._context.database.transaction() as transaction:
            matches = Matches(transaction)
            for _, looked in self._own:
                for raw in looked.rejects:
                    with suppress(PbemError):
                        message = read_message(raw)
                        verify_file("reject", message.file, key)
                        body = message.body
                        if matches.find(body["game"]) and not matches.verdict(body["game"], body["hash"])[0]:
                            at = body["at"]
                            matches.keep_verdict(
                                body["game"], body["hash"], "refused", at, canon(message.file)
                            )

    def _settle_letters(self) -> None:
        """Emails whose witness is there have left; those about the newest records that have none are written again."""
        context = self._context
        with context.database.transaction() as transaction:
            outbox = OutboxRows(transaction)
            known = {looked.message_id for _, looked in self._own if looked.message_id}
            healed = {*self._restored.healed, *self._restored.brought_back}
            if context.witness and self._mailbox is not None:
                for match in Matches(transaction).all():
                    if match.short in healed:
                        store = DatabaseStore(context, transaction, match)
                        newest = batches_of(store.record.lines)[-1]
                        store.write([Written(name) for name in names_of(store.record, newest)])
                        store.public(newest.first)
            for name in known:
                outbox.witnessed([name], context.now())
            self._restored.letters = sum(
                len(outbox.unsent(match.game)) for match in Matches(transaction).all()
            )

    def _take_in_again(self) -> None:
        """Mail that was dealt with since, and that nothing mentions any more."""
        with self._context.database.transaction() as transaction:
            matches = Matches(transaction)
            for raw, looked in self._others:
                files = [message for message in looked.intake.messages if matches.find(b64(message.game))]
                if any(not matches.verdict(b64(file.game), b64(file.hash))[0] for file in files):
                    _, state = keep(self._context, transaction, raw)
                    self._restored.again += state == "new"

    def _ask(self) -> None:
        with self._context.database.transaction() as transaction:
            stops = Stops(transaction).all()
        for stop in stops:
            with self._context.database.transaction() as transaction:
                match = Matches(transaction).find(stop.game)
                if match is not None:
                    Healer(self._context, transaction).stop_all_know(match)
                    self._restored.asked.append(match.short)

    def _remember_life(self) -> None:
        """The service lived at least as long as its newest email says: what was before is no outage."""
        times = []
        for raw, _ in self._own:
            with suppress(ValueError, TypeError):
                times.append(format_time(parsedate_to_datetime(peek_header(raw, "Date"))))
        with self._context.database.transaction() as transaction:
            beat = Heartbeat(MailNotes(transaction))
            newest = max((at for at in times if at <= self._context.now()), default="")
            if newest > beat.last():
                beat.beat(newest)


def _short(game: str) -> str:
    return short_id(unb64(game, 32))
