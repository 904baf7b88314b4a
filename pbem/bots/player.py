"""Players of both games: they are given what everybody sees and weigh their own choices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pbem.base.sentences import Sentence, dollars, joined, sentence
from pbem.base.values import dataclass
from pbem.bots.chance import FastRandom
from pbem.bots.earp import Judge
from pbem.bots.labels import STRONG, Level
from pbem.bots.west import Judge as WestJudge
from pbem.bots.west import fight_chances
from pbem.game import AnyRules, JsonObject, Seat
from pbem.games.way_out_west.rules import WayOutWestRules
from pbem.games.wyatt_earp.actions import Choose, Discard, Draw, EarpDraw, Lay, React
from pbem.games.wyatt_earp.deck import NONE, size
from pbem.games.wyatt_earp.filling import CardMemory
from pbem.games.wyatt_earp.rules import WyattEarpRules
from pbem.games.wyatt_earp.state import DRAW

_TO_STAY: Final = 2
"""Cards in the hand before the discard that ends a turn, so that the hand of all goes on (F2)."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A choice and what it is worth: thousands of dollars in Wyatt Earp, points in Way Out West."""

    action: Any
    value: float


class ComputerPlayer(ABC):
    """A computer player in one seat of one match.

    It is given public events and public views (``follow``), and its own view when it must act; nothing else. The same
    seed and the same match give the same play.
    """

    def __init__(self, rules: AnyRules, seed: str, level: Level, *, stays: bool = False) -> None:
        """``stays``: it never ends a hand by going out as long as it has another choice."""
        self._rules = rules
        self._seed = seed
        self._level = level
        self._stays = stays

    @property
    def rules(self) -> AnyRules:
        """Of the match that it plays."""
        return self._rules

    @abstractmethod
    def follow(self, events: Iterable[JsonObject], public: Any) -> None:
        """What just happened openly, and the table after it."""

    def follow_record(self, body: JsonObject) -> None:
        """``follow`` from the body of a record; one without steps shows nothing new."""
        steps, public = body.get("steps"), body.get("public")
        if steps is not None and public is not None:
            events = (event for step in steps for event in step["events"])
            self.follow(events, self._rules.public_from_json(public))

    def reasons(self, view: Any, action: Any, names: Mapping[Seat, str]) -> Sequence[Sentence]:  # noqa: ARG002
        """What the seat can count by itself and what speaks for ``action``, in words."""
        return ()

    def weigh(self, view: Any) -> Sequence[Weighed]:
        """The choices of the seat that is asked in ``view``, with their values, best first.

        Raises:
            ValueError: if the viewer is not asked anything.
        """
        seed = f"{self._seed}/{view}"
        weighed = self._values(view, seed)
        if self._stays:
            weighed = [choice for choice in weighed if not self.goes_out(view, choice.action)] or weighed
        if self._level.noise:
            chance = FastRandom(seed + "/noise")
            weighed = [
                Weighed(choice.action, choice.value + (2 * chance.part() - 1) * self._level.noise)
                for choice in weighed
            ]
        return sorted(weighed, key=lambda choice: -choice.value)

    def choose(self, view: Any) -> Any:
        """What the player does in ``view``: of the legal actions one, which may name a target or a plan in advance."""
        forced = self.forced(view)
        return self.weigh(view)[0].action if forced is None else forced

    def forced(self, view: Any) -> Any | None:  # noqa: ARG002
        """What it does here without weighing; None for nothing of the kind."""
        return None

    def goes_out(self, view: Any, action: Any) -> bool:  # noqa: ARG002
        """Whether the seat's hand ends by this action, or must end in this turn."""
        return False

    @abstractmethod
    def _values(self, view: Any, seed: str) -> list[Weighed]:
        """Every choice worth a look."""


class EarpPlayer(ComputerPlayer):
    """Wyatt Earp: it counts cards, and never draws in circles."""

    def __init__(self, rules: WyattEarpRules, seed: str, level: Level, *, stays: bool = False) -> None:
        super().__init__(rules, seed, level, stays=stays)
        self.match = rules.match
        self.notes = CardMemory(rules.match.seats)
        self._tables_seen: Counter[Any] = Counter()

    def follow(self, events: Iterable[JsonObject], public: Any) -> None:
        """Cards seen and tables seen, of the running hand."""
        happened = list(events)
        if any(event["event"] == "hand-started" for event in happened):
            self._tables_seen.clear()
        self.notes.note_all(happened, public.top)
        self._tables_seen[public] += 1

    def judge(self, view: Any, seed: str) -> Judge:
        """The judgement of one decision."""
        if view.waiting != view.viewer:
            raise ValueError("this seat is not asked anything")
        return Judge(self.match, view, self.notes, seed, self._level.futures)

    def _values(self, view: Any, seed: str) -> list[Weighed]:
        return [Weighed(action, value) for value, action in self.judge(view, seed).weigh()]

    def goes_out(self, view: Any, action: Any) -> bool:
        """Every turn ends with a discard (E1), so what leaves one card in the middle of a turn ends the hand too."""
        cards = size(view.hand)
        match action:
            case Discard():
                return cards == 1
            case React(earp=earp):
                return earp and cards == 1
            case Draw() | Choose() | EarpDraw():
                return False
            case Lay(count=count):
                return cards - count < _TO_STAY
            case _:
                return cards - 1 < _TO_STAY

    def reasons(self, view: Any, action: Any, names: Mapping[Seat, str]) -> Sequence[Sentence]:  # noqa: ARG002
        """The money if the hand ended now, and the chance of a shot from the cards that the seat has not seen."""
        judge = self.judge(view, self._seed)
        odds = judge.shot
        shares = joined(
            sentence("{name} {money}", name=names[Seat(seat)], money=dollars(round(1000 * paid)))
            for seat, paid in zip(self.match.seats, judge.now(), strict=True)
        )
        return (
            sentence("If the hand ended now: {shares}.", shares=shares),
            sentence(
                "A shot hits with {hits} of the {left} cards that you have not seen ({percent} %).",
                hits=odds.hits,
                left=odds.cards,
                percent=round(100 * odds.chance),
            ),
        )

    def forced(self, view: Any) -> Any | None:
        """Where this very table was there before, two from the supply: the hand goes on or ends.

        Without it players who take the top discard in turn could go round for ever (F5).
        """
        if view.phase != DRAW:
            return None
        public = replace(view, viewer=NONE, hand=0, found=NONE, stack=None)
        two = Draw(supply=True)
        return two if self._tables_seen[public] > 1 and two in self._rules.legal_actions(view) else None


class WestPlayer(ComputerPlayer):
    """Way Out West: everything lies open, so it remembers nothing."""

    def __init__(self, rules: AnyRules, seed: str, level: Level, *, stays: bool = False) -> None:
        super().__init__(rules, seed, level, stays=stays)
        self.judge = WestJudge(rules, level.futures // 3)

    def follow(self, events: Iterable[JsonObject], public: Any) -> None:
        """Nothing that its next view would not show."""

    def _values(self, view: Any, seed: str) -> list[Weighed]:  # noqa: ARG002  nothing is imagined
        return [Weighed(action, value) for value, action in self.judge.weigh(view)]

    def reasons(self, view: Any, action: Any, names: Mapping[Seat, str]) -> Sequence[Sentence]:  # noqa: ARG002
        """The exact chances of a fight that is on, or that the action begins."""
        rules: Any = self._rules
        chances = fight_chances(rules.match, view, action)
        if chances is None:
            return (sentence("Points as they would be scored now, income to come, and what could be taken."),)
        attack, defence, nobody = (round(100 * chance) for chance in chances)
        return (
            sentence(
                "Fought to the end: the attack wins with {attack} %, the defence with {defence} %, nobody {nobody} %.",
                attack=attack,
                defence=defence,
                nobody=nobody,
            ),
        )


class PlainPlayer(ComputerPlayer):
    """A game that we have no judgement of: what its own rules suggest, and after that whatever is legal."""

    def follow(self, events: Iterable[JsonObject], public: Any) -> None:
        """Nothing that its next view would not show."""

    def _values(self, view: Any, seed: str) -> list[Weighed]:  # noqa: ARG002  nothing is imagined
        best = self._rules.suggest(view)
        others = (action for action in self._rules.legal_actions(view) if action != best)
        return [Weighed(best, 1.0), *(Weighed(action, 0.0) for action in others)]


def quick(
    rules: AnyRules, seed: str, level: Level = STRONG, *, stays: bool = False
) -> EarpPlayer | WestPlayer | PlainPlayer:
    """The player of a match that judges and does not search; to be given everything from the match's beginning on."""
    if isinstance(rules, WyattEarpRules):
        return EarpPlayer(rules, seed, level, stays=stays)
    kind = WestPlayer if isinstance(rules, WayOutWestRules) else PlainPlayer
    return kind(rules, seed, level, stays=stays)
