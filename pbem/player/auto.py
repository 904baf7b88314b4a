"""A computer player in a seat: it answers whatever is asked, from the record and that seat's own view.

It needs an identity of its own, like any substitute, and must not be run by the host: he knows the deck, and a player
whom he can start, stop and repeat would be a lever on the game.
"""

from __future__ import annotations

from pbem.crypto.identity import Identity
from pbem.errors import UsageProblem
from pbem.game import JsonObject
from pbem.player.desk import PlayerDesk, Signed
from pbem.players import quick_from
from pbem.record import Record


def check_not_the_host(record: Record, identity: Identity, kind: str = "player") -> None:
    """Refuse a host's identity, of this match or of any (``kind`` stands in the identity file).

    Raises:
        UsageProblem: it is one.
    """
    if kind == "host" or identity.sign_public == record.ledger.host_sign:
        raise UsageProblem(
            "a host does not run a computer player: he knows the deck",
            hint="Somebody else makes an identity for it (pbem id new) and joins as a substitute.",
        )


def next_file(desk: PlayerDesk, *, kind: str = "player", again: bool = False) -> Signed | None:
    """Sign what this seat is asked for now: a link, or one action; None if nobody waits for it.

    One action at a time, since the next may depend on what this one shows. What was answered already is not answered
    once more, unless ``again``: the file may be on its way.

    Raises:
        UsageProblem: the identity is a host's, or holds no seat here.
    """
    record = desk.record
    check_not_the_host(record, desk.identity, kind)
    seat = desk.seat
    if record.over or record.ledger.paused is not None:
        return None
    waiting = record.waiting
    if waiting is not None and waiting["seat"] == seat:
        return None if desk.same_decision("turn") is not None and not again else _act(desk, record)
    if waiting is None and record.can_be_ready(seat):
        return None if desk.same_decision("ready") is not None and not again else desk.ready(again=True)
    return None


def _act(desk: PlayerDesk, record: Record) -> Signed:
    player = quick_from(record, f"{record.game.hex()}/{desk.seat}")
    action: JsonObject = record.rules.action_to_json(player.choose(desk.view.view))
    return desk.turn([action], again=True)
