"""Making a player's signed files: join, ready, turn, consent (protocol §4.1, §2.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pbem.crypto.digest import b64
from pbem.crypto.identity import Identity
from pbem.draws.chain import LENGTH, chain, seat_label
from pbem.errors import UsageProblem
from pbem.formats.envelopes import seal_contact, seal_part, seal_tell, spills
from pbem.formats.messages import build_consent, build_join, build_ready, build_turn
from pbem.game import AnyRules, Json, JsonObject, MalformedAction, Seat
from pbem.record import Record
from pbem.record.waiting import link_lost
from pbem.sentences import sentence

NO_ORDERS: JsonObject = {"rules": []}
"""Standing orders that answer nothing; sealed like any others, so that their absence tells nothing."""


@dataclass(frozen=True, slots=True)
class SealedCopy:
    """The player's own copy of what he sealed: without it nobody could check the opening later."""

    game: str
    seat: str
    n: int
    part: str
    salt: str
    content: Json

    def to_json(self) -> JsonObject:
        """For the player's folder."""
        return {
            "game": self.game,
            "seat": self.seat,
            "n": self.n,
            "part": self.part,
            "salt": self.salt,
            "content": self.content,
        }


@dataclass(frozen=True, slots=True)
class Composed:
    """A signed turn file, the copies to keep, and what the player should know before he sends it."""

    file: JsonObject
    copies: tuple[SealedCopy, ...]
    warnings: tuple[str, ...]


def _head(record: Record) -> tuple[int, bytes]:
    return record.head.seq, record.head.hash


def compose_join(
    record: Record,
    identity: Identity,
    seat: str,
    *,
    name: str,
    lang: str = "en",
    mail: str | None = None,
    recovery: bytes | None = None,
    n: int = 0,
    word: str | None = None,
) -> JsonObject:
    """Take a seat.

    ``recovery`` is the hash of the recovery key, ``mail`` is sealed to the host, ``word`` is that of the invitation.
    """
    if seat not in record.seats:
        raise UsageProblem(
            sentence("this match has no seat {seat!r}", seat=seat),
            hint=sentence("the seats are {names}", names=", ".join(record.seats)),
        )
    anchor = chain(seat_label(seat), record.game, identity.chain_seed(record.game))[0]
    contact = seal_contact(record.game, seat, record.ledger.host_seal, mail) if mail else None
    return build_join(
        identity,
        record.game,
        seat,
        n,
        _head(record),
        name=name,
        lang=lang,
        anchor=anchor,
        length=LENGTH,
        recovery=recovery,
        contact=contact,
        word=word,
    )


def link_of(record: Record, identity: Identity, seat: Seat) -> tuple[int, bytes] | None:
    """The link that the next epoch still needs of this seat, or None."""
    newest = record.ledger.newest
    if newest is None or newest.opened is not None or newest.burned:
        return None
    if seat not in newest.seats or seat in newest.links:
        return None
    if link_lost(record.ledger, newest, seat):
        return None  # this seat's chain counts from a later epoch on; the host burns for the old one
    links = chain(seat_label(seat), record.game, identity.chain_seed(record.game))
    return newest.number, links[newest.number]


def compose_ready(record: Record, identity: Identity, seat: Seat, n: int) -> JsonObject:
    """Give the link of the announced epoch; the caller has shown the roster's fingerprints (§4.1)."""
    link = link_of(record, identity, seat)
    if link is None:
        raise UsageProblem(
            sentence("nothing to be ready for: no announced epoch waits for your link"),
            hint=sentence("if the host has sent a newer game file, use that"),
        )
    return build_ready(identity, record.game, seat, n, _head(record), epoch=link[0], link=link[1])


def compose_turn(
    record: Record,
    identity: Identity,
    seat: Seat,
    n: int,
    *,
    actions: Sequence[JsonObject] = (),
    orders: JsonObject | None = None,
    say: str = "",
    tell: Mapping[Seat, str] | None = None,
    salt: Callable[[], bytes],
) -> Composed:
    """Sign a turn: what comes after the first look is sealed, orders and link travel along.

    Args:
        record: the verified game file; its head is what the player has seen.
        identity: the player's keys.
        seat: the seat he holds.
        n: the number of this file, above every earlier one of this seat.
        actions: what to do, in order; sealing is decided here.
        orders: the complete standing orders; None seals an empty list.
        say: table talk, for everybody.
        tell: private words, by seat.
        salt: gives 16 fresh random bytes at each call.
    """
    rules, game = record.rules, record.game
    openly, sealed = split_actions(rules, actions)
    order = NO_ORDERS if orders is None else orders
    rules.check_order(order)
    salts = salt(), salt()
    host = record.ledger.host_seal
    parts = {
        "sealed": seal_part("sealed", game, seat, n, host, salts[0], sealed),
        "orders": seal_part("order", game, seat, n, host, salts[1], order),
    }
    words = [
        seal_tell(game, seat, n, to, record.ledger.players[to].seal, text)
        for to, text in (tell or {}).items()
    ]
    file = build_turn(
        identity,
        game,
        seat,
        n,
        _head(record),
        actions=openly,
        link=link_of(record, identity, seat),
        sealed=parts["sealed"],
        orders=parts["orders"],
        say=say,
        tell=words,
    )
    copies = (
        SealedCopy(b64(game), seat, n, "sealed", b64(salts[0]), sealed),
        SealedCopy(b64(game), seat, n, "orders", b64(salts[1]), order),
    )
    return Composed(file, copies, _warnings(parts))


def _warnings(parts: Mapping[str, JsonObject]) -> tuple[str, ...]:
    kinds = {"sealed": "sealed", "orders": "order"}
    told = {
        "sealed": sentence("your sealed are longer than usual; their length can be seen (not what they say)"),
        "orders": sentence("your orders are longer than usual; their length can be seen (not what they say)"),
    }
    return tuple(told[name] for name, part in parts.items() if spills(kinds[name], part["ct"]))


def split_actions(
    rules: AnyRules, actions: Sequence[JsonObject]
) -> tuple[list[JsonObject], list[JsonObject]]:
    """Which actions stand open and which are sealed: everything after the first that may reveal something."""
    openly: list[JsonObject] = []
    for index, written in enumerate(actions):
        try:
            action = rules.action_from_json(written)
        except MalformedAction as error:
            raise UsageProblem(sentence("action {index}: {error}", index=index + 1, error=error)) from error
        canonical = rules.action_to_json(action)
        if rules.is_secret(action):
            return openly, [_canonical(rules, a) for a in actions[index:]]
        openly.append(canonical)
        if rules.may_reveal(action):
            return openly, [_canonical(rules, a) for a in actions[index + 1 :]]
    return openly, []


def _canonical(rules: AnyRules, written: JsonObject) -> JsonObject:
    try:
        return rules.action_to_json(rules.action_from_json(written))
    except MalformedAction as error:
        raise UsageProblem(str(error)) from error


def compose_consent(record: Record, identity: Identity, seat: Seat, n: int, what: JsonObject) -> JsonObject:
    """Agree to something that is recorded once everybody who must has agreed."""
    return build_consent(identity, record.game, seat, n, _head(record), what=what)
