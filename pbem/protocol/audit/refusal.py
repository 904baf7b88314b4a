"""Whether a host's signed refusal of a player's file was just, as anybody can judge (schemas/README.md §9).

Most refusals speak about what everybody can see: whose turn it was, which number was used, which link was owed. A
refusal as ``illegal`` is replayed with the rules once the hand is open. Only ``bad-seal`` can never be
judged by others: nobody but the host can open what was sealed to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.game import MalformedAction, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message, message_of, read_message
from pbem.protocol.record import ClosedOpenings, Record, check_messages
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.line import read_line
from pbem.protocol.record.play import FileAction, Play, RefusedAction
from pbem.protocol.record.record import NotReadable


def wrong_refusals(lines: Sequence[bytes], files: Iterable[bytes]) -> Iterator[str]:
    """What speaks against each refusal among these signed files.

    Nothing is said about one that was just, or whose file is not here.

    Args:
        lines: the records of the match, from the first one on.
        files: players' files and refusals, of this match and of others.
    """
    start = read_line(lines[0])
    host = unb64(start.body["host"]["sign"], 32)
    messages: dict[str, Message] = {}
    recorded: dict[str, int] = {}
    rejects = []
    for raw in files:
        with suppress(PbemError):  # an email may hold any other JSON
            message = read_message(raw)
            if message.game == start.hash:
                if message.kind == "reject":
                    rejects.append(message)
                else:
                    messages[b64(message.hash)] = message
    for line in map(read_line, lines):
        for message in map(message_of, line.messages):
            messages[b64(message.hash)] = message
        if "msg" in line.body:
            recorded[b64(message_of(line.body["msg"]).hash)] = line.seq
    for reject in rejects:
        name = sentence("file {n} of {seat}", n=reject.n, seat=reject.seat)
        refused = messages.get(reject.body["hash"])
        if refused is None:
            continue
        if forged := check_reject(reject, host):
            yield sentence("the refusal of {file} is not the host's: {why}", file=name, why=forged)
        elif (seq := recorded.get(reject.body["hash"])) is not None:
            yield sentence(
                "{file} was refused and stands in record {record} all the same; the host signed both",
                file=name,
                record=seq,
            )
        elif why := unjust(lines, refused, reject):
            yield sentence("{file} was refused wrongly: {why}", file=name, why=why)


def check_reject(reject: Message, host_sign: bytes) -> str:
    """Why ``reject`` is no refusal by this host; empty if it is one."""
    try:
        verify_file("reject", reject.file, host_sign)
    except PbemError as error:
        return sentence("the signature: {error}", error=error)
    return ""


def unjust(lines: Sequence[bytes], message: Message, reject: Message) -> str:
    """What shows that the host refused ``message`` wrongly; empty if it was just, or cannot be judged (yet).

    Args:
        lines: the game file, as long as it is by now: what was closed later helps to judge.
        message: the player's file.
        reject: the host's refusal of it.
    """
    at = reject.seen_seq
    if at >= len(lines):
        return ""
    try:
        record = Record.load(lines[: at + 1])
    except PbemError:
        return ""
    if record.head.hash != reject.seen_line:
        return ""
    seq = record.ledger.messages.get(message.hash)
    if seq is not None:
        return sentence("record {record} holds this very file", record=seq)
    judge = _JUDGES.get(reject.body["code"])
    return judge(record.as_of(max(reject.body["at"], record.head.at)), message, lines) if judge else ""


def _stale(record: Record, message: Message, _: Sequence[bytes]) -> str:
    player = record.ledger.players.get(Seat(message.seat))
    known = record.ledger.line_at(message.seen_seq)
    if player is None or message.n <= player.n or known is None or known.hash != message.seen_line:
        return ""
    acts = message.body.get("actions") or "sealed" in message.body
    if acts and record.ledger.result is not None and message.seen_seq < record.ledger.result.seq:
        return ""
    return sentence("its player had seen the newest result")


def _not_your_turn(record: Record, message: Message, _: Sequence[bytes]) -> str:
    waiting = record.waiting
    if waiting is None or waiting["seat"] != message.seat:
        return ""
    return sentence("record {record} itself asks {seat}", record=record.head.seq, seat=message.seat)


def _link_missing(record: Record, message: Message, _: Sequence[bytes]) -> str:
    if message.kind != "turn" or check_messages.link_missing(record.ledger, message.body):
        return ""
    return sentence("no part of the shuffle was owed")


def _bad_link(record: Record, message: Message, _: Sequence[bytes]) -> str:
    link = message.body.get("link")
    if link and check_messages.link_fault(record.ledger, Seat(message.seat), link, message.seen_seq):
        return ""
    return sentence("its part of the shuffle is right")


def _over(record: Record, _: Message, __: Sequence[bytes]) -> str:
    return "" if record.over else sentence("the match was not over")


def _paused(record: Record, _: Message, __: Sequence[bytes]) -> str:
    return "" if record.ledger.paused is not None else sentence("the match was not paused")


def _sealed(record: Record, message: Message, _: Sequence[bytes]) -> str:
    try:
        actions = [
            record.rules.action_from_json(action, bulk=True) for action in message.body.get("actions", ())
        ]
    except MalformedAction:
        return ""
    return (
        "" if any(map(record.rules.is_secret, actions)) else sentence("none of its open moves tells a secret")
    )


def _illegal(record: Record, message: Message, lines: Sequence[bytes]) -> str:
    """Replay up to the head that the refusal names, then try the open actions."""
    actions = [FileAction("file", action) for action in message.body.get("actions", ())]
    waiting = record.waiting
    if not actions or waiting is None or waiting["seat"] != message.seat:
        return ""
    try:
        replayed = Record.load([line.raw for line in record.lines], openings_in(lines))
        replay = replayed.replay
        if replay is None:
            return ""
        play = Play(replay.table, replay.orders(replayed.ledger))
        play.file(Seat(message.seat), actions)
    except (NotReadable, RefusedAction, LookupError, PbemError):
        return ""
    return sentence("the rules allow its open moves")


def openings_in(lines: Iterable[bytes]) -> ClosedOpenings:
    """Everything that closes and the end of this file open."""
    kinds = b'"kind":"close"', b'"kind":"end"'
    return ClosedOpenings(read_line(raw).body for raw in lines if any(kind in raw for kind in kinds))


def _ahead(record: Record, message: Message, _: Sequence[bytes]) -> str:
    player = record.ledger.players.get(Seat(message.seat))
    if player is None or message.n <= player.n or check_messages.number_ahead(player.n, message.n):
        return ""
    return sentence("number {n} is not too far above {before}", n=message.n, before=player.n)


def _over_budget(record: Record, message: Message, _: Sequence[bytes]) -> str:
    return (
        ""
        if check_messages.over_budget(record.ledger, message.body, result=False)
        else sentence("what it seals was not too much")
    )


def _too_many(record: Record, message: Message, _: Sequence[bytes]) -> str:
    quota = KINDS[message.kind].quota if message.kind in KINDS else 2 * check_messages.TALK
    often = check_messages.too_many(record.ledger, Seat(message.seat), quota, key=message.file["sig"]["key"])
    return "" if often else sentence("{seat} had not written too often", seat=message.seat)


_JUDGES: dict[str, Callable[[Record, Message, Sequence[bytes]], str]] = {
    "stale": _stale,
    "not-your-turn": _not_your_turn,
    "link-missing": _link_missing,
    "bad-link": _bad_link,
    "match-over": _over,
    "paused": _paused,
    "must-be-sealed": _sealed,
    "illegal": _illegal,
    "number-ahead": _ahead,
    "over-budget": _over_budget,
    "too-many": _too_many,
}
