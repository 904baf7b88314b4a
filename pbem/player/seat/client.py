"""The player's client: one folder, one identity, and everything a player signs.

What was signed is kept before it leaves, and its number is used up (``SentFiles``). Nothing is signed before the copy
was verified to its head and the own messages were found in it as they were sent (``OwnWord``; schemas/README.md §6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pbem.base.errors import RefusedError, UsageProblem
from pbem.base.language import Clock as ReadersClock
from pbem.base.language import moment_of
from pbem.base.sentences import Sentence, joined, sentence
from pbem.game import JsonObject, Seat
from pbem.games import find_game
from pbem.player.letters.letter import clock_at
from pbem.player.seat.check import Verdict, check_file, refusal_of
from pbem.player.seat.copy import Copy, find_copy
from pbem.player.seat.moments import now
from pbem.player.seat.own_copies import OwnCopies
from pbem.player.seat.own_orders import OwnOrders
from pbem.player.seat.own_word import OwnWord
from pbem.player.seat.sent_files import SentFiles, Signed, as_signed
from pbem.player.seat.sent_log import (
    Fate,
    SentEntry,
    describe_entry,
    same_consent,
    same_link,
    same_turn,
    says,
)
from pbem.player.store import MatchFolder, Sealed, Vouched
from pbem.protocol.client import (
    Packets,
    SeatView,
    compose_channel,
    compose_consent,
    compose_join,
    compose_ready,
    compose_rekey,
    compose_turn,
)
from pbem.protocol.client.seat_view import seat_of
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.formats import messages
from pbem.protocol.formats.strict_json import canon, spoken
from pbem.protocol.record import Record
from pbem.protocol.record.check_messages import by_recovery, gesture_fault, too_many
from pbem.protocol.record.kinds.agreements import must_agree, needs_proposal, terms_fault, untimely
from pbem.protocol.record.takeover import open_proposal_fault
from pbem.protocol.record.verifier import brings_somebody

Entropy = Callable[[int], bytes]
Clock = Callable[[], str]


class AlreadySigned(UsageProblem):
    """The same decision was signed before and is not answered yet; nothing was signed now. ``entry`` is that file."""

    def __init__(self, entry: SentEntry, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.entry = entry


class PlayerClient:
    """A player at work on one match; ``seat`` is found by the key, or given while they have none yet.

    ``served``: this program is a page that the host serves, and their files say so.
    """

    def __init__(
        self, copy: Copy, identity: Identity, entropy: Entropy, clock: Clock = now, *, served: bool = False
    ) -> None:
        self.copy = copy
        self.identity = identity
        self.clock = clock
        self._served = served
        self._entropy = entropy
        self._view: tuple[Record, SeatView] | None = None
        self._packets = Packets()
        self._sent = SentFiles(copy.folder, clock)
        self.log = self._sent.log
        self._sealed = Sealed(copy.folder.path / "sealed")
        self._own = OwnCopies(self._sealed, identity)
        self.own_orders = OwnOrders(self._sent.notes, self._sealed, self._own)
        self._word = OwnWord(copy, self._sent, self._own)

    @classmethod
    def open(
        cls,
        path: Path,
        identity: Identity,
        entropy: Entropy,
        clock: Clock = now,
        checkpoints: Vouched | None = None,
        *,
        served: bool = False,
    ) -> PlayerClient:
        """The client for the argument ``COPY``."""
        return cls(find_copy(path, checkpoints), identity, entropy, clock, served=served)

    @classmethod
    def begin(
        cls,
        folder: Path,
        lines: Sequence[bytes],
        identity: Identity,
        entropy: Entropy,
        clock: Clock = now,
        checkpoints: Vouched | None = None,
        *,
        served: bool = False,
    ) -> PlayerClient:
        """A client in a folder that holds nothing yet, from the lines of an invitation."""
        copy = Copy(MatchFolder(folder), checkpoints=checkpoints)
        copy.take_in(lines, "the invitation")
        return cls(copy, identity, entropy, clock, served=served)

    @property
    def record(self) -> Record:
        """The verified copy."""
        return self.copy.record

    @property
    def seat(self) -> Seat:
        """The seat this identity holds; ``UsageProblem`` if none."""
        return seat_of(self.record, self.identity)

    @property
    def view(self) -> SeatView:
        """The seat's own view at the head."""
        record = self.record
        if self._view is None or self._view[0] is not record:
            self._view = (record, SeatView(record, self.identity, packets=self._packets))
        return self._view[1]

    def clock_of(self, seat: Seat) -> ReadersClock:
        """The clock that the player of this seat reads: in the zone of their join, or of the match, or UTC."""
        return clock_at(self.record, seat, self.record.head.seq)

    @property
    def age(self) -> Sentence:
        """Of when the copy's newest record is."""
        head = self.record.head
        when = moment_of(head.at, self.clock(), self.clock_of(self.seat))
        return sentence("Your copy is from {when}", when=when)

    def view_at(self, seq: int) -> SeatView:
        """The seat's own view as it was after record ``seq``."""
        lines = [line.raw for line in self.record.lines]
        if not 0 <= seq < len(lines):
            raise UsageProblem(
                sentence("there is no record {seq}; the last one is {count}", seq=seq, count=len(lines) - 1)
            )
        return SeatView(Record.load(lines[: seq + 1]), self.identity, self.seat, self._packets)

    def take_in(self, lines: Sequence[bytes], source: str = "this file") -> int:
        """Add new lines to the copy once they are verified; how many were new."""
        return self.copy.take_in(lines, source)

    # --- signing ------------------------------------------------------------------------------------------

    def join(
        self,
        seat: str,
        *,
        name: str,
        lang: str = "en",
        mail: str | None = None,
        recovery: bytes | None = None,
        substitute: bool = False,
        word: str | None = None,
        zone: str | None = None,
        again: bool = False,
    ) -> Signed:
        """Take a seat; asked again with the same wishes, the same file as before.

        Raises:
            AlreadySigned: another join was signed and is not answered, and ``again`` does not say yes to a second.
            UsageProblem: the seat is taken; by the same player too, if they now wish something else.
        """
        from pbem.player.mail.outgoing import check_address  # a look does without what reads emails

        record = self.copy.proven()
        wish: JsonObject = {"name": name, "lang": lang, "mail": mail or "", "zone": zone or ""}
        before = self.kept_join(seat)
        proof = (
            messages.invitation_proof(word, record.game, seat, self.identity.sign_public) if word else None
        )
        if before is not None and not substitute and proof in (None, before.message.body.get("proof")):
            if before.page.wish in ({}, wish):
                return as_signed(before.message, (self.describe(before),))
            if before.fate is Fate.TAKEN:
                raise UsageProblem(
                    sentence("you have joined already"),
                    hint=sentence("A second join changes nothing; nothing was signed."),
                )
            self._ask_again(before, again=again or before.fate is Fate.REFUSED)
        player = record.ledger.players.get(Seat(seat))
        again_by_link = player is not None and messages.is_code(word) and not substitute
        if player is not None and not substitute and not again_by_link:
            raise UsageProblem(
                sentence("the seat {seat} is taken by {name}", seat=seat, name=player.name),
                hint=sentence(
                    "A new player for a seat that is taken joins with --substitute, and the others agree."
                ),
            )
        n = 0 if player is None or again_by_link else self._sent.next_number(record, Seat(seat))
        file = compose_join(
            record,
            self.identity,
            seat,
            name=name,
            lang=lang,
            mail=mail and check_address(mail),
            recovery=recovery,
            n=n,
            word=word,
            zone=zone,
            served=self._served,
        )
        return self._sent.keep(file, wish=wish)

    def ready(self, old: Identity | None = None, *, again: bool = False) -> Signed:
        """Give the link of the announced epoch; ``old`` is the identity whose chain owes it, if not this one's.

        Raises:
            AlreadySigned: it was given and is not answered, and ``again`` does not say yes to a second file.
            UsageProblem: nobody waits for it.
        """
        record = self._trusted()
        seat = self.seat
        epoch = record.ledger.newest
        if epoch is not None and epoch.opened is None and not epoch.burned and seat in epoch.links:
            raise UsageProblem(
                sentence("you were ready already; nothing to do"),
                hint=joined(
                    (
                        sentence(
                            "The match waits for {names}.",
                            names=", ".join(record.names[other] for other in record.missing_links)
                            or sentence("the host"),
                        ),
                        sentence("{age}; is there a newer email?", age=self.age),
                    ),
                    " ",
                ),
            )
        self._ask_again(self.same_link(), again=again)
        number = self._sent.next_number(record, seat)
        return self._sent.keep(
            compose_ready(record, self.identity, seat, number, old=old, served=self._served)
        )

    def rekey(self, seat: Seat, key: SignKey, new: Identity, recovery: bytes | None = None) -> Signed:
        """Put ``new`` into the place of this seat's key; ``key`` is the old key or the recovery key.

        ``recovery`` is the hash of another recovery key, which is to take the old one's place.
        """
        record = self.copy.proven()
        number = self._sent.next_number(record, seat)
        return self._sent.keep(compose_rekey(record, seat, number, key, new, recovery, served=self._served))

    def consent(self, terms: JsonObject, *, again: bool = False, recovery: SignKey | None = None) -> Signed:
        """Agree to something that the host records once everybody who must has agreed; see ``ready`` for ``again``.

        ``recovery`` is the seat's recovery key: what it agrees to about its own seat is not held.

        Raises:
            UsageProblem: that key is not the seat's, or has no say in this.
        """
        record = self._trusted()
        seat = self.seat
        self._ask_again(self.same_consent(terms), again=again)
        number = self._sent.next_number(record, seat)
        file = compose_consent(record, recovery or self.identity, seat, number, terms)
        if recovery is not None and not by_recovery(record.ledger.players[seat], file):
            raise UsageProblem(
                sentence("these recovery words have no say in this"),
                hint=sentence(
                    "They are for your own seat: 'resign', or 'substitute' by a replacement player."
                ),
            )
        return self._sent.keep(file)

    def webhook(self, address: str) -> Signed:
        """Have the own turns announced there too (``compose_channel``): sealed to the host, and kept nowhere here."""
        record = self._trusted()
        number = self._sent.next_number(record, self.seat)
        return self._sent.keep(compose_channel(record, self.identity, self.seat, number, address))

    def proposed(self) -> list[messages.Message]:
        """Consents of others, as emails brought them, to what this seat could agree to and has not: one a matter."""
        record = self.record
        proposed: dict[bytes, messages.Message] = {}
        for consent in self.log.proposed(record):
            terms = consent.body["what"]
            fault = terms_fault(record.ledger, terms) or untimely(record.ledger, terms, self.clock())
            if needs_proposal(record.ledger, terms):
                fault = fault or open_proposal_fault(record.ledger, Seat(terms["seat"]))
            mine = self.seat in must_agree(record.ledger, terms, self.clock()) and not fault
            if consent.seat != self.seat and mine and self.same_consent(terms) is None:
                proposed.setdefault(canon(terms), consent)
        return list(proposed.values())

    def turn(
        self,
        actions: Sequence[JsonObject] = (),
        *,
        orders: JsonObject | None = None,
        say: str = "",
        tell: Mapping[Seat, str] | None = None,
        react: Mapping[int, str] | None = None,
        nudge: str = "",
        unchecked: bool = False,
        again: bool = False,
    ) -> Signed:
        """Sign a turn. What the own rules engine refuses is not signed, unless ``unchecked``.

        ``react`` are reactions by record, ``nudge`` is a seat that is to be called.

        Raises:
            RefusedError: the host would refuse it; nothing was signed and no number used.
            AlreadySigned: a turn for this position is not answered, and ``again`` does not say yes to another.
            UsageProblem: there is nothing in it.
        """
        record = self._trusted(orders_too=not unchecked)
        view = self.view
        words = say or tell or react or nudge
        brings = actions or words or orders is not None or self.own_orders.planned() is not None
        if not brings and not unchecked:
            raise UsageProblem(
                sentence("there is nothing in this turn: no move, no table talk, no changed orders"),
                hint=sentence(
                    "Nothing was signed. Your legal moves: pbem legal {folder}", folder=self.copy.folder.path
                ),
            )
        if actions:
            self._ask_again(self.same_turn(), again=again)
        for other in tell or {}:
            if other not in record.ledger.players:
                raise UsageProblem(
                    sentence("nobody sits at {other!r}", other=other),
                    hint=sentence("there are {names}", names=", ".join(record.seats)),
                )
        if not unchecked and not actions and (reason := too_many(record.ledger, view.seat)):
            raise RefusedError(reason)
        body = {"seat": view.seat, "seen": record.head.seen, **messages.gestures(react, nudge)}
        if not unchecked and (reason := gesture_fault(record.ledger, body)):
            raise RefusedError(reason)
        notes = [] if unchecked or not actions else self._dry_run(record, view, actions)
        n = self._sent.next_number(record, view.seat)
        changes = orders is not None or self.own_orders.planned() is not None
        if orders is None:
            orders = self.own_orders.next(record, view.seat)
        leave = orders is None and self.own_orders.unreadable(record, view.seat)
        composed = compose_turn(
            record,
            self.identity,
            view.seat,
            n,
            actions=actions,
            orders=orders,
            leave_orders=leave,
            say=spoken(say),
            tell={seat: spoken(words) for seat, words in (tell or {}).items()},
            react=react,
            nudge=nudge,
            kept=self.orders(),
            served=self._served,
            salt=lambda: self._entropy(16),
        )
        for copy in composed.copies:
            self._sealed.keep(copy)
        elsewhere = self._other_device_warnings(record, view.seat, orders_unreadable=leave)
        said: JsonObject = {"orders": True} if changes else {}
        if composed.file["body"].get("sealed") and len(composed.file["body"]["actions"]) < len(actions):
            said["sealed"] = True
        signed = self._sent.keep(composed.file, (*composed.warnings, *elsewhere), tuple(notes), said)
        if not leave:
            self.own_orders.keep_present()  # what was planned has left with this file
        return signed

    def _other_device_warnings(self, record: Record, seat: Seat, *, orders_unreadable: bool) -> list[str]:
        """What is to be said if this seat is played on another device too, or its copies here are gone."""
        texts: list[str] = []
        if orders_unreadable:
            texts.append(
                sentence(
                    "the standing orders in force were sealed with keys that are not here; "
                    "this file leaves them as they are"
                )
            )
        newest, taken = record.ledger.players[seat].n, record.ledger.messages
        if newest and not any(
            (m.seat, m.n) == (seat, newest) and m.hash in taken for m in self._sent.all(record.game)
        ):
            texts.append(
                sentence(
                    "your newest file in the record, number {n}, was not signed on this device. If another one "
                    "left from there and is not recorded yet, its orders and moves are not known here. This file "
                    "replaces its orders",
                    n=newest,
                )
            )
        return texts

    def _dry_run(self, record: Record, view: SeatView, actions: Sequence[JsonObject]) -> list[str]:
        code, fault, notes = refusal_of(record, view, actions)
        if code:
            hint = sentence(
                "Nothing was signed. Your legal moves: pbem legal {folder}", folder=self.copy.folder.path
            )
            if code == "not-your-turn":
                newer = sentence("{age}; is there a newer email?", age=self.age)
                hint = joined((newer, hint), " ")
            raise RefusedError(fault, hint=hint)
        return notes

    def orders(self) -> JsonObject | None:
        """The standing orders in force, from the own copies: every turn file repeats them, changed or not."""
        return self.own_orders.in_force(self.record, self.seat)

    def altered_actions(self) -> list[str]:
        """Where the host did other actions than this seat had sealed, in words (schemas/README.md §3.2)."""
        return self._word.altered_actions(self.view)

    def signed_elsewhere(self) -> list[int]:
        """Say that what ``turn`` complains of was signed on another device of this player's; the records it is in.

        Their signatures are those of their key: whoever cannot say this has lost it to somebody.
        """
        return self._word.signed_elsewhere(self.record, self.seat)

    # --- what was signed ----------------------------------------------------------------------------------

    def signed(self) -> list[SentEntry]:
        """Every file signed here for this match, by number, and what became of it."""
        record = self.record
        players = record.ledger.players
        mine = {seat for seat, player in players.items() if player.sign == self.identity.sign_public}
        own = b64(self.identity.sign_public)
        files = [m for m in self._sent.all(record.game) if m.seat in mine or m.body.get("sign") == own]
        return self.log.entries(record, files)

    def unanswered(self) -> list[SentEntry]:
        """Those that the host has not answered yet, and still may."""
        return [entry for entry in self.signed() if entry.open]

    def kept_join(self, seat: str) -> SentEntry | None:
        """The newest join for this seat that was signed here by this identity."""
        joins = [entry for entry in self.signed() if brings_somebody(entry.message)]
        return next((entry for entry in reversed(joins) if entry.message.seat == seat), None)

    def same_turn(self) -> SentEntry | None:
        """The unanswered file that decides what a new turn would decide (``sent_log.same_turn``)."""
        return same_turn(self.signed())

    def same_link(self) -> SentEntry | None:
        """The unanswered file that brings the link that is awaited (``sent_log.same_link``)."""
        return same_link(self.record, self.signed())

    def same_consent(self, terms: JsonObject) -> SentEntry | None:
        """The unanswered consent to these ``terms`` (``sent_log.same_consent``)."""
        return same_consent(self.signed(), terms)

    def says(self, entry: SentEntry, label: Callable[[JsonObject], str] | None = None) -> str:
        """What a file says, in words; actions as one types them, unless ``label`` names them otherwise."""
        words = find_game(self.record.game_info.id).action_to_words
        return says(
            entry.message, entry.page, label or words, self._sealed_in(canon(entry.message.file)) or ()
        )

    def describe(self, entry: SentEntry, label: Callable[[JsonObject], str] | None = None) -> str:
        """Number, time, what it says, how it left and what became of it, in one sentence or two."""
        return describe_entry(
            entry, self.says(entry, label), self.clock(), self.clock_of(Seat(entry.message.seat))
        )

    def signed_again(self, entry: SentEntry) -> Signed:
        """The very same file once more, to let it leave again: nothing is signed, no number used."""
        return as_signed(entry.message)

    def leaves(self, signed: Signed, way: str, place: str) -> None:
        """Note that a file has left: ``write`` or ``armour`` to a file, ``mail`` to an address."""
        message = messages.read_message(signed.raw).hash
        self.log.write(message, way=way, place=place, left=self.clock(), mailing="", mail_id="")

    def _ask_again(self, entry: SentEntry | None, *, again: bool) -> None:
        if entry is None or again:
            return
        raise AlreadySigned(
            entry,
            self.describe(entry),
            hint=sentence(
                "Nothing was signed now. If you mean it, say --again: then the host takes whichever comes first."
            )
            if entry.left
            else sentence(
                "Nothing was signed now. To hand that file over: pbem play {folder}",
                folder=self.copy.folder.path,
            ),
        )

    def check(self, raw: bytes, at: str = "") -> Verdict:
        """What the host would say to this file at the time ``at``, as far as can be known here."""
        record = self.record
        view = self.view if record.public is not None else None
        return check_file(record, raw, view, self._sealed_in(raw), at=at)

    def _sealed_in(self, raw: bytes) -> list[JsonObject] | None:
        """The sealed actions of an own file; None if they cannot be read here."""
        body = messages.read_message(raw).body
        content = self._own.of_file(body, "sealed") if "sealed" in body else []
        return content if isinstance(content, list) else None

    def _trusted(self, *, orders_too: bool = True) -> Record:
        """The record, verified from its first byte, once the own messages in it are those that were sent.

        Nothing that was verified before is believed here: this is what a signature rests on.
        """
        record = self.copy.proven()
        self._word.check(record, self.seat, self.view if orders_too and record.public is not None else None)
        return record
