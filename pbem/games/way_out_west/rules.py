"""The engine of Way Out West: ``Rules`` of ``pbem.game`` for one match.

The work is done one module further: ``results`` (setup, auction, turn), ``gunfight``, ``legality`` and ``listing``,
``scoring``, ``orders``, ``player``. Everything lies open, so a view is the position itself, with only the viewer's
own cash under ``money_public=false``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import le
from typing import assert_never

from pbem import game
from pbem.base.sentences import sentence
from pbem.games.ordering import Offer, RuleState
from pbem.games.way_out_west import (
    actions,
    foresight,
    groups,
    gunfight,
    legality,
    listing,
    odds,
    orders,
    player,
    position_json,
    results,
)
from pbem.games.way_out_west.board import PLAYERS, read_board
from pbem.games.way_out_west.draft import Draft, use_box
from pbem.games.way_out_west.money import FollowedMoney
from pbem.games.way_out_west.options import bind_options
from pbem.games.way_out_west.results import current
from pbem.games.way_out_west.scoring import points_of, winners_of
from pbem.games.way_out_west.state import NOBODY, Match, Position, Side, View, make_match

VERSIONS = (1,)
PACKET_SIZE = 512
"""schemas/README.md §14.2: bytes of a packet under ``money_public=false``."""


@dataclass(frozen=True, slots=True)
class Own:
    """What only one seat learned: its cash, where that is hidden."""

    seat: game.Seat
    cash: int


class WayOutWestRules:
    """Rules A to Q bound to the seats, options and board of one match."""

    def __init__(self, setup: game.Setup) -> None:
        if len(setup.seats) not in PLAYERS or len(set(setup.seats)) < len(setup.seats):
            raise game.BadSetup(
                sentence(
                    "Way Out West needs 3, 4 or 5 different seats (A1), found {seats}",
                    seats=", ".join(setup.seats) or sentence("none"),
                )
            )
        if setup.version not in VERSIONS:
            raise game.BadSetup(
                sentence(
                    "no rules version {version}; there are: {versions}",
                    version=setup.version,
                    versions=", ".join(map(str, VERSIONS)),
                )
            )
        if set(setup.extra) != {"board"}:
            raise game.BadSetup(
                sentence(
                    "a board is set up and nothing else, found {names}",
                    names=", ".join(sorted(setup.extra)) or sentence("none"),
                )
            )
        self.setup = setup
        """What these rules are bound to."""
        self.match: Match = make_match(
            setup.seats, bind_options(setup.options), read_board(setup.extra["board"], bulk=setup.recorded)
        )

    @property
    def words(self) -> game.Words:
        """Seats, towns and boxes."""
        return self.match.words

    @property
    def has_secrets(self) -> bool:
        """Only hidden money (A11) is secret."""
        return not self.match.options.money_public

    # --- transitions ---

    def initial_state(self) -> Position:
        """Before the roll for the first player (A5)."""
        return results.first_position(self.match)

    def node(self, state: Position) -> game.Node:
        """A decision of the asked seat, dice, or the outcome."""
        if state.phase == "over":
            return game.Terminal(self._outcome(state))
        if state.phase == "chance":
            return game.Chance(self._roll(state))
        return game.Decision(self.match.seats[state.decider], state.phase)

    def _roll(self, state: Position) -> game.Roll:
        if state.fight is None:
            return game.Roll("first player", "public", (len(self.match.seats),))
        return gunfight.dice_wanted(self.match, state.fight)

    def _outcome(self, state: Position) -> game.JsonObject:
        points = points_of(self.match, state)
        return {
            "winners": [self.match.seats[seat] for seat in winners_of(points)],
            "points": {seat: score.total for seat, score in zip(self.match.seats, points, strict=True)},
        }

    def span(self, state: Position) -> int:
        """The game turn, from 1; the first also holds A5 and the setup."""
        return state.space - self.match.start_space + 1

    def apply(self, state: Position, action: actions.Action) -> game.Step[Position, actions.Event]:
        """Check and carry out an action of the seat that is to decide; then whatever follows without a choice."""
        seat = state.decider
        if seat == NOBODY:
            raise game.IllegalAction((), sentence("nobody is to decide now"))
        legality.check(self.match, state, seat, action)
        draft = Draft(self.match, state)
        self._carry_out(draft, seat, action)
        return self._step(draft)

    def resolve(self, state: Position, outcome: game.Outcome) -> game.Step[Position, actions.Event]:
        """Go on with the dice."""
        if state.phase != "chance":
            raise ValueError("no dice are needed now")
        sides = self._roll(state).sides
        if len(outcome) != len(sides) or min(outcome, default=1) < 1 or not all(map(le, outcome, sides)):
            raise ValueError(f"{list(outcome)} are not dice with {list(sides)} sides")
        draft = Draft(self.match, state)
        if state.fight is None:
            results.decide_first_player(draft, outcome[0])
        else:
            gunfight.rolled(draft, tuple(outcome))
        return self._step(draft)

    def _step(self, draft: Draft) -> game.Step[Position, actions.Event]:
        return game.Step(results.settle(draft), tuple(draft.events))

    def _carry_out(self, draft: Draft, seat: int, action: actions.Action) -> None:
        match action:
            case (
                actions.MoveCowboys()
                | actions.Gunfight()
                | actions.Cowboys()
                | actions.Farmer()
                | actions.Build()
                | actions.MoveCattle()
                | actions.Cattle()
            ):
                self._use_box(draft, seat, action)
            case actions.PlaceCowboy():
                results.place_in_setup(draft, seat, draft.town(action.town))
            case actions.Bid():
                results.bid(draft, seat, action.amount)
            case actions.DropOut():
                results.drop_out(draft, seat)
            case actions.Pass():
                draft.spend_token(seat, next((box for box in self.match.boxes if box.id == action.box), None))
                results.next_action(draft)
            case (
                actions.AskSheriff()
                | actions.LendSheriff()
                | actions.Fire()
                | actions.Retreat()
                | actions.LeaveTown()
                | actions.TakeWanted()
            ):
                self._answer(draft, seat, action)
            case _:
                assert_never(action)

    def _use_box(self, draft: Draft, seat: int, action: actions.BoxAction) -> None:
        use_box(draft, seat, action)
        if isinstance(action, actions.Gunfight):
            gunfight.declare(draft, seat, action)
        else:
            results.next_action(draft)

    def _answer(
        self,
        draft: Draft,
        seat: int,
        action: actions.AskSheriff
        | actions.LendSheriff
        | actions.Fire
        | actions.Retreat
        | actions.LeaveTown
        | actions.TakeWanted,
    ) -> None:
        side: Side = "attack" if seat == current(draft).attacker else "defence"
        match action:
            case actions.AskSheriff():
                gunfight.answer_ask(draft, asked=action.ask)
            case actions.LendSheriff():
                gunfight.answer_lend(draft, lent=action.lend)
            case actions.Fire():
                gunfight.fire(draft, side)
            case actions.Retreat():
                gunfight.retreat(draft, side, tuple([draft.town(name) for name in action.to]))
            case actions.LeaveTown():
                results.leave(draft, tuple((draft.town(name), count) for name, count in action.moves))
            case actions.TakeWanted():
                results.take_wanted(draft, seat, self.match.seat_numbers[action.seat])
            case _:
                assert_never(action)

    # --- views ---

    def observe(self, state: Position, viewer: game.Viewer) -> View:
        """The position; of the cash only the viewer's own if money is hidden."""
        number = self.match.seat_numbers[viewer] if isinstance(viewer, str) else NOBODY
        if self.match.options.money_public:
            return View(state, number, self.match.everybody)
        shown = () if number == NOBODY else (number,)
        cash = tuple(cash if seat in shown else 0 for seat, cash in enumerate(state.cash))
        return View(state._replace(cash=cash), number, shown)

    def knowledge(self, seat: game.Seat) -> Own:
        """A3: everybody's cash at the start is known."""
        return Own(seat, self.match.start_cash)

    def learn(self, own: Own, steps: Sequence[game.JsonObject], body: game.JsonObject) -> Own:
        """Take the seat's cash from its packet."""
        del steps  # what they show is in the public view
        amounts = [fact["cash"] for fact in body.get("facts", []) if "cash" in fact]
        return Own(own.seat, amounts[-1]) if amounts else own

    def view_of(self, public: View, own: Own) -> View:
        """The public view with the seat's own cash in it."""
        number = self.match.seat_numbers[own.seat]
        if self.match.options.money_public:
            return View(public.position, number, public.shown)
        cash = tuple(own.cash if seat == number else 0 for seat in range(len(self.match.seats)))
        return View(public.position._replace(cash=cash), number, (number,))

    def imagine(self, view: View) -> Position:
        """The position; hidden cash as at the start of the match."""
        hidden = self.match.start_cash
        cash = (cash if seat in view.shown else hidden for seat, cash in enumerate(view.position.cash))
        return view.position._replace(cash=tuple(cash))

    def remembers_all(self) -> bool:
        """Hidden money is reckoned from all that everybody saw paid."""
        return self.has_secrets

    def follow(
        self,
        memory: game.JsonObject,
        record: game.JsonObject,
        pick: int = 0,  # noqa: ARG002  there is one filling
    ) -> FollowedMoney:
        """Remembered is everybody's cash, where it is hidden: whoever follows the events knows it."""
        return FollowedMoney(self.match, memory, record["steps"])

    def worlds(self, view: View) -> tuple[Position, ...]:
        """One: what is hidden (others' cash) forbids this seat nothing."""
        return (self.imagine(view),)

    def extras(self, view: View, action: actions.Action) -> tuple[actions.Action, ...]:
        """The same action with one thing more named in advance (``legality``)."""
        return foresight.extras(self.match, view.position, view.viewer, action)

    # --- decisions ---

    def legal(self, state: Position) -> Sequence[actions.Action]:
        """Legal actions of the seat to act: ``legal_actions`` of its view, without making the view."""
        return listing.legal_actions(self.match, state)

    def legal_actions(self, view: View) -> Sequence[actions.Action]:
        """Short forms, in order."""
        return listing.legal_actions(self.match, view.position) if view.decides else ()

    def check(self, view: View, action: actions.Action) -> None:
        """Every row that forbids the action, named at once."""
        legality.check(self.match, view.position, view.viewer, action)

    def default_action(self, view: View) -> actions.Action:
        """schemas/README.md §14.2: never rolls dice of its own accord, gives nothing away."""
        return orders.default_action(self.match, view)

    def order_action(self, view: View, order: game.JsonObject) -> actions.Action | None:
        """The first rule of a standing order that answers what is asked."""
        return orders.order_action(self.match, view, order)

    def check_order(self, order: game.Json, *, bulk: bool = False) -> None:
        """Refuse what is no order of this game."""
        orders.check_order(self.match, order, bulk=bulk)

    def turn_so_far(self, turn: game.JsonObject, events: Sequence[game.JsonObject]) -> game.JsonObject:
        """The running turn after these events (``pbem.games.ordering``)."""
        return orders.turn_so_far(turn, events)

    def rule_states(self, view: View, order: game.JsonObject) -> tuple[RuleState, ...]:
        """The result of each rule in this view."""
        return orders.rule_states(self.match, view, order)

    def suppose(self, view: View) -> tuple[tuple[str, View], ...]:
        """The bidding and the actions, as if they were asked now."""
        return player.suppose(self.match, view)

    def advise_orders(self, view: View, turn: game.JsonObject) -> game.JsonObject:
        """The orders that the computer player sends along."""
        return player.advise_orders(self.match, view, turn)

    def grouped(
        self,
        view: View,
        actions: Sequence[game.JsonObject],
        seen: Sequence[game.JsonObject],  # noqa: ARG002  everything lies open
    ) -> list[tuple[str, str]]:
        """What may be done, combinations in one line each (``pbem.game.Grouping``)."""
        return groups.grouped(self.match, view.position, view.viewer, actions)

    def common_orders(
        self, public: View | None, seat: game.Seat, turn: game.JsonObject, done: Sequence[game.JsonObject]
    ) -> tuple[Offer, ...]:
        """What a client offers after a choice (``pbem.games.ordering.Offering``)."""
        return groups.common_orders(self.match, public, seat, turn, done)

    def suggest(self, view: View) -> actions.Action:
        """The computer player."""
        return player.suggest(self.match, view)

    def summary(self, public: game.JsonObject) -> game.JsonObject:
        """Towns, boxes, income and points as they would be now."""
        return position_json.summary(self.match, public)

    def trials(
        self, steps: Sequence[game.JsonObject], before: game.JsonObject | None = None
    ) -> tuple[game.Trial, ...]:
        """Every die of a volley that a seat fired, against its chance of one third."""
        return odds.trials(steps, before)

    def standing_facts(self, state: Position) -> tuple[game.Fact, ...]:
        """Each seat's cash, where it is hidden."""
        if self.match.options.money_public:
            return ()
        return tuple(
            game.Fact(seat, {"cash": cash}) for seat, cash in zip(self.match.seats, state.cash, strict=True)
        )

    def packet_size(self, draws: int, shown: int) -> int | None:
        """512 bytes where money is secret, else None (schemas/README.md §14.2)."""
        del draws, shown  # no cards
        return PACKET_SIZE if self.has_secrets else None

    def shown(self, steps: Sequence[game.JsonObject]) -> int:
        """No stacks are shown."""
        del steps
        return 0

    # --- codecs ---

    def action_from_json(self, obj: game.Json, *, bulk: bool = False) -> actions.Action:
        """Parsed and put in order."""
        return position_json.action_from_json(self.match, obj, bulk=bulk)

    def action_to_json(self, action: actions.Action) -> game.JsonObject:
        """The canonical object."""
        return actions.action_to_json(action)

    def public_action(self, action: actions.Action) -> game.JsonObject:
        """Nothing in an action is secret."""
        return actions.action_to_json(action)

    def is_secret(self, action: actions.Action) -> bool:
        """Never."""
        del action
        return False

    def may_reveal(self, action: actions.Action) -> bool:
        """Whether dice may follow: a gunfight, and every answer in one."""
        return isinstance(
            action, (actions.Gunfight, actions.AskSheriff, actions.LendSheriff, actions.Fire, actions.Retreat)
        )

    def event_to_json(self, event: actions.Event, viewer: game.Viewer) -> game.JsonObject:
        """Every field, for everybody."""
        del viewer
        return actions.event_to_json(event)

    def view_to_json(self, view: View) -> game.JsonObject:
        """The position and who is waited for."""
        obj = position_json.position_to_json(self.match, view.position, view.shown)
        if view.position.decider != NOBODY:
            obj["waiting"] = {"seat": self.match.seats[view.position.decider], "phase": view.position.phase}
        return obj

    def public_from_json(self, obj: game.Json) -> View:
        """The view that a record holds."""
        try:
            position = position_json.position_from_json(self.match, obj, hidden=0, bulk=True)
        except game.BadSetup as error:
            raise game.MalformedAction(str(error)) from error
        return self.observe(position, game.PUBLIC)

    def position_to_json(self, state: Position) -> game.JsonObject:
        """Everything, every default included."""
        return position_json.position_to_json(self.match, state, range(len(self.match.seats)))

    def position_from_json(self, obj: game.Json) -> Position:
        """What a scenario describes."""
        return position_json.position_from_json(self.match, obj, hidden=self.match.start_cash)
