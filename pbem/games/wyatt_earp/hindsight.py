"""A full state that agrees with a seat's view and with the record that then came.

With it a seat can follow a record step by step on its own machine, and check each use of its orders at once, not only
at the close. What the record shows is put where it must have been: the cards that others then played in their hands
(or among what they drew), the cards turned up and the own draws on top of the supply. The rest is filled in somehow,
as in ``imagine``: it plays no part in what this seat is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field

from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.games.wyatt_earp.cards import (
    COPIES,
    EARP,
    KIND_OF,
    NONE,
    OUTLAW_OF,
    Kind,
    cards_of_group,
    hand_of,
    kinds_in,
)
from pbem.games.wyatt_earp.imagine import imagine
from pbem.games.wyatt_earp.state import CHOOSE, Match, State
from pbem.games.wyatt_earp.view import View, gained, lost

_ANY = NONE


def hindsight(match: Match, view: View, record: JsonObject, body: JsonObject) -> State:
    """The state before the first step of ``record``.

    Raises:
        ValueError: none was found (a search whose card stays secret, a reshuffle of unknown cards).
    """
    state = imagine(match, view)
    plan = _Plan(match, view)
    plan.note(record["steps"], [draw["card"] for draw in body.get("draws", ())])
    plan.pile = _Pile(match.seats[view.viewer] if view.viewer != NONE else "", view.discard, body)
    plan.pile.note(record)
    return plan.filled(state)


@dataclass
class _Pile:
    """Which cards must have lain in the discard: what it showed when cards were taken from it.

    A place is its number from the top before the record; None stands for what was laid there since.
    """

    seat: str
    count: int
    body: JsonObject
    known: dict[int, Kind] = field(default_factory=dict)

    def note(self, record: JsonObject) -> None:
        """Follow the discard through the record."""
        pile: list[int | None] = list(range(self.count))
        stacks = iter([fact["stack"] for fact in self.body.get("facts", ()) if "stack" in fact])
        for event in (event for step in record["steps"] for event in step["events"]):
            match event["event"]:
                case "hand-ended" | "reshuffled" | "found":
                    return  # from here on its places cannot be told
                case "discarded" | "shot":
                    pile.insert(0, None)
                case "drew" if event["from"] == "discard":
                    self._is(pile.pop(0), event["card"])
                case "searching" if event["seat"] == self.seat:
                    for place, card in zip(pile, next(stacks, ()), strict=False):
                        self._is(place, card)
        top = record["public"]["discard"].get("top")
        if pile and top is not None:
            self._is(pile[0], top)

    def _is(self, place: int | None, card: str) -> None:
        if place is not None:
            self.known[place] = KIND_OF[card]


@dataclass
class _Plan:
    """Which card must have been where."""

    match: Match
    view: View
    supply: list[Kind] = field(default_factory=list)
    """The cards drawn in this record, top first; ``_ANY`` where only somebody else saw it."""
    hands: dict[int, list[Kind]] = field(default_factory=dict)
    """What others must have held before the record."""
    pile: _Pile | None = None
    without: dict[int, set[Kind]] = field(default_factory=dict)
    """Outlaws that others said they had not."""

    def note(self, steps: Sequence[JsonObject], own: Sequence[str]) -> None:
        """Go through the record, draw by draw and event by event."""
        mine = iter(own)
        places: dict[int, list[int]] = {}
        owned: dict[int, Counter[str]] = {}
        seats = self.match.seats
        shuffled = False
        for step in steps:
            for entry in step["chance"]:
                shuffled = shuffled or "shuffle" in entry
                if "draw" in entry and not shuffled:
                    self._draw(entry, mine, places)
            for event in step["events"]:
                if event["event"] == "hand-ended":
                    return
                for seat, name in enumerate(seats):
                    if seat != self.view.viewer:
                        counts = owned.setdefault(seat, Counter())
                        counts.update(gained(event, Seat(name)))
                        self._leave(seat, lost(event, Seat(name)), counts, places.get(seat, []))
                if event["event"] == "asked" and not event["has"]:
                    self._denied(seats.index(event["of"]), event["outlaw"], owned)

    def _draw(self, entry: JsonObject, mine: Iterator[str], places: dict[int, list[int]]) -> None:
        if entry["to"] == "table":
            self.supply.append(KIND_OF[entry["card"]])
            return
        seat = self.match.seats.index(entry["to"])
        if seat == self.view.viewer:
            self.supply.append(KIND_OF[next(mine)])
            return
        places.setdefault(seat, []).append(len(self.supply))
        self.supply.append(_ANY)

    def _leave(self, seat: int, cards: Sequence[str], owned: Counter[str], places: list[int]) -> None:
        """Cards that leave a hand were in it, were got in the open, or are among those drawn since."""
        for card in cards:
            if owned[card]:
                owned[card] -= 1
            elif len(self.hands.setdefault(seat, [])) < self.view.sizes[seat]:
                self.hands[seat].append(KIND_OF[card])
            elif places:
                self.supply[places.pop(0)] = KIND_OF[card]
            else:
                raise ValueError(f"where {self.match.seats[seat]} had {card} from cannot be told")

    def _denied(self, of: int, outlaw: str, owned: dict[int, Counter[str]]) -> None:
        if of != self.view.viewer and not owned.get(of, Counter())[outlaw]:
            self.without.setdefault(of, set()).add(OUTLAW_OF[outlaw])

    # --- filling in ---------------------------------------------------------------------------------------

    def filled(self, state: State) -> State:
        """``state`` with the unknown cards dealt out again."""
        view = self.view
        pool = self._unknown()
        asking = view.pending.card if view.phase == CHOOSE and view.pending is not None else NONE
        lying = [] if self.pile is None else [kind for at, kind in self.pile.known.items() if at]
        for cards in (*self.hands.values(), self.supply, lying):
            for kind in cards:
                if kind != _ANY:
                    _take(pool, kind)
        hands = list(state.hands)
        for seat, count in enumerate(view.sizes):
            if seat == view.viewer:
                continue
            cards = list(self.hands.get(seat, []))
            if seat == view.active and asking not in (NONE, EARP) and asking not in cards:
                cards.append(asking)
            barred = self.without.get(seat, set())
            cards += [_first(pool, barred) for _ in range(count - len(cards))]
            hands[seat] = hand_of(cards)
        top = [_first(pool, set()) if kind == _ANY else kind for kind in self.supply]
        discard = self._discard(state, pool)
        rest = [_first(pool, set()) for _ in range(view.supply - len(top))]
        return state._replace(hands=tuple(hands), supply=bytes([*top, *rest]), discard=discard)

    def _unknown(self) -> Counter[Kind]:
        view = self.view
        if view.stack is not None:
            raise ValueError("a search is being asked")
        known = Counter(kinds_in(view.hand))
        known.update(b"".join(cards_of_group(group, at % 7) for at, group in enumerate(view.table)))
        known.update([] if view.top == NONE else [view.top])
        return Counter(
            {kind: copies - known[kind] for kind, copies in enumerate(COPIES) if copies > known[kind]}
        )

    def _discard(self, state: State, pool: Counter[Kind]) -> bytes:
        """The top is known, what the record showed of it later, and how many below it are Wyatt Earps (O18)."""
        view = self.view
        if view.top == NONE:
            return state.discard
        known = {} if self.pile is None else {at: kind for at, kind in self.pile.known.items() if at}
        earps = view.discard - view.takeable - (view.top == EARP) - sum(k == EARP for k in known.values())
        below: list[Kind] = []
        for place in range(1, view.discard):
            if place in known:
                below.append(known[place])
            elif earps > 0:
                earps -= 1
                _take(pool, EARP)
                below.append(EARP)
            else:
                below.append(_first(pool, {EARP}))
        return bytes([view.top, *below])


def _take(pool: Counter[Kind], kind: Kind) -> None:
    if pool[kind] <= 0:
        raise ValueError("more of a card than there are")
    pool[kind] -= 1


def _first(pool: Counter[Kind], barred: set[Kind]) -> Kind:
    found = next((kind for kind, count in pool.items() if count > 0 and kind not in barred), None)
    if found is None:
        raise ValueError("no card is left for a place")
    pool[found] -= 1
    return found
