"""A player's session: the client, the tray, the words that travel along, and how a file leaves.

Nothing here draws. The client signs; ``Post`` says how a file gets away: written to a place, or handed to ``send``
where mail is set up. The draft, what is to be said and how far the story was read are kept beside the copy, so that a
line that breaks loses nothing. The tray stays as long as the decision is the same, whatever else is recorded
meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar

from pbem.base.errors import StoreError
from pbem.base.language import ENGLISH, UTC_CLOCK, Language
from pbem.base.values import dataclass
from pbem.game import Chance, Counting, Decision, Game, JsonObject, Seat
from pbem.games import find_game
from pbem.games.ordering import Offer
from pbem.games.rulebook import rows_text
from pbem.player.letters.hosting import host_plays
from pbem.player.letters.standing import WaitingWords, waiting_at
from pbem.player.pictures import draw
from pbem.player.play.history import Drawing, History, PastRecord
from pbem.player.play.phrases import Phrases
from pbem.player.play.trial import Trial
from pbem.player.play.words import Words
from pbem.player.seat import PlayerClient, SentEntry, Signed, Verdict
from pbem.player.seat.orders import NO_ORDERS, common_orders, has_offer, with_offer, without_offer
from pbem.player.seat.sent_log import same_link, same_turn
from pbem.player.store import PrivateNotes
from pbem.player.store.durable import PRIVATE_FILE, PUBLIC_FILE, write_file
from pbem.protocol.client import SeatView, check_actions, split_actions
from pbem.protocol.crypto.digest import b64, fingerprint, sha
from pbem.protocol.formats.armour import armour
from pbem.protocol.formats.messages import Message
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.record.check_messages import nudged_lately
from pbem.protocol.record.deadlines import Joins, Over
from pbem.protocol.record.kinds.channel import CHANNEL

MOST_LETTERS = 280
"""Of what is said to everybody (schemas/README.md §6)."""
MOST_REACTIONS = 8
"""In one file (schemas/README.md §6)."""
_NOTES = "play.json"


@dataclass(frozen=True, slots=True)
class Post:
    """Where signed files go: ``folder`` for written ones; ``send`` mails one and says what came of it."""

    folder: Path
    send: Callable[[Signed], str] | None = None
    fetch: Callable[[], int] | None = None
    """Bring new emails into the folder of the copy; how many came."""
    address: str = ""
    """Where the host reads, for files that somebody sends by hand; empty if no email has named it."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A file that left: ``check`` is what the host's own checker says to it."""

    signed: Signed
    check: Verdict
    place: str
    way: str


@dataclass(frozen=True, slots=True)
class Preview:
    """A file before it is signed."""

    ready: bool
    openly: tuple[JsonObject, ...]
    sealed: tuple[JsonObject, ...]
    say: str
    tell: Mapping[Seat, str]
    checked: int = 0
    fault: str = ""
    rows: str = ""
    """The rules that the fault breaks, as they read."""
    until: str = ""
    orders: int | None = None
    """Rules of changed standing orders that travel along; None if nothing was changed."""
    react: Mapping[int, str] = field(default_factory=dict)
    nudge: str = ""

    @property
    def count(self) -> int:
        """How many actions it has."""
        return len(self.openly) + len(self.sealed)

    @property
    def empty(self) -> bool:
        """Whether nothing is in it."""
        return not (self.ready or self.count or self.words or self.react)

    @property
    def words(self) -> bool:
        """Whether something beside actions is in it that leaves by itself; reactions wait for the next file."""
        return bool(self.say or self.tell or self.nudge or self.orders is not None)

    @property
    def reacts(self) -> bool:
        """Whether nothing but reactions is in it: they leave by a host's API, never alone by mail."""
        return bool(self.react) and not (self.ready or self.count or self.words)


@dataclass
class Session:
    """One match, one player, one session."""

    open_client: Callable[[], PlayerClient]
    post: Post
    say: str = ""
    tell: dict[Seat, str] = field(default_factory=dict)
    react: dict[int, str] = field(default_factory=dict)
    """Reactions by record, with the next file."""
    nudge: str = ""
    """The seat that the next file calls."""
    language: Language = ENGLISH
    timed: ClassVar[bool] = True
    """Whether deadlines run and the time of a record says something."""

    def __post_init__(self) -> None:
        self.words = Words(self.language)
        self._take_up(self.open_client())

    # --- what there is ------------------------------------------------------------------------------------

    def _take_up(self, client: PlayerClient) -> None:
        """Look at the copy as it is now; it is read here and when something is signed, not in between."""
        view, orders = client.view, client.orders()
        self.client = client
        self.view: SeatView = view
        self.has_orders = bool((orders or {}).get("rules"))
        self.record: Record = view.record
        self.seat: Seat = view.seat
        self._notes = PrivateNotes(client.copy.folder.path / "sent")
        head = self.record.head
        self.now = max(client.clock(), head.at)
        self.waiting: WaitingWords = waiting_at(
            self.record.as_of(self.now), self.seat, head.seq, self.language, now=self.now
        )
        self.game: Game = find_game(self.record.game_info.id)
        self.drawing = Drawing(
            self.record.game_info, self.record.rules, self.record.names, self.seat, self.language
        )
        setup = self.record.rules.setup
        rules = self.record.rules
        dealt = self.record.public is not None
        odds = rules.odds(view.view, view.seen) if isinstance(rules, Counting) and dealt else None
        self.phrases = Phrases(self.game, setup, self.seat, self.record.names, self.language, odds)
        clock = self.waiting.clock
        self.history = History(
            self.view, self.language, None if clock is UTC_CLOCK else clock, timed=self.timed
        )
        shown = self.view_json
        self._decision = "" if shown is None else b64(sha(canon(shown)))
        self.looked, draft = self._remembered()
        self.trial: Trial | None = self._fresh()
        if self.trial is not None and draft:
            self.trial = self.trial.again(draft)
        self.unanswered: list[SentEntry] = client.unanswered()
        self.proposed: list[Message] = client.proposed() if self.timed else []

    @property
    def view_json(self) -> JsonObject | None:
        """The table with the own hand; None before the first cards are dealt."""
        return None if self.record.public is None else self.view.view_json

    @property
    def shown(self) -> JsonObject | None:
        """The table as the tray would leave it, as far as that is certain."""
        if self.trial is None or not self.trial.actions:
            return self.view_json
        body: JsonObject = self.record.rules.view_to_json(self.trial.now)
        return body

    @property
    def news(self) -> bool:
        """Whether something happened since the story was read last."""
        return self.looked >= 0 and bool(self.history.since(self.looked))

    def top(self) -> str:
        """The top line: which match, where in it, who is looking; or whose turn it is and by when, if another's."""
        if self.timed and (others := self.waiting.others()):
            return others
        view = self.view_json
        chapter = self.drawing.chapter(view) if view else ""
        name = self.record.names[self.seat]
        return self.words("top", title=self.record.game_info.title, chapter=chapter, name=name)

    def moment_title(self, moment: PastRecord) -> str:
        """Which record of how many this is, and when it was written if that says something."""
        last = self.record.head.seq
        if not self.timed:
            return self.words("moment-untimed", seq=moment.seq, last=last)
        return self.words("moment", seq=moment.seq, last=last, at=self.history.when(moment.at))

    @property
    def hosted(self) -> str:
        """What is to be known of a host who plays; empty if the host does not."""
        sentence = host_plays(self.record, self.record.names)
        return "" if sentence is None else self.language.translate(sentence)

    @property
    def settled(self) -> bool:
        """Whether no word of a player travels: before everybody has joined, and when the match is over."""
        return isinstance(self.record.standing, Joins | Over)

    def fresh(self) -> frozenset[str]:
        """The cards that this seat drew last and has not answered since; empty after a deal, when all are new."""
        for seq in reversed(self.history.seqs):
            cards = self.history.cards(seq)
            message = self.record.lines[seq].body.get("msg")
            if cards:
                own = message is not None and message["body"]["seat"] == self.seat
                return frozenset(cards) if own else frozenset()
            if message is not None and message["body"]["seat"] == self.seat:
                break
        return frozenset()

    def next_seat(self) -> str:
        """Who acts when the tray is done, by name; empty if the epoch or the match ends."""
        node = self.trial.node if self.trial is not None and self.trial.worlds else None
        return self.record.names[node.seat] if isinstance(node, Decision) else ""

    def roster(self) -> list[tuple[str, str]]:
        """Everybody's name and fingerprint, to be compared before anybody is ready."""
        return [(player.name, fingerprint(player.sign)) for player in self.record.ledger.players.values()]

    # --- the tray -----------------------------------------------------------------------------------------

    def _fresh(self) -> Trial | None:
        if not self.waiting.asked:
            return None
        view: Any = self.view.view
        return None if isinstance(self._node(view), Chance) else Trial(self.record.rules, self.seat, view)

    def _node(self, view: Any) -> object:
        return self.record.rules.node(self.record.rules.imagine(view))

    def add(self, action: JsonObject) -> None:
        """Put an action into the tray."""
        if self.trial is not None:
            self.trial = self.trial.add(action)
            self._remember()

    def take_back(self, index: int = -1) -> tuple[JsonObject, int] | None:
        """Take one action out; it, and how many others had to leave with it."""
        if self.trial is None or not self.trial.actions:
            return None
        at = index % len(self.trial.actions)
        before, gone = len(self.trial.actions), self.trial.actions[at]
        self.trial = self.trial.without(at)
        self._remember()
        return gone, before - 1 - len(self.trial.actions)

    def speak(self, say: str, tell: Mapping[Seat, str]) -> None:
        """What is said to everybody and to single ones, with the next file."""
        self.say, self.tell = say, dict(tell)
        self._remember()

    def gesture(self, seq: int, word: str) -> None:
        """React to record ``seq`` with the next file; no word, or the same again, takes it back."""
        if word in ("", self.react.get(seq)):
            self.react.pop(seq, None)
        elif seq in self.react or len(self.react) < MOST_REACTIONS:
            self.react[seq] = word
        self._remember()

    @property
    def nudgeable(self) -> Seat | None:
        """The other seat that the match waits for, if a nudge calls it now; None if not."""
        asked = self.record.as_of(self.now).ledger.awaited
        late = asked is None or nudged_lately(self.record.lines, asked, self.now)
        return None if late or asked == self.seat or not self.timed or self.settled else asked

    def call(self, *, off: bool = False) -> None:
        """Nudge who is waited for, with the next file; ``off`` takes it back."""
        self.nudge = "" if off else (self.nudgeable or "")
        self._remember()

    @property
    def orders(self) -> JsonObject | None:
        """What the next file carries; None if there never were any."""
        return self.client.own_orders.next(self.record, self.seat)

    @property
    def orders_changed(self) -> bool:
        """Whether changed orders wait for the next file."""
        return self.client.own_orders.planned() is not None

    def plan_orders(self, order: JsonObject) -> None:
        """Let these orders leave with the next file; those that the host has already need none."""
        if order == (self.client.orders() or {"rules": []}):
            self.client.own_orders.keep_present()
        else:
            self.client.own_orders.plan(order)

    def offers(self) -> list[tuple[Offer, bool]]:
        """What most people would say in advance behind the tray, and whether the next file says it."""
        done = self.trial.actions if self.trial is not None else ()
        order = self.orders or NO_ORDERS
        return [
            (common_order, has_offer(order, common_order))
            for common_order in common_orders(self.record, self.seat, done)
        ]

    def toggle_offer(self, name: str) -> None:
        """Take an offered order, or take it back."""
        for row, taken in self.offers():
            if row.name == name:
                order = self.orders or NO_ORDERS
                self.plan_orders(without_offer(order, row) if taken else with_offer(self.record, order, row))

    # --- leaving ------------------------------------------------------------------------------------------

    def preview(self) -> Preview:
        """What would be signed now, judged by the checker the host uses."""
        actions = self.trial.actions if self.trial is not None else ()
        ready = self.waiting.must_be_ready
        openly, sealed = split_actions(self.record.rules, actions)
        checked_actions = (
            check_actions(self.record.rules, self.view.view, self.seat, actions) if actions else None
        )
        return Preview(
            ready,
            tuple(openly),
            tuple(sealed),
            self.say,
            dict(self.tell),
            checked_actions.checked if checked_actions else 0,
            checked_actions.fault if checked_actions else "",
            rows_text(self.record.game_info.id, checked_actions.rules, self.language.translate)
            if checked_actions
            else "",
            checked_actions.open_until if checked_actions else "",
            len((self.orders or {"rules": ()})["rules"]) if self.orders_changed else None,
            dict(self.react),
            self.nudge,
        )

    @property
    def same(self) -> SentEntry | None:
        """The unanswered file that decides what the next one would decide; None if there is none."""
        actions = self.trial.actions if self.trial is not None else ()
        if self.waiting.must_be_ready:
            return same_link(self.record, self.unanswered)
        return same_turn(self.unanswered) if actions else None

    def describe(self, entry: SentEntry) -> str:
        """A signed file in words: when, what, how it left, what became of it."""
        return self.language.translate(self.client.describe(entry, self.phrases.label))

    def leave(self, way: str, *, again: bool = False) -> Sent:
        """Sign and let the file leave: ``write``, ``armour`` or ``mail``.

        Raises:
            AlreadySigned: the same decision is signed and not answered; ``again`` says yes to another file.
            PbemError: it did not leave; the sentence says why. What was signed then waits in ``unanswered``.
        """
        try:
            sent = self._let_go(self._signed(again=again), way)
        finally:
            self.unanswered = self.client.unanswered()
        self._drop_draft()
        return sent

    def agree(self, terms: JsonObject) -> SentEntry:
        """Sign a consent or an own webhook, or find the one that says the same without an answer; then it leaves.

        Raises:
            PbemError: it cannot be agreed to now; nothing is signed.
        """
        entry = self.client.same_consent(terms)
        if entry is None:
            if terms["kind"] == CHANNEL.name:
                self.client.webhook(terms["url"])
            else:
                self.client.consent(terms)
            self.unanswered, self.proposed = self.client.unanswered(), self.client.proposed()
            entry = self.unanswered[-1]
        return entry

    def sign(self, *, again: bool = False) -> Signed:
        """Sign only, for whoever carries files: it waits in ``unanswered`` until ``client.leaves`` is called.

        Raises:
            AlreadySigned: as ``leave``.
            PbemError: it cannot be signed; nothing has changed.
        """
        signed = self._signed(again=again)
        self.unanswered = self.client.unanswered()
        self._drop_draft()
        return signed

    def _signed(self, *, again: bool) -> Signed:
        actions = self.trial.actions if self.trial is not None else ()
        preview = self.preview()
        # Words and reactions travel with a turn file; so does the link.
        if preview.ready and not (preview.words or self.react):
            return self.client.ready(again=again)
        words: dict[str, Any] = {"say": self.say, "tell": self.tell, "react": self.react, "nudge": self.nudge}
        return self.client.turn(actions, **words, again=again)

    def _drop_draft(self) -> None:
        self.say, self.tell, self.react, self.nudge = "", {}, {}, ""
        self.trial = self._fresh()
        self._remember()

    def deliver(self, entry: SentEntry, way: str) -> Sent:
        """Let a file leave (again) that was signed before: the same bytes, so the host can never take it twice."""
        try:
            return self._let_go(self.client.signed_again(entry), way)
        finally:
            self.unanswered = self.client.unanswered()

    def _let_go(self, signed: Signed, way: str) -> Sent:
        verdict = self.client.check(signed.raw)
        place = self._deliver(signed, way)
        self.client.leaves(signed, way, place)
        return Sent(signed, verdict, place, way)

    def _deliver(self, signed: Signed, way: str) -> str:
        if way == "mail" and self.post.send is not None:
            return self.post.send(signed)
        name = signed.name if way == "write" else signed.name.replace(".json", ".txt")
        raw = signed.raw + b"\n" if way == "write" else armour(signed.file).encode()
        place = self.post.folder / name
        write_file(place, raw, mode=PUBLIC_FILE)
        return str(place)

    def fetch(self) -> int:
        """Let mail bring what is new; how many emails came. It may take its time, and touches nothing else."""
        return self.post.fetch() if self.post.fetch is not None else 0

    def refresh(self) -> int:
        """Take in what lies in the folder; how many records are new."""
        before = len(self.record.lines)
        self._take_up(self.open_client())
        return len(self.record.lines) - before

    def export_picture(self) -> Path | None:
        """Write the table with the own hand as PNG beside the files; None before anything is dealt."""
        record, shown = self.record, self.view_json
        if shown is None or record.public is None:
            return None
        rules, summary = record.rules, record.rules.summary(record.public)
        game, names, seat = record.game_info.id, record.names, self.seat
        drawn = draw(game, shown, rules.setup, names, summary, viewer=seat, language=self.language)
        if drawn is None:
            return None
        place = self.post.folder / f"table-{record.head.seq}.png"
        write_file(place, drawn.png, mode=PRIVATE_FILE)  # a hand is in it
        return place

    @property
    def first_table(self) -> int:
        """The record by which the first table was laid, the newest one where none was: before it is nothing to see."""
        opened = [epoch.opened for epoch in self.record.ledger.epochs.values() if epoch.opened is not None]
        return min(opened, default=self.record.head.seq)

    def mark_looked(self, upto: int | None = None) -> None:
        """The story has been read up to record ``upto``, up to here without it."""
        self.looked = self.record.head.seq if upto is None else upto
        self._remember()

    def _remember(self) -> None:
        actions = self.trial.actions if self.trial is not None else ()
        kept = {
            "game": b64(self.record.game),
            "looked": self.looked,
            "head": b64(self.record.head.hash),
            "decision": self._decision,
            "tray": list(actions),
            "say": self.say,
            "tell": dict(self.tell),
            "react": list(self.react.items()),
            "nudge": self.nudge,
        }
        self._notes.write(_NOTES, json.dumps(kept).encode(), replace=True)

    def _remembered(self) -> tuple[int, list[JsonObject]]:
        """How far was read, and the tray if it is still the same decision; what was to be said is taken up."""
        try:
            kept = json.loads(self._notes.read(_NOTES)) if _NOTES in self._notes.names() else {}
        except (ValueError, StoreError):
            return -1, []
        if kept.get("game") != b64(self.record.game):
            return -1, []
        if not (self.say or self.tell or self.react or self.nudge):
            self.say = str(kept.get("say", ""))
            self.tell = {Seat(seat): str(text) for seat, text in dict(kept.get("tell", {})).items()}
            self.react = {int(seq): str(word) for seq, word in kept.get("react", ())}
            self.nudge = str(kept.get("nudge", ""))
        same = kept.get("head") == b64(self.record.head.hash)
        same = same or (self._decision != "" and kept.get("decision") == self._decision)
        return int(kept["looked"]), list(kept["tray"]) if same else []


def looked_at(client: PlayerClient) -> int:
    """Up to which record the player of ``client`` has read the story; -1 if nobody has looked yet."""
    notes = PrivateNotes(client.copy.folder.path / "sent")
    try:
        kept = json.loads(notes.read(_NOTES)) if _NOTES in notes.names() else {}
    except (ValueError, StoreError):
        return -1
    return int(kept.get("looked", -1)) if kept.get("game") == b64(client.record.game) else -1
