"""Judgement for Wyatt Earp: every choice by the money it is likely to leave, in thousands of dollars.

A choice is tried on a small board; ``earp_future`` then ends the hand in a number of ways that agree with what the seat
knows. A choice that ends the hand is scored exactly. A shot is weighed by the cards that the seat has not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pbem.bots.chance import FastRandom
from pbem.bots.earp_future import FutureBoard, finish, imagine, play_out, utility
from pbem.games.wyatt_earp import actions, deck
from pbem.games.wyatt_earp.deck import NONE, Kind, Outlaw
from pbem.games.wyatt_earp.filling import CardMemory, Odds
from pbem.games.wyatt_earp.legality import extras, legal
from pbem.games.wyatt_earp.state import Match, View, asked, sight_in

_KINDS: Final = len(deck.COPIES)
_FEW: Final = 1e-6
_ROUNDS: Final = {2: 0.8, 3: 0.8, 4: 0.6}
"""Rounds that a hand may still go on, by players, beside 0.3 for each card of the shortest hand of another."""
_MOST_ROUNDS: Final = 9


class Judge:
    """The judgement of one decision of one seat."""

    def __init__(self, match: Match, view: View, notes: CardMemory, seed: str, futures: int) -> None:
        self.match = match
        self.view = view
        self.me = view.viewer
        self.options = match.options
        self.sight = sight_in(match, view)
        self.money = [dollars / 1000 for dollars in view.money]
        self.board = FutureBoard(
            list(view.table),
            [dollars // 1000 for dollars in view.posters],
            [deck.held(view.hand, kind) for kind in range(_KINDS)],
            self.sight.opened,
        )
        self.notes = notes
        known = notes.known(view)
        self._pool = notes.unseen(view, known)
        self.shot = Odds.of(self._pool)
        """The chance of a shot now, by the cards not seen."""
        self.hit = self.shot.chance
        chance = FastRandom(seed)
        self.futures = [
            imagine(
                chance, self.me, view.sizes, self._pool, known, self.sight.opened, self._turns(chance, at)
            )
            for at in range(futures)
        ]

    def _turns(self, chance: FastRandom, at: int) -> tuple[int, ...]:
        """How many turns each seat still takes: the shorter the shortest hand, the fewer."""
        count = self.match.count
        shortest = min(size for seat, size in enumerate(self.view.sizes) if seat != self.me)
        mean = _ROUNDS[count] + 0.3 * shortest
        rounds = 0
        while rounds < _MOST_ROUNDS and chance.below(1000) < 1000 * mean / (1 + mean):
            rounds += 1
        if self.view.reshuffled:
            rounds = min(rounds, self.view.supply // (2 * count))
        last = at % count
        return tuple(rounds + ((seat - self.me) % count <= last and seat != self.me) for seat in range(count))

    # --- what a board is worth

    def worth(self, board: FutureBoard, *, mine: bool, sheriff: bool) -> float:
        """The mean over the futures; ``mine``: the own turn goes on, ``sheriff``: with its Sheriff card."""
        more = (int(mine), int(mine and sheriff))
        return sum(
            play_out(self.options, board, future, self.me, self.money, more) for future in self.futures
        ) / len(self.futures)

    def ended(self, board: FutureBoard) -> float:
        """What the hand is worth if it ends on this board."""
        return utility(finish(self.options, board.table, board.posters, self.money), self.me)

    def now(self) -> list[float]:
        """Everybody's share in thousands, if the hand ended now."""
        total = finish(self.options, self.board.table, self.board.posters, self.money)
        return [after - had for after, had in zip(total, self.money, strict=True)]

    def mid_turn(self, board: FutureBoard, *, sheriff: bool | None = None) -> float:
        """The own turn goes on from here. With one card left it can only be discarded: that ends the hand."""
        free = not self.view.sheriff if sheriff is None else sheriff
        cards = sum(board.hand)
        if cards == 0 or (cards == 1 and not (free and board.hand[deck.EARP])):
            return self.ended(board)
        return self.worth(board, mine=True, sheriff=free)

    # --- choices

    def weigh(self) -> list[tuple[float, actions.Action]]:
        """Every choice worth a look with its value, best first."""
        weighed = [(self._value(action), action) for action in self._choices()]
        return sorted(weighed, key=lambda pair: -pair[0])

    def _choices(self) -> list[actions.Action]:
        """The legal actions, of each Outlaw only the largest lay, each shot with its targets; discards come last."""
        largest: dict[Outlaw, actions.Lay] = {}
        plays: list[actions.Action] = []
        discards: list[actions.Action] = []
        for action in legal(self.match, self.sight):
            match action:
                case actions.Lay(outlaw, count):
                    if outlaw not in largest or count > largest[outlaw].count:
                        largest[outlaw] = action
                case actions.Discard():
                    discards.append(action)
                case actions.Rob() | actions.Hide() | actions.Steal() | actions.EarpRemove():
                    plays += extras(self.match, self.sight, action) or (action,)
                case _:
                    plays.append(action)
        return [*plays, *largest.values(), *discards]

    def _value(self, action: actions.Action) -> float:
        match action:
            case actions.Draw(supply):
                return self._two() if supply else self._top(self.view.top)
            case actions.Lay():  # it loses nothing to lay first; a Sheriff card before it opens an Outlaw no earlier
                return self._laid(action) + _FEW
            case actions.Discard(card):
                return self._discarded(card)
            case actions.Choose():
                return self._answer(action)
            case actions.React(earp):
                return self._reaction(earp=earp)
            case _:
                return self._sheriff(action)

    def _two(self) -> float:
        """Two from the supply, which end the hand where they cannot be had (C9)."""
        short = self.view.reshuffled and self.view.supply < 2
        return self.ended(self.board) if short else self._with_fresh(self.board, 2, sheriff=True)

    def _top(self, card: Kind) -> float:
        board = self.board.copy()
        board.hand[card] += 1
        return self.mid_turn(board) - 0.15

    def _with_fresh(self, board: FutureBoard, number: int, *, sheriff: bool) -> float:
        """With the next cards of the supply in the hand."""
        total = 0.0
        for future in self.futures:
            more = board.copy()
            for kind in future.fresh[:number]:
                more.hand[kind] += 1
            total += play_out(self.options, more, future, self.me, self.money, (1, int(sheriff)))
        return total / len(self.futures)

    def _laid(self, action: actions.Lay) -> float:
        board = self.board.copy()
        board.hand[action.outlaw] -= action.count
        board.table[self.me * 7 + action.outlaw] += action.count
        board.posters[action.outlaw] += action.count - 1
        board.opened |= deck.bit_of(action.outlaw)
        return self.mid_turn(board)

    def _discarded(self, card: Kind) -> float:
        board = self.board.copy()
        board.hand[card] -= 1
        if not any(board.hand) or any(
            size == 0 for seat, size in enumerate(self.view.sizes) if seat != self.me
        ):
            return self.ended(board)
        return self.worth(board, mine=False, sheriff=False) - self._gift(card) - _FEW * self._keep(card)

    def _gift(self, card: Kind) -> float:
        """What the next player gains who takes it (E7)."""
        after = (self.me + 1) % self.match.count
        if card >= deck.PHOTO:
            return (
                0.5 if card < deck.PHOTO + 7 and deck.includes(self.board.opened, card - deck.PHOTO) else 0.1
            )
        if not deck.includes(self.board.opened, card):
            return 0.05
        pot = self.board.posters[card]
        fights = self.board.table[after * 7 + card] & deck.ANCHOR
        return 0.04 * pot * (1.5 if fights else 1)

    def _keep(self, card: Kind) -> float:
        if card >= deck.PHOTO:
            return 2.0
        return float(self.board.hand[card]) + 2 * deck.includes(self.board.opened, card)

    # --- Sheriff cards

    def _shot(self, card: Kind, hit: Callable[[FutureBoard], float]) -> float:
        board = self.board.copy()
        board.hand[card] -= 1
        miss = self.mid_turn(board, sheriff=False)
        return self.hit * hit(board) + (1 - self.hit) * miss

    def _sheriff(self, action: actions.Action) -> float:
        match action:
            case actions.PlayPhoto(outlaw):
                board = self.board.copy()
                board.hand[deck.PHOTO + outlaw] -= 1
                board.table[self.me * 7 + outlaw] |= deck.PHOTO_BIT
                board.posters[outlaw] += 1
                return self.mid_turn(board, sheriff=False)
            case actions.Rob(card, on):
                return self._shot(card, lambda board: self._robbed(board, card, on))
            case actions.Steal(outlaw, seat):
                return self._shot(deck.WANTED, lambda board: self._stolen(board, outlaw, seat))
            case actions.Hide(on, seat):
                return self._shot(deck.HIDEOUT, lambda board: self._hidden(board, on, seat))
            case actions.EarpRemove(on):
                return self._shot(deck.EARP, lambda board: self._uncovered(board, on))
            case actions.Ask(outlaw, clockwise):
                return self._asked(outlaw, clockwise=clockwise)
            case actions.EarpDraw():
                return self._drawn()
            case actions.EarpSearch():
                return self._searched()
            case _:
                return float("-inf")

    def _robbed(self, board: FutureBoard, card: Kind, on: int) -> float:
        after = board.copy()
        if card == deck.FASTEST:
            after.table = [group & ~deck.FASTEST_BIT for group in after.table]
        after.table[self.me * 7 + on] += deck.UNIT[card]
        after.posters[on] += deck.REWARD[card] // 1000
        return self.mid_turn(after, sheriff=False)

    def _stolen(self, board: FutureBoard, outlaw: int, seat: int) -> float:
        after = board.copy()
        group = after.table[seat * 7 + outlaw] - 1
        after.table[seat * 7 + outlaw] = group if group & deck.ANCHOR else 0
        after.hand[outlaw] += 1
        return self.mid_turn(after, sheriff=False)

    def _hidden(self, board: FutureBoard, on: int, seat: int) -> float:
        after = board.copy()
        after.table[seat * 7 + on] |= deck.HIDEOUT_BIT
        covered = self.mid_turn(after, sheriff=False)
        answers = sum(future.answers[seat] for future in self.futures) / len(self.futures)
        if not answers:
            return covered
        freed = self.mid_turn(board, sheriff=False)
        lost = answers * self.hit
        return (1 - lost) * covered + lost * freed

    def _uncovered(self, board: FutureBoard, on: int) -> float:
        after = board.copy()
        after.table[self.me * 7 + on] &= ~deck.HIDEOUT_BIT
        return self.mid_turn(after, sheriff=False)

    def _asked(self, outlaw: int, *, clockwise: bool) -> float:
        """By the hands that the futures dealt: who is asked first and has one gives it."""
        if not clockwise and self.match.count == 2:
            return float("-inf")
        gives = sum(
            any(future.holds[seat][outlaw] for seat in range(self.match.count) if seat != self.me)
            for future in self.futures
        ) / len(self.futures)
        refused = self.board.copy()
        refused.hand[deck.WANTED] -= 1
        given = refused.copy()
        given.hand[outlaw] += 1
        without = self.mid_turn(refused, sheriff=False)
        if not gives:
            return without
        return without + gives * (self.mid_turn(given, sheriff=False) - without) - 0.01 * clockwise

    def _drawn(self) -> float:
        board = self.board.copy()
        board.hand[deck.EARP] -= 1
        if self.view.reshuffled and self.view.supply < 2:
            return self.ended(board)
        return self._with_fresh(board, 2, sheriff=False)

    def _searched(self) -> float:
        board = self.board.copy()
        board.hand[deck.EARP] -= 1
        kinds = self.notes.searchable() if self.options.earp_search == "discard" else []
        if not kinds:
            return self.mid_turn(board, sheriff=False) - 0.1
        return max(self._with(board, kind) for kind in kinds)

    def _with(self, board: FutureBoard, kind: Kind) -> float:
        more = board.copy()
        more.hand[kind] += 1
        return self.mid_turn(more, sheriff=kind >= deck.PHOTO)

    def _reaction(self, *, earp: bool) -> float:
        """The Hideout stays, or a Wyatt Earp shoots at it; who answers with the last card ends the hand (F3)."""
        pending = self.view.pending
        if not earp or pending is None:
            return self.worth(self.board, mine=False, sheriff=False)
        missed = self.board.copy()
        missed.hand[deck.EARP] -= 1
        freed = missed.copy()
        freed.table[self.me * 7 + pending.outlaw] &= ~deck.HIDEOUT_BIT
        last = not any(missed.hand)
        after = self.ended if last else lambda board: self.worth(board, mine=False, sheriff=False)
        return self.hit * after(freed) + (1 - self.hit) * after(missed)

    def _answer(self, action: actions.Choose) -> float:
        card = asked(self.view.pending).card
        if action.take != NONE:
            return self._with(self.board, action.take)
        if action.decline:
            return self.mid_turn(self.board, sheriff=False)
        board = self.board.copy()
        if card in deck.UNIT or card in (deck.HIDEOUT, deck.WANTED):
            board.hand[card] = max(0, board.hand[card] - 1)
        if card == deck.HIDEOUT:
            return self._hidden(board, action.on, action.seat)
        if card == deck.WANTED:
            return self._stolen(board, action.on, action.seat)
        if card == deck.EARP:
            return self._uncovered(board, action.on)
        return self._robbed(board, card, action.on)
