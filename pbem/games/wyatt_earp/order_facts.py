"""The facts that a rule of standing orders may name: what each means, what it takes, how it is typed.

Every fact is of the seat's own view, except ``after``: that is of the public events of the running turn. So
referee, replay and the owner's machine come to the same answer.

=====================  ===================  ================================================================
fact                   questions            holds if
=====================  ===================  ================================================================
``holding``            all                  the card is in the hand
``not_holding``        all                  it is not
``holding_at_least``   all                  so many of that card are in the hand
``hand_at_least``      all                  the hand has so many cards; ``hand_at_most`` likewise
``top_in``             draw, play           the top of the discard is one of these; ``top_not_in``: none of these
``supply_at_most``     draw, play           so many cards are left in the supply
``after``              play, choose         what the seat's last card came to in this turn: ``hit``, ``miss`` (a
                                            shot), ``given``, ``refused`` (Most wanted asked the hands)
``sheriff_played``     play                 whether the turn's Sheriff card was played (I1)
``asks``               choose               the card that asks
``outlaws``            react                the covered group is of one of these
``reward_at_least``    react                dollars on that Outlaw's poster
``points_at_least``    react                capture points that the Hideout covers (G1)
``by``                 react                it was laid by one of these seats
=====================  ===================  ================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pbem.base.values import dataclass
from pbem.game import Json, JsonObject
from pbem.games.ordering import FactForm, FactKind
from pbem.games.wyatt_earp.cards import (
    HIDEOUT_BIT,
    KIND_OF,
    NAMES,
    NONE,
    OUTLAW_NAMES,
    OUTLAW_OF,
    Outlaw,
    capture_points,
    held,
    size,
)
from pbem.games.wyatt_earp.state import CHOOSE, DRAW, PLAY, REACT, Match
from pbem.games.wyatt_earp.view import View

QUESTIONS: Final = (DRAW, PLAY, CHOOSE, REACT)
AFTER: Final = ("hit", "miss", "given", "refused")


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a rule is tried: the match, the seat's view, and what happened in the running turn."""

    match: Match
    view: View
    now: JsonObject

    @property
    def covered(self) -> Outlaw:
        """The Outlaw of the group that a Hideout was just laid on."""
        return NONE if self.view.pending is None else self.view.pending.outlaw

    @property
    def covered_points(self) -> int:
        """The capture points that the Hideout covers."""
        group = self.view.table[self.view.viewer * 7 + self.covered] if self.covered != NONE else 0
        return capture_points(group & ~HIDEOUT_BIT)

    @property
    def after(self) -> str:
        """What the seat's last card came to in this turn."""
        return str(self.now.get("after", {}).get(self.match.seats[self.view.viewer], ""))


def _laid_by(moment: Moment, seats: Json) -> bool:
    pending = moment.view.pending
    return pending is not None and pending.by != NONE and moment.match.seats[pending.by] in seats


def _top(moment: Moment) -> str:
    return "" if moment.view.top == NONE else NAMES[moment.view.top]


def _counted(moment: Moment, value: Json) -> bool:
    return held(moment.view.hand, KIND_OF[value["card"]]) >= int(value["at_least"])


def _asked_by(moment: Moment, card: Json) -> bool:
    return moment.view.pending is not None and bool(moment.view.pending.card == KIND_OF[card])


def _fact(
    words: str,
    kind: str,
    test: Callable[[Moment, Json], bool],
    whens: tuple[str, ...] = QUESTIONS,
    names: tuple[str, ...] = (),
) -> FactKind:
    return FactKind(FactForm(words, kind, whens, names), test)


_OPEN: Final = (DRAW, PLAY)
FACTS: Final[dict[str, FactKind]] = {
    "holding": _fact("holding", "name", lambda m, card: held(m.view.hand, KIND_OF[card]) > 0, names=NAMES),
    "not_holding": _fact(
        "not holding", "name", lambda m, card: not held(m.view.hand, KIND_OF[card]), names=NAMES
    ),
    "holding_at_least": _fact("holding at least", "counted", _counted, names=NAMES),
    "hand_at_least": _fact("hand at least", "number", lambda m, count: size(m.view.hand) >= count),
    "hand_at_most": _fact("hand at most", "number", lambda m, count: size(m.view.hand) <= count),
    "top_in": _fact("top is", "names", lambda m, names: _top(m) in names, _OPEN, NAMES),
    "top_not_in": _fact(
        "top is not", "names", lambda m, names: bool(_top(m)) and _top(m) not in names, _OPEN, NAMES
    ),
    "supply_at_most": _fact("supply at most", "number", lambda m, count: m.view.supply <= count, _OPEN),
    "after": _fact("after", "name", lambda m, what: m.after == what, (PLAY, CHOOSE), AFTER),
    "sheriff_played": _fact("sheriff played", "flag", lambda m, flag: m.view.sheriff == flag, (PLAY,)),
    "asks": _fact("asked by", "name", _asked_by, (CHOOSE,), NAMES),
    "outlaws": _fact(
        "on",
        "names",
        lambda m, names: m.covered in {OUTLAW_OF[name] for name in names},
        (REACT,),
        OUTLAW_NAMES,
    ),
    "reward_at_least": _fact(
        "reward at least", "number", lambda m, dollars: m.view.posters[m.covered] >= dollars, (REACT,)
    ),
    "points_at_least": _fact(
        "points at least", "number", lambda m, points: m.covered_points >= points, (REACT,)
    ),
    "by": _fact("by", "names", _laid_by, (REACT,)),
}
"""Every fact by its name."""
