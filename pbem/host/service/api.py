"""The host's HTTP API, without HTTP: whose access code it is, which records it may read, what becomes of a file.

An access code (``access_codes``) opens no more than its seat's mailbox does: the records, and what became of the files
that were posted under it. Nobody acts by a code: only a signed file is ever ruled on.

A posted file becomes a row of the inbox as an email does, in one transaction, before anybody is notified that it came.
From there on it is ruled on, answered and counted like an email, in the same loop.
"""

from __future__ import annotations

import hmac
from base64 import b64encode
from hashlib import sha256
from typing import Final

from pbem.base.errors import FormatError, PbemError
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.host.budgets import Budgets
from pbem.host.database.database import Transaction
from pbem.host.database.joins import WaitingJoins
from pbem.host.database.lists import DatabaseCounts
from pbem.host.database.mail import NEW, POSTED, QUARANTINED, READY, InboxRows
from pbem.host.database.matches import Matches, MatchRow, SeatRow
from pbem.host.database.push import ApiRows, Posted
from pbem.host.database.times import Stops
from pbem.host.service.access_codes import AccessCodes
from pbem.host.service.context import ServiceContext
from pbem.host.service.crowd import Jumps
from pbem.host.service.heal import ABANDONED
from pbem.protocol.crypto.digest import b64, lp, short_id, unb64
from pbem.protocol.formats.api_key import asked_by_keys
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message, read_message
from pbem.protocol.formats.strict_json import MAX_FILE, canon, parse
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.kinds.channel import CHANNEL
from pbem.protocol.record.kinds.consent import usable
from pbem.protocol.record.line import read_line

WAITING: Final = "waiting"
RECORDED: Final = "recorded"
REFUSED: Final = "refused"
MOST_BYTES: Final = 512 * 1024
"""Bytes of records in one answer, unless a single record is longer."""
TOO_MANY: Final = "too-many"
_MOST_LINES: Final = 200
_LOOKED_AT: Final = 50
"""Records that are searched at once for a file."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What an access code opens."""

    match: MatchRow
    seat: str


@dataclass(frozen=True, slots=True)
class ApiLines:
    """Records as bytes, each with its line feed; ``head`` is the number of the newest one there is."""

    data: bytes
    head: int


class NotTaken(FormatError):
    """A body that is no signed file of this match; ``kind`` is stable, for programs."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def receipt_of(raw: bytes) -> str:
    """What a posted file is called from then on."""
    return sha256(raw).hexdigest()


def read_posted(raw: bytes, game: str) -> Message:
    """The signed file in a body.

    Raises:
        NotTaken: it is none, or one of another match; its signature does not fit the key that it names.
    """
    try:
        message = read_message(raw)
        if b64(message.game) != game:
            raise NotTaken("another-match", f"this file is for match {short_id(message.game)}")
        if message.kind == CHANNEL.name:
            raise NotTaken("not-here", f"a webhook is set by POST {short_id(message.game)}/webhook")
        if message.kind == "reject":
            raise NotTaken("not-a-file", "a reject is signed by the host, no player's file")
        verify_file(message.kind, message.file, unb64(message.file["sig"]["key"], 32))
    except NotTaken:
        raise
    except FormatError as fault:
        raise NotTaken("malformed", str(fault)) from None
    except PbemError as fault:
        raise NotTaken("signature", str(fault)) from None
    return message


class Api:
    """What may be done at the API, within one transaction."""

    def __init__(self, context: ServiceContext, transaction: Transaction) -> None:
        self._context = context
        self._tx = transaction
        self._matches = Matches(transaction)
        self._rows = ApiRows(transaction)
        self._codes = AccessCodes(context, transaction)

    def opened(self, name: str, code: str) -> Grant | None:
        """What this code opens of the match with this id or short name; a wrong one takes as long as a right one."""
        match = self._matches.find(name) or self._matches.named(name)
        text = ""
        given = code.strip().lower().encode()
        for seat, codes in self._codes.good(match.game if match else "").items():
            for valid in codes:
                if hmac.compare_digest(valid.encode(), given):
                    text = seat
        return Grant(match, text) if match is not None and text else None

    def by_keys(self, name: str, raw: bytes) -> tuple[Grant, str] | None:
        """The seat's access code for whoever asks by the seat's keys (``ask_by_keys``); None for all others."""
        context = self._context
        match = self._matches.find(name) or self._matches.named(name)
        try:
            seat, key = asked_by_keys(raw, context.api, name, context.now())
        except PbemError:
            return None
        if match is None:
            return None
        player = context.records.load(self._matches, match).ledger.players.get(Seat(seat))
        if player is None or player.sign != key:
            return None
        return Grant(match, seat), self._codes.of(match.game, seat)

    def lines(self, match: MatchRow, after: int) -> ApiLines:
        """The records with a higher number than ``after``, as many as one answer holds."""
        data = bytearray()
        for raw in self._matches.lines(match.game, after + 1, _MOST_LINES):
            if data and len(data) + len(raw) > MOST_BYTES:
                break
            data += bytes(raw) + b"\n"
        now = self._matches.find(match.game)
        if now is None:
            return ApiLines(b"", -1)
        self._context.before_showing(now)
        return ApiLines(bytes(data), now.seq)

    def proposals(self, grant: Grant) -> bytes:
        """The kept consents of other seats that may still be agreed to, oldest first, one signed file a line.

        No email brings them to a seat without an address.
        """
        kept = self._matches.consents(grant.match.game)
        record = self._context.records.load(self._matches, grant.match) if kept else None
        if record is None or record.over:
            return b""
        ledger = record.ledger
        proposals = [
            msg for msg in map(read_message, kept.values()) if msg.seat != grant.seat and usable(ledger, msg)
        ]
        proposals.sort(key=lambda msg: (msg.seen_seq, msg.seat, msg.n))
        return b"".join(canon(msg.file) + b"\n" for msg in proposals)

    def take(self, grant: Grant, raw: bytes, message: Message) -> JsonObject:
        """Keep a posted file as mail of the seat whose access code it came with; the receipt, and how far it is.

        Raises:
            NotTaken: the seat has brought as many in this hour as a sender's emails are looked at; nothing is kept.
                What waits for nothing (``Jumps``) is taken nevertheless.
        """
        context, game, receipt = self._context, grant.match.game, receipt_of(raw)
        seat = self._matches.seats(game)[grant.seat]
        name = sha256(lp("pbem/1 posted", game, grant.seat, receipt)).hexdigest()
        if self._rows.find(game, grant.seat, receipt) is None and not self._may(grant, message):
            raise NotTaken(TOO_MANY, "more files of this seat in an hour than are looked at")
        number, _ = InboxRows(self._tx).keep(name, _as_mail(context, seat, raw), context.now(), reason=POSTED)
        mark = str(message.file["sig"]["value"])
        seen = min(message.seen_seq, grant.match.seq)  # what it says it saw may be more than there is
        self._rows.keep(game, grant.seat, receipt, Posted(b64(message.hash), mark, seen, number))
        context.steps("posting")
        return {"receipt": receipt, **(self.state(grant, receipt) or {"state": WAITING})}

    def _may(self, grant: Grant, message: Message) -> bool:
        budgets = Budgets(DatabaseCounts(self._tx, self._context.later))
        an_hour = f"{self._context.limits.per_sender}/hour"
        allowed = budgets.take(an_hour, "posted", grant.match.game, grant.seat)
        return allowed or Jumps(self._context, self._tx).fits(message)

    def state(self, grant: Grant, receipt: str) -> JsonObject | None:
        """What became of a posted file; None if none was posted under this code that is called so."""
        game = grant.match.game
        posted = self._rows.find(game, grant.seat, receipt)
        if posted is None:
            return None
        verdict, reject = self._matches.verdict(game, posted.hash)
        row = InboxRows(self._tx).find(posted.mail)
        reason = row.reason if row is not None else ""
        if verdict in ("line", "held"):
            number = self._recorded(game, posted)
            if number is not None:
                self._context.before_showing(self._matches.required(grant.match.short))
                fresh = (
                    {"word": self._codes.of(game, grant.seat)} if self._took_the_seat(game, number) else {}
                )
                return {"state": RECORDED, "record": number, **fresh}
            return {"state": WAITING, "why": "it is kept until everybody has agreed"}
        if verdict == "refused":
            body = parse(reject, limit=MAX_FILE)
            return {"state": REFUSED, "why": _behind(reason) or body["body"]["code"], "reject": body}
        if verdict == ABANDONED:
            return {"state": REFUSED, "why": "another history of this match counts"}
        if row is not None and row.state in (NEW, READY):
            stands = Stops(self._tx).of(game) is not None
            return {
                "state": WAITING,
                **({"why": "the match stands still until its records are there"} if stands else {}),
            }
        waiting = WaitingJoins(self._tx).of(game, grant.seat)
        if posted.hash in [b64(join.message.hash) for join in waiting]:
            return {"state": WAITING, "why": "the host must say yes to it"}
        if row is not None and row.state == QUARANTINED:
            return {"state": REFUSED, "why": reason.partition(":")[0]}
        return {"state": REFUSED, "why": _behind(reason) or "it is not here any more"}

    def _took_the_seat(self, game: str, number: int) -> bool:
        """Whether a record brought somebody in by a link: its code ends with the first turn, then there is another."""
        line = self._matches.line_at(game, number)
        kind = None if line is None else KINDS[read_line(line).kind]
        return kind is not None and kind.newcomer and kind.agreement is None

    def _recorded(self, game: str, posted: Posted) -> int | None:
        """The number of the record that holds a file: it stands behind what the file had seen."""
        after, mark = posted.seen, b'"' + posted.mark.encode() + b'"'
        while True:
            lines = self._matches.lines(game, after + 1, _LOOKED_AT)
            for seq, raw in enumerate(lines, after + 1):
                if mark in raw:
                    return seq
            if not lines:
                return None
            after += len(lines)


def _behind(reason: str) -> str:
    """What stands behind whose file it is, in the reason of an email that is dealt with."""
    return reason.partition(": ")[2]


def _as_mail(context: ServiceContext, seat: SeatRow, raw: bytes) -> bytes:
    """A posted file as the mail that its player might have written; the bytes are attached as they came."""
    head = [f"From: {seat.reach}"] if seat.reach else []
    head += [f"To: {context.sender.address}", "Subject: posted", "MIME-Version: 1.0"]
    head += ["Content-Type: application/json", "Content-Transfer-Encoding: base64", "", ""]
    body = b64encode(raw).decode()
    wrapped = [body[start : start + 76] for start in range(0, len(body), 76)]
    return "\r\n".join([*head, *wrapped, ""]).encode()
