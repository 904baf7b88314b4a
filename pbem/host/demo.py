"""A whole match played by computer players through the real path: files in, emails out, nothing else.

Identities, invitation, joins, ready files, one signed turn file after another, emails, closes, audit. The host has a
folder; each player has a folder of their own with their identity and the emails they were sent, and acts from these
alone. What is left is what a real match leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.bots.labels import named
from pbem.game import AnyRules, Decision, JsonObject, Seat
from pbem.games.ordering import Ordering
from pbem.host import FolderHost
from pbem.player.mail import content_of
from pbem.player.mail.gate import peek_header
from pbem.player.seat import PlayerClient
from pbem.player.seat.orders import running_turn
from pbem.player.world import NAMES, accepted, make_identity
from pbem.protocol.audit import Draw, Report, audit, draws_of
from pbem.protocol.crypto.identity import SECRET_SIZE, Identity
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import Links, ReadyFiles, awaited_in
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.referee import MatchPlan, create_match

_MOST_FILES = 5000
_MOST_ACTIONS = 16
"""Of one file."""
_CHAPTERS = ("roster", "hand-end", "match-end")

Progress = Callable[[str, int], None]
"""Called with a sentence (empty for mere progress) and the number of files so far."""
Entropy = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The result of the match."""

    folder: Path
    record: Record
    report: Report
    draws: Sequence[Draw]
    files: int
    letters: int


class Demo:
    """A match between computer players, each in a folder of their own."""

    def __init__(
        self,
        game: str,
        seats: int,
        folder: Path,
        clock: Callable[[], str],
        entropy: Callable[[str], Entropy],
        progress: Progress = lambda _, __: None,
        *,
        limit: int = _MOST_FILES,
        closes: int = 0,
        orders: bool = False,
        labelled: bool = True,
    ) -> None:
        """The rules' suggestions play.

        ``labelled``: the seats' names say that computers play; examples do without, where they stand for people.
        """
        names = NAMES[:seats]  # what the rules do not allow is refused before anything is written
        plan = MatchPlan(game, names)
        create_match(plan, Identity(bytes(SECRET_SIZE)), bytes(16), "2026-01-01T00:00:00Z")
        self.folder = folder
        self.limit = limit
        self.closes = closes
        self.orders = orders
        self.labelled = labelled
        self._progress = progress
        self._files = 0
        host = make_identity(folder / "home", "host", "host", entropy("host identity"))
        self.people = {name: self._person(name, entropy) for name in names}
        self.host = FolderHost.create(folder, host, plan, clock, entropy("host"))
        self._deliver(self.host.folder.outbox.letters())

    def _person(self, name: str, entropy: Callable[[str], Entropy]) -> Person:
        folder = self.folder / "players" / name
        identity = make_identity(folder / "home", name, "player", entropy(f"{name} identity"))
        return Person(name, folder, identity, entropy(name))

    def run(self) -> DemoResult:
        """Play to the end (or for ``limit`` files, or until ``closes`` epochs are closed) and audit."""
        for name, person in self.people.items():
            called = named(name.title()) if self.labelled else name.title()
            self.send(person.sit_down().join(name, name=called).raw)
        for person in self.people.values():
            self.send(person.sit_down().ready().raw)
        while self._files < self.limit and self._next():
            pass
        record = self._host_record()
        for person in self.people.values():
            person.sit_down()
        lines = [line.raw for line in record.lines]
        self._progress("auditing", self._files)
        report = audit(lines)
        draws = draws_of(record.rules, record.lines, report.labels)
        letters = sum(person.letters for person in self.people.values())
        return DemoResult(self.folder, record, report, draws, self._files, letters)

    def _host_record(self) -> Record:
        with self.host.at_work() as record:
            return record

    def _next(self) -> bool:
        """One file of whoever is awaited; False when nobody is."""
        record = self._host_record()
        closed = sum(epoch.closed is not None for epoch in record.ledger.epochs.values())
        if record.over or (self.closes and closed >= self.closes):
            return False
        seat = next(iter(awaited_in(record.standing)), None)
        if seat is None:
            return False
        client = self.people[seat].sit_down()
        assert client.record.head.hash == record.head.hash, f"no email brought the newest record to {seat}"  # noqa: S101
        ready = isinstance(record.standing, ReadyFiles | Links)
        self.send(client.ready().raw if ready else self._turn(client))
        return True

    def _turn(self, client: PlayerClient) -> bytes:
        """What the computer player sends when it is asked; with standing orders if the demo has them."""
        rules = client.record.rules
        chosen = choose_actions(rules, client.view.view, client.seat)
        turn = running_turn(client.record)
        orders = choose_orders(rules, chosen.view, turn) if self.orders and turn is not None else None
        return client.turn(chosen.actions, orders=orders).raw

    def send(self, raw: bytes) -> None:
        """A signed file reaches the host; everybody gets the emails that they write upon it."""
        outcome = self.host.take(raw)
        self._files += 1
        self._deliver(outcome.letters)
        kinds = {line.kind for line in accepted(outcome.ruling).lines}
        subject = ""
        if outcome.letters and any(KINDS[kind].letter in _CHAPTERS for kind in kinds):
            subject = peek_header(self.host.folder.outbox.read(outcome.letters[0]), "Subject")
        self._progress(subject, self._files)

    def _deliver(self, letters: Sequence[str]) -> None:
        for name in letters:
            seat = name.split("-", 2)[1]
            if seat in self.people:
                self.people[seat].receive(name, self.host.folder.outbox.read(name))


def free_folder(wanted: Path) -> Path:
    """``wanted`` if nothing is there, else the first free one of ``wanted-2``, ``wanted-3`` and so on."""
    number, path = 1, wanted
    while path.exists() and (not path.is_dir() or any(path.iterdir())):
        number += 1
        path = wanted.with_name(f"{wanted.name}-{number}")
    if number > 999:
        raise UsageProblem(
            sentence("{wanted} and 998 others like it are taken", wanted=wanted),
            hint=sentence("Name another folder: --out DIR"),
        )
    return path


@dataclass
class Person:
    """A player: their folder, their identity, the emails that came, and the client made from them."""

    seat: str
    folder: Path
    identity: Identity
    entropy: Entropy
    letters: int = 0
    _newest: bytes = field(default=b"", repr=False)
    _client: PlayerClient | None = None

    def receive(self, name: str, letter: bytes) -> None:
        """An email arrives; it is kept, and read when the player sits down."""
        box = self.folder / "letters"
        box.mkdir(parents=True, exist_ok=True)
        (box / name).write_bytes(letter)
        self.letters += 1
        self._newest = letter

    def sit_down(self) -> PlayerClient:
        """Take in the newest email (it brings everything since the last file they signed) and go to work."""
        if self._newest:
            content = content_of(self._newest)
            if self._client is None:
                self._client = PlayerClient.begin(self.folder, content.lines, self.identity, self.entropy)
            elif content.lines:
                self._client.take_in(content.lines, "the newest letter")
            self._newest = b""
        if self._client is None:
            raise LookupError(f"{self.seat} was never invited")
        return self._client


@dataclass(frozen=True, slots=True)
class Chosen:
    """Actions for one file, and the seat's view after those whose end is known."""

    actions: list[JsonObject]
    view: Any


def choose_actions(rules: AnyRules, view: Any, seat: Seat) -> Chosen:
    """Follow the rules' own suggestions up to the first action that shows something new."""
    state = rules.imagine(view)
    actions: list[JsonObject] = []
    while len(actions) < _MOST_ACTIONS:
        action = rules.suggest(view)
        actions.append(rules.action_to_json(action))
        if rules.may_reveal(action):
            break
        step = rules.apply(state, action)
        if step.reveals or step.deals or step.facts:
            break
        state, view = step.state, rules.observe(step.state, seat)
        node = rules.node(state)
        if not isinstance(node, Decision) or node.seat != seat:
            break
    return Chosen(actions, view)


def choose_orders(rules: AnyRules, view: Any, turn: JsonObject) -> JsonObject | None:
    """The standing orders that go with these actions; None if the game's computer player gives none."""
    return rules.advise_orders(view, turn) if isinstance(rules, Ordering) else None
