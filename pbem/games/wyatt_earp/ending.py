"""The end of a hand (F), its scoring (G), the end of the match (H5, H6), and the next deal (B, H2–H4)."""

from __future__ import annotations

from functools import cache
from itertools import chain
from itertools import count as counted
from typing import Any, Final

from pbem.game import TABLE, Deal, Fact, JsonObject, Seat, Step
from pbem.games.wyatt_earp import actions, deck
from pbem.games.wyatt_earp.deck import NO_GROUP, NONE, Group, Kind, Outlaw, Stack
from pbem.games.wyatt_earp.state import (
    CHANCE,
    DRAW,
    OVER,
    WIN,
    Duel,
    Match,
    Options,
    Pending,
    State,
    asked,
    money_in_bank,
)

_HAND = 10
"""Cards dealt to each player (B3)."""


def end_turn(change: Transition) -> None:
    """After the turn's discard: F2, F3, then the next player (F1, F7)."""
    if not change.state.hands[change.state.active]:
        end_hand(change, "went-out")
    elif not all(change.state.hands):
        end_hand(change, "empty-hand")
    else:
        change.set(active=(change.state.active + 1) % change.match.count)
        _fresh_turn(change)
        change.carry_on(DRAW)


def _fresh_turn(change: Transition) -> None:
    change.set(sheriff=False, found=NONE, drawn=NONE, laid=frozenset())


def end_hand(change: Transition, reason: str) -> None:
    """The hands go face down under the discard (F6), the posters are scored, and the match may end."""
    change.events.append(actions.HandEnded(reason))
    hands = tuple(chain.from_iterable(change.state.hands))
    change.set(discard=change.state.discard + hands, hands=((),) * change.match.count)
    _fresh_turn(change)
    if not _score(change):
        change.ask_chance(Pending(shuffle="deal"))
        return
    best = max(change.state.money)
    richest = [seat for seat, money in enumerate(change.state.money) if money == best]
    if len(richest) == 1:
        win(change, richest[0])
    else:
        start_duel(change, richest)


def _score(change: Transition) -> bool:
    """Score the posters in circle order (A15); whether somebody has won (H5; ``end_condition``)."""
    at_once = change.match.options.end_condition == "first_to_25000"
    for outlaw in circle_from(change.match.options.first_poster):
        _score_poster(change, outlaw)
        if at_once and max(change.state.money) >= WIN:
            return True
    return max(change.state.money) >= WIN


def _score_poster(change: Transition, outlaw: int) -> None:
    points = tuple([group.counted for group in change.state.table[outlaw::7]])
    captured, paid = score_poster(change.match.options, points, change.state.posters[outlaw])
    left = change.state.posters[outlaw] - sum(paid)
    if captured:
        money = tuple(map(sum, zip(change.state.money, paid, strict=True)))
        change.set(posters=deck.put(change.state.posters, outlaw, left), money=money)
    change.events.append(actions.PosterScored(outlaw, points, captured, paid, left))


def before_the_match(match: Match) -> State:
    """Posters as B1 has them; the first deal waits for its shuffle."""
    return State(
        hand=1,
        dealer=match.dealer,
        active=(match.dealer + 1) % match.count,
        phase="chance",
        sheriff=False,
        reshuffled=False,
        opened=frozenset(),
        laid=frozenset(),
        posters=(1000,) * 7,
        money=(0,) * match.count,
        hands=((),) * match.count,
        supply=(),
        discard=(),
        table=(NO_GROUP,) * (7 * match.count),
        pending=Pending(shuffle="first-deal"),
        found=NONE,
        drawn=NONE,
        duel=None,
        winner=NONE,
    )


def deal(change: Transition, cards: Stack) -> None:
    """All 78 cards, one at a time, clockwise from the dealer's left; then the first discard (B3–B6, H4)."""
    match = change.match
    if asked(change.state.pending).shuffle == "deal":
        _next_hand(change)
    starter = (change.state.dealer + 1) % match.count
    order = [(starter + i) % match.count for i in range(match.count)]
    dealt = _HAND * match.count
    hands = {seat: deck.hand_of(cards[at : dealt : match.count]) for at, seat in enumerate(order)}
    change.deals += [deal_to(match.seats[seat]) for seat in order] * _HAND
    change.deals.append(Deal("main", TABLE))
    change.set(
        hands=tuple(hands[seat] for seat in range(match.count)),
        discard=cards[dealt : dealt + 1],
        supply=cards[dealt + 1 :],
        table=(NO_GROUP,) * (7 * match.count),
        opened=frozenset(),
        reshuffled=False,
        active=starter,
    )
    _fresh_turn(change)
    change.carry_on(DRAW)
    change.events.append(actions.HandStarted(change.state.hand, change.state.dealer, starter))


def _next_hand(change: Transition) -> None:
    """H2: 1000 for every poster, in circle order as far as the bank has it; H3: the next dealer."""
    change.set(hand=change.state.hand + 1)
    for outlaw in circle_from(change.match.options.first_poster):
        left = money_in_bank(change.match, change.state.posters, change.state.money)
        added = 1000 if left is None else min(1000, left)
        change.set(posters=deck.put(change.state.posters, outlaw, change.state.posters[outlaw] + added))
    if change.match.options.next_dealer == "last_turn_player":
        change.set(dealer=change.state.active)
    else:
        change.set(dealer=(change.state.dealer + 1) % change.match.count)


# --- scoring ----------------------------------------------------------------------------------------------
#
# Scoring (rules G): the order of the posters, and what each pays by capture points, money and options.

_SHARE: Final = 1000
_FIRST_SHARE: Final = 2000
_LEAD: Final = 5
"""A lead of this many CP takes the whole poster (G3); who is closer shares (G4), or everybody (``sharers``)."""


@cache
def circle_from(first: str) -> tuple[Outlaw, ...]:
    """The posters in circle order, from this Outlaw's on (A15; the option ``first_poster``)."""
    count = len(deck.OUTLAW_NAMES)
    return tuple((deck.OUTLAW_OF[first] + step) % count for step in range(count))


def score_poster(options: Options, points: tuple[int, ...], pot: int) -> tuple[bool, tuple[int, ...]]:
    """Whether the Outlaw is captured (G2), and what each seat is paid (G3–G10)."""
    nothing = (0,) * len(points)
    if sum(points) < options.capture_min:
        return False, nothing
    best, *others = sorted(points, reverse=True)
    if best - max(others, default=0) >= _LEAD:
        return True, tuple(pot if cp == best else 0 for cp in points)
    return True, _share(options, points, _tiers(options, points), pot)


def _tiers(options: Options, points: tuple[int, ...]) -> list[int]:
    """The CP of those who share, highest first (G4–G6)."""
    least = max(points) - _LEAD + 1 if options.sharers == "within_four" else 0
    sharing = {cp for cp in points if cp >= least and (cp > 0 or options.zero_cp_shares)}
    return sorted(sharing, reverse=True)


def _share(options: Options, points: tuple[int, ...], tiers: list[int], pot: int) -> tuple[int, ...]:
    """Pass after pass, tier after tier, until the poster is empty or a tier cannot be paid (G6–G10)."""
    paid = [0] * len(points)
    for number in counted():
        for tier in tiers:
            seats = [seat for seat, cp in enumerate(points) if cp == tier]
            due = _FIRST_SHARE if number == 0 and tier == tiers[0] else _SHARE
            each = due if pot >= due * len(seats) else _short_share(options, len(seats), pot)
            for seat in seats:
                paid[seat] += each
            pot -= each * len(seats)
            if each < due or not pot:
                return tuple(paid)
    raise AssertionError("counting has no end")


def _short_share(options: Options, players: int, pot: int) -> int:
    """What each player of a tier gets when the poster cannot pay the tier in full (G8, G9)."""
    if players == 1:
        return pot if options.single_shortfall == "take_rest" else 0
    return pot // players // 1000 * 1000 if options.tie_payment == "split" else 0


# --- the duel of those tied for the most money (H7–H10; ``duel``, ``duel_deck``) --------------------------


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


# --- one transition in the making: the state as it is now, and what happened while it was changed ---------
#
# A ``Transition`` lives no longer than one call of ``apply`` or ``resolve``; states never change.

_DECK: Final = "main"


class Transition:
    """A state that the effects in ``turn`` and ``ending`` replace, and what else a ``Step`` holds."""

    __slots__ = ("deals", "events", "facts", "match", "reveals", "state")

    def __init__(self, match: Match, state: State) -> None:
        self.match = match
        self.state = state
        self.events: list[actions.Event] = []
        self.deals: list[Deal] = []
        self.facts: list[Fact] = []
        self.reveals = False

    def set(self, **values: Any) -> None:
        """Replace fields of the state."""
        self.state = self.state._replace(**values)

    def freeze(self) -> Step[State, actions.Event]:
        """The finished step."""
        reveals = self.reveals or bool(self.deals)
        return Step(self.state, tuple(self.events), tuple(self.deals), tuple(self.facts), reveals)

    def take_in(self, seat: int, *cards: Kind) -> None:
        """Add cards to a hand."""
        hands = self.state.hands
        self.set(hands=deck.put(hands, seat, deck.hand_of((*hands[seat], *cards))))

    def take_out(self, seat: int, card: Kind) -> None:
        """Take a card out of a hand."""
        hands = self.state.hands
        self.set(hands=deck.put(hands, seat, deck.without(hands[seat], card)))

    def put_down(self, seat: int, card: Kind, why: str) -> None:
        """Lay a card of a hand on the discard (E1, I5, O1)."""
        self.take_out(seat, card)
        self.remove(seat, card, why)

    def remove(self, seat: int, card: Kind, why: str) -> None:
        """Lay a card that came off a territory on the discard (I17)."""
        self.set(discard=(card, *self.state.discard))
        self.events.append(actions.Discarded(seat, card, why))

    def draw_into_hand(self, seat: int, count: int) -> None:
        """Up to ``count`` cards from the top of the supply, dealt to a seat."""
        cards = self.state.supply[:count]
        if not cards:
            return
        self.set(supply=self.state.supply[count:])
        self.take_in(seat, *cards)
        self.deals += [deal_to(self.match.seats[seat])] * len(cards)
        self.events.append(actions.Drew(seat, True, cards))

    def turn_over(self, seat: int) -> bool:
        """The top of the supply is turned onto the discard: a shot (I3); whether it hit."""
        card = self.turn_up()
        hit = not deck.is_sheriff(card)
        self.events.append(actions.Shot(seat, card, hit))
        return hit

    def turn_up(self) -> Kind:
        """Lay the top card of the supply on the discard; which it was."""
        card, *left = self.state.supply
        self.set(supply=tuple(left), discard=(card, *self.state.discard))
        self.deals.append(_TO_TABLE)
        return card

    def group(self, seat: int, outlaw: Outlaw) -> Group:
        """The group of one Outlaw in one territory; empty if there is none."""
        return self.state.table[seat * 7 + outlaw]

    def set_group(self, seat: int, outlaw: Outlaw, group: Group) -> None:
        """Replace a group."""
        self.set(table=deck.put(self.state.table, seat * 7 + outlaw, group))

    def reward(self, outlaw: Outlaw, amount: int) -> int:
        """The banker adds to a poster what a play earns, as far as the bank has it (A14); what was added."""
        left = money_in_bank(self.match, self.state.posters, self.state.money)
        added = amount if left is None else min(amount, left)
        self.set(posters=deck.put(self.state.posters, outlaw, self.state.posters[outlaw] + added))
        return added

    def add_fact(self, seat: int, body: JsonObject) -> None:
        """A fact for one seat alone."""
        self.facts.append(Fact(Seat(self.match.seats[seat]), body))

    def add_found(self, seat: int, card: Kind) -> None:
        """What a search took (schemas/README.md §14.1)."""
        self.add_fact(seat, {"found": deck.NAMES[card]})

    def add_stack(self, seat: int, stack: Stack) -> None:
        """What a search shows, top first (schemas/README.md §14.1)."""
        self.add_fact(seat, {"stack": [deck.NAMES[kind] for kind in stack]})

    def ask_chance(self, pending: Pending) -> None:
        """Nobody acts until the shuffle that ``pending`` names has come out."""
        self.set(phase=CHANCE, pending=pending)

    def ask(self, phase: str, pending: Pending) -> None:
        """A seat must answer."""
        self.set(phase=phase, pending=pending)

    def carry_on(self, phase: str) -> None:
        """Nothing is pending."""
        self.set(phase=phase, pending=None)

    @property
    def no_shot_left(self) -> bool:
        """I15 for everybody: the supply is empty and there is nothing to reshuffle, or no right to."""
        return not self.state.supply and (self.state.reshuffled or not self.state.discard)

    @property
    def second_supply_is_gone(self) -> bool:
        """Under ``exhaustion_end=immediate`` this ends the hand."""
        return (
            not self.state.supply
            and self.state.reshuffled
            and self.match.options.exhaustion_end == "immediate"
        )


@cache
def deal_to(seat: str) -> Deal:
    """A card dealt into this seat's hand; one object for each seat."""
    return Deal(_DECK, Seat(seat))


_TO_TABLE: Final = Deal(_DECK, TABLE)
"""A card dealt face up."""
