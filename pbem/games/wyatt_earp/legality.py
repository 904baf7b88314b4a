"""The list of legal actions, from the sight of the seat to act alone.

The list holds short forms, ordered by the bytes of their canonical JSON (``_play`` builds it in that order).
Under ``shot_target=before_shot`` an action that shoots has its target in it: there is no short form. What
forbids an action, and by which row, is ``faults``; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, TypeAlias

from pbem.games.wyatt_earp.actions import (
    Action,
    Ask,
    Choose,
    Discard,
    Draw,
    EarpDraw,
    EarpRemove,
    EarpSearch,
    Hide,
    Lay,
    PlayPhoto,
    React,
    Rob,
    Steal,
)
from pbem.games.wyatt_earp.cards import (
    BANK,
    BITS,
    BY_NAME,
    EARP,
    FASTEST,
    HIDEOUT,
    NONE,
    PHOTO,
    PLACE,
    STAGE,
    WANTED,
    Kind,
    held,
    size,
)
from pbem.games.wyatt_earp.state import CHOOSE, DRAW, PLAY, REACT, Match, Sight, asked
from pbem.games.wyatt_earp.targets import (
    can_hide,
    can_place_fastest,
    can_remove,
    can_rob,
    can_steal,
    hide_targets,
    remove_targets,
    rob_targets,
    search_answers,
    steal_targets,
)

# --- cards and actions made once ------------------------------------------------------------------------------------

_DISCARDS: Final = tuple(map(Discard, range(20)))
_LAYS: Final = tuple(Lay(outlaw, count) for count in range(8) for outlaw in range(7))
_PHOTOS: Final = tuple(PlayPhoto(outlaw) for outlaw in range(7))
_ASKS: Final = tuple(Ask(outlaw, clockwise) for outlaw in range(7) for clockwise in (True, False))
_ASKS_CLOCKWISE: Final = _ASKS[::2]
_DRAWS: Final = (Draw(supply=False), Draw(supply=True))
_DRAWS_SUPPLY: Final = _DRAWS[1:]
_PASS: Final = React(earp=False)
_REACT: Final = React(earp=True)

_HALF: Final = BITS * len(BY_NAME) // 2
"""The bits of ten kinds. What a hand allows is looked up by halves: there are few different ones."""
_HALF_BITS: Final = (1 << _HALF) - 1
_EACH: Final = sum(1 << BITS * at for at in range(10))
_OUTLAWS: Final = sum(15 << PLACE[outlaw] for outlaw in range(7))
_FIRST_OUTLAWS: Final = _OUTLAWS & _HALF_BITS
_LAST_OUTLAWS: Final = _OUTLAWS >> _HALF
_EIGHT_CARDS: Final = 8 << _HALF
"""The last half of a hand, with the number of its cards above, is smaller if there are not eight."""

# The plays of Sheriff cards as bits, in the order of the actions' canonical JSON; the Photos lie between.
_ROB_BANK: Final = 1
_ROB_FASTEST: Final = 2
_HIDE_BIT: Final = 4
_STEAL_BIT: Final = 8
_PHOTO_SHIFT: Final = 4
_ROB_STAGE: Final = 1 << 11
_EARP_DRAW_BIT: Final = 1 << 12
_EARP_REMOVE_BIT: Final = 1 << 13
_EARP_SEARCH_BIT: Final = 1 << 14
_SHOTS: Final = _ROB_BANK | _ROB_FASTEST | _ROB_STAGE | _HIDE_BIT | _STEAL_BIT
_EARP_BITS: Final = _EARP_DRAW_BIT | _EARP_REMOVE_BIT | _EARP_SEARCH_BIT
_STARS: Final = (
    *(0,) * 7,
    *(1 << _PHOTO_SHIFT + outlaw for outlaw in range(7)),
    *(_ROB_BANK, _ROB_STAGE, _ROB_FASTEST, _STEAL_BIT, _HIDE_BIT, _EARP_BITS),
)
"""The plays of each kind."""
_SHORT: Final[tuple[Action, ...]] = (
    Rob(BANK),
    Rob(FASTEST),
    Hide(),
    Steal(),
    *_PHOTOS,
    Rob(STAGE),
    EarpDraw(),
    EarpRemove(),
    EarpSearch(),
)
"""The action of each bit, no target named."""

_LAYS_LEFT: Final = tuple(
    (1 << 56) - (1 << 21) + sum(0b10000001 << 7 + outlaw for outlaw in range(7) if opened >> outlaw & 1)
    for opened in range(128)
)
"""Which lays the opened Outlaws leave: sets of three and more of everybody, one or two of the opened (D4, D5)."""


# What a number comes to is kept in dictionaries: they are asked several times for every list. Nothing in them is 0.

_Cards: TypeAlias = tuple[tuple[Discard, ...], int]
_FIRST_KINDS: Final = BY_NAME[:10]
_LAST_KINDS: Final = BY_NAME[10:]
_FIRST_CARDS: Final[dict[int, _Cards]] = {}
_LAST_CARDS: Final[dict[int, _Cards]] = {}
_FIRST_LAYABLE: Final[dict[int, int]] = {}
_LAST_LAYABLE: Final[dict[int, int]] = {}
_LAYS_OF: Final[dict[int, tuple[Lay, ...]]] = {}
_SHORTS_OF: Final[dict[int, tuple[Action, ...]]] = {}
_MOST: Final = 1 << 14
"""So many are kept at most in each."""


def _cards(kinds: int, among: tuple[Kind, ...], known: dict[int, _Cards]) -> _Cards:
    """The discards, and the plays of Sheriff cards, of one half of a hand: a bit for each kind that is there."""
    there = [kind for at, kind in enumerate(among) if kinds >> BITS * at & 1]
    found = known[kinds] = tuple([_DISCARDS[kind] for kind in there]), sum([_STARS[kind] for kind in there])
    return found


def _layable(cards: int, among: tuple[Kind, ...], known: dict[int, int]) -> int:
    """The Outlaw cards of one half of a hand: bit ``7 * n + outlaw`` for every number n that is there, and bit 0."""
    mask = 1
    for at, kind in enumerate(among):
        if kind < PHOTO:
            for number in range(1, (cards >> BITS * at & 15) + 1):
                mask |= 1 << 7 * number + kind
    if len(known) >= _MOST:
        known.clear()
    known[cards] = mask
    return mask


def _lays(mask: int) -> tuple[Lay, ...]:
    """The lays of a bit set, by number and Outlaw."""
    if len(_LAYS_OF) >= _MOST:
        _LAYS_OF.clear()
    found = _LAYS_OF[mask] = tuple([lay for bit, lay in enumerate(_LAYS) if mask >> bit & 1])
    return found


def _shorts(plays: int) -> tuple[Action, ...]:
    """The plays of Sheriff cards of a bit set, no target named."""
    found = _SHORTS_OF[plays] = tuple([action for bit, action in enumerate(_SHORT) if plays >> bit & 1])
    return found


@cache
def _rob(card: Kind, on: int) -> Rob:
    return Rob(card, on)


@cache
def _choose(on: int, seat: int = NONE) -> Choose:
    return Choose(on, seat)


_TAKES: Final = tuple(Choose(take=kind) for kind in range(len(BY_NAME)))
_DECLINE: Final = Choose(decline=True)


# --- the list ---------------------------------------------------------------------------------------------


def legal(match: Match, sight: Sight) -> tuple[Action, ...]:
    """What the seat to act may play; nothing while chance is asked and when the match is over."""
    if sight.phase == PLAY:
        return _play(match, sight)
    build = _BUILDERS.get(sight.phase)
    return () if build is None else build(match, sight)


def draws(discard: bool) -> tuple[Action, ...]:
    """The draws, with a discard or without: nothing else of the sight matters."""
    return _DRAWS if discard else _DRAWS_SUPPLY


def _draw(match: Match, sight: Sight) -> tuple[Action, ...]:  # noqa: ARG001  one signature for all phases
    return draws(sight.discard > 0)


def _react(match: Match, sight: Sight) -> tuple[Action, ...]:  # noqa: ARG001
    return (_PASS, _REACT) if held(sight.hand, EARP) else (_PASS,)


def _answers(match: Match, sight: Sight) -> tuple[Action, ...]:
    """The answers to the engine's question; "no" only where the rules say "may" (I10)."""
    pending = asked(sight.pending)
    card = pending.card
    if card == HIDEOUT:
        return tuple(_choose(outlaw, seat) for outlaw, seat in hide_targets(match, sight))
    if card == WANTED:
        return (_DECLINE, *(_choose(outlaw, seat) for outlaw, seat in steal_targets(match, sight)))
    if card != EARP:
        return tuple(_choose(outlaw) for outlaw in rob_targets(sight, card))
    if pending.mode == "search":
        return tuple(_TAKES[kind] for kind in search_answers(sight.stack or b""))
    return (_DECLINE, *(_choose(outlaw) for outlaw in remove_targets(sight)))


def _play(match: Match, sight: Sight) -> tuple[Action, ...]:
    hand = sight.hand
    first, last = hand & _HALF_BITS, hand >> _HALF
    # there are seven of a kind at most
    kinds = (first | first >> 1 | first >> 2) & _EACH
    others = (last | last >> 1 | last >> 2) & _EACH
    plays: tuple[Action, ...]
    plays, stars = _FIRST_CARDS.get(kinds) or _cards(kinds, _FIRST_KINDS, _FIRST_CARDS)
    discards, more = _LAST_CARDS.get(others) or _cards(others, _LAST_KINDS, _LAST_CARDS)
    plays += discards
    kinds, others = first & _FIRST_OUTLAWS, last & _LAST_OUTLAWS
    lays = _FIRST_LAYABLE.get(kinds) or _layable(kinds, _FIRST_KINDS, _FIRST_LAYABLE)
    lays |= _LAST_LAYABLE.get(others) or _layable(others, _LAST_KINDS, _LAST_LAYABLE)
    lays &= _LAYS_LEFT[sight.opened]
    if last < _EIGHT_CARDS:
        lays &= (1 << 7 * size(hand)) - 1  # the last card may not be laid (E4)
    if lays:
        plays += _LAYS_OF.get(lays) or _lays(lays)
    stars |= more
    if sight.sheriff:  # no second one (I1), unless just found (O7)
        stars = stars & _STARS[sight.found] if sight.found >= PHOTO else 0
    return _with_sheriff_plays(match, sight, stars, plays) if stars else plays


_BUILDERS: Final[dict[str, Callable[[Match, Sight], tuple[Action, ...]]]] = {
    DRAW: _draw,
    CHOOSE: _answers,
    REACT: _react,
}


def _with_sheriff_plays(
    match: Match, sight: Sight, stars: int, plays: tuple[Action, ...]
) -> tuple[Action, ...]:
    """The list with the plays of these Sheriff cards in their places."""
    may = stars & _EARP_BITS and _earp_plays(match, sight)
    if size(sight.hand) > 1:
        may |= stars & sight.photos << _PHOTO_SHIFT
        if stars & _SHOTS and can_shoot(match, sight):
            may |= _shots(match, sight, stars)
        if stars & _STEAL_BIT:  # Most wanted is also asked with, and that comes first of all
            plays = (_ASKS_CLOCKWISE if match.options.mw_order == "clockwise" else _ASKS) + plays
    if match.options.shot_target == "before_shot":
        return (*plays, *_aimed(match, sight, may))
    return plays + (_SHORTS_OF.get(may) or _shorts(may)) if may else plays


def _shots(match: Match, sight: Sight, stars: int) -> int:
    """Which shots of these Sheriff cards have a target."""
    may, table, base = 0, sight.table, sight.seat * 7
    if can_rob(table, base):
        may = stars & (_ROB_BANK | _ROB_STAGE)
        if stars & _ROB_FASTEST and can_place_fastest(table, base):
            may |= _ROB_FASTEST
    if stars & (_HIDE_BIT | _STEAL_BIT):
        others = table[:base] + table[base + 7 :]
        if stars & _HIDE_BIT and can_hide(others if match.options.hideout_target == "opponent" else table):
            may |= _HIDE_BIT
        if stars & _STEAL_BIT and can_steal(others):
            may |= _STEAL_BIT
    return may


def _earp_plays(match: Match, sight: Sight) -> int:
    """What a Wyatt Earp may do."""
    last = size(sight.hand) == 1
    may = 0
    if earp_draw_allowed(match, sight) and (not last or draw_refills(match, sight)):
        may = _EARP_DRAW_BIT
    if not last and can_remove(sight.table, sight.seat * 7) and can_shoot(match, sight, earp=True):
        may |= _EARP_REMOVE_BIT
    if search_allowed(match, sight) and (not last or search_refills(match, sight)):
        may |= _EARP_SEARCH_BIT
    return may


def _aimed(match: Match, sight: Sight, plays: int) -> Iterator[Action]:
    """These plays, those that shoot with each of their targets (``shot_target=before_shot``)."""
    for action in _shorts(plays):
        match action:
            case Rob(card):
                yield from (_rob(card, outlaw) for outlaw in rob_targets(sight, card))
            case Hide():
                yield from (Hide(*target) for target in hide_targets(match, sight))
            case Steal():
                yield from (Steal(*target) for target in steal_targets(match, sight))
            case EarpRemove():
                yield from map(EarpRemove, remove_targets(sight))
            case _:
                yield action


# --- conditions, shared with faults -----------------------------------------------------------------------


def can_shoot(match: Match, sight: Sight, *, earp: bool = False) -> bool:
    """Whether a shot can be tried in the own turn (I14, I15); a Wyatt Earp is itself reshuffled (O1)."""
    return (
        sight.supply > 0
        or (not sight.reshuffled and (sight.discard > 0 or earp))
        or match.options.shot_no_supply == "hand_ends"
    )


def cards_for_earp(sight: Sight) -> int:
    """How many cards Wyatt Earp mode 1 could take: with the one reshuffle, itself included (O3)."""
    return sight.supply if sight.reshuffled else sight.supply + sight.discard + 1


def earp_draw_allowed(match: Match, sight: Sight) -> bool:
    """O4: a second shortage ends the hand, or is not allowed (``earp_short=illegal``)."""
    return match.options.earp_short == "hand_ends" or cards_for_earp(sight) >= 2


def draw_refills(match: Match, sight: Sight) -> bool:
    """E5: two cards can really be taken, and taking them does not end the hand."""
    if match.options.last_card_play == "never":
        return False
    cards = cards_for_earp(sight)
    ends_when_empty = match.options.exhaustion_end == "immediate" and (sight.reshuffled or sight.supply < 2)
    return cards >= 2 and not (ends_when_empty and cards == 2)


def search_allowed(match: Match, sight: Sight) -> bool:
    """O11: there is a card to find; in the supply (``earp_search=supply``) any card will do."""
    return sight.supply > 0 if match.options.earp_search == "supply" else sight.takeable > 0


def search_refills(match: Match, sight: Sight) -> bool:
    """E5: a card is certain to be found. In the supply: more cards than Wyatt Earps out of sight."""
    if match.options.last_card_play == "never":
        return False
    if match.options.earp_search == "discard":
        return sight.takeable > 0
    shown = held(sight.hand, EARP) + sight.discard - sight.takeable
    return sight.supply > 7 - shown
