"""A match whose record here is not the newest that its host has signed: it stands still, is mended, and goes on.

Somebody shows a record with the host's own signature on it that the database does not hold: the database was put back
to an older state. From then on nothing is signed in this match: no ruling, no default, no burn. Mail for it is
kept. Whoever showed the record is asked for the missing ones; whoever has a seat may send them, since the host's
signature alone says that they are right. If they simply continue the record, it goes on by itself, and the time
in between is given back. If the host has signed other records meanwhile, a person decides which history counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from pbem.base.errors import FormatError, PbemError
from pbem.base.sentences import counted, sentence
from pbem.game import JsonObject, Seat
from pbem.host.branches import History, chosen, histories_json, histories_of, lost_files, parting
from pbem.host.database.database import Transaction
from pbem.host.database.heads import Head
from pbem.host.database.matches import Matches, MatchRow
from pbem.host.database.times import FORKED, OLDER, CopyRow, ObserverRows, Stops, Times
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox
from pbem.host.store import Answered, lacking, name_in
from pbem.player.mail.look import Looked
from pbem.player.mail.pieces import Piece, unpack
from pbem.player.mail.robot import base_address
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.formats.envelopes import body_hash
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import HostOpenings, Line, Record
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.line import proves, read_line

LOST: Final = "lost match"
"""What the reason of a quarantined mail begins with that is for a match which the database has lost."""
ABANDONED: Final = "abandoned"
"""The verdict on a file that stands only in a history that was given up."""


class Healer:
    """Stops matches and mends them, within one transaction."""

    def __init__(self, context: ServiceContext, transaction: Transaction, name: str = "") -> None:
        self._context = context
        self._matches = Matches(transaction)
        self._stops = Stops(transaction)
        self._times = Times(transaction)
        self._observers = ObserverRows(transaction)
        self._letters = Letterbox(context, transaction)
        self._name = name
        """What answers are called after: the number of the mail."""
        self.repaired: list[Record] = []
        """Records that are to be remembered once the transaction is committed."""

    def look(self, match: MatchRow, message: Message, sender: str, *, quiet: bool) -> None:
        """Stop the match if this file has seen a record that the host signed and the database does not hold."""
        seen = message.body.get("seen", {})
        raw = self._matches.line_at(match.game, message.seen_seq)
        if raw is not None and b64(read_line(raw).hash) == seen["line"]:
            return
        if not proves(message.game, self._context.host.sign_public, seen) or self.given_up(
            match, seen["seq"]
        ):
            return
        self.stop(match, seen, message.seat, "" if quiet else sender)

    def given_up(self, match: MatchRow, seq: int) -> bool:
        """Whether another record of this number belongs to a history that a person has given up."""
        return seq <= self._stops.era(match.game)[1]

    def stop(self, match: MatchRow, seen: JsonObject, seat: str, sender: str) -> None:
        """Nothing more is signed in this match; who has shown ``seen`` is asked for the records before it."""
        state = FORKED if seen["seq"] <= match.seq else OLDER
        self._stop(match, state)
        if not self._stops.prove(match.game, seen["seq"], unb64(seen["line"], 32).hex()):
            return
        row = self._matches.seats(match.game).get(seat)
        self._ask(match, seen["seq"], (row.reach if row is not None else "") or sender)

    def stand_still(self, match: MatchRow) -> int:
        """The same when the host's own notes show it, and nobody is asked yet; the newest record that was shown."""
        newest = max((seq for seq, _ in self._stops.proven(match.game)), default=match.seq)
        self._stop(match, FORKED if newest <= match.seq else OLDER)
        return newest

    def stop_all_know(self, match: MatchRow) -> None:
        """The same, and everybody is asked."""
        newest = self.stand_still(match)
        for row in self._matches.seats(match.game).values():
            self._ask(match, newest, row.reach)

    def _stop(self, match: MatchRow, state: str) -> None:
        if not self._stops.begin(match.game, state, self._context.now()):
            return
        words = {
            OLDER: sentence(
                "match {short} stands still: the database was put back to an older state (record {seq}), and a later"
                " record of yours was shown. The players are asked for what is missing; it goes on by itself when that"
                " has come. Or name a copy: {command}",
                command=self._context.recover_command(match.short),
                short=match.short,
                seq=match.seq,
            ),
            FORKED: sentence(
                "match {short} stands still: two records of yours were shown under one number, so the database was put"
                " back to an older state and went on from there. When the copies have come, decide which history"
                " counts: pbem host recover {short}",
                short=match.short,
            ),
        }
        self._letters.notify_operator(f"{state}-state", words[state], match.game)

    def _ask(self, match: MatchRow, seen: int, address: str) -> None:
        """Ask one person for the records after the newest one here; once for each record that was shown."""
        if not address or base_address(address) == base_address(self._context.sender.address):
            return
        stop = self._stops.of(match.game)
        self._letters.answer(
            address,
            "lines",
            f"{match.game}/{match.seq}/{seen}/{stop.since if stop else ''}",
            Answered(),
            sentence("your records are needed"),
            here=match.seq,
            seen=seen,
            first=min(seen, match.seq + 1),
            match=match.short,
        )

    def take(self, mail: Looked) -> str:
        """Take the records that an email brings for a match that stands still; what came of it, nothing if none did."""
        own = base_address(mail.sender) == base_address(self._context.sender.address)
        if own and mail.copies:
            self._look_at_own(mail)
        stopped = {stop.game for stop in self._stops.all()}
        if not stopped:
            return ""
        games = stopped if own else stopped & {row.game for row in self._matches.seats_of(mail.sender)}
        sentences: list[str] = []
        for game in sorted(games):
            sentences += self._take(game, mail)
        if sentences and not mail.quiet and self._letters.may_answer(mail.sender, "lines"):
            self._answer(mail, sentences)
        return "; ".join(sentences)

    def _look_at_own(self, mail: Looked) -> None:
        """An email of this service that the database does not know may bring records that it does not know either."""
        match = self._matches.named(mail.match)
        with suppress(FormatError):
            line = read_line(mail.copies[-1][-1])
            if match is not None and self._is_unknown(match.game, line):
                self._stop(match, FORKED if line.seq <= match.seq else OLDER)
                self._stops.prove(match.game, line.seq, line.hash.hex())

    def _is_unknown(self, game: str, line: Line) -> bool:
        """Whether the host has signed this record for this match, and the database does not hold it."""
        return not self._is_here(game, line) and proves(
            unb64(game, 32), self._context.host.sign_public, line.seen
        )

    def _is_here(self, game: str, line: Line) -> bool:
        raw = self._matches.line_at(game, line.seq)
        return raw is not None and read_line(raw).hash == line.hash

    def _take(self, game: str, mail: Looked) -> list[str]:
        sentences: list[str] = []
        copies: list[Sequence[bytes]] = list(mail.copies)
        for piece in mail.pieces:
            if isinstance(piece, FormatError):
                sentences.append(sentence("a piece could not be used: {fault}", fault=piece))
            elif piece.game == game:
                said, whole = self._piece(game, piece)
                sentences += said
                copies += [whole] if whole else []
        return sentences + (self.offer(game, copies) if copies else [])

    def _piece(self, game: str, piece: Piece) -> tuple[list[str], list[bytes]]:
        """Keep one piece; what is to be said of it, and the lines if it was the last one missing."""
        self._stops.keep_piece(game, piece.bundle, piece.number, piece.data)
        kept = self._stops.pieces(game, piece.bundle)
        missing = [str(number) for number in range(1, piece.count + 1) if number not in kept]
        if missing:
            text = sentence(
                "piece {number} of {count} is kept; still missing: {missing}",
                number=piece.number,
                count=piece.count,
                missing=", ".join(missing),
            )
            return [text], []
        pieces = self._stops.pieces(game, piece.bundle)
        self._stops.drop_pieces(game, piece.bundle)
        try:
            return [], unpack(pieces)
        except FormatError as fault:
            return [sentence("a piece could not be used: {fault}", fault=fault)], []

    def bring(self, game: str, copies: Sequence[Sequence[bytes]]) -> list[str]:
        """Take what is missing from copies that a person names; what was done, in words.

        The match stands still meanwhile, or as long as it must.
        """
        stopped = self._stops.of(game) is not None
        if not stopped:
            self._stops.begin(game, OLDER, self._context.now())
        sentences = self.offer(game, copies)
        if not stopped and not self._stops.copies(game):
            self._stops.end(game)
        return sentences

    def offer(self, game: str, copies: Sequence[Sequence[bytes]]) -> list[str]:
        """Keep the records of these files that are not here yet; then repair."""
        lines = [line for copy in copies for line in self._signed(game, copy)]
        missing = [line for line in lines if not self._is_here(game, line)]
        rows = [CopyRow(line.hash.hex(), line.seq, line.body["prev"], line.raw) for line in missing]
        new = sum(self._stops.keep_copy(game, row) for row in rows)
        if not new:
            return [sentence("it brought no record of this match that is not here already")]
        match = self._matches.find(game)
        assert match is not None  # noqa: S101 - a row that stands still refers to it
        return [counted("{n} record is kept", "{n} records are kept", new), *self._repair(match)]

    def _answer(self, mail: Looked, sentences: Sequence[str]) -> None:
        self._letters.answer(
            mail.sender,
            "pieces",
            f"{self._name}/{mail.message_id}",
            Answered(mail.message_id, mail.sender),
            sentence("your records came"),
            sentences=list(sentences),
        )

    def _signed(self, game: str, copy: Sequence[bytes]) -> Iterator[Line]:
        """The records of a file up to the first that the host has not signed for this match; each once.

        What anybody may have written behind it is not looked through: a piece unfolds a thousandfold.
        """
        with suppress(FormatError):
            for raw in dict.fromkeys(copy):
                line = read_line(raw)
                if not proves(unb64(game, 32), self._context.host.sign_public, line.seen):
                    return
                yield line

    def histories(self, match: MatchRow) -> list[History]:
        """Every history of this match that is known here."""
        record = self._context.records.load(self._matches, match)
        return histories_of(
            [*record.lines, *(read_line(copy.raw) for copy in self._stops.copies(match.game))]
        )

    def _repair(self, match: MatchRow) -> list[str]:
        """Go on with what was sent if it simply continues the record and holds everything that was shown."""
        histories = self.histories(match)
        if len(histories) > 1:
            self._stop(match, FORKED)
            return [sentence("there are two histories now: the host decides which one counts")]
        (history,) = histories
        shown = self._stops.proven(match.game)
        short = lacking(shown, name_in(history))
        if short or len(history) == match.seq + 1:
            missing = sentence("record {seq} is still missing", seq=min([*short, len(history)]))
            return [missing]
        try:
            grown = self._context.records.load(self._matches, match).fork()
            grown.extend(line.raw for line in history[match.seq + 1 :])
        except PbemError as fault:
            words = sentence(
                "match {short}: the records that were sent are yours, but do not hold: {fault}",
                short=match.short,
                fault=str(fault),
            )
            self._letters.notify_operator("copies-do-not-hold", words, match.game)
            return [sentence("the host looks into it")]
        self._go_on(match, match, grown, match.seq + 1)
        return [sentence("the match goes on from record {seq}", seq=grown.head.seq)]

    def _go_on(self, stopped: MatchRow, match: MatchRow, grown: Record, first: int) -> None:
        game, now = match.game, self._context.now()
        new = grown.lines[first:]
        stop = self._stops.of(game)
        if new:
            self._matches.append(match, [(line.raw, line.hash.hex()) for line in new], over=grown.over)
        for line in new:
            self._learn(grown, line)
        self._letters.learn_addresses(grown, new)
        if stop is not None:
            self._times.lose_in(game, stop.since, now)
        self._stops.end(game)
        self.repaired.append(grown)
        words = sentence(
            "match {short} goes on from record {seq}; it stood at {before}",
            short=match.short,
            seq=grown.head.seq,
            before=stopped.seq,
        )
        self._letters.notify_operator("goes-on", words, game)

    def _learn(self, record: Record, line: Line) -> None:
        """What the database would know if it had never lost this record."""
        game = b64(record.game)
        for file in line.messages:
            self._matches.keep_verdict(game, b64(body_hash(file["body"])), "line", line.at)
        if KINDS[line.kind].newcomer:
            seat = line.body["msg"]["body"]["seat"]
            self._matches.spend_invite_code(game, seat)
            if line.kind == "substitute":
                self._times.forget_wish(game, seat)

    def choose(self, match: MatchRow, number: int) -> JsonObject:
        """Go on with this history (counted from 1 as ``histories_json`` does); what is lost for whom.

        Raises:
            UsageProblem: there is no such history.
            VerificationError: it does not hold.
        """
        histories = self.histories(match)
        taken = chosen(histories, number)
        others = [history for history in histories if history is not taken]
        facts = histories_json(histories)[histories.index(taken)]
        whole = [line.raw for line in taken]
        record = Record.load(whole, HostOpenings(self._context.host, taken[0]))
        shared = parting([taken, tuple(self._context.records.load(self._matches, match).lines)])
        upto = max(match.seq, *(len(history) - 1 for history in histories))
        for lost in lost_files(taken, others):
            self._matches.keep_verdict(match.game, lost.name, ABANDONED, self._context.now())
        cut = self._matches.cut(match, shared, taken[shared - 1].hash.hex())
        self._stops.new_era(match.game, upto)
        self._go_on(match, cut, record, shared)
        self._notify_everybody(match, record, parting(histories), facts["lost"])
        era, _ = self._stops.era(match.game)
        self._context.heads.note(match.game, Head(era, record.head.seq, record.head.hash.hex()))
        return facts

    def _notify_everybody(
        self, match: MatchRow, record: Record, parts: int, lost: Sequence[JsonObject]
    ) -> None:
        """Which history counts, and the whole of it, to everybody who may hold another one."""
        name = f"history/{record.head.seq}/{b64(record.head.hash)}"
        for row in self._matches.seats(match.game).values():
            if not row.reach:
                continue
            mine = [f"{file['kind']} {file['n']}" for file in lost if file["seat"] == row.seat]
            self._letters.answer(
                row.reach,
                "history",
                f"{match.game}/{name}/{row.seat}",
                Answered(),
                sentence("which history counts"),
                about=record,
                parts=parts,
                head=record.head.seq,
                lost=mine,
            )
            self._letters.records(record, Seat(row.seat), 0, Answered(), name)
        for observer in self._observers.of(match.game):
            self._letters.observer_records(record, observer, 0, Answered(), name)
