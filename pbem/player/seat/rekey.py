"""A new key for a seat whose identity is lost or known to others (schemas/README.md §6, §7).

Signed by the old key while there is one, else by the recovery key from paper. If both are lost, all other seats
consent to the new key; ``rekey_what`` is what they consent to.
"""

from __future__ import annotations

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, sha
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.draws.chain import LENGTH, chain, seat_label
from pbem.protocol.formats.messages import build_rekey
from pbem.protocol.record import Record


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
                "If both are lost, the others consent: pbem rekey GAME --seat SEAT --ask prints to what."
            ),
        )
    _check_new(record, new)
    head = record.head.seen
    anchor = _anchor(record, seat, new)
    return build_rekey(
        key,
        record.game,
        seat,
        n,
        head,
        new=new,
        anchor=anchor,
        length=LENGTH,
        recovery=recovery,
        served=served,
    )


def rekey_what(record: Record, seat: Seat, new: Identity) -> JsonObject:
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


def _anchor(record: Record, seat: Seat, new: Identity) -> bytes:
    return chain(seat_label(seat), record.game, new.chain_seed(record.game))[0]


def _check_new(record: Record, new: Identity) -> None:
    used = record.ledger.host_keys | {player.sign for player in record.ledger.players.values()}
    if new.sign_public in used:
        raise UsageProblem(
            sentence("the new identity is used in this match already"),
            hint=sentence("Make another: pbem id new"),
        )
