"""Where friends talk: a channel of a match hears of what everybody may know, once an event, after its commit.

A channel is the group's, set by the organiser, or one player's own, set by themselves in the page or by a file. Its
address holds a token: it is kept sealed under the host's identity and stands in no log. What is sent is a title, a
sentence and the page's address, nothing hidden.

A sentence is queued in the transaction that records what it is about, and is gone from there once it was sent. No
channel can say whether it had it before, so after a crash in just that moment it is sent again: "Burt's turn" twice
costs a look, and not at all a day. Each ends with the number of its record, so that a repeat is seen to be one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final
from zoneinfo import ZoneInfo

from pbem.base.errors import PbemError, StoreError, UsageProblem
from pbem.base.language import Language, language_of
from pbem.base.sentences import Sentence, joined, sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.host.database.database import Transaction
from pbem.host.database.matches import Matches, MatchRow
from pbem.host.database.notes import MailNotes
from pbem.host.letter_mail import Contacts
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox
from pbem.host.store import NOBODY, OWN_CHANNEL, Answered, Caller
from pbem.player.letters.layout import clean_name
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import NONCE_SIZE, open_own_box, seal_own
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import Line, Record
from pbem.protocol.record.deadlines import parse_time
from pbem.protocol.record.kinds import KINDS

_LABEL: Final = "channel"
_QUEUE: Final = "notice/"
_ASKED: Final = f"{_QUEUE}asked/"
"""Addresses that seats have sent and nobody has looked at yet."""
MOST_FAILURES: Final = 5
"""In a row; then the channel is dropped, and who set it hears of it."""
MOST_A_ROUND: Final = 5
_MOST_CALLS: Final = 120
"""Seconds after which another process may send what one has begun to send."""
GROUP: Final = ""
"""The seat of a channel that is all players'."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something everybody may know. ``seat`` is whom it is about; empty: all."""

    seat: str
    text: str


def events_of(record: Record, lines: Sequence[Line], language: Language, title: str) -> list[Event]:
    """What these new records show a channel, in this order."""
    events = [Event(GROUP, language.translate(text)) for text in _happened(record, lines, title)]
    waiting = record.waiting
    if waiting is not None and any(KINDS[line.kind].asks for line in lines):
        name = clean_name(record.names[Seat(waiting["seat"])])
        events.append(Event(waiting["seat"], language.translate(_turn(record, name, title))))
    return events


def _happened(record: Record, lines: Sequence[Line], title: str) -> Iterator[str]:
    if any(line.kind == "join" for line in lines) and record.ledger.complete:
        yield sentence("The table is full: {title}", title=title)
    for line in lines:
        ends = KINDS[line.kind].ends
        if ends == "epoch":
            yield sentence("Part {number} of {title} is over", number=line.body["epoch"], title=title)
        if ends == "match":
            yield sentence("{title} is over", title=title)


def _turn(record: Record, name: str, title: str) -> str:
    if record.due is None:
        return sentence("{name}'s turn in {title}", name=name, title=title)
    at = parse_time(record.due).astimezone(ZoneInfo(record.genesis["deadlines"].get("zone") or "UTC"))
    by = f"{at:%a %H:%M %Z}"
    return sentence("{name}'s turn in {title}, by {by}", name=name, title=title, by=by)


class Channels:
    """The channels of matches, within one transaction."""

    def __init__(self, context: ServiceContext, transaction: Transaction) -> None:
        self._context = context
        self._transaction = transaction
        self._matches = Matches(transaction)
        self._notes = MailNotes(transaction)

    def ask(self, match: MatchRow, message: Message, url: str, caller: Caller) -> Sentence | str:
        """A file of a seat says where its own turns are announced; empty: nowhere any more.

        A sentence for its sender; none where the address is looked at first (``ChannelCaller``), who then answers.
        """
        contacts, game, seat = self._contacts(match.game), match.game, message.seat
        if message.n <= contacts.channel_files.get(seat, -1):
            return sentence("Nothing has changed: this file, or a newer one about your channel, came before.")
        self._keep(game, replace(contacts, channel_files={**contacts.channel_files, seat: message.n}))
        if not url:
            self.off(match, seat)
            return sentence("Your turns are announced in no channel of your own any more.")
        self._forget_asked(game, seat)
        asked = {"game": game, "seat": seat, "box": self._sealed(url), "quiet": caller.quiet}
        answers = {"mail": caller.name or b64(message.hash), "answers": caller.message_id}
        self._notes.set(f"{_ASKED}{game}/{seat}/{message.n}", json.dumps(asked | answers))
        return ""

    def set(self, match: MatchRow, url: str, seat: str = GROUP) -> None:
        """Notify this channel from now on; a seat's own, or the group's, has one at a time of each service.

        ``url`` was looked at before (``check_channel``): that takes a moment, in which no transaction is held.
        """
        self._forget_asked(match.game, seat)
        contacts = self._contacts(match.game)
        others = [
            channel
            for channel in contacts.channels
            if not (channel["seat"] == seat and self._same(channel["box"], url))
        ]
        self._keep(
            match.game,
            replace(contacts, channels=(*others, {"seat": seat, "box": self._sealed(url), "failures": 0})),
        )

    def off(self, match: MatchRow, seat: str = GROUP) -> int:
        """Notify this seat's channels (or the group's) no more; how many there were."""
        self._forget_asked(match.game, seat)
        contacts = self._contacts(match.game)
        left = [channel for channel in contacts.channels if channel["seat"] != seat]
        self._keep(match.game, replace(contacts, channels=tuple(left)))
        return len(contacts.channels) - len(left)

    def kinds(self, match: MatchRow) -> list[tuple[str, str]]:
        """Seat and kind of service of each channel: all that is ever shown of them."""
        channels = self._contacts(match.game).channels
        return [(str(row["seat"]), self._open(row["box"]).partition("://")[0]) for row in channels]

    def queue(self, match: MatchRow, record: Record, lines: Sequence[Line]) -> bool:
        """These records were appended in this transaction: what channels hear of them; whether they hear anything."""
        contacts, queued = self._contacts(match.game), False
        if not contacts.channels:
            return False
        title = contacts.title or record.game_info.title
        for number, event in enumerate(events_of(record, lines, language_of(contacts.lang), title)):
            for channel in contacts.channels:
                if event.seat in (GROUP, channel["seat"]) or channel["seat"] == GROUP:
                    name = f"{_QUEUE}{lines[-1].seq:08}/{number}/{match.game}/{channel['box'][:24]}"
                    text = f"{event.text} (#{lines[-1].seq})"
                    entry = {"game": match.game, "box": channel["box"], "title": title, "text": text}
                    self._notes.set(name, json.dumps(entry, ensure_ascii=False))
                    queued = True
        return queued

    def waits(self) -> bool:
        """Whether a sentence waits."""
        return bool(
            self._transaction.run(
                "SELECT 1 FROM meta WHERE name LIKE 'notice/%' AND until < ? LIMIT 1", self._context.now()
            )
        )

    def claim(self) -> dict[str, str] | None:
        """The next sentence that waits, for this process alone for a while; None if there is none."""
        now, until = self._context.now(), self._context.later(_MOST_CALLS)
        rows = self._transaction.run(
            "SELECT name FROM meta WHERE name LIKE 'notice/%' AND until < ? ORDER BY name LIMIT 50", now
        )
        for (name,) in rows:
            taken = self._transaction.run(
                "UPDATE meta SET until = ? WHERE name = ? AND until < ? RETURNING value", until, name, now
            )
            if taken and (known := self._claimed(str(name), str(taken[0][0]))) is not None:
                return known
        return None

    def _claimed(self, name: str, value: str) -> dict[str, str] | None:
        queued: dict[str, str] = json.loads(value)
        channels = self._contacts(queued["game"]).channels
        still = "seat" in queued or any(channel["box"] == queued["box"] for channel in channels)
        if not still:
            self.done(name)
            return None
        return {**queued, "name": name, "url": self._open(queued["box"])}

    def done(self, name: str) -> bool:
        """A sentence was sent, or goes to nobody; whether it still waited."""
        return bool(self._transaction.run("DELETE FROM meta WHERE name = ? RETURNING name", name))

    def looked(self, asked: dict[str, str], fault: UsageProblem | None) -> None:
        """The address of a seat's file was looked at: it is set, unless the seat has said something else since."""
        game, seat, service = asked["game"], asked["seat"], asked["url"].partition("://")[0]
        match = self._matches.find(game)
        if not self.done(asked["name"]) or match is None:
            return
        if fault is None:
            self.set(match, asked["url"], seat)
            text = sentence("Your turns are announced in your channel too ({service}).", service=service)
        else:
            text = joined((sentence("Your channel was not set: {why}.", why=fault.args[0]), fault.hint), " ")
        address = "" if asked["quiet"] else self._matches.seats(game)[seat].reach
        if address:
            Letterbox(self._context, self._transaction).answer(
                address,
                "own-channel",
                asked["mail"],
                Answered(asked["answers"]),
                OWN_CHANNEL,
                about=self._context.records.load(self._matches, match),
                sentence=text,
            )

    def _forget_asked(self, game: str, seat: str) -> None:
        """What the seat said before, and nobody has looked at yet, does not count."""
        self._transaction.run("DELETE FROM meta WHERE name LIKE ?", f"{_ASKED}{game}/{seat}/%")

    def failed(self, queued: dict[str, str], why: str) -> None:
        """A channel did not take it: after some in a row it is dropped, and who set it hears of that."""
        game = queued["game"]
        contacts = self._contacts(game)
        changed: list[JsonObject] = []
        gone: JsonObject | None = None
        for channel in contacts.channels:
            if channel["box"] != queued["box"]:
                changed.append(channel)
            elif int(channel["failures"]) + 1 < MOST_FAILURES:
                changed.append({**channel, "failures": int(channel["failures"]) + 1})
            else:
                gone = channel
        self._keep(game, replace(contacts, channels=tuple(changed)))
        if gone is not None and gone["seat"] != GROUP:
            self._notify_player(game, str(gone["seat"]), queued, why)
        elif gone is not None:
            words = sentence(
                "a channel ({kind}) of {title} hears nothing more: {why}. To set it up again: pbem "
                "host channel MATCH",
                kind=queued["url"].partition("://")[0],
                title=queued["title"],
                why=why,
            )
            Letterbox(self._context, self._transaction).notify_operator("channel", words, game)

    def _notify_player(self, game: str, seat: str, queued: dict[str, str], why: str) -> None:
        """Whose channel it was hears of it, if an address is known; the page shows that it is called no more."""
        match = self._matches.find(game)
        address = self._matches.seats(game)[seat].reach
        if match is None or not address:
            return
        Letterbox(self._context, self._transaction).answer(
            address,
            "channel",
            queued["name"],
            NOBODY,
            sentence("your channel is told nothing more"),
            about=self._context.records.load(self._matches, match),
            service=queued["url"].partition("://")[0],
            why=why,
        )

    def worked(self, queued: dict[str, str]) -> None:
        """A channel took it: what failed before does not count."""
        contacts = self._contacts(queued["game"])
        if any(channel["box"] == queued["box"] and channel["failures"] for channel in contacts.channels):
            fresh = [
                {**channel, "failures": 0} if channel["box"] == queued["box"] else channel
                for channel in contacts.channels
            ]
            self._keep(queued["game"], replace(contacts, channels=tuple(fresh)))

    def _contacts(self, game: str) -> Contacts:
        return Contacts.from_json(self._matches.contacts(game))

    def _keep(self, game: str, contacts: Contacts) -> None:
        self._matches.set_contacts(game, contacts.to_json())

    def _sealed(self, url: str) -> str:
        return b64(seal_own(self._context.host, _LABEL, url.encode(), os.urandom(NONCE_SIZE)))

    def _open(self, box: str) -> str:
        return open_own_box(self._context.host, _LABEL, unb64(box)).decode()

    def _same(self, box: str, url: str) -> bool:
        try:
            return self._open(box).partition("://")[0] == url.partition("://")[0]
        except PbemError:
            return False


class ChannelCaller:
    """Notifies channels of what waits, and looks at addresses that seats have sent, one after the other."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    def flush(self) -> int:
        """At most some sentences; how many were sent."""
        context, count = self._context, 0
        for _ in range(MOST_A_ROUND):
            with context.database.reading() as transaction:
                if not Channels(context, transaction).waits():
                    break
            with context.database.transaction() as transaction:
                queued = Channels(context, transaction).claim()
            if queued is None:
                break
            if "seat" in queued:
                self._look(queued)
                continue
            context.steps("notice-leaving")
            why = ""
            try:
                context.call_out(queued["url"], queued["title"], self._text(queued["text"]))
                count += 1
            except StoreError as fault:
                why = str(fault)
            context.steps("notice-sent")
            with context.database.transaction() as transaction:
                channels = Channels(context, transaction)
                channels.done(queued["name"])
                if why:
                    channels.failed(queued, why)
                else:
                    channels.worked(queued)
        return count

    def _look(self, asked: dict[str, str]) -> None:
        """Look at an address that a seat has sent; that takes a moment, in which no transaction is held."""
        fault = None
        try:
            self._context.check_channel(asked["url"])
        except UsageProblem as problem:
            fault = problem
        with self._context.database.transaction() as transaction:
            Channels(self._context, transaction).looked(asked, fault)

    def _text(self, text: str) -> str:
        return f"{text}\n{self._context.page}" if self._context.page else text
