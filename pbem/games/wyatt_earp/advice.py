"""Standing orders of the computer player, and views as if something were asked now.

The orders say what ``suggest`` would do, as far as the vocabulary can: a draw by preference, an answer to a Hideout,
and for the rest of this turn what comes after a shot, a draw or a search. Every seat's orders always answer a Hideout,
whatever it holds, so that its answer is all that they tell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pbem.base.sentences import sentence, term
from pbem.game import JsonObject
from pbem.games.ordering import rule
from pbem.games.wyatt_earp.actions import Discard
from pbem.games.wyatt_earp.cards import (
    BY_NAME,
    EARP,
    HIDEOUT,
    HIDEOUT_BIT,
    NAMES,
    NONE,
    OUTLAW_NAMES,
    Outlaw,
)
from pbem.games.wyatt_earp.player import Evaluator
from pbem.games.wyatt_earp.state import CHOOSE, DRAW, PLAY, REACT, Match, Pending
from pbem.games.wyatt_earp.view import View, sight_in

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
    by_use = sorted(filter(evaluator.wants, BY_NAME), key=lambda card: -evaluator.keep(card, to_come=True))
    wanted = [NAMES[card] for card in by_use[:_MOST_TOPS]]
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
            least.setdefault(_worth_answering(points), []).append(OUTLAW_NAMES[outlaw])
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
        (card for card in BY_NAME if card != EARP), key=lambda c: -evaluator.keep(c, to_come=True)
    )
    by_loss = sorted(BY_NAME, key=lambda card: -evaluator.score(Discard(card)))
    takes = [NAMES[card] for card in by_use[:_MOST_TAKES]]
    rules = [rule(PLAY, play) for play in plays]
    rules += [
        rule(CHOOSE, {"do": "choose", "first": takes}, asks="wyatt-earp"),
        rule(CHOOSE, {"do": "choose", "best": True}),
        rule(PLAY, {"do": "discard", "first": [NAMES[card] for card in by_loss]}),
    ]
    return [{"when": one["when"], "turn": this, **one} for one in rules]


# --- as if ------------------------------------------------------------------------------------------------


def suppose(match: Match, view: View) -> tuple[tuple[str, View], ...]:
    """The draw, the play, and a Hideout on each own group, each as if it were asked now."""
    if view.viewer == NONE or view.phase not in (DRAW, PLAY, CHOOSE, REACT):
        return ()
    found = [
        (words, replace(view, active=view.viewer, phase=phase, pending=None, sheriff=False, stack=None))
        for phase, words in ((DRAW, sentence("your draw")), (PLAY, sentence("your play")))
    ]
    for outlaw in range(7):
        if view.table[view.viewer * 7 + outlaw] & ~HIDEOUT_BIT:
            words = sentence("a Hideout on your {outlaw}", outlaw=term(OUTLAW_NAMES[outlaw]))
            found.append((words, _covered(match, view, outlaw)))
    return tuple(found)


def _covered(match: Match, view: View, outlaw: Outlaw) -> View:
    by = next(seat for seat in range(match.count) if seat != view.viewer)
    table = list(view.table)
    table[view.viewer * 7 + outlaw] |= HIDEOUT_BIT
    pending = Pending(HIDEOUT, outlaw=outlaw, seat=view.viewer, by=by)
    return replace(view, active=by, phase=REACT, pending=pending, table=tuple(table), stack=None)
