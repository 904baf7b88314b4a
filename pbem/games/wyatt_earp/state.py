"""The state of a match and the seat's sight of it, as immutable values.

``State`` knows everything. ``Sight`` holds what the legal actions of the seat to act depend on, and nothing
else: it can be made from a state (fast, for the engine) and from a view (on a player's machine), and every
question of legality takes a sight. So a secret cannot enter the list of legal actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, Literal, NamedTuple, TypeAlias

from pbem.base.sentences import Sentence, term
from pbem.base.shapes.schema import whole_options
from pbem.base.values import dataclass
from pbem.game import JsonObject, Words

# --- the 78 cards (rules A2–A11), and the three compact forms in which the engine holds them --------------
#
# A card is a **kind**, a small integer: copies of one card are not told apart anywhere. Outlaw ``o``
# (0…6) is also the kind of his Outlaw cards; his Photo is ``PHOTO + o``.
#
# * A **hand** is one integer: four bits for each kind in the order of their names, and the number of
# cards above them, so that adding a card is one addition of ``ONE[kind]``. ``held`` and ``size`` read it.
# * A **stack** (supply, discard) is ``bytes`` of kinds, top card first. * A **group** (one Outlaw in one
# territory, D2) is an integer of small fields: ``OUTLAWS`` counts his cards, ``PHOTO_BIT``,
# ``BANK_UNIT``, ``STAGE_UNIT``, ``FASTEST_BIT`` and ``HIDEOUT_BIT`` say what else lies there.

Kind: TypeAlias = int
Outlaw: TypeAlias = int
Hand: TypeAlias = int
Group: TypeAlias = int
Stack: TypeAlias = bytes

_OUTLAWS: Final = {
    "belle-starr": "Belle Starr",
    "billy-the-kid": "Billy the Kid",
    "bob-dalton": "Bob Dalton",
    "butch-cassidy": "Butch Cassidy",
    "jesse-james": "Jesse James",
    "sundance-kid": "Sundance Kid",
    "wes-hardin": "Wes Hardin",
}
OUTLAW_NAMES: Final = tuple(_OUTLAWS)
PHOTO: Final = 7
BANK: Final = 14
STAGE: Final = 15
FASTEST: Final = 16
WANTED: Final = 17
HIDEOUT: Final = 18
EARP: Final = 19
NONE: Final = -1
"""Stands where a kind, an Outlaw or a seat may be missing."""

ENGLISH_NAMES: Final = {
    **_OUTLAWS,
    **{f"photo:{name}": f"Photo of {english}" for name, english in _OUTLAWS.items()},
    "bank-robbery": "Bank robbery",
    "stagecoach-robbery": "Stagecoach robbery",
    "fastest-gun": "Fastest gun",
    "most-wanted": "Most wanted",
    "hideout": "Hideout",
    "wyatt-earp": "Wyatt Earp",
}
"""Every kind as it is written in files, and as people read it in English."""
NAMES: Final = tuple(ENGLISH_NAMES)
"""Every kind in deck-list order (schemas/README.md §14.1)."""

COPIES: Final = (*(7,) * 7, *(1,) * 7, 4, 2, 3, 3, 3, 7)
KIND_OF: Final = {name: kind for kind, name in enumerate(NAMES)}
OUTLAW_OF: Final = {name: outlaw for outlaw, name in enumerate(OUTLAW_NAMES)}
BY_NAME: Final = tuple(sorted(range(len(NAMES)), key=lambda kind: NAMES[kind].encode()))
"""Kinds in the order of the bytes of their names."""

ALL_CARDS: Final[Stack] = bytes(kind for kind in BY_NAME for _ in range(COPIES[kind]))
"""The whole deck in the order in which ``Shuffle.cards`` lists it."""
DECK: Final = tuple(NAMES[kind] for kind in ALL_CARDS)


def card_term(kind: Kind) -> Sentence:
    """A card, or the Outlaw of that number, as a value of a sentence."""
    return term(NAMES[kind], ENGLISH_NAMES[NAMES[kind]])


ONE_CARD: Final = tuple(bytes((kind,)) for kind in range(len(NAMES)))


def is_sheriff(kind: Kind) -> bool:
    """Whether this is one of the 29 cards with a star; they are blanks, all others are hits (A11)."""
    return kind >= PHOTO


# --- hands ------------------------------------------------------------------------------------------------

BITS: Final = 4
PLACE: Final = tuple(BITS * BY_NAME.index(kind) for kind in range(len(NAMES)))
"""Where in a hand the bits of each kind begin."""
_SIZE_SHIFT: Final = BITS * len(NAMES)
ONE: Final = tuple((1 << place) + (1 << _SIZE_SHIFT) for place in PLACE)
"""What one card of each kind adds to a hand."""


def size(hand: Hand) -> int:
    """How many cards the hand has."""
    return hand >> _SIZE_SHIFT


def hand_sizes(hands: Iterable[Hand]) -> tuple[int, ...]:
    """How many cards each of these hands has."""
    return tuple([hand >> _SIZE_SHIFT for hand in hands])


def held(hand: Hand, kind: Kind) -> int:
    """How many cards of this kind the hand has."""
    return hand >> PLACE[kind] & 15


def hand_of(cards: Iterable[Kind]) -> Hand:
    """The hand that holds these cards."""
    return sum([ONE[kind] for kind in cards])


def kinds_in(hand: Hand) -> Stack:
    """Every card of the hand, sorted by the bytes of their names."""
    cards = b""
    for kind in BY_NAME:
        if hand & 15:
            cards += ONE_CARD[kind] * (hand & 15)
        hand >>= BITS
    return cards


# --- groups -----------------------------------------------------------------------------------------------

OUTLAWS: Final = 7
PHOTO_BIT: Final = 8
ANCHOR: Final = OUTLAWS | PHOTO_BIT
"""An Outlaw card or the Photo: what makes a group, and what keeps its Sheriff cards (I7, M12)."""
BANK_UNIT: Final = 16
STAGE_UNIT: Final = 128
FASTEST_BIT: Final = 512
HIDEOUT_BIT: Final = 1024

UNIT: Final = {BANK: BANK_UNIT, STAGE: STAGE_UNIT, FASTEST: FASTEST_BIT}
REWARD: Final = {BANK: 1000, STAGE: 3000, FASTEST: 1000}
"""What the shot cards that stay in a territory add to the poster (A5–A7)."""


def banks(group: Group) -> int:
    """How many Bank robberies lie on the group."""
    return group >> 4 & 7


def stages(group: Group) -> int:
    """How many Stagecoach robberies lie on the group."""
    return group >> 7 & 3


def make_group(
    outlaws: int,
    *,
    photo: bool = False,
    bank: int = 0,
    stage: int = 0,
    fastest: bool = False,
    hideout: bool = False,
) -> Group:
    """The group with these cards."""
    return (
        outlaws
        + PHOTO_BIT * photo
        + BANK_UNIT * bank
        + STAGE_UNIT * stage
        + FASTEST_BIT * fastest
        + HIDEOUT_BIT * hideout
    )


def sheriff_cards(group: Group) -> Stack:
    """The group's cards that M12 and M13 would orphan, in the order of I17 (the last one on top)."""
    return (
        ONE_CARD[BANK] * banks(group)
        + ONE_CARD[STAGE] * stages(group)
        + ONE_CARD[FASTEST] * bool(group & FASTEST_BIT)
        + ONE_CARD[HIDEOUT] * bool(group & HIDEOUT_BIT)
    )


@cache
def cards_of_group(group: Group, outlaw: Outlaw) -> Stack:
    """Every card that lies in the group."""
    photo = ONE_CARD[PHOTO + outlaw] * bool(group & PHOTO_BIT)
    return ONE_CARD[outlaw] * (group & OUTLAWS) + photo + sheriff_cards(group)


@cache
def capture_points(group: Group) -> int:
    """CP of the group: nothing while a Hideout lies on it (G1, N2)."""
    if group & HIDEOUT_BIT:
        return 0
    photo = 4 if group & PHOTO_BIT else 0
    fastest = 3 if group & FASTEST_BIT else 0
    return 2 * (group & OUTLAWS) + photo + 2 * banks(group) + stages(group) + fastest


# --- tuples -----------------------------------------------------------------------------------------------


def put(values: tuple[int, ...], at: int, value: int) -> tuple[int, ...]:
    """``values`` with one of them replaced."""
    copy = list(values)
    copy[at] = value
    return tuple(copy)


def without(stack: Stack, kind: Kind) -> Stack:
    """The stack without the topmost card of this kind; the rest keeps its order (O11)."""
    at = stack.index(kind)
    return stack[:at] + stack[at + 1 :]


def takeable(stack: Sequence[Kind] | Stack) -> int:
    """How many cards of the stack are not Wyatt Earps (O5, O18)."""
    return len(stack) - stack.count(EARP)


# --- state ------------------------------------------------------------------------------------------------

DRAW: Final = "draw"
PLAY: Final = "play"
CHOOSE: Final = "choose"
REACT: Final = "react"
CHANCE: Final = "chance"
OVER: Final = "over"
PHASES: Final = (DRAW, PLAY, CHOOSE, REACT, CHANCE, OVER)

WIN: Final = 25000
"""Somebody has this much: the match ends after the scoring (H5)."""


@dataclass(frozen=True, slots=True)
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

    @property
    def words(self) -> Words:
        """The names that its schemas speak of."""
        return (("seat", self.seats),)


class Pending(NamedTuple):
    """What is asked, of a seat or of chance.

    Of a seat (phase ``choose`` or ``react``): ``card`` asks, a Wyatt Earp with its ``mode``; in ``react`` the
    Hideout of ``by`` lies on the group of ``seat`` and ``outlaw``. Of chance: ``shuffle`` says what for
    (``first-deal``, ``deal``, ``draw``, ``shot``,
    ``search``, ``duel``, ``duel-all``); a shot remembers its card, mode and the
    target named in advance, a draw how many cards are still to be taken (``left``).
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
    """Everything (schemas/wyatt-earp/position.schema.json); hands, stacks and groups as in ``cards``.

    ``table`` holds seven groups for each seat. ``opened`` and ``laid`` are bit sets of Outlaws; ``laid`` and
    ``drawn`` are of this turn: the Outlaws already laid (kept only under ``reward_batch=per_turn``), and the card
    taken from the discard.
    """

    hand: int
    dealer: int
    active: int
    phase: str
    sheriff: bool
    reshuffled: bool
    opened: int
    laid: int
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
    opened: int
    """The Outlaws of whom single cards may be laid (D4, D6)."""
    photos: int
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
        len(state.discard) - state.discard.count(EARP),
        state.table,
        pending,
        stack,
    )


def searched_stack(match: Match, state: State) -> Stack:
    """What a search of this match looks through (O5; ``earp_search``)."""
    return state.supply if match.options.earp_search == "supply" else state.discard


def open_outlaws(options: Options, opened: int, table: tuple[Group, ...]) -> int:
    """The Outlaws of whom single cards may be laid (D4, D6): once for the hand, or by what lies there."""
    if options.opened_test == "sticky":
        return opened
    return on_table(table, ANCHOR)


def photo_outlaws(options: Options, opened: int, table: tuple[Group, ...]) -> int:
    """The Outlaws whose Photo may be played (J1): ``opened`` as for single cards, or by what lies there."""
    return opened if options.photo_test == "opened" else on_table(table, ANCHOR)


def on_table(table: tuple[Group, ...], what: int = OUTLAWS) -> int:
    """The Outlaws of whom something of ``what`` lies in any territory, as a bit set."""
    mask = 0
    for at in [at for at, group in enumerate(table) if group & what]:
        mask |= 1 << at % 7
    return mask


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
