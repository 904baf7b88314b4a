"""Standing orders: what a seat wants done when it is asked, said in advance (schemas/README.md §14.3).

An order is ``{"rules":[{"when":QUESTION,"turn":{"epoch":E,"number":N},"if":{FACT:VALUE,…},"do":ACTION}, …]}``. The
rules are tried in order; the first one for the question asked whose facts all hold and whose action is legal answers.
``turn`` and ``if`` may be left out; the facts are those of ``FACTS``. No rules withdraws.

A rule with ``turn`` holds only in turn N of the hand that is epoch E: that is how a player says what comes after a hit
and after a miss (*then*-orders). Turns are counted by the public ``turn-ended`` events (``turn_so_far``).

A rule whose facts hold but whose action cannot be done is off for that decision: it is passed over, the next rules are
tried, and if none answers the seat is asked as if it had no orders. Why a rule is off is shown to nobody but its owner,
on their own machine (``rule_states``), since the reason would show their hand.

Actions: any action object of the vocabulary, and these, which fill themselves in:
``{"do":"lay","any":true}`` the biggest set or addition that may be laid; ``{"do":"lay","outlaw":O,"all":true}`` all
its cards held; ``{"do":"discard","first":[CARD, …]}`` the first of these held;
``{"do":"choose","first":[CARD, …]}`` the first of these the search shows; ``{"do":"choose","outlaws":[O, …]}`` the
first of these that may be the target, of the richest seat; ``{"do":"choose","best":true}`` the target with the most
money on its poster; ``"best":true`` with ``photo``, ``bank-robbery``, ``stagecoach-robbery``, ``fastest-gun``,
``hideout``, ``most-wanted`` (``steal``) and ``wyatt-earp`` (``remove-hideout``) likewise, never a group of one's own
where it does harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from pbem.base.sentences import dollars, sentence
from pbem.base.shapes.schema import narrowed
from pbem.base.values import dataclass
from pbem.game import Json, JsonObject, MalformedAction, Seat
from pbem.games import ordering
from pbem.games.wyatt_earp import actions, deck
from pbem.games.wyatt_earp.conditions import check, faults
from pbem.games.wyatt_earp.deck import NONE, Outlaw
from pbem.games.wyatt_earp.legality import extras, legal
from pbem.games.wyatt_earp.state import CHOOSE, DRAW, PLAY, REACT, Match, Sight
from pbem.games.wyatt_earp.views import View, sight_in
from pbem.games.wyatt_earp.words import FORMS, action_from_words, action_to_words


def turn_so_far(turn: JsonObject, events: Sequence[JsonObject]) -> JsonObject:
    """The number of the turn, and under ``after`` the result of each seat's last card in it."""
    for event in events:
        kind = event["event"]
        if kind == "turn-ended":
            turn = ordering.next_turn(turn)
        elif kind == "shot":
            turn = ordering.with_after(turn, {event["seat"]: "hit" if event["hit"] else "miss"})
        elif kind == "asked":
            turn = ordering.with_after(turn, {event["seat"]: "refused"})
        elif kind == "given":
            turn = ordering.with_after(turn, {event["to"]: "given"})
    return turn


def check_order(match: Match, order: Json, *, bulk: bool = False) -> None:
    """Return if ``order`` is in the vocabulary of ``orders.schema.json``; ``bulk`` as for ``Rules``.

    Raises:
        MalformedAction: with the rule and what was expected there.
    """
    fault = narrowed("wyatt-earp/orders", match.words).fault(order, bulk=bulk)
    if fault is not None:
        raise MalformedAction(fault.describe("orders"))


# --- the answer -------------------------------------------------------------------------------------------


def order_action(match: Match, view: View, order: JsonObject) -> actions.Action | None:
    """What the order answers in this view, or None."""
    return _trial(match, view, order).first_answer(order)


def rule_states(match: Match, view: View, order: JsonObject) -> tuple[ordering.RuleState, ...]:
    """The result of each rule here; for its owner alone."""
    return _trial(match, view, order).states(order)


def _trial(match: Match, view: View, order: JsonObject) -> ordering.RuleTrial:
    now = order.get(ordering.NOW, {})
    moment, sight = Moment(match, view, now), sight_in(match, view)
    asked = view.viewer != NONE and view.waiting == view.viewer

    def answer(do: JsonObject) -> tuple[actions.Action | None, str]:
        first: actions.Action | None = None
        for action in _actions(moment, sight, do):
            if not faults(match, sight, action):
                return action, ""
            first = first or action
        return None, _why_not(match, sight, first)

    return ordering.RuleTrial(moment, view.phase if asked else None, now, FACTS, answer)


def _why_not(match: Match, sight: Sight, action: actions.Action | None) -> str:
    if action is None:
        return sentence("there is nothing of the kind now")
    return ordering.why_illegal(lambda: check(match, sight, action))


def _actions(moment: Moment, sight: Sight, do: JsonObject) -> Iterator[actions.Action]:
    """The actions that a template may mean, best first."""
    match, view = moment.match, moment.view
    if "any" in do:
        lays = [action for action in legal(match, sight) if isinstance(action, actions.Lay)]
        yield from sorted(lays, key=lambda lay: (-lay.count, -view.posters[lay.outlaw], lay.outlaw))
    elif "all" in do:
        outlaw = deck.OUTLAW_OF[do["outlaw"]]
        yield actions.Lay(outlaw, max(1, view.hand.count(outlaw)))
    elif "best" in do:
        yield from _best(moment, sight, do)
    elif "outlaws" in do:
        targets = _by_money(view, [a for a in legal(match, sight) if isinstance(a, actions.Choose)])
        for name in do["outlaws"]:
            yield from (target for target in targets if target.on == deck.OUTLAW_OF[name])
    elif "first" in do:
        kinds = [deck.KIND_OF[name] for name in do["first"]]
        yield from (
            map(actions.Discard, kinds)
            if do["do"] == "discard"
            else (actions.Choose(take=kind) for kind in kinds)
        )
    else:
        yield actions.read_action(match, do)


def _by_money(view: View, answers: Sequence[actions.Choose]) -> list[actions.Choose]:
    """Those of the richest seat first."""
    return sorted(answers, key=lambda a: -view.money[a.seat] if a.seat != NONE else 0)


def _best(moment: Moment, sight: Sight, do: JsonObject) -> list[actions.Action]:
    """Targets by the money on their poster, then in the order of the list."""
    view, match = moment.view, moment.match
    weighed: list[tuple[Outlaw, actions.Action]]
    if do["do"] == "choose":
        answers = [a for a in legal(match, sight) if isinstance(a, actions.Choose) and a.on != NONE]
        harms = view.pending is not None and view.pending.card == deck.KIND_OF["hideout"]
        weighed = [(a.on, a) for a in answers if not harms or a.seat != view.viewer]
    elif do["do"] == "photo":
        weighed = [(a.outlaw, a) for a in legal(match, sight) if isinstance(a, actions.PlayPhoto)]
    else:
        aimed = extras(match, sight, _UNAIMED[do["do"]])
        weighed = [
            (_outlaw_of(a), a) for a in aimed if not (isinstance(a, actions.Hide) and a.seat == view.viewer)
        ]
    return [action for _, action in sorted(weighed, key=lambda pair: -view.posters[pair[0]])]


_UNAIMED: Final[dict[str, actions.Action]] = {
    "bank-robbery": actions.Rob(deck.BANK),
    "stagecoach-robbery": actions.Rob(deck.STAGE),
    "fastest-gun": actions.Rob(deck.FASTEST),
    "hideout": actions.Hide(),
    "most-wanted": actions.Steal(),
    "wyatt-earp": actions.EarpRemove(),
}


def _outlaw_of(action: actions.Action) -> Outlaw:
    match action:
        case actions.Rob(_, on) | actions.Hide(on, _) | actions.EarpRemove(on):
            return on
        case actions.Steal(outlaw, _):
            return outlaw
        case _:
            raise AssertionError(action)


# --- the facts that a rule of standing orders may name: what each means, what it takes, how it is typed ---
#
# Every fact is of the seat's own view, except ``after``: that is of the public events of the running turn.
# So referee, replay and the owner's machine give the same answer.
#
# =====================  ===================  ================================================================
# fact                   questions            holds if
# =====================  ===================  ================================================================
# ``holding``            all                  the card is in the hand
# ``not_holding``        all                  it is not
# ``holding_at_least``   all                  so many of that card are in the hand
# ``hand_at_least``      all                  the hand has so many cards; ``hand_at_most`` likewise
# ``top_in``             draw, play           the top of the discard is one of these; ``top_not_in``: none of these
# ``supply_at_most``     draw, play           so many cards are left in the supply
# ``after``              play, choose         the result of the seat's last card in this turn: ``hit``, ``miss`` (a
#                                             shot), ``given``, ``refused`` (Most wanted asked the hands)
# ``sheriff_played``     play                 whether the turn's Sheriff card was played (I1)
# ``asks``               choose               the card that asks
# ``outlaws``            react                the covered group is of one of these
# ``reward_at_least``    react                dollars on that Outlaw's poster
# ``points_at_least``    react                capture points that the Hideout covers (G1)
# ``by``                 react                it was laid by one of these seats
# =====================  ===================  ================================================================

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
        return 0 if self.covered == NONE else self.view.table[self.view.viewer * 7 + self.covered].points

    @property
    def after(self) -> str:
        """The result of the seat's last card in this turn."""
        return str(self.now.get("after", {}).get(self.match.seats[self.view.viewer], ""))


def _laid_by(moment: Moment, seats: Json) -> bool:
    pending = moment.view.pending
    return pending is not None and pending.by != NONE and moment.match.seats[pending.by] in seats


def _top(moment: Moment) -> str:
    return "" if moment.view.top == NONE else deck.NAMES[moment.view.top]


def _counted(moment: Moment, value: Json) -> bool:
    return moment.view.hand.count(deck.KIND_OF[value["card"]]) >= int(value["at_least"])


def _asked_by(moment: Moment, card: Json) -> bool:
    return moment.view.pending is not None and bool(moment.view.pending.card == deck.KIND_OF[card])


def _fact(
    words: str,
    kind: str,
    test: Callable[[Moment, Json], bool],
    whens: tuple[str, ...] = QUESTIONS,
    names: tuple[str, ...] = (),
) -> ordering.FactKind:
    return ordering.FactKind(ordering.FactForm(words, kind, whens, names), test)


_OPEN: Final = (DRAW, PLAY)
FACTS: Final[dict[str, ordering.FactKind]] = {
    "holding": _fact("holding", "name", lambda m, card: deck.KIND_OF[card] in m.view.hand, names=deck.NAMES),
    "not_holding": _fact(
        "not holding",
        "name",
        lambda m, card: deck.KIND_OF[card] not in m.view.hand,
        names=deck.NAMES,
    ),
    "holding_at_least": _fact("holding at least", "counted", _counted, names=deck.NAMES),
    "hand_at_least": _fact("hand at least", "number", lambda m, count: len(m.view.hand) >= count),
    "hand_at_most": _fact("hand at most", "number", lambda m, count: len(m.view.hand) <= count),
    "top_in": _fact("top is", "names", lambda m, names: _top(m) in names, _OPEN, deck.NAMES),
    "top_not_in": _fact(
        "top is not", "names", lambda m, names: bool(_top(m)) and _top(m) not in names, _OPEN, deck.NAMES
    ),
    "supply_at_most": _fact("supply at most", "number", lambda m, count: m.view.supply <= count, _OPEN),
    "after": _fact("after", "name", lambda m, moment: m.after == moment, (PLAY, CHOOSE), AFTER),
    "sheriff_played": _fact("sheriff played", "flag", lambda m, flag: m.view.sheriff == flag, (PLAY,)),
    "asks": _fact("asked by", "name", _asked_by, (CHOOSE,), deck.NAMES),
    "outlaws": _fact(
        "on",
        "names",
        lambda m, names: m.covered in {deck.OUTLAW_OF[name] for name in names},
        (REACT,),
        deck.OUTLAW_NAMES,
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


# --- what a rule of standing orders does, as a person types and reads it; and ready-made rules ------------
#
# The frame (``when … do … if …``) is typed alike in every game and read above the games; here is what
# stands behind ``do``.

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


def _above(amount: int) -> ordering.Preset:
    rule = {"when": REACT, "if": {"reward_at_least": amount}, "do": _EARP}
    return ordering.Preset(
        sentence(
            "answer a Hideout with a Wyatt Earp, if I hold one and the reward is {amount} or more; else pass",
            amount=dollars(amount),
        ),
        (rule, _PASS),
        offered=True,
    )


PRESETS: Final[Mapping[str, ordering.Preset]] = {
    "reaction-always": ordering.Preset(
        sentence("answer every Hideout with a Wyatt Earp, if I hold one; else pass"),
        ({"when": REACT, "do": _EARP}, _PASS),
        offered=True,
    ),
    "reaction-3000": _above(3000),
    "reaction-5000": _above(5000),
    "reaction-never": ordering.Preset(sentence("never answer a Hideout: pass"), (_PASS,), offered=True),
    "draw-supply": ordering.Preset(
        sentence("draw two from the supply as soon as the turn before mine ends"),
        ({"when": DRAW, "do": {"do": "draw", "from": "supply"}},),
    ),
}
"""The reaction presets always answer, so that being asked or not never shows what a seat holds (O13)."""

FORMS_OF_ORDERS: Final = ordering.OrderForms(
    _WHENS, {name: fact.form for name, fact in FACTS.items()}, PRESETS
)

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
        case ["lay", "all", outlaw] if outlaw in deck.OUTLAW_NAMES:
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


# --- orders that most people would give: an answer to Hideouts, the next draw, what comes after a shot ----
#
# They follow from the public view alone (``pbem.games.ordering.Offering``): which card goes first is shown
# by the posters.

_SHOOTS: Final = frozenset(
    {"photo", "bank-robbery", "stagecoach-robbery", "fastest-gun", "hideout", "most-wanted", "wyatt-earp"}
)
"""Cards whose end is not known before the host has looked: a shot, a question, a search."""
_SHERIFFS: Final = deck.NAMES[2 * len(deck.OUTLAW_NAMES) :]
_ANSWER: Final = ordering.Offer(
    "answer",
    sentence("if someone plays a Hideout on you: answer with a Wyatt Earp if you hold one, else pass"),
    PRESETS["reaction-always"].rules,
)
_DRAW: Final = ordering.Offer(
    "draw",
    sentence("when your turn begins: draw two from the supply"),
    PRESETS["draw-supply"].rules,
)


def common_orders(
    public: View | None, seat: Seat, turn: JsonObject, done: Sequence[JsonObject]
) -> tuple[ordering.Offer, ...]:
    """An answer and a draw always; behind a card that has to be looked at, the rest of this turn before them.

    The other two mostly stand already: in a low window only what comes first is seen.
    """
    del seat
    if public is None or not done or done[-1]["do"] not in _SHOOTS:
        return _ANSWER, _DRAW
    this = {"epoch": turn["epoch"], "number": turn["number"]}
    outlaws = sorted(
        deck.OUTLAW_NAMES, key=lambda name: (public.posters[deck.OUTLAW_NAMES.index(name)], name)
    )
    photos = [f"photo:{name}" for name in outlaws]
    target: JsonObject = {"do": "choose", "best": True}
    facts: JsonObject = {"do": "choose", "first": [*outlaws[::-1], *_SHERIFFS, *photos[::-1]]}
    searches = done[-1].get("mode") == "search"
    later_rules: tuple[JsonObject, ...] = (
        {"when": CHOOSE, "turn": this, "do": facts if searches else target},
        {"when": PLAY, "turn": this, "do": {"do": "lay", "any": True}},
        {"when": PLAY, "turn": this, "do": {"do": "discard", "first": [*outlaws, *photos, *_SHERIFFS]}},
    )
    words = sentence(
        "after that: take the Outlaw on the largest poster from the search, lay what you can, discard the Outlaw "
        "on the smallest poster, a Sheriff card last"
    )
    if not searches:
        words = sentence(
            "after that: lay what you can, then discard the Outlaw on the smallest poster, a Sheriff card last"
        )
    return ordering.Offer("rest", words, later_rules), _ANSWER, _DRAW
