"""One ruling for both sides: what anybody who holds the game file can say of a player's file.

The referee calls ``judge`` and then adds what he alone can: he opens what is sealed, plays, and records. A player's
``pbem check`` calls the same function and adds what the seat's own view shows. So host and player say the same words,
name the same action, and look in the same order:

1. whose file it is: this match, a seat, that seat's signature; else it is nobody's (``Stranger``) and never answered;
2. whether it stands in the record already (``Again``);
3. whether the match goes on, its number, what it had seen, its link;
4. what its kind asks for: keys of a join or rekey, what a consent agrees to, open actions, whose turn it is.

Actions are counted from 0 in ``Refusal.action`` as in ``reject`` files, and from 1 in every sentence (``placed``).
"""

from __future__ import annotations

from typing import TypeAlias

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import check_messages
from pbem.protocol.record.kinds import FILES, KINDS
from pbem.protocol.record.kinds.consent import CONSENT
from pbem.protocol.record.line import Line
from pbem.protocol.record.record import Record


@dataclass(frozen=True, slots=True)
class Stranger:
    """Nobody's file for this match; ``taken``: a join for a seat that somebody has."""

    reason: str
    taken: bool = False


@dataclass(frozen=True, slots=True)
class Again:
    """The very file that ``line`` holds."""

    line: Line


Judged: TypeAlias = Stranger | Again | check_messages.NothingNew | None
"""None: nothing that everybody can see is wrong with the file."""


def judge(record: Record, message: Message) -> Judged:
    """What ``record``, as it stands now, says of a file whose form is good.

    Raises:
        Refusal: for the first fault, with its code (schemas/README.md §9).
    """
    nobodys = stranger(record, message)
    if nobodys is not None:
        return nobodys
    earlier = record.earlier_line(message.hash)
    if earlier is not None:
        return Again(earlier)
    if brings_somebody(message) and Seat(message.seat) in record.ledger.players:
        return Stranger(sentence("the seat {seat} is taken", seat=message.seat), taken=True)
    if record.over:
        raise check_messages.Refusal("match-over", sentence("the match has ended"))
    _check_number(record, message)
    _check_seen(record, message)
    _check_link(record, message)
    return FILES[message.kind].judge(record.ledger, message)


def stranger(record: Record, message: Message) -> Stranger | None:
    """Why this is nobody's file for this match; None if it is somebody's."""
    if message.kind not in FILES:
        return Stranger(sentence("a reject is the host's own word, not a player's file"))
    if message.game != record.game:
        return Stranger(sentence("it is for another match"))
    if message.seat not in record.seats:
        return Stranger(sentence("this match has no seat {seat}", seat=message.seat))
    player = record.ledger.players.get(Seat(message.seat))
    if player is None and not brings_somebody(message):
        return Stranger(sentence("nobody has joined as {seat} yet", seat=message.seat))
    try:
        if brings_somebody(message) or player is None:
            key = unb64(message.body["sign"], 32)
        else:
            key = check_messages.signing_key(player, message.file)
        verify_file(message.kind, message.file, key)
    except PbemError as fault:
        return Stranger(sentence("its signature does not hold: {fault}", fault=fault))
    return None


def brings_somebody(message: Message) -> bool:
    """Whether a file brings somebody into a seat."""
    file = FILES.get(message.kind)
    return file is not None and file.newcomer


def awaited(message: Message) -> bool:
    """Whether a file always has its receipt: its seat waits until it, or what it agrees to, is recorded."""
    if message.kind == CONSENT.name:
        kind = KINDS.get(message.body["what"]["kind"])
        return kind is not None and kind.what is not None and kind.what.awaited
    file = FILES.get(message.kind)
    return file is not None and file.awaited


def _check_number(record: Record, message: Message) -> None:
    player = record.ledger.players.get(Seat(message.seat))
    if player is None:
        return
    if message.n <= player.n:
        raise check_messages.Refusal(
            "stale",
            sentence("a newer file of yours is in the match file already; sign a new one"),
        )
    check_messages.refuse_if("number-ahead", check_messages.number_ahead(player.n, message.n))


def _check_seen(record: Record, message: Message) -> None:
    known = record.ledger.line_at(message.seen_seq)
    if known is None:
        raise check_messages.Refusal(
            "stale",
            sentence(
                "your match file has more records than the host's; compare the two with 'pbem compare'",
            ),
        )
    if not check_messages.has_seen(record.ledger, message.body["seen"]):
        raise check_messages.Refusal(
            "stale",
            sentence(
                "your match file differs from the host's; compare the two with 'pbem compare'",
            ),
        )


def _check_link(record: Record, message: Message) -> None:
    link = message.body.get("link")
    reason = (
        check_messages.link_fault(record.ledger, Seat(message.seat), link, message.seen_seq) if link else ""
    )
    check_messages.refuse_if("bad-link", reason)
