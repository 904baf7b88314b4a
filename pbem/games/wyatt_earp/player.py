"""Standing orders of the computer player, and views as if something were asked now.

The orders say what ``suggest`` would do, as far as the vocabulary can: a draw by preference, an answer to a Hideout,
and for the rest of this turn what comes after a shot, a draw or a search. Every seat's orders always answer a Hideout,
whatever it holds, so that its answer is all that they show.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject
from pbem.games.ordering import rule
from pbem.games.wyatt_earp import actions, deck
from pbem.games.wyatt_earp.conditions import rob_targets
from pbem.games.wyatt_earp.deck import NONE, Kind, Outlaw
from pbem.games.wyatt_earp.legality import extras, legal
from pbem.games.wyatt_earp.state import CHOOSE, DRAW, PLAY, REACT, Match, Pending, Sight
from pbem.games.wyatt_earp.views import View, sight_in

_MOST_TAKES: Final = 5
_MOST_TOPS: Final = 8
"""Cards that the orders of a search and of a draw name: orders should fit their envelope (schemas/README.md §3)."""


def advise_orders(match: Match, view: View, turn: JsonObject) -> JsonObject:
    """The orders that go with the actions a player of this view sends now."""
    evaluator = Evaluator(match, view, sight_in(match, view))
    rules = [*_draws(evaluator), *_reactions(view, evaluator)]
    if view.active == view.viewer and view.phase in (PLAY, CHOOSE):
        rules += _then(evaluator, turn)
    return {"rules": rules}


def _draws(evaluator: Evaluator) -> list[JsonObject]:
    """The top card if it is wanted, else two from the supply, as soon as the turn begins."""
    by_use = sorted(
        filter(evaluator.wants, deck.BY_NAME), key=lambda card: -evaluator.keep(card, to_come=True)
    )
    wanted = [deck.NAMES[card] for card in by_use[:_MOST_TOPS]]
    supply = rule(DRAW, {"do": "draw", "from": "supply"})
    if not wanted:
        return [supply]
    top: JsonObject = {"do": "draw", "from": "discard"}
    return [rule(DRAW, supply["do"], supply_at_most=1), rule(DRAW, top, top_in=wanted), supply]


def _reactions(view: View, evaluator: Evaluator) -> list[JsonObject]:
    """A Wyatt Earp where enough money is covered; always an answer."""
    least: dict[int, list[str]] = {}
    for outlaw in range(7):
        points = evaluator.points(view.viewer, outlaw)
        if points:
            least.setdefault(_worth_answering(points), []).append(deck.OUTLAW_NAMES[outlaw])
    earp: JsonObject = {"do": "react", "with": "wyatt-earp"}
    answers = [rule(REACT, earp, outlaws=names, reward_at_least=dollars) for dollars, names in least.items()]
    return [*answers, rule(REACT, {"do": "react", "with": "pass"})]


def _worth_answering(points: int) -> int:
    """The poster from which on ``suggest`` answers: points times worth above 3."""
    return int(3000 / (points * (0.5 + min(points, 8) / 16))) // 1000 * 1000 + 1000


def _then(evaluator: Evaluator, turn: JsonObject) -> list[JsonObject]:
    """For the rest of this turn: lay, play what a search found, choose, discard."""
    this = {"epoch": turn["epoch"], "number": turn["number"]}
    plays: list[JsonObject] = [{"do": "lay", "any": True}]
    plays += [
        {"do": name, "best": True} for name in ("photo", "fastest-gun", "stagecoach-robbery", "bank-robbery")
    ]
    by_use = sorted(
        (card for card in deck.BY_NAME if card != deck.EARP), key=lambda c: -evaluator.keep(c, to_come=True)
    )
    by_loss = sorted(deck.BY_NAME, key=lambda card: -evaluator.score(actions.Discard(card)))
    takes = [deck.NAMES[card] for card in by_use[:_MOST_TAKES]]
    rules = [rule(PLAY, play) for play in plays]
    rules += [
        rule(CHOOSE, {"do": "choose", "first": takes}, asks="wyatt-earp"),
        rule(CHOOSE, {"do": "choose", "best": True}),
        rule(PLAY, {"do": "discard", "first": [deck.NAMES[card] for card in by_loss]}),
    ]
    return [{"when": rule["when"], "turn": this, **rule} for rule in rules]


def suppose(match: Match, view: View) -> tuple[tuple[str, View], ...]:
    """The draw, the play, and a Hideout on each own group, each as if it were asked now."""
    if view.viewer == NONE or view.phase not in (DRAW, PLAY, CHOOSE, REACT):
        return ()
    supposed = [
        (words, replace(view, active=view.viewer, phase=phase, pending=None, sheriff=False, stack=None))
        for phase, words in ((DRAW, sentence("your draw")), (PLAY, sentence("your play")))
    ]
    for outlaw in range(7):
        if view.table[view.viewer * 7 + outlaw].anchored:
            words = sentence("a Hideout on your {outlaw}", outlaw=deck.card_term(outlaw))
            supposed.append((words, _covered(match, view, outlaw)))
    return tuple(supposed)


def _covered(match: Match, view: View, outlaw: Outlaw) -> View:
    by = next(seat for seat in range(match.count) if seat != view.viewer)
    at = view.viewer * 7 + outlaw
    table = deck.put(view.table, at, view.table[at]._replace(hideout=True))
    pending = Pending(deck.HIDEOUT, outlaw=outlaw, seat=view.viewer, by=by)
    return replace(view, active=by, phase=REACT, pending=pending, table=table, stack=None)


# --- player -----------------------------------------------------------------------------------------------
#
# A sensible computer player: what it would do in a seat's view. Deterministic, and no oracle.
#
# It lays sets as soon as it can, uses the turn's Sheriff card where it moves most capture points on the
# richest posters (robberies after laying, a Hideout on the biggest threat), keeps what may become a set,
# and discards what helps the next player least. Every action gets a score from the seat's own view; the
# best one is played, and a shot names its target in advance, so that nobody has to be asked.

HIT: Final = 0.63
"""The chance of a shot by the whole deck: 49 of 78 cards hit (A2)."""


def suggest(match: Match, view: View) -> actions.Action:
    """What the player does in this view; legal, though it may name a target in advance.

    Raises:
        ValueError: if the viewer is not asked anything.
    """
    sight = sight_in(match, view)
    choices = legal(match, sight) if view.waiting == view.viewer else ()
    if not choices:
        raise ValueError("this seat is not asked anything")
    if len(choices) == 1 and not isinstance(
        choices[0], actions.Rob | actions.Steal | actions.Hide | actions.EarpRemove
    ):
        return choices[0]
    evaluator = Evaluator(match, view, sight)
    candidates = [target for action in choices for target in evaluator.aimed(action)]
    return max(candidates, key=evaluator.score)


class Evaluator:
    """Rates the actions in one view, by what each Outlaw is worth fighting for."""

    def __init__(self, match: Match, view: View, sight: Sight) -> None:
        self._match = match
        self._view = view
        self._sight = sight
        self._me = view.viewer
        self._next = (view.viewer + 1) % match.count
        self._worth = [self.worth_of(outlaw) for outlaw in range(7)]

    def worth_of(self, outlaw: Outlaw) -> float:
        """A capture point's worth: thousands on the poster, less while a capture is far off (G2)."""
        points = sum(self.points(seat, outlaw) for seat in range(self._match.count))
        return self._view.posters[outlaw] / 1000 * (0.5 + min(points, 8) / 16)

    def _group(self, seat: int, outlaw: Outlaw) -> deck.Group:
        return self._view.table[seat * 7 + outlaw]

    def points(self, seat: int, outlaw: Outlaw) -> int:
        """CP of a group, what a Hideout covers included."""
        return self._group(seat, outlaw).points

    def _is_open(self, outlaw: Outlaw) -> bool:
        return outlaw in self._sight.opened

    def wants_top(self) -> bool:
        """Take the top discard if it completes a set or joins an Outlaw who is opened and worth it.

        Where a draw from the supply would end the hand, end it: else a hand might never end (F5).
        """
        view = self._view
        if view.top == NONE or (view.reshuffled and view.supply < 2):
            return False
        return self.wants(view.top)

    def wants(self, card: Kind) -> bool:
        """Whether the card is better than two unknown ones."""
        if not deck.is_sheriff(card):
            return self._worth[card] >= 2 if self._is_open(card) else self._view.hand.count(card) >= 2
        if card < deck.BANK:
            return self._is_open(card - deck.PHOTO)
        return card in (deck.STAGE, deck.FASTEST) and bool(rob_targets(self._sight, card))

    def aimed(self, action: actions.Action) -> tuple[actions.Action, ...]:
        """A shot with each target it may have; any other action as it is."""
        if isinstance(action, actions.Rob | actions.Hide | actions.Steal | actions.EarpRemove):
            return extras(self._match, self._sight, action) or (action,)
        return (action,)

    # --- scores: a play is worth it above 0, a discard never is

    def score(self, action: actions.Action) -> float:
        """How good the action looks; only the order matters."""
        match action:
            case actions.Lay(outlaw, count):
                return 100 + count + self._worth[outlaw] / 10
            case actions.Discard(card):
                return -1 - self.keep(card) - self._gift(card)
            case actions.Choose():
                return self._answer(action)
            case actions.React(earp):
                return self._reaction() if earp else 0
            case actions.Draw(supply):
                return int(supply != self.wants_top())
            case _:
                return self._sheriff(action)

    def _sheriff(self, action: actions.PlayPhoto | actions.Revealing) -> float:
        match action:
            case actions.PlayPhoto(outlaw):
                return 4 * self._worth[outlaw] + 1
            case actions.Rob(card, on):
                return HIT * self._robbery(card, on)
            case actions.Ask(outlaw, clockwise):
                return self._ask(outlaw) + 0.01 * clockwise - 1.5
            case actions.Steal(outlaw, seat):
                return HIT * self._theft(outlaw, seat) - 1
            case actions.Hide(on, seat):
                return HIT * self._cover(on, seat) - 2
            case actions.EarpRemove(on):
                return HIT * self.points(self._me, on) * self._worth[on] - 1
            case actions.EarpDraw():
                return 2.5 if self._spare_earp() else -0.5
            case actions.EarpSearch():
                return 2.8 if self._spare_earp() and self._view.takeable > 3 else -0.6

    def _robbery(self, card: Kind, on: Outlaw) -> float:
        if card == deck.FASTEST:
            taken = sum(
                3 * self._worth[at % 7]
                for at, group in enumerate(self._view.table)
                if group.fastest and at // 7 != self._me
            )
            return 3 * self._worth[on] + taken + 0.5
        return (2 if card == deck.BANK else 1) * self._worth[on] + (0.5 if card == deck.BANK else 1.5)

    def _ask(self, outlaw: Outlaw) -> float:
        """The third card of a set, or two points for an opened Outlaw; others are not worth the card."""
        if self._is_open(outlaw):
            return 0.5 * 2 * self._worth[outlaw]
        return 4 + self._worth[outlaw] if self._view.hand.count(outlaw) == 2 else 0

    def _theft(self, outlaw: Outlaw, seat: int) -> float:
        group = self._group(seat, outlaw)
        orphaned = group.outlaws == 1 and not group.photo
        loss = self.points(seat, outlaw) if orphaned else 2
        return (loss * self._threat(seat, outlaw) + 2) * self._worth[outlaw]

    def _cover(self, outlaw: Outlaw, seat: int) -> float:
        if seat == self._me:
            return -10.0
        return self.points(seat, outlaw) * self._threat(seat, outlaw) * self._worth[outlaw]

    def _threat(self, seat: int, outlaw: Outlaw) -> float:
        """More for who leads an Outlaw, and for who leads the match."""
        points = self.points(seat, outlaw)
        leads = all(self.points(other, outlaw) <= points for other in range(self._match.count))
        rich = self._view.money[seat] == max(self._view.money)
        return 0.6 + 0.4 * leads + 0.2 * rich

    def _spare_earp(self) -> bool:
        """One Wyatt Earp is kept to answer a Hideout, unless the hand is about to run out."""
        return self._view.hand.count(deck.EARP) > 1 or len(self._view.hand) <= 4

    def _answer(self, action: actions.Choose) -> float:
        pending = self._view.pending
        if action.decline or pending is None:
            return 0
        if action.take != NONE:
            return self.keep(action.take, to_come=True)
        if pending.card == deck.HIDEOUT:
            return self._cover(action.on, action.seat)
        if pending.card == deck.WANTED:
            return self._theft(action.on, action.seat)
        if pending.card == deck.EARP:
            return 1 + self.points(self._me, action.on) * self._worth[action.on]
        return self._robbery(pending.card, action.on)

    def _reaction(self) -> float:
        pending = self._view.pending
        if pending is None:
            return -1
        return self.points(self._me, pending.outlaw) * self._worth[pending.outlaw] - 3

    def keep(self, card: Kind, *, to_come: bool = False) -> float:
        """What a card is worth in the hand (``to_come``: what it would be worth there)."""
        if not deck.is_sheriff(card):
            have = self._view.hand.count(card) + to_come
            if self._is_open(card):
                return 1 + 2 * self._worth[card]
            return (0.5, 1.0, 2.5, 6.0)[min(have, 3)] + self._worth[card] / 10
        if card < deck.BANK:
            if self._is_open(card - deck.PHOTO):
                return 4 * self._worth[card - deck.PHOTO]
            return 1 + self._view.hand.count(card - deck.PHOTO)
        if card in (deck.BANK, deck.STAGE, deck.FASTEST):
            return 2.2 if rob_targets(self._sight, card) else 1.6
        return 2.6 if card == deck.EARP else 2.0

    def _gift(self, card: Kind) -> float:
        """What the next player would gain by taking it from the discard (E7)."""
        if deck.is_sheriff(card):
            outlaw = card - deck.PHOTO
            return 2.0 if card < deck.BANK and self._is_open(outlaw) else 0.6
        if self._is_open(card):
            return 1 + 0.3 * self.points(self._next, card)
        return 0.3
