"""The match underneath: a folder, a throwaway host, computer players that answer whatever is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, field
from functools import cache
from pathlib import Path
from typing import Final

from pbem.base.errors import FormatError, PbemError, UsageProblem
from pbem.base.language import Language
from pbem.base.resources import data_dir
from pbem.base.sentences import Sentence, phrase, sentence
from pbem.base.values import dataclass
from pbem.bots import STRONG, ComputerPlayer, Level, level_named, player_for
from pbem.bots.labels import named
from pbem.game import JsonObject, Seat
from pbem.games import find_game
from pbem.games.rulebook import rows_text
from pbem.player.seat import PlayerClient
from pbem.player.store import Keyring, Mark, MatchFolder, write_private
from pbem.player.world import NAMES, PASSPHRASE, Everybody, SeededEntropy, accepted, make_identity
from pbem.protocol.crypto.digest import SALT_SIZE
from pbem.protocol.crypto.identity import SECRET_SIZE, Identity
from pbem.protocol.formats.identity_file import read_identity
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.record.line import read_line
from pbem.protocol.referee import Accepted, MatchPlan, create_match

_PLAN: Final = "practice.json"
_HOST: Final = "host"
_NONCE_SIZE: Final = 32
LESSON_DAY: Final = "2026-11-21T18:00:00Z"
"""When a lesson's match was made: its deal follows from all that its first records say."""
_MOST_FILES: Final = 20_000
"""More than any match of people takes; computer players cannot go round for ever, but a fault should not hang."""

Entropy = Callable[[int], bytes]
Clock = Callable[[], str]


@dataclass(frozen=True, slots=True)
class PracticePlan:
    """What is played: ``against`` computer players at ``level``; profile and options as in any match."""

    game: str
    against: int = 2
    level: str = "easy"
    name: str = "Anna"
    profile: str = "default"
    options: JsonObject = field(default_factory=dict)
    lesson: bool = False
    """A first lesson (``pbem.player.practice.match``); the deal is the lesson's own."""
    setup: JsonObject = field(default_factory=dict)
    """What is set up otherwise than usual: a board."""


def lesson_plan(game: str, name: str = "Anna") -> PracticePlan:
    """The plan of the first lesson of a game.

    Raises:
        UsageProblem: there is none for it.
    """
    return PracticePlan(game, lesson_of(game).against, "easy", name, lesson=True)


class Practice(Everybody):
    """A practice match in its folder. The person has the first seat.

    ``begin`` makes one, ``Practice(folder, …)`` goes on with it. ``play`` hands the person's signed file to the host
    and lets the computer players answer until the person is asked again.
    """

    def __init__(self, folder: Path, entropy: Entropy, clock: Clock) -> None:
        self.folder = MatchFolder(folder)
        self.plan = _read_plan(folder)
        self._entropy = entropy
        self._clock = clock
        self.host = _identity(folder, _HOST)
        self.people = {Seat(name): _identity(folder, name) for name in NAMES[: self.plan.against + 1]}
        self.me = Seat(NAMES[0])
        loaded = self.folder.game.read(Mark.EMPTY)
        if loaded.torn or loaded.unfinished:
            self.folder.repair()
            loaded = self.folder.game.read(Mark.EMPTY)
        self._mark = loaded.end
        genesis = read_line(loaded.lines[0] if loaded.lines else b"")
        if genesis.kind != "genesis":
            raise FormatError(sentence("{path} does not begin with record 0", path=self.folder.game.path))
        self.record = Record.load(loaded.lines, HostOpenings(self.host, genesis))
        self.level = level_named(self.plan.level)
        self.lesson: Lesson | None = lesson_of(self.plan.game) if self.plan.lesson else None
        self._players: dict[Seat, ComputerPlayer] = {}
        self._adviser: ComputerPlayer | None = None
        self._client: PlayerClient | None = None

    @classmethod
    def begin(cls, folder: Path, plan: PracticePlan, entropy: Entropy, clock: Clock) -> Practice:
        """A new match in ``folder``, played on until the person is asked something.

        Raises:
            UsageProblem: game, number of players, level, profile or options do not fit; nothing was made.
        """
        match = checked(plan)
        if plan.lesson:
            lesson = lesson_of(plan.game)
            entropy, clock = SeededEntropy(lesson.seed, "lesson"), lambda: LESSON_DAY
        if (folder / _PLAN).exists():
            raise UsageProblem(
                sentence("{folder} holds a practice match already", folder=folder),
                hint=sentence("Go on with it: pbem practice --folder {folder}", folder=folder),
            )
        create_match(
            match, Identity(entropy(SECRET_SIZE)), entropy(_NONCE_SIZE), clock()
        )  # before anything is made
        host = make_identity(_home(folder, _HOST), _HOST, "host", entropy)
        for name in match.seats:
            make_identity(_home(folder, name), name, "player", entropy)
        genesis = create_match(match, host, entropy(_NONCE_SIZE), clock())
        MatchFolder.create(folder).game.append([genesis.raw], expected=Mark.EMPTY)
        write_private(folder / _PLAN, json.dumps(asdict(plan)).encode())
        practice = cls(folder, entropy, clock)
        practice.go_on()
        return practice

    def client(self) -> PlayerClient:
        """The person's client, at the same game file; it verifies each record once."""
        if self._client is None:
            self._client = PlayerClient.open(
                self.folder.path, self.people[self.me], self._entropy, self._clock
            )
        return self._client

    def play(self, raw: bytes) -> None:
        """Hand a file of the person to the host, then play on.

        Raises:
            PbemError: the host does not take it; nothing has changed.
        """
        accepted(self.send(raw))
        self.go_on()

    def go_on(self) -> None:
        """Join, be ready, and let the computer players act until the person is asked or the match is over."""
        for _ in range(_MOST_FILES):
            file = None if self._asked() else self.next_file()
            if file is None:
                return
            accepted(self.send(file))
        raise AssertionError("the computer players do not come to an end")

    def adviser(self) -> ComputerPlayer:
        """The strong player, given all that everybody saw: for hints."""
        if self._adviser is None:
            self._adviser = self._informed("hint", STRONG)
        return self._adviser

    def lesson_at(self) -> int:
        """How many steps of the lesson are done; as many as it has when it is over."""
        steps = () if self.lesson is None else self.lesson.steps
        return min(len(steps), sum(seat == self.me for seat in self._acted()))

    def _acted(self) -> list[Seat]:
        """Who has acted by files of their own so far, one for each action."""
        every = (step for line in self.record.lines for step in line.body.get("steps", ()))
        return [Seat(step["seat"]) for step in every if step["by"] in ("file", "sealed")]

    def _scripted(self) -> JsonObject | None:
        """What the lesson lets a computer player do now; None behind its end, or without one."""
        if self.lesson is None:
            return None
        done = sum(seat != self.me for seat in self._acted())
        return self.lesson.others[done] if done < len(self.lesson.others) else None

    # --- everybody else -----------------------------------------------------------------------------------

    def time(self) -> str:
        """The time by the clock that the match was opened with."""
        return self._clock()

    def salt(self, seat: str) -> bytes:
        """16 bytes of the entropy that the match was opened with."""
        del seat
        return self._entropy(SALT_SIZE)

    def called(self, seat: str) -> str:
        """The person's own name; the others' say that a computer plays."""
        return self.plan.name if seat == self.me else named(seat.title())

    def choose(self, seat: str) -> Sequence[JsonObject]:
        """One action of a computer player: the next may depend on what this one shows."""
        action = self._scripted()
        if action is None:
            view = self.view(seat).view
            action = self.record.rules.action_to_json(self._player(Seat(seat)).choose(view))
        return [action]

    def move_file(self, seat: str) -> JsonObject:
        """The signed turn of a computer player; it leaves no orders."""
        return self.turn_file(seat, *self.choose(seat), leave_orders=True)

    def _asked(self) -> bool:
        """Whether the match waits for a decision of the person."""
        waiting = self.record.waiting
        return waiting is not None and waiting["seat"] == self.me

    def _player(self, seat: Seat) -> ComputerPlayer:
        if seat not in self._players:
            self._players[seat] = self._informed(f"{self.record.game.hex()}/{seat}", self.level)
        return self._players[seat]

    def _informed(self, seed: str, level: Level) -> ComputerPlayer:
        """Make a player that was given all that the record shows so far."""
        record = Record(self.record.ledger)
        player = player_for(record.rules, seed, level)
        for line in record.lines:
            player.follow_record(line.body)
        return player

    def take(self, ruling: Accepted) -> Accepted:
        """Keep what the host wrote, and show it to every player."""
        self._mark = self.folder.game.append([line.raw for line in ruling.lines], expected=self._mark)
        super().take(ruling)
        for player in (*self._players.values(), *filter(None, [self._adviser])):
            for line in ruling.lines:
                player.follow_record(line.body)
        return ruling


def checked(plan: PracticePlan) -> MatchPlan:
    """The match that is meant; ``UsageProblem`` if game, number of players, level or profile do not fit."""
    try:
        info = find_game(plan.game).info
    except KeyError as fault:
        raise UsageProblem(str(fault.args[0])) from fault
    level_named(plan.level)
    if plan.against + 1 not in info.seats:
        raise UsageProblem(
            sentence(
                "{title} is played against {least} to {most} others, not against {found}",
                title=info.title,
                least=info.seats.start - 1,
                most=info.seats.stop - 2,
                found=plan.against,
            )
        )
    return MatchPlan(plan.game, NAMES[: plan.against + 1], plan.profile, plan.options, plan.setup)


def _read_plan(folder: Path) -> PracticePlan:
    try:
        plan = PracticePlan(**json.loads((folder / _PLAN).read_bytes()))
        checked(plan)
    except OSError as fault:
        raise UsageProblem(sentence("{folder} holds no practice match", folder=folder)) from fault
    except (PbemError, ValueError, TypeError, AttributeError, RecursionError) as fault:
        raise FormatError(
            sentence("{folder} is damaged: {fault}", folder=folder / _PLAN, fault=fault)
        ) from fault
    return plan


def person_at(folder: Path) -> Identity:
    """The identity of the person who plays the practice match in ``folder``."""
    return _identity(folder, NAMES[0])


def _identity(folder: Path, name: str) -> Identity:
    return read_identity(Keyring(_home(folder, name)).read(name), PASSPHRASE)[0]


def _home(folder: Path, name: str) -> Path:
    """Where the identity of somebody lies, its passphrase beside it."""
    return folder / "people" / name


def holds_match(folder: Path) -> bool:
    """Whether a practice match lies in ``folder``."""
    return (folder / _PLAN).is_file()


def newest(folder: Path, game: str = "") -> Path | None:
    """The folder of the newest practice match under ``folder``, of ``game`` if that is said; None if there is none."""
    paths = [path.parent for path in folder.glob(f"{game or '*'}-*/{_PLAN}")]
    return max(paths, key=lambda path: (path / "game.jsonl").stat().st_mtime_ns, default=None)


def fresh(folder: Path, game: str) -> Path:
    """A folder under ``folder`` for a new match of this game."""
    number = 1
    while (folder / f"{game}-{number}").exists():
        number += 1
    return folder / f"{game}-{number}"


# --- lesson -----------------------------------------------------------------------------------------------
#
# A first lesson: a guided part of a real match. The deal is fixed, everybody's actions are laid down.
#
# The person chooses and sends as ever. Another choice than the lesson's is legal too; it is answered with a
# sentence and not put into the tray, so that the hand stays the one that the words speak of. Behind the
# last step the match goes on freely, against computer players. What is played and said stands in
# ``templates/GAME/lesson.json``.


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One action of the person: what is said before it, the rule rows it stands on, what another choice gets.

    ``other`` is by the ``do`` of the action that was chosen instead.
    """

    action: JsonObject
    text: Sentence
    rows: Sequence[str]
    other: Mapping[str, Sentence]

    def reaction(self, action: JsonObject) -> Sentence:
        """What is said to another action than this step's."""
        reaction = self.other.get(str(action["do"]))
        return reaction or sentence(
            "That is allowed. In this lesson take the other choice; you can always try it later."
        )


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson for one game: the seed of its deal, the person's steps, what the others do, how it ends."""

    game: str
    seed: str
    against: int
    steps: Sequence[LessonStep]
    others: Sequence[JsonObject]
    end: Sentence

    def text_at(self, at: int, label: str, language: Language) -> str:
        """What is said before step ``at``, then its rules; behind the last step the end. ``label``: what to do."""
        if at >= len(self.steps):
            return language.translate(self.end)
        step = self.steps[at]
        todo = sentence("Choose: {label}. Enter takes it, s sends it.", label=label)
        rules = rows_text(self.game, step.rows, language.translate)
        return "\n\n".join(filter(None, [language.translate(step.text), language.translate(todo), rules]))


@cache
def games_with_lessons() -> tuple[str, ...]:
    """The ids of the games that have a first lesson."""
    return tuple(sorted(path.parent.name for path in data_dir("templates").glob("*/lesson.json")))


@cache
def lesson_of(game: str) -> Lesson:
    """The first lesson of a game.

    Raises:
        UsageProblem: there is none for it.
    """
    if game not in games_with_lessons():
        raise UsageProblem(
            sentence("there is no lesson for {game!r}", game=game),
            hint=sentence("There are: {levels}.", levels=", ".join(games_with_lessons())),
        )
    read = json.loads((data_dir("templates") / game / "lesson.json").read_text(encoding="utf-8"))
    steps = tuple(_step(step) for step in read["steps"])
    return Lesson(game, read["seed"], read["against"], steps, read["others"], phrase(read["end"], "lesson"))


def _step(step: JsonObject) -> LessonStep:
    other = {do: phrase(text, "lesson") for do, text in step["other"].items()}
    return LessonStep(step["action"], phrase(step["text"], "lesson"), tuple(step["rows"]), other)
