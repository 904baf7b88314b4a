"""Judgement for Way Out West: every action by the position after it, in points (``west_value``).

A gunfight is weighed by the exact chance of each way it can end, a first action together with the best second one,
and a place in the turn order by the boxes that are left when it is that seat's turn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from pbem.bots.west_value import valuer_of
from pbem.games.way_out_west import actions
from pbem.games.way_out_west.boxes import box_kind
from pbem.games.way_out_west.draft import Draft, use_box
from pbem.games.way_out_west.listing import legal_actions
from pbem.games.way_out_west.odds import hits
from pbem.games.way_out_west.player import ROBBERY, candidates, imagined_fight, suggest, with_plan
from pbem.games.way_out_west.results import take_target
from pbem.games.way_out_west.rules import WayOutWestRules
from pbem.games.way_out_west.state import NOBODY, Fight, Match, Position, View

_SURE: Final = 0.5
"""How likely the second action that one plans is still there when its turn comes."""
_FAINT: Final = 0.03
_FAINTER: Final = 0.12
"""Ways a fight may end that are rarer are left out; the second for who looks at one action only."""
_HOPELESS: Final = 0.2
"""Fights that are won more rarely are not begun."""
_MOST_ANSWERS: Final = 60
"""Answers that are all looked at; of more only the one that is suggested."""

Weighed: TypeAlias = tuple[float, actions.Action]
_Tried: TypeAlias = tuple[float, actions.BoxAction | actions.Pass]
_Kind: TypeAlias = tuple[str, str | None]


class Judge:
    """The judgement of one match; what it finds out about the auction that goes on is cached."""

    def __init__(self, rules: WayOutWestRules, look: int) -> None:
        """``look``: first actions whose best second action is looked at."""
        self._rules = rules
        self.match = rules.match
        self.value = valuer_of(self.match)
        self._look = look
        self._faint = _FAINT if look > 1 else _FAINTER

    def weigh(self, view: View) -> list[Weighed]:
        """The choices worth a look with their values in points, best first.

        Raises:
            ValueError: if the viewer is not asked anything.
        """
        if not view.decides:
            raise ValueError("this seat is not asked anything")
        position, seat = view.position, view.viewer
        if position.phase == "auction":
            return self._bids(position, seat)
        if position.phase == "actions":
            return self._actions(position, seat)
        return self._answers(view)

    def _bids(self, position: Position, seat: int) -> list[Weighed]:
        """The least raise, or out. To drop out now is the last place left; to raise may bring the next better one.

        The whole bid counts as its price, also what is lost already: else two who want one place outbid each other
        until both are poor.
        """
        listed = legal_actions(self.match, position)
        out: list[Weighed] = [(0.0, action) for action in listed if isinstance(action, actions.DropOut)]
        bids = [action for action in listed if isinstance(action, actions.Bid)]
        if not bids:
            return out
        raised = min(bids, key=lambda bid: bid.amount)
        places = self._worth_of_places(position, seat)
        left = len(places) - len(position.dropped)
        if left < 2:
            return out
        better = places[left - 2] - places[left - 1]
        price = self.value.times(position).dollar * raised.amount
        return [(better - price, raised), *out]

    def _worth_of_places(self, position: Position, seat: int) -> tuple[float, ...]:
        """What each place in the order brings: the best box that is left, for both actions."""
        gains = self._gains(position)
        boxes: dict[_Kind, int] = defaultdict(int)
        for box in self.match.boxes:
            boxes[box.kind, box.asset] += 1
        others = [at for at in position.order if at != seat]
        return tuple(
            sum(
                self._picked(gains, boxes, [*others[turn:], *others[:turn]], place, seat)
                for turn in range(len(others))
            )
            / len(others)
            for place in range(len(position.cash))
        )

    def _gains(self, position: Position) -> list[list[tuple[float, _Kind]]]:
        """What the best action of each kind brings each seat, best first; the same for every bid of an auction."""
        key = (position.space, position.towns, position.cash, position.wanted)
        known, gains = self.value.auction
        if known == key:
            return gains
        gains = []
        for at in range(len(position.cash)):
            acting = position._replace(phase="actions", active=at, used=(), fight=None)
            stay = self.value.worth(acting, at)
            best: dict[_Kind, float] = {}
            for value, action in self._first_look(acting, at):
                best.setdefault(box_kind(action), value - stay)
            gains.append([(gain, kind) for kind, gain in best.items() if gain > 0])
        self.value.auction = (key, gains)
        return gains

    @staticmethod
    def _picked(
        gains: Sequence[Sequence[tuple[float, _Kind]]],
        boxes: Mapping[_Kind, int],
        others: Sequence[int],
        place: int,
        seat: int,
    ) -> float:
        """What the seat gets in this place, if everybody takes the best box that is left."""
        order = [*others[:place], seat, *others[place:]]
        free, total = dict(boxes), 0.0
        taken: dict[int, set[_Kind]] = defaultdict(set)
        for at in (*order, *order):
            for gain, kind in gains[at]:
                if free.get(kind) and kind not in taken[at]:
                    free[kind] -= 1
                    taken[at].add(kind)
                    total += gain if at == seat else 0.0
                    break
        return total

    def _first_look(self, position: Position, seat: int) -> list[tuple[float, actions.BoxAction]]:
        """Every simple action by the position after it, best first."""
        weighed = [
            (self._after(position, seat, action), action) for action in candidates(self.match, position, seat)
        ]
        weighed.sort(key=lambda pair: -pair[0])
        return weighed

    def _actions(self, position: Position, seat: int) -> list[Weighed]:
        stay = self.value.worth(position, seat)
        trials: list[_Tried] = [*self._first_look(position, seat), (stay, actions.Pass())]
        trials.sort(key=lambda pair: -pair[0])
        if position.tokens[seat] > 1 and self._look > 1:
            trials = [
                *((self._with_second(position, seat, pair), pair[1]) for pair in trials[: self._look]),
                *trials[self._look :],
            ]
        planned: list[Weighed] = [
            (
                value - stay,
                with_plan(self.match, position, seat, action)
                if isinstance(action, actions.Gunfight)
                else action,
            )
            for value, action in trials
        ]
        planned.sort(key=lambda pair: -pair[0])
        return planned

    def _with_second(self, position: Position, seat: int, first: _Tried) -> float:
        """The value of the first action and, half as sure, of the best second one; who passes has that too."""
        value, action = first
        after = self._before_second(position, seat, action)
        stay = self.value.worth(after, seat)
        best = max(
            (self._after(after, seat, second) for second in candidates(self.match, after, seat)),
            default=stay,
        )
        return value + _SURE * max(0.0, best - stay)

    def _before_second(
        self, position: Position, seat: int, action: actions.BoxAction | actions.Pass
    ) -> Position:
        """The table that a first action leaves; a gunfight in the likeliest way that it can end."""
        if isinstance(action, actions.Pass):
            return position
        draft = Draft(self.match, position)
        use_box(draft, seat, action)
        if isinstance(action, actions.Gunfight):
            fight = imagined_fight(self.match, position, seat, action)
            chances = fight_endings(fight)
            likeliest = max(chances, key=lambda end: chances[end])
            draft = ended(self.match, draft.freeze(), fight, *likeliest)
        return draft.freeze()._replace(phase="actions", active=seat)

    def _after(self, position: Position, seat: int, action: actions.BoxAction) -> float:
        if isinstance(action, actions.Gunfight):
            return self._fought(position, seat, action)
        draft = Draft(self.match, position)
        use_box(draft, seat, action)
        return self.value.worth(draft, seat)

    def _fought(self, position: Position, seat: int, action: actions.Gunfight) -> float:
        """The mean over the ways in which the fight may end."""
        fight = imagined_fight(self.match, position, seat, action)
        chances = fight_endings(fight)
        if sum(chance for (mine, _), chance in chances.items() if mine) < _HOPELESS:
            return float("-inf")
        draft = Draft(self.match, position)
        use_box(draft, seat, action)
        return self._mean(draft.freeze(), fight, chances, seat)

    def _mean(
        self, position: Position, fight: Fight, chances: Mapping[tuple[int, int], float], seat: int
    ) -> float:
        total = weight = 0.0
        for (attack, defence), chance in chances.items():
            if chance > self._faint:
                total += chance * self.value.worth(ended(self.match, position, fight, attack, defence), seat)
                weight += chance
        return total / weight if weight else self.value.worth(position, seat)

    def hope(self, position: Position, seat: int) -> float:
        """What a position is worth, with the mean over a fight that goes on in it."""
        fight = position.fight
        if fight is None or not fight.attack or not fight.defence or fight.rolls == "robbery":
            return self.value.worth(position, seat)
        if fight.asks == "fire" and fight.first != "both":
            chances = endings(
                fight.attack, fight.defence, "attack" if fight.seat == fight.attacker else "defence"
            )
        elif fight.rolls is not None and fight.first != "both":
            chances = endings(fight.attack, fight.defence, fight.rolls)
        else:
            chances = fight_endings(fight)
        return self._mean(position, fight, chances, seat)

    def _answers(self, view: View) -> list[Weighed]:
        """Every answer by the position after it; to fire by every way the fight may end."""
        position, seat = view.position, view.viewer
        answers = legal_actions(self.match, position)
        if len(answers) > _MOST_ANSWERS:
            return [(0.0, suggest(self.match, view))]
        stay = self.hope(position, seat)
        weighed_rows: list[Weighed] = []
        for action in answers:
            if isinstance(action, actions.Fire):
                weighed_rows.append((0.0, action))
            else:
                after = self._rules.apply(position, action).state
                weighed_rows.append((self.hope(after, seat) - stay, action))
        weighed_rows.sort(key=lambda pair: -pair[0])
        return weighed_rows


@cache
def endings(attack: int, defence: int, side: str) -> Mapping[tuple[int, int], float]:
    """How a fight to the end may end: strengths left and their chances; ``side`` fires next, or ``both`` (L1 to L5)."""
    if not attack or not defence:
        return {(attack, defence): 1.0}
    chances: dict[tuple[int, int], float] = defaultdict(float)
    if side == "both":
        again = float(hits(attack, 0) * hits(defence, 0))
        for killed in range(attack + 1):
            for lost in range(defence + 1):
                if killed or lost:
                    chance = float(hits(attack, killed) * hits(defence, lost)) / (1 - again)
                    _add(chances, chance, endings(max(0, attack - lost), max(0, defence - killed), "both"))
        return chances
    own, enemy = (attack, defence) if side == "attack" else (defence, attack)
    missed, back = float(hits(own, 0)), float(hits(enemy, 0))
    share = 1 / (1 - missed * back)
    other = "defence" if side == "attack" else "attack"
    for count in range(1, own + 1):
        left = max(0, enemy - count)
        after = (attack, left) if side == "attack" else (left, defence)
        _add(chances, share * float(hits(own, count)), endings(*after, other))
    for count in range(1, enemy + 1):
        left = max(0, own - count)
        after = (left, defence) if side == "attack" else (attack, left)
        _add(chances, share * missed * float(hits(enemy, count)), endings(*after, side))
    return chances


def _add(odds: dict[tuple[int, int], float], chance: float, after: Mapping[tuple[int, int], float]) -> None:
    for end, part in after.items():
        odds[end] += chance * part


def fight_endings(fight: Fight) -> Mapping[tuple[int, int], float]:
    """The ways this fight may end: the weaker side fires first, equal ones together."""
    if fight.attack == fight.defence:
        return endings(fight.attack, fight.defence, "both")
    return endings(fight.attack, fight.defence, "attack" if fight.attack < fight.defence else "defence")


class FightChances(NamedTuple):
    """How probable it is that a side is left when a fight has been fought to the end, or neither; they add up to 1."""

    attack: float
    defence: float
    nobody: float


def fight_chances(match: Match, view: View, action: actions.Action) -> FightChances | None:
    """Of the fight that is on, or that ``action`` begins; None without one."""
    fight = view.position.fight
    if isinstance(action, actions.Gunfight):
        fight = imagined_fight(match, view.position, view.viewer, action)
    if fight is None or not fight.attack or not fight.defence:
        return None
    chances = fight_endings(fight)
    attack = sum(chance for (mine, _), chance in chances.items() if mine)
    defence = sum(chance for (_, theirs), chance in chances.items() if theirs)
    return FightChances(attack, defence, max(0.0, 1 - attack - defence))


def ended(match: Match, position: Position, fight: Fight, attack: int, defence: int) -> Draft:
    """The table after a fight in this position that leaves these strengths."""
    draft = Draft(match, position)
    draft.fight = None
    town, attacker, defender = draft.towns[fight.town], fight.attacker, fight.defender
    _keep(draft, fight.town, attacker, min(town.cowboys[attacker], attack))
    if defender != NOBODY:
        _keep(draft, fight.town, defender, min(town.cowboys[defender], defence))
    if attack and not defence:
        draft.wanted[attacker] += 1
        if isinstance(fight.target, actions.AssetTarget) and fight.target.asset == "bank":
            loot = min(ROBBERY, draft.cash[defender])
            draft.pay(defender, loot)
            draft.earn(attacker, loot)
        else:
            take_target(draft, fight)
    elif defence and not attack and defender != NOBODY:
        draft.wanted[defender] += 1
    return draft


def _keep(draft: Draft, town: int, seat: int, count: int) -> None:
    draft.set_town(town, draft.towns[town].add_cowboys(seat, count - draft.towns[town].cowboys[seat]))
