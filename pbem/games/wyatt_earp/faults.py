"""Why an action is not legal: every rule row it breaks, with a sentence for each.

All rows that apply are named, the most telling first. Nothing here looks further than the sight of the seat to
act, so a refusal tells that seat nothing new, and two matches that look alike to it refuse alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn

from pbem.base.sentences import Sentence, joined, sentence, term
from pbem.game import IllegalAction
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
    ANCHOR,
    BANK,
    EARP,
    FASTEST,
    FASTEST_BIT,
    HIDEOUT,
    HIDEOUT_BIT,
    NAMES,
    NONE,
    OUTLAWS,
    PHOTO,
    PHOTO_BIT,
    STAGE,
    WANTED,
    Kind,
    Outlaw,
    held,
    size,
)
from pbem.games.wyatt_earp.legality import (
    can_shoot,
    draw_refills,
    earp_draw_allowed,
    legal,
    search_allowed,
    search_refills,
)
from pbem.games.wyatt_earp.state import CHANCE, CHOOSE, DRAW, OVER, PLAY, REACT, Match, Sight, asked, on_table
from pbem.games.wyatt_earp.targets import hide_targets, remove_targets, rob_targets, steal_targets


def _named(card: Kind) -> Sentence:
    return term(NAMES[card])


class Fault(NamedTuple):
    """One reason, and the rows that say so."""

    rows: tuple[str, ...]
    sentence: str


Faults = list[Fault]


def check(match: Match, sight: Sight, action: Action) -> None:
    """Return if the seat to act may play ``action``, optional fields and all.

    Raises:
        IllegalAction: with every row that forbids it.
    """
    found = faults(match, sight, action)
    if found:
        refuse(found)


def refuse(found: Sequence[Fault]) -> NoReturn:
    """Raise what was found."""
    rows = dict.fromkeys(row for fault in found for row in fault.rows)
    raise IllegalAction(tuple(rows), joined(fault.sentence for fault in found))


def faults(match: Match, sight: Sight, action: Action) -> Faults:
    """Every reason why the seat to act may not play ``action`` now; none if it may."""
    phase, look = _BY_ACTION[type(action)]
    return look(match, sight, action) if phase == sight.phase else [_out_of_phase(sight, action)]


def _draw_faults(match: Match, sight: Sight, action: Draw) -> Faults:  # noqa: ARG001  one signature for all
    return [] if action.supply or sight.discard else [Fault(("C5",), sentence("the discard is empty"))]


def _discard_faults(match: Match, sight: Sight, action: Discard) -> Faults:  # noqa: ARG001
    return [] if held(sight.hand, action.card) else [_not_held(action.card, "E1", "D3", "E3")]


def _react_faults(match: Match, sight: Sight, action: React) -> Faults:  # noqa: ARG001
    return [_not_held(EARP, "O13")] if action.earp and not held(sight.hand, EARP) else []


# --- the wrong moment -------------------------------------------------------------------------------------


_MOMENTS: Final = {
    DRAW: Fault(("C1",), sentence("the turn begins with the draw")),
    CHOOSE: Fault(("I10",), sentence("the engine's question comes first")),
    REACT: Fault(("N9", "O13"), sentence("the affected seat answers the Hideout first")),
    CHANCE: Fault(("C1", "H4"), sentence("cards are shuffled, nobody is to act")),
    OVER: Fault(("H5",), sentence("the match is over")),
}


def _out_of_phase(sight: Sight, action: Action) -> Fault:
    moment = _MOMENTS.get(sight.phase, Fault(("C1",), sentence("this is the time to play and to discard")))
    if isinstance(action, React):
        barred = ("O15",) if sight.supply == 0 and sight.reshuffled else ()
        rows = ("O13", "N9", *barred)
        return Fault(
            rows, sentence("only a Hideout just laid on the own group can be answered, and only at once")
        )
    if isinstance(action, Choose):
        return Fault(("I10", "O11"), sentence("nothing was asked"))
    if isinstance(action, Draw):
        return Fault((*moment.rows, "C1", "C2"), sentence("one draw opens the turn, and there is no second"))
    if sight.phase == CHOOSE and isinstance(action, Discard):
        return Fault(("I10", "C1"), moment.sentence)
    second = _second_sheriff(sight, _card_of(action)) if sight.phase != DRAW else []
    return Fault((*moment.rows, *(row for fault in second for row in fault.rows)), moment.sentence)


def out_of_turn(sight: Sight, action: Action) -> Fault:
    """Why a seat that is not to act may not play this."""
    if isinstance(action, React):
        barred = ("O15",) if sight.supply == 0 and sight.reshuffled else ()
        return Fault(
            ("O13", "N9", *barred), sentence("only the seat whose group was just covered may answer")
        )
    if sight.phase in (CHANCE, OVER):
        return _MOMENTS[sight.phase]
    window = ("N9", "O13") if sight.phase == REACT else ()
    return Fault((*window, "C1", "B8", "F1"), sentence("another seat is to act"))


# --- cards in hand, and the one Sheriff card --------------------------------------------------------------


def _card_of(action: Action) -> Kind:
    match action:
        case PlayPhoto(outlaw):
            return PHOTO + outlaw
        case Rob(card):
            return card
        case Ask() | Steal():
            return WANTED
        case Hide():
            return HIDEOUT
        case EarpDraw() | EarpSearch() | EarpRemove():
            return EARP
        case _:
            return NONE


def _not_held(card: Kind, *rows: str) -> Fault:
    return Fault(rows, sentence("the hand holds no {name}", name=_named(card)))


def _second_sheriff(sight: Sight, card: Kind) -> Faults:
    if card < PHOTO or not sight.sheriff or card == sight.found:
        return []
    return [
        Fault(
            ("I1", "I6", "O7", "O8", "O9"), sentence("one Sheriff card in a turn; a found one only at once")
        )
    ]


_PLAYED_BY: Final = {BANK: "K2", STAGE: "K1", FASTEST: "L1", WANTED: "M1", HIDEOUT: "N1", EARP: "O1"}


def _sheriff_faults(sight: Sight, card: Kind) -> Faults:
    """It must be in the hand, and the turn's one Sheriff card or the one found just now (I1, O7)."""
    found: Faults = []
    if not held(sight.hand, card):
        found.append(_not_held(card, _PLAYED_BY.get(card, "J3")))
    return found + _second_sheriff(sight, card)


def _last_card(sight: Sight, cards: int = 1, *, refills: bool = False) -> Faults:
    if size(sight.hand) > cards or refills:
        return []
    return [Fault(("E4", "E5"), sentence("a card must be left to discard"))]


def _shot_faults(match: Match, sight: Sight, *, earp: bool = False) -> Faults:
    if can_shoot(match, sight, earp=earp):
        return []
    return [Fault(("I15",), sentence("the supply is empty: no shot can be taken"))]


def _unnamed(match: Match, *, named: bool) -> Faults:
    if named or match.options.shot_target == "after_hit":
        return []
    return [Fault(("I9",), sentence("the target is named before the shot (shot_target=before_shot)"))]


# --- the plays --------------------------------------------------------------------------------------------


def _lay_faults(match: Match, sight: Sight, action: Lay) -> Faults:
    outlaw, count = action.outlaw, action.count
    found: Faults = []
    if not sight.opened >> outlaw & 1 and count < 3:
        sticky = match.options.opened_test == "sticky"
        rows: tuple[str, ...] = ("D4",) if sticky else ("D4", "D6")
        if held(sight.hand, PHOTO + outlaw):
            rows = (*rows, "D8")
        name = _named(outlaw)
        found.append(
            Fault(
                rows, sentence("{name} is not opened: his first cards are a set of at least three", name=name)
            )
        )
    if held(sight.hand, outlaw) < count:
        there = held(sight.hand, outlaw)
        text = sentence(
            "the hand holds {held} of {name}, not {count}", held=there, name=_named(outlaw), count=count
        )
        found.append(Fault(("D1",), text))
    return found + _last_card(sight, count)


def _photo_faults(match: Match, sight: Sight, action: PlayPhoto) -> Faults:
    outlaw = action.outlaw
    found = _sheriff_faults(sight, PHOTO + outlaw)
    if not sight.photos >> outlaw & 1:
        presence = match.options.photo_test == "presence"
        rows = (
            ("J1", "D8", "D6") if match.options.opened_test == "presence" and not presence else ("J1", "D8")
        )
        name = _named(outlaw)
        told = (
            sentence("nothing of {name} is on the table", name=name)
            if presence
            else sentence("{name} is not opened", name=name)
        )
        found.append(Fault(rows, told))
    return found + _last_card(sight)


def _rob_faults(match: Match, sight: Sight, action: Rob) -> Faults:
    card, on = action.card, action.on
    found = _sheriff_faults(sight, card)
    targets = rob_targets(sight, card)
    if not targets:
        found.append(_no_group(sight, card))
    if on != NONE and on not in targets:
        found.append(_bad_rob_target(sight, card, on))
    found += _unnamed(match, named=on != NONE)
    return found + _last_card(sight) + _shot_faults(match, sight)


def _no_group(sight: Sight, card: Kind) -> Fault:
    if card == FASTEST and rob_targets(sight, BANK):
        return Fault(("L3", "I8"), sentence("the Fastest gun lies on the only Outlaws it could be played on"))
    return Fault(("I7", "I8"), sentence("there is no own group to play it on"))


def _bad_rob_target(sight: Sight, card: Kind, on: Outlaw) -> Fault:
    if card == FASTEST and on_table(sight.table, FASTEST_BIT) >> on & 1:
        return Fault(("L3",), sentence("the Fastest gun lies on {name} already", name=_named(on)))
    return Fault(("I7",), sentence("there is no own group of {name}", name=_named(on)))


def _most_wanted_faults(match: Match, sight: Sight, action: Ask | Steal) -> Faults:
    found = _sheriff_faults(sight, WANTED)
    if isinstance(action, Ask):
        if sight.sheriff and found:
            found.append(Fault(("M9",), sentence("mode 1 is not played in place of a theft that missed")))
        return found + _order_faults(match, sight, action) + _last_card(sight)
    if not steal_targets(match, sight):
        found.append(Fault(("M11", "I8", "M10"), sentence("no other player has an Outlaw card on the table")))
    if action.outlaw != NONE:
        found += _steal_target(sight, action.outlaw, action.seat)
    found += _unnamed(match, named=action.outlaw != NONE)
    return found + _last_card(sight) + _shot_faults(match, sight)


def _order_faults(match: Match, sight: Sight, action: Ask) -> Faults:
    order = match.options.mw_order
    if order == "clockwise" and not action.clockwise:
        return [Fault(("M3",), sentence("the others are asked clockwise (mw_order=clockwise)"))]
    if not action.order:
        return []
    if order != "any_order":
        return [Fault(("M3",), sentence("the order follows from the direction"))]
    others = [seat for seat in range(match.count) if seat != sight.seat]
    if sorted(action.order) != others:
        return [Fault(("M3",), sentence("the order names every other seat once"))]
    return []


def _steal_target(sight: Sight, outlaw: Outlaw, seat: int) -> Faults:
    group = sight.table[seat * 7 + outlaw]
    if seat == sight.seat:
        return [Fault(("M15",), sentence("nobody steals from himself"))]
    if group & OUTLAWS:
        return []
    if group & PHOTO_BIT:
        return [Fault(("J5", "M10", "M17"), sentence("a Photo cannot be stolen"))]
    return [Fault(("M10", "M17"), sentence("no card of {name} lies there", name=_named(outlaw)))]


def _hide_faults(match: Match, sight: Sight, action: Hide) -> Faults:
    found = _sheriff_faults(sight, HIDEOUT)
    if not hide_targets(match, sight):
        found.append(_nothing_to_hide(sight))
    if action.on != NONE:
        found += _hide_target(match, sight, action.on, action.seat)
    found += _unnamed(match, named=action.on != NONE)
    return found + _last_card(sight) + _shot_faults(match, sight)


def _nothing_to_hide(sight: Sight) -> Fault:
    base = sight.seat * 7
    others = (*sight.table[:base], *sight.table[base + 7 :])
    if any(group & HIDEOUT_BIT for group in others):
        return Fault(("N5", "N1", "I8"), sentence("every group it could lie on has a Hideout"))
    return Fault(("N1", "I8"), sentence("there is no group that it could lie on"))


def _hide_target(match: Match, sight: Sight, outlaw: Outlaw, seat: int) -> Faults:
    group = sight.table[seat * 7 + outlaw]
    found: Faults = []
    if seat == sight.seat and match.options.hideout_target == "opponent":
        found.append(Fault(("N1",), sentence("a Hideout lies on another player's group")))
    if not group & ANCHOR:
        found.append(Fault(("N1",), sentence("there is no group of {name}", name=_named(outlaw))))
    elif group & HIDEOUT_BIT:
        found.append(Fault(("N5",), sentence("the group has a Hideout already")))
    return found


def _earp_faults(match: Match, sight: Sight, action: EarpDraw | EarpSearch | EarpRemove) -> Faults:
    found = _sheriff_faults(sight, EARP)
    match action:
        case EarpDraw():
            if not earp_draw_allowed(match, sight):
                found.append(Fault(("O4",), sentence("two cards cannot be taken (earp_short=illegal)")))
            refills = draw_refills(match, sight)
            short = _last_card(sight, refills=refills)
            return found + [Fault((*fault.rows, "O4", "C11"), fault.sentence) for fault in short]
        case EarpSearch():
            if not search_allowed(match, sight):
                found.append(Fault(("O11", "O5", "O18"), sentence("there is no card to be found")))
            return found + _last_card(sight, refills=search_refills(match, sight))
        case EarpRemove(on):
            targets = remove_targets(sight)
            if not targets:
                found.append(Fault(("O12", "I8"), sentence("no own group lies under a Hideout")))
            elif on != NONE and on not in targets:
                found.append(
                    Fault(
                        ("O12",),
                        sentence("no Hideout lies on the own group of {name}", name=_named(on)),
                    )
                )
            found += _unnamed(match, named=on != NONE)
            return found + _last_card(sight) + _shot_faults(match, sight, earp=True)


# --- answers ----------------------------------------------------------------------------------------------


def _choose_faults(match: Match, sight: Sight, action: Choose) -> Faults:
    if action in legal(match, sight):
        return []
    pending = asked(sight.pending)
    card = pending.card
    if action.decline:
        return [Fault(("I10",), sentence("here the rules say what must be done, not what may be"))]
    if card == EARP and pending.mode == "search":
        return [Fault(("O5", "I10"), sentence("the stack holds no such card, or it is a Wyatt Earp"))]
    if action.take != NONE:
        return [Fault(("I10",), sentence("the question is where, not which card"))]
    if card in (HIDEOUT, WANTED):
        if action.seat == NONE:
            return [
                Fault(("I10", "M17" if card == WANTED else "N1"), sentence("name the Outlaw and the seat"))
            ]
        targets = _hide_target(match, sight, action.on, action.seat)
        found = targets if card == HIDEOUT else _steal_target(sight, action.on, action.seat)
        return [Fault((*fault.rows, "I10"), fault.sentence) for fault in found]
    if action.seat != NONE:
        return [Fault(("I10",), sentence("the group is an own one: name the Outlaw alone"))]
    if card == EARP:
        return [
            Fault(
                ("O12", "I10"),
                sentence("no Hideout lies on the own group of {name}", name=_named(action.on)),
            )
        ]
    fault = _bad_rob_target(sight, card, action.on)
    return [Fault((*fault.rows, "I10"), fault.sentence)]


_BY_ACTION: Final[dict[type, tuple[str, Callable[[Match, Sight, Any], Faults]]]] = {
    Draw: (DRAW, _draw_faults),
    Lay: (PLAY, _lay_faults),
    PlayPhoto: (PLAY, _photo_faults),
    Rob: (PLAY, _rob_faults),
    Ask: (PLAY, _most_wanted_faults),
    Steal: (PLAY, _most_wanted_faults),
    Hide: (PLAY, _hide_faults),
    EarpDraw: (PLAY, _earp_faults),
    EarpSearch: (PLAY, _earp_faults),
    EarpRemove: (PLAY, _earp_faults),
    Choose: (CHOOSE, _choose_faults),
    React: (REACT, _react_faults),
    Discard: (PLAY, _discard_faults),
}
"""When each action may be played, and what looks for its faults there."""
