"""Legal actions in groups, for people: lays, asks and discards in one line each, with prices and the odds of a shot.

The words are those to type, with ``N``, ``OUTLAW`` and ``CARD`` where a choice is left.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from pbem.base.sentences import Sentence, counted, dollars, joined, sentence
from pbem.game import JsonObject
from pbem.games.touching import Moved, Touch
from pbem.games.wyatt_earp import deck
from pbem.games.wyatt_earp.actions import action_from_json
from pbem.games.wyatt_earp.conditions import hide_targets, remove_targets, rob_targets, steal_targets
from pbem.games.wyatt_earp.counting import Odds
from pbem.games.wyatt_earp.imagining import imagine
from pbem.games.wyatt_earp.state import Match
from pbem.games.wyatt_earp.turn import play
from pbem.games.wyatt_earp.views import View, sight_in
from pbem.games.wyatt_earp.words import action_to_words

Row = tuple[str, str]


def grouped(match: Match, view: View, actions: Sequence[JsonObject], odds: Odds) -> list[Row]:
    """The legal ``actions`` in groups: what is typed, and what it means, brings or promises (a sentence or nothing).

    ``odds`` are those of the next shot, as the viewer can know them.
    """
    kinds: defaultdict[str, list[JsonObject]] = defaultdict(list)
    for action in actions:
        kinds[_kind(action)].append(action)
    rows: list[Row] = []
    for kind, forms in kinds.items():
        group = _GROUPS.get(kind)
        rows += (
            [(action_to_words(action), "") for action in forms]
            if group is None
            else group(match, view, forms, odds)
        )
    return rows


def _kind(action: JsonObject) -> str:
    """The verb, and for a card with several uses which."""
    if action["do"] == "most-wanted":
        return "ask" if "ask" in action else "steal"
    return " ".join(str(action[name]) for name in ("do", "mode") if name in action)


Group = Callable[[Match, View, list[JsonObject], Odds], list[Row]]


def _drawn(match: Match, view: View, forms: list[JsonObject], odds: Odds) -> list[Row]:
    del match, odds
    sentences = {
        "supply": counted("the top two of {n} card", "the top two of {n} cards", view.supply),
        "discard": sentence("the top card: {card}", card=deck.card_term(view.top)),
    }
    return [(action_to_words(action), sentences[action["from"]]) for action in forms]


def _raised(match: Match, view: View, action: JsonObject) -> Sentence:
    """By how much the poster rises, as the engine does it."""
    events = play(match, imagine(match, view), action_from_json(match, action, bulk=True)).events
    return dollars(sum(getattr(event, "reward", 0) for event in events))


def _laid(match: Match, view: View, forms: list[JsonObject], odds: Odds) -> list[Row]:
    """One line for each Outlaw: how many, and by how much the poster rises."""
    del odds
    steps: defaultdict[str, list[Sentence]] = defaultdict(list)
    for form in sorted(forms, key=lambda action: int(action["count"])):
        text = sentence("{amount} with {number}", amount=_raised(match, view, form), number=form["count"])
        steps[form["outlaw"]].append(text)
    return [
        (f"lay N {outlaw}", sentence("the poster rises by {amount}", amount=joined(amounts, ", ")))
        for outlaw, amounts in steps.items()
    ]


def _photographed(match: Match, view: View, forms: list[JsonObject], odds: Odds) -> list[Row]:
    del odds
    return [
        (
            action_to_words(action),
            sentence("the poster rises by {amount}", amount=_raised(match, view, action)),
        )
        for action in forms
    ]


def _asked(match: Match, view: View, forms: list[JsonObject], odds: Odds) -> list[Row]:
    del match, view, odds
    names = dict.fromkeys(str(action["ask"]) for action in forms)
    ways = dict.fromkeys(str(action["direction"]) for action in forms)
    return [(f"most-wanted ask OUTLAW{' [counterclockwise]' * (len(ways) > 1)}", " | ".join(names))]


def _discarded(match: Match, view: View, forms: list[JsonObject], odds: Odds) -> list[Row]:
    del match, view, odds
    return [("discard CARD", " | ".join(str(action["card"]) for action in forms))]


def _searched(match: Match, view: View, forms: list[JsonObject], odds: Odds) -> list[Row]:
    del odds
    number = view.supply if match.options.earp_search == "supply" else view.takeable
    text = counted("one of {n} card that it may take", "one of {n} cards that it may take", number)
    return [(action_to_words(action), text) for action in forms]


def _drawn_by_earp(match: Match, view: View, forms: list[JsonObject], odds: Odds) -> list[Row]:
    del match, odds
    text = counted("the top two of {n} card", "the top two of {n} cards", view.supply)
    return [(action_to_words(action), text) for action in forms]


def _shot(match: Match, view: View, forms: list[JsonObject], odds: Odds) -> list[Row]:
    """The odds, what a hit brings, and where the card may go if that is not said yet."""
    rows: list[Row] = []
    for form in forms:
        sentences = [hits(odds)]
        card = deck.KIND_OF[deck.NAMES[deck.WANTED] if _kind(form) == "steal" else form["do"]]
        if deck.REWARD.get(card):
            sentences.append(sentence("the poster rises by {amount}", amount=dollars(deck.REWARD[card])))
        if "on" not in form and "outlaw" not in form:
            sentences.append(sentence("it may go {places}", places=" | ".join(_targets(match, view, form))))
        rows.append((action_to_words(form), joined(sentences)))
    return rows


def _targets(match: Match, view: View, action: JsonObject) -> list[str]:
    """Where the card of a shot may go, as it is typed behind the action."""
    sight = sight_in(match, view)
    kind = _kind(action)
    if kind in ("hideout", "steal"):
        between, targets_of = (" of ", hide_targets) if kind == "hideout" else (" from ", steal_targets)
        before = "on " if kind == "hideout" else ""
        return [
            f"{before}{deck.OUTLAW_NAMES[outlaw]}{between}{match.seats[seat]}"
            for outlaw, seat in targets_of(match, sight)
        ]
    own = (
        remove_targets(sight)
        if action["do"] == deck.NAMES[deck.EARP]
        else rob_targets(sight, deck.KIND_OF[kind])
    )
    return [f"on {deck.OUTLAW_NAMES[outlaw]}" for outlaw in own]


def _answered(match: Match, view: View, forms: list[JsonObject], odds: Odds) -> list[Row]:
    del match, view
    return [
        (action_to_words(action), hits(odds) if action["with"] == deck.NAMES[deck.EARP] else "")
        for action in forms
    ]


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
    deck.NAMES[deck.FASTEST]: _shot,
    "hideout": _shot,
    "wyatt-earp draw": _drawn_by_earp,
    "wyatt-earp remove-hideout": _shot,
    "wyatt-earp search": _searched,
    "react": _answered,
    "discard": _discarded,
}


# --- Wyatt Earp by touch (``pbem.games.touching.Touching``): a card of the hand, then where it goes -------

SUPPLY: Final = "supply"
DISCARD: Final = "discard"
_ROWS: Final[dict[str, tuple[str, ...]]] = {
    "bank-robbery": ("K1", "K2", "K3"),
    "stagecoach-robbery": ("K1", "K2", "K3"),
    "fastest-gun": ("L1", "L2", "L4"),
    "most-wanted": ("M2", "M4", "M9", "M10"),
    "hideout": ("N1", "N2", "N3"),
    "wyatt-earp": ("O2", "O5", "O12", "O13"),
}


def hand(card: str) -> str:
    """A card that one holds."""
    return f"hand:{card}"


def poster(outlaw: str) -> str:
    """An Outlaw's poster, with the groups that lie at it."""
    return f"poster:{outlaw}"


def seat_part(seat: str) -> str:
    """A player."""
    return f"seat:{seat}"


def touched(shown: JsonObject, action: JsonObject) -> Touch:
    """A draw is its pile; a discard the card alone; every other play of a card the card and where it goes."""
    do = action["do"]
    if do == "draw":
        return Touch((action["from"],))
    if do == "discard":
        return Touch((hand(action["card"]),))
    if do == "lay":
        return Touch((hand(action["outlaw"]), poster(action["outlaw"]), *_fewer(shown, action)))
    if do == "photo":
        return Touch((hand(f"photo:{action['outlaw']}"), poster(action["outlaw"])))
    if do == "react":
        return Touch((hand("wyatt-earp"),) if action["with"] == "wyatt-earp" else ("do:pass",))
    if do == "choose":
        return Touch(_chosen(action))
    return Touch((hand(do), *_played(action)))


def _own(shown: JsonObject) -> list[str]:
    """The own hand."""
    return next((cards for cards in shown["hands"].values() if isinstance(cards, list)), [])


def held(shown: JsonObject, summary: JsonObject) -> Sequence[tuple[str, int]]:
    """The hand by kind: Outlaws as the posters lie, then their Photos, then the others."""
    del summary
    count = Counter(_own(shown))
    return [(hand(card), count[card]) for card in sorted(count, key=deck.NAMES.index)]


def _fewer(shown: JsonObject, action: JsonObject) -> tuple[str, ...]:
    """All cards of a kind lie down at once; fewer are asked for."""
    return () if _own(shown).count(action["outlaw"]) == action["count"] else (f"count:{action['count']}",)


def _aim(action: JsonObject, outlaw: str) -> tuple[str, ...]:
    """An Outlaw, then whose group."""
    on = (poster(action[outlaw]),) if outlaw in action else ()
    return (*on, seat_part(action["seat"])) if "seat" in action else on


def _played(action: JsonObject) -> tuple[str, ...]:
    """Behind the card: a target named in advance, else how it is played."""
    if "ask" in action:
        order = map(seat_part, action.get("order", ()))
        return (poster(action["ask"]), f"way:{action['direction']}", *order)
    if "steal" in action:
        return ("do:steal", *_aim(action, "outlaw"))
    mode = action.get("mode")
    if mode == "draw":
        return (SUPPLY,)
    if mode == "search":
        return ("do:search", *(f"card:{card}" for card in action.get("take", ())))
    return _aim(action, "on") or (("do:remove-hideout",) if mode else ("do:shoot",))


def _chosen(action: JsonObject) -> tuple[str, ...]:
    if "decline" in action:
        return ("do:decline",)
    return (f"card:{action['take']}",) if "take" in action else _aim(action, "on")


def meant(shown: JsonObject, part: str) -> JsonObject | None:
    """A pile is drawn from, a card of the hand is discarded, at a poster a card is laid."""
    del shown
    kind, _, name = part.partition(":")
    if part in (SUPPLY, DISCARD):
        return {"do": "draw", "from": part}
    if kind == "poster":
        return {"do": "lay", "outlaw": name, "count": 1}
    return {"do": "discard", "card": name} if kind == "hand" else None


def moved(event: JsonObject) -> Sequence[Moved]:
    """Cards that went from pile, hand and poster to another."""
    kind, seat = event["event"], seat_part(event.get("seat", ""))
    if kind == "drew":
        return (Moved(event["from"], seat, event.get("card", ""), event["count"]),)
    if kind == "laid":
        return (Moved(seat, poster(event["outlaw"]), event["outlaw"], event["count"]),)
    if kind == "photo-played":
        return (Moved(seat, poster(event["outlaw"]), f"photo:{event['outlaw']}"),)
    if kind in ("shot", "duel-draw"):
        return (Moved(SUPPLY, DISCARD, event["card"]),)
    if kind == "attached":
        return (Moved(seat, poster(event["outlaw"]), event["card"]),)
    if kind == "discarded":
        return (Moved(seat, DISCARD, event["card"]),)
    if kind == "given":
        return (Moved(seat_part(event["from"]), seat_part(event["to"]), event["outlaw"]),)
    if kind == "stolen":
        return (Moved(poster(event["outlaw"]), seat, event["outlaw"]),)
    if kind == "hidden":
        return (Moved(seat, poster(event["outlaw"]), "hideout"),)
    if kind == "found":
        return (Moved(SUPPLY, seat, event.get("card", "")),)
    return ()


def rows_about(part: str) -> Sequence[str]:
    """What a card does, or what a place is for."""
    kind, _, name = part.partition(":")
    if part in (SUPPLY, DISCARD):
        return ("C2", "C6") if part == SUPPLY else ("C2", "C4", "E1")
    if name.startswith("photo:"):
        return ("J1", "J2", "J3")
    if name in _ROWS:
        return _ROWS[name]
    return ("D4", "D5", "D9") if kind in ("hand", "card") else ("G2", "G3", "G4")
