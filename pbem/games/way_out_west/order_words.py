"""What a rule of standing orders does, as a person types and reads it; and ready-made rules.

The frame (``when … do … if …``) is typed alike in every game and read above the games; here is what stands behind
``do``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject, MalformedAction
from pbem.games.ordering import OrderForms, Preset, rule
from pbem.games.way_out_west.order_facts import FACTS
from pbem.games.way_out_west.words import action_from_words, action_to_words

_WHENS: Final[Mapping[str, str]] = {
    "setup": "place TOWN [TOWN TOWN]",
    "bid": "up to N [for place K] | drop-out",
    "actions": "ACTION [or ACTION …] | pass",
    "ask-sheriff": "yes | no",
    "lend-sheriff": "yes | no",
    "fire": "fire [retreat below N] [odds below N] [to TOWN …]",
    "leave-town": "to TOWN …",
    "take-wanted": "from SEAT …",
}


PRESETS: Final[Mapping[str, Preset]] = {
    "ask-always": Preset(
        sentence("as defender, always ask for the sheriff"),
        (rule("ask-sheriff", {"do": "ask-sheriff", "ask": True}),),
    ),
    "lend-always": Preset(
        sentence("lend my sheriff to whoever asks"),
        (rule("lend-sheriff", {"do": "lend-sheriff", "lend": True}),),
    ),
    "lend-never": Preset(
        sentence("never lend my sheriff"), (rule("lend-sheriff", {"do": "lend-sheriff", "lend": False}),)
    ),
    "stand": Preset(sentence("fight every gunfight to the end"), (rule("fire", {"do": "fire"}),)),
    "retreat-hopeless": Preset(
        sentence("fire while the chance to win is one in six or better, else retreat"),
        (rule("fire", {"do": "fire", "odds_below": 17}),),
    ),
    "no-bids": Preset(sentence("never bid"), (rule("bid", {"do": "bid", "up_to": 0}),)),
}

FORMS_OF_ORDERS: Final = OrderForms(_WHENS, {name: fact.form for name, fact in FACTS.items()}, PRESETS)


def do_from_words(when: str, words: Sequence[str]) -> JsonObject:
    """The ``do`` of a rule; ``MalformedAction`` says what may be typed."""
    if when not in _WHENS:
        raise MalformedAction(
            sentence("'when' is one of {names}, found {when!r}", names=", ".join(_WHENS), when=when)
        )
    found = _READERS[when](list(words))
    if found is None:
        raise MalformedAction(
            sentence(
                "when {when}, do: {when2}; found {names!r}",
                when=when,
                when2=_WHENS[when],
                names=" ".join(words) or "nothing",
            )
        )
    return found


Read = Callable[[list[str]], JsonObject | None]


def _number(word: str) -> int | None:
    return int(word) if word.isascii() and word.isdigit() and len(word) < 7 else None


def _setup(words: list[str]) -> JsonObject | None:
    return {"do": "place-cowboy", "towns": words[1:]} if words[:1] == ["place"] and words[1:] else None


def _bid(words: list[str]) -> JsonObject | None:
    match words[1:] if words[:1] == ["bid"] else words:
        case ["drop-out"]:
            return {"do": "bid", "up_to": 0}
        case ["up", "to", dollars] if (most := _number(dollars)) is not None:
            return {"do": "bid", "up_to": most}
        case ["up", "to", dollars, "for", "place", place]:
            most, k = _number(dollars), _number(place)
            return None if most is None or k is None else {"do": "bid", "up_to": most, "place": k}
        case _:
            return None


def _actions(words: list[str]) -> JsonObject | None:
    if words == ["pass"]:
        return {"do": "pass"}
    wishes: list[list[str]] = [[]]
    for word in words:
        if word == "or":
            wishes.append([])
        else:
            wishes[-1].append(word)
    return {"do": "first-of", "actions": [action_from_words(wish) for wish in wishes]}


def _yes(do: str, member: str) -> Read:
    def read(words: list[str]) -> JsonObject | None:
        short = words[1:] if words[:1] == [member] else words
        return {"do": do, member: short == ["yes"]} if short in (["yes"], ["no"]) else None

    return read


def _fire(words: list[str]) -> JsonObject | None:
    found: JsonObject = {"do": "fire"}
    left = words[1:] if words[:1] == ["fire"] else words
    while left:
        match left:
            case ["retreat" | "odds" as what, "below", word, *left] if (number := _number(word)) is not None:
                found["retreat_below" if what == "retreat" else "odds_below"] = number
            case ["to", _, *_]:
                return found | {"to": left[1:]}
            case _:
                return None
    return found if words else None


def _listed(do: str, word: str, member: str) -> Read:
    return lambda words: {"do": do, member: words[1:]} if words[:1] == [word] and words[1:] else None


_READERS: Final[dict[str, Read]] = {
    "setup": _setup,
    "bid": _bid,
    "actions": _actions,
    "ask-sheriff": _yes("ask-sheriff", "ask"),
    "lend-sheriff": _yes("lend-sheriff", "lend"),
    "fire": _fire,
    "leave-town": _listed("leave-town", "to", "to"),
    "take-wanted": _listed("take-wanted", "from", "from"),
}


def do_to_words(when: str, do: JsonObject) -> str:
    """The words that ``do_from_words`` reads back."""
    match when:
        case "setup":
            return " ".join(["place", *do["towns"]])
        case "bid":
            return f"up to {do['up_to']}" + (f" for place {do['place']}" if "place" in do else "")
        case "actions":
            return "pass" if do["do"] == "pass" else " or ".join(map(action_to_words, do["actions"]))
        case "ask-sheriff" | "lend-sheriff":
            return "yes" if do.get("ask", do.get("lend")) else "no"
        case "fire":
            below = [f"retreat below {do['retreat_below']}"] if "retreat_below" in do else []
            below += [f"odds below {do['odds_below']}"] if "odds_below" in do else []
            return " ".join(["fire", *below, *(["to", *do["to"]] if do.get("to") else [])])
        case "leave-town":
            return " ".join(["to", *do["to"]])
        case _:
            return " ".join(["from", *do["from"]])
