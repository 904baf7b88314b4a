"""What mailboxes hold, as data, and whether a host's signed ``reject`` among it was just (schemas/README.md §9).

Most refusals speak about what everybody can see: whose turn it was, which number was used, which link was owed. A
refusal as ``illegal`` is replayed with the rules once the hand is open. Only ``bad-seal`` can never be
judged by others: nobody but the host can open what was sealed to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, MalformedAction, Seat
from pbem.protocol.audit.audit import Report
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import ClosedOpenings, Line, Record, check_messages
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.line import read_line
from pbem.protocol.record.play import FileAction, Play, RefusedAction
from pbem.protocol.record.record import NotReadable


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


# --- mailbox papers ---------------------------------------------------------------------------------------
#
# The records and signed files of mailboxes: the source of each, what is to be shown about it, and which match
# it concerns.


@dataclass(frozen=True, slots=True)
class FoundPapers:
    """Records and signed files of one email or file: ``source`` names it, ``box`` is its mailbox or folder."""

    source: str
    box: str
    lines: tuple[bytes, ...] = ()
    files: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    ``code``: ``forked``, ``altered``, ``missing-lines``, ``unrecorded``, ``other-content``, ``signed-twice``,
    ``refused-and-recorded``, ``wrongly-refused``, ``forged-refusal``.
    """

    code: str
    sentence: str
    proof: bool
    """Whether the papers named in it prove misconduct of the host to anybody."""
    sources: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    seq: int | None = None

    def to_json(self) -> JsonObject:
        """For programs."""
        facts: JsonObject = {"code": self.code, "text": self.sentence, "proof": self.proof}
        facts |= {"sources": list(self.sources), "papers": list(self.papers)}
        return facts if self.seq is None else facts | {"record": self.seq}


@dataclass(slots=True)
class MailboxAudit:
    """The result for one match. ``lines`` is the longest history that hangs together from record 0 on."""

    game: str
    lines: list[bytes] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    fates: list[JsonObject] = field(default_factory=list)
    """What became of every player's file: seat, n, kind, fate, record."""
    report: Report | None = None
    sources: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against anybody."""
        return not self.findings and self.report is not None and self.report.ok

    def to_json(self) -> JsonObject:
        """For programs."""
        return {
            "pbem": "mailbox/1",
            "game": self.game,
            "ok": self.ok,
            "records": len(self.lines),
            "sources": self.sources,
            "findings": [finding.to_json() for finding in self.findings],
            "files": self.fates,
            "audit": self.report.to_json() if self.report else None,
        }


def of_game(sources: Sequence[FoundPapers], games: Mapping[int, str], game: str) -> list[FoundPapers]:
    """What concerns one match; an email's signed files name theirs themselves."""
    mine = []
    for number, papers in enumerate(sources):
        lines = papers.lines if games.get(number) == game else ()
        files = tuple(raw for raw in papers.files if game.encode() in raw)
        if lines or files:
            mine.append(FoundPapers(papers.source, papers.box, lines, files))
    return mine


def games_of(sources: Sequence[FoundPapers], games: Sequence[str]) -> dict[int, str]:
    """Which match each email's lines are of: as record 0 or a player's message says, else what they continue."""
    known: dict[str, str] = {}
    sure: dict[int, str] = {}
    open_ends = {number for number, papers in enumerate(sources) if papers.lines}
    while open_ends:
        placed = set()
        for number in open_ends:
            named = next((name for raw in sources[number].lines if (name := _game_of(raw, games, known))), "")
            if named:
                sure[number] = named
                lines = filter(None, map(line_on, sources[number].lines))
                known.update({b64(line.hash): named for line in lines})
                placed.add(number)
        if not placed:
            break
        open_ends -= placed
    if len(games) == 1:
        sure.update(dict.fromkeys(open_ends, games[0]))
    return sure


def _game_of(raw: bytes, games: Sequence[str], known: Mapping[str, str]) -> str:
    line = line_on(raw)
    if line is None:
        return ""
    name = b64(line.hash)
    if name in games or name in known:
        return name if name in games else known[name]
    message = line.body.get("msg")
    game = message["body"]["game"] if message else known.get(line.body["prev"], "")
    return game if game in games else ""


def is_genesis(raw: bytes) -> bool:
    """Whether these bytes are a record 0."""
    return b'"kind":"genesis"' in raw and line_on(raw) is not None


def line_on(raw: bytes) -> Line | None:
    """The record that these bytes are, if they are one."""
    try:
        return read_line(raw)
    except PbemError:
        return None
