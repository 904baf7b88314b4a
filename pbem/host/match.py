"""The host at one match: rules on a file, commits what follows, and answers as the policy lets them.

A file that was refused once is refused again with the same ``reject``, and a consent that was refused counts no more: a
line and a ``reject`` for one message would prove the host's misconduct (schemas/README.md §9).

``POINTS`` are all the points where a killed host leaves other traces, in the order in which they are passed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pbem.base.errors import VerificationError
from pbem.base.language import language_of
from pbem.base.sentences import command, joined, named, sentence, term
from pbem.game import JsonObject, Seat
from pbem.host.acts import next_act, still_counts
from pbem.host.letter_mail import REMINDER, Batch, LetterName, batches_of, name_of_refusal, names_of
from pbem.host.policy import Policy
from pbem.host.reminders import reminders_due
from pbem.host.store import NOBODY, OWN_WEBHOOK, Act, Caller, GivenUp, MatchStore, Outcome, Plain, Written
from pbem.player.letters.by_hand import agreed_command, agreed_words
from pbem.player.letters.letter import Kind, asks_nothing, names_at, tag_of
from pbem.player.letters.standing import waiting_at
from pbem.protocol import referee
from pbem.protocol.crypto.digest import b64, short_id
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import open_channel
from pbem.protocol.formats.messages import Message
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Line, Record
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.kinds.agreements import AGREEMENTS
from pbem.protocol.record.kinds.channel import CHANNEL
from pbem.protocol.record.kinds.consent import CONSENT
from pbem.protocol.record.takeover import host_must_act
from pbem.protocol.record.verifier import awaited, brings_somebody, unknown_sender

POINTS: Final = (
    "judged",  # the ruling is known, nothing is written
    "appended",  # the records are
    "noted",  # what became of the file is, and which consents count
    "lettered",  # the emails are
)
_SILENT: Final = 2
"""Turns in a row without an answer of which the host hears."""
_KEPT: Final = 8
"""Consents of one seat that are kept at a time."""
_ASKED: Final = "4/day"
"""How often the others are asked to agree to what one seat proposes."""
_WEBHOOKS: Final = "20/day"
"""Files of one seat about its own webhook."""
_GIVEN_UP: Final = "a file of a history that was given up"


class MatchHost:
    """A host with the store of one match open."""

    def __init__(self, host: Identity, store: MatchStore, policy: Policy, now: str) -> None:
        self._host = host
        self._store = store
        self._policy = policy
        self._now = now

    def take(self, message: Message, caller: Caller = NOBODY) -> Outcome:
        """Rule on a file and do what follows."""
        store = self._store
        known = store.known(message)
        if known.given_up:
            return self._given_up(message, caller)
        if known.reject is not None and unknown_sender(store.record.ledger, message) is None:
            return self._refused_again(message, known.reject, caller)
        ruling = referee.rule_message(store.record, self._host, message, self._now, self.usable())
        store.steps("judged")
        return self._come_of(message, ruling, caller)

    def _come_of(self, message: Message, ruling: referee.Ruling, caller: Caller) -> Outcome:
        if (
            isinstance(
                ruling,
                (referee.Refused, referee.Held, referee.Quarantined, referee.Unchanged, referee.Unrecorded),
            )
            and ruling.withdrawn is not None
        ):
            letters = self._commit(ruling.withdrawn)
            after = self._come_of(message, replace(ruling, withdrawn=None), caller)
            return replace(after, letters=letters + after.letters)
        match ruling:
            case referee.Accepted():
                return self._accept(message, ruling, caller)
            case referee.Refused():
                return self._refuse(message, ruling, caller)
            case referee.Held():
                return self._hold(message, ruling, caller)
            case referee.Repeated():
                return Outcome(ruling, self._again(message, ruling.line, ruling.seat, caller), again=True)
            case referee.Unchanged():
                return self._unchanged(message, ruling, caller)
            case referee.Unrecorded():
                return self._webhook(message, ruling, caller)
            case referee.Departed():
                return self._depart(message, ruling, caller)
            case referee.Quarantined():
                self._store.put_aside(ruling.fault, caller)
            case _:
                self._store.ignore(message, ruling, caller)
        return Outcome(ruling)

    def _accept(self, message: Message, ruling: referee.Accepted, caller: Caller) -> Outcome:
        letters = self._commit(ruling, message, caller)
        for line in ruling.lines:
            if KINDS[line.kind].proposes(line):
                self._notify_proposed(line)
        return Outcome(ruling, letters)

    def _notify_proposed(self, line: Line) -> None:
        terms = line.body["what"]
        text = sentence(
            "match {short}: record {seq} proposes: {what} of {seat}, held until {until}",
            short=self._short,
            seq=line.seq,
            what=term(terms["kind"]),
            seat=terms["seat"],
            until=line.body["until"],
        )
        if host_must_act(self._store.record.ledger):
            full = command(
                "pbem host {name} {match} {seat}",
                name=AGREEMENTS[terms["kind"]].command,
                match=self._store.name,
                seat=terms["seat"],
            )
            text = joined((text, sentence("nobody does it but you: {command}", command=full)))
        self._store.notify_host("proposal", text)

    def _refuse(self, message: Message, ruling: referee.Refused, caller: Caller) -> Outcome:
        reject = ruling.reject
        assert reject is not None  # noqa: S101 - its form is good, so the referee has signed one
        self._store.refuse(message, reject)
        self._store.drop(message)
        self._store.note_contact(message, caller)
        self._store.steps("noted")
        letters = self._refusal(message, reject, ruling.in_clear, caller, "refused")
        self._store.steps("lettered")
        return Outcome(ruling, letters)

    def _refused_again(self, message: Message, reject: JsonObject, caller: Caller) -> Outcome:
        body = reject["body"]
        text = "it was refused before, and is refused again with the same reject"
        rules, action = tuple(body.get("rules", ())), body.get("action")
        ruling = referee.Refused(body["code"], text, Seat(message.seat), rules, action, reject)
        return Outcome(ruling, self._refusal(message, reject, "", caller, "again"), again=True)

    def _refusal(
        self, message: Message, reject: JsonObject, reason: str, caller: Caller, kind: str
    ) -> tuple[str, ...]:
        """A seat pays for its new files; for an old one, or one again, whoever has sent it."""
        seat = Seat(reject["body"]["seat"])
        player = self._store.record.ledger.players.get(seat)
        pays = kind == "refused" and player is not None and message.n > player.n
        again = kind != "again" or self._policy.may_repeat(seat, message, caller)
        if caller.quiet or not again or not self._policy.may_answer(seat, kind, caller, pays=pays):
            return ()
        record = self._store.record
        people = {str(seat): name for seat, name in names_at(record, record.head.seq).items()}
        text = language_of(tag_of(record, seat, record.head.seq)).translate(named(reason, people))
        name = name_of_refusal(reject, record.head.seq, text)
        return self._store.write([Written(name, caller, again=kind == "again")])

    def _hold(self, message: Message, ruling: referee.Held, caller: Caller) -> Outcome:
        """Everybody who must agree too is asked, and the sender notified that their word is kept.

        A seat has one consent about one matter, however often it words it again, and few in all: the older ones go.
        It is informed, and the others are asked, so often a day and no more; what all have agreed to is always said.
        """
        store = self._store
        store.hold(message)
        mine_kept = sorted(
            (kept for kept in store.consents() if kept.seat == message.seat), key=lambda kept: kept.n
        )
        newest = {_matter(kept): kept.n for kept in mine_kept}
        for place, kept in enumerate(mine_kept):
            if newest[_matter(kept)] != kept.n or place < len(mine_kept) - _KEPT:
                store.drop(kept)
        store.steps("noted")
        letters: tuple[str, ...] = ()
        last = not ruling.missing
        asks = last or self._policy.may_answer(ruling.seat, "asked", caller, _ASKED)
        answers = last or (not caller.quiet and self._policy.may_answer(ruling.seat, "held", caller))
        for seat in dict.fromkeys((ruling.seat, *ruling.missing)):
            mine = seat == ruling.seat
            if answers and not caller.quiet if mine else asks:
                answer = self._held_words(message, ruling, seat)
                letters += store.say(seat, answer, caller if mine else NOBODY)
        store.steps("lettered")
        if not ruling.missing:
            agreed = agreed_words(ruling.terms, store.record.names, self._now)
            store.notify_host(
                "consent", sentence("match {short}: all have agreed: {what}", short=self._short, what=agreed)
            )
        return Outcome(ruling, letters)

    def _held_words(self, message: Message, ruling: referee.Held, seat: Seat) -> Plain:
        """What a seat reads of a consent that waits for others: its own is kept, or it is asked."""
        record, terms, mine = self._store.record, ruling.terms, seat == ruling.seat
        waiting = waiting_at(
            record, seat, record.head.seq, language_of(tag_of(record, seat, record.head.seq)), now=self._now
        )
        asked = agreed_words(terms, record.names, self._now, waiting.clock)
        missing = [record.names.get(other, other) for other in ruling.missing]
        values = {
            "mine": mine,
            "who": record.names.get(ruling.seat, ruling.seat),
            "what": asked,
            "command": agreed_command(terms),
            "missing": missing,
            "stands": f"{waiting.described()} {waiting.deadline()}".strip(),
        }
        if not mine:
            subject = sentence("Do you agree? {what}", what=asked)
        elif missing:
            subject = sentence("Your proposal waits for {names}", names=", ".join(missing))
        else:
            subject = sentence("Everyone agrees: {what}", what=asked)
        plain = self._plain("held", f"{b64(message.hash)}/{seat}", subject, seat, values)
        return plain if mine else replace(plain, asks=message.file)

    def _again(self, message: Message, line: Line, seat: Seat, caller: Caller) -> tuple[str, ...]:
        """The receipt that this line was, once more."""
        if caller.quiet or not self._policy.may_repeat(seat, message, caller):
            return ()
        record = self._store.record
        batch = next(each for each in batches_of(record.lines) if each.first <= line.seq <= each.last)
        letter_names = [name for name in names_of(record, batch, seat) if name.seat == seat]
        return self._store.write([Written(name, caller, again=True) for name in letter_names])

    def _unchanged(self, message: Message, ruling: referee.Unchanged, caller: Caller) -> Outcome:
        """What would change nothing is answered, as often as any file, and not recorded."""
        if caller.quiet or not self._policy.may_answer(ruling.seat, "unchanged", caller):
            return Outcome(ruling)
        values = {"sentence": ruling.sentence, "record": ruling.line.seq}
        subject = sentence("nothing to do")
        name = caller.name or b64(message.hash)
        return Outcome(
            ruling,
            self._store.say(
                ruling.seat, self._plain("unchanged", name, subject, ruling.seat, values), caller
            ),
        )

    def _webhook(self, message: Message, ruling: referee.Unrecorded, caller: Caller) -> Outcome:
        """Where a seat's own turns are announced besides: done as it says, and answered in one sentence."""
        store, host, seat = self._store, self._host, ruling.seat
        if not self._policy.may_answer(seat, CHANNEL.name, caller, _WEBHOOKS):
            return Outcome(ruling)
        store.note_contact(message, caller)
        try:
            address = open_channel(
                message.game, seat, message.n, host.seal_key, host.seal_public, message.body[CHANNEL.name]
            )
            text = store.webhook(message, address)
        except VerificationError:
            text = sentence("The address in your file does not open here. Make another file: pbem webhook.")
        if caller.quiet:
            return Outcome(ruling)
        name = caller.name or b64(message.hash)
        plain = self._plain("webhook", name, OWN_WEBHOOK, seat, {"sentence": text})
        return Outcome(ruling, store.say(seat, plain, caller))

    def _depart(self, message: Message, ruling: referee.Departed, caller: Caller) -> Outcome:
        """The store is not the newest, or the file has seen what was given up."""
        if ruling.seen["seq"] <= self._store.given_up():
            return self._given_up(message, caller)
        self._store.stand_still(ruling, caller)
        return Outcome(ruling)

    def _given_up(self, message: Message, caller: Caller) -> Outcome:
        seat = Seat(message.seat)
        letters: tuple[str, ...] = ()
        if not caller.quiet and self._policy.may_answer(seat, "given-up", caller, "1/day"):
            values = {
                "sentence": sentence(
                    "your file belongs to a history of this match that was given up; an email said which one counts"
                ),
                "advice": sentence("If this is a mistake, write to the person who hosts the match."),
                "again": "",
            }
            subject = sentence("not taken: {why}", why=sentence("another history counts"))
            name = caller.name or b64(message.hash)
            letters = self._store.say(seat, self._plain("fault", name, subject, seat, values), caller)
        return Outcome(GivenUp(_GIVEN_UP), letters, again=True)

    def act(self, act: Act) -> Outcome:
        """Something of their own accord.

        Raises:
            RefusedError: it is not due.
        """
        return self.commit(act(self._store.record, self._now, self.usable()))

    def commit(self, done: referee.Accepted) -> Outcome:
        """Put the records of an act into the store, with the emails about them."""
        self._store.steps("judged")
        return Outcome(done, self._commit(done))

    def _commit(
        self, done: referee.Accepted, message: Message | None = None, caller: Caller = NOBODY
    ) -> tuple[str, ...]:
        store = self._store
        first = store.record.head.seq + 1
        store.append(done)
        store.steps("appended")
        if message is not None:
            store.note_contact(message, caller)
        for consent in store.consents():
            if not still_counts(done.record, consent):
                store.drop(consent)
        store.steps("noted")
        batch = Batch(first, done.record.head.seq, done.sender)
        sender = None if message is None else done.sender
        quiet = sender is not None and asks_nothing(done.record, batch.first, batch.last, sender)
        # Who joins is answered at once.
        spare = quiet and message is not None and not brings_somebody(message)
        letters = store.write(
            [
                Written(
                    name,
                    caller if name.seat == done.sender else NOBODY,
                    spare=spare and name.kind == Kind.ACCEPTED,
                )
                for name in self._worth_a_letter(batch, done, message, caller, quiet=quiet)
            ]
        )
        store.public(first)
        for line in done.lines:
            if KINDS[line.kind].lapses and _silences(done.record, line) == _SILENT:
                text = sentence(
                    "match {short}: {seat} has let its time run out twice in a row, the last time in record {seq}",
                    short=self._short,
                    seat=line.body["seat"],
                    seq=line.seq,
                )
                store.notify_host("silent-twice", text)
        store.steps("lettered")
        return letters

    def _worth_a_letter(
        self, batch: Batch, done: referee.Accepted, message: Message | None, caller: Caller, *, quiet: bool
    ) -> list[LetterName]:
        """Talk, and receipts of what nobody waits for, are so many in a time; the records come with the next email."""
        names = names_of(done.record, batch)
        kept = [name for name in names if name.kind not in (Kind.TALK, Kind.ACCEPTED)]
        talk = [name for name in names if name.kind == Kind.TALK]
        receipts = [name for name in names if name.kind == Kind.ACCEPTED]
        if message is None or done.sender is None:
            return list(names)
        if not caller.mailed and quiet:
            receipts = []  # whoever came by the API sees there what became of the file
        if talk and self._policy.may_talk(done.sender):
            kept += talk
        if receipts and (
            _is_awaited(message, done) or self._policy.may_answer(done.sender, "receipt", caller)
        ):
            kept += receipts
        return [name for name in names if name in kept]

    def usable(self) -> list[JsonObject]:
        """The kept consents that may still count: their number not used up, signed by who sits there now."""
        return [
            consent.file for consent in self._store.consents() if still_counts(self._store.record, consent)
        ]

    def give_back(self, since: str, until: str) -> Outcome | None:
        """The time of an outage, to whoever was awaited in it; None if nobody was."""
        done = referee.after_outage(self._store.record, self._host, since, until, max(self._now, until))
        return None if done is None else self.commit(done)

    def give_time(self, since: str, until: str) -> Outcome | None:
        """The time of a rest, to whoever is awaited now; None if nobody's time runs."""
        done = referee.give_time(self._store.record, self._host, since, until, self._now)
        return None if done is None else self.commit(done)

    def on_time(self, joins: Mapping[Seat, bytes] | None = None) -> Outcome | None:
        """The next thing that the clock makes due: an act, or else the reminders that came up since the last look.

        ``joins`` are those of newcomers who wait for a seat that is proposed for them. None if no act is due: what
        was to be reminded of is written then. A clock behind the newest record makes nothing due.
        """
        record = self._store.record
        done = None if record.head.at > self._now else next_act(record, self._host, self._now, joins)
        if done is not None:
            return self.commit(done)
        self._remind(record)
        return None

    def _remind(self, record: Record) -> None:
        """Each seat's newest; an older one that came up meanwhile would only say the same."""
        store, now = self._store, self._now
        since = store.reminded() or record.lines[0].at
        newest = {reminder.seat: reminder for reminder in reminders_due(record, store.wishes(), since, now)}
        store.write(
            [Written(_reminder(record.head.seq, seat, due.moment, now)) for seat, due in newest.items()]
        )
        store.remind_from(max(since, now))

    @property
    def _short(self) -> str:
        return short_id(self._store.record.game)

    def _plain(self, kind: str, name: str, subject: str, seat: Seat, values: JsonObject) -> Plain:
        record = self._store.record
        language = language_of(tag_of(record, seat, record.head.seq))
        title = self._store.contacts.title or record.game_info.title
        return Plain(kind, name, subject, language, values, self._short, title)


def _is_awaited(message: Message, done: referee.Accepted) -> bool:
    """Whether a file is one that always has its receipt: a move, a link, an undo, a new key, an absence."""
    if awaited(message) or message.kind == CONSENT.name:
        return awaited(message)
    played = any("steps" in line.body or KINDS[line.kind].asks_links for line in done.lines)
    return played or "link" in message.body


def _reminder(head: int, seat: Seat, moment: str, now: str) -> LetterName:
    kind = f"reminder-{re.sub('[^0-9]', '', moment)}"
    return LetterName(REMINDER, seat, kind, -1, head, at=now, moment=moment)


def _silences(record: Record, newest: Line) -> int:
    """How often in a row a seat's time ran out, if it just has with this default; 0 within the turn that it plays.

    The defaults of one turn are one silence; three stand for more.
    """
    seat, count, within = newest.body["seat"], 0, False
    for line in reversed(record.lines[: newest.seq + 1]):
        default = KINDS[line.kind].lapses
        of = line.body["seat"] if default else line.body.get("msg", {}).get("body", {}).get("seat")
        if of is None:
            continue
        if of != seat:
            within = False
        elif not default:
            break
        elif within and count == 1:
            return 0
        elif not within:
            count, within = count + 1, True
        if count > _SILENT:
            break
    return count


def _matter(message: Message) -> bytes:
    """What a consent is about, whatever reason it gives."""
    return canon({name: value for name, value in message.body["what"].items() if name != "why"})
