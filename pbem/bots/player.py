"""Players of both games: they are given what everybody sees and weigh their own choices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pbem.base.sentences import Sentence, dollars, joined, sentence
from pbem.base.values import dataclass
from pbem.bots import earp, earp_hand
from pbem.bots.chance import FastRandom
from pbem.bots.labels import STRONG, Level
from pbem.bots.west import Judge, fight_chances
from pbem.game import AnyRules, JsonObject, Seat
from pbem.games.way_out_west.rules import WayOutWestRules
from pbem.games.wyatt_earp.actions import Draw
from pbem.games.wyatt_earp.counting import CardMemory
from pbem.games.wyatt_earp.deck import NONE
from pbem.games.wyatt_earp.rules import WyattEarpRules
from pbem.games.wyatt_earp.state import DRAW


@dataclass(frozen=True, slots=True)
class Weighed:
    """A choice and what it is worth: thousands of dollars in Wyatt Earp, points in Way Out West."""

    action: Any
    value: float


class ComputerPlayer(ABC):
    """A computer player in one seat of one match, given all that happens openly from the beginning on.

    It is given public events and public views (``follow``), and its own view when it must act; nothing else. The same
    seed and the same match give the same play.
    """

    def __init__(self, rules: AnyRules, seed: str, level: Level) -> None:
        self._rules = rules
        self._seed = seed
        self._level = level

    def follow(self, events: Iterable[JsonObject], public: Any) -> None:  # noqa: B027  most remember nothing
        """Take in what just happened openly, and the table after it."""

    def follow_record(self, body: JsonObject) -> None:
        """``follow`` from the body of a record; one without steps shows nothing new."""
        steps, public = body.get("steps"), body.get("public")
        if steps is not None and public is not None:
            events = (event for step in steps for event in step["events"])
            self.follow(events, self._rules.public_from_json(public))

    def reasons(self, view: Any, action: Any, names: Mapping[Seat, str]) -> Sequence[Sentence]:  # noqa: ARG002
        """Say what the seat can count by itself and what speaks for ``action``."""
        return ()

    def weigh(self, view: Any) -> Sequence[Weighed]:
        """Weigh the choices of the seat that is asked in ``view``, best first.

        Raises:
            ValueError: if the viewer is not asked anything.
        """
        seed = f"{self._seed}/{view}"
        weighed = self._values(view, seed)
        if self._level.noise:
            chance = FastRandom(seed + "/noise")
            weighed = [
                Weighed(choice.action, choice.value + (2 * chance.part() - 1) * self._level.noise)
                for choice in weighed
            ]
        return sorted(weighed, key=lambda choice: -choice.value)

    def choose(self, view: Any) -> Any:
        """Choose a legal action, which may name a target or a plan in advance."""
        forced = self._forced(view)
        return self.weigh(view)[0].action if forced is None else forced

    def _forced(self, view: Any) -> Any | None:  # noqa: ARG002
        """Return what it does here without weighing; None for nothing of the kind."""
        return None

    @abstractmethod
    def _values(self, view: Any, seed: str) -> list[Weighed]:
        """Value every choice worth a look."""


class EarpPlayer(ComputerPlayer):
    """Wyatt Earp: it counts cards, and never draws in circles."""

    def __init__(self, rules: WyattEarpRules, seed: str, level: Level) -> None:
        super().__init__(rules, seed, level)
        self._engine = rules
        self._notes = CardMemory(rules.match.seats)
        self._tables_seen: Counter[Any] = Counter()

    def follow(self, events: Iterable[JsonObject], public: Any) -> None:
        """Count cards seen and tables seen, of the running hand."""
        happened = list(events)
        if any(event["event"] == "hand-started" for event in happened):
            self._tables_seen.clear()
        self._notes.note_all(happened, public.top)
        self._tables_seen[public] += 1

    def _values(self, view: Any, seed: str) -> list[Weighed]:
        weighed = earp.weigh(self._engine, view, self._notes, seed, self._level.hands)
        return [Weighed(action, value) for value, action in weighed]

    def reasons(self, view: Any, action: Any, names: Mapping[Seat, str]) -> Sequence[Sentence]:  # noqa: ARG002
        """Say the money if the hand ended now, and the chance of a shot from the cards that the seat has not seen."""
        odds = self._notes.odds(view)
        had = [dollars / 1000 for dollars in view.money]
        posters = [dollars // 1000 for dollars in view.posters]
        total = earp_hand.finish(self._engine.match.options, earp_hand.packed(view.table), posters, had)
        shares = joined(
            sentence("{name} {money}", name=names[Seat(seat)], money=dollars(round(1000 * (after - before))))
            for seat, after, before in zip(self._engine.match.seats, total, had, strict=True)
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

    def _forced(self, view: Any) -> Any | None:
        """Draw two from the supply where this very table was there before: the hand goes on or ends.

        Without it players who take the top discard in turn could go round for ever (F5).
        """
        if view.phase != DRAW:
            return None
        public = replace(view, viewer=NONE, hand=(), found=NONE, stack=None)
        two = Draw(supply=True)
        return two if self._tables_seen[public] > 1 and two in self._rules.legal_actions(view) else None


class WestPlayer(ComputerPlayer):
    """Way Out West: everything lies open, so it remembers nothing."""

    def __init__(self, rules: WayOutWestRules, seed: str, level: Level) -> None:
        super().__init__(rules, seed, level)
        self._match = rules.match
        self._judge = Judge(rules, level.look)

    def _values(self, view: Any, seed: str) -> list[Weighed]:  # noqa: ARG002  nothing is imagined
        return [Weighed(action, value) for value, action in self._judge.weigh(view)]

    def reasons(self, view: Any, action: Any, names: Mapping[Seat, str]) -> Sequence[Sentence]:  # noqa: ARG002
        """Say the exact chances of a fight that is on, or that the action begins."""
        chances = fight_chances(self._match, view, action)
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

    def _values(self, view: Any, seed: str) -> list[Weighed]:  # noqa: ARG002  nothing is imagined
        best = self._rules.suggest(view)
        others = (action for action in self._rules.legal_actions(view) if action != best)
        return [Weighed(best, 1.0), *(Weighed(action, 0.0) for action in others)]


def player_for(rules: AnyRules, seed: str, level: Level = STRONG) -> ComputerPlayer:
    """Make the player of this level."""
    if isinstance(rules, WyattEarpRules):
        return EarpPlayer(rules, seed, level)
    if isinstance(rules, WayOutWestRules):
        return WestPlayer(rules, seed, level)
    return PlainPlayer(rules, seed, level)
