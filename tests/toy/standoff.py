"""Standoff: the engine. The rows are in ``model``; the spellings in ``codec``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pbem.game import (
    PUBLIC,
    TABLE,
    AnyRules,
    BadSetup,
    Chance,
    Deal,
    Decision,
    Fact,
    GameInfo,
    IllegalAction,
    JsonObject,
    MalformedAction,
    Node,
    NotHeld,
    Outcome,
    Roll,
    Seat,
    Setup,
    Shuffle,
    Step,
    Terminal,
    Trial,
    Viewer,
    Words,
)
from tests.toy import codec
from tests.toy.model import (
    DECK,
    HAND,
    KINDS,
    TURNS,
    Action,
    ChooseAt,
    ChooseTake,
    Draw,
    Event,
    Own,
    Public,
    Search,
    Shoot,
    State,
    View,
)

_PHASES: Final = {"turn": "turn", "target": "choose", "take": "choose", "over": "over"}


def _without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    at = cards.index(card)
    return (*cards[:at], *cards[at + 1 :])


@dataclass(frozen=True)
class StandoffRules(codec.Codec):
    """The engine of one match."""

    setup: Setup

    @property
    def words(self) -> Words:
        return (("seat", self.setup.seats),)

    @property
    def has_secrets(self) -> bool:
        return True

    # --- transitions

    def initial_state(self) -> State:
        starter = Seat(self.setup.extra["starter"])
        return State(
            "shuffle", 1, starter, starter, 0, (0,) * len(self.seats), ((),) * len(self.seats), (), ()
        )

    def node(self, state: State) -> Node:
        if state.asks == "over":
            winners = [s for s, p in zip(self.seats, state.points, strict=True) if p == max(state.points)]
            return Terminal({"winners": winners, "points": dict(zip(self.seats, state.points, strict=True))})
        if state.asks == "roll":
            return Chance(Roll(f"round {state.round} shot", "dice", (6,)))
        if state.asks == "shuffle":
            return Chance(Shuffle(f"round {state.round} deal", "main", DECK))
        if state.asks == "reshuffle":
            return Chance(Shuffle(f"round {state.round} reshuffle", "main", tuple(sorted(state.discard))))
        return Decision(state.active, _PHASES[state.asks])

    def span(self, state: State) -> int:
        return state.round

    def apply(self, state: State, action: Action) -> Step[State, Event]:
        node = self.node(state)
        if not isinstance(node, Decision):
            raise IllegalAction("X2", "nobody is to act")
        self.check(self.observe(state, node.seat), action)
        match action:
            case Draw():
                return (
                    self._draw(state)
                    if state.supply
                    else Step(replace(state, asks="reshuffle"), reveals=True)
                )
            case Shoot(card, at):
                hands = self._with_hand(state, _without(self._hand(state), card))
                shot = Event("fired", (("seat", state.active), ("card", card)))
                state = replace(state, hands=hands, discard=(card, *state.discard), aimed=at, asks="roll")
                return Step(state, (shot,))
            case Search(take):
                return self._search(state, take)
            case ChooseAt(at):
                return self._hit(state, at, ())
            case ChooseTake(card):
                return self._take(state, card, (), ())

    def resolve(self, state: State, outcome: Outcome) -> Step[State, Event]:
        node = self.node(state)
        if not isinstance(node, Chance):
            raise ValueError("no chance was asked for")
        draw = node.draw
        if isinstance(draw, Roll):
            if len(outcome) != 1 or not 1 <= outcome[0] <= 6:
                raise ValueError("one die was asked for")
            return self._rolled(state, outcome[0])
        if sorted(outcome) != list(range(len(draw.cards))):
            raise ValueError("not a permutation")
        order = tuple(draw.cards[index] for index in outcome)
        if state.asks == "shuffle":
            return self._deal(state, order)
        count = Event("reshuffled", (("cards", len(order)),))
        step = self._draw(replace(state, supply=order, discard=()))
        return step._replace(events=(count, *step.events))

    def _deal(self, state: State, order: tuple[str, ...]) -> Step[State, Event]:
        first = self.seats.index(state.starter)
        turn = [*range(first + 1, len(self.seats)), *range(first + 1)]
        hands = [list[str]() for _ in self.seats]
        deals = []
        for at, place in enumerate(turn * HAND):
            hands[place].append(order[at])
            deals.append(Deal("main", self.seats[place]))
        dealt = len(deals)
        deals.append(Deal("main", TABLE))
        state = replace(
            state,
            asks="turn",
            turns=0,
            active=state.starter,
            hands=tuple(tuple(sorted(hand)) for hand in hands),
            supply=order[dealt + 1 :],
            discard=(order[dealt],),
            aimed=None,
        )
        started = Event("round-started", (("round", state.round), ("starter", state.starter)))
        return Step(state, (started,), tuple(deals), reveals=True)

    def _draw(self, state: State) -> Step[State, Event]:
        card = state.supply[0]
        hands = self._with_hand(state, (*self._hand(state), card))
        drew = Event("drew", (("seat", state.active),), (("card", card),))
        state = replace(state, hands=hands, supply=state.supply[1:], asks="turn")
        step = self._end_turn(state, (drew,))
        return step._replace(deals=(Deal("main", state.active),), reveals=True)

    def _rolled(self, state: State, die: int) -> Step[State, Event]:
        rolled = Event("shot", (("seat", state.active), ("die", die), ("hit", die >= 4)))
        if die < 4:
            return self._end_turn(replace(state, aimed=None), (rolled,))._replace(reveals=True)
        others = [seat for seat in self.seats if seat != state.active]
        target = state.aimed or (others[0] if len(others) == 1 else None)
        if target is None:
            return Step(replace(state, asks="target"), (rolled,), reveals=True)
        return self._hit(state, target, (rolled,))._replace(reveals=True)

    def _hit(self, state: State, at: Seat, events: tuple[Event, ...]) -> Step[State, Event]:
        points = list(state.points)
        points[self.seats.index(state.active)] += 1
        hit = Event("hit", (("seat", state.active), ("at", at)))
        return self._end_turn(replace(state, points=tuple(points), aimed=None), (*events, hit))

    def _search(self, state: State, take: tuple[str, ...]) -> Step[State, Event]:
        searched = Event("searched", (("seat", state.active), ("count", len(state.discard))))
        kinds = set(state.discard)
        wish = next((card for card in take if card in kinds), min(kinds) if len(kinds) == 1 else None)
        if wish is not None:
            return self._take(state, wish, (searched,), ())
        stack = Fact(state.active, {"stack": list(state.discard)})
        asked = Event("asked", (("seat", state.active), ("count", len(state.discard))))
        return Step(replace(state, asks="take"), (searched, asked), facts=(stack,), reveals=True)

    def _take(
        self, state: State, card: str, events: tuple[Event, ...], facts: tuple[Fact, ...]
    ) -> Step[State, Event]:
        event = Event("found", (("seat", state.active),), (("card", card),))
        fact = Fact(state.active, {"found": card})
        hands = self._with_hand(state, (*self._hand(state), card))
        state = replace(state, hands=hands, discard=_without(state.discard, card))
        step = self._end_turn(state, (*events, event))
        return step._replace(facts=(*facts, fact), reveals=True)

    def _end_turn(self, state: State, events: tuple[Event, ...]) -> Step[State, Event]:
        turns = state.turns + 1
        if all(state.hands) and turns < TURNS * len(self.seats):
            state = replace(state, asks="turn", turns=turns, active=self._after(state.active))
            return Step(state, events)
        points = dict(zip(self.seats, state.points, strict=True))
        ended = Event("round-ended", (("round", state.round), ("points", points)))
        empty = replace(
            state, hands=((),) * len(self.seats), supply=(), discard=(), turns=turns, aimed=None, asks="over"
        )
        if state.round < self.setup.options["rounds"]:
            starter = self._after(state.starter)
            asks = replace(empty, asks="shuffle", round=state.round + 1, starter=starter, active=starter)
            return Step(asks, (*events, ended))
        winners = [seat for seat in self.seats if points[seat] == max(points.values())]
        return Step(empty, (*events, ended, Event("match-ended", (("winners", winners),))))

    # --- views

    def observe(self, state: State, viewer: Viewer) -> View:
        public = Public(
            phase=_PHASES.get(state.asks, "chance"),
            waiting=state.asks in ("turn", "target", "take"),
            round=state.round,
            starter=state.starter,
            active=state.active,
            turns=state.turns,
            points=state.points,
            hands=tuple(len(hand) for hand in state.hands),
            supply=len(state.supply),
            top=state.discard[0] if state.discard else "",
            discard=len(state.discard),
            aimed=state.aimed,
        )
        if viewer is PUBLIC:
            return View(public)
        assert isinstance(viewer, str)
        seat = Seat(viewer)
        asked = state.asks == "take" and seat == state.active
        hand = tuple(sorted(state.hands[self.seats.index(seat)]))
        return View(public, seat, hand, state.discard if asked else None)

    def knowledge(self, seat: Seat) -> Own:
        return Own(seat)

    def learn(self, own: Own, steps: Sequence[JsonObject], body: JsonObject) -> Own:
        draws, facts = iter(body["draws"]), iter(body["facts"])
        hand, stack = Counter(own.hand), own.stack
        for step in steps:
            if step.get("seat") == own.seat:
                stack = None
            hand.update(next(draws)["card"] for entry in step["chance"] if entry.get("to") == own.seat)
            for event in step["events"]:
                if event["event"] == "round-ended":
                    hand.clear()
                elif event.get("seat") != own.seat:
                    continue
                elif event["event"] == "fired":
                    if not hand[event["card"]]:
                        raise NotHeld(f"{own.seat} never held {event['card']}")
                    hand[event["card"]] -= 1
                elif event["event"] == "found":
                    hand[next(facts)["found"]] += 1
                elif event["event"] == "asked":
                    stack = tuple(next(facts)["stack"])
        return Own(own.seat, tuple(sorted(hand.elements())), stack)

    def view_of(self, public: View, own: Own) -> View:
        return View(public.public, own.seat, own.hand, own.stack)

    def imagine(self, view: View) -> State:
        public = view.public
        if public.phase in ("over", "chance") and not public.discard:
            return replace(
                self.initial_state(),
                asks="over" if public.phase == "over" else "shuffle",
                round=public.round,
                starter=public.starter,
                active=public.active,
                turns=public.turns,
                points=public.points,
            )
        shown = view.stack or ((public.top,) if public.top else ())
        unseen = list((Counter(DECK) - Counter(view.hand) - Counter(shown)).elements())
        hands = []
        for seat, count in zip(self.seats, public.hands, strict=True):
            hands.append(view.hand if seat == view.seat else tuple(sorted(unseen[:count])))
            unseen = unseen if seat == view.seat else unseen[count:]
        below = public.discard - len(shown)
        asks = {"turn": "turn", "choose": "take" if view.stack else "target"}.get(public.phase, "roll")
        return State(
            asks,
            public.round,
            public.starter,
            public.active,
            public.turns,
            public.points,
            tuple(hands),
            tuple(unseen[below:]),
            (*shown, *unseen[:below]),
            public.aimed,
        )

    # --- decisions

    def legal_actions(self, view: View) -> tuple[Action, ...]:
        if not view.public.waiting or view.public.active != view.seat:
            return ()
        actions: list[Action]
        if view.stack is not None:
            actions = [ChooseTake(card) for card in set(view.stack)]
        elif view.public.phase == "choose":
            actions = [ChooseAt(seat) for seat in self.seats if seat != view.seat]
        else:
            actions = [Shoot(card) for card in set(view.hand)]
            actions += [Draw()] if view.public.supply or view.public.discard else []
            actions += [Search()] if view.public.discard else []
        return tuple(sorted(actions, key=codec.canonical))

    def check(self, view: View, action: Action) -> None:
        if not view.public.waiting or view.public.active != view.seat:
            raise IllegalAction("X2", f"{view.seat} is not to act")
        if (view.public.phase == "choose") != isinstance(action, ChooseAt | ChooseTake):
            raise IllegalAction("X2", f"asked is: {view.public.phase}")
        match action:
            case Shoot(card, at):
                if card not in view.hand:
                    raise IllegalAction("X4", f"no {card} in the hand")
                if at is not None and (at == view.seat or at not in self.seats):
                    raise IllegalAction("X5", "another seat must be named")
            case Draw():
                if not view.public.supply and not view.public.discard:
                    raise IllegalAction("X3", "no card is left")
            case Search():
                if not view.public.discard:
                    raise IllegalAction("X7", "the discard is empty")
            case _:
                if action not in self.legal_actions(view):
                    raise IllegalAction("X4" if isinstance(action, ChooseAt) else "X6", "no such choice")

    def default_action(self, view: View) -> Action:
        return self.legal_actions(view)[0]

    def suggest(self, view: View) -> Action:
        legal = self.legal_actions(view)
        return next((action for action in legal if isinstance(action, Shoot)), legal[-1])

    def order_action(self, view: View, order: JsonObject) -> Action | None:
        wished = [ChooseAt(Seat(rule["target"])) for rule in order["rules"]]
        return next((action for action in wished if action in self.legal_actions(view)), None)

    def check_order(self, order: JsonObject, *, bulk: bool = False) -> None:  # noqa: ARG002
        rules = order.get("rules")
        if set(order) != {"rules"} or not isinstance(rules, list):
            raise MalformedAction('expected {"rules": [{"target": SEAT}, …]}')
        for rule in rules:
            if not isinstance(rule, dict) or set(rule) != {"target"} or rule["target"] not in self.seats:
                raise MalformedAction('expected {"target": SEAT}')

    # --- for people

    def summary(self, public: JsonObject) -> JsonObject:
        """How far the leader is ahead."""
        points = sorted(public["points"].values())
        return {"lead": points[-1] - points[-2]}

    def trials(self, steps: Sequence[JsonObject], _before: JsonObject | None = None) -> tuple[Trial, ...]:
        """Every shot: three of six (X4)."""
        shots = (event for step in steps for event in step["events"] if event["event"] == "shot")
        return tuple(Trial(Seat(shot["seat"]), "shot", (3, 6), shot["hit"]) for shot in shots)

    # --- packets

    def standing_facts(self, _state: State) -> tuple[Fact, ...]:
        return ()

    def packet_size(self, draws: int, shown: int) -> int | None:
        return 512 * -(-(257 + 112 * draws + 24 * shown) // 512)

    def shown(self, steps: Sequence[JsonObject]) -> int:
        return max((e["count"] for s in steps for e in s["events"] if e["event"] == "asked"), default=0)

    # --- bits

    def _hand(self, state: State) -> tuple[str, ...]:
        return state.hands[self.seats.index(state.active)]

    def _with_hand(self, state: State, hand: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        at = self.seats.index(state.active)
        return (*state.hands[:at], tuple(sorted(hand)), *state.hands[at + 1 :])

    def _after(self, seat: Seat) -> Seat:
        return self.seats[(self.seats.index(seat) + 1) % len(self.seats)]


@dataclass(frozen=True)
class StandoffGame:
    """The registry's entry."""

    info: GameInfo = field(
        default_factory=lambda: GameInfo(
            id="standoff",
            title="Standoff",
            seats=range(2, 5),
            versions=(1,),
            profiles={"default": {}},
            options={"rounds": (2, 1, 3)},
            decks={"main": DECK},
            tapes=("dice",),
            deck_lists={"main": KINDS},
        )
    )

    def resolve_options(self, profile: str, overrides: JsonObject) -> JsonObject:
        if profile not in self.info.profiles:
            raise BadSetup(f"profile {profile!r}: there is only default")
        for key, value in overrides.items():
            if value not in self.info.options.get(key, ()):
                raise BadSetup(f"option {key}={value!r}: expected one of {self.info.options.get(key)}")
        return {**{key: values[0] for key, values in self.info.options.items()}, **overrides}

    def default_extra(self, seats: Sequence[Seat]) -> JsonObject:
        return {"starter": seats[0]}

    def rules(self, setup: Setup) -> AnyRules:
        if len(setup.seats) not in self.info.seats or len(set(setup.seats)) != len(setup.seats):
            raise BadSetup("two to four different seats")
        if setup.extra.get("starter") not in setup.seats:
            raise BadSetup("starter is no seat")
        return StandoffRules(setup)

    def action_from_words(self, words: Sequence[str]) -> JsonObject:
        return codec.action_from_words(words)

    def action_to_words(self, obj: JsonObject) -> str:
        return codec.action_to_words(obj)


STANDOFF: Final = StandoffGame()
