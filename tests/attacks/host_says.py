"""A host who says something false of the table, and one who deals to whoever had no part in the shuffle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pbem.game import JsonObject, Seat
from pbem.player.world.forge import Forge, acting
from pbem.player.world.people import secret
from pbem.protocol.draws.chain import chain, seat_label
from pbem.protocol.draws.deck import cut, entropy, lay, permutation
from pbem.protocol.record import HostOpenings, Line
from pbem.protocol.referee import perform_default
from tests.attacks.attack import ANYBODY, Aftermath, attack
from tests.attacks.stage import Stage

TRIES: Final = 64
"""Decks that the host looks at before he announces one."""


def _said(stage: Stage, lie: Callable[[JsonObject], bool]) -> Aftermath | None:
    """The file in which the first turn of the first epoch that offers an occasion says something false."""
    forge = Forge(stage)
    bodies = forge.bodies()
    for body in bodies:
        if acting(body) and body.get("epoch") == 1 and "due" in body and lie(body):
            return Aftermath(forge.write(bodies))
    return None


@attack("host", "says falsely how much money somebody has", ANYBODY)
def _money(stage: Stage) -> Aftermath | None:
    def richer(body: JsonObject) -> bool:
        money = body["public"].get("money", body["public"].get("cash", {}))
        for seat in list(money)[:1]:
            money[seat] += 9000
        return bool(money)

    return _said(stage, richer)


@attack("host", "says falsely that a shot has hit, or has not", ANYBODY)
def _hit(stage: Stage) -> Aftermath | None:
    def other(body: JsonObject) -> bool:
        shots = [event for step in body["steps"] for event in step["events"] if "hit" in event]
        for shot in shots[:1]:
            shot["hit"] = not shot["hit"]
        return bool(shots)

    return _said(stage, other)


@attack("host", "says falsely how many cards or counters there are", ANYBODY)
def _supply(stage: Stage) -> Aftermath | None:
    def more(body: JsonObject) -> bool:
        public = body["public"]
        if "supply" in public:
            public["supply"] += 1
        else:
            public["wanted"][stage.seats[0]] += 1
        return True

    return _said(stage, more)


@attack("host", "says falsely whose turn it is", ANYBODY)
def _turn(stage: Stage) -> Aftermath | None:
    def other(body: JsonObject) -> bool:
        waiting = body["public"].get("waiting")
        if waiting is None:
            return False
        waiting["seat"] = next(seat for seat in stage.seats if seat != waiting["seat"])
        return True

    return _said(stage, other)


@attack("host", "pays somebody a reward that no rule gives", ANYBODY)
def _reward(stage: Stage) -> Aftermath | None:
    """In the event and in the view alike."""

    def paid(body: JsonObject) -> bool:
        events = [event for step in body["steps"] for event in step["events"] if "reward" in event]
        for event in events[:1]:
            event["reward"] += 1000
            body["public"]["posters"][event["outlaw"]] += 1000
        return bool(events)

    return _said(stage, paid)


class _Choosing(HostOpenings):
    """Opens one epoch with a seed that the host has chosen; nobody can check that seeds come from his master secret."""

    def __init__(self, stage: Stage, genesis: Line, epoch: int, chosen: bytes) -> None:
        super().__init__(stage.host, genesis)
        self._epoch, self._chosen = epoch, chosen

    def seed(self, epoch: int) -> bytes:
        """The seed of any epoch."""
        return self._chosen if epoch == self._epoch else super().seed(epoch)


@attack("host and all who have a part in a shuffle", "choose the deck for a seat that was left out", ANYBODY)
def _chosen(stage: Stage) -> Aftermath | None:
    """A seat misses its time while it owes a link. The others know the next cut before the deck is laid."""
    burn = next((line for line in stage.record.lines if line.kind == "burn"), None)
    if burn is None or not stage.record.game_info.decks:
        return None
    default = stage.record.lines[burn.seq - 1]
    seat, epoch = Seat(default.body["seat"]), burn.body["epoch"] + 1
    before = next(record for record in reversed(stage.past) if record.head.seq < default.seq)
    friends = [other for other in before.ledger.linking if other != seat]
    seeds = [secret(f"a deck that the host may like {number}") for number in range(TRIES)]
    best = max(seeds, key=lambda seed: _pairs(stage, epoch, friends, seed))
    record = before.fork()
    assert record.replay is not None
    record.replay.openings = _Choosing(stage, record.lines[0], epoch, best)
    there = stage.branch(record)
    there.now = max(there.now, default.at)
    there.take(perform_default(there.record, there.host, seat, there.now))
    there.play_until("open")
    dealt = there.record.ledger.epochs[epoch]
    if dealt.opened is None or seat not in dealt.left_out:
        return None
    return Aftermath(there.lines, upto=len(there.lines), since=default.seq)


def _pairs(stage: Stage, epoch: int, friends: list[Seat], seed: bytes) -> int:
    """How many cards of one kind the first friend would be dealt among the first thirty of this deck."""
    game = stage.record.game
    links = {
        str(one): chain(seat_label(one), game, stage.people[one].chain_seed(game))[epoch] for one in friends
    }
    value = entropy(game, epoch, links)
    ((name, cards), *_) = stage.record.game_info.decks.items()
    laid = lay(seed, game, epoch, name, 0, cards)
    order = permutation(laid.order, cut(value, name, 0, len(cards)))
    hand = [cards[at] for at in order[: 10 * len(stage.seats) : len(stage.seats)]]
    return max(map(hand.count, hand))
