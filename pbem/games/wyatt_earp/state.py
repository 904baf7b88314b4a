"""The state of a match and the sight that the seat to act has of it, as immutable values.

``State`` knows everything. ``Sight`` holds what the legal actions of the seat to act depend on, and nothing
else: it can be made from a state (fast, for the engine) and from a view (on a player's machine), and every
question of legality takes a sight. So a secret cannot enter the list of legal actions.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, NamedTuple

from pbem.base.values import dataclass
from pbem.game import Words
from pbem.games.wyatt_earp.deck import NONE, Group, Hand, Kind, Outlaw, Stack, takeable
from pbem.games.wyatt_earp.options import Options

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
