"""The engine of one match (``pbem.game.Rules``); the registry's entry is ``game``.

Version 1 of the rules. Nothing is decided here: the methods of ``pbem.game`` are handed on to the modules that
know (``legality``, ``conditions``, ``turn``, ``state``, …).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pbem import game
from pbem.base.sentences import sentence
from pbem.games.ordering import Offer, RuleState
from pbem.games.touching import refuse
from pbem.games.wyatt_earp import actions, filling, groups, orders, player
from pbem.games.wyatt_earp.conditions import check, out_of_turn
from pbem.games.wyatt_earp.counting import CardMemory, Odds
from pbem.games.wyatt_earp.deck import NAMES, NONE, hand_of
from pbem.games.wyatt_earp.ending import before_the_match
from pbem.games.wyatt_earp.imagining import imagine, worlds
from pbem.games.wyatt_earp.legality import extras, legal
from pbem.games.wyatt_earp.position_json import (
    position_from_json,
    position_to_json,
    public_from_json,
    summary,
    top_of,
    view_to_json,
)
from pbem.games.wyatt_earp.state import CHANCE, OVER, REACT, Match, State, asked, sight_of, span_of
from pbem.games.wyatt_earp.turn import after_shuffle, play, to_shuffle
from pbem.games.wyatt_earp.views import Knowledge, View, learn, public_view, seat_view, sight_in, view_of

_LABELS: Final = {
    "first-deal": "the deal",
    "deal": "the deal",
    "draw": "the discard becomes the supply",
    "shot": "the discard becomes the supply",
    "search": "the supply after a search",
    "duel": "the discard, for the duel",
    "duel-all": "all cards, for the duel",
}


class WyattEarpRules:
    """The pure engine of one match (``pbem.game.Rules``)."""

    def __init__(self, setup: game.Setup, match: Match) -> None:
        self.setup = setup
        """What these rules are bound to."""
        self._match = match

    @property
    def match(self) -> Match:
        """Seats, options and dealer, as the engine holds them."""
        return self._match

    @property
    def words(self) -> game.Words:
        """The seats."""
        return self._match.words

    @property
    def has_secrets(self) -> bool:
        """Hands are secret (B5)."""
        return True

    def initial_state(self) -> State:
        """Before the first deal: the shuffle of all 78 cards is asked for."""
        return before_the_match(self._match)

    def node(self, state: State) -> game.Node:
        """Who or what must answer next."""
        if state.phase == CHANCE:
            cards = tuple([NAMES[kind] for kind in hand_of(to_shuffle(state))])
            return game.Chance(game.Shuffle(_LABELS[asked(state.pending).shuffle], "main", cards))
        if state.phase == OVER:
            return game.Terminal(actions.outcome(state.winner, state.money, self._match.seats))
        seat = asked(state.pending).seat if state.phase == REACT else state.active
        return game.Decision(game.Seat(self._match.seats[seat]), state.phase)

    def span(self, state: State) -> int:
        """The number of the hand; a duel with ``fresh_78`` has the number after the last one."""
        return span_of(self._match, state)

    def apply(self, state: State, action: actions.Action) -> game.Step[State, actions.Event]:
        """Check and carry out ``action`` for the seat that is to decide."""
        check(self._match, sight_of(self._match, state), action)
        return play(self._match, state, action)

    def resolve(self, state: State, outcome: game.Outcome) -> game.Step[State, actions.Event]:
        """Carry on with a permutation of the cards that were to be shuffled."""
        if state.phase != CHANCE:
            raise ValueError("no chance is asked for")
        cards = hand_of(to_shuffle(state))
        if sorted(outcome) != list(range(len(cards))):
            raise ValueError(f"expected a permutation of 0…{len(cards) - 1}, found {len(outcome)} numbers")
        return after_shuffle(self._match, state, tuple([cards[place] for place in outcome]))

    def observe(self, state: State, viewer: game.Viewer) -> View:
        """What the public or one seat may know now."""
        if viewer is game.PUBLIC:
            return public_view(state)
        if viewer is game.FULL:
            raise ValueError("full knowledge is no view; it is position_to_json")
        return seat_view(self._match, state, self._match.seats.index(str(viewer)))

    def knowledge(self, seat: game.Seat) -> Knowledge:
        """An empty hand."""
        return Knowledge(seat)

    def learn(self, own: Knowledge, steps: Sequence[game.JsonObject], body: game.JsonObject) -> Knowledge:
        """Fold one record's public steps and the body of the seat's packet (schemas/README.md §14.1)."""
        return learn(own, steps, body)

    def view_of(self, public: View, own: Knowledge) -> View:
        """The seat's view; equals ``observe`` of that seat."""
        return view_of(self._match, public, own)

    def imagine(self, view: View) -> State:
        """A full state that agrees with ``view``."""
        return imagine(self._match, view)

    def worlds(self, view: View) -> tuple[State, ...]:
        """Full states that agree with ``view`` and differ in the cards it does not show."""
        return worlds(self._match, view)

    def extras(self, view: View, action: actions.Action) -> tuple[actions.Action, ...]:
        """The same action with one thing more named in advance (``legality``)."""
        return extras(self._match, sight_in(self._match, view), action)

    # --- decisions

    def legal(self, state: State) -> tuple[actions.Action, ...]:
        """Legal actions of the seat to act: ``legal_actions`` of its view, without making the view."""
        return legal(self._match, sight_of(self._match, state))

    def legal_actions(self, view: View) -> tuple[actions.Action, ...]:
        """Short forms, in canonical order; none for a viewer that is not asked."""
        return legal(self._match, sight_in(self._match, view)) if self._is_asked(view) else ()

    def check(self, view: View, action: actions.Action) -> None:
        """Raise ``IllegalAction`` unless the viewer may play this now."""
        sight = sight_in(self._match, view)
        if not self._is_asked(view):
            refuse([out_of_turn(sight, action)])
        check(self._match, sight, action)

    def _is_asked(self, view: View) -> bool:
        return view.viewer != NONE and view.waiting == view.viewer

    def default_action(self, view: View) -> actions.Action:
        """schemas/README.md §14.1: the top discard; that card again; no; pass. Always of the list, mostly its first."""
        choices = self.legal_actions(view)
        if not choices:
            raise game.IllegalAction(("C1",), sentence("this seat is not asked anything"))
        discards = [action for action in choices if isinstance(action, actions.Discard)]
        again = actions.Discard(view.drawn)
        return again if again in discards else (discards or choices)[0]

    def order_action(self, view: View, order: game.JsonObject) -> actions.Action | None:
        """What the standing order answers here."""
        return orders.order_action(self._match, view, order)

    def check_order(self, order: game.Json, *, bulk: bool = False) -> None:
        """Raise ``MalformedAction`` unless ``order`` is in the vocabulary of ``orders``."""
        orders.check_order(self._match, order, bulk=bulk)

    def turn_so_far(self, turn: game.JsonObject, events: Sequence[game.JsonObject]) -> game.JsonObject:
        """The running turn after these events (``pbem.games.ordering``)."""
        return orders.turn_so_far(turn, events)

    def rule_states(self, view: View, order: game.JsonObject) -> tuple[RuleState, ...]:
        """The result of each rule in this view."""
        return orders.rule_states(self._match, view, order)

    def suppose(self, view: View) -> tuple[tuple[str, View], ...]:
        """The draw, the play, and a Hideout on each own group, as if they were asked now."""
        return player.suppose(self._match, view)

    def advise_orders(self, view: View, turn: game.JsonObject) -> game.JsonObject:
        """The orders that the computer player sends along."""
        return player.advise_orders(self._match, view, turn)

    def common_orders(
        self, public: View | None, seat: game.Seat, turn: game.JsonObject, done: Sequence[game.JsonObject]
    ) -> tuple[Offer, ...]:
        """What a client offers after a choice (``pbem.games.ordering.Offering``)."""
        return orders.common_orders(public, seat, turn, done)

    def remembers_all(self) -> bool:
        """A hand is forgotten when it is over (``pbem.game.Filling``)."""
        return False

    def follow(
        self, memory: game.JsonObject, record: game.JsonObject, pick: int = 0
    ) -> filling.FollowedCards:
        """Remembered are the discard in its order, and what somebody took openly."""
        return filling.FollowedCards(self._match, memory, record, pick)

    def grouped(
        self, view: View, actions: Sequence[game.JsonObject], seen: Sequence[game.JsonObject]
    ) -> list[tuple[str, str]]:
        """What may be done, combinations in one line each, with the odds of a shot (``pbem.game.Grouping``)."""
        return groups.grouped(self._match, view, actions, self.odds(view, seen))

    def odds(self, view: View, seen: Sequence[game.JsonObject]) -> Odds:
        """The cards that would hit, of those that the viewer has not seen (``pbem.game.Counting``)."""
        notes = CardMemory(self._match.seats)
        for body in seen:
            events = (event for step in body["steps"] for event in step["events"])
            notes.note_all(events, top_of(body["public"]))
        return notes.odds(view)

    def suggest(self, view: View) -> actions.Action:
        """What the computer player does."""
        return player.suggest(self._match, view)

    def summary(self, public: game.JsonObject) -> game.JsonObject:
        """Capture points by Outlaw and seat, who is captured, who is rich (``summary``)."""
        return summary(self._match, public)

    def trials(
        self,
        steps: Sequence[game.JsonObject],
        before: game.JsonObject | None = None,  # noqa: ARG002 - a shot names its seat itself
    ) -> tuple[game.Trial, ...]:
        """Every shot and every card of a duel, with the chance it had before the deal: 49 hits in 78 (A2)."""
        return tuple(
            game.Trial(game.Seat(event["seat"]), _TRIALS[event["event"]], (49, 78), event["hit"])
            for step in steps
            for event in step["events"]
            if event["event"] in _TRIALS
        )

    def standing_facts(self, state: State) -> tuple[game.Fact, ...]:  # noqa: ARG002
        """Nothing is learned again and again."""
        return ()

    def packet_size(self, draws: int, shown: int) -> int:
        """512 · ⌈(257 + 112·D + 24·S) / 512⌉ bytes (schemas/README.md §14.1)."""
        return -(-(257 + 112 * draws + 24 * shown) // 512) * 512

    def shown(self, steps: Sequence[game.JsonObject]) -> int:
        """The biggest stack that a search of these steps shows."""
        events = (event for step in steps for event in step["events"])
        return max((event["cards"] for event in events if event["event"] == "searching"), default=0)

    # --- codecs

    def action_from_json(self, obj: game.Json, *, bulk: bool = False) -> actions.Action:
        """Raises ``MalformedAction``."""
        return actions.action_from_json(self._match, obj, bulk=bulk)

    def action_to_json(self, action: actions.Action) -> game.JsonObject:
        """The canonical object."""
        return actions.action_to_json(action, self._match.seats)

    def public_action(self, action: actions.Action) -> game.JsonObject:
        """Without ``take``, unless searches are public."""
        public = actions.public_form(action, search_public=self._match.options.search_public)
        return actions.action_to_json(public, self._match.seats)

    def is_secret(self, action: actions.Action) -> bool:
        """Whether the action names a card that a search is to take (O10)."""
        takes = (isinstance(action, actions.EarpSearch) and bool(action.take)) or (
            isinstance(action, actions.Choose) and action.take != NONE
        )
        return takes and not self._match.options.search_public

    def may_reveal(self, action: actions.Action) -> bool:
        """Draws, shots, Most wanted, all of Wyatt Earp, and the card a search takes."""
        if isinstance(action, actions.Choose):
            return action.take != NONE
        if isinstance(action, actions.React):
            return action.earp
        return isinstance(action, actions.Draw | actions.Revealing)

    def event_to_json(self, event: actions.Event, viewer: game.Viewer) -> game.JsonObject:
        """The event with the fields ``viewer`` may know."""
        return actions.event_to_json(
            event, actions.EventViewer(self._match.seats, viewer, self._match.options.search_public)
        )

    def view_to_json(self, view: View) -> game.JsonObject:
        """As ``view.schema.json`` has it."""
        return view_to_json(self._match, view)

    def public_from_json(self, obj: game.Json) -> View:
        """The public view of a record."""
        return public_from_json(self._match, obj)

    def position_to_json(self, state: State) -> game.JsonObject:
        """As ``position.schema.json`` has it, every default included."""
        return position_to_json(self._match, state)

    def position_from_json(self, obj: game.Json) -> State:
        """The state of a scenario's position."""
        return position_from_json(self._match, obj)


_TRIALS: Final = {"shot": sentence("shot"), "duel-draw": sentence("duel")}
