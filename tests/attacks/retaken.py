"""Who holds an invitation and takes its seat from somebody who has it: until its first turn, and never unseen."""

from __future__ import annotations

from typing import Final

from pbem.game import Seat
from pbem.protocol.client import compose_join
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import message_of
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import retake
from pbem.protocol.referee.draft import Draft
from tests.attacks.attack import ANYBODY, NOBODY, OWNER, Aftermath, attack
from tests.attacks.stage import Stage
from tests.world import secret

_THIEF: Final = Identity(secret("a thief of invitations"))


def _announced(stage: Stage) -> tuple[Stage, Seat] | None:
    """The match when the first epoch is laid and nothing is dealt."""
    laid = stage.moment(lambda record: record.ledger.newest is not None and record.ledger.running is None)
    return None if laid is None else (stage.branch(laid), Seat(stage.seats[0]))


@attack(
    "host",
    "takes a seat again by its invitation before its first turn, in its player's place",
    OWNER,
    words="All are told, with the new key. Until a seat's first turn its invitation can do it, afterwards never.",
)
def _taken_again(stage: Stage) -> Aftermath | None:
    moment = _announced(stage)
    if moment is None:
        return None
    branch, seat = moment
    since = len(branch.lines)
    join = message_of(compose_join(branch.copy(), _THIEF, seat, name="Phone", n=0))
    branch.take(retake(branch.record, branch.host, join, branch.now))
    return Aftermath(branch.lines, upto=len(branch.lines), since=since)


@attack("host", "takes a seat again that has made its first turn", ANYBODY)
def _too_late(stage: Stage) -> Aftermath | None:
    played = stage.moment(lambda record: "turn" in record.index.kinds)
    if played is None:
        return None
    branch = stage.branch(played)
    return _written(branch, Seat(played.head.body["msg"]["body"]["seat"]), {})


@attack("host", "keeps a deck that a seat taken again should throw away", ANYBODY)
def _kept(stage: Stage) -> Aftermath | None:
    moment = _announced(stage)
    return None if moment is None else _written(*moment, {})


@attack("host", "throws a dealt deck away as if a seat were taken again", ANYBODY)
def _thrown(stage: Stage) -> Aftermath | None:
    dealt = stage.moment(lambda record: record.ledger.running is not None)
    if dealt is None:
        return None
    branch = stage.branch(dealt)
    return _written(branch, Seat(branch.seats[0]), {"void": 1})


def _written(stage: Stage, seat: Seat, more: dict[str, int]) -> Aftermath:
    """The host signs such a record; no program of ours would."""
    join = compose_join(stage.copy(), _THIEF, seat, name="Phone", n=0)
    members = Draft(stage.record, stage.host, stage.now).whole_packet(seat, _THIEF.seal_public)
    since = len(stage.lines)
    line = write_line(
        "retake",
        {"msg": join, **members, **more},
        stage.host,
        game=stage.record.game,
        after=stage.record.head,
        at=stage.now,
    )
    return Aftermath([*stage.lines, line.raw], upto=since + 1, since=since)


@attack(
    "host and one player",
    "void a deck by taking the player's seat again, and keep the better one",
    NOBODY,
    words="Each deck thrown away is marked as voided and names the seat. It happens before the first deal, at most "
    "four times.",
)
def _compared(stage: Stage) -> Aftermath | None:
    """They cannot choose the new deck: it is laid before the other players' parts of its shuffle are known."""
    moment = _announced(stage)
    if moment is None:
        return None
    branch, seat = moment
    since = len(branch.lines)
    for number in range(2):
        join = compose_join(branch.copy(), Identity(secret(f"browser {number}")), seat, name="Phone", n=0)
        branch.take(retake(branch.record, branch.host, message_of(join), branch.now))
    newest = branch.record.ledger.newest
    assert newest is not None
    assert (newest.again, newest.thrown_away) == ((seat,), 2)
    return Aftermath(branch.lines, upto=len(branch.lines), since=since, accomplices=(seat,))
