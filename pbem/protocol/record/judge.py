"""One ruling for both sides: what anybody who holds the game file can say of a player's file.

The referee calls ``judge`` and then adds what he alone can: he opens what is sealed, plays, and records. A player's
``pbem check`` calls the same function and adds what the seat's own view shows. So host and player say the same words,
name the same action, and look in the same order:

1. whose file it is: this match, a seat, that seat's signature; else it is nobody's (``Stranger``) and never answered;
2. whether it stands in the record already (``Again``);
3. its number, what it had seen, whether the match goes on, its link;
4. what its kind asks for: keys of a join or rekey, what a consent agrees to, open actions, whose turn it is.

Actions are counted from 0 in ``Refusal.action`` as in ``reject`` files, and from 1 in every sentence (``placed``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence, term
from pbem.base.values import dataclass
from pbem.game import MalformedAction, Seat
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.messages import Message
from pbem.protocol.formats.signed import verify_file
from pbem.protocol.record.check_consents import must_agree, what_fault
from pbem.protocol.record.check_messages import has_seen, key_fault, link_fault, signing_key, tell_fault
from pbem.protocol.record.line import Line
from pbem.protocol.record.measures import number_ahead, over_budget, too_many
from pbem.protocol.record.record import Record
from pbem.protocol.record.takeover import needs_proposal, unseen_word
from pbem.protocol.record.verifier import link_missing


class Refusal(Exception):
    """A file that must be refused: ``str()`` is the sentence, ``action`` the place of the fault, counted from 0.

    ``sealed``: the sentence speaks of what only the file's sender and the host can read.
    """

    def __init__(
        self,
        code: str,
        sentence: str,
        *,
        rules: Sequence[str] = (),
        action: int | None = None,
        sealed: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.code = code
        self.rules = tuple(rules)
        self.action = action
        self.sealed = sealed


@dataclass(frozen=True, slots=True)
class Stranger:
    """Nobody's file for this match; ``taken``: a join for a seat that somebody has."""

    reason: str
    taken: bool = False


@dataclass(frozen=True, slots=True)
class Again:
    """The very file that ``line`` holds."""

    line: Line


@dataclass(frozen=True, slots=True)
class NothingNew:
    """A file that would change nothing: what it says stands in ``line`` already; answered and not recorded."""

    line: Line
    sentence: str


Judged: TypeAlias = Stranger | Again | NothingNew | None
"""None: nothing that everybody can see is wrong with the file."""


def placed(told: str, rules: Sequence[str] = (), action: int | None = None) -> str:
    """A refusal's sentence with the place of the fault, for people: actions are counted from 1.

    Where rows are broken it ends with the command that tells them.
    """
    if action is None:
        return told
    rows = f" [pbem rule {' '.join(rules)}]" if rules else ""
    return sentence("action {checked}: {fault}{rows}", checked=action + 1, fault=told, rows=rows)


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
    if message.kind == "join" and Seat(message.seat) in record.ledger.players:
        return Stranger(sentence("the seat {seat} is taken", seat=message.seat), taken=True)
    if record.over:
        raise Refusal("match-over", sentence("the match has ended"))
    _check_number(record, message)
    _check_seen(record, message)
    _check_link(record, message)
    _KINDS.get(message.kind, _nothing_more)(record, message)
    return _unchanged(record, message) if message.kind == "ready" else None


# --- who it is --------------------------------------------------------------------------------------------


def stranger(record: Record, message: Message) -> Stranger | None:
    """Why this is nobody's file for this match; None if it is somebody's."""
    if message.kind == "reject":
        return Stranger(sentence("a reject is the host's own word, not a player's file"))
    if message.game != record.game:
        return Stranger(sentence("it is for another match"))
    if message.seat not in record.seats:
        return Stranger(sentence("this match has no seat {seat}", seat=message.seat))
    player = record.ledger.players.get(Seat(message.seat))
    if message.kind != "join" and player is None:
        return Stranger(sentence("nobody has joined as {seat} yet", seat=message.seat))
    try:
        if message.kind == "join" or player is None:
            key = unb64(message.body["sign"], 32)
        else:
            key = signing_key(player, message.kind, message.file)
        verify_file(message.kind, message.file, key)
    except PbemError as fault:
        return Stranger(sentence("its signature does not hold: {fault}", fault=fault))
    return None


# --- when it was signed -----------------------------------------------------------------------------------


def _check_number(record: Record, message: Message) -> None:
    player = record.ledger.players.get(Seat(message.seat))
    if message.kind == "join":
        if message.n != 0:
            raise Refusal("malformed", sentence("a join has number 0, found {n}", n=message.n))
    elif player is not None and message.n <= player.n:
        raise Refusal(
            "stale",
            sentence(
                "your file is number {n}, but number {n2} is in the record already; sign a new one",
                n=message.n,
                n2=player.n,
            ),
        )
    elif player is not None and (ahead := number_ahead(player.n, message.n)):
        raise Refusal("number-ahead", ahead)


def _check_seen(record: Record, message: Message) -> None:
    known = record.ledger.line_at(message.seen_seq)
    if known is None:
        raise Refusal(
            "stale",
            sentence(
                "your file had seen record {seen_seq}, but the game file ends with record {last}; "
                "compare the two copies with 'pbem compare'",
                seen_seq=message.seen_seq,
                last=record.head.seq,
            ),
        )
    if not has_seen(record.ledger, message.body["seen"]):
        raise Refusal(
            "stale",
            sentence(
                "your copy of the game file differs from the host's at record {seen_seq}; "
                "compare the two copies with 'pbem compare'",
                seen_seq=message.seen_seq,
            ),
        )


def _check_link(record: Record, message: Message) -> None:
    link = message.body.get("link")
    reason = link_fault(record.ledger, Seat(message.seat), link, message.seen_seq) if link else ""
    if reason:
        raise Refusal("bad-link", reason)


# --- what each kind asks for ------------------------------------------------------------------------------


def _nothing_more(_: Record, __: Message) -> None:
    """A ready is its link."""


def _unchanged(record: Record, message: Message) -> NothingNew | None:
    """A second ready for one link, however fresh its number."""
    newest = record.ledger.newest
    if newest is None or Seat(message.seat) not in newest.links:
        return None
    line = next(line for line in reversed(record.lines) if _gives_link(line, message.seat, newest.number))
    return NothingNew(line, sentence("you were ready already; nothing to do"))


def _gives_link(line: Line, seat: str, epoch: int) -> bool:
    body = line.body["msg"]["body"] if "msg" in line.body else {}
    return body.get("seat") == seat and body.get("link", {}).get("epoch") == epoch


def _judge_keys(record: Record, message: Message) -> None:
    reason = key_fault(record.ledger, Seat(message.seat), message.body)
    if reason:
        raise Refusal("malformed", reason)


def _judge_rekey(record: Record, message: Message) -> None:
    """Who has the old key gives the last link of its chain first; who comes with the recovery key gives it later."""
    _judge_keys(record, message)
    _check_talk(record, message)
    seat = Seat(message.seat)
    own = unb64(message.file["sig"]["key"], 32) == record.ledger.players[seat].sign
    if own and seat in record.missing_links:
        raise Refusal(
            "link-missing", sentence("send the link of the announced epoch first (ready), then the new key")
        )


def _judge_consent(record: Record, message: Message) -> None:
    what = message.body["what"]
    reason = what_fault(record.ledger, what)
    if not reason and needs_proposal(record.ledger, what):
        reason = unseen_word(record.ledger, Seat(what["seat"]), message.body)
    if reason:
        raise Refusal("illegal", reason)
    if what["kind"] != "end" and must_agree(record.ledger, what) == (message.seat,):
        _check_talk(record, message)


def _check_talk(record: Record, message: Message) -> None:
    reason = too_many(record.ledger, Seat(message.seat), message.kind, key=message.file["sig"]["key"])
    if reason:
        raise Refusal("too-many", reason)


def _judge_turn(record: Record, message: Message) -> None:
    rules = record.rules
    stranger = tell_fault(record.ledger, message.body)
    if stranger:
        raise Refusal("malformed", stranger)
    for index, written in enumerate(message.body["actions"]):
        try:
            action = rules.action_from_json(written)
        except MalformedAction as error:
            raise Refusal("malformed", str(error), rules=error.rules, action=index) from error
        if rules.is_secret(action):
            told = sentence("this action tells a secret and stands open; 'pbem turn' seals it for you")
            raise Refusal("must-be-sealed", told, action=index)
    check_budget(record, message, result=True)  # what fits nowhere need not be opened
    if message.body["actions"]:
        check_acting(record, message)


def check_budget(record: Record, message: Message, *, result: bool) -> None:
    """Raise ``Refusal`` if what a turn seals is too much; ``result``: whether its record has a result."""
    reason = over_budget(record.ledger, message.body, result=result)
    if reason:
        raise Refusal("over-budget", reason)


def check_quiet(record: Record, message: Message) -> None:
    """Raise ``Refusal`` unless a turn that moves nobody on may be recorded."""
    _check_talk(record, message)
    check_budget(record, message, result=False)


_KINDS: dict[str, Callable[[Record, Message], None]] = {
    "join": _judge_keys,
    "rekey": _judge_rekey,
    "consent": _judge_consent,
    "turn": _judge_turn,
}


# --- a turn with actions ----------------------------------------------------------------------------------


def check_acting(record: Record, message: Message) -> None:
    """Raise ``Refusal`` unless this turn may act now; for who can read them, sealed actions are actions too."""
    ledger = record.ledger
    check_may_act(record, Seat(message.seat))
    if ledger.result is not None and message.seen_seq < ledger.result.seq:
        raise Refusal(
            "stale",
            sentence(
                "you had seen record {seen_seq}, but record {seq} changed the position; look again and sign a new file",
                seen_seq=message.seen_seq,
                seq=ledger.result.seq,
            ),
        )
    missing = link_missing(ledger, message.body)
    if missing:
        raise Refusal("link-missing", missing)


def check_may_act(record: Record, seat: Seat) -> None:
    """Raise ``Refusal`` unless the match waits for this seat to act."""
    if record.over:
        raise Refusal("match-over", sentence("the match has ended"))
    if record.ledger.paused is not None:
        raise Refusal("paused", sentence("the match is paused"))
    waiting = record.waiting
    if waiting is None:
        raise Refusal("not-your-turn", sentence("the match waits for nobody"))
    if waiting["seat"] != seat:
        asked, phase = waiting["seat"], term(waiting["phase"])
        raise Refusal(
            "not-your-turn", sentence("the match waits for {seat} ({phase})", seat=asked, phase=phase)
        )
