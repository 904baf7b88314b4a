"""A player's copy of the game file: found, verified, and kept up to date from what they were sent.

``COPY`` may be a game file, a folder, an email (``.eml``) or the new lines that an email brought. A folder is read
with everything in it: its game file first, then the emails and parts that lie beside it and continue it. New lines
are verified before they are added; a line that contradicts the copy is never taken, it is evidence.

What this user has verified before is not verified again by commands that look (``pbem.protocol.record.checkpoint``);
what is about to be signed is judged by ``Copy.proven``, which begins with the first byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import field
from hashlib import sha256
from pathlib import Path

from pbem.base.errors import FormatError, PbemError, StoreError, UsageProblem, VerificationError
from pbem.base.sentences import counted, joined, sentence
from pbem.base.system.program import program_stamp
from pbem.base.values import dataclass
from pbem.games import OURS
from pbem.player.mail import MAX_INPUT, Content, content_of
from pbem.player.seat.sent_log import SentLog
from pbem.player.store import (
    GAME_FILE,
    Mark,
    MatchFolder,
    PrivateNotes,
    Vouched,
    find_match_folder,
    read_file,
)
from pbem.player.store.game_file import check_line_ends, no_match_file
from pbem.protocol.crypto.digest import b64, short_id, unb64
from pbem.protocol.record import Line, Record
from pbem.protocol.record.checkpoint import read_checkpoint, write_checkpoint
from pbem.protocol.record.line import is_packed, read_line, verify_entry

_TAKEN = "taken.json"


def read_lines(path: Path) -> tuple[bytes, ...]:
    """The lines that ``path`` brings, without taking them anywhere: a game file, a folder's, an email's.

    Raises:
        UsageProblem: there is no such file.
        FormatError: nothing in it could be a record.
    """
    if path.is_dir():
        path = find_match_folder(path).game.path
    raw = _bytes_of(path)
    content = content_of(raw)
    if content.kind == "mail":
        if not content.lines:
            raise no_match_file(path)
        return content.lines
    if is_packed(raw):
        if not content.lines:
            raise UsageProblem(
                sentence("the records in {path} cannot be unpacked: it is damaged, or cut off", path=path),
                hint=sentence("Save it from the email once more."),
            )
        return content.lines
    check_line_ends(raw, path)
    lines = split_lines(raw)
    if not any(line.startswith(b"{") for line in lines):
        raise no_match_file(path)
    return lines


def split_lines(raw: bytes) -> tuple[bytes, ...]:
    """A game file's bytes as lines; an unfinished last line is one too, and will be refused as such."""
    lines = raw.split(b"\n")
    return tuple(lines[:-1] if lines[-1] == b"" else lines)


@dataclass(slots=True)
class Copy:
    """A folder with a game file, and bytes beside it that may continue it."""

    folder: MatchFolder
    extra: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    checkpoints: Vouched | None = None
    """What this user has verified before; None: everything is verified now."""
    _record: Record | None = None
    _proven: bool = False
    _mark: Mark = Mark.EMPTY

    @property
    def record(self) -> Record:
        """The verified copy, with everything beside it taken in.

        Raises:
            VerificationError, FormatError: naming the first record that does not hold.
        """
        record = self.load()
        if self.extra:
            ahead: list[tuple[Path, int, int]] = []
            done = [path for path in self.extra if self._take_loose(path, ahead)]
            _mark_taken(self.folder.path, done)
            self.extra = []
            record = self.load()
            if ahead:
                self.notes.append(_gaps(len(record.lines), ahead))
        return record

    def take_in(self, lines: Sequence[bytes], source: str = "this file") -> int:
        """Verify ``lines`` and add those that are new; how many that were.

        Raises:
            VerificationError: a line differs from the copy's, or does not hold.
            UsageProblem: lines between the copy's last one and the first of these are missing.
        """
        record = self.load() if self.folder.game.exists() else None
        new = new_lines(record, lines, source)
        if not new:
            return 0
        grown = Record.load(new) if record is None else record.fork()
        if record is not None:
            grown.extend(new)
        self._proven |= record is None
        self.folder.path.mkdir(parents=True, exist_ok=True)
        self._mark = self.folder.game.append(list(new), expected=self._mark)
        self._record = grown
        self._keep(grown)
        return len(new)

    @property
    def is_proven(self) -> bool:
        """Whether this process has verified the copy from its first byte."""
        return self._proven

    def proven(self) -> Record:
        """The copy verified from its first byte to its last by this process, whatever was verified before.

        Raises:
            VerificationError, FormatError: naming the first record that does not hold.
        """
        record = self.record
        if self._proven:
            return record
        self._record = Record.load([line.raw for line in record.lines])
        self._proven = True
        return self._record

    def load(self) -> Record:
        """The copy as it stands on disk; only lines that are new to this object are verified."""
        loaded = self.folder.game.read(self._mark)
        if not loaded.lines and self._record is None:
            raise no_match_file(self.folder.game.path)
        if loaded.torn or loaded.unfinished:
            self.notes += self.folder.game.repair()
            loaded = self.folder.game.read(self._mark)
        if self._record is None:
            self._record = self._begun(loaded.lines)
        elif loaded.lines:
            fork = self._record.fork()
            fork.extend(loaded.lines)
            self._record = fork
            self._keep(fork)
        self._mark = loaded.end
        return self._record

    def _begun(self, lines: Sequence[bytes]) -> Record:
        """The record of these lines; those that this user has verified before are not verified again."""
        record, self._proven = verified(lines, self.checkpoints)
        return record

    def _keep(self, record: Record) -> None:
        if self.checkpoints is not None:
            _keep_verified(record, self.checkpoints)

    def _take_loose(self, path: Path, ahead: list[tuple[Path, int, int]]) -> bool:
        """Take in what merely lies in the folder; False if it should be looked at again another time.

        What begins behind the copy's end is put into ``ahead``: the file, its first and its last record.
        """
        content = content_of(_bytes_of(path))
        record = self.load()
        SentLog.at(self.folder).take_answers(record, content.files)
        lines = _lines_in(path, content)
        if not lines or not belongs(record, lines):
            return True
        first = read_line(lines[0]).seq
        if first > len(record.lines):
            ahead.append((path, first, first + len(lines) - 1))
            return False
        taken = self.take_in(lines, path.name)
        if taken:
            self.notes.append(
                counted(
                    "took {n} new record from {name}",
                    "took {n} new records from {name}",
                    taken,
                    name=path.name,
                )
            )
        return True


def verified(lines: Sequence[bytes], checkpoints: Vouched | None) -> tuple[Record, bool]:
    """The record of these lines, and whether it was verified from its first byte, not from where this user once was."""
    key = checkpoints.key() if checkpoints is not None else None
    if key is None or checkpoints is None:
        return Record.load(lines), True
    kept = checkpoints.read(_match_of(lines[0])) if lines else b""
    known = read_checkpoint(kept, lines, key, program_stamp()) if kept else None
    record = Record.load(lines) if known is None else known
    rest = lines[len(record.lines) :]
    record.extend(rest)
    if rest or known is None:
        _keep_verified(record, checkpoints)
    return record, known is None


def _keep_verified(record: Record, checkpoints: Vouched) -> None:
    """Keep that this was verified; not for somebody else's game, whose code the program's stamp does not cover."""
    key = checkpoints.key()
    if key is not None and record.game_info.id in OURS:
        checkpoints.write(_match_of(record.lines[0].raw), write_checkpoint(record, key, program_stamp()))


def _match_of(genesis: bytes) -> str:
    """The name of this match's checkpoint."""
    return sha256(genesis).hexdigest()[:32]


def _gaps(count: int, ahead: Sequence[tuple[Path, int, int]]) -> str:
    """That records are missing before files of the folder, which cannot be used yet, and what to do."""
    return joined(
        (
            sentence(
                "your copy has a gap; {names} cannot be used yet",
                names=", ".join(path.name for path, _, _ in sorted(ahead, key=lambda gap: gap[1])[:4]),
            ),
            sentence(
                "save the emails in between in this folder, or send the host an email with: RESEND {first}",
                first=count,
            ),
        ),
        "\n",
    )


def _belongs_to(lines: Sequence[bytes]) -> bytes | None:
    """The id of the match that these lines belong to, as far as they say; None if they do not."""
    for raw in lines:
        line = read_line(raw)
        if line.seq == 0:
            return line.hash
        named = next((file["body"]["game"] for file in line.messages), None)
        if named is not None:
            return unb64(named, 32)
    return None


def new_lines(record: Record | None, lines: Sequence[bytes], source: str) -> tuple[bytes, ...]:
    """Those of ``lines`` that come behind the record's last one; the others must be the same as the record's."""
    if not lines:
        raise UsageProblem(sentence("{source} holds no records of a match", source=source))
    own = record.lines if record is not None else ()
    start = read_line(lines[0]).seq
    other = _belongs_to(lines)
    if record is not None and other not in (None, record.game):
        raise UsageProblem(
            sentence(
                "{source} belongs to match {other}; this folder holds match {own}",
                source=source,
                other=short_id(other),
                own=short_id(record.game),
            ),
            hint=sentence("Nothing was taken from it. Name the folder of that match, or a new one."),
        )
    if start > len(own):
        raise UsageProblem(
            sentence(
                "{source} begins later than your copy ends; what lies between is missing", source=source
            ),
            hint=sentence(
                "Take in the emails in between first, or email the host: RESEND {first}", first=len(own)
            ),
        )
    for index, raw in enumerate(lines[: len(own) - start], start):
        if raw != own[index].raw and not _signed_again(record, raw, own[index]):
            raise VerificationError(
                "forked",
                sentence(
                    "{source} has another record {index} than your copy; nothing was taken from it",
                    source=source,
                    index=index,
                ),
                hint=sentence(
                    "Keep both. If it is another match, it needs a folder of its own. To see where they part: "
                    "pbem compare COPY {source}",
                    source=source,
                ),
            )
    return tuple(lines[max(0, len(own) - start) :])


def _signed_again(record: Record | None, raw: bytes, known: Line) -> bool:
    """Whether ``raw`` is the record ``known`` with another signature of the host, which says nothing new."""
    try:
        line = read_line(raw)
        if record is not None:
            verify_entry(line, record.game, record.ledger.host_sign)
    except PbemError:
        return False
    return line.hash == known.hash


def belongs(record: Record, lines: Sequence[bytes]) -> bool:
    """Whether a file that merely lies in the folder is of this match; one that is not is left alone."""
    try:
        first = read_line(lines[0])
    except FormatError:
        return False
    if first.seq == 0:
        return first.hash == record.game
    before = record.ledger.line_at(first.seq - 1)
    if before is None:
        return first.seq > len(record.lines) and first.body["prev"] != ""
    return bool(first.body["prev"] == b64(before.hash))


# --- finding ------------------------------------------------------------------------------------------------


def find_copy(path: Path, checkpoints: Vouched | None = None) -> Copy:
    """The copy that the argument ``COPY`` names; ``checkpoints``: what this user has verified before.

    Raises:
        UsageProblem: there is no match, or there are several.
        FormatError: the file is none.
    """
    if path.is_dir():
        return _in_folder(path, checkpoints)
    lines = lines_of(path)
    if not lines:
        raise no_match_file(path)
    if _is_whole(path, lines):
        return Copy(MatchFolder(path.parent, path.name), checkpoints=checkpoints)
    homes = [path.parent, Path()] + ([path.parent.parent] if path.parent.name == "outbox" else [])
    for home in homes:
        copy = Copy(MatchFolder(home), [path], checkpoints=checkpoints)
        if (home / GAME_FILE).is_file() and belongs(copy.load(), lines):
            return copy
    if _begins(lines):
        return _started(path.parent, path, checkpoints)
    raise UsageProblem(
        sentence(
            "{path} holds only new records, and there is no {GAME_FILE} beside it that they continue",
            path=path,
            GAME_FILE=GAME_FILE,
        ),
        hint=sentence("Keep it in the folder of your match file."),
    )


def _in_folder(path: Path, checkpoints: Vouched | None) -> Copy:
    beside = sorted(p for p in path.iterdir() if p.suffix in (".jsonl", ".gz", ".eml") and p.is_file())
    game = path / GAME_FILE
    if game.is_file():
        copy = Copy(MatchFolder(path), checkpoints=checkpoints)
        copy.extra = in_order(_not_taken(path, [p for p in beside if p != game]))
        return copy
    begun = [p for p in beside if _begins(lines_of(p))]
    names = {lines_of(p)[0] for p in begun}
    if not begun:
        raise UsageProblem(
            sentence(
                "there is no match in {path}: neither {GAME_FILE} nor an email with an invitation",
                path=path,
                GAME_FILE=GAME_FILE,
            ),
            hint=sentence("Name the folder of a match, its file, or an email of it."),
        )
    if len(names) > 1:
        raise UsageProblem(
            sentence("{path} holds {count} matches", path=path, count=len(names)),
            hint=sentence("Name the file that you mean, or give each its own folder."),
        )
    whole = [p for p in begun if p.suffix == ".jsonl"]
    if len(whole) == 1:
        rest = in_order([p for p in beside if p != whole[0]])
        return Copy(MatchFolder(path, whole[0].name), rest, checkpoints=checkpoints)
    copy = _started(path, begun[0], checkpoints)
    copy.extra = in_order([p for p in beside if p != begun[0]])
    return copy


def _started(folder: Path, letter: Path, checkpoints: Vouched | None) -> Copy:
    """A copy begun from an email or file that holds record 0."""
    copy = Copy(MatchFolder(folder), checkpoints=checkpoints)
    copy.take_in(lines_of(letter), letter.name)
    return copy


def _is_whole(path: Path, lines: Sequence[bytes]) -> bool:
    head = _bytes_of(path)[:4096]
    return _begins(lines) and not is_packed(head) and content_of(head).kind != "mail"


def _begins(lines: Sequence[bytes]) -> bool:
    return bool(lines) and b'"kind":"genesis"' in lines[0]


def lines_of(path: Path) -> tuple[bytes, ...]:
    """The lines in a game file, a part of one, or an email; none if it holds none."""
    return _lines_in(path, content_of(_bytes_of(path)))


def _lines_in(path: Path, content: Content) -> tuple[bytes, ...]:
    if content.lines:
        return content.lines
    if path.suffix == ".jsonl" and content.kind != "mail" and (raw := _bytes_of(path)):
        return split_lines(raw)
    return ()


def _bytes_of(path: Path) -> bytes:
    if not path.is_file():
        raise UsageProblem(
            sentence("there is no file or folder {path}", path=path),
            hint=sentence("Name the folder of a match, its file, or an email of it."),
        )
    if path.stat().st_size > MAX_INPUT:
        raise UsageProblem(
            sentence("{path} is too long: at most {MAX_INPUT} bytes are read", path=path, MAX_INPUT=MAX_INPUT)
        )
    return read_file(path)


def in_order(paths: Iterable[Path]) -> list[Path]:
    """By the number of their first record, so that none waits for one that is there; what cannot be read comes last."""

    def first(path: Path) -> int:
        try:
            lines = read_lines(path)
            return read_line(lines[0]).seq if lines else 1 << 53
        except PbemError:
            return 1 << 53

    return sorted(paths, key=first)


def _not_taken(folder: Path, paths: Sequence[Path]) -> list[Path]:
    """Those that were not looked into before."""
    before = _taken(folder)
    return [path for path in paths if before.get(path.name) != _stamp(path)]


def _mark_taken(folder: Path, paths: Sequence[Path]) -> None:
    """Remember by name, size and time what was looked into, so that a full folder stays fast."""
    if paths:
        marks = _taken(folder) | {path.name: _stamp(path) for path in paths}
        PrivateNotes(folder / "sent").write(_TAKEN, json.dumps(marks).encode(), replace=True)


def _taken(folder: Path) -> dict[str, list[int]]:
    notes = PrivateNotes(folder / "sent")
    try:
        marks: dict[str, list[int]] = json.loads(notes.read(_TAKEN)) if _TAKEN in notes.names() else {}
    except (ValueError, StoreError):
        return {}
    return marks


def _stamp(path: Path) -> list[int]:
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns]
