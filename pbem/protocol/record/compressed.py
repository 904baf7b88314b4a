"""A verified record put away small, to be taken out again by the process that verified it.

Like a checkpoint it holds no line, only what the lines came to; unlike one it holds the hidden part too, and so it
never leaves the memory of the process that made it: there is no form of it for a file. Whoever takes it out brings the
lines, which must be the same bytes. What comes back is what was verified, so rulings may rest on it as they rest on a
record that stayed in memory.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Sequence
from dataclasses import fields
from hashlib import sha256
from io import BytesIO
from types import MappingProxyType
from typing import Any, Final

from pbem.base.values import dataclass
from pbem.protocol.record.ledger import Ledger, SealedPart, known_part
from pbem.protocol.record.line import Line, known_line
from pbem.protocol.record.log import Log
from pbem.protocol.record.record import Record
from pbem.protocol.record.replay import Openings, Replay

_BOUND: Final = ("game", "entry", "rules", "deadlines")
"""What a ledger has from the genesis record: kept as it is, and shared."""
_NAME: Final = 32
_PROTOCOL: Final = 5
_QUICK: Final = 1
"""Of zlib: half the bytes for a millisecond."""


@dataclass(frozen=True, slots=True)
class CompressedSnapshot:
    """A record of which nothing but its lines is missing."""

    names: bytes
    kinds: str
    summed: Any
    """SHA-256 over its lines, which goes on where it stands when the match has grown."""
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
    """A game of somebody else's holds what cannot be written down."""


def fold(record: Record, before: CompressedSnapshot | None = None) -> CompressedSnapshot:
    """The record without its lines; it can go on being used.

    Args:
        record: what was verified.
        before: the same match as it was put away earlier: of lines that it knows the bytes are not summed again. Should
            they be others than the record's, though of the same names, then both were verified, and its bytes count.

    Raises:
        NotFolded: the state of its game cannot be written; it has to be verified again.
    """
    ledger, replay = record.ledger, record.replay
    bound = {name: getattr(ledger, name) for name in _BOUND}
    openings = None if replay is None else replay.openings
    members = {
        member.name: getattr(ledger, member.name)
        for member in fields(Ledger)
        if member.name not in _BOUND and member.name != "lines"
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
        _Writer(buffer, bound).dump((members, hidden))
    except (pickle.PicklingError, TypeError, AttributeError) as fault:
        raise NotCompressed(str(fault)) from fault
    names = b"".join([line.hash for line in ledger.lines])
    known = before if before is not None and names.startswith(before.names) else None
    return CompressedSnapshot(
        names,
        ",".join([line.kind for line in ledger.lines]),
        _summed([line.raw for line in ledger.lines[0 if known is None else known.seq + 1 :]], known),
        bound,
        openings,
        zlib.compress(buffer.getvalue(), _QUICK),
    )


def unfold(folded: CompressedSnapshot, lines: Sequence[bytes]) -> Record | None:
    """The record that was put away; None if the first of ``lines`` are not those that it was made of."""
    kinds = folded.kinds.split(",")
    count = len(kinds)
    if len(lines) < count or _summed(lines[:count]).digest() != folded.summed.digest():
        return None
    known = [
        known_line(seq, kinds[seq], lines[seq], folded.names[seq * _NAME : (seq + 1) * _NAME])
        for seq in range(count)
    ]
    buffer = BytesIO(zlib.decompress(folded.held))
    members, hidden = _Reader(buffer, folded.bound, known).load()
    ledger = Ledger(lines=Log(known), **folded.bound, **members)
    if folded.openings is None:
        return Record(ledger)
    return Record(ledger, Replay(openings=folded.openings, **hidden))


def _summed(lines: Sequence[bytes], before: CompressedSnapshot | None = None) -> Any:
    """SHA-256 over these lines, behind those of ``before``."""
    found = sha256() if before is None else before.summed.copy()
    for line in lines:
        found.update(line)
        found.update(b"\n")
    return found


class _Writer(pickle.Pickler):
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
    """Stands in the pickle for the look-up of a line, which ``_Reader`` does."""
    raise LookupError(f"line {seq} stands outside the pickle")


def bound_to(name: str) -> Any:
    """Stands in the pickle for the look-up of what the match is bound to."""
    raise LookupError(f"{name} stands outside the pickle")


class _Reader(pickle.Unpickler):
    """Reads what ``_Writer`` wrote in this process, and nothing else is ever given to it."""

    def __init__(self, buffer: BytesIO, bound: dict[str, Any], lines: Sequence[Line]) -> None:
        super().__init__(buffer)
        self._outside = {"line_at": lines.__getitem__, "bound_to": bound.__getitem__}

    def find_class(self, module: str, name: str) -> Any:
        """What a name in the pickle means: here the values that stand outside of it are looked up."""
        return self._outside[name] if module == __name__ else super().find_class(module, name)
