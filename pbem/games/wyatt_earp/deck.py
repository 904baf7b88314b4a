"""The 78 cards (rules A2–A11) as the engine holds them.

A card is a **kind**, a small integer: copies of one card are not distinguished anywhere. Outlaw ``o``
(0…6) is also the kind of the Outlaw's cards; the Photo is ``PHOTO + o``. A **hand** is a tuple of kinds in the order of
their names, a **stack** (supply, discard) one with the top card first, a **group** what lies of one Outlaw in one
territory (D2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias, TypeVar

from pbem.base.sentences import Sentence, term
from pbem.game import JsonObject

Kind: TypeAlias = int
Outlaw: TypeAlias = int
Hand: TypeAlias = tuple[Kind, ...]
Stack: TypeAlias = tuple[Kind, ...]

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

ALL_CARDS: Final[Stack] = tuple(kind for kind in BY_NAME for _ in range(COPIES[kind]))
"""The whole deck in the order in which ``Shuffle.cards`` lists it."""
DECK: Final = tuple(NAMES[kind] for kind in ALL_CARDS)


def card_term(kind: Kind) -> Sentence:
    """A card, or the Outlaw of that number, as a value of a sentence."""
    return term(NAMES[kind], ENGLISH_NAMES[NAMES[kind]])


def is_sheriff(kind: Kind) -> bool:
    """Whether this is one of the 29 cards with a star; they are blanks, all others are hits (A11)."""
    return kind >= PHOTO


_PLACE: Final = tuple(BY_NAME.index(kind) for kind in range(len(NAMES)))


def hand_of(cards: Iterable[Kind]) -> Hand:
    """Sort these cards by the bytes of their names."""
    return tuple(sorted(cards, key=_PLACE.__getitem__))


REWARD: Final = {BANK: 1000, STAGE: 3000, FASTEST: 1000}
"""What the shot cards that stay in a territory add to the poster (A5–A7)."""


class Group(NamedTuple):
    """What lies of one Outlaw in one territory: cards of the Outlaw, and what lies on them."""

    outlaws: int = 0
    photo: bool = False
    banks: int = 0
    stages: int = 0
    fastest: bool = False
    hideout: bool = False

    @property
    def anchored(self) -> bool:
        """Whether an Outlaw card or the Photo is there: what makes a group, and keeps its Sheriff cards (I7, M12)."""
        return self.outlaws > 0 or self.photo

    @property
    def sheriff_cards(self) -> Stack:
        """The cards that M12 and M13 would orphan, in the order of I17 (the last one on top)."""
        return (
            (BANK,) * self.banks
            + (STAGE,) * self.stages
            + (FASTEST,) * self.fastest
            + (HIDEOUT,) * self.hideout
        )

    @property
    def points(self) -> int:
        """CP of the group, what a Hideout covers included (G1)."""
        return 2 * self.outlaws + 4 * self.photo + 2 * self.banks + self.stages + 3 * self.fastest

    @property
    def counted(self) -> int:
        """CP that count now: nothing while a Hideout lies on it (N2)."""
        return 0 if self.hideout else self.points

    def cards(self, outlaw: Outlaw) -> Stack:
        """Every card of it, if it is of this Outlaw."""
        return (outlaw,) * self.outlaws + (PHOTO + outlaw,) * self.photo + self.sheriff_cards

    def with_card(self, kind: Kind) -> Group:
        """The group with a Bank robbery, Stagecoach robbery or the Fastest gun more."""
        if kind == BANK:
            return self._replace(banks=self.banks + 1)
        return self._replace(stages=self.stages + 1) if kind == STAGE else self._replace(fastest=True)


NO_GROUP: Final = Group()


def cards_on(table: Sequence[Group]) -> Stack:
    """Every card that lies in the groups of a table."""
    return tuple([kind for at, group in enumerate(table) for kind in group.cards(at % 7)])


T = TypeVar("T")


def put(values: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    """``values`` with one of them replaced."""
    copy = list(values)
    copy[at] = value
    return tuple(copy)


def without(stack: Stack, kind: Kind) -> Stack:
    """The stack or hand without the topmost card of this kind; the rest keeps its order (O11)."""
    at = stack.index(kind)
    return stack[:at] + stack[at + 1 :]


def by_default(step: JsonObject) -> bool:
    """Whether a default took this step: of the cards that it may search for it takes the first by name."""
    return bool(step["by"] == "default")


def takeable(stack: Stack) -> int:
    """How many cards of the stack are not Wyatt Earps (O5, O18)."""
    return len(stack) - stack.count(EARP)
