"""Orders that most people would give: an answer to Hideouts, the next draw, the rest of a turn after its shot.

They follow from the public view alone (``pbem.games.ordering.Offering``): which card goes first is told by the posters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.games.ordering import Offer
from pbem.games.wyatt_earp.cards import NAMES, OUTLAW_NAMES
from pbem.games.wyatt_earp.order_words import PRESETS
from pbem.games.wyatt_earp.state import CHOOSE, PLAY
from pbem.games.wyatt_earp.view import View

_SHOOTS: Final = frozenset(
    {"photo", "bank-robbery", "stagecoach-robbery", "fastest-gun", "hideout", "most-wanted", "wyatt-earp"}
)
"""Cards whose end is not known before the host has looked: a shot, a question, a search."""
_SHERIFFS: Final = NAMES[2 * len(OUTLAW_NAMES) :]
_ANSWER: Final = Offer(
    "answer",
    sentence("if someone plays a Hideout on you: answer with a Wyatt Earp if you hold one, else pass"),
    PRESETS["reaction-always"].rules,
)
_DRAW: Final = Offer(
    "draw",
    sentence("when your turn begins: draw two from the supply"),
    PRESETS["draw-supply"].rules,
)


def common_orders(
    public: View | None, seat: Seat, turn: JsonObject, done: Sequence[JsonObject]
) -> tuple[Offer, ...]:
    """An answer and a draw always; behind a card that has to be looked at, the rest of this turn before them.

    The other two mostly stand already: in a low window only what comes first is seen.
    """
    del seat
    if public is None or not done or done[-1]["do"] not in _SHOOTS:
        return _ANSWER, _DRAW
    this = {"epoch": turn["epoch"], "number": turn["number"]}
    outlaws = sorted(OUTLAW_NAMES, key=lambda name: (public.posters[OUTLAW_NAMES.index(name)], name))
    photos = [f"photo:{name}" for name in outlaws]
    target: JsonObject = {"do": "choose", "best": True}
    found: JsonObject = {"do": "choose", "first": [*outlaws[::-1], *_SHERIFFS, *photos[::-1]]}
    searches = done[-1].get("mode") == "search"
    rest: tuple[JsonObject, ...] = (
        {"when": CHOOSE, "turn": this, "do": found if searches else target},
        {"when": PLAY, "turn": this, "do": {"do": "lay", "any": True}},
        {"when": PLAY, "turn": this, "do": {"do": "discard", "first": [*outlaws, *photos, *_SHERIFFS]}},
    )
    words = sentence(
        "after that: of what the search shows take the Outlaw on the largest poster, lay what you can, then "
        "discard the Outlaw on the smallest poster, a Sheriff card last"
    )
    if not searches:
        words = sentence(
            "after that: lay what you can, then discard the Outlaw on the smallest poster, a Sheriff card last"
        )
    return Offer("rest", words, rest), _ANSWER, _DRAW
