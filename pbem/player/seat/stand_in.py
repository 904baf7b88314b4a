"""A computer in a seat: it answers whatever is asked, from the record and that seat's own view.

It sits there for a time in its owner's place, or for good with an identity of its own, like any substitute. Each file
that it signs says openly that a computer made it (``pbem.bots.labels``). It stops when its owner acts, when
its time or the match is over, and when the host did not keep to what was signed.

It must not be run by the host, who knows the deck: a player whom the host can start, stop, repeat would be a lever on
the game.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.language import Language, moment_of
from pbem.base.sentences import Sentence, joined, sentence
from pbem.base.values import dataclass
from pbem.bots import player_for
from pbem.bots.labels import STRONG, Level, made_by_computer, mark
from pbem.game import JsonObject, Seat
from pbem.games import find_game
from pbem.player.letters.hosting import host_plays
from pbem.player.letters.standing import waiting_at
from pbem.player.seat.client import PlayerClient
from pbem.player.seat.sent_files import Signed
from pbem.player.seat.sent_log import SentEntry
from pbem.player.store import PrivateNotes
from pbem.protocol.crypto.digest import b64, short_id
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import Record

_KEPT: Final = "stand-in.json"


@dataclass(frozen=True, slots=True)
class Manner:
    """How the computer plays: ``stays`` says that it never goes out; ``until`` is UTC as records write it, or empty."""

    level: Level = STRONG
    stays: bool = False
    until: str = ""


@dataclass(frozen=True, slots=True)
class Handed:
    """The seat is its owner's again, and why."""

    why: Sentence


def check_not_the_host(record: Record, identity: Identity, kind: str = "player") -> None:
    """Refuse a host's identity, of this match or of any (``kind`` stands in the identity file).

    Raises:
        UsageProblem: it is one.
    """
    if kind == "host" or identity.sign_public in record.ledger.host_keys:
        raise UsageProblem(
            sentence("a host does not run a computer player: the host knows the deck"),
            hint=sentence(
                "Somebody else makes an identity for it (pbem id new) and joins as a replacement player."
            ),
        )


class StandIn:
    """A computer in the seat of one identity, from now on; what it began is remembered beside the copy."""

    def __init__(self, client: PlayerClient, manner: Manner, kind: str = "player") -> None:
        """Begin, or go on with what was begun with the same end in this folder.

        Raises:
            UsageProblem: the identity is a host's, or holds no seat here; nothing was begun.
        """
        check_not_the_host(client.record, client.identity, kind)
        self.manner = manner
        self._notes = PrivateNotes(client.copy.folder.path / "sent")
        self._began = self._begin(client)

    def _begin(self, client: PlayerClient) -> JsonObject:
        record = client.record
        fresh = {
            "game": b64(record.game),
            "seat": client.seat,
            "until": self.manner.until,
            "since": max(client.clock(), record.head.at),
            "n": max([record.ledger.players[client.seat].n, *(entry.message.n for entry in client.signed())]),
        }
        if _KEPT in self._notes.names():
            kept = json.loads(self._notes.read(_KEPT))
            if all(kept.get(name) == fresh[name] for name in ("game", "seat", "until")):
                return dict(kept)
        self._notes.write(_KEPT, json.dumps(fresh).encode(), replace=True)
        return fresh

    def look(self, client: PlayerClient, *, again: bool = False) -> Signed | Handed | None:
        """Sign what this seat is asked for now; why it is over; None if nobody waits for this seat.

        One action at a time, since the next may depend on what this one shows. What was answered already is not
        answered once more, unless ``again``: the file may be on its way. One that has not left is given once more.
        """
        record = client.record
        if (over := self._over(client, record)) is not None:
            self._notes.remove(_KEPT)
            return Handed(over)
        if record.ledger.paused is not None:
            return None
        for entry in client.unanswered():
            if not entry.left and entry.message.n > self._began["n"]:
                return client.signed_again(entry)
        waiting = record.waiting
        if waiting is not None and waiting["seat"] == client.seat:
            if client.same_turn() is not None and not again:
                return None
            return self._act(client, record)
        if waiting is None and record.can_be_ready(client.seat):
            return None if client.same_link() is not None and not again else client.ready(again=True)
        return None

    def _act(self, client: PlayerClient, record: Record) -> Signed:
        level = self.manner.level
        player = player_for(record.rules, f"{record.game.hex()}/{client.seat}", level)
        for line in record.lines:
            player.follow_record(line.body)
        action: JsonObject = record.rules.action_to_json(player.choose(client.view.view))
        return client.turn([action], say=mark(level.name), again=True)

    def _over(self, client: PlayerClient, record: Record) -> Sentence | None:
        if record.over:
            return sentence("the match is over")
        if self.manner.until and client.clock() >= self.manner.until:
            return sentence("the time is over")
        return None if not self._by_hand(client, record) else sentence("you acted yourself")

    def _by_hand(self, client: PlayerClient, record: Record) -> bool:
        """Whether the owner acted since this began, from any device; words alone are no act."""
        seat, began = client.seat, int(self._began["n"])
        acts: list[int] = []
        for line in record.lines:
            body = line.body.get("msg", {}).get("body", {})
            if body.get("seat") == seat:
                steps = line.body.get("steps", ())
                done = any(step["by"] == "sealed" and step["seat"] == seat for step in steps)
                acts += [body["n"]] if _is_act(body, done) else []
        for entry in client.signed():
            body, wish = entry.message.body, entry.page.wish
            acts += [entry.message.n] if _is_act(body, bool(wish.keys() & {"sealed", "orders"})) else []
        return any(n > began for n in acts)

    def done(self, client: PlayerClient) -> list[Sentence]:
        """What it signed since it began, a sentence for each file: only what everybody may read."""
        return [
            self._described(client, entry)
            for entry in client.signed()
            if entry.message.n > self._began["n"]
            and (entry.message.kind == "ready" or made_by_computer(entry.message.body))
        ]

    @staticmethod
    def _described(client: PlayerClient, entry: SentEntry) -> Sentence:
        when = moment_of(entry.page.at, entry.page.at, client.clock_of(client.seat))
        return joined((when, openly_said(client.record, entry.message)), ": ")

    def letter(self, client: PlayerClient, why: Sentence, language: Language) -> tuple[str, str]:
        """Subject and text of the email to its owner: what it did, why it is over, who has until when.

        It holds what the game file shows to everybody and nothing else.
        """
        record, translate, now = client.record, language.translate, client.clock()
        title, match = record.game_info.title, short_id(record.game)
        subject = translate(sentence("what the computer played for you"))
        head = sentence(
            "In the match {match} of {title} a computer played for you from {since} on, at level {level}.",
            match=match,
            title=title,
            since=moment_of(self._began["since"], now, client.clock_of(client.seat)),
            level=self.manner.level.name,
        )
        did = self.done(client) or [sentence("It had nothing to do.")]
        end = sentence("It has handed your seat back: {why}.", why=why)
        step = next_step(record, Seat(self._began["seat"]), client.unanswered(), now, language)
        text = "\n\n".join([translate(head), "\n".join(map(translate, did)), translate(end), step])
        return f"[pbem {match}] {subject}", text + "\n"


def openly_said(record: Record, message: Message) -> Sentence:
    """What a file says to everybody: its actions as one types them, or that it gives a link."""
    if message.kind == "ready":
        return sentence("you have pressed Ready for deal {epoch}", epoch=message.body["link"]["epoch"])
    words = find_game(record.game_info.id).action_to_words
    actions: Sequence[JsonObject] = message.body["actions"]
    return joined(map(words, actions), ", ") if actions else sentence("an action that is sealed")


def _is_act(body: JsonObject, sealed: bool) -> bool:
    """Whether a message decides something and carries no computer's mark; a link and words alone do not.

    ``sealed``: it is known to decide something that is sealed.
    """
    if "actions" not in body or made_by_computer(body):
        return False
    return bool(body["actions"] or sealed or not body.keys() & {"say", "tell", "react", "nudge", "link"})


# --- next step --------------------------------------------------------------------------------------------
#
# Where a match stands for one player, in one line: who has until when, and which of their files has no
# answer.


def next_step(
    record: Record, seat: Seat | None, unanswered: Sequence[SentEntry], now: str, language: Language
) -> str:
    """The line that ``pbem`` alone says in the folder of a match, and ``pbem play`` at its end.

    ``seat`` is the reader's, None for who has none; ``now`` is UTC as records write it.
    """
    now = max(now, record.head.at)
    waiting = waiting_at(record.as_of(now), seat, record.head.seq, language, now=now)
    parts = [", ".join(part for part in (waiting.line(), waiting.until()) if part) + "."]
    if any(not entry.left for entry in unanswered):
        parts.append(language.translate(sentence("What you signed has not left yet.")))
    elif unanswered:
        parts.append(language.translate(sentence("What you sent has no answer yet.")))
    hosted = host_plays(record, record.names)
    if hosted is not None:
        parts.append(language.translate(hosted))
    return " ".join(parts)
