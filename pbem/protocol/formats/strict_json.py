"""Strict JSON: one value, one spelling (schemas/README.md §1.1, §1.2).

``canon`` writes RFC 8785 of restricted JSON: member names of [A-Za-z0-9_-], integers within ±(2^53 − 1), no
floats, no ``null``, strings in NFC without the characters of ``RANGES``, depth at most 32 (the outermost value has
depth 0). In this form sorted compact ``json.dumps``, RFC 8785, ``jq -cS`` and one line of
JavaScript write the same bytes.

``parse`` reads untrusted bytes, in any layout, and says where a fault is (a JSON Pointer). ``parse_line``
reads what must already be canonical: comparing with its own canonical form refuses duplicates, order,
blanks, ``-0`` and odd escapes at the speed of a compiled parser; what that comparison lets through (names,
floats, great numbers, null, depth, odd characters) is looked for in the value. Both take time in proportion
to the bytes, whatever these are.

``plain_canon`` and ``plain_parse_line`` are the same without a compiled library, for where there is none.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from pbem.base.errors import FormatError
from pbem.base.sentences import sentence
from pbem.base.shapes.schema import pointer
from pbem.game import Json, JsonObject
from pbem.protocol.formats.unicode import nfc, release, unassigned

MAX_INTEGER: Final = 2**53 - 1
MAX_DEPTH: Final = 32
MAX_FILE: Final = 64 * 1024
"""Bytes of JSON text in a file that a player signs."""
MAX_LINE: Final = 1024 * 1024
"""Bytes of a record's line."""

_encode = json.JSONEncoder(
    ensure_ascii=False, check_circular=True, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode

_BEGINS = re.compile(r"\s*+(?:[\[{\"0-9-]|true|false|null|\Z)")
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+["\\]?', re.DOTALL)
"""A string, or what is left of the text where one is not ended: every quotation mark is looked at once."""
_NO_BRACKET_IN_STRINGS = re.compile(
    rb'[^"]*+(?:"[^"\\\[\]{}]*+(?:\\.[^"\\\[\]{}]*+)*+(?:"|\\?\Z)[^"]*+)*+', re.DOTALL
)
_STRINGS = re.compile(rb'(?:[^"]*+"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)){1,1000}+|[^"]++', re.DOTALL)
"""A thousand strings with what stands before them: whoever takes strings out of a megabyte at once fills 40 MB."""
_LEAVES: Final = frozenset({str, bool})
_LEAVES_OR_INTEGERS: Final = _LEAVES | {int}
_good_names: Final[set[str]] = set()
_REMEMBERED = 40
"""Longer names are no member of ours; they are checked each time, so that unknown names do not fill the cache."""
_NO_NULL: Final = sentence("null stands nowhere: leave the member out")
_TOO_DEEP: Final = sentence("nested too deeply: at most {most} levels are read", most=MAX_DEPTH)
_DEEPEST: Final = 254
"""Containers in each other that the compiled way writes."""
_COMMAS: Final = {
    "Illegal trailing comma before end of object": "Expecting property name enclosed in double quotes",
    "Illegal trailing comma before end of array": "Expecting value",
}
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))


class _Fault:
    """Stands in a parsed value for something that JSON allows and we refuse; the walk says where it was."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence


def canon(value: Json) -> bytes:
    """The canonical bytes of a value in restricted form.

    Raises:
        FormatError: what this JSON cannot hold (null, NaN, a lone surrogate, a Python object, endless nesting).
    """
    quick = _written(value)
    return quick if b"null" not in quick else plain_canon(value)


def plain_canon(value: Json) -> bytes:
    """``canon`` by the standard library alone; a little more is refused (values that are no JSON at all)."""
    try:
        slow = _encode(value).encode("utf-8")
        empty = b"null" in slow and any(node is None for _, node in _nodes(value, ()))
    except (TypeError, ValueError, RecursionError) as fault:
        raise FormatError(sentence("this value has no canonical form: {fault}", fault=fault)) from None
    if empty:
        raise FormatError(sentence("this value has no canonical form: {fault}", fault=_NO_NULL))
    return slow


def parse(raw: bytes, *, limit: int, null: bool = False) -> Json:
    """The value of untrusted JSON bytes, in any layout, in restricted form; ``null``: for files that nobody signs.

    Raises:
        FormatError: with ``where`` as JSON Pointer wherever there is one.
    """
    if len(raw) > limit:
        raise FormatError(
            sentence("too long: at most {limit} bytes are read, found {count}", limit=limit, count=len(raw))
        )
    with collector_paused(len(raw)):
        quick = _value_of(raw) if raw.startswith(b"{") else None
        if quick is not None and _well(raw, quick):  # canonical already, as every file of ours
            return quick
    text = _decoded(raw)
    if _too_deep(raw):
        raise FormatError(_TOO_DEEP)
    with collector_paused(len(raw)):
        try:
            value = _decode(text)
        except json.JSONDecodeError as problem:
            if _BEGINS.match(text) is None:
                raise FormatError(sentence("text that is not JSON")) from None
            fault = _as_before_3_13(problem)
            raise FormatError(
                sentence("not JSON at line {line}, column {column}", line=fault.lineno, column=fault.colno)
            ) from None
        if not _plain(value, 0):
            _walk(value, null=null)
    return value


def parse_line(line: bytes) -> JsonObject:
    """The object of canonical bytes: a record's line (without its line feed) or a sealed plaintext.

    Raises:
        FormatError: if ``line`` is anything but the canonical form of one object.
    """
    return _line(line, _value_of)


def plain_parse_line(line: bytes) -> JsonObject:
    """``parse_line`` by the standard library alone."""
    return _line(line, _plain_value_of)


def _line(line: bytes, value_of: Callable[[bytes], Json]) -> JsonObject:
    if len(line) > MAX_LINE:
        raise FormatError(
            sentence(
                "too long: a record has at most {limit} bytes, found {count}", limit=MAX_LINE, count=len(line)
            )
        )
    with collector_paused(len(line)):
        value = value_of(line)
        if not isinstance(value, dict):
            raise FormatError(_why_not_canonical(line))
        if not _well(line, value):
            _walk(value)  # raises with the place, unless it was only something rare
    return value


def _well(line: bytes, value: Json) -> bool:
    """Whether this value of canonical bytes needs no closer look."""
    return line.isascii() and b"\\" not in line and b"\x7f" not in line and _bare(value, 0)


def read_again(line: bytes) -> JsonObject:
    """The object of bytes that ``parse_line`` has read before: whoever asks knows that they are the same."""
    value: JsonObject = _again(line)
    return value


def check_text(text: str, where: str = "") -> None:
    """Return if ``text`` may stand in signed or sealed JSON: normal form C, no character of ``RANGES``.

    Raises:
        FormatError: with the character's code point.
    """
    if char := forbidden(text):
        words = sentence("{what} U+{code:04X} is not allowed in text", what=_kind_of(char), code=ord(char))
        raise FormatError(words, where=where)
    if text.isascii():
        return
    if char := unassigned(text):
        raise FormatError(
            sentence(
                "the character U+{code:04X} is not part of Unicode {release}, to which signed text is held;"
                " write it in another way",
                code=ord(char),
                release=release(),
            ),
            where=where,
        )
    if nfc(text) != text:
        raise FormatError(sentence("text is not in Unicode normal form C"), where=where)


def check_name(text: str, where: str = "") -> None:
    """Return if ``text`` may be a person's name: 1 to 60 characters without blanks at the ends.

    Raises:
        FormatError: it may not.
    """
    check_text(text, where)
    if not 1 <= len(text) <= 60 or text != text.strip():
        raise FormatError(
            sentence("expected a name of 1 to 60 characters without blanks at its ends"), where=where
        )


def _plain_value_of(line: bytes) -> Json:
    """The value that ``line`` is the canonical form of; None if it is none, or holds what JSON of ours does not.

    As deep as the compiled way reads, which is counted before: the standard library would run out of stack.
    """
    if _too_deep(line, _DEEPEST):
        return None
    try:
        value: Json = _decode(line.decode("utf-8"))
        return value if _encode(value).encode("utf-8") == line else None
    except (ValueError, TypeError):  # a fault found while reading cannot be written
        return None


def _plain_written(value: Json) -> bytes:
    """Nothing is written quickly."""
    del value
    return b"null"


def _plain_again(line: bytes) -> Json:
    """The value of a line that was read before."""
    value: Json = json.loads(line)
    return value


def _plain_spelt(number: float) -> str:
    """A fraction in a value, which ``_plain_value_of`` never gives."""
    return repr(number)


def _decoded(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise FormatError(sentence("not UTF-8 at byte {place}", place=fault.start)) from None
    if text.startswith("\ufeff"):
        raise FormatError(sentence("starts with a byte order mark: save the file as UTF-8 without one"))
    return text


def _too_deep(raw: bytes, most: int = MAX_DEPTH + 1) -> bool:
    """Whether more brackets are open at once than may be, counted without recursion (strings left out)."""
    if _NO_BRACKET_IN_STRINGS.fullmatch(raw):
        pieces: Iterable[bytes] = (raw,)
    else:
        pieces = (_STRING.sub(b"", piece[0]) for piece in _STRINGS.finditer(raw))
    depth = 0
    for piece in pieces:
        for bracket in piece.translate(None, delete=_NOT_BRACKETS):
            if bracket in b"[{":
                depth += 1
                if depth > most:
                    return True
            else:
                depth -= 1
    return False


def _bare(value: Json, depth: int) -> bool:
    """Whether names, numbers and depth of a canonical value need no closer look; its strings are not looked at."""
    items: Iterable[Json]
    if type(value) is dict:
        if not _good_names.issuperset(value) and not _learn(value):
            return False
        items = value.values()
    elif type(value) is list:
        items = value
    else:
        return type(value) is int and -MAX_INTEGER <= value <= MAX_INTEGER
    kinds = set(map(type, items))
    if depth >= MAX_DEPTH:  # what it holds would lie too deep; an empty one is for the closer look
        return False
    if kinds <= _LEAVES:
        return True
    if int in kinds and kinds <= _LEAVES_OR_INTEGERS:
        return all(-MAX_INTEGER <= item <= MAX_INTEGER for item in items if type(item) is int)
    for item in items:  # noqa: SIM110 - every record goes through here, and a generator is slower
        if type(item) not in _LEAVES and not _bare(item, depth + 1):
            return False
    return True


def _learn(names: Iterable[str]) -> bool:
    """Whether all these are names; a thousand are cached, since a file repeats the same few."""
    if not all(map(_NAME.fullmatch, names)):
        return False
    if len(_good_names) < 1000:
        _good_names.update(name for name in names if len(name) <= _REMEMBERED)
    return True


def _as_before_3_13(fault: json.JSONDecodeError) -> json.JSONDecodeError:
    """The fault as every Python reports it: from 3.13 on a trailing comma has a message, and a place, of its own."""
    if fault.msg not in _COMMAS:
        return fault
    behind = fault.doc[fault.pos + 1 :]
    place = len(fault.doc) - len(behind.lstrip(" \t\n\r"))
    return json.JSONDecodeError(_COMMAS[fault.msg], fault.doc, place)


def _members(pairs: list[tuple[str, Json]]) -> Json:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            return _Fault(sentence("member {name} stands there more than once", name=_shown(name)))
        seen.add(name)
    raise AssertionError("a dict is shorter than its pairs only if one comes twice")


def _no_float(text: str) -> _Fault:
    return _Fault(_not_whole(text))


def _no_constant(text: str) -> _Fault:
    return _Fault(sentence("{text} is not JSON", text=text))


def _integer(text: str) -> int | _Fault:
    if text == "-0":
        return _Fault(sentence("expected 0, found -0"))
    if len(text) > 17 or not -MAX_INTEGER <= (number := int(text)) <= MAX_INTEGER:
        return _Fault(_too_great(text))
    return number


def _not_whole(text: str) -> str:
    return sentence("expected an integer without fraction or exponent, found {text}", text=text[:40])


def _too_great(text: str) -> str:
    return sentence("expected an integer within ±(2^53 − 1), found {text}", text=text[:40])


_decode = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=_no_float, parse_constant=_no_constant, parse_int=_integer
).decode


def _plain(value: Json, depth: int) -> bool:
    """Whether nothing here needs a closer look: the quick way for nearly every file."""
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, str):
        return value.isascii() and _CONTROL.search(value) is None
    if isinstance(value, dict):
        return all(_NAME.fullmatch(name) and _plain(member, depth + 1) for name, member in value.items())
    if isinstance(value, list):
        return all(_plain(item, depth + 1) for item in value)
    return isinstance(value, (int, bool))


def _walk(value: Json, *, null: bool = False) -> None:
    """Raise for the first fault, with its place; that is spelled out for a fault only, since names may be long."""
    for path, node in _nodes(value, ()):
        fault = _NO_NULL if node is None and not null else _fault_of(node, len(path))
        if fault:
            raise FormatError(fault, where=pointer(*(_short(step) for step in path)))


def _fault_of(node: Json, depth: int) -> str:
    """What is wrong with this value, leaving out what it holds; empty if nothing is."""
    if depth > MAX_DEPTH:
        return _TOO_DEEP
    if isinstance(node, _Fault):
        return node.sentence
    if isinstance(node, str):
        try:
            check_text(node)
        except FormatError as fault:
            return str(fault)
    elif isinstance(node, dict):
        for name in node:
            if not _NAME.fullmatch(name):
                return sentence("member name {name} is not of A-Z a-z 0-9 _ -", name=_shown(name))
    elif isinstance(node, float):
        return _not_whole(_spelt(node))
    elif isinstance(node, int) and not -MAX_INTEGER <= node <= MAX_INTEGER:
        return _too_great(str(node))
    return ""


def _nodes(value: Json, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """Every value with its path, containers before what they hold; the depth is known to be small."""
    yield path, value
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _nodes(member, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _nodes(item, (*path, index))


def _kind_of(character: str) -> str:
    """What kind of character that is, for people."""
    if character < "\xa0":
        return sentence("control character")
    if "\ud800" <= character <= "\udfff":
        return sentence("lone surrogate")
    return sentence("invisible or direction character")


def _why_not_canonical(line: bytes) -> str:
    """What to say of a line that differs from its canonical form; the general reader knows most reasons."""
    try:
        value = parse(line, limit=MAX_LINE)
    except FormatError as fault:
        return str(fault)
    if not isinstance(value, dict):
        return sentence("expected one JSON object")
    expected = canon(value)
    at = next((i for i, (a, b) in enumerate(zip(line, expected, strict=False)) if a != b), len(expected))
    return sentence("not in canonical form: differs at byte {place}", place=at)


def _short(step: str | int) -> str | int:
    return step if isinstance(step, int) or len(step) <= _REMEMBERED else step[:_REMEMBERED] + "..."


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 40 else text[:40] + "...")


_again: Callable[[bytes], Json] = _plain_again
_spelt = _plain_spelt
_value_of, _written = _plain_value_of, _plain_written
try:
    import orjson  # no other module imports it; an import contract holds that
except ModuleNotFoundError:
    pass
else:
    _CANONICAL: Final = (
        orjson.OPT_SORT_KEYS
        | orjson.OPT_PASSTHROUGH_SUBCLASS
        | orjson.OPT_PASSTHROUGH_DATACLASS
        | orjson.OPT_PASSTHROUGH_DATETIME
    )

    def _quickly_written(value: Json) -> bytes:
        try:
            return orjson.dumps(value, option=_CANONICAL)  # it writes null for NaN, too
        except TypeError:
            return b"null"

    def _quickly_read(line: bytes) -> Json:
        try:
            value: Json = orjson.loads(line)
            return value if orjson.dumps(value, option=_CANONICAL) == line else None
        except (ValueError, TypeError):
            return None

    def _quickly_spelt(number: float) -> str:
        return orjson.dumps(number).decode()

    _again, _spelt = orjson.loads, _quickly_spelt
    _value_of, _written = _quickly_read, _quickly_written


# --- characters -------------------------------------------------------------------------------------------
#
# The characters that no string of signed or sealed JSON holds: one table by code point
# (schemas/README.md §1.1).
#
# They are invisible, turn the direction of what stands around them, are controls of a terminal, or are no
# characters at all. Text that a person pastes is full of them (emoji are glued together by U+200D), so a
# client takes the invisible ones out (``spoken``) and a reader refuses whatever is left (``forbidden``).

RANGES: Final = (
    (0x0000, 0x001F),  # C0
    (0x007F, 0x009F),  # delete, C1
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    *((plane << 16 | 0xFFFE, plane << 16 | 0xFFFF) for plane in range(0x11)),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""First and last code point of each range."""

_FORBIDDEN: Final = "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in RANGES) + "]"
"""An expression as text, like those below: ``re`` compiles it when it is first used, which most commands never do."""
_BREAKS: Final = "[\t\n\v\f\r\x85\u2028\u2029]+"
_SEEN: Final = "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufff0-\uffff]"
"""Those of the table that nobody pastes without knowing: they stay, to be refused with their code point."""


def forbidden(text: str) -> str:
    """The first character of ``text`` that is in the table; empty if there is none."""
    match = None if text.isascii() and text.isprintable() else re.search(_FORBIDDEN, text)
    return match[0] if match else ""


def harmless(text: str) -> str:
    """Anybody's text as one line for people and databases: a blank for every character of the table."""
    return re.sub(_FORBIDDEN, " ", text)


def spoken(text: str) -> str:
    """What a person typed or pasted, as it may be signed: line breaks and tabs are blanks, joiners are gone, NFC."""
    flat = re.sub(_BREAKS, " ", text)
    if not flat.isascii():
        flat = re.sub(_FORBIDDEN, lambda match: match[0] if re.match(_SEEN, match[0]) else "", flat)
    return nfc(flat)


# --- the garbage collector is paused while one long text is read ------------------------------------------
#
# Whoever makes 350,000 lists out of a megabyte of ``[]`` is looked at by the collector again and again as
# the tree grows, so that a byte costs twice as much in a long line as in a short one. A parsed tree holds
# no cycles: nothing is lost by looking at it once, afterwards.

LONG: Final = 4096
"""Bytes from which on it pays: shorter texts make too few objects for a second look."""


_readers: Final[list[int]] = []
"""One entry for each reader, in whatever thread."""
_ours: Final[list[bool]] = []
"""Not empty while it is paused by us, and not by the program."""


@contextmanager
def collector_paused(length: int) -> Iterator[None]:
    """No collection while a text of ``length`` bytes is read, in any thread; it runs again when the last has read.

    Readers may lie inside each other and in several threads; whatever is raised, it is put back as it was. There is
    no lock, since the player's side has none: whatever two threads do at once, the one that leaves an empty list
    switches it on, and at worst one text is read with the collector running.
    """
    if length < LONG:
        yield
        return
    _readers.append(length)
    if gc.isenabled():
        gc.disable()
        _ours.append(True)
    try:
        yield
    finally:
        _readers.pop()
        if not _readers and _ours:
            _ours.clear()
            gc.enable()
