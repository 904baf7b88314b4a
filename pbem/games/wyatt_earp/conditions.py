"""The conditions of every kind of action: rule rows, test and sentence, each stated here once.

An action is legal if no condition fails. The list of legal actions (``legality``) asks whether there is a first one
that fails; a refusal names all of them, the most telling first. Optional fields of an action are conditions too.
Nothing here looks further than the sight of the seat to act, so a refusal shows that seat nothing new, and two matches
that look alike to it refuse alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pbem.base.sentences import sentence
from pbem.games.touching import Fault, Faults, refuse
from pbem.games.wyatt_earp import actions, deck
from pbem.games.wyatt_earp.deck import NONE, Kind, Outlaw, Stack
from pbem.games.wyatt_earp.state import CHANCE, CHOOSE, DRAW, OVER, PLAY, REACT, Match, Sight, asked


def check(match: Match, sight: Sight, action: actions.Action) -> None:
    """Return if the seat to act may play ``action``, optional fields and all.

    Raises:
        IllegalAction: with every row that forbids it.
    """
    broken = faults(match, sight, action)
    if broken:
        refuse(broken)


def faults(match: Match, sight: Sight, action: actions.Action) -> list[Fault]:
    """Every reason why the seat to act may not play ``action`` now; none if it may."""
    return list(_failing(match, sight, action))


def allowed(match: Match, sight: Sight, action: actions.Action) -> bool:
    """Whether the seat to act may play ``action`` now: looked at up to the first condition that fails."""
    return next(_failing(match, sight, action), None) is None


def _failing(match: Match, sight: Sight, action: actions.Action) -> Faults:
    phase, conditions = _BY_ACTION[type(action)]
    return conditions(match, sight, action) if phase == sight.phase else iter((_out_of_phase(sight, action),))


def _draw(match: Match, sight: Sight, action: actions.Draw) -> Faults:  # noqa: ARG001  one signature for all
    if not action.supply and not sight.discard:
        yield Fault(("C5",), sentence("the discard pile is empty"))


def _discard(match: Match, sight: Sight, action: actions.Discard) -> Faults:  # noqa: ARG001
    yield from _held(sight, action.card, "E1", "D3", "E3")


def _react(match: Match, sight: Sight, action: actions.React) -> Faults:  # noqa: ARG001
    if action.earp:
        yield from _held(sight, deck.EARP, "O13")


_MOMENTS: Final = {
    DRAW: Fault(("C1",), sentence("the turn begins with the draw")),
    CHOOSE: Fault(("I10",), sentence("the engine's question comes first")),
    REACT: Fault(("N9", "O13"), sentence("the affected seat answers the Hideout first")),
    CHANCE: Fault(("C1", "H4"), sentence("cards are shuffled, nobody is to act")),
    OVER: Fault(("H5",), sentence("the match is over")),
}


def _out_of_phase(sight: Sight, action: actions.Action) -> Fault:
    # The play itself: what is out of place is said below.
    moment = _MOMENTS.get(sight.phase, Fault(("C1",), ""))
    if isinstance(action, actions.React):
        barred = ("O15",) if sight.supply == 0 and sight.reshuffled else ()
        rows = ("O13", "N9", *barred)
        return Fault(
            rows, sentence("you can answer only a Hideout just played on a group of yours, and only at once")
        )
    if isinstance(action, actions.Choose):
        return Fault(("I10", "O11"), sentence("nothing was asked"))
    if isinstance(action, actions.Draw):
        return Fault((*moment.rows, "C1", "C2"), sentence("one draw opens the turn, and there is no second"))
    if sight.phase == CHOOSE and isinstance(action, actions.Discard):
        return Fault(("I10", "C1"), moment.sentence)
    second = list(_one_sheriff(sight, _card_of(action))) if sight.phase != DRAW else []
    return Fault((*moment.rows, *(row for fault in second for row in fault.rows)), moment.sentence)


def out_of_turn(sight: Sight, action: actions.Action) -> Fault:
    """Why a seat that is not to act may not play this."""
    if isinstance(action, actions.React):
        barred = ("O15",) if sight.supply == 0 and sight.reshuffled else ()
        return Fault(
            ("O13", "N9", "O20", *barred), sentence("only the seat whose group was just covered may answer")
        )
    if sight.phase in (CHANCE, OVER):
        return _MOMENTS[sight.phase]
    window = ("N9", "O13") if sight.phase == REACT else ()
    return Fault((*window, "C1", "B8", "F1"), sentence("another seat is to act"))


# --- cards in hand, and the one Sheriff card --------------------------------------------------------------


def _card_of(action: actions.Action) -> Kind:
    match action:
        case actions.PlayPhoto(outlaw):
            return deck.PHOTO + outlaw
        case actions.Rob(card):
            return card
        case actions.Ask() | actions.Steal():
            return deck.WANTED
        case actions.Hide():
            return deck.HIDEOUT
        case actions.EarpDraw() | actions.EarpSearch() | actions.EarpRemove():
            return deck.EARP
        case _:
            return NONE


def _held(sight: Sight, card: Kind, *rows: str) -> Faults:
    if card not in sight.hand:
        yield Fault(rows, sentence("you have no {name}", name=deck.card_term(card)))


def _one_sheriff(sight: Sight, card: Kind) -> Faults:
    if card >= deck.PHOTO and sight.sheriff and card != sight.found:
        rows = ("I1", "I6", "O7", "O8", "O9")
        yield Fault(rows, sentence("one Sheriff card in a turn; a found one only at once"))


_PLAYED_BY: Final = {
    deck.BANK: "K2",
    deck.STAGE: "K1",
    deck.FASTEST: "L1",
    deck.WANTED: "M1",
    deck.HIDEOUT: "N1",
    deck.EARP: "O1",
}


def _sheriff(sight: Sight, card: Kind) -> Faults:
    """It must be in the hand, and the turn's one Sheriff card or the one found just now (I1, O7)."""
    yield from _held(sight, card, _PLAYED_BY.get(card, "J3"))
    yield from _one_sheriff(sight, card)


def _one_left(sight: Sight, cards: int = 1, *more: str, refills: bool = False) -> Faults:
    if len(sight.hand) <= cards and not refills:
        yield Fault(("E4", "E5", *more), sentence("a card must be left to discard"))


def _shot(match: Match, sight: Sight, *, named: bool, earp: bool = False) -> Faults:
    """What every shot needs behind its card and its target: the target named in time, a card left, one to turn."""
    if not named and match.options.shot_target != "after_hit":
        yield Fault(("I9",), sentence("in this match the target is named before the shot"))
    yield from _one_left(sight)
    if not can_shoot(match, sight, earp=earp):
        yield Fault(("I15",), sentence("the supply is empty: no shot can be taken"))


# --- the plays --------------------------------------------------------------------------------------------


def _lay(match: Match, sight: Sight, action: actions.Lay) -> Faults:
    outlaw, count = action.outlaw, action.count
    if count < 3 and outlaw not in sight.opened:
        sticky = match.options.opened_test == "sticky"
        rows: tuple[str, ...] = ("D4",) if sticky else ("D4", "D6")
        if deck.PHOTO + outlaw in sight.hand:
            rows = (*rows, "D8")
        yield Fault(
            rows,
            sentence(
                "nobody has opened {name} yet: the first play needs at least three cards",
                name=deck.card_term(outlaw),
            ),
        )
    number = sight.hand.count(outlaw)
    if number < count:
        yield Fault(
            ("D1",),
            sentence(
                "you have {held} {name}, not {count}", held=number, name=deck.card_term(outlaw), count=count
            ),
        )
    yield from _one_left(sight, count)


def _photo(match: Match, sight: Sight, action: actions.PlayPhoto) -> Faults:
    outlaw = action.outlaw
    yield from _sheriff(sight, deck.PHOTO + outlaw)
    if outlaw not in sight.photos:
        presence = match.options.photo_test == "presence"
        rows = (
            ("J1", "D8", "D6") if match.options.opened_test == "presence" and not presence else ("J1", "D8")
        )
        name = deck.card_term(outlaw)
        text = (
            sentence("nothing of {name} is on the table", name=name)
            if presence
            else sentence("{name} is not opened", name=name)
        )
        yield Fault(rows, text)
    yield from _one_left(sight)


def _rob(match: Match, sight: Sight, action: actions.Rob) -> Faults:
    card, on = action.card, action.on
    yield from _sheriff(sight, card)
    targets = rob_targets(sight, card)
    if not targets:
        yield _no_group(sight, card)
    if on != NONE and on not in targets:
        yield _bad_rob_target(sight, card, on)
    yield from _shot(match, sight, named=on != NONE)


def _no_group(sight: Sight, card: Kind) -> Fault:
    if card == deck.FASTEST and rob_targets(sight, deck.BANK):
        return Fault(("L3", "I8"), sentence("the Fastest gun lies on the only Outlaws it could be played on"))
    return Fault(("I7", "I8"), sentence("you have no group to play it on"))


def _bad_rob_target(sight: Sight, card: Kind, on: Outlaw) -> Fault:
    if card == deck.FASTEST and any(group.fastest for group in sight.table[on::7]):
        return Fault(("L3",), sentence("the Fastest gun lies on {name} already", name=deck.card_term(on)))
    return Fault(("I7",), sentence("you have no group of {name}", name=deck.card_term(on)))


def _ask(match: Match, sight: Sight, action: actions.Ask) -> Faults:
    barred = list(_sheriff(sight, deck.WANTED))
    yield from barred
    if sight.sheriff and barred:
        yield Fault(("M9",), sentence("mode 1 is not played in place of a theft that missed"))
    yield from _order(match, sight, action)
    yield from _one_left(sight)


def _order(match: Match, sight: Sight, action: actions.Ask) -> Faults:
    order = match.options.mw_order
    if order == "clockwise" and not action.clockwise:
        yield Fault(("M3",), sentence("in this match the others are asked clockwise"))
    elif action.order and order != "any_order":
        yield Fault(("M3",), sentence("the order follows from the direction"))
    elif action.order and sorted(action.order) != [seat for seat in range(match.count) if seat != sight.seat]:
        yield Fault(("M3",), sentence("the order names every other seat once"))


def _steal(match: Match, sight: Sight, action: actions.Steal) -> Faults:
    yield from _sheriff(sight, deck.WANTED)
    if not steal_targets(match, sight):
        yield Fault(("M11", "I8", "M10"), sentence("no other player has an Outlaw card on the table"))
    if action.outlaw != NONE:
        yield from _steal_target(sight, action.outlaw, action.seat)
    yield from _shot(match, sight, named=action.outlaw != NONE)


def _steal_target(sight: Sight, outlaw: Outlaw, seat: int) -> Faults:
    group = sight.table[seat * 7 + outlaw]
    if seat == sight.seat:
        yield Fault(("M15",), sentence("you cannot steal from yourself"))
    elif group.outlaws:
        return
    elif group.photo:
        yield Fault(("J5", "M10", "M17"), sentence("a Photo cannot be stolen"))
    else:
        yield Fault(("M10", "M17"), sentence("no card of {name} lies there", name=deck.card_term(outlaw)))


def _hide(match: Match, sight: Sight, action: actions.Hide) -> Faults:
    yield from _sheriff(sight, deck.HIDEOUT)
    if not hide_targets(match, sight):
        yield _nothing_to_hide(sight)
    if action.on != NONE:
        yield from _hide_target(match, sight, action.on, action.seat)
    yield from _shot(match, sight, named=action.on != NONE)


def _nothing_to_hide(sight: Sight) -> Fault:
    base = sight.seat * 7
    others = (*sight.table[:base], *sight.table[base + 7 :])
    if any(group.hideout for group in others):
        return Fault(("N5", "N1", "I8"), sentence("every group it could lie on has a Hideout"))
    return Fault(("N1", "I8"), sentence("there is no group that it could lie on"))


def _hide_target(match: Match, sight: Sight, outlaw: Outlaw, seat: int) -> Faults:
    group = sight.table[seat * 7 + outlaw]
    if seat == sight.seat and match.options.hideout_target == "opponent":
        yield Fault(("N1",), sentence("a Hideout lies on another player's group"))
    if not group.anchored:
        yield Fault(("N1",), sentence("there is no group of {name}", name=deck.card_term(outlaw)))
    elif group.hideout:
        yield Fault(("N5",), sentence("the group has a Hideout already"))


def _earp_draw(match: Match, sight: Sight, action: actions.EarpDraw) -> Faults:  # noqa: ARG001
    yield from _sheriff(sight, deck.EARP)
    if not earp_draw_allowed(match, sight):
        yield Fault(("O4",), sentence("two cards cannot be taken, and this match asks for both"))
    yield from _one_left(sight, 1, "O4", "C11", refills=draw_refills(match, sight))


def _earp_search(match: Match, sight: Sight, action: actions.EarpSearch) -> Faults:  # noqa: ARG001
    yield from _sheriff(sight, deck.EARP)
    if not search_allowed(match, sight):
        yield Fault(("O11", "O5", "O18"), sentence("there is no card to be found"))
    yield from _one_left(sight, refills=search_refills(match, sight))


def _earp_remove(match: Match, sight: Sight, action: actions.EarpRemove) -> Faults:
    yield from _sheriff(sight, deck.EARP)
    targets = remove_targets(sight)
    if not targets:
        yield Fault(("O12", "I8"), sentence("none of your groups has a Hideout on it"))
    elif action.on != NONE and action.on not in targets:
        yield _not_covered(action.on)
    yield from _shot(match, sight, named=action.on != NONE, earp=True)


def _not_covered(on: Outlaw, *more: str) -> Fault:
    text = sentence("there is no Hideout on your group of {name}", name=deck.card_term(on))
    return Fault(("O12", *more), text)


def _choose(match: Match, sight: Sight, action: actions.Choose) -> Faults:
    pending = asked(sight.pending)
    card, searching = pending.card, pending.mode == "search"
    if action.decline:  # "no" only where the rules say "may"
        if card != deck.WANTED and (card != deck.EARP or searching):
            yield Fault(("I10",), sentence("here the rules say what must be done, not what may be"))
    elif card == deck.EARP and searching:
        if action.take not in search_answers(sight.stack or ()):
            yield Fault(
                ("O5", "I10"), sentence("the discard pile does not hold that card, or it is a Wyatt Earp")
            )
    elif action.take != NONE:
        yield Fault(("I10",), sentence("the question is where, not which card"))
    elif card in (deck.HIDEOUT, deck.WANTED):
        yield from _choose_group(match, sight, action, card)
    elif action.seat != NONE:
        yield Fault(("I10",), sentence("the group is an own one: name the Outlaw alone"))
    elif card == deck.EARP:
        if action.on not in remove_targets(sight):
            yield _not_covered(action.on, "I10")
    elif action.on not in rob_targets(sight, card):
        fault = _bad_rob_target(sight, card, action.on)
        yield Fault((*fault.rows, "I10"), fault.sentence)


def _choose_group(match: Match, sight: Sight, action: actions.Choose, card: Kind) -> Faults:
    if action.seat == NONE:
        rows = ("I10", "M17" if card == deck.WANTED else "N1")
        yield Fault(rows, sentence("name the Outlaw and the seat"))
        return
    if card == deck.HIDEOUT:
        targets = _hide_target(match, sight, action.on, action.seat)
    else:
        targets = _steal_target(sight, action.on, action.seat)
    for fault in targets:
        yield Fault((*fault.rows, "I10"), fault.sentence)


_BY_ACTION: Final[dict[type, tuple[str, Callable[[Match, Sight, Any], Faults]]]] = {
    actions.Draw: (DRAW, _draw),
    actions.Lay: (PLAY, _lay),
    actions.PlayPhoto: (PLAY, _photo),
    actions.Rob: (PLAY, _rob),
    actions.Ask: (PLAY, _ask),
    actions.Steal: (PLAY, _steal),
    actions.Hide: (PLAY, _hide),
    actions.EarpDraw: (PLAY, _earp_draw),
    actions.EarpSearch: (PLAY, _earp_search),
    actions.EarpRemove: (PLAY, _earp_remove),
    actions.Choose: (CHOOSE, _choose),
    actions.React: (REACT, _react),
    actions.Discard: (PLAY, _discard),
}
"""When each kind of action may be played, and its conditions there."""


# --- targets ----------------------------------------------------------------------------------------------
#
# Where a card may go, in the order of the actions' canonical JSON, and whether there are cards enough for
# it.


def rob_targets(sight: Sight, card: Kind) -> list[Outlaw]:
    """Own groups for a Bank robbery, Stagecoach robbery (I7) or Fastest gun (L3)."""
    base = sight.seat * 7
    mine = [outlaw for outlaw, group in enumerate(sight.table[base : base + 7]) if group.anchored]
    if card != deck.FASTEST:
        return mine
    return [outlaw for outlaw in mine if not any(group.fastest for group in sight.table[outlaw::7])]


def remove_targets(sight: Sight) -> list[Outlaw]:
    """Own groups under a Hideout (O12)."""
    base = sight.seat * 7
    return [outlaw for outlaw, group in enumerate(sight.table[base : base + 7]) if group.hideout]


def hide_targets(match: Match, sight: Sight) -> list[tuple[Outlaw, int]]:
    """Groups without a Hideout (N5), of other players (N1) or of anybody (``hideout_target=any``)."""
    table = sight.table
    barred = -1 if match.options.hideout_target == "any" else sight.seat
    return [
        (outlaw, seat)
        for outlaw in range(7)
        for seat in match.by_name
        if (group := table[seat * 7 + outlaw]).anchored and not group.hideout and seat != barred
    ]


def steal_targets(match: Match, sight: Sight) -> list[tuple[Outlaw, int]]:
    """Groups of other players that hold an Outlaw card (M10, M15); a Hideout does not matter."""
    table = sight.table
    return [
        (outlaw, seat)
        for outlaw in range(7)
        for seat in match.by_name
        if table[seat * 7 + outlaw].outlaws and seat != sight.seat
    ]


def search_answers(stack: Stack) -> list[Kind]:
    """The kinds a search may take: everything but Wyatt Earps (O5)."""
    return [kind for kind in deck.BY_NAME if kind != deck.EARP and kind in stack]


# --- whether there is enough -------------------------------------------------------------------------------


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
    shown = sight.hand.count(deck.EARP) + sight.discard - sight.takeable
    return sight.supply > 7 - shown
