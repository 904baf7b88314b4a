"""A line of a game file: a record signed by the host, alone or packed (schemas/README.md §2, §7, §13.1)."""

from __future__ import annotations

import re
import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence, ValuesView
from dataclasses import field
from functools import lru_cache
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar, overload

from pbem.base.errors import FormatError, VerificationError
from pbem.base.sentences import Sentence, joined, place_of, plain, sentence
from pbem.base.shapes.schema import validate
from pbem.base.values import dataclass
from pbem.game import Json, JsonObject, Seat
from pbem.protocol.crypto.digest import b64, known64, sha, unb64
from pbem.protocol.crypto.identity import Identity, verify_record
from pbem.protocol.formats.envelopes import SHORTEST_LINE, check_copies, line_of, make_entry
from pbem.protocol.formats.strict_json import parse_line, read_again

_BEFORE_BODY = len(b'{"body":')
_AFTER_BODY = len(b',"sig":{"key":"","value":""}}') + 43 + 86
"""Key and signature have 32 and 64 bytes, so what follows a body has one length."""


@dataclass(frozen=True, slots=True)
class Line:
    """A record as it stands in the file: ``raw`` is the line without its newline.

    ``hash`` is its name, SHA(canon(body)); empty for a line that cannot be read. Of a line that was verified before
    (``known_line``), ``body`` and ``sig`` are read when they are first asked for.
    """

    seq: int
    kind: str
    body: JsonObject
    sig: JsonObject
    raw: bytes
    hash: bytes

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Read what was not read yet; called only for a member that is not there."""
            if name not in ("body", "sig"):
                raise AttributeError(name)
            file = read_again(self.raw)
            object.__setattr__(self, "body", file["body"])
            object.__setattr__(self, "sig", file["sig"])
            return file[name]

    def fault(self, step: int, code: str, text: str, **values: object) -> Fault:
        """A fault of this record: its step, its code, and the sentence or the message and its values."""
        words = text if isinstance(text, Sentence) else sentence(text, **values)
        return Fault(self.seq, step, code, words)

    def drop_parsed(self) -> None:
        """Drop ``body`` and ``sig``: of a verified line the bytes suffice, and they are parsed again when used."""
        try:  # both are parsed together; ``suppress`` costs more than all else, and every line of a match comes here
            object.__delattr__(self, "body")
            object.__delattr__(self, "sig")
        except AttributeError:
            return

    @property
    def at(self) -> str:
        """When the host wrote it, as text."""
        return str(self.body["at"])

    @property
    def messages(self) -> list[JsonObject]:
        """The players' files in it: the one it is about, then consents."""
        body = self.body
        return [*([body["msg"]] if "msg" in body else []), *body.get("consents", [])]

    @property
    def file(self) -> JsonObject:
        """The signed file ``{"body", "sig"}``."""
        return {"body": self.body, "sig": self.sig}

    @property
    def reference(self) -> JsonObject:
        """How a refusal and a rewind name this record: ``{"seq", "line"}``."""
        return {"seq": self.seq, "line": b64(self.hash)}

    @property
    def seen(self) -> JsonObject:
        """What a player signs who has read up to here: ``{"seq", "line", "sig"}``, with the host's signature."""
        return {**self.reference, "sig": self.sig["value"]}


def verify_entry(line: Line, game: bytes, key: bytes) -> None:
    """Check the host's signature on a record of the match ``game`` (for record 0: its own name).

    Raises:
        VerificationError: code ``signature``.
    """
    if known64(line.sig["key"], 32) != key:
        raise VerificationError("signature", sentence("signed with another key than the host's"))
    verify_record(game, line.body["seq"], line.hash, key, unb64(line.sig["value"], 64))


def proves(game: bytes, host_sign: bytes, seen: JsonObject) -> bool:
    """Whether this host signed the record that ``seen`` names, whatever any game file holds.

    Args:
        game: the name of record 0.
        host_sign: the host's public signing key, from genesis.
        seen: ``{"seq", "line", "sig"}`` of a message.
    """
    try:
        verify_record(game, seen["seq"], unb64(seen["line"], 32), host_sign, unb64(seen["sig"], 64))
    except (VerificationError, FormatError):
        return False
    return True


def read_line(raw: bytes) -> Line:
    """The record on this line; ``FormatError`` if it is not canonical JSON as ``record.schema.json`` wants it."""
    file = parse_line(raw)
    check_form(file)
    body = file["body"]
    return Line(body["seq"], body["kind"], body, file["sig"], raw, hash_of(raw))


def hash_of(raw: bytes) -> bytes:
    """What a line is called, if its form is right: for whoever only looks for the match of this name."""
    return sha(_body_in(raw))


def known_line(seq: int, kind: str, raw: bytes, name: bytes) -> Line:
    """A record whose bytes were verified before; what it says is read when somebody asks.

    Args:
        seq: its number.
        kind: its kind.
        raw: the line without its newline.
        name: its hash, as ``read_line`` found it.
    """
    line = object.__new__(Line)
    for member, value in (("seq", seq), ("kind", kind), ("raw", raw), ("hash", name)):
        object.__setattr__(line, member, value)
    return line


def check_form(file: JsonObject) -> None:
    """Return if ``file`` is as ``record.schema.json`` wants a record, and the player's own copies are as long as asked.

    Raises:
        FormatError: with the place of the first fault.
    """
    validate("record", file, bulk=True)
    if "msg" in file["body"]:
        check_copies(file["body"]["msg"]["body"], "/body/msg/body")


def write_line(
    kind: str, members: JsonObject, host: Identity, *, game: bytes | None, after: Line | None, at: str
) -> Line:
    """Sign the next record of the match ``game``: ``after`` is the line before it; both None for the genesis.

    It is read again before anybody gets it: a host signs no line that their own readers would refuse (``FormatError``).
    """
    body: JsonObject = {
        "kind": kind,
        "seq": 0 if after is None else after.seq + 1,
        "prev": "" if after is None else b64(after.hash),
        "at": at,
        **members,
    }
    return read_line(line_of(make_entry(body, host.sign_key, host.sign_public, game)))


def _body_in(raw: bytes) -> bytes:
    """The canonical body inside a canonical line of the right form."""
    return raw[_BEFORE_BODY:-_AFTER_BODY]


# --- lines in a file: known by how they begin; plain, or packed in long emails (schemas/README.md §13.1) --

_RECORD: Final = re.compile(rb'"prev":"[A-Za-z0-9_-]{0,43}"')
_GZIP: Final = b"\x1f\x8b\x08"
_HEADER: Final = _GZIP + bytes([0, 0, 0, 0, 0, 0, 255])
"""Without a name, a time and a system (RFC 1952)."""
_LAST_BLOCK: Final = b"\x03\x00"
"""An empty block that says it is the last one (RFC 1951)."""
_WITH_HEADER: Final = 31
"""The ``wbits`` with which zlib reads gzip (RFC 1952)."""
_MOST_TIMES: Final = 16
"""How many times its packed length is unpacked at most; records, mostly keys and seals, have less than twice."""


def lines_in(data: bytes) -> tuple[bytes, ...] | None:
    """The records of a game file or a part of one; None if the bytes do not begin like one.

    Time and memory are in proportion to the bytes, whatever they would unpack to.
    """
    if is_packed(data):
        plain = _unpacked(data)
        return _in_plain(plain) if plain.count(b"\n") * SHORTEST_LINE <= len(plain) + SHORTEST_LINE else None
    return _in_plain(data)


def is_packed(data: bytes) -> bool:
    """Whether these bytes begin as a packed file."""
    return data.startswith(_GZIP)


def pack_lines(lines: bytes) -> bytes:
    """Records with their line feeds as a gzip file that names neither a time nor a file.

    Every record is packed by itself, once for all emails that bring it: a packed record refers to nothing before it
    and ends on a whole byte, so that they can stand behind each other. That is a fourteenth longer than packing
    them together.
    """
    packed = map(_packed, lines.splitlines(keepends=True))
    return b"".join(
        (_HEADER, *packed, _LAST_BLOCK, struct.pack("<II", zlib.crc32(lines), len(lines) & 0xFFFFFFFF))
    )


@lru_cache(maxsize=512)
def _packed(line: bytes) -> bytes:
    """A line in blocks of DEFLATE (RFC 1951), of which none is the last one."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(line) + packer.flush(zlib.Z_FULL_FLUSH)


def _unpacked(data: bytes) -> bytes:
    """What was packed; nothing if it is damaged, unpacks to too much, or something stands behind it."""
    unpacker, most = zlib.decompressobj(_WITH_HEADER), _MOST_TIMES * len(data)
    try:
        plain = unpacker.decompress(data, most)
    except zlib.error:
        return b""
    return plain if unpacker.eof and not unpacker.unused_data else b""


def _in_plain(data: bytes) -> tuple[bytes, ...] | None:
    clean = data.lstrip(b" \t\r\n\xef\xbb\xbf")
    if not clean.startswith(b'{"body":{'):
        return None
    clean = clean.replace(b"\r\n", b"\n")
    first = clean.partition(b"\n")[0]
    if not first.endswith(b"}}") or b'"sig":{' not in first or _RECORD.search(first) is None:
        return None
    return tuple(line for line in clean.split(b"\n") if line)


# --- what can be wrong with a game file, as data: the referee stops at the first, the audit lists all -----

STEPS = {
    1: "line, order, host signature, members",
    2: "players' signatures, numbers, what they had seen",
    3: "links",
    4: "announcements, burns and defaults",
    5: "opening of an epoch",
    6: "draws and rolls",
    7: "packets",
    8: "open actions and their steps",
    9: "close: seed, leaves, packets, sealed parts, hands",
    10: "end",
    11: "a seat's own packets",
    12: "replay with the rules",
}
"""The numbered steps of schemas/README.md §11; 11 and 12 are the two that need a key and the engine."""


def differs(place: str, expected: object, actual: object) -> Sentence:
    """That a record says something else at a place than what follows from the records before it."""
    expected, actual = (
        sentence("nothing") if value in (None, "", [], {}) else value for value in (expected, actual)
    )
    return joined((place, sentence("expected {what}, found {found}", what=expected, found=actual)), ": ")


def difference(expected: Json, actual: Json, place: str, path: tuple[str | int, ...] = ()) -> Sentence:
    """The first place where two JSON values differ, in words; ``place`` says what they are values of."""
    pairs: Iterable[tuple[str | int, Json, Json]] = ()
    if isinstance(expected, dict) and isinstance(actual, dict):
        pairs = [
            (name, expected.get(name), actual.get(name)) for name in sorted(expected.keys() | actual.keys())
        ]
    elif isinstance(expected, list) and isinstance(actual, list):
        pairs = ((at, a, b) for at, (a, b) in enumerate(zip_longest(expected, actual)))
    for step, a, b in pairs:
        if a != b:
            return difference(a, b, place, (*path, step))
    where = joined((place, place_of(path)), ", ") if path else place
    return differs(where, *(value and shown_value(value) for value in (expected, actual)))


def shown_value(value: Json) -> str:
    """A value as it stands in a record, cut off where it is long."""
    text = plain(value)
    return text if len(text) <= 80 else text[:77] + "..."


def at_record(seq: int, fault: object) -> Sentence:
    """What is wrong, and in which record."""
    return sentence("record {seq}: {fault}", seq=seq, fault=fault)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its record, the step of schemas/README.md §11 that found it, a stable code, a sentence."""

    seq: int
    step: int
    code: str
    sentence: str

    def error(self) -> VerificationError:
        """The same as an exception."""
        return VerificationError(self.code, at_record(self.seq, self.sentence))


# --- logs -------------------------------------------------------------------------------------------------
#
# What grows with a match and is shared by its forks: a list that only grows, and a dictionary in two
# layers.

K = TypeVar("K")
T = TypeVar("T")
_SHORT: Final = 64
"""Up to how many items a fork copies what it could share."""


class Log(Sequence[T], Generic[T]):
    """An immutable sequence; ``plus`` gives one that is longer by one item, without copying the others.

    Forks share one list: each sees the part that was there when it was made. Where two of them grow from the same
    place, the second begins a list of its own behind the shared part.
    """

    __slots__ = ("_before", "_cut", "_items", "first", "last", "size")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._before: list[T] = []
        self._cut = 0
        """How many of ``_before`` come first."""
        self._items = list(items)
        self.size = len(self._items)
        """How many there are; an attribute, as ``first`` and ``last``, since every record asks for it."""
        if self._items:
            self.first: T = self._items[0]
            self.last: T = self._items[-1]

    def plus(self, item: T) -> Log[T]:
        """The same sequence with one item more."""
        grown: Log[T] = Log.__new__(Log)
        grown._before, grown._cut, grown._items = self._before, self._cut, self._items
        own = self.size - self._cut
        if len(self._items) > own:
            if own <= _SHORT:
                grown._items = self._items[:own]
            else:
                grown._before = self._items if not self._cut else list(self)
                grown._cut, grown._items = self.size, []
        grown._items.append(item)
        grown.first, grown.last = self.first if self.size else item, item
        grown.size = self.size + 1
        return grown

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[T]:
        return chain(islice(self._before, self._cut), islice(self._items, self.size - self._cut))

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            start, stop, step = at.indices(self.size)
            if self._cut:
                return [self[place] for place in range(start, stop, step)]
            return self._items[start : stop if stop >= 0 else None : step]
        place = at + self.size if at < 0 else at
        if not 0 <= place < self.size:
            raise IndexError(f"there is no item {at} among {self.size}")
        return self._before[place] if place < self._cut else self._items[place - self._cut]

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Log) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without what only other forks see."""
        return Log, (list(self),)


class Layered(MutableMapping[K, T], Generic[K, T]):
    """A dictionary whose forks share what was there; a fork costs as much as what changed since the last few."""

    __slots__ = ("_base", "_own")

    def __init__(self, items: Mapping[K, T] | None = None) -> None:
        self._base: Mapping[K, T] = {}
        """Never changed: others hold it, too."""
        self._own: dict[K, T] = dict(items or {})

    def fork(self) -> Layered[K, T]:
        """An independent copy."""
        if len(self._own) > _SHORT:
            self._base, self._own = {**self._base, **self._own}, {}
        copy = Layered(self._own)
        copy._base = self._base
        return copy

    def __getitem__(self, key: K) -> T:
        value = self._own.get(key, self)
        return self._base[key] if value is self else value  # type: ignore[return-value]

    def get(self, key: K, default: Any = None) -> Any:
        """What stands there, else ``default``."""
        value = self._own.get(key, self)
        return self._base.get(key, default) if value is self else value

    def __setitem__(self, key: K, value: T) -> None:
        self._own[key] = value

    def __delitem__(self, key: K) -> None:
        if key in self._base:
            self._base, self._own = {}, {**self._base, **self._own}
        del self._own[key]

    def __contains__(self, key: object) -> bool:
        return key in self._own or key in self._base

    def __iter__(self) -> Iterator[K]:
        return chain(self._base, (key for key in self._own if key not in self._base))

    def values(self) -> ValuesView[T]:
        """What it holds."""
        return {**self._base, **self._own}.values() if self._base else self._own.values()

    def __len__(self) -> int:
        return len(self._base) + sum(key not in self._base for key in self._own)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled in one layer."""
        return Layered, (dict(self),)

    def clear(self) -> None:
        """Forget everything at once."""
        self._base, self._own = {}, {}


# --- index ------------------------------------------------------------------------------------------------
#
# Where things stand in a game file: an index built record by record, so that nobody walks the record from its
# start.
#
# Every question names the record up to which it is asked, so that an old email can be made again.


class Indexed(Protocol):
    """One record."""

    @property
    def seq(self) -> int:
        """Its number."""

    @property
    def kind(self) -> str:
        """Its kind."""

    @property
    def body(self) -> JsonObject:
        """What it says."""


# Audiences: of the match's seats those that are notified of a record, beside whose file it answers.


def nobody(_: Indexed, __: Sequence[Seat]) -> Sequence[Seat]:
    """No seat."""
    return ()


def everybody(_: Indexed, seats: Sequence[Seat]) -> Sequence[Seat]:
    """Every seat."""
    return seats


def its_seat(line: Indexed, _: Sequence[Seat]) -> Sequence[Seat]:
    """The seat that the record names."""
    return (Seat(line.body["seat"]),)


def packet_owners(line: Indexed, _: Sequence[Seat]) -> Sequence[Seat]:
    """The seats whose packets the record holds."""
    return tuple(map(Seat, line.body.get("packets", ())))


@dataclass(slots=True)
class Index:
    """Numbers of records, in order. A fork shares what was there."""

    kinds: dict[str, Log[int]] = field(default_factory=dict)
    """By kind."""
    files: dict[Seat, Log[int]] = field(default_factory=dict)
    """Those that hold a file of the seat."""
    tells: dict[Seat, Log[int]] = field(default_factory=dict)
    """Those that hold a private message to the seat."""
    seen: dict[Seat, Log[tuple[int, int]]] = field(default_factory=dict)
    """With each file of the seat the newest record that it has signed to have seen until then."""
    bars: Log[int] = field(default_factory=Log)
    """Those across which the match never goes back."""

    def fork(self) -> Index:
        """An independent copy."""
        shared = dict(self.kinds), dict(self.files), dict(self.tells), dict(self.seen)
        return Index(*shared, self.bars)

    def take(self, line: Indexed, *, bars: bool = False) -> None:
        """Take the newest record."""
        seq, body = line.seq, line.body
        if bars:
            self.bars = self.bars.plus(seq)
        _add(self.kinds, line.kind, seq)
        message = body.get("msg")
        if message is not None:
            signed = message["body"]
            seat = Seat(signed["seat"])
            _add(self.files, seat, seq)
            for to in {Seat(item["to"]) for item in signed.get("tell", ())}:
                _add(self.tells, to, seq)
            if "seen" in signed:
                before = self.seen.get(seat)
                _add(self.seen, seat, (seq, max(signed["seen"]["seq"], before[-1][1] if before else -1)))

    def of_kinds(self, kinds: tuple[str, ...], upto: int) -> list[int]:
        """The records of these kinds up to record ``upto``."""
        numbers = [seq for kind in kinds for seq in self.kinds.get(kind, ()) if seq <= upto]
        return numbers if len(kinds) == 1 else sorted(numbers)

    def files_of(self, seat: Seat, upto: int) -> Iterator[int]:
        """The records up to ``upto`` that hold a file of the seat, the newest first."""
        files = self.files.get(seat, Log())
        for at in range(bisect_right(files, upto) - 1, -1, -1):
            yield files[at]

    def seen_by(self, seat: Seat, upto: int) -> int:
        """The newest record that the seat has signed to have seen, in records up to ``upto``; −1 if there is none."""
        seen = self.seen.get(seat, Log())
        at = bisect_right(seen, upto, key=lambda entry: entry[0])
        return seen[at - 1][1] if at else -1


def _add(logs: dict[K, Log[T]], key: K, item: T) -> None:
    logs[key] = logs.get(key, Log()).plus(item)
