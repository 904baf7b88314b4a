"""German Whist: the engine of one match. Rows are those of ``model``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from german_whist.codec import Codec
from german_whist.model import DECK, HAND, ORDER, Event, Own, Play, Public, State, View, sorted_hand, suit_of
from pbem.game import (
    PUBLIC,
    TABLE,
    Chance,
    Deal,
    Decision,
    Fact,
    IllegalAction,
    JsonObject,
    MalformedAction,
    Node,
    NotHeld,
    Outcome,
    Seat,
    Setup,
    Shuffle,
    Step,
    Terminal,
    Trial,
    Viewer,
    Words,
)


@dataclass(frozen=True)
class GermanWhistRules(Codec):
    """The engine of one match."""

    setup: Setup

    @property
    def words(self) -> Words:
        """What the game's schemas mean by a ``seat``."""
        return (("seat", self.setup.seats),)

    @property
    def has_secrets(self) -> bool:
        """Hands are hidden, so records carry packets."""
        return True

    # --- transitions

    def initial_state(self) -> State:
        """Before the first deal (W1)."""
        return State(self._before_deal(1, Seat(self.setup.extra["leader"]), (0, 0)))

    def _before_deal(self, hand: int, leads: Seat, points: tuple[int, int]) -> Public:
        return Public("chance", hand, leads, leads, "", "", "", 0, (0, 0), ((), ()), (), (0, 0), points)

    def node(self, state: State) -> Node:
        """A deal, a card, or the end."""
        public = state.public
        if public.phase == "over":
            points = dict(zip(self.seats, public.points, strict=True))
            return Terminal({"winners": self._winners(public.points), "points": points})
        if public.phase == "chance":
            return Chance(Shuffle(f"hand {public.hand} deal", "main", DECK))
        return Decision(public.active, "play")

    def span(self, state: State) -> int:
        """One epoch for each hand."""
        return state.public.hand

    def resolve(self, state: State, outcome: Outcome) -> Step[State, Event]:
        """Deal (W1)."""
        if state.public.phase != "chance":
            raise ValueError("no chance was asked for")
        if sorted(outcome) != list(range(len(DECK))):
            raise ValueError("not a permutation of the deck")
        order = tuple(DECK[index] for index in outcome)
        first = 1 - self.seats.index(state.public.leads)
        dealt = order[0 : 2 * HAND : 2], order[1 : 2 * HAND : 2]
        hands = (dealt[0], dealt[1]) if first == 0 else (dealt[1], dealt[0])
        turned, stock = order[2 * HAND], order[2 * HAND + 1 :]
        public = replace(
            state.public,
            phase="play",
            turned=turned,
            trump=suit_of(turned),
            stock=len(stock),
            counts=(HAND, HAND),
        )
        deals = (*(Deal("main", self.seats[(first + at) % 2]) for at in range(2 * HAND)), Deal("main", TABLE))
        events = (
            Event("hand-started", (("hand", public.hand), ("leads", public.leads), ("trump", public.trump))),
            Event("turned", (("card", turned),)),
        )
        after = State(public, (sorted_hand(hands[0]), sorted_hand(hands[1])), stock)
        return Step(after, events, deals, reveals=True)

    def apply(self, state: State, action: Play) -> Step[State, Event]:
        """Play a card; the second one ends the trick."""
        if state.public.phase != "play":
            raise IllegalAction("W2", "nobody is to play")
        self.check(self.observe(state, state.public.active), action)
        at = self.seats.index(state.public.active)
        state = self._without(state, at, action.card)
        played = Event("played", (("seat", self.seats[at]), ("card", action.card)))
        if not state.public.led:
            public = replace(state.public, led=action.card, active=self.seats[1 - at])
            return Step(replace(state, public=public), (played,), reveals=True)
        return self._trick(state, at, action.card, played)

    def _without(self, state: State, at: int, card: str) -> State:
        hands, counts, seen = list(state.hands), list(state.public.counts), list(state.public.seen)
        hands[at] = tuple(held for held in hands[at] if held != card)
        seen[at] = tuple(held for held in seen[at] if held != card)
        counts[at] -= 1
        public = replace(state.public, counts=(counts[0], counts[1]), seen=(seen[0], seen[1]))
        return State(public, (hands[0], hands[1]), state.stock)

    def _trick(self, state: State, answered_by: int, card: str, played: Event) -> Step[State, Event]:
        """Who wins it (W3), and what follows (W4, W5)."""
        public = state.public
        winner = answered_by if beats(card, public.led, public.trump) else 1 - answered_by
        won = Event(
            "trick-won",
            (("seat", self.seats[winner]), ("card", card if winner == answered_by else public.led)),
        )
        gone = tuple(sorted((*public.gone, public.led, card)))
        state = replace(state, public=replace(public, led="", gone=gone, active=self.seats[winner]))
        if public.turned:
            return self._take(state, winner, (played, won))
        tricks = list(public.tricks)
        tricks[winner] += 1
        state = replace(state, public=replace(state.public, tricks=(tricks[0], tricks[1])))
        if any(state.hands):
            return Step(state, (played, won), reveals=True)
        return self._end_hand(state, (played, won))

    def _take(self, state: State, winner: int, events: tuple[Event, ...]) -> Step[State, Event]:
        """The face-up card to the winner, the next to the other, one more face up (W4)."""
        public, loser = state.public, 1 - winner
        hands, seen = list(state.hands), list(public.seen)
        hands[winner] = sorted_hand([*hands[winner], public.turned])
        hands[loser] = sorted_hand([*hands[loser], state.stock[0]])
        seen[winner] = sorted_hand([*seen[winner], public.turned])
        stock = state.stock[1:]
        turned, stock = (stock[0], stock[1:]) if stock else ("", ())
        events = (
            *events,
            Event("took", (("seat", self.seats[winner]), ("card", public.turned))),
            Event("drew", (("seat", self.seats[loser]),), state.stock[0]),
            *((Event("turned", (("card", turned),)),) if turned else ()),
        )
        deals = (Deal("main", self.seats[loser]), *((Deal("main", TABLE),) if turned else ()))
        counts = public.counts[0] + 1, public.counts[1] + 1
        public = replace(public, turned=turned, stock=len(stock), counts=counts, seen=(seen[0], seen[1]))
        return Step(State(public, (hands[0], hands[1]), stock), events, deals, reveals=True)

    def _end_hand(self, state: State, events: tuple[Event, ...]) -> Step[State, Event]:
        """Count (W5); the next hand, or the end (W6)."""
        public = state.public
        points = public.points[0] + public.tricks[0], public.points[1] + public.tricks[1]
        summary = {"tricks": public.tricks, "points": points}
        ended = Event(
            "hand-ended",
            (
                ("hand", public.hand),
                *((name, dict(zip(self.seats, two, strict=True))) for name, two in summary.items()),
            ),
        )
        if public.hand < self.setup.options["hands"]:
            leads = self.seats[1 - self.seats.index(public.leads)]
            return Step(
                State(self._before_deal(public.hand + 1, leads, points)), (*events, ended), reveals=True
            )
        totals = dict(zip(self.seats, points, strict=True))
        over = Event("match-ended", (("winners", self._winners(points)), ("points", totals)))
        over_public = replace(
            self._before_deal(public.hand, public.leads, points), phase="over", tricks=public.tricks
        )
        return Step(State(over_public), (*events, ended, over), reveals=True)

    def _winners(self, points: tuple[int, int]) -> list[Seat]:
        return [seat for seat, mine in zip(self.seats, points, strict=True) if mine == max(points)]

    # --- views

    def observe(self, state: State, viewer: Viewer) -> View:
        """What everybody sees, and for a seat its own hand."""
        if viewer is PUBLIC:
            return View(state.public)
        seat = Seat(str(viewer))
        return View(state.public, seat, state.hands[self.seats.index(seat)])

    def knowledge(self, seat: Seat) -> Own:
        """Nothing before the first deal."""
        return Own(seat)

    def learn(self, own: Own, steps: Sequence[JsonObject], body: JsonObject) -> Own:
        """Cards come by deals and face up; they go when they are played."""
        draws, hand = iter(body["draws"]), list(own.hand)
        for step in steps:
            dealt = [next(draws)["card"] for entry in step["chance"] if entry.get("to") == own.seat]
            for event in step["events"]:
                mine = event.get("seat") == own.seat
                if event["event"] == "played" and mine:
                    if event["card"] not in hand:
                        raise NotHeld(f"{own.seat} never held {event['card']}")
                    hand.remove(event["card"])
                elif event["event"] == "took" and mine:
                    hand.append(event["card"])
                elif event["event"] == "hand-ended":
                    hand.clear()
            hand += dealt
        return Own(own.seat, sorted_hand(hand))

    def view_of(self, public: View, own: Own) -> View:
        """Both together."""
        return View(public.public, own.seat, own.hand)

    def imagine(self, view: View) -> State:
        """The other hand from the cards that nobody has seen, but for those that were taken face up."""
        public = view.public
        if public.phase != "play":
            return State(public)
        known = {*view.hand, *public.gone, public.led, public.turned, *public.seen[0], *public.seen[1]}
        unseen = [card for card in DECK if card not in known]
        hands: list[tuple[str, ...]] = []
        for at, seat in enumerate(self.seats):
            if seat == view.seat:
                hands.append(view.hand)
                continue
            hidden = public.counts[at] - len(public.seen[at])
            hands.append(sorted_hand([*public.seen[at], *unseen[:hidden]]))
            unseen = unseen[hidden:]
        return State(public, (hands[0], hands[1]), tuple(unseen))

    # --- decisions

    def legal_actions(self, view: View) -> tuple[Play, ...]:
        """Every card that follows suit, else every card (W2)."""
        if view.public.phase != "play" or view.public.active != view.seat:
            return ()
        return tuple(Play(card) for card in sorted(_playable(view)))

    def check(self, view: View, action: Play) -> None:
        """Raise ``IllegalAction`` unless this card may be played now."""
        if view.public.phase != "play" or view.public.active != view.seat:
            raise IllegalAction("W2", f"{view.seat} is not to play")
        if action.card not in view.hand:
            raise IllegalAction("W2", f"{action.card} is not in the hand")
        if action.card not in _playable(view):
            raise IllegalAction("W2", f"{suit_of(view.public.led)} must be followed")

    def default_action(self, view: View) -> Play:
        """The lowest card that may be played."""
        return Play(min(_playable(view), key=_strength))

    def suggest(self, view: View) -> Play:
        """Win with the lowest card that wins, if the trick is worth it; else throw away the lowest."""
        public, playable = view.public, _playable(view)
        low = min(playable, key=lambda card: (suit_of(card) == public.trump, _strength(card)))
        worth = not public.turned or suit_of(public.turned) == public.trump or _strength(public.turned) >= 8
        if not worth:
            return Play(low)
        if not public.led:
            return Play(max(playable, key=lambda card: (suit_of(card) != public.trump, _strength(card))))
        winning = [card for card in playable if beats(card, public.led, public.trump)]
        return (
            Play(min(winning, key=lambda card: (suit_of(card) == public.trump, _strength(card))))
            if winning
            else Play(low)
        )

    def order_action(self, view: View, order: JsonObject) -> Play | None:
        """The first rule that fits: this card if that suit is led."""
        for rule in order["rules"]:
            if (
                view.public.led
                and suit_of(view.public.led) == rule["led"]
                and rule["card"] in _playable(view)
            ):
                return Play(rule["card"])
        return None

    def check_order(self, order: JsonObject, *, bulk: bool = False) -> None:  # noqa: ARG002
        """``{"rules": [{"led": SUIT, "card": CARD}, …]}``."""
        rules = order.get("rules")
        if set(order) != {"rules"} or not isinstance(rules, list):
            raise MalformedAction('expected {"rules": [{"led": SUIT, "card": CARD}, …]}')
        for rule in rules:
            if not isinstance(rule, dict) or set(rule) != {"led", "card"} or rule["card"] not in ORDER:
                raise MalformedAction('expected {"led": SUIT, "card": CARD}')

    # --- for people

    def summary(self, public: JsonObject) -> JsonObject:
        """How far the leader is ahead."""
        mine, other = (public["points"][seat] + public["tricks"][seat] for seat in self.seats)
        return {"lead": abs(mine - other)}

    def trials(self, steps: Sequence[JsonObject], before: JsonObject | None = None) -> tuple[Trial, ...]:  # noqa: ARG002
        """Nothing is shot or rolled here."""
        return ()

    # --- packets

    def standing_facts(self, state: State) -> tuple[Fact, ...]:  # noqa: ARG002
        """None."""
        return ()

    def packet_size(self, draws: int, shown: int) -> int | None:
        """A multiple of 512 that holds so many cards."""
        return 512 * -(-(257 + 112 * draws + 24 * shown) // 512)

    def shown(self, steps: Sequence[JsonObject]) -> int:  # noqa: ARG002
        """No stack is ever shown to one seat."""
        return 0


def beats(card: str, led: str, trump: str) -> bool:
    """Whether ``card``, played second, wins against the card led (W3)."""
    if suit_of(card) == suit_of(led):
        return ORDER[card] > ORDER[led]
    return suit_of(card) == trump


def _playable(view: View) -> tuple[str, ...]:
    following = tuple(card for card in view.hand if suit_of(card) == suit_of(view.public.led))
    return following or view.hand


def _strength(card: str) -> int:
    return ORDER[card][1]
