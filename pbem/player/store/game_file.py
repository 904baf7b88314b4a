r"""The game file on disk: JSON lines, appended and never changed (schemas/README.md §1, §7).

What it promises:

* ``append`` is one commit. When it returns, all its lines are on the disk. After a crash at any moment the
  next writer finds all of them or none, and nothing that stood before is ever touched.
* Two processes cannot both append: there is one lock, and an append says where it read the file's end. If the
  file ends elsewhere by then, ``StoreError`` says so and nothing is written.
* ``read`` takes no lock, never waits and never sees half a batch.
* What a crash left behind is described in words and mended only where that is safe: see ``repair``.

A line without its newline is *torn*. One line is written without an intent file: torn or whole, there is
nothing between. Several lines have one (``read_intent``).

Beside ``game.jsonl`` may lie ``game.jsonl.lock``, ``game.jsonl.pending`` (an append that has not ended) and
``game.jsonl.torn-<n>`` (bytes that a repair cut off; nothing is thrown away).

It interprets nothing it stores. A line's hash here is SHA-256 of its bytes without the newline.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from enum import Enum
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import ClassVar, Final

from pbem.base.errors import FormatError, StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.store import durable

_BLOCK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Mark:
    """An end of a game file: its size in bytes and the hash of its last line (``b""`` before the first)."""

    size: int
    line: bytes

    EMPTY: ClassVar[Mark]


Mark.EMPTY = Mark(0, b"")


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was read: whole lines without their newlines, and the bytes after the last newline.

    ``unfinished`` says that a batch was begun and has not ended; none of its lines are among ``lines``.
    """

    lines: tuple[bytes, ...]
    torn: bytes
    end: Mark
    unfinished: bool = False


def no_match_file(path: Path) -> FormatError:
    """What every command says of a file without a record in it."""
    return FormatError(
        sentence("{path} is not a match file or an email that contains one", path=path),
        hint=sentence("To see what it is: pbem inspect {path}", path=path),
    )


def check_line_ends(data: bytes, path: Path) -> None:
    """Refuse a game file whose line ends were changed; its lines are signed byte for byte.

    Raises:
        FormatError: the first line ends with CR LF.
    """
    end = data.find(b"\n")
    if end > 0 and data[end - 1 : end] == b"\r":
        raise FormatError(
            sentence("{path} has other line ends (CR LF) than it was written with", path=path),
            hint=sentence(
                "An editor or git changed them. Turn them back into LF, or take a copy as it came."
            ),
        )


class GameFile:
    """The game file at ``path``. ``write`` and ``steps`` are seams for crash tests."""

    def __init__(
        self, path: Path, *, write: durable.Write = os.write, steps: durable.Steps = durable.no_steps
    ) -> None:
        self.path = path
        self._lock = durable.FileLock(_sibling(path, ".lock"))
        self._pending = _sibling(path, ".pending")
        self._write = write
        self._steps = steps

    def exists(self) -> bool:
        """Whether there is a file."""
        return self.path.is_file()

    def lock(self, timeout: float = durable.PATIENCE) -> AbstractContextManager[None]:
        """Hold the lock over several calls: read, judge, append (``FileLock.hold``)."""
        return self._lock.hold(timeout)

    def read(self, since: Mark = Mark.EMPTY) -> Loaded:
        """The lines after ``since``; all of them without it.

        Raises:
            UsageProblem: there is no such file.
            StoreError: it cannot be read, or no longer holds what ``since`` marks.
        """
        if not self.path.is_file():
            raise UsageProblem(
                sentence("there is no match file at {path}", path=self.path),
                hint=sentence("Name the folder of a match, or its file."),
            )
        with durable.disk("read", self.path):
            while True:
                # A batch is seen whole or not at all without a lock: the intent is looked at after the bytes.
                # If it is gone by then although only a part of its batch was read, the file has grown in
                # between.
                data = self._bytes_after(since)
                self._steps("bytes-read")
                intent = read_intent(self._pending)
                if self.path.stat().st_size == since.size + len(data):
                    check_line_ends(data, self.path)
                    return _loaded(data, since, intent)

    def _bytes_after(self, since: Mark) -> bytes:
        with self.path.open("rb") as file:
            if since.size and _line_before(file.fileno(), since.size) != since.line:
                raise StoreError(
                    sentence(
                        "{path} no longer holds the line that ended at byte {size}: it was replaced",
                        path=self.path,
                        size=since.size,
                    ),
                    hint=sentence("Read the whole file again."),
                )
            file.seek(since.size)
            return file.read()

    def append(self, lines: Sequence[bytes], *, expected: Mark) -> Mark:
        """Commit ``lines`` (without newlines) behind ``expected``; the new end.

        The first append of all, with ``Mark.EMPTY``, makes the file.

        Raises:
            StoreError: the file does not end at ``expected``, or the disk refused. What was there before is
                unchanged.
        """
        batch = _batch(lines)
        with self.lock():
            self._settle()
            new = not self.path.exists()
            try:
                with self._opened() as handle:
                    self._check_end(handle, expected)
                    self._commit(handle, batch, expected, several=len(lines) > 1)
                if new:
                    with durable.disk("make durable", self.path):
                        durable.fsync_folder(self.path.parent)
            except StoreError:
                if new:
                    self._leave_no_empty_file()
                raise
            self._steps("committed")
        return Mark(expected.size + len(batch), sha256(lines[-1]).digest())

    @contextmanager
    def _opened(self) -> Iterator[int]:
        with durable.disk("open", self.path):
            handle = durable.open_own(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            yield handle
        finally:
            os.close(handle)

    def _check_end(self, handle: int, expected: Mark) -> None:
        with durable.disk("read", self.path):
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            same = not torn and size == expected.size and _line_before(handle, size) == expected.line
        if torn:
            raise StoreError(
                sentence("{path}: the last line has no end; nothing was written", path=self.path),
                hint=sentence("An earlier program stopped while it wrote it. Repair the match folder first."),
            )
        if not same:
            text = "the same size but another last line" if size == expected.size else f"{size} bytes"
            raise StoreError(
                sentence(
                    "{path}: somebody else appended: expected {size} bytes, found {found}; nothing was written",
                    path=self.path,
                    size=expected.size,
                    found=text,
                ),
                hint=sentence("Read the match again and repeat the command."),
            )

    def _commit(self, handle: int, batch: bytes, base: Mark, *, several: bool) -> None:
        try:
            if several:
                write_intent(
                    self._pending, Intent(base.size, base.line, batch), write=self._write, steps=self._steps
                )
                self._steps("intent-durable")
            durable.write_fully(handle, batch, self._write)
            self._steps("appended")
            os.fsync(handle)
            self._steps("append-durable")
        except OSError as fault:
            self._take_back(handle, base, fault)
        if several:
            with suppress(OSError):  # the commit stands; an intent that stays is dropped by the next writer
                drop_intent(self._pending)
            self._steps("intent-dropped")

    def _take_back(self, handle: int, base: Mark, fault: OSError) -> None:
        """Undo a failed append: nobody has seen it yet."""
        why = fault.strerror or str(fault)
        try:
            os.ftruncate(handle, base.size)
            os.fsync(handle)
            drop_intent(self._pending, durably=True)
        except OSError as second:
            raise StoreError(
                sentence(
                    "cannot append to {path}: {why}, and it could not be taken back: {strerror}",
                    path=self.path,
                    why=why,
                    strerror=second.strerror,
                ),
                hint=sentence("Fix the disk, then repair the match folder and read the match again."),
            ) from fault
        raise StoreError(
            sentence("cannot append to {path}: {why}; nothing was written", path=self.path, why=why),
            hint=sentence("Make room or fix the disk, then repeat the command."),
        ) from fault

    def _leave_no_empty_file(self) -> None:
        with suppress(OSError):
            if self.path.stat().st_size == 0:
                self.path.unlink()

    def repair(self) -> tuple[str, ...]:
        """Mend what a crash left behind, as far as that is safe; what was done, in words for the user.

        Call it once before a process goes on with a match it did not write itself: it also makes durable what
        a killed process wrote and never fsynced.

        * A batch that was begun is completed from its intent.
        * A last line that lacks nothing but its newline gets it.
        * A last line that just stops was never committed: it is cut off, and kept in ``.torn-<n>``.

        Raises:
            StoreError: the end is damaged in a way that no crash of ours explains. Nothing was changed.
        """
        with self.lock():
            done = self._settle()
            if self.path.exists():
                with self._opened() as handle, durable.disk("repair", self.path):
                    done += self._repair_tail(handle)
                    os.fsync(handle)
            return tuple(done)

    def _settle(self) -> list[str]:
        """Finish or drop what the intent says; under the lock, before anything is written."""
        with durable.disk("read", self._pending):
            if not os.path.lexists(self._pending):
                return []
            intent = read_intent(self._pending)
        if intent is None:
            with durable.disk("remove", self._pending):
                drop_intent(self._pending)  # it never became whole, so the append was never begun
            return []
        with self._opened() as handle, durable.disk("finish the append to", self.path):
            rest = self._rest_of(handle, intent)
            self._steps("settling")
            if rest:
                durable.write_fully(handle, rest, self._write)
                self._steps("settled")
            os.fsync(handle)
            drop_intent(self._pending)
            durable.fsync_folder(self.path.parent)
        if not rest:
            return []
        lines = intent.batch.count(b"\n")
        return [f"{self.path.name}: an append of {lines} lines was interrupted; it has been completed"]

    def _rest_of(self, handle: int, intent: Intent) -> bytes:
        """What of the batch is not in the file yet; ``StoreError`` if file and intent do not belong."""
        size = os.fstat(handle).st_size
        tail = _pread(handle, intent.base, size)
        fits = size >= intent.base and _line_before(handle, intent.base) == intent.head
        if fits and tail.startswith(intent.batch):
            return b""
        if fits and intent.batch.startswith(tail):
            return intent.batch[len(tail) :]
        raise StoreError(
            sentence(
                "{pending} holds an unfinished append that does not fit {path}:"
                " it belongs behind byte {base}, the file has {size}; nothing was changed",
                pending=self._pending,
                path=self.path,
                base=intent.base,
                size=size,
            ),
            hint=sentence(
                "The match file was replaced or edited. Put the right copy back, or move the .pending file away."
            ),
        )

    def _repair_tail(self, handle: int) -> list[str]:
        size = os.fstat(handle).st_size
        start = _line_start(handle, size)
        torn = _pread(handle, start, size)
        match judge_tail(torn):
            case Tail.NONE:
                return []
            case Tail.WHOLE:
                durable.write_fully(handle, b"\n", self._write)
                return [f"{self.path.name}: the last line lacked its newline; it has been added"]
            case Tail.CUT_SHORT:
                kept = self._keep_torn(torn)
                self._steps("torn-kept")
                os.ftruncate(handle, start)
                said = f"the last line was only half written ({len(torn)} bytes) and has been cut off"
                return [f"{self.path.name}: {said}; its bytes are kept in {kept.name}"]
            case Tail.DAMAGED:
                raise StoreError(
                    sentence(
                        "{path}: what follows byte {start} is neither a whole line nor the beginning of one;"
                        " nothing was changed",
                        path=self.path,
                        start=start,
                    ),
                    hint=sentence(
                        "This is damage or an edit, not an interrupted append. Restore the file from another copy."
                    ),
                )

    def _keep_torn(self, torn: bytes) -> Path:
        for n in count(1):
            kept = _sibling(self.path, f".torn-{n}")
            with suppress(FileExistsError):
                durable.create_file(kept, torn)
                return kept
        raise AssertionError


# --- bytes
# ----------------------------------------------------------------------------------------------------


def _sibling(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _batch(lines: Sequence[bytes]) -> bytes:
    if not lines or any(not line or b"\n" in line for line in lines):
        raise ValueError("an append needs lines that are not empty and hold no newline")
    return b"".join(line + b"\n" for line in lines)


def _loaded(data: bytes, since: Mark, intent: Intent | None) -> Loaded:
    unfinished = False
    if intent is not None and intent.base >= since.size:
        begun = data[intent.base - since.size :]
        unfinished = intent.base <= since.size + len(data) and len(begun) < len(intent.batch)
        unfinished = unfinished and intent.batch.startswith(begun)
        if unfinished:
            data = data[: intent.base - since.size]
    *lines, torn = data.split(b"\n")
    last = sha256(lines[-1]).digest() if lines else since.line
    return Loaded(tuple(lines), torn, Mark(since.size + len(data) - len(torn), last), unfinished)


def _pread(handle: int, start: int, end: int) -> bytes:
    parts: list[bytes] = []
    while start < end and (part := os.pread(handle, end - start, start)):
        parts.append(part)
        start += len(part)
    return b"".join(parts)


def _line_start(handle: int, end: int) -> int:
    """Where the line that reaches up to byte ``end`` (exclusive, no newline in it) begins."""
    while end > 0:
        start = max(0, end - _BLOCK)
        number = _pread(handle, start, end).rfind(b"\n")
        if number >= 0:
            return start + number + 1
        end = start
    return 0


def _line_before(handle: int, end: int) -> bytes:
    """Hash of the line that ends, newline and all, at byte ``end``; ``b""`` if none does."""
    if end == 0 or os.pread(handle, 1, end - 1) != b"\n":
        return b""
    return sha256(_pread(handle, _line_start(handle, end - 1), end - 1)).digest()


# --- the intent file: what makes an append of several lines one commit ------------------------------------
#
# Several lines written at once may stop, in a crash, at the end of any of them; what stands then looks whole.
# So a batch is first written to ``<game file>.pending``, fsynced, then appended, then the intent is removed.
# Whoever opens the match next sees from it which of these happened::
#
#     the intent: members base, head (hex SHA-256 of the line before), size, sha (hex, of the batch)
#     the batch itself
#
# An intent whose batch does not match its own hash never became durable; then the append was never begun.


@dataclass(frozen=True, slots=True)
class Intent:
    """A batch of whole lines, to stand at byte ``base``, behind the line with hash ``head``."""

    base: int
    head: bytes
    batch: bytes

    def to_bytes(self) -> bytes:
        """The intent file."""
        header = {
            "base": self.base,
            "head": self.head.hex(),
            "size": len(self.batch),
            "sha": sha256(self.batch).hexdigest(),
        }
        return json.dumps(header).encode() + b"\n" + self.batch

    @classmethod
    def from_bytes(cls, raw: bytes) -> Intent | None:
        """The intent in ``raw``, or None if it was never written to its end."""
        first, newline, batch = raw.partition(b"\n")
        try:
            header = json.loads(first)
            base, head, size, sha = (header[key] for key in ("base", "head", "size", "sha"))
            whole = bool(newline) and size == len(batch) and sha == sha256(batch).hexdigest()
            return cls(int(base), bytes.fromhex(head), batch) if whole else None
        except (ValueError, KeyError, TypeError):
            return None


def read_intent(path: Path) -> Intent | None:
    """The whole intent at ``path``, if there is one."""
    try:
        return Intent.from_bytes(path.read_bytes())
    except FileNotFoundError:
        return None


def write_intent(path: Path, intent: Intent, *, write: durable.Write, steps: durable.Steps) -> None:
    """Make ``intent`` durable, its name too, before the append begins."""
    handle = durable.open_own(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        steps("intent-opened")
        durable.write_fully(handle, intent.to_bytes(), write)
        steps("intent-written")
        os.fsync(handle)
    finally:
        os.close(handle)
    durable.fsync_folder(path.parent)


def drop_intent(path: Path, *, durably: bool = False) -> None:
    """Remove the intent.

    After a finished append it does no harm if it came back: the file holds the whole batch. After one that
    was taken back it would: then the removal must be durable.
    """
    path.unlink(missing_ok=True)
    if durably:
        durable.fsync_folder(path.parent)


# --- what may be said about the bytes behind the last newline of a game file ------------------------------
#
# A line of a game file is one JSON object in canonical form (schemas/README.md §1.2, §7): it begins with
# ``{``, holds no control characters, and is at its end where its first bracket closes. So bytes that just
# stop, before that bracket closes, are an append that never ended. A whole object is a line that lacks its
# newline. Anything else was not left by an interrupted append, for instance a committed line whose newline
# was damaged; that is not for a program to cut.


class Tail(Enum):
    """What the bytes behind the last newline are."""

    NONE = "none"
    WHOLE = "whole"
    CUT_SHORT = "cut short"
    DAMAGED = "damaged"


_SKIP: Final = re.compile(rb'[^"{}\[\]\x00-\x1f\x7f]+')
_STRING: Final = re.compile(rb'"(?:[^"\\\x00-\x1f\x7f]++|\\[^\x00-\x1f\x7f])*+')
_PAIRS: Final = {b"{": b"}", b"[": b"]"}


def judge_tail(torn: bytes) -> Tail:
    """Judge ``torn``; NUL bytes at its end are what a power failure leaves, and count as missing."""
    if not torn:
        return Tail.NONE
    text = torn.rstrip(b"\x00")
    end = _scan(text)
    if end is None:
        return Tail.CUT_SHORT
    if end == len(torn) and _is_object(torn):
        return Tail.WHOLE
    return Tail.DAMAGED


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _scan(text: bytes) -> int | None:
    """Where the object that ``text`` begins with closes; -1 if it is none; None if it stops before that."""
    if not text:
        return None
    if not text.startswith(b"{"):
        return -1
    open_brackets: list[bytes] = []
    at = 0
    while at < len(text):
        char = text[at : at + 1]
        if char == b'"':
            at = _after_string(text, at)
            if at < 0:
                return -1
            continue
        if char in _PAIRS:
            open_brackets.append(_PAIRS[char])
        elif char in b"}]":
            if open_brackets.pop() != char:
                return -1
            if not open_brackets:
                return at + 1
        elif skip := _SKIP.match(text, at):
            at = skip.end()
            continue
        else:
            return -1  # a control character
        at += 1
    return None


def _after_string(text: bytes, at: int) -> int:
    """Where to go on behind the string at ``at``; the end of ``text`` if it stops; -1 if it is none."""
    match = _STRING.match(text, at)
    end = match.end() if match else at
    if end == len(text) or (end == len(text) - 1 and text.endswith(b"\\")):
        return len(text)
    return end + 1 if text[end : end + 1] == b'"' else -1
