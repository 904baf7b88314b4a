"""The state of a match, the seat's sight of it, and what each viewer may know of it, as immutable values.

``State`` knows everything. ``Sight`` holds what the legal actions of the seat to act depend on, and nothing
else: it can be made from a state (fast, for the engine) and from a view (on a player's machine), and every
question of legality takes a sight. So a secret cannot enter the list of legal actions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias

from pbem.base.sentences import sentence, term
from pbem.base.shapes.schema import whole_options
from pbem.base.values import dataclass, replace
from pbem.game import JsonObject, NotHeld, Seat, Words
from pbem.games.wyatt_earp.deck import (
    ENGLISH_NAMES,
    KIND_OF,
    NONE,
    Group,
    Hand,
    Kind,
    Outlaw,
    Stack,
    gained,
    hand_of,
    lost,
    takeable,
)

DRAW: Final = "draw"
PLAY: Final = "play"
CHOOSE: Final = "choose"
REACT: Final = "react"
CHANCE: Final = "chance"
OVER: Final = "over"
PHASES: Final = (DRAW, PLAY, CHOOSE, REACT, CHANCE, OVER)

WIN: Final = 25000
"""Somebody has this much: the match ends after the scoring (H5)."""


@dataclass(frozen=True)
class Match:
    """What does not change in a match: the seats clockwise, the options, the first dealer."""

    seats: tuple[str, ...]
    options: Options
    dealer: int
    by_name: tuple[int, ...]
    """Seats in the order of the bytes of their ids."""

    @property
    def count(self) -> int:
        """Number of seats."""
        return len(self.seats)

    @cached_property
    def words(self) -> Words:
        """The names that its schemas speak of."""
        return (("seat", self.seats),)


class Pending(NamedTuple):
    """What is asked, of a seat or of chance.

    Of a seat (phase ``choose`` or ``react``): ``card`` asks, a Wyatt Earp with its ``mode``; in ``react`` the
    Hideout of ``by`` lies on the group of ``seat`` and ``outlaw``. Of chance: ``shuffle`` says what for
    (``first-deal``, ``deal``, ``draw``, ``shot``, ``search``, ``duel``, ``duel-all``); a shot remembers its card, mode
    and the target named in advance, a draw how many cards are still to be taken (``left``).
    """

    card: Kind = NONE
    mode: str = ""
    outlaw: Outlaw = NONE
    seat: int = NONE
    by: int = NONE
    shuffle: str = ""
    left: int = 0


class Duel(NamedTuple):
    """H7: the seats still in, in drawing order; the hits of this round so far; the score of a race."""

    seats: tuple[int, ...]
    hits: tuple[bool, ...] = ()
    score: tuple[int, ...] = ()


class State(NamedTuple):
    """Everything (schemas/wyatt-earp/position.schema.json); hands, stacks and groups as in ``deck``.

    ``table`` holds seven groups for each seat. ``laid`` and ``drawn`` are of this turn: the Outlaws already laid (kept
    only under ``reward_batch=per_turn``), and the card taken from the discard.
    """

    hand: int
    dealer: int
    active: int
    phase: str
    sheriff: bool
    reshuffled: bool
    opened: frozenset[Outlaw]
    laid: frozenset[Outlaw]
    posters: tuple[int, ...]
    money: tuple[int, ...]
    hands: tuple[Hand, ...]
    supply: Stack
    discard: Stack
    table: tuple[Group, ...]
    pending: Pending | None
    found: Kind
    drawn: Kind
    duel: Duel | None
    winner: int


class Sight(NamedTuple):
    """What the seat to act may reckon with; ``supply``, ``discard`` and ``takeable`` are numbers of cards."""

    seat: int
    phase: str
    hand: Hand
    found: Kind
    sheriff: bool
    reshuffled: bool
    opened: frozenset[Outlaw]
    """The Outlaws of whom single cards may be laid (D4, D6)."""
    photos: frozenset[Outlaw]
    """The Outlaws whose Photo may be played (J1)."""
    supply: int
    discard: int
    takeable: int
    table: tuple[Group, ...]
    pending: Pending | None
    stack: Stack | None
    """What a search shows, while it asks."""


def asked(pending: Pending | None) -> Pending:
    """What is asked, where the phase says that something is."""
    if pending is None:
        raise ValueError("nothing is asked")
    return pending


def sight_of(match: Match, state: State) -> Sight:
    """What the seat to act sees in ``state``."""
    seat, phase, pending = state.active, state.phase, state.pending
    stack = None
    if pending is not None:
        if phase == REACT:
            seat = pending.seat
        elif phase == CHOOSE and pending.mode == "search":
            stack = searched_stack(match, state)
    opened = open_outlaws(match.options, state.opened, state.table)
    return Sight(
        seat,
        phase,
        state.hands[seat],
        state.found,
        state.sheriff,
        state.reshuffled,
        opened,
        photo_outlaws(match.options, opened, state.table),
        len(state.supply),
        len(state.discard),
        takeable(state.discard),
        state.table,
        pending,
        stack,
    )


def searched_stack(match: Match, state: State) -> Stack:
    """What a search of this match looks through (O5; ``earp_search``)."""
    return state.supply if match.options.earp_search == "supply" else state.discard


def open_outlaws(options: Options, opened: frozenset[Outlaw], table: tuple[Group, ...]) -> frozenset[Outlaw]:
    """The Outlaws of whom single cards may be laid (D4, D6): once for the hand, or by what lies there."""
    return opened if options.opened_test == "sticky" else on_table(table)


def photo_outlaws(options: Options, opened: frozenset[Outlaw], table: tuple[Group, ...]) -> frozenset[Outlaw]:
    """The Outlaws whose Photo may be played (J1): ``opened`` as for single cards, or by what lies there."""
    return opened if options.photo_test == "opened" else on_table(table)


def on_table(table: tuple[Group, ...]) -> frozenset[Outlaw]:
    """The Outlaws of whom a group lies in any territory."""
    return frozenset([at % 7 for at, group in enumerate(table) if group.anchored])


def money_in_bank(match: Match, posters: tuple[int, ...], money: tuple[int, ...]) -> int | None:
    """What the bank can still add; None without a limit (A14)."""
    limit = match.options.bank_limit
    if isinstance(limit, str):
        return None
    return max(0, limit - sum(posters) - sum(money))


def span_of(match: Match, state: State) -> int:
    """The hand the next decision or chance is of: after a hand's scoring, the next one (schemas/README.md §14.1)."""
    shuffle = state.pending.shuffle if state.pending is not None else ""
    if shuffle == "deal":
        return state.hand + 1
    fresh_duel = state.duel is not None and match.options.duel_deck == "fresh_78"
    return state.hand + fresh_duel


# --- the options of a match, bound, and the named profiles ------------------------------------------------
#
# What each option can be, its default first, is said by ``schemas/wyatt-earp/options.schema.json``.

GAME_ID: Final = "wyatt-earp"
PROFILES: Final[dict[str, JsonObject]] = {
    "default": {},
    "french": {
        "tie_payment": "split",
        "duel": "race",
        "next_dealer": "last_turn_player",
        "mw_order": "any_order",
        "hideout_target": "any",
        "earp_search": "supply",
        "photo_test": "presence",
    },
    "italian": {
        "mw_order": "clockwise",
        "exhaustion_end": "immediate",
        "opened_test": "presence",
        "sharers": "everybody",
        "end_condition": "first_to_25000",
    },
    "review": {
        "reaction_last_card": "at_once",
        "search_public": True,
        "shot_target": "before_shot",
        "single_shortfall": "block",
        "exhaustion_end": "immediate",
    },
}

BankLimit: TypeAlias = Literal["none"] | int


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one match, resolved; the fields are their keys."""

    hideout_reward: int
    hideout_target: str
    tie_payment: str
    single_shortfall: str
    zero_cp_shares: bool
    capture_min: int
    duel: str
    duel_deck: str
    next_dealer: str
    exhaustion_end: str
    reshuffle_timing: str
    shot_no_supply: str
    earp_short: str
    reaction_last_card: str
    mw_order: str
    opened_test: str
    photo_test: str
    earp_search: str
    search_public: bool
    reward_batch: str
    last_card_play: str
    shot_target: str
    sharers: str
    first_poster: str
    end_condition: str
    bank_limit: BankLimit


def bind_options(options: JsonObject) -> Options:
    """The options of a genesis record, every key given; ``BadSetup`` as ``whole_options``."""
    return Options(**whole_options(GAME_ID, options))


# --- what a viewer may know -------------------------------------------------------------------------------
#
# It is built up from what is public, plus what one seat learned (schemas/README.md §3.1, §14.1). ``View`` holds
# numbers where the state holds secrets. A seat's view is the public view with three things added: its hand, the card
# its search found, the stack a search shows it. ``Knowledge`` is those three, learned from the records' public steps
# and the seat's packets.


@dataclass(frozen=True, slots=True)
class View:
    """The public part, then what only ``viewer`` (a seat's index) knows; nothing of it for the public.

    Between hands and when the match is over the discard is a number alone (``top`` is ``NONE`` and
    ``takeable`` is ``NONE``): the hands lie under it (F6).
    """

    hand_number: int
    dealer: int
    active: int
    phase: str
    sheriff: bool
    reshuffled: bool
    opened: frozenset[Outlaw]
    laid: frozenset[Outlaw]
    drawn: Kind
    posters: tuple[int, ...]
    money: tuple[int, ...]
    sizes: tuple[int, ...]
    supply: int
    discard: int
    top: Kind
    takeable: int
    table: tuple[Group, ...]
    pending: Pending | None
    winner: int
    viewer: int = NONE
    hand: Hand = ()
    found: Kind = NONE
    stack: Stack | None = None

    @property
    def waiting(self) -> int:
        """The seat that must answer; ``NONE`` if chance must, or nobody."""
        if self.phase == REACT and self.pending is not None:
            return self.pending.seat
        return NONE if self.phase in (CHANCE, OVER) else self.active


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What only one seat learned: its hand (sorted names), the card found, the stack last shown."""

    seat: Seat
    hand: tuple[str, ...] = ()
    found: str | None = None
    stack: tuple[str, ...] = ()


def public_view(state: State) -> View:
    """What everybody may know (P1, P3, P7)."""
    between = state.phase in (CHANCE, OVER) and _hands_are_down(state)
    discard = state.discard
    return View(
        hand_number=state.hand,
        dealer=state.dealer,
        active=state.active,
        phase=state.phase,
        sheriff=state.sheriff,
        reshuffled=state.reshuffled,
        opened=state.opened,
        laid=state.laid,
        drawn=state.drawn,
        posters=state.posters,
        money=state.money,
        sizes=tuple(map(len, state.hands)),
        supply=len(state.supply),
        discard=len(discard),
        top=NONE if between or not discard else discard[0],
        takeable=NONE if between else takeable(discard),
        table=state.table,
        pending=None if state.phase == CHANCE else state.pending,
        winner=state.winner,
    )


def _hands_are_down(state: State) -> bool:
    """Whether the hand is over: F6 has put the hands under the discard."""
    return state.phase == OVER or (
        state.pending is not None and state.pending.shuffle not in ("draw", "shot", "search")
    )


def seat_view(match: Match, state: State, seat: int) -> View:
    """The public view and what this seat knows."""
    asked = seat == state.active and state.phase == CHOOSE
    searching = asked and state.pending is not None and state.pending.mode == "search"
    return replace(
        public_view(state),
        viewer=seat,
        hand=state.hands[seat],
        found=state.found if seat == state.active else NONE,
        stack=searched_stack(match, state) if searching else None,
    )


# --- from the record --------------------------------------------------------------------------------------


def view_of(match: Match, public: View, own: Knowledge) -> View:
    """The same view as ``seat_view``, on the player's machine."""
    seat = match.seats.index(own.seat)
    asked = public.phase == CHOOSE and public.active == seat
    searching = asked and public.pending is not None and public.pending.mode == "search"
    return replace(
        public,
        viewer=seat,
        hand=hand_of(KIND_OF[name] for name in own.hand),
        found=NONE if own.found is None else KIND_OF[own.found],
        stack=tuple(KIND_OF[name] for name in own.stack) if searching else None,
    )


def learn(own: Knowledge, steps: Sequence[JsonObject], body: JsonObject) -> Knowledge:
    """Fold one record: what came into the hand first, then what left it (schemas/README.md §14.1).

    Raises:
        NotHeld: if a card leaves that the hand never had, or an answer shows another hand than this.
    """
    facts = list(body.get("facts", ()))
    if not facts and not body.get("draws") and not any(_concerns(step, own.seat) for step in steps):
        return own
    hand = Counter(own.hand)
    events = [event for step in steps for event in step["events"]]
    hand.update(draw["card"] for draw in body.get("draws", ()))
    hand.update(fact["found"] for fact in facts if "found" in fact)
    hand.update(card for event in events for card in gained(event, own.seat))
    for event in events:
        hand.subtract(lost(event, own.seat))
        if event["event"] == "hand-ended":
            _check_held(hand, own.seat)
            hand.clear()
    _check_held(hand, own.seat)
    if any(event["event"] == "asked" and event["of"] == own.seat for event in events):
        _check_answers(own, steps, body)
    found, stack = _shown(own, steps, facts)
    return Knowledge(own.seat, tuple(sorted(hand.elements())), found, stack)


def _check_answers(own: Knowledge, steps: Sequence[JsonObject], body: JsonObject) -> None:
    """Whether the seat has the card that it is asked for (M4), as its hand was before that step."""
    hand = Counter(own.hand)
    draws = iter([draw["card"] for draw in body.get("draws", ())])
    found = iter([fact["found"] for fact in body.get("facts", ()) if "found" in fact])
    for step in steps:
        for event in step["events"]:
            if (
                event["event"] == "asked"
                and event["of"] == own.seat
                and event["has"] != (hand[event["outlaw"]] > 0)
            ):
                has = "has" if event["has"] else "has none"
                raise NotHeld(
                    f"{own.seat} was asked for {event['outlaw']}; the record says that the hand {has}"
                )
        mine = sum(entry.get("to") == own.seat for entry in step.get("chance", ()))
        hand.update(card for _, card in zip(range(mine), draws, strict=False))
        for event in step["events"]:
            if event["event"] == "found" and event["seat"] == own.seat:
                hand.update(card for _, card in zip(range(1), found, strict=False))
            hand.update(gained(event, own.seat))
            hand.subtract(lost(event, own.seat))
            if event["event"] == "hand-ended":
                hand.clear()


def _concerns(step: JsonObject, seat: Seat) -> bool:
    """Whether a step can change what a seat knows of its own."""
    return step.get("seat") == seat or any(
        event["event"] == "hand-ended" or seat in [event.get(name) for name in ("seat", "from", "to", "of")]
        for event in step["events"]
    )


def _check_held(hand: Counter[str], seat: Seat) -> None:
    for card, count in hand.items():
        if count < 0:
            raise NotHeld(
                sentence(
                    "{seat} showed more of {card} than that hand ever held: {count}",
                    seat=seat,
                    card=term(card, ENGLISH_NAMES.get(card, card)),
                    count=-count,
                )
            )


def _shown(
    own: Knowledge, steps: Sequence[JsonObject], facts: Sequence[JsonObject]
) -> tuple[str | None, tuple[str, ...]]:
    """The card found and the stack shown, as they stand after the record: until the seat's next action (O7)."""
    found, stack = own.found, own.stack
    found_facts = iter([fact["found"] for fact in facts if "found" in fact])
    stack_facts = iter([tuple(fact["stack"]) for fact in facts if "stack" in fact])
    if not steps:  # a packet sent again (rekey, substitute): nothing was done since, so the last word stands
        return next(iter(list(found_facts)[-1:]), found), next(iter(list(stack_facts)[-1:]), stack)
    for step in steps:
        if step.get("seat") == own.seat:
            found, stack = None, ()
        for event in step["events"]:
            if event["event"] == "hand-ended":
                found, stack = None, ()
            if event.get("seat") == own.seat and event["event"] == "found":
                found = next(found_facts, None)
            if event.get("seat") == own.seat and event["event"] == "searching":
                stack = next(stack_facts, ())
    return found, stack


def sight_in(match: Match, view: View) -> Sight:
    """What the legal actions of the viewer depend on; equals ``sight_of`` the state for the seat to act."""
    opened = open_outlaws(match.options, view.opened, view.table)
    return Sight(
        view.viewer,
        view.phase,
        view.hand,
        view.found,
        view.sheriff,
        view.reshuffled,
        opened,
        photo_outlaws(match.options, opened, view.table),
        view.supply,
        view.discard,
        view.takeable,
        view.table,
        view.pending,
        view.stack,
    )
