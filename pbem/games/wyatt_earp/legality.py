"""The list of legal actions, from the sight of the seat to act alone.

The list holds short forms, ordered by the bytes of their canonical JSON (``_play`` builds it in that order).
Under ``shot_target=before_shot`` an action that shoots has its target in it: there is no short form. What
forbids an action, and by which row, is ``faults``; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

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
    Hand,
    Kind,
    held,
    size,
)
from pbem.games.wyatt_earp.state import CHOOSE, DRAW, PLAY, REACT, Match, Sight, asked
from pbem.games.wyatt_earp.targets import (
    can_hide,
    can_rob,
    can_steal,
    hide_targets,
    remove_targets,
    rob_targets,
    search_answers,
    steal_targets,
)

# --- cards and actions made once ------------------------------------------------------------------------------------

_CARDS: Final = tuple(15 << place for place in PLACE)
"""Where a hand counts each kind."""
_DISCARDS: Final = tuple((_CARDS[kind], Discard(kind)) for kind in BY_NAME)
_LAYS: Final = tuple(tuple(Lay(outlaw, count) for outlaw in range(7)) for count in range(8))
_PHOTOS: Final = tuple(PlayPhoto(outlaw) for outlaw in range(7))
_ASKS: Final = tuple(Ask(outlaw, clockwise) for outlaw in range(7) for clockwise in (True, False))
_DRAW_SUPPLY: Final = Draw(supply=True)
_DRAWS: Final = (Draw(supply=False), _DRAW_SUPPLY)
_PASS: Final = React(earp=False)
_REACT: Final = React(earp=True)
_BANK_CARDS: Final = _CARDS[BANK]
_STAGE_CARDS: Final = _CARDS[STAGE]
_FASTEST_CARDS: Final = _CARDS[FASTEST]
_WANTED_CARDS: Final = _CARDS[WANTED]
_HIDEOUT_CARDS: Final = _CARDS[HIDEOUT]
_EARP_CARDS: Final = _CARDS[EARP]
_PHOTO_CARDS: Final = sum(_CARDS[PHOTO : PHOTO + 7])
_SHERIFF_CARDS: Final = sum(_CARDS[PHOTO:])
_FIRST_HALF: Final = (1 << BITS * len(BY_NAME) // 2) - 1
"""The first ten kinds. What a hand allows is looked up by halves: there are few different ones."""
_LAST_HALF: Final = _FIRST_HALF << BITS * len(BY_NAME) // 2
_EACH: Final = sum(1 << place for place in PLACE)
_FIRST_OUTLAWS: Final = sum(_CARDS[:7]) & _FIRST_HALF
_LAST_OUTLAWS: Final = sum(_CARDS[:7]) & _LAST_HALF


@cache
def _discards(held: int) -> tuple[Discard, ...]:
    """The discards of one half of a hand, of which ``held`` has a bit for each kind that is there."""
    return tuple(action for cards, action in _DISCARDS if held & cards)


@lru_cache(maxsize=1 << 14)
def _lays_allowed(cards: Hand, opened: int) -> int:
    """The lays of these Outlaw cards: bit ``7 * n + outlaw`` for every number n that may be laid (D4, D5)."""
    mask = 0
    for outlaw in range(7):
        for number in range(1 if opened >> outlaw & 1 else 3, held(cards, outlaw) + 1):
            mask |= 1 << 7 * number + outlaw
    return mask


@lru_cache(maxsize=1 << 14)
def _lays(mask: int) -> tuple[Lay, ...]:
    """The lays of a bit set, by number and Outlaw."""
    return tuple(_LAYS[bit // 7][bit % 7] for bit in range(mask.bit_length()) if mask >> bit & 1)


@cache
def _rob(card: Kind, on: int) -> Rob:
    return Rob(card, on)


@cache
def _choose(on: int, seat: int = NONE) -> Choose:
    return Choose(on, seat)


_ROBS: Final = {card: Rob(card) for card in (BANK, STAGE, FASTEST)}
_STEAL: Final = Steal()
_HIDE: Final = Hide()
_EARP_DRAW: Final = EarpDraw()
_EARP_SEARCH: Final = EarpSearch()
_EARP_REMOVE: Final = EarpRemove()
_DECLINE: Final = Choose(decline=True)


# --- the list ---------------------------------------------------------------------------------------------


def legal(match: Match, sight: Sight) -> tuple[Action, ...]:
    """What the seat to act may play; nothing while chance is asked and when the match is over."""
    build = _BUILDERS.get(sight.phase)
    return () if build is None else build(match, sight)


def _draw(match: Match, sight: Sight) -> tuple[Action, ...]:  # noqa: ARG001  one signature for all phases
    return _DRAWS if sight.discard else (_DRAW_SUPPLY,)


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
        return tuple(Choose(take=kind) for kind in search_answers(sight.stack or b""))
    return (_DECLINE, *(_choose(outlaw) for outlaw in remove_targets(sight)))


def _play(match: Match, sight: Sight) -> tuple[Action, ...]:
    hand = sight.hand
    last = size(hand) == 1
    usable = _usable_sheriff_cards(sight)
    plays: list[Action] = []
    if usable & _WANTED_CARDS and not last:
        plays += _asks(match)
    kinds = (hand | hand >> 1 | hand >> 2) & _EACH  # there are seven of a kind at most
    plays += _discards(kinds & _FIRST_HALF)
    plays += _discards(kinds & _LAST_HALF)
    opened = sight.opened
    mask = _lays_allowed(hand & _FIRST_OUTLAWS, opened & 31) | _lays_allowed(
        hand & _LAST_OUTLAWS, opened & 96
    )
    if mask:
        cards = size(hand)
        plays += _lays(
            mask if cards > 7 else mask & (1 << 7 * cards) - 1
        )  # the last card may not be laid (E4)
    if usable & _SHERIFF_CARDS:
        if not last:
            _add_sheriff_plays(match, sight, usable, plays)
        if usable & _EARP_CARDS:
            _add_earp_plays(match, sight, plays)
    return tuple(plays)


_BUILDERS: Final[dict[str, Callable[[Match, Sight], tuple[Action, ...]]]] = {
    DRAW: _draw,
    PLAY: _play,
    CHOOSE: _answers,
    REACT: _react,
}


def _usable_sheriff_cards(sight: Sight) -> int:
    """The hand as far as its Sheriff cards may be played: all, none (I1), or the card just found (O7)."""
    if not sight.sheriff:
        return sight.hand
    return sight.hand & _CARDS[sight.found] if sight.found >= PHOTO else 0


def _asks(match: Match) -> tuple[Action, ...]:
    return _ASKS[::2] if match.options.mw_order == "clockwise" else _ASKS


def _add_sheriff_plays(match: Match, sight: Sight, usable: int, plays: list[Action]) -> None:
    """Every Sheriff card but Wyatt Earp, in the order of the actions' names."""
    shoot = can_shoot(match, sight)
    early = match.options.shot_target == "before_shot"
    if usable & _BANK_CARDS and shoot:
        _add_rob(BANK, sight, plays, early=early)
    if usable & _FASTEST_CARDS and shoot:
        _add_rob(FASTEST, sight, plays, early=early)
    if usable & _HIDEOUT_CARDS and shoot and can_hide(match, sight):
        plays.extend([Hide(*target) for target in hide_targets(match, sight)] if early else [_HIDE])
    if usable & _WANTED_CARDS and shoot and can_steal(sight):
        plays.extend([Steal(*target) for target in steal_targets(match, sight)] if early else [_STEAL])
    if usable & _PHOTO_CARDS and sight.photos:
        plays += [
            photo
            for outlaw, photo in enumerate(_PHOTOS)
            if usable & _CARDS[PHOTO + outlaw] and sight.photos >> outlaw & 1
        ]
    if usable & _STAGE_CARDS and shoot:
        _add_rob(STAGE, sight, plays, early=early)


def _add_rob(card: Kind, sight: Sight, plays: list[Action], *, early: bool) -> None:
    if early:
        plays.extend(_rob(card, outlaw) for outlaw in rob_targets(sight, card))
    elif can_rob(sight) if card != FASTEST else rob_targets(sight, card):
        plays.append(_ROBS[card])


def _add_earp_plays(match: Match, sight: Sight, plays: list[Action]) -> None:
    last = size(sight.hand) == 1
    if earp_draw_allowed(match, sight) and (not last or draw_refills(match, sight)):
        plays.append(_EARP_DRAW)
    if not last and can_shoot(match, sight, earp=True) and (targets := remove_targets(sight)):
        early = match.options.shot_target == "before_shot"
        plays.extend([EarpRemove(outlaw) for outlaw in targets] if early else [_EARP_REMOVE])
    if search_allowed(match, sight) and (not last or search_refills(match, sight)):
        plays.append(_EARP_SEARCH)


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
