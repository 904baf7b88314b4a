"""What a viewer may know: what is public, plus what one seat learned (schemas/README.md §3.1, §14.1).

``View`` holds numbers where the state holds secrets. A seat's view is the public view with three things added: its
hand, the card its search found, the stack a search shows it. ``Knowledge`` is those three, learned from the records'
public steps and the seat's packets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pbem.base.sentences import sentence, term
from pbem.base.values import dataclass, replace
from pbem.game import JsonObject, NotHeld, Seat
from pbem.games.wyatt_earp.deck import (
    ENGLISH_NAMES,
    KIND_OF,
    NONE,
    Group,
    Hand,
    Kind,
    Outlaw,
    Stack,
    hand_of,
    takeable,
)
from pbem.games.wyatt_earp.memory import gained, lost
from pbem.games.wyatt_earp.state import (
    CHANCE,
    CHOOSE,
    OVER,
    REACT,
    Match,
    Pending,
    Sight,
    State,
    open_outlaws,
    photo_outlaws,
    searched_stack,
)


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
