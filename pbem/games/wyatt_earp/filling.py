"""Full states around what is public: unknown cards are dealt out somehow (``pbem.game.Filling``).

What a step shows must have been there: the cards played in the hands of those who played them, the cards turned up on
top of the supply, no card of an Outlaw in the hand of whoever said that they have none. All else may be anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from itertools import islice

from pbem.game import Filled, JsonObject, MalformedAction, NoFilling
from pbem.games.wyatt_earp import deck
from pbem.games.wyatt_earp.actions import Action, Choose, EarpSearch, action_from_json
from pbem.games.wyatt_earp.deck import NONE, Hand, Kind, Stack
from pbem.games.wyatt_earp.duel import start_order
from pbem.games.wyatt_earp.ending import before_the_match
from pbem.games.wyatt_earp.memory import CardTracker, Recalled, sheriff_card, shown_cards, turned_up
from pbem.games.wyatt_earp.state import CHANCE, CHOOSE, OVER, PLAY, WIN, Duel, Match, Pending, State
from pbem.games.wyatt_earp.views import View


class FollowedCards:
    """One record with what was remembered before it (``pbem.game.Followed``)."""

    def __init__(self, match: Match, memory: JsonObject, record: JsonObject, pick: int) -> None:
        self._match, self._record, self._pick = match, record, pick
        by_supply = match.options.earp_search == "supply"
        self._tracker = CardTracker.of(match.seats, memory, record, pick, by_supply=by_supply)
        self.remembered = self._tracker.remembered()

    def filled(self, view: View, at: int) -> Filled:
        """See ``pbem.game.Followed.filled``."""
        match, steps, tracker, pick = self._match, self._record["steps"], self._tracker, self._pick
        if view.phase in (CHANCE, OVER):
            return Filled(_between_hands(match, view, pick))
        step = steps[at] if at < len(steps) else {}
        filling = _Filling(match, view, tracker.moments[at], step, pick)
        filling.to_come = _to_come(steps[at:])
        if not step and pick % 2 == 0:  # otherwise it may be something else that was wrong
            filling.lacks(*_refused(match, self._record))
        state = filling.state(tracker.pile_before(at))
        return Filled(state, _secret(match, state, step, tracker.search(at)))


def _to_come(steps: Sequence[JsonObject]) -> list[Kind]:
    """The cards that these steps show of the pile which the first of them shuffles."""
    entries = [entry for step in steps for entry in step["chance"]]
    piles = [
        (entry["shuffle"], entry["gen"])
        for step in steps[:1]
        for entry in step["chance"]
        if "shuffle" in entry
    ]
    drawn = (entry for entry in entries if (entry.get("draw"), entry.get("gen")) in piles and "card" in entry)
    return [deck.KIND_OF[entry["card"]] for entry in drawn]


def _refused(match: Match, record: JsonObject) -> tuple[int, list[Kind]]:
    """Whose open action was illegal after the last step, and the cards that it would have shown."""
    stopped = record.get("stopped", {})
    file = record["msg"]["body"] if stopped.get("why") == "illegal" else {"actions": []}
    at = stopped.get("at", 0)
    if at >= len(file["actions"]):  # none was, or it is sealed
        return NONE, []
    try:
        action_from_json(match, file["actions"][at], bulk=True)
    except MalformedAction:
        return NONE, []
    return match.seats.index(file["seat"]), shown_cards({"action": file["actions"][at]})


def _secret(match: Match, state: State, step: JsonObject, search: Kind) -> Action | None:
    """The action of a step whose public form leaves out which card a search is to take (O10)."""
    action = step.get("action", {})
    if match.options.search_public or not step or deck.by_default(step):
        return None
    stack = state.supply if match.options.earp_search == "supply" else state.discard
    if search == NONE:
        search = next((kind for kind in stack if kind != deck.EARP), NONE)
    if action == {"do": "choose"}:
        return Choose(take=search)
    was_found = any(event["event"] == "found" for event in step["events"])
    if action == {"do": "wyatt-earp", "mode": "search"} and was_found and search != NONE:
        return EarpSearch((search,))
    return None


def _between_hands(match: Match, view: View, pick: int) -> State:
    """Before a deal: all 78 cards are shuffled, whatever lies where."""
    if not view.supply and not view.discard:
        return before_the_match(match)
    pool = _Pool(pick)
    pool.take(deck.cards_on(view.table), "on the table")
    state = _state(view, ((),) * match.count, pool.some(view.supply), pool.some(view.discard))
    if view.phase == OVER:
        return state
    if max(view.money) < WIN:
        return state._replace(pending=Pending(shuffle="deal"))
    tied = [seat for seat, money in enumerate(view.money) if money == max(view.money)]
    order = start_order(match, view.dealer, tied)
    return state._replace(pending=Pending(shuffle="duel-all"), duel=Duel(order, score=(0,) * len(order)))


def _state(view: View, hands: tuple[Hand, ...], supply: Stack, discard: Stack, found: Kind = NONE) -> State:
    return State(
        hand=view.hand_number,
        dealer=view.dealer,
        active=view.active,
        phase=view.phase,
        sheriff=view.sheriff,
        reshuffled=view.reshuffled,
        opened=view.opened,
        laid=view.laid,
        posters=view.posters,
        money=view.money,
        hands=hands,
        supply=supply,
        discard=discard,
        table=view.table,
        pending=None if view.phase == OVER else view.pending,
        found=found,
        drawn=view.drawn,
        duel=None,
        winner=view.winner,
    )


class _Pool:
    """The cards whose place nobody knows; ``pick`` says in which order they are dealt out."""

    def __init__(self, pick: int) -> None:
        self._left = list(deck.COPIES)
        self._pick = pick
        self._dealt = 0

    def take(self, cards: Iterable[Kind], where: str) -> None:
        """These cards are somewhere: they cannot be anywhere else."""
        for kind in cards:
            if self._left[kind] <= 0:
                raise NoFilling(f"{where}: more {deck.NAMES[kind]} than there are")
            self._left[kind] -= 1

    def reserve(self, count: int, barred: Set[Kind]) -> list[Kind]:
        """So many cards that a search may take, none of them ``barred``; they are still to be dealt."""
        kinds = (kind for kind, left in enumerate(self._left) for _ in range(left))
        return [*islice((kind for kind in kinds if kind != deck.EARP and kind not in barred), count)]

    def some(self, count: int, barred: Set[Kind] = frozenset()) -> Stack:
        """So many cards, none of them ``barred``."""
        cards: list[Kind] = []
        for kind, left in enumerate(self._left) if self._pick == 0 else ():  # the first ones, all at once
            if len(cards) >= count:
                break
            if left > 0 and kind not in barred:
                copies = min(count - len(cards), left)
                self._left[kind] -= copies
                cards += [kind] * copies
        while len(cards) < count:
            kinds = [kind for kind, left in enumerate(self._left) if left > 0 and kind not in barred]
            if not kinds:
                raise NoFilling("no card is left that could lie there")
            self._dealt += 1
            # Knuth's multiplier spreads the places, so that two pickings deal different hands.
            kind = kinds[self._pick * self._dealt * 2654435761 // 1024 % len(kinds)]
            self._left[kind] -= 1
            cards.append(kind)
        return tuple(cards)


class _Filling:
    """What must lie where for one step, and everything else somewhere."""

    def __init__(self, match: Match, view: View, known: Recalled, step: JsonObject, pick: int) -> None:
        self.match = match
        self.view = view
        self.step = step
        self.pool = _Pool(pick)
        self.seat = match.seats.index(step["seat"]) if "seat" in step else NONE
        self.held = [known.held[seat] for seat in match.seats]
        self.barred: list[set[Kind]] = [set() for _ in match.seats]
        self.lacking: tuple[int, list[Kind]] = NONE, []
        self.discard: list[Kind] = []
        self.to_come: list[Kind] = []
        self.found = self._just_found(known)
        if view.phase == CHOOSE and view.pending is not None and view.pending.card != deck.EARP:
            self._has(view.active, [view.pending.card])
        if self.seat != NONE:
            self._has(self.seat, shown_cards(step))
        for event in step.get("events", ()):
            if event["event"] == "asked" and not event["has"]:
                self.barred[match.seats.index(event["of"])].add(deck.OUTLAW_OF[event["outlaw"]])
            if event["event"] == "given":
                self._has(match.seats.index(event["from"]), [deck.OUTLAW_OF[event["outlaw"]]])
        if step.get("by") == "default" and view.phase == PLAY:
            self._bar_default()
        if view.viewer != NONE:
            self.held[view.viewer] = Counter(view.hand)

    def _has(self, seat: int, cards: list[Kind]) -> None:
        self.held[seat] = self.held[seat] | Counter(cards)  # in place it would change what is known

    def lacks(self, seat: int, cards: list[Kind]) -> None:
        """The action that would have shown these cards was illegal: the player has no more of them than is known."""
        self.lacking = seat, cards

    def _just_found(self, known: Recalled) -> Kind:
        """Only the card that a search has just found may be a second Sheriff card (O7)."""
        if self.view.found != NONE:
            return self.view.found
        if self.seat == NONE or known.finder != self.match.seats[self.seat]:
            return NONE
        return sheriff_card(self.step) if known.found == NONE else known.found

    def _bar_default(self) -> None:
        """A default discards the card drawn from the discard, or else the first by name: there was none before it."""
        for card in shown_cards(self.step):
            if card != self.view.drawn:
                self.barred[self.seat] |= {*deck.BY_NAME[: deck.BY_NAME.index(card)], self.view.drawn}

    def state(self, discard: list[Kind]) -> State:
        """The state; raises ``NoFilling``."""
        view, pool = self.view, self.pool
        self.discard = discard
        if len(discard) != view.discard or (discard[0] if discard else NONE) != view.top:
            raise NoFilling("the discard is not what was laid there")
        pool.take(deck.cards_on(view.table), "on the table")
        pool.take(discard, "in the discard")
        for seat, cards in enumerate(self.held):
            self._check_hand(seat, cards)
            pool.take(list(cards.elements()), f"in the hand of {self.match.seats[seat]}")
        if self.lacking[0] != NONE:
            self.barred[self.lacking[0]] |= {*self.lacking[1]}
        supply = self._shown_supply()
        barred = [*self.barred, self._absent()]
        laid: list[Stack] = [()] * len(
            barred
        )  # the hands, then the supply: first where the fewest kinds may be
        for place in sorted(range(len(barred)), key=lambda place: -len(barred[place])):
            if place == self.match.count:
                laid[place] = self._whole(supply, barred[place])
            else:
                known = tuple(self.held[place].elements())
                laid[place] = known + pool.some(view.sizes[place] - len(known), barred[place])
        return _state(view, tuple(map(deck.hand_of, laid[:-1])), laid[-1], tuple(discard), self.found)

    def _check_hand(self, seat: int, cards: Counter[Kind]) -> None:
        name = self.match.seats[seat]
        if cards.total() > self.view.sizes[seat]:
            raise NoFilling(f"{name} shows more cards than the hand has")
        wrong = [kind for kind in self.barred[seat] if cards[kind]]
        if wrong:
            raise NoFilling(f"{name} has {deck.NAMES[wrong[0]]}, as everybody saw")

    def _shown_supply(self) -> list[Kind]:
        """What a step shows of the supply, top first; ``NONE`` where it shows nothing."""
        view, step = self.view, self.step
        if view.stack is not None and self.match.options.earp_search == "supply":
            cards = list(view.stack)
        else:
            cards = turned_up(step, after_shuffle=False)
        if len(cards) > view.supply:
            raise NoFilling(f"{len(cards)} cards are drawn from a supply of {view.supply}")
        cards += self._lying_below(view.supply - len(cards))
        self.pool.take([kind for kind in cards if kind != NONE], "in the supply")
        return cards

    def _lying_below(self, space: int) -> list[Kind]:
        """Nothing but Wyatt Earps if a search found none; else what it took openly and what the shuffle brings up."""
        searched = self._searched()
        if searched == 0:
            return [deck.EARP] * space
        found, shuffled_in = self._named("found"), Counter[Kind]()
        if searched is None:
            shot = turned_up(self.step, after_shuffle=False)
            found, shuffled_in = [], Counter([*self.discard, *self._named("discarded"), *shot])
        return [*found, *(Counter(self.to_come) - shuffled_in).elements()][:space]

    def _whole(self, cards: list[Kind], absent: Set[Kind]) -> Stack:
        """The supply with its unknown cards; a search could take so many of them as it did."""
        space = self.view.supply - len(cards)
        if not self._named("found"):
            unseen = self.pool.reserve(min(self._searched() or 0, space), absent)
            self.pool.take(unseen, "in the supply")
            cards = [*unseen, *cards]  # a search takes the first
        lying = tuple([self.pool.some(1)[0] if kind == NONE else kind for kind in cards])
        return lying + self.pool.some(self.view.supply - len(cards), absent)

    def _searched(self) -> int | None:
        """How many cards a search of the supply could take, at least, and none if 0; None if it was not searched."""
        action, asked = self.step.get("action", {}), self.view.pending
        answers = action.get("do") == "choose" and asked is not None and asked.mode == "search"
        if self.match.options.earp_search == "discard" or not (action.get("mode") == "search" or answers):
            return None
        events = {event["event"] for event in self.step["events"]}
        return 2 if "searching" in events else int("found" in events)

    def _absent(self) -> set[Kind]:
        """What did not lie in a supply that was searched openly: it would have been taken, or there was a choice."""
        if self._searched() is None:
            return set()
        action, found = self.step["action"], self._named("found")
        if action["do"] == "choose":
            wanted = list(deck.BY_NAME) if deck.by_default(self.step) else found
        else:
            wanted = [deck.KIND_OF[card] for card in action.get("take", ())]
        if found and found[0] in wanted:
            wanted = wanted[: wanted.index(found[0])]
        elif found:  # it was the only card there
            wanted = list(deck.BY_NAME)
        return {*wanted} - {deck.EARP}

    def _named(self, name: str) -> list[Kind]:
        """The cards that the events of this name show."""
        events = self.step.get("events", ())
        return [deck.KIND_OF[event["card"]] for event in events if event["event"] == name and "card" in event]
