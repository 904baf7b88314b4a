"""Making a player's signed files: join, ready, turn, consent, rekey (schemas/README.md §6, §3.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import AnyRules, JsonObject, MalformedAction, Seat
from pbem.protocol.client.webhook import read_webhook
from pbem.protocol.crypto.digest import b64, sha
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.draws import LENGTH, chain, seat_label
from pbem.protocol.formats import envelopes, messages
from pbem.protocol.formats.api_key import SealedCopy
from pbem.protocol.record import Record
from pbem.protocol.record.check_messages import over_budget
from pbem.protocol.record.takeover import link_lost

NO_ORDERS: JsonObject = {"rules": []}
"""Standing orders that answer nothing; sealed like any others, so that their absence shows nothing."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A signed turn file, the copies to keep, and what the player should know before they send it."""

    file: JsonObject
    copies: tuple[SealedCopy, ...]
    warnings: tuple[str, ...]


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
    zone: str | None = None,
    served: bool = False,
) -> JsonObject:
    """Take a seat.

    ``recovery`` is the hash of the recovery key, ``mail`` is sealed to the host, ``word`` is the code of the
    invitation, which the join proves without showing it; ``zone`` the public name of the time zone in which
    the player reads times. ``served``, here and below: this program is a page that the host serves.
    """
    if seat not in record.seats:
        raise UsageProblem(
            sentence("this match has no seat {seat!r}", seat=seat),
            hint=sentence("the seats are {names}", names=", ".join(record.seats)),
        )
    anchor = _anchor(record, seat, identity)
    contact = envelopes.seal_contact(record.game, seat, record.ledger.host_seal, mail) if mail else None
    return messages.build_join(
        identity,
        record.game,
        seat,
        n,
        record.head.seen,
        name=name,
        lang=lang,
        anchor=anchor,
        length=LENGTH,
        recovery=recovery,
        contact=contact,
        proof=messages.invitation_proof(word, record.game, seat, identity.sign_public) if word else None,
        zone=zone,
        served=served,
    )


def link_of(record: Record, identity: Identity, seat: Seat) -> tuple[int, bytes] | None:
    """The link that the next epoch still needs of this seat, from this identity's chain; None if there is none."""
    epoch = _owed(record, seat)
    player = record.ledger.players.get(seat)
    if epoch is None or player is None:
        return None
    links = chain(seat_label(seat), record.game, identity.chain_seed(record.game))
    run = player.chain_for(epoch)
    return None if run is None or run.anchor != links[0] else (epoch, links[epoch])


def owes_old_link(record: Record, identity: Identity, seat: Seat) -> bool:
    """Whether the announced epoch waits for a link of a chain that this identity does not have: that of an old key."""
    return _owed(record, seat) is not None and link_of(record, identity, seat) is None


def _owed(record: Record, seat: Seat) -> int | None:
    """The announced epoch that waits for this seat's link; None if there is none, or nobody can give it any more."""
    newest = record.ledger.newest
    if newest is None or newest.opened is not None or newest.burned or seat not in newest.missing:
        return None
    return None if link_lost(record.ledger, newest, seat) else newest.number


def _old_link_hint() -> str:
    return sentence("make it with the recovery words of your old identity: pbem ready COPY --recovery FILE")


def compose_ready(
    record: Record,
    identity: Identity,
    seat: Seat,
    n: int,
    *,
    old: Identity | None = None,
    served: bool = False,
) -> JsonObject:
    """Give the link of the announced epoch; the caller has shown the roster's fingerprints.

    ``old`` is the identity whose chain owes it, after a rekey by the recovery key: that of the recovery paper.
    """
    link = link_of(record, old or identity, seat)
    if link is None and owes_old_link(record, old or identity, seat):
        raise UsageProblem(
            sentence("this part of the shuffle belongs to another identity"), hint=_old_link_hint()
        )
    if link is None:
        raise UsageProblem(
            sentence("nothing to confirm right now: no announced deal waits for your part of the shuffle"),
            hint=sentence("if the host has sent a newer match file, use that"),
        )
    return messages.build_ready(
        identity,
        record.game,
        seat,
        n,
        record.head.seen,
        epoch=link[0],
        link=link[1],
        served=served and serving_unreported(record, seat),
    )


def serving_unreported(record: Record, seat: Seat) -> bool:
    """Whether no file of the seat said yet that a page of the host's has the keys that it has now."""
    return not record.ledger.players[seat].chains[-1].served


def compose_turn(
    record: Record,
    identity: Identity,
    seat: Seat,
    n: int,
    *,
    actions: Sequence[JsonObject] = (),
    orders: JsonObject | None = None,
    kept: JsonObject | None = None,
    leave_orders: bool = False,
    say: str = "",
    tell: Mapping[Seat, str] | None = None,
    served: bool = False,
    react: Mapping[int, str] | None = None,
    nudge: str = "",
    salt: Callable[[], bytes],
) -> Composed:
    """Sign a turn: what comes after the first look is sealed, orders and link travel along.

    Args:
        record: the verified game file; its head is what the player has seen.
        identity: the player's keys.
        seat: the seat they hold.
        n: the number of this file, above every earlier one of this seat.
        actions: what to do, in order; sealing is decided here.
        orders: the complete standing orders; None seals an empty list.
        kept: the orders in force, as far as the player knows: what did not change may be left out.
        leave_orders: send no orders at all, so that those in force stay as they are.
        say: table talk, for everybody.
        tell: private messages, by seat.
        served: this program is a page that the host serves.
        react: reactions, by record; a file of nothing else seals nothing either.
        nudge: the seat that is to be called.
        salt: gives 16 fresh random bytes at each call.

    Raises:
        UsageProblem: orders that do not fit into a file, or more than a seat may have sealed (schemas/README.md §6).
    """
    rules, game = record.rules, record.game
    if actions and owes_old_link(record, identity, seat):
        raise UsageProblem(
            sentence("the announced deal still waits for the part of the shuffle of your old key"),
            hint=_old_link_hint(),
        )
    openly, sealed = split_actions(rules, actions)
    order = NO_ORDERS if orders is None else orders
    rules.check_order(order)
    _check_size(order)
    salts = salt(), salt()
    keys = record.ledger.host_seal, identity.seal_public
    parts = {"sealed": envelopes.seal_part("sealed", game, seat, n, *keys, salts[0], sealed)}
    if not leave_orders:
        parts["orders"] = envelopes.seal_part("order", game, seat, n, *keys, salts[1], order)
    spare = {
        "orders": order == (NO_ORDERS if seat not in record.ledger.orders else kept),
        "sealed": not sealed,
    }
    if react and not (actions or say or tell or nudge):  # it decides nothing, and its size need hide nothing
        parts = {name: part for name, part in parts.items() if not spare[name]}
    left_out = _left_out(record, {"seat": seat, "actions": openly}, parts, spare, result=bool(actions))
    private = [
        envelopes.seal_tell(game, seat, n, to, record.ledger.players[to].seal, text)
        for to, text in (tell or {}).items()
    ]
    file = messages.build_turn(
        identity,
        game,
        seat,
        n,
        record.head.seen,
        actions=openly,
        link=link_of(record, identity, seat),
        sealed=parts.get("sealed"),
        orders=parts.get("orders"),
        say=say,
        tell=private,
        served=served and serving_unreported(record, seat),
        react=react,
        nudge=nudge,
    )
    copies = (
        SealedCopy(b64(game), seat, n, "sealed", salts[0], sealed),
        SealedCopy(b64(game), seat, n, "orders", salts[1], order),
    )
    sent = tuple(copy for copy in copies if copy.part in parts)
    long = sentence("your sealed parts are longer than usual; their length can be seen (not what they say)")
    spilt = "sealed" in parts and envelopes.spills(parts["sealed"]["ct"])
    return Composed(file, sent, (*((long,) if spilt else ()), *left_out))


def _left_out(
    record: Record,
    body: JsonObject,
    parts: dict[str, JsonObject],
    spare: Mapping[str, bool],
    *,
    result: bool,
) -> tuple[str, ...]:
    """Take out of ``parts`` what may be spared until the rest of the turn fits, and say so."""
    warnings: list[str] = []
    sentences = {
        "orders": sentence(
            "your standing orders did not change and stay in force; there was no room to send them again"
        ),
        "sealed": sentence(
            "there was no room for an empty list of sealed actions; that there is none can be seen"
        ),
    }
    for part in ("orders", "sealed"):
        reason = over_budget(record.ledger, {**body, **parts}, result=result)
        if reason and part in parts and spare[part]:
            del parts[part]
            warnings.append(sentences[part])
    reason = over_budget(record.ledger, {**body, **parts}, result=result)
    if reason:
        raise UsageProblem(reason, hint=sentence("There is room again when this hand or game turn ends."))
    return tuple(warnings)


def _check_size(order: JsonObject) -> None:
    size, most = envelopes.orders_size(order)
    if size > most:
        raise UsageProblem(
            sentence(
                "your standing orders take {size} bytes; {most} fit into a turn file", size=size, most=most
            ),
            hint=sentence(
                "Every file has the same room for them, so that their length tells nothing: leave some rules out."
            ),
        )


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
            return openly, [_canonical(rules, later) for later in actions[index:]]
        openly.append(canonical)
        if rules.may_reveal(action):
            return openly, [_canonical(rules, later) for later in actions[index + 1 :]]
    return openly, []


def _canonical(rules: AnyRules, written: JsonObject) -> JsonObject:
    try:
        return rules.action_to_json(rules.action_from_json(written))
    except MalformedAction as error:
        raise UsageProblem(str(error)) from error


def compose_channel(record: Record, identity: Identity, seat: Seat, n: int, address: str) -> JsonObject:
    """Have the seat's turns announced by a webhook; empty: by none any more. Its address is sealed to the host.

    Raises:
        UsageProblem: ``read_webhook``.
    """
    text = address and read_webhook(address).text
    sealed = envelopes.seal_channel(record.game, seat, n, record.ledger.host_seal, text)
    return messages.build_channel(identity, record.game, seat, n, record.head.seen, channel=sealed)


def compose_consent(
    record: Record, identity: Identity | SignKey, seat: Seat, n: int, terms: JsonObject
) -> JsonObject:
    """Agree to something that is recorded once everybody who must has agreed."""
    return messages.build_consent(identity, record.game, seat, n, record.head.seen, terms=terms)


# A new key for a seat whose identity is lost or known to others (schemas/README.md §6, §7).
#
# Signed by the old key while there is one, else by the recovery key of the recovery words. If both are lost, all
# other seats consent to the new key; ``rekey_terms`` is what they consent to.


def compose_rekey(
    record: Record,
    seat: Seat,
    n: int,
    key: SignKey,
    new: Identity,
    recovery: bytes | None = None,
    *,
    served: bool = False,
) -> JsonObject:
    """The file that puts ``new`` into the place of the seat's key; ``key`` is the old or the recovery key.

    ``recovery`` is the hash of a recovery key that is to take the old one's place; ``new`` must then not follow from
    the old paper. ``served``: this program is a page that the host serves.

    Raises:
        UsageProblem: the record would not take this key, or the new identity is used here already.
    """
    player = record.ledger.players.get(seat)
    if player is None:
        raise UsageProblem(sentence("nobody sits at {seat}", seat=seat))
    public = key.public
    if public != player.sign and sha(public) != player.recovery:
        raise UsageProblem(
            sentence("this is neither the key of {seat} nor its recovery key", seat=seat),
            hint=sentence(
                "If both are lost, the others must agree: pbem rekey COPY --seat SEAT --ask prints to what."
            ),
        )
    _check_new(record, new)
    return messages.build_rekey(
        key,
        record.game,
        seat,
        n,
        record.head.seen,
        new=new,
        anchor=_anchor(record, seat, new),
        length=LENGTH,
        recovery=recovery,
        served=served,
    )


def rekey_terms(record: Record, seat: Seat, new: Identity) -> JsonObject:
    """What all other seats consent to if both keys of ``seat`` are lost."""
    if seat not in record.ledger.players:
        raise UsageProblem(sentence("nobody sits at {seat}", seat=seat))
    _check_new(record, new)
    return {
        "kind": "rekey",
        "seat": seat,
        "sign": b64(new.sign_public),
        "seal": b64(new.seal_public),
        "anchor": b64(_anchor(record, seat, new)),
        "length": LENGTH,
    }


def _anchor(record: Record, seat: str, new: Identity) -> bytes:
    """The end of the chain of this identity at this seat, which it shows link by link."""
    return chain(seat_label(seat), record.game, new.chain_seed(record.game))[0]


def _check_new(record: Record, new: Identity) -> None:
    used = record.ledger.host_keys | {player.sign for player in record.ledger.players.values()}
    if new.sign_public in used:
        raise UsageProblem(
            sentence("the new identity is used in this match already"),
            hint=sentence("Make another: pbem id new"),
        )
