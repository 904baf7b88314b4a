"""What everybody remembers of the cards of a hand, followed step by step.

The discard lies open card by card, so everybody knows its order, until a search takes a card that only its finder sees.
From then on one of the cards is gone and nobody knows which; it turns out when the top is drawn and another card than
expected lies there, when the finder plays what they found, or when somebody shows one copy more than there could be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import Final, NamedTuple

from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.games.wyatt_earp.deck import (
    BY_NAME,
    COPIES,
    EARP,
    KIND_OF,
    NAMES,
    NONE,
    OUTLAW_OF,
    PHOTO,
    Kind,
    by_default,
)

_NEVER = 1 << 30
_WHOSE: Final = ("seat", "from", "to")
"""Members of an event that name whose hand it may change."""


def shown_cards(step: JsonObject) -> list[Kind]:
    """The cards that the action of a step shows in the hand of whoever takes it."""
    action = step.get("action", {})
    do = action.get("do")
    if do == "lay":
        return [OUTLAW_OF[action["outlaw"]]] * int(action["count"])
    if do == "photo":
        return [PHOTO + OUTLAW_OF[action["outlaw"]]]
    if do == "discard":
        return [KIND_OF[action["card"]]]
    if do == "react":
        return [EARP] if action["with"] == "wyatt-earp" else []
    return [KIND_OF[do]] if do in KIND_OF else []


def sheriff_card(step: JsonObject) -> Kind:
    """The Sheriff card that a step plays in its own turn; ``NONE`` if it plays none."""
    if step.get("action", {}).get("do") in ("discard", "react", "lay"):
        return NONE
    return next(iter(shown_cards(step)), NONE)


def turned_up(step: JsonObject, *, after_shuffle: bool) -> list[Kind]:
    """The cards drawn in a step, from the pile as it lay or as it was shuffled; ``NONE`` where none is shown."""
    cards: list[Kind] = []
    shuffled = False
    for entry in step.get("chance", ()):
        shuffled |= "shuffle" in entry
        if "draw" in entry and shuffled == after_shuffle:
            cards.append(KIND_OF[entry["card"]] if "card" in entry else NONE)
    return cards


LEAVES_HAND: Final = ("turn", "missed", "used")
"""``discarded`` with one of these took the card from a hand; all others from a territory."""


def gained(event: JsonObject, seat: Seat) -> Sequence[str]:
    """The cards that an event openly brings into the hand of a seat."""
    match event["event"]:
        case "drew" if event["seat"] == seat and event["from"] == "discard":
            return (event["card"],)
        case "given" if event["to"] == seat:
            return (event["outlaw"],)
        case "stolen" if event["seat"] == seat:
            return (event["outlaw"],)
        case _:
            return ()


def lost(event: JsonObject, seat: Seat) -> Sequence[str]:
    """The cards that an event takes out of the hand of a seat."""
    if event["event"] == "given":
        return (event["outlaw"],) if event["from"] == seat else ()
    if event.get("seat") != seat:
        return ()
    match event["event"]:
        case "laid":
            return [event["outlaw"]] * int(event["count"])
        case "photo-played":
            return (f"photo:{event['outlaw']}",)
        case "attached":
            return (event["card"],)
        case "hidden":
            return ("hideout",)
        case "discarded" if event["why"] in LEAVES_HAND:
            return (event["card"],)
        case _:
            return ()


class Card(NamedTuple):
    """A card of the discard; its mark distinguishes copies, and rises with the time when it was last seen there."""

    kind: Kind
    mark: int


class Search(NamedTuple):
    """A search that took one of the cards with a lower mark than ``below``, in step ``at`` (-1: before).

    ``kind``: what it took; ``NONE`` if nobody knows. Which of the copies it was may still turn out.
    """

    at: int
    below: int
    kind: Kind = NONE


@dataclass(frozen=True, slots=True)
class Recalled:
    """What is known at one moment: the discard (what is gone still in it), hands, who has just found a card."""

    pile: tuple[Card, ...]
    held: dict[str, Counter[Kind]]
    finder: str
    found: Kind


@dataclass(slots=True)
class CardTracker:
    """One record, followed with what was remembered before it: ``moments`` before each step, and after the last."""

    seats: Sequence[str]
    by_supply: bool
    """Whether a search takes from the supply, not from the discard (the rule option ``earp_search``)."""
    pile: list[Card] = field(default_factory=list)
    held: dict[str, Counter[Kind]] = field(default_factory=dict)
    """Never changed in place: moments share them."""
    finder: str = ""
    found: Kind = NONE
    open: list[Search] = field(default_factory=list)
    located: Counter[Kind] = field(default_factory=Counter)
    """Copies of which everybody knows where they are: on the table, in the discard, in a hand."""
    taken: dict[int, int] = field(default_factory=dict)
    """Marks of cards that searches took, with the step in which."""
    moments: list[Recalled] = field(default_factory=list)
    marks: int = 0
    pick: int = 0

    @classmethod
    def of(
        cls, seats: Sequence[str], memory: JsonObject, record: JsonObject, pick: int = 0, *, by_supply: bool
    ) -> CardTracker:
        """Follow ``record``; ``pick`` says which of the cards that may be gone are taken for gone."""
        body = memory.get("held", {})
        tracker = cls(
            seats, by_supply, held={seat: Counter(KIND_OF[n] for n in body.get(seat, ())) for seat in seats}
        )
        tracker.pile = [Card(KIND_OF[name], mark) for name, mark in memory.get("discard", ())]
        tracker.marks = 1 + max((card.mark for card in tracker.pile), default=0)
        tracker.open = [Search(-1, below, KIND_OF.get(name, NONE)) for name, below in memory.get("gone", ())]
        tracker.located = Counter({KIND_OF[name]: count for name, count in memory.get("located", {}).items()})
        tracker.finder = memory.get("finder", "")
        tracker.found = KIND_OF.get(memory.get("found", ""), NONE)
        tracker.pick = pick
        for at, step in enumerate(record["steps"]):
            tracker._note()
            tracker._step(at, step)
        tracker._note()
        top = record["public"]["discard"].get("top") if "public" in record else None
        if top is not None:
            tracker._shows([KIND_OF[top]])
        return tracker

    def remembered(self) -> JsonObject:
        """What is remembered after the record, as JSON."""
        hands = {
            seat: [NAMES[kind] for kind in sorted(cards.elements())] for seat, cards in self.held.items()
        }
        body: JsonObject = {
            "discard": [[NAMES[card.kind], card.mark] for card in self.pile],
            "held": {seat: names for seat, names in hands.items() if names},
        }
        if self.open:
            body["gone"] = [
                ["" if search.kind == NONE else NAMES[search.kind], search.below] for search in self.open
            ]
        body["located"] = {NAMES[kind]: count for kind, count in sorted(self.located.items()) if count}
        if self.finder:
            body["finder"] = self.finder
        if self.found != NONE:
            body["found"] = NAMES[self.found]
        return body

    def pile_before(self, at: int) -> list[Kind]:
        """A discard that may have lain there before step ``at``, top first."""
        self._suppose(Counter())
        pile = self.moments[at].pile
        return [card.kind for card in pile if self.taken.get(card.mark, _NEVER) >= at]

    def search(self, at: int) -> Kind:
        """What a search in step ``at`` may have taken from the discard; ``NONE`` if nothing is known of one."""
        self._suppose(Counter())
        pile = self.moments[at].pile
        return next((card.kind for card in pile if self.taken.get(card.mark) == at), NONE)

    # --- step by step -------------------------------------------------------------------------------------

    def _push(self, kind: Kind) -> None:
        self.pile.insert(0, Card(kind, self.marks))
        self.marks += 1

    def _note(self) -> None:
        self.moments.append(Recalled(tuple(self.pile), dict(self.held), self.finder, self.found))

    def _step(self, at: int, step: JsonObject) -> None:
        finder, self.finder = self.finder, ""
        before, self.found = self.found, NONE
        if finder and finder == step.get("seat") and before == NONE:
            self._plays_found(sheriff_card(step))
        if step.get("seat") in self.held:
            self._plays(self.held[step["seat"]], shown_cards(step))
        events = step["events"]
        for event in events:
            self._event(at, step, event)
            named = [event.get(member) for member in _WHOSE]
            for seat in self.held:
                if seat in named:
                    self._hand(seat, event)

    def _hand(self, seat: str, event: JsonObject) -> None:
        """What an event brings openly into a hand, or takes out of it."""
        out, into = lost(event, Seat(seat)), gained(event, Seat(seat))
        if not out and not into:
            return
        cards = Counter(self.held[seat])
        for name in out:
            kind = KIND_OF[name]
            if cards[kind]:
                cards[kind] -= 1
            else:
                self._located(kind)
        cards.update([KIND_OF[name] for name in into])
        self.held[seat] = cards

    def _plays(self, hand: Counter[Kind], cards: list[Kind]) -> None:
        """Cards come out of a hand, though they may not lie anywhere before a choice, or a shuffle, that comes first.

        If there are more of them then than there could be, searches have taken them from the discard.
        """
        for kind, count in (Counter(cards) - hand).items() if cards else ():
            for _ in range(self.located[kind] + count - COPIES[kind]):
                self._was_found(kind)

    def _located(self, kind: Kind) -> None:
        """One copy more is in the open; if that is one too many, a search has taken one from the discard."""
        self.located[kind] += 1
        if self.located[kind] > COPIES[kind]:
            self._was_found(kind)

    def _was_found(self, kind: Kind, search: Search | None = None) -> None:
        """A search, this one or any that could, took a card of this kind."""
        marks = [card.mark for card in self.pile if card.kind == kind]
        taken = sum(drawn.kind == kind for drawn in self.open)
        for at, drawn in enumerate(self.open):
            fits = search is None or drawn == search
            if (
                fits
                and drawn.kind == NONE
                and kind != EARP
                and sum(mark < drawn.below for mark in marks) > taken
            ):
                self.open[at] = drawn._replace(kind=kind)
                self.located[kind] -= 1
                return

    def _event(self, at: int, step: JsonObject, event: JsonObject) -> None:
        match event["event"]:
            case "discarded":
                self._push(KIND_OF[event["card"]])
            case "shot":
                self._push(KIND_OF[event["card"]])
                self._located(KIND_OF[event["card"]])
            case "drew" if event["from"] == "discard":
                self._shows([KIND_OF[event["card"]]])
                del self.pile[:1]
            case "searching" if "stack" in event:
                self._shows([KIND_OF[name] for name in event["stack"]])
            case "found":
                self._search(at, step, event)
            case "reshuffled":
                searched = any(other["event"] == "found" for other in step["events"])
                if not (searched and self.by_supply):
                    self._reshuffle(step)
            case "hand-started" | "hand-ended":
                self._suppose(Counter())
                self.pile.clear()
                self.held = {seat: Counter() for seat in self.held}
                self.located.clear()
                if event["event"] == "hand-started":
                    for kind in turned_up(step, after_shuffle=False)[-1:]:
                        self._push(kind)
                        self._located(kind)
            case _:
                pass

    def _reshuffle(self, step: JsonObject) -> None:
        """Where the cards of the discard are now nobody knows."""
        self.located.subtract(card.kind for card in self.pile)
        self.located.update(search.kind for search in self.open if search.kind != NONE)
        self._suppose(Counter(turned_up(step, after_shuffle=True)))
        self.pile.clear()

    def _search(self, at: int, step: JsonObject, event: JsonObject) -> None:
        self.finder = event["seat"]
        known = KIND_OF[event["card"]] if "card" in event else NONE
        if known != NONE:
            self.held[event["seat"]] = self.held[event["seat"]] + Counter((known,))
            self.found = known
        if self.by_supply:
            return
        if known == NONE and by_default(step) and not self.open:
            known = min(
                (card.kind for card in self.pile if card.kind != EARP),
                key=BY_NAME.index,
                default=NONE,
            )
        taken = next((card for card in self.pile if card.kind == known), None)
        if taken is None:
            self.open.append(Search(at, self.marks))
        else:
            self._take(taken, at)

    def _take(self, card: Card, at: int) -> None:
        self.taken[card.mark] = at
        self.pile.remove(card)

    def _shows(self, kinds: Sequence[Kind]) -> None:
        """The discard shows these cards from the top: what is expected above them is gone."""
        for place, kind in enumerate(kinds):
            while place < len(self.pile) and self.pile[place].kind != kind:
                if not self._is_gone(self.pile[place]):
                    return
            if place < len(self.pile):  # it lies there still: no search so far has taken it
                self.pile[place] = Card(kind, self.marks)
                self.marks += 1

    def _is_gone(self, card: Card) -> bool:
        fits = [drawn for drawn in self.open if card.mark < drawn.below and drawn.kind in (NONE, card.kind)]
        if not fits or card.kind == EARP:
            return False
        # One that is known to have taken such a card, if there is one.
        search = max(fits, key=lambda drawn: drawn.kind)
        if search.kind == NONE:
            self.located[card.kind] -= 1
        self.open.remove(search)
        self._take(card, search.at)
        return True

    def _plays_found(self, kind: Kind) -> None:
        """Only the card just found may be played as a second Sheriff card."""
        if kind != NONE and self.open:
            self._was_found(kind, self.open[-1])

    def _suppose(self, needed: Counter[Kind]) -> None:
        """Of what is gone and did not turn out: the lowest cards, but so that the ``needed`` ones lie there."""
        for search in sorted(self.open, key=lambda drawn: drawn.kind == NONE):
            counts = Counter(card.kind for card in self.pile)
            cards = [
                card
                for card in self.pile
                if card.kind != EARP
                and card.mark < search.below
                and search.kind in (NONE, card.kind)
                and counts[card.kind] > needed[card.kind]
            ]
            if cards:
                card = cards[(self.pick * 7 - 1) % len(cards)]
                self._take(card, search.at)
        self.open.clear()
