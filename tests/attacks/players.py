"""Players who would like another card, another turn, or somebody else's hand."""

from __future__ import annotations

import copy
from typing import Final

from pbem.base.errors import VerificationError
from pbem.game import JsonObject, MalformedAction, Seat
from pbem.protocol.client import link_of
from pbem.protocol.client.seat_view import SeatView
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.draws import chain, cut, entropy, lay, seat_label
from pbem.protocol.formats.envelopes import make_file
from pbem.protocol.formats.messages import build_turn
from pbem.protocol.record import Record
from tests.attacks.attack import ANYBODY, FUTILE, REFUSED, Aftermath, attack
from tests.attacks.stage import Stage
from tests.world import secret

_SECRETS: Final[tuple[JsonObject, ...]] = ({"do": "wyatt-earp", "mode": "search", "take": ["hideout"]},)
"""Actions with a secret part, for those games that have any."""


def _ready_to_act(stage: Stage) -> tuple[Stage, Seat]:
    """The match at its first decision, with somebody else than the cheat asked next."""
    record = stage.moment(lambda r: r.waiting is not None)
    if record is None:
        raise LookupError("the match never begins")
    branch = stage.branch(record)
    seat = branch.seat_to_act()
    if seat is None:
        raise LookupError("nobody is asked")
    return branch, seat


def _resigned(file: JsonObject, identity: Identity) -> JsonObject:
    return make_file("turn", file["body"], identity.sign_key, identity.sign_public)


def _written(stage: Stage, seat: Seat, action: JsonObject, *, link: bool = True) -> JsonObject:
    """A turn written by hand: nothing sealed, as the cheat wants it."""
    identity = stage.people[seat]
    head = stage.record.head.seen
    given = link_of(stage.copy(), identity, seat) if link else None
    return build_turn(
        identity, stage.record.game, seat, stage.number(seat), head, actions=[action], link=given
    )


@attack("player", "makes an illegal move", REFUSED)
def _illegal(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    rules = branch.record.rules
    legal = [rules.action_to_json(a) for a in rules.legal_actions(branch.view(seat).view)]
    record = branch.record
    for other in stage.past:  # a move that was right at another time of the match
        view = other.waiting and SeatView(Record(other.ledger), stage.people[Seat(other.waiting["seat"])])
        action = rules.action_to_json(rules.suggest(view.view)) if view else None
        if action is not None and action not in legal:
            branch.record = record
            return Aftermath(ruling=branch.judge(_written(branch, seat, action)))
    return None


@attack("player", "moves out of turn", REFUSED)
def _out_of_turn(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    other = next(other for other in map(Seat, stage.seats) if other != seat)
    return Aftermath(ruling=branch.judge(_written(branch, other, branch.advice(seat))))


@attack("player", "moves without having seen the last turn", REFUSED)
def _blind(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    early = branch.advice(seat)
    old = branch.record.head
    branch.move()
    while branch.seat_to_act() != seat and branch.move():
        pass
    branch.orders.clear()
    identity = branch.people[seat]
    file = build_turn(identity, branch.record.game, seat, branch.number(seat), old.seen, actions=[early])
    return Aftermath(ruling=branch.judge(file))


@attack("player", "sends a second version after seeing the result", REFUSED)
def _second_version(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    file = branch.turn_file(seat, branch.advice(seat))
    branch.send(file)
    second = copy.deepcopy(file)
    second["body"]["say"] = "I meant this"
    return Aftermath(ruling=branch.judge(_resigned(second, branch.people[seat])))


@attack("player", "replays one of their old turns", REFUSED)
def _replayed(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    file = branch.turn_file(seat, branch.advice(seat))
    branch.send(file)
    return Aftermath(ruling=branch.judge(file))


@attack("player", "replays a turn of another match", REFUSED)
def _other_match(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    other = stage.another("another match")
    for each in map(Seat, other.seats):
        other.send(other.join_file(each))
    for each in map(Seat, other.seats):
        other.send(other.ready_file(each))
    return Aftermath(ruling=branch.judge(other.turn_file(seat, branch.advice(seat))))


@attack("player", "signs in another's name", REFUSED)
def _in_the_name(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    other = next(other for other in map(Seat, stage.seats) if other != seat)
    return Aftermath(
        ruling=branch.judge(_resigned(_written(branch, seat, branch.advice(seat)), branch.people[other]))
    )


@attack("player", "takes a seat that is taken", REFUSED)
def _taken(stage: Stage) -> Aftermath | None:
    joined = stage.moment(lambda r: len(r.ledger.players) == 1)
    if joined is None:
        return None
    branch = stage.branch(joined)
    seat = next(iter(joined.ledger.players))
    return Aftermath(ruling=branch.judge(branch.join_file(seat, Identity(secret("a thief")))))


@attack("player", "has seen a record that nobody wrote", REFUSED)
def _invented_head(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    file = _written(branch, seat, branch.advice(seat))
    file["body"]["seen"] = {**file["body"]["seen"], "line": b64(secret("a record that nobody wrote"))}
    return Aftermath(ruling=branch.judge(_resigned(file, branch.people[seat])))


@attack("player", "sends a file of the same number with other orders", REFUSED)
def _same_number(stage: Stage) -> Aftermath | None:
    """The first is refused; the second brings the first one's orders in the place of its sealed actions."""
    branch, seat = _ready_to_act(stage)
    refused = branch.turn_file(seat, branch.advice(seat))
    refused["body"]["actions"] = [{"do": "nothing-of-the-kind"}]
    branch.judge(_resigned(refused, branch.people[seat]))
    second = copy.deepcopy(refused)
    second["body"] |= {"actions": [], "sealed": second["body"]["orders"]}
    return Aftermath(ruling=branch.judge(_resigned(second, branch.people[seat])))


# --- links ------------------------------------------------------------------------------------------------------


@attack("player", "tries parts of the shuffle until the cut suits them", REFUSED)
def _ground_link(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    file = _written(branch, seat, branch.advice(seat))
    file["body"]["link"]["value"] = b64(secret("a link that suits me"))
    return Aftermath(ruling=branch.judge(_resigned(file, branch.people[seat])))


@attack(
    "player",
    "tries many identities before joining",
    FUTILE,
    words="The deck is committed only after they joined: their choice cannot aim at it.",
)
def _ground_identity(stage: Stage) -> Aftermath | None:
    """They make 32 identities and keep the one whose guess at their first draw is best; then the deck is laid."""
    record = stage.record
    epoch = record.ledger.epochs[1]
    if not epoch.decks:
        return None
    deck = min(epoch.decks)
    cards = record.game_info.decks[deck]
    seat = min(epoch.links)
    wanted = max(cards)
    hits = chosen = 0
    for number in range(32):
        identity = Identity(secret(f"one of many {number}"))
        link = chain(seat_label(seat), record.game, identity.chain_seed(record.game))[1]
        value = entropy(record.game, 1, {**{str(s): x for s, x in epoch.links.items()}, str(seat): link})
        guess = lay(secret("what he thinks the seed may be"), record.game, 1, deck, 0, cards)
        truth = _laid_deck(stage, deck)
        place = cut(value, deck, 0, len(cards))[0]
        if cards[guess.order[place]] == wanted:
            chosen += 1
            hits += cards[truth[place]] == wanted
    share = cards.count(wanted) / len(cards)
    lucky = chosen > 0 and hits > max(2, 4 * share * chosen)  # far above what chance gives
    return Aftermath(tries=32, gained=int(lucky))


def _laid_deck(stage: Stage, deck: str) -> tuple[int, ...]:
    from tests.forge import Forge

    record = stage.record
    return tuple(lay(Forge(stage).seed(1), record.game, 1, deck, 0, record.game_info.decks[deck]).order)


@attack("player", "withholds their part of the shuffle but plays on", REFUSED)
def _withheld(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    return Aftermath(ruling=branch.judge(_written(branch, seat, branch.advice(seat), link=False)))


@attack(
    "player",
    "withholds their part of the shuffle and falls silent",
    ANYBODY,
    words="One deck is dealt again without them. The audit counts it and names them.",
)
def _silent(stage: Stage) -> Aftermath | None:
    burn = next((line for line in stage.record.lines if line.kind == "burn"), None)
    if burn is None:
        return None
    return Aftermath(stage.lines, upto=burn.seq + 1, since=burn.seq)


# --- secrets ----------------------------------------------------------------------------------------------------


@attack("player", "takes a secret card in an open action", REFUSED)
def _open_secret(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    rules = branch.record.rules
    for action in _SECRETS:
        try:
            if not rules.is_secret(rules.action_from_json(action)):
                continue
        except MalformedAction:
            continue
        return Aftermath(ruling=branch.judge(_written(branch, seat, action)))
    return None


@attack("player", "seals what nobody can open", REFUSED)
def _rubbish(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    file = branch.turn_file(seat, branch.advice(seat))
    ct = file["body"]["sealed"]["ct"]
    file["body"]["sealed"]["ct"] = ct[:-8] + ("A" * 8 if ct[-8:] != "A" * 8 else "B" * 8)
    return Aftermath(ruling=branch.judge(_resigned(file, branch.people[seat])))


@attack("player", "copies another's sealed orders into their own file", REFUSED)
def _copied(stage: Stage) -> Aftermath | None:
    branch, seat = _ready_to_act(stage)
    other = next(other for other in map(Seat, stage.seats) if other != seat)
    theirs = branch.turn_file(other)
    mine = branch.turn_file(seat, branch.advice(seat))
    mine["body"]["orders"] = theirs["body"]["orders"]
    return Aftermath(ruling=branch.judge(_resigned(mine, branch.people[seat])))


@attack("player", "opens another's envelope", FUTILE)
def _opened(stage: Stage) -> Aftermath | None:
    tries = gained = 0
    record = stage.copy()
    for line in record.lines:
        for seat in line.body.get("packets", {}):
            other = next(o for o in map(Seat, stage.seats) if o != seat)
            tries += 1
            view = SeatView(record, stage.people[other], Seat(seat))
            try:
                view.open_packet(record.ledger.epochs[line.body["epoch"]], line)
            except VerificationError:
                continue
            gained += 1
    return Aftermath(tries=tries, gained=gained) if tries else None
