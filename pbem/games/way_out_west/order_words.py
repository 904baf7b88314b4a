"""What a rule of standing orders does, as a person types and reads it; and ready-made rules.

The frame (``when … do … if …``) is typed alike in every game and read above the games; here is what stands behind
``do``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import Json, JsonObject, MalformedAction
from pbem.games.ordering import FactForm, FactKind, OrderForms, Preset, rule
from pbem.games.way_out_west.board import ASSETS
from pbem.games.way_out_west.odds import firing, together
from pbem.games.way_out_west.state import NOBODY, Fight, Match, Position, Side, View
from pbem.games.way_out_west.words import action_from_words, action_to_words

# --- the facts that a rule of standing orders may name: what each means, what it takes, how it is typed ---
#
# Every fact is of the seat's own view, except ``after``: that is of the public events of the running game
# turn. So referee, replay and the owner's machine give the same answer.
#
# ==================  ========================================================================================
# fact                holds if
# ==================  ========================================================================================
# ``space_in``        the turn marker is on one of these spaces (C1)
# ``tokens``          so many action tokens are left to the seat: 2 before its first action, 1 before its second
# ``place_in``        the seat has one of these places in the play order
# ``cash_at_least``   it has so many dollars; ``cash_at_most`` likewise
# ``after``           its last gunfight of this turn was ``won`` or ``lost``
# ``town_in``         the gunfight is in one of these towns
# ``attacker_in``     one of these seats attacks; ``defender_in`` likewise, or ``farmer``
# ``target_in``       the fight is about one of these
# ``role_in``         the asked seat is ``attacker``, ``defender`` or ``jail-owner``
# ``strength_below``  the present strength of the asked seat's side is lower
# ``odds_below``      its chance to win, in percent, is lower
# ==================  ========================================================================================

QUESTIONS: Final = (
    "setup",
    "bid",
    "actions",
    "ask-sheriff",
    "lend-sheriff",
    "fire",
    "leave-town",
    "take-wanted",
)
ROLES: Final = ("attacker", "defender", "jail-owner")
TARGETS: Final = (*ASSETS, "cattle", "farmer")
AFTER: Final = ("won", "lost")


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a rule is tried: the match, the seat's view, and what happened in the running turn."""

    match: Match
    view: View
    now: JsonObject

    @property
    def position(self) -> Position:
        """The position as the seat sees it."""
        return self.view.position

    @property
    def after(self) -> str:
        """How the seat's last gunfight of this turn went; empty if it had none."""
        return str(self.now.get("after", {}).get(self.match.seats[self.view.viewer], ""))


Test = Callable[[Moment, Json], bool]


def fight_of(position: Position) -> Fight:
    """The gunfight in progress; only where a question of one is open."""
    assert position.fight is not None  # noqa: S101
    return position.fight


def own_strength(position: Position) -> int:
    """Present strength of the side of the seat that is asked."""
    fight = fight_of(position)
    return fight.attack if fight.seat == fight.attacker else fight.defence


def chance_to_win(position: Position) -> Fraction:
    """Chance of the asked seat's side if both fight on to the end, now that it may fire."""
    fight = fight_of(position)
    side: Side = "attack" if fight.seat == fight.attacker else "defence"
    own, enemy = (fight.attack, fight.defence) if side == "attack" else (fight.defence, fight.attack)
    if fight.first == "both":
        chances = together(fight.attack, fight.defence)
        return chances.attack if side == "attack" else chances.defence
    return firing(own, enemy)


def _in_fight(test: Callable[[Match, Position, Fight, Json], bool]) -> Test:
    """A fact about the gunfight in progress; false if there is none."""

    def holds(moment: Moment, wanted: Json) -> bool:
        fight = moment.position.fight
        return fight is not None and test(moment.match, moment.position, fight, wanted)

    return holds


def _defender_name(match: Match, fight: Fight) -> str:
    return "farmer" if fight.defender == NOBODY else match.seats[fight.defender]


def _target_name(fight: Fight) -> str:
    return getattr(fight.target, "asset", None) or ("cattle" if hasattr(fight.target, "cattle") else "farmer")


def _role(fight: Fight) -> str:
    return {fight.attacker: "attacker", fight.defender: "defender"}.get(fight.seat, "jail-owner")


def _tokens(moment: Moment, wanted: Json) -> bool:
    return bool(moment.position.tokens[moment.view.viewer] == wanted)


def _place(moment: Moment, wanted: Json) -> bool:
    return moment.position.order.index(moment.view.viewer) + 1 in wanted


def _cash(moment: Moment) -> int:
    return moment.position.cash[moment.view.viewer]


def _fact(words: str, kind: str, test: Test, names: tuple[str, ...] = ()) -> FactKind:
    return FactKind(FactForm(words, kind, QUESTIONS, names), test)


FACTS: Final[dict[str, FactKind]] = {
    "space_in": _fact("space", "numbers", lambda m, wanted: m.position.space in wanted),
    "tokens": _fact("tokens", "number", _tokens),
    "place_in": _fact("place", "numbers", _place),
    "cash_at_least": _fact("cash at least", "number", lambda m, wanted: _cash(m) >= wanted),
    "cash_at_most": _fact("cash at most", "number", lambda m, wanted: _cash(m) <= wanted),
    "after": _fact("after", "name", lambda m, wanted: m.after == wanted, AFTER),
    "town_in": _fact(
        "in", "names", _in_fight(lambda match, _, fight, wanted: match.board.towns[fight.town].id in wanted)
    ),
    "attacker_in": _fact(
        "attacker", "names", _in_fight(lambda match, _, fight, wanted: match.seats[fight.attacker] in wanted)
    ),
    "defender_in": _fact(
        "defender", "names", _in_fight(lambda match, _, fight, wanted: _defender_name(match, fight) in wanted)
    ),
    "target_in": _fact(
        "target", "names", _in_fight(lambda _m, _p, fight, wanted: _target_name(fight) in wanted), TARGETS
    ),
    "role_in": _fact("as", "names", _in_fight(lambda _m, _p, fight, wanted: _role(fight) in wanted), ROLES),
    "strength_below": _fact(
        "strength below", "number", _in_fight(lambda _m, position, _, wanted: own_strength(position) < wanted)
    ),
    "odds_below": _fact(
        "odds below",
        "number",
        _in_fight(lambda _m, position, _, wanted: chance_to_win(position) * 100 < wanted),
    ),
}
"""Every fact by its name; one about a gunfight never holds where there is none."""


# --- the words --------------------------------------------------------------------------------------------

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
    do = _READERS[when](list(words))
    if do is None:
        raise MalformedAction(
            sentence(
                "when {when}, do: {when2}; found {names!r}",
                when=when,
                when2=_WHENS[when],
                names=" ".join(words) or "nothing",
            )
        )
    return do


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
    facts: JsonObject = {"do": "fire"}
    left = words[1:] if words[:1] == ["fire"] else words
    while left:
        match left:
            case ["retreat" | "odds" as bound, "below", word, *left] if (number := _number(word)) is not None:
                facts["retreat_below" if bound == "retreat" else "odds_below"] = number
            case ["to", _, *_]:
                return facts | {"to": left[1:]}
            case _:
                return None
    return facts if words else None


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
