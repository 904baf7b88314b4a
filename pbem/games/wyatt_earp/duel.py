"""The duel of those tied for the most money (H7–H10; ``duel``, ``duel_deck``)."""

from __future__ import annotations

from pbem.games.wyatt_earp import actions, deck
from pbem.games.wyatt_earp.deck import NO_GROUP, Stack
from pbem.games.wyatt_earp.state import OVER, Duel, Match, Pending, asked
from pbem.games.wyatt_earp.transition import Transition


def start_duel(change: Transition, tied: list[int]) -> None:
    """Who is tied draws, clockwise from the left of the last hand's dealer (H9)."""
    order = start_order(change.match, change.state.dealer, tied)
    change.set(duel=Duel(order, score=(0,) * len(order)))
    cards = change.state.supply + change.state.discard
    if change.match.options.duel_deck == "fresh_78" or _undecidable(cards, len(order)):
        change.ask_chance(Pending(shuffle="duel-all"))
    else:
        draw_on(change)


def start_order(match: Match, dealer: int, tied: list[int]) -> tuple[int, ...]:
    """The tied seats in the order in which they draw in the duel: from the dealer's left on (H9)."""
    return tuple(sorted(tied, key=lambda seat: (seat - dealer - 1) % match.count))


def _undecidable(cards: Stack, duellists: int) -> bool:
    """H10: too few cards, or only hits, or only blanks."""
    blanks = sum(map(deck.is_sheriff, cards))
    return len(cards) < duellists or blanks in (0, len(cards))


def shuffled(change: Transition, cards: Stack) -> None:
    """A new supply for the duel: the discard's cards, or all 78."""
    if asked(change.state.pending).shuffle == "duel-all":
        change.set(table=(NO_GROUP,) * len(change.state.table))
    change.set(discard=(), supply=cards)
    draw_on(change)


def draw_on(change: Transition) -> None:
    """Round after round, one card for each, until one is left or a shuffle is needed."""
    duel = change.state.duel
    if duel is None:
        raise ValueError("there is no duel")
    while len(duel.seats) > 1:
        if not change.state.supply:
            change.ask_chance(Pending(shuffle="duel"))
            return
        hit = _turn(change, duel.seats[len(duel.hits)])
        hits = (*duel.hits, hit)
        if len(hits) < len(duel.seats):
            duel = duel._replace(hits=hits)
        else:
            duel = _next_round(change, duel.seats, duel.score, hits)
        change.set(duel=duel)
    win(change, duel.seats[0])


def win(change: Transition, seat: int) -> None:
    """The match is over (H6, H7)."""
    change.carry_on(OVER)
    change.set(winner=seat)
    change.events.append(actions.MatchEnded(seat, change.state.money))


def _turn(change: Transition, seat: int) -> bool:
    card = change.turn_up()
    hit = not deck.is_sheriff(card)
    change.events.append(actions.DuelDraw(seat, card, hit))
    return hit


def _next_round(
    change: Transition, seats: tuple[int, ...], score: tuple[int, ...], hits: tuple[bool, ...]
) -> Duel:
    """Blanks are out unless all drew blanks (H7, H8); a race ends when one leads alone."""
    if change.match.options.duel == "elimination":
        left = tuple(seat for seat, hit in zip(seats, hits, strict=True) if hit) or seats
        return Duel(left, score=(0,) * len(left))
    total = tuple(map(sum, zip(score, hits, strict=True)))
    leaders = [seat for seat, won in zip(seats, total, strict=True) if won == max(total)]
    return Duel((leaders[0],), score=(max(total),)) if len(leaders) == 1 else Duel(seats, score=total)
