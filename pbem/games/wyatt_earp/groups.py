"""What a seat may do, said shortly: lays, asks and discards in one line each, with prices and the odds of a shot.

The words are those to type, with ``N``, ``OUTLAW`` and ``CARD`` where a choice is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from pbem.base.sentences import Sentence, counted, dollars, joined, sentence, term
from pbem.game import JsonObject
from pbem.games.wyatt_earp.actions import action_from_json
from pbem.games.wyatt_earp.cards import EARP, FASTEST, KIND_OF, NAMES, OUTLAW_NAMES, REWARD, WANTED
from pbem.games.wyatt_earp.conditions import hide_targets, remove_targets, rob_targets, steal_targets
from pbem.games.wyatt_earp.imagine import Odds, imagine
from pbem.games.wyatt_earp.state import Match
from pbem.games.wyatt_earp.turn import play
from pbem.games.wyatt_earp.view import View, sight_in
from pbem.games.wyatt_earp.words import action_to_words

Row = tuple[str, str]


def grouped(match: Match, view: View, actions: Sequence[JsonObject], odds: Odds) -> list[Row]:
    """The legal ``actions`` in groups: what is typed, and what it means, brings or promises (a sentence or nothing).

    ``odds`` are those of the next shot, as the viewer can know them.
    """
    kinds: defaultdict[str, list[JsonObject]] = defaultdict(list)
    for action in actions:
        kinds[_kind(action)].append(action)
    found: list[Row] = []
    for kind, some in kinds.items():
        made = _GROUPS.get(kind)
        found += (
            [(action_to_words(one), "") for one in some] if made is None else made(match, view, some, odds)
        )
    return found


def _kind(action: JsonObject) -> str:
    """The verb, and for a card with several uses which."""
    if action["do"] == "most-wanted":
        return "ask" if "ask" in action else "steal"
    return " ".join(str(action[name]) for name in ("do", "mode") if name in action)


Group = Callable[[Match, View, list[JsonObject], Odds], list[Row]]


def _drawn(match: Match, view: View, some: list[JsonObject], odds: Odds) -> list[Row]:
    del match, odds
    sentences = {
        "supply": counted("the top two of {n} card", "the top two of {n} cards", view.supply),
        "discard": sentence("the top card: {card}", card=term(NAMES[view.top])),
    }
    return [(action_to_words(one), sentences[one["from"]]) for one in some]


def _raised(match: Match, view: View, action: JsonObject) -> Sentence:
    """By how much the poster rises, as the engine does it."""
    events = play(match, imagine(match, view), action_from_json(match, action)).events
    return dollars(sum(getattr(event, "reward", 0) for event in events))


def _laid(match: Match, view: View, some: list[JsonObject], odds: Odds) -> list[Row]:
    """One line for each Outlaw: how many, and by how much the poster rises."""
    del odds
    steps: defaultdict[str, list[Sentence]] = defaultdict(list)
    for one in sorted(some, key=lambda action: int(action["count"])):
        told = sentence("{amount} with {number}", amount=_raised(match, view, one), number=one["count"])
        steps[one["outlaw"]].append(told)
    return [
        (f"lay N {outlaw}", sentence("the poster rises by {amount}", amount=joined(told, ", ")))
        for outlaw, told in steps.items()
    ]


def _photographed(match: Match, view: View, some: list[JsonObject], odds: Odds) -> list[Row]:
    del odds
    return [
        (
            action_to_words(one),
            sentence("the poster rises by {amount}", amount=_raised(match, view, one)),
        )
        for one in some
    ]


def _asked(match: Match, view: View, some: list[JsonObject], odds: Odds) -> list[Row]:
    del match, view, odds
    names = dict.fromkeys(str(one["ask"]) for one in some)
    ways = dict.fromkeys(str(one["direction"]) for one in some)
    return [(f"most-wanted ask OUTLAW{' [counterclockwise]' * (len(ways) > 1)}", " | ".join(names))]


def _discarded(match: Match, view: View, some: list[JsonObject], odds: Odds) -> list[Row]:
    del match, view, odds
    return [("discard CARD", " | ".join(str(one["card"]) for one in some))]


def _searched(match: Match, view: View, some: list[JsonObject], odds: Odds) -> list[Row]:
    del odds
    number = view.supply if match.options.earp_search == "supply" else view.takeable
    told = counted("one of {n} card that it may take", "one of {n} cards that it may take", number)
    return [(action_to_words(one), told) for one in some]


def _drawn_by_earp(match: Match, view: View, some: list[JsonObject], odds: Odds) -> list[Row]:
    del match, odds
    told = counted("the top two of {n} card", "the top two of {n} cards", view.supply)
    return [(action_to_words(one), told) for one in some]


def _shot(match: Match, view: View, some: list[JsonObject], odds: Odds) -> list[Row]:
    """The odds, what a hit brings, and where the card may go if that is not said yet."""
    rows: list[Row] = []
    for one in some:
        sentences = [hits(odds)]
        card = KIND_OF[NAMES[WANTED] if _kind(one) == "steal" else one["do"]]
        if REWARD.get(card):
            sentences.append(sentence("the poster rises by {amount}", amount=dollars(REWARD[card])))
        if "on" not in one and "outlaw" not in one:
            sentences.append(sentence("it may go {places}", places=" | ".join(_targets(match, view, one))))
        rows.append((action_to_words(one), joined(sentences)))
    return rows


def _targets(match: Match, view: View, action: JsonObject) -> list[str]:
    """Where the card of a shot may go, as it is typed behind the action."""
    sight = sight_in(match, view)
    kind = _kind(action)
    if kind in ("hideout", "steal"):
        between, found = (" of ", hide_targets) if kind == "hideout" else (" from ", steal_targets)
        before = "on " if kind == "hideout" else ""
        return [f"{before}{OUTLAW_NAMES[o]}{between}{match.seats[s]}" for o, s in found(match, sight)]
    own = remove_targets(sight) if action["do"] == NAMES[EARP] else rob_targets(sight, KIND_OF[kind])
    return [f"on {OUTLAW_NAMES[outlaw]}" for outlaw in own]


def _answered(match: Match, view: View, some: list[JsonObject], odds: Odds) -> list[Row]:
    del match, view
    return [(action_to_words(one), hits(odds) if one["with"] == NAMES[EARP] else "") for one in some]


def hits(odds: Odds) -> Sentence:
    """How often a shot hits, in words."""
    return sentence(
        "hits with {hits} of the {cards} cards that you have not seen, {percent} %",
        hits=odds.hits,
        cards=odds.cards,
        percent=round(100 * odds.chance),
    )


_GROUPS: Final[dict[str, Group]] = {
    "draw": _drawn,
    "lay": _laid,
    "photo": _photographed,
    "ask": _asked,
    "steal": _shot,
    "bank-robbery": _shot,
    "stagecoach-robbery": _shot,
    NAMES[FASTEST]: _shot,
    "hideout": _shot,
    "wyatt-earp draw": _drawn_by_earp,
    "wyatt-earp remove-hideout": _shot,
    "wyatt-earp search": _searched,
    "react": _answered,
    "discard": _discarded,
}
