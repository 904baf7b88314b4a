"""What a rule of standing orders does, as a person types and reads it; and ready-made rules.

The frame (``when … do … if …``) is typed alike in every game and read above the games; here is what stands behind
``do``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pbem.base.sentences import dollars, sentence
from pbem.game import JsonObject, MalformedAction
from pbem.games.ordering import OrderForms, Preset
from pbem.games.wyatt_earp.cards import OUTLAW_NAMES
from pbem.games.wyatt_earp.order_facts import FACTS
from pbem.games.wyatt_earp.state import CHOOSE, DRAW, PLAY, REACT
from pbem.games.wyatt_earp.words import FORMS, action_from_words, action_to_words

_EXTRA: Final = (
    "lay any | lay all OUTLAW | photo best | bank-robbery best | stagecoach-robbery best | fastest-gun best"
    " | hideout best | most-wanted steal best | wyatt-earp remove-hideout best | discard first CARD …"
)
_WHENS: Final = {
    DRAW: "supply | discard",
    PLAY: " | ".join([*(FORMS[name] for name in FORMS if name not in ("draw", "choose", "react")), _EXTRA]),
    CHOOSE: "on OUTLAW [of SEAT] | take CARD | decline | first CARD … | outlaw OUTLAW … | best",
    REACT: "wyatt-earp | pass",
}
_PASS: Final[JsonObject] = {"when": REACT, "do": {"do": "react", "with": "pass"}}
_EARP: Final[JsonObject] = {"do": "react", "with": "wyatt-earp"}


def _above(amount: int) -> Preset:
    rule = {"when": REACT, "if": {"reward_at_least": amount}, "do": _EARP}
    return Preset(
        sentence(
            "answer a Hideout with a Wyatt Earp, if I hold one and the reward is {amount} or more; else pass",
            amount=dollars(amount),
        ),
        (rule, _PASS),
        offered=True,
    )


PRESETS: Final[Mapping[str, Preset]] = {
    "reaction-always": Preset(
        sentence("answer every Hideout with a Wyatt Earp, if I hold one; else pass"),
        ({"when": REACT, "do": _EARP}, _PASS),
        offered=True,
    ),
    "reaction-3000": _above(3000),
    "reaction-5000": _above(5000),
    "reaction-never": Preset(sentence("never answer a Hideout: pass"), (_PASS,), offered=True),
    "draw-supply": Preset(
        sentence("draw two from the supply as soon as the turn before mine ends"),
        ({"when": DRAW, "do": {"do": "draw", "from": "supply"}},),
    ),
}
"""The reaction presets always answer, so that being asked or not never tells what a seat holds (O13)."""

FORMS_OF_ORDERS: Final = OrderForms(_WHENS, {name: fact.form for name, fact in FACTS.items()}, PRESETS)

_SHORT: Final = {DRAW: "draw", CHOOSE: "choose", REACT: "react"}
"""The first word of the action may be left out: there is only one."""


def do_from_words(when: str, words: Sequence[str]) -> JsonObject:
    """The ``do`` of a rule; ``MalformedAction`` says what may be typed."""
    if when not in _WHENS:
        raise MalformedAction(
            sentence("'when' is one of {names}, found {when!r}", names=", ".join(_WHENS), when=when)
        )
    first = _SHORT.get(when)
    typed = list(words) if first is None or words[:1] == [first] else [first, *words]
    template = _template(typed)
    if template is not None:
        return template
    try:
        return action_from_words(typed)
    except MalformedAction as fault:
        raise MalformedAction(
            sentence("{fault}; when {when}, do: {when2}", fault=fault, when=when, when2=_WHENS[when])
        ) from None


def _template(words: list[str]) -> JsonObject | None:
    """The forms that fill themselves in."""
    match words:
        case ["lay", "any"]:
            return {"do": "lay", "any": True}
        case ["lay", "all", outlaw] if outlaw in OUTLAW_NAMES:
            return {"do": "lay", "outlaw": outlaw, "all": True}
        case ["most-wanted", "steal", "best"]:
            return {"do": "most-wanted", "steal": True, "best": True}
        case ["wyatt-earp", "remove-hideout", "best"]:
            return {"do": "wyatt-earp", "mode": "remove-hideout", "best": True}
        case [
            "photo" | "bank-robbery" | "stagecoach-robbery" | "fastest-gun" | "hideout" | "choose" as do,
            "best",
        ]:
            return {"do": do, "best": True}
        case ["discard" | "choose" as do, "first", _, *_]:
            return {"do": do, "first": words[2:]}
        case ["choose", "outlaw", _, *_]:
            return {"do": "choose", "outlaws": words[2:]}
        case _:
            return None


def do_to_words(do: JsonObject) -> str:
    """The words that ``do_from_words`` reads back."""
    if "any" in do:
        return f"{do['do']} any"
    if "all" in do:
        return f"{do['do']} all {do['outlaw']}"
    if "first" in do:
        return " ".join([do["do"], "first", *do["first"]])
    if "outlaws" in do:
        return " ".join([do["do"], "outlaw", *do["outlaws"]])
    if "best" in do:
        middle = "steal " if "steal" in do else f"{do['mode']} " if "mode" in do else ""
        return f"{do['do']} {middle}best"
    return action_to_words(do)
