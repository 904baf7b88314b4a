"""What mailboxes hold, as data: where each paper lay, what is to be told about it, and which match it concerns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from pbem.base.errors import PbemError
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.protocol.audit.report import Report
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record import Line
from pbem.protocol.record.line import read_line


@dataclass(frozen=True, slots=True)
class FoundPapers:
    """What lay in one place (a letter, a file): ``source`` names it, ``box`` the mailbox or folder it lay in."""

    source: str
    box: str
    lines: tuple[bytes, ...] = ()
    files: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to tell.

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
        told: JsonObject = {"code": self.code, "text": self.sentence, "proof": self.proof}
        told |= {"sources": list(self.sources), "papers": list(self.papers)}
        return told if self.seq is None else told | {"record": self.seq}


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


def of_game(found: Sequence[FoundPapers], games: Mapping[int, str], game: str) -> list[FoundPapers]:
    """What concerns one match; a letter's signed files name theirs themselves."""
    mine = []
    for number, one in enumerate(found):
        lines = one.lines if games.get(number) == game else ()
        files = tuple(raw for raw in one.files if game.encode() in raw)
        if lines or files:
            mine.append(FoundPapers(one.source, one.box, lines, files))
    return mine


def games_of(found: Sequence[FoundPapers], games: Sequence[str]) -> dict[int, str]:
    """Which match each letter's lines are of: as record 0 or a player's message says, else what they continue."""
    known: dict[str, str] = {}
    sure: dict[int, str] = {}
    open_ends = {number for number, one in enumerate(found) if one.lines}
    while open_ends:
        placed = set()
        for number in open_ends:
            named = next((name for raw in found[number].lines if (name := _game_of(raw, games, known))), "")
            if named:
                sure[number] = named
                lines = filter(None, map(line_on, found[number].lines))
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
