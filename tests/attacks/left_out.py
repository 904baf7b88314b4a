"""A deck is laid again without somebody who missed their time: what the host, the others and that player make of it."""

from __future__ import annotations

from typing import Final

from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64
from pbem.protocol.draws import chain, cut, entropy, lay, permutation, seat_label
from pbem.protocol.formats.envelopes import make_file
from pbem.protocol.record import HostOpenings, Line, Record
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import Accepted, perform_default
from tests.attacks.attack import ANYBODY, FUTILE, OWNER, Aftermath, attack
from tests.attacks.stage import Stage
from tests.world import secret

TRIES: Final = 64
"""Decks that the host looks at before they announce one."""
_MOST_FILES: Final = 400
_TALKS: Final = 3


def _left_out(stage: Stage) -> tuple[Stage, Seat] | None:
    """The match right after a deck was laid without a seat that is late: it has not written since."""
    record = stage.moment(_waits_without_somebody)
    if record is None or record.ledger.newest is None:
        return None
    return stage.branch(record), record.ledger.newest.left_out[0]


def _waits_without_somebody(record: Record) -> bool:
    newest = record.ledger.newest
    return newest is not None and newest.opened is None and bool(newest.left_out)


class _Choosing(HostOpenings):
    """Opens one epoch with a seed that the host has chosen; nobody can check that seeds come from its master secret."""

    def __init__(self, stage: Stage, genesis: Line, epoch: int, chosen: bytes) -> None:
        super().__init__(stage.host, genesis)
        self._epoch, self._chosen = epoch, chosen

    def seed(self, epoch: int) -> bytes:
        """The seed of any epoch."""
        return self._chosen if epoch == self._epoch else super().seed(epoch)


@attack(
    "host and all who have a part in a shuffle",
    "choose the deck for a seat that was left out",
    ANYBODY,
    words="Anybody sees that a deck was voided, that each card could be chosen, and by whom; not whether one was.",
)
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
    branch = stage.branch(record)
    branch.now = max(branch.now, default.at)
    branch.take(perform_default(branch.record, branch.host, seat, branch.now))
    if not _dealt_without(branch, seat):
        return None
    return Aftermath(branch.lines, upto=len(branch.lines), since=default.seq)


def _pairs(stage: Stage, epoch: int, friends: list[Seat], seed: bytes) -> int:
    """How many cards of one kind the first friend would be dealt among the first thirty of this deck."""
    game = stage.record.game
    links = {
        str(friend): chain(seat_label(friend), game, stage.people[friend].chain_seed(game))[epoch]
        for friend in friends
    }
    value = entropy(game, epoch, links)
    ((name, cards), *_) = stage.record.game_info.decks.items()
    laid = lay(seed, game, epoch, name, 0, cards)
    order = permutation(laid.order, cut(value, name, 0, len(cards)))
    hand = [cards[at] for at in order[: 10 * len(stage.seats) : len(stage.seats)]]
    return max(map(hand.count, hand))


@attack("host", "keeps a deck without a player who has written before the deal", ANYBODY)
def _kept(stage: Stage) -> Aftermath | None:
    """They record the word, and the next turn behind it as if nothing had been."""
    moment = _left_out(stage)
    if moment is None:
        return None
    branch, late = moment
    since = len(branch.lines)
    word = branch.turn_file(late, say="I am back")
    done = branch.judge(word)
    if not isinstance(done, Accepted):
        return None
    branch.record = Record.load([*branch.lines, done.lines[0].raw])
    other = next(seat for seat in map(Seat, branch.seats) if seat != late)
    terms = {"kind": "absence", "seat": other, "from": branch.now, "until": branch.later(24)}
    members = {"what": terms, "consents": [branch.consent(other, terms)]}
    record = branch.record
    line = write_line("absence", members, branch.host, game=record.game, after=record.head, at=branch.now)
    return Aftermath([*branch.lines, line.raw], upto=since + 2, since=since)


@attack("host", "brings back a player who has not written, to void a deck that the host knows", ANYBODY)
def _not_back(stage: Stage) -> Aftermath | None:
    moment = _left_out(stage)
    if moment is None:
        return None
    branch, late = moment
    record = branch.record
    members = {"epoch": max(record.ledger.epochs), "back": [late]}
    line = write_line("burn", members, branch.host, game=record.game, after=record.head, at=branch.now)
    return Aftermath([*branch.lines, line.raw], upto=len(branch.lines) + 1, since=len(branch.lines))


@attack("host", "holds a player's message back until the deck without their part is dealt", OWNER)
def _held_back(stage: Stage) -> Aftermath | None:
    moment = _left_out(stage)
    if moment is None:
        return None
    branch, late = moment
    word = branch.turn_file(late, say="I am back")
    if not _dealt_without(branch, late):
        return None
    return Aftermath(branch.lines, upto=len(branch.lines), since=len(branch.lines), unanswered=(word,))


def _dealt_without(stage: Stage, late: Seat) -> bool:
    """The others play on, and the late one stays silent, until a deck is dealt that leaves them out."""
    for _ in range(_MOST_FILES):
        running = stage.record.ledger.running
        if running is not None and late in running.left_out:
            return True
        _without(stage, late)
    return False


def _without(stage: Stage, late: Seat) -> None:
    """The next file, or the late one's default."""
    if stage.seat_to_act() == late:
        stage.silence(late)
    else:
        stage.move()


@attack(
    "host and one player",
    "throw away a deck that the host knows, by a message of the player who was left out of it",
    ANYBODY,
    words="It is counted like every voided deck and names the player. They must give a part before it works again.",
)
def _thrown(stage: Stage) -> Aftermath | None:
    moment = _left_out(stage)
    if moment is None:
        return None
    branch, late = moment
    since = len(branch.lines)
    branch.send(branch.turn_file(late, say="I am back"))
    return Aftermath(branch.lines, upto=len(branch.lines), since=since, accomplices=(late,))


@attack("player", "has one deck after another voided by talk, and gives no part of any", FUTILE)
def _talks(stage: Stage) -> Aftermath | None:
    """After the first no word of theirs brings another, however often they are burned out."""
    moment = _left_out(stage)
    if moment is None:
        return None
    branch, late = moment
    for _ in range(_TALKS):
        branch.send(_word(branch, late))
        for _ in range(_MOST_FILES):
            newest = branch.record.ledger.newest
            if newest is None or newest.left_out:
                break
            _without(branch, late)
    back = sum("back" in line.body for line in branch.record.lines)
    return Aftermath(tries=_TALKS, gained=back - 1, stage=branch)


def _word(stage: Stage, seat: Seat) -> JsonObject:
    """A word without the link that is owed; no program of ours would sign it so."""
    who, record = stage.people[seat], stage.record
    body = {"game": b64(record.game), "seat": seat, "n": stage.number(seat), "seen": record.head.seen}
    return make_file("turn", {**body, "actions": [], "say": "Wait for me"}, who.sign_key, who.sign_public)
