"""A checkpoint: what was verified of a game file up to some record, so that looking at it again verifies only the rest.

It holds the ledger without its lines; these are the file's own bytes, parsed when they are first used. It is
valid only if its MAC holds, and that covers all it depends on: the bytes of the lines it is about, the program that
verified them, and the key of whoever verified them. Whatever does not fit is no checkpoint, and is ignored.
Nothing is unpickled before the MAC holds, and then no more than the classes named here.

A checkpoint saves work and decides nothing: what is about to be signed is judged by a record that was read from its
first byte (``Record.load``), and so are audits.
"""

from __future__ import annotations

import hmac
import pickle
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from hashlib import sha256
from io import BytesIO
from types import MappingProxyType
from typing import Any, Final

from pbem.base.errors import VerificationError
from pbem.base.values import dataclass
from pbem.protocol.crypto.digest import HASH_SIZE, lp, u32
from pbem.protocol.record import deadlines
from pbem.protocol.record.ledger import (
    ChainRun,
    DrawEntry,
    Epoch,
    Generation,
    Ledger,
    OpenMemory,
    Pause,
    Player,
    Proposal,
    Replacement,
    SealedPart,
    TapeRun,
    known_part,
)
from pbem.protocol.record.line import Index, Layered, Line, Log, known_line
from pbem.protocol.record.record import Openings, Record, Replay
from pbem.protocol.record.verifier import terms_of

KEY_SIZE: Final = 32
_MAGIC: Final = b"pbem checkpoint 1\n"
_PROTOCOL: Final = 5
_HEAD: Final = len(_MAGIC) + 4 + HASH_SIZE
_BOUND: Final = frozenset(("lines", "game", "entry", "rules", "deadlines"))
"""What a ledger has from its lines."""
_VALUES: Final = (
    ChainRun,
    DrawEntry,
    Epoch,
    Generation,
    Index,
    OpenMemory,
    Pause,
    Player,
    Proposal,
    Replacement,
    SealedPart,
    TapeRun,
    deadlines.Answer,
    deadlines.Decision,
    deadlines.Host,
    deadlines.Joins,
    deadlines.Links,
    deadlines.Moment,
    deadlines.Over,
    deadlines.Paused,
    deadlines.ReadyFiles,
)
_MEMBERS: Final = {kind: tuple(member.name for member in fields(kind) if member.compare) for kind in _VALUES}
_CLASSES: Final = {
    (kind.__module__, kind.__qualname__): kind for kind in (*_VALUES, Layered, Log, known_part)
}


def write_checkpoint(record: Record, key: bytes, program: bytes) -> bytes:
    """The checkpoint of a record that was verified, for ``read_checkpoint`` with the same key and program.

    Args:
        record: without a table: what is hidden is in no checkpoint.
        key: of whoever verified it; 32 bytes nobody else knows.
        program: which program verified it.
    """
    ledger = record.ledger
    lines = ledger.lines
    held = {
        member.name: getattr(ledger, member.name) for member in fields(Ledger) if member.name not in _BOUND
    }
    kinds = ",".join(line.kind for line in lines).encode()
    buffer = BytesIO()
    _Writer(buffer).dump(held)
    names = b"".join(line.hash for line in lines)
    payload = b"".join((u32(len(kinds)), kinds, names, buffer.getvalue()))
    count = u32(len(lines))
    mac = _mac(key, program, count, [line.raw for line in lines], payload)
    return _MAGIC + count + mac + payload


def read_checkpoint(raw: bytes, lines: Sequence[bytes], key: bytes, program: bytes) -> Record | None:
    """The record of the first of ``lines`` that ``raw`` vouches for; None if it does not, whatever the reason.

    Args:
        raw: what ``write_checkpoint`` gave, or anything else.
        lines: of the game file as it is now; those behind the checkpoint are for ``Record.extend``.
        key: of whoever asks.
        program: which program asks.
    """
    if len(raw) < _HEAD or not raw.startswith(_MAGIC):
        return None
    count = raw[len(_MAGIC) : len(_MAGIC) + 4]
    about, payload = lines[: int.from_bytes(count, "big")], memoryview(raw)[_HEAD:]
    mac = _mac(key, program, count, about, payload)
    if not about or not hmac.compare_digest(mac, raw[len(_MAGIC) + 4 : _HEAD]):
        return None
    try:
        return _restored(payload, about)
    except (pickle.UnpicklingError, VerificationError):  # written so by ourselves, by another kind of program
        return None


def _mac(
    key: bytes, program: bytes, count: bytes, lines: Sequence[bytes], payload: bytes | memoryview
) -> bytes:
    mac = hmac.new(key, _MAGIC + lp(program, count, _hasher_of(lines).digest()), "sha256")
    mac.update(payload)
    return mac.digest()


def _restored(payload: memoryview, raws: Sequence[bytes]) -> Record:
    end = 4 + int.from_bytes(payload[:4], "big")
    kinds = bytes(payload[4:end]).decode().split(",")
    state = end + HASH_SIZE * len(raws)
    names = [bytes(payload[at : at + HASH_SIZE]) for at in range(end, state, HASH_SIZE)]
    lines = [known_line(*members) for members in zip(range(len(raws)), kinds, raws, names, strict=True)]
    held = _Reader(BytesIO(payload[state:]), lines).load()
    entry, rules, deadlines = terms_of(lines[0].body)
    return Record(Ledger(Log(lines), lines[0].hash, entry, rules, deadlines, **held))


def _line(seq: int) -> Line:
    """What a checkpoint names for line ``seq``: ``_Reader`` puts its own line there; unpickled plainly, it raises."""
    raise pickle.UnpicklingError(f"line {seq} of no file")


class _Writer(pickle.Pickler):
    """Lines by their numbers, values by their members; what it does not know it refuses."""

    def __init__(self, buffer: BytesIO) -> None:
        super().__init__(buffer, protocol=_PROTOCOL)

    def reducer_override(self, value: Any) -> Any:
        """How a value is written; never asked for what JSON has."""
        kind = type(value)
        if kind is Line:
            return _line, (value.seq,)
        if kind is SealedPart and value.line is not None:
            return known_part, (value.line, value.seat, value.n, value.part, value.epoch, value.size)
        if kind in _MEMBERS:
            return kind, tuple(getattr(value, name) for name in _MEMBERS[kind])
        if kind in (Layered, Log):
            return value.__reduce__()
        if isinstance(value, type) or value in (_line, known_part):
            return NotImplemented
        if isinstance(value, MappingProxyType | Mapping):
            return dict, (dict(value),)
        raise pickle.PicklingError(f"a checkpoint holds no {kind.__qualname__}")


class _Reader(pickle.Unpickler):
    """Makes nothing but what ``_Writer`` writes."""

    def __init__(self, buffer: BytesIO, lines: Sequence[Line]) -> None:
        super().__init__(buffer)
        self._lines = lines

    def find_class(self, module: str, name: str) -> Callable[..., Any]:
        """The class or function that a name in the checkpoint stands for."""
        if (module, name) == (__name__, "_line"):
            return self._lines.__getitem__
        if (module, name) in _CLASSES:
            return _CLASSES[module, name]
        raise pickle.UnpicklingError(f"a checkpoint holds no {module}.{name}")


# --- A verified record, compressed, to be read again by the process that verified it ----------------------
#
# Like a checkpoint it holds no line, only the result of the lines; unlike one it holds the hidden part
# too, and so it never leaves the memory of the process that made it: there is no form of it for a file.
# To restore it the lines are needed, which must be the same bytes. What is restored is what was verified, so
# rulings may use it as they use a record that stayed in memory.

_SNAPSHOT_BOUND: Final = ("game", "entry", "rules", "deadlines")
"""What a ledger has from the genesis record: kept as it is, and shared."""
_QUICK: Final = 1
"""Of zlib: half the bytes for a millisecond."""


@dataclass(frozen=True, slots=True)
class CompressedSnapshot:
    """A record of which nothing but its lines is missing."""

    names: bytes
    kinds: str
    hasher: Any
    """SHA-256 over its lines, which is continued when the match has grown."""
    bound: dict[str, Any]
    openings: Openings | None
    held: bytes

    @property
    def seq(self) -> int:
        """The number of its newest record."""
        return self.kinds.count(",")

    @property
    def size(self) -> int:
        """About how many bytes of memory it takes."""
        return len(self.held) + len(self.names) + len(self.kinds)


class NotCompressed(Exception):
    """The state of an installed game cannot be pickled."""


def compressed(record: Record, before: CompressedSnapshot | None = None) -> CompressedSnapshot:
    """The record without its lines; it can go on being used.

    Args:
        record: what was verified.
        before: the same match as it was compressed earlier: known lines are not hashed again. Should
            they be others than the record's, though of the same names, then both were verified, and its bytes count.

    Raises:
        NotCompressed: the state of its game cannot be pickled; the match has to be verified again.
    """
    ledger, replay = record.ledger, record.replay
    bound = {name: getattr(ledger, name) for name in _SNAPSHOT_BOUND}
    openings = None if replay is None else replay.openings
    members = {
        member.name: getattr(ledger, member.name)
        for member in fields(Ledger)
        if member.name not in _SNAPSHOT_BOUND and member.name != "lines"
    }
    hidden = None
    if replay is not None:
        hidden = {
            member.name: getattr(replay, member.name)
            for member in fields(Replay)
            if member.name != "openings"
        }
    buffer = BytesIO()
    try:
        _SnapshotWriter(buffer, bound).dump((members, hidden))
    except (pickle.PicklingError, TypeError, AttributeError) as fault:
        raise NotCompressed(str(fault)) from fault
    names = b"".join([line.hash for line in ledger.lines])
    known = before if before is not None and names.startswith(before.names) else None
    return CompressedSnapshot(
        names,
        ",".join([line.kind for line in ledger.lines]),
        _hasher_of([line.raw for line in ledger.lines[0 if known is None else known.seq + 1 :]], known),
        bound,
        openings,
        zlib.compress(buffer.getvalue(), _QUICK),
    )


def restored(snapshot: CompressedSnapshot, lines: Sequence[bytes]) -> Record | None:
    """The record that was compressed; None if the first of ``lines`` are not those that it was made of."""
    kinds = snapshot.kinds.split(",")
    count = len(kinds)
    if len(lines) < count or _hasher_of(lines[:count]).digest() != snapshot.hasher.digest():
        return None
    known = [
        known_line(seq, kinds[seq], lines[seq], snapshot.names[seq * HASH_SIZE : (seq + 1) * HASH_SIZE])
        for seq in range(count)
    ]
    buffer = BytesIO(zlib.decompress(snapshot.held))
    members, hidden = _SnapshotReader(buffer, snapshot.bound, known).load()
    ledger = Ledger(lines=Log(known), **snapshot.bound, **members)
    if snapshot.openings is None:
        return Record(ledger)
    return Record(ledger, Replay(openings=snapshot.openings, **hidden))


def _hasher_of(lines: Sequence[bytes], before: CompressedSnapshot | None = None) -> Any:
    """SHA-256 over these lines, behind those of ``before``."""
    digest = sha256() if before is None else before.hasher.copy()
    for line in lines:
        digest.update(line)
        digest.update(b"\n")
    return digest


class _SnapshotWriter(pickle.Pickler):
    """Lines by their numbers, what the match is bound to by its name; what is sealed is left in its line.

    A table by class, not ``persistent_id``: that would be asked of every number and word.
    """

    def __init__(self, buffer: BytesIO, bound: dict[str, Any]) -> None:
        super().__init__(buffer, protocol=_PROTOCOL)
        self._names = {id(value): name for name, value in bound.items() if name != "game"}
        self.dispatch_table = {
            type(value): self._by_name for name, value in bound.items() if name != "game"
        } | {
            Line: lambda line: (line_at, (line.seq,)),
            SealedPart: _sealed,
            MappingProxyType: lambda view: (dict, (dict(view),)),
        }

    def _by_name(self, value: Any) -> Any:
        name = self._names.get(id(value))
        return value.__reduce_ex__(_PROTOCOL) if name is None else (bound_to, (name,))


def _sealed(part: SealedPart) -> Any:
    if part.line is None:
        return part.__reduce_ex__(_PROTOCOL)
    return known_part, (part.line, part.seat, part.n, part.part, part.epoch, part.size)


def line_at(seq: int) -> Line:
    """Stands in the pickle for the look-up of a line, which ``_SnapshotReader`` does."""
    raise LookupError(f"line {seq} stands outside the pickle")


def bound_to(name: str) -> Any:
    """Stands in the pickle for the look-up of what the match is bound to."""
    raise LookupError(f"{name} stands outside the pickle")


class _SnapshotReader(pickle.Unpickler):
    """Reads what ``_SnapshotWriter`` wrote in this process, and nothing else is ever given to it."""

    def __init__(self, buffer: BytesIO, bound: dict[str, Any], lines: Sequence[Line]) -> None:
        super().__init__(buffer)
        self._outside = {"line_at": lines.__getitem__, "bound_to": bound.__getitem__}

    def find_class(self, module: str, name: str) -> Any:
        """What a name in the pickle means: here the values that stand outside of it are looked up."""
        return self._outside[name] if module == __name__ else super().find_class(module, name)
