"""Chat webhooks: a match's, set by its organiser, and a seat's own hear of what everybody may know, after its commit.

The address of a webhook holds a token: it is kept sealed under the host's identity and stands in no log. Beside it
stands the newest record that it has heard of. No service can say whether it had a text before, so after a crash in the
very moment of sending it is sent again: "Burt's turn" twice costs a look, and not at all a day. Each line ends with the
number of its record, so that a repeat is seen to be one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.language import language_of
from pbem.base.sentences import Sentence, command, joined, sentence
from pbem.base.values import dataclass, replace
from pbem.game import Seat
from pbem.host.database.database import Transaction
from pbem.host.database.matches import Matches, MatchRow
from pbem.host.database.push import PushRows
from pbem.host.letter_mail import Contacts
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox
from pbem.host.service.public_post import Post, PostAnswer, PublicPost
from pbem.host.service.webhook_bodies import inactive, request_to
from pbem.host.store import NOBODY, OWN_WEBHOOK
from pbem.player.letters.layout import clean_name
from pbem.protocol.client import Webhook, read_webhook
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import NONCE_SIZE, open_own_box, seal_own
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import Line, Record
from pbem.protocol.record.deadlines import parse_time
from pbem.protocol.record.kinds import KINDS

GROUP: Final = ""
"""The seat of the webhook that is all players'."""
_LABEL: Final = "webhook"
_NOW, _IDLE = "", "~"
"""When a webhook is looked at: at once, or once there is another record."""
MOST_FAILURES: Final = 5
"""In a row; then the webhook is dropped, and who set it hears of it."""
_MOST_LINES: Final = 4
"""The newest, where a webhook has not heard of more."""
_MOST_A_ROUND: Final = 5
_MOST_SECONDS: Final = 20
"""In a round, after which the others wait for the next one."""
_CLAIMED: Final = 120
"""Seconds after which another process may call what one has begun to call."""
_WAIT: Final = 60
"""Seconds for which a service that is busy, or that does not answer, is left alone."""
_LONGEST_WAIT: Final = 3600
_NO_EMAIL: Final = sentence(
    "Emails to you came back, so none are sent. They come again when you email a signed file to the host."
)
_OWN_WAY: Final = sentence("in the web app under More, or with pbem webhook . --send")
"""How a player sets their own."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A webhook: its sealed address, its service, how often it failed in a row, the newest record it has heard of."""

    box: str
    service: str
    upto: int
    failures: int = 0


class Call(NamedTuple):
    """A webhook that was taken to be called, what it hears, and the newest record in that."""

    game: str
    seat: str
    row: _Row
    webhook: Webhook
    text: str
    upto: int


def events_of(record: Record, lines: Sequence[Line], title: str) -> Iterator[tuple[str, int, str]]:
    """Whom these new records are about (``GROUP``: everybody), the record's number, and what it shows."""
    title, asked = inactive(clean_name(title)), None
    for line in lines:
        ends = KINDS[line.kind].ends
        asked = line if KINDS[line.kind].asks else asked
        if line.kind == "join" and len(record.ledger.players) == len(record.seats):
            yield GROUP, line.seq, sentence("The table is full: {title}", title=title)
        if ends == "epoch":
            words = sentence("Part {number} of {title} is over", number=line.body["epoch"], title=title)
            yield GROUP, line.seq, words
        if ends == "match":
            yield GROUP, line.seq, sentence("{title} is over", title=title)
    if record.waiting is not None and asked is not None:
        seat = record.waiting["seat"]
        yield seat, asked.seq, _turn(record, inactive(clean_name(record.names[Seat(seat)])), title)


def _turn(record: Record, name: str, title: str) -> str:
    if record.due is None:
        return sentence("{name}'s turn in {title}", name=name, title=title)
    at = parse_time(record.due).astimezone(ZoneInfo(record.genesis["deadlines"].get("zone") or "UTC"))
    return sentence("{name}'s turn in {title}, by {by}", name=name, title=title, by=f"{at:%a %H:%M %Z}")


class Webhooks:
    """The webhooks of matches, one of each seat and one of the group, within one transaction."""

    def __init__(self, context: ServiceContext, transaction: Transaction) -> None:
        self._context = context
        self._tx = transaction
        self._matches = Matches(transaction)

    def ask(self, match: MatchRow, message: Message, text: str) -> Sentence:
        """A file of a seat says where its own turns are announced (empty: nowhere any more); what it is answered."""
        contacts, seat = Contacts.from_json(self._matches.contacts(match.game)), message.seat
        if message.n <= contacts.webhook_files.get(seat, -1):
            return sentence("Nothing has changed: this file, or a newer one about your webhook, came before.")
        contacts = replace(contacts, webhook_files={**contacts.webhook_files, seat: message.n})
        self._matches.set_contacts(match.game, contacts.to_json())
        if not text:
            self.off(match.game, seat)
            return sentence("Your turns are announced by no webhook of your own any more.")
        try:
            service = self.set(match, text, seat)
        except UsageProblem as fault:
            return joined((sentence("Your webhook was not set: {why}.", why=fault.args[0]), fault.hint), " ")
        return sentence("Your turns are announced by your webhook too ({service}).", service=service)

    def set(self, match: MatchRow, text: str, seat: str = GROUP) -> str:
        """Call this webhook from the next record on, in place of the one before; its service.

        Raises:
            UsageProblem: it is no address of one (``read_webhook``).
        """
        webhook = read_webhook(text)
        box = seal_own(self._context.host, _LABEL, webhook.text.encode(), os.urandom(NONCE_SIZE))
        self.off(match.game, seat)
        row = json.dumps(asdict(_Row(b64(box), webhook.service, match.seq)))
        query = "INSERT INTO meta (name, value, until) VALUES (?, ?, ?)"
        self._tx.run(query, _name(match.game, seat), row, _IDLE)
        return webhook.service

    def off(self, game: str, seat: str = GROUP) -> str:
        """Call this seat's webhook (or the group's) no more; its service, empty if there was none."""
        gone = self._tx.run("DELETE FROM meta WHERE name = ? RETURNING value", _name(game, seat))
        return _Row(**json.loads(gone[0][0])).service if gone else ""

    def services(self, game: str) -> dict[str, str]:
        """The service of each seat's webhook: all that is ever shown of them."""
        rows = self._tx.run(
            "SELECT name, value FROM meta WHERE name LIKE ? ORDER BY name", f"{_name(game, '')}%"
        )
        return {name.rpartition("/")[2]: _Row(**json.loads(value)).service for name, value in rows}

    def wake(self, game: str) -> bool:
        """A record was appended in this transaction; whether a webhook is to hear of it."""
        # Those that are being called are written too: whoever calls them waits for this, and looks again.
        query = (
            "UPDATE meta SET until = CASE WHEN until = ? THEN ? ELSE until END WHERE name LIKE ? RETURNING 1"
        )
        return bool(self._tx.run(query, _IDLE, _NOW, f"{_name(game, '')}%"))

    def due(self) -> list[str]:
        """The names of some that may be looked at now."""
        query = "SELECT name FROM meta WHERE name LIKE 'webhook/%' AND until < ? ORDER BY until LIMIT 50"
        return [name for (name,) in self._tx.run(query, self._context.now())]

    def claim(self) -> Call | None:
        """The next one that has something to hear, for this process alone for a while; None if there is none."""
        for name in self.due():
            taken = self._tx.run(
                "UPDATE meta SET until = ? WHERE name = ? AND until < ? RETURNING value",
                *(self._context.later(_CLAIMED), name, self._context.now()),
            )
            _, game, seat = name.split("/")
            match = self._matches.find(game)
            if match is None:
                self.off(game, seat)
            if not taken or match is None:
                continue
            row = _Row(**json.loads(taken[0][0]))
            self._context.before_showing(match)
            record = self._context.records.load(self._matches, match)
            contacts = Contacts.from_json(self._matches.contacts(game))
            language, title = language_of(contacts.lang), contacts.title or record.game_info.title
            said = [
                f"{language.translate(event)} (#{number})"
                for whose, number, event in events_of(record, record.lines[row.upto + 1 :], title)
                if seat == GROUP or whose in (GROUP, seat)
            ]
            if said and seat != GROUP and self._matches.seats(game)[seat].suspended:
                said.append(language.translate(_NO_EMAIL))
            if said:
                address = open_own_box(self._context.host, _LABEL, unb64(row.box)).decode()
                text = "\n".join(said[-_MOST_LINES:])
                return Call(game, seat, row, read_webhook(address), text, record.head.seq)
            self._keep(game, seat, replace(row, upto=record.head.seq), _IDLE)
        return None

    def taken(self, call: Call) -> None:
        """The service took it."""
        self._keep(call.game, call.seat, replace(call.row, upto=call.upto, failures=0), _IDLE)

    def failed(self, call: Call, why: str, wait: float) -> None:
        """The service did not take it: after some in a row the webhook is dropped, and who set it hears of that."""
        row, match = replace(call.row, failures=call.row.failures + 1), self._matches.find(call.game)
        same = self._keep(call.game, call.seat, row, self._context.later(wait))
        if match is None or not same or row.failures < MOST_FAILURES:
            return
        self.off(call.game, call.seat)
        words = sentence(
            "{service} takes nothing from the chat webhook: {why}. It is called no more. To set it again: {command}",
            service=row.service,
            why=why,
            command=command("pbem host webhook {match}", match=match.short)
            if call.seat == GROUP
            else _OWN_WAY,
        )
        if call.seat == GROUP:
            Letterbox(self._context, self._tx).notify_operator("webhook", words, call.game)
        else:
            self._notify(self._context.records.load(self._matches, match), call.seat, words)

    def forget(self, record: Record, seat: str) -> None:
        """Somebody else may hold what a seat's webhook and browsers were set by: they go, and the seat hears of it."""
        game = b64(record.game)
        browsers = PushRows(self._tx).of(game, seat)
        PushRows(self._tx).drop(game, seat)
        if self.off(game, seat) or browsers:
            words = sentence(
                "Your seat has other keys, or another link or access code. What was set by the old ones is called"
                " no more: your chat webhook, and browsers that were notified. Set them again in the web app."
            )
            self._notify(record, seat, words)

    def _notify(self, record: Record, seat: str, words: Sentence) -> None:
        """By email, if an address is known; the page shows it in any case."""
        to, name = self._matches.seats(b64(record.game))[seat].reach, b64(os.urandom(NONCE_SIZE))
        letters = Letterbox(self._context, self._tx)
        letters.answer(to, "webhook", name, NOBODY, OWN_WEBHOOK, about=record, sentence=words)

    def _keep(self, game: str, seat: str, row: _Row, until: str) -> bool:
        """Keep what became of a webhook, unless it is another one by now; whether it is the same."""
        kept = self._tx.run(
            "UPDATE meta SET value = ?, until = ? WHERE name = ? AND value LIKE ? RETURNING 1",
            *(json.dumps(asdict(row)), until, _name(game, seat), f'%"{row.box}"%'),
        )
        match = self._matches.find(game)
        if match is not None and match.seq > row.upto and until == _IDLE:  # one came meanwhile
            self.wake(game)
        elif kept and match is not None and match.over and until == _IDLE:
            self.off(game, seat)
        return bool(kept)


def _name(game: str, seat: str) -> str:
    return f"webhook/{game}/{seat}"


def url_in(raw: bytes) -> str:
    """The address in the body of a request; empty, which is none, where the body has another form."""
    try:
        return str(json.loads(raw)["url"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""


class WebhookCaller:
    """Calls webhooks that have something to hear, one after the other. ``post`` sends."""

    def __init__(self, context: ServiceContext, post: Post | None = None) -> None:
        self._context = context
        self.post = post or PublicPost()

    def flush(self) -> int:
        """Call some; how many took it."""
        context, count = self._context, 0
        end = context.elapsed() + _MOST_SECONDS
        for _ in range(_MOST_A_ROUND):
            with context.database.reading() as transaction:
                if context.elapsed() > end or not Webhooks(context, transaction).due():
                    break
            with context.database.transaction() as transaction:
                call = Webhooks(context, transaction).claim()
            count += call is not None and self._call(call)
        return count

    def _call(self, call: Call) -> bool:
        context = self._context
        url, body = request_to(call.webhook, call.text, context.page)
        headers = {"Content-Type": "application/json", "User-Agent": "pbem"}
        wait, why = _WAIT, ""
        context.steps("notice-leaving")
        try:
            answer = self.post(url, headers, json.dumps(body).encode())
            if not 200 <= answer.status < 300:
                why = sentence("the server answers {status}", status=answer.status)
                wait = _wait_of(answer)
        except StoreError as fault:
            why = str(fault)
        context.steps("notice-sent")
        with context.database.transaction() as transaction:
            webhooks = Webhooks(context, transaction)
            if why:
                webhooks.failed(call, why, wait)
            else:
                webhooks.taken(call)
        return not why


def _wait_of(answer: PostAnswer) -> int:
    """Seconds after which a service may be called again; Telegram says them in the body."""
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        said = answer.retry_after or json.loads(answer.body)["parameters"]["retry_after"]
        return min(max(int(said), 1), _LONGEST_WAIT)
    return _WAIT
