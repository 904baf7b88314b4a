"""The 78 cards (rules A2–A11), and the three compact forms in which the engine holds them.

A card is a **kind**, a small integer: copies of one card are not distinguished anywhere. Outlaw ``o``
(0…6) is also the kind of his Outlaw cards; his Photo is ``PHOTO + o``.

* A **hand** is one integer: four bits for each kind in the order of their names, and the number of cards above
  them, so that adding a card is one addition of ``ONE[kind]``. ``held`` and ``size`` read it.
* A **stack** (supply, discard) is ``bytes`` of kinds, top card first.
* A **group** (one Outlaw in one territory, D2) is an integer of small fields: ``OUTLAWS`` counts his cards,
  ``PHOTO_BIT``, ``BANK_UNIT``, ``STAGE_UNIT``, ``FASTEST_BIT`` and ``HIDEOUT_BIT`` say what else lies there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, TypeAlias

from pbem.base.sentences import Sentence, term

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
