"""Strict JSON (schemas/README.md §1.1, §1.2): the canonical form, and everything that is refused, with its place."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import process_time

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from pbem.base.errors import FormatError
from pbem.base.shapes.schema import pointer
from pbem.game import Json, JsonObject
from pbem.protocol.formats.strict_json import (
    MAX_LINE,
    RANGES,
    canon,
    check_name,
    check_text,
    forbidden,
    parse,
    parse_line,
    plain_canon,
    plain_parse_line,
    spoken,
)
from pbem.protocol.formats.unicode import nfc, unassigned

LIMIT = 64 * 1024

texts = st.text(
    st.characters(exclude_categories=["Cs"]).filter(
        lambda char: not forbidden(char) and not unassigned(char)
    ),
    max_size=12,
).map(nfc)
names = st.text("abcXYZ019_-", min_size=1, max_size=6)
leaves = st.one_of(st.booleans(), st.integers(-(2**53) + 1, 2**53 - 1), texts)
values = st.recursive(
    leaves, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4))
)
objects = st.dictionaries(names, values, max_size=5)


@given(values)
def test_canon_is_rfc_8785(value: Json) -> None:
    assert canon(value) == plain_canon(value) == rfc8785.dumps(value)


@given(values)
def test_canonical_bytes_come_back(value: Json) -> None:
    assert parse(canon(value), limit=10**6) == value


def fault_of(raw: bytes) -> str:
    try:
        parse(raw, limit=10**6)
    except FormatError as fault:
        return str(fault)
    return ""


odd = st.one_of(
    leaves, st.none(), st.floats(allow_nan=False, allow_infinity=False), st.integers(2**53 - 2, 2**65)
)
odd_names = st.one_of(names, st.text(max_size=3))
odd_values = st.recursive(
    odd, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(odd_names, inner, max_size=3))
)


@given(st.dictionaries(odd_names, odd_values, max_size=4), st.booleans())
@example({"a": json.loads("[" * 31 + "1" + "]" * 31)}, True)
@example({"a": json.loads("[" * 32 + "]" * 32)}, True)
@example({"a": json.loads("[" * 33 + "]" * 33)}, True)
@example({"a": "\x7f"}, False)
def test_a_canonical_file_is_judged_like_one_in_another_layout(value: JsonObject, null: bool) -> None:
    """What is canonical already is read by a shorter way; a line feed behind it makes it go the longer one."""
    raw = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(
        "utf-8", "replace"
    )
    read = partial(parse, limit=10**6, null=null)
    assert said(read, raw) == said(read, raw + b"\n")


def depth_of(raw: str) -> int:
    """The most brackets open at once, counted letter by letter, strings left out."""
    depth = most = 0
    inside = escaped = False
    for letter in raw:
        if inside:
            inside, escaped = escaped or letter != '"', not escaped and letter == "\\"
        elif letter == '"':
            inside = True
        else:
            depth += (letter in "[{") - (letter in "]}")
            most = max(most, depth)
    return most


@given(
    st.lists(
        st.sampled_from(['"', "\\", "[" * 12, "]" * 12, "{", "}", "a", '"["', '"]]"', '\\"']), max_size=30
    )
)
@example(['"[",'] * 5000 + ["["] * 34)
@example(['"]",'] * 2500 + ["["] * 33 + ['"]",'] * 2500 + ["["])
@example(["["] * 20 + ['"]",'] * 1001 + ["["] * 20)
def test_brackets_in_strings_are_no_levels(tokens: list[str]) -> None:
    raw = "".join(tokens)
    fault, levels = fault_of(raw.encode()), depth_of(raw)
    assert levels <= 33 or "nested too deeply" in fault
    assert "nested too deeply" not in fault or levels >= 33


@given(values, st.sampled_from([None, 0, 2, "\t"]), st.booleans())
def test_any_layout_of_a_value_reads_the_same(value: Json, indent: int | str | None, escaped: bool) -> None:
    raw = json.dumps(value, indent=indent, ensure_ascii=escaped).replace("\n", "\r\n").encode()
    assert canon(parse(raw, limit=10**6)) == canon(value)


@given(objects)
@example({"a": ["{[", "]]", '"\\'], "b": {"c": "9999999999999999"}})
@example({"a": "\u0344"})
def test_a_canonical_line_reads_as_its_object(value: Json) -> None:
    if not unicodedata.is_normalized("NFC", json.dumps(value, ensure_ascii=False)):
        with pytest.raises(FormatError):
            parse_line(canon(value))
    else:
        assert parse_line(canon(value)) == value


@given(objects, st.integers(0, 10**6), st.integers(0, 255))
def test_both_readers_agree_on_every_damaged_line(value: Json, place: int, byte: int) -> None:
    """``parse_line`` takes exactly the canonical forms of what ``parse`` takes."""
    line = bytearray(canon(value))
    line[place % len(line)] = byte
    try:
        parsed = parse(bytes(line), limit=10**6)
        good = isinstance(parsed, dict) and canon(parsed) == bytes(line)
    except FormatError:
        good = False
    try:
        fast = parse_line(bytes(line))
    except FormatError:
        assert not good
    else:
        assert good
        assert fast == parsed
    assert said(parse_line, bytes(line)) == said(plain_parse_line, bytes(line))


def said(read: Callable[[bytes], Json], raw: bytes) -> Json:
    try:
        return read(raw)
    except FormatError as fault:
        return str(fault)


REFUSED = {
    "nothing": (b"", "not JSON"),
    "no JSON": (b"{]", "not JSON"),
    "two values": (b"{} {}", "not JSON"),
    "a trailing comma": (b"[1,]", "not JSON"),
    "a leading zero": (b"[01]", "not JSON"),
    "a comment": (b"[1] // one", "not JSON"),
    "single quotes": (b"{'a':1}", "not JSON"),
    "UTF-16": ('{"a":1}'.encode("utf-16"), "not UTF-8 at byte 0"),
    "Latin-1": (b'{"a":"\xe9"}', "not UTF-8 at byte 6"),
    "an overlong form": (b'{"a":"\xc0\xaf"}', "not UTF-8 at byte 6"),
    "a surrogate in UTF-8": (b'{"a":"\xed\xa0\x80"}', "not UTF-8 at byte 6"),
    "a byte order mark": (b"\xef\xbb\xbf{}", "byte order mark"),
    "a duplicate member": (b'{"a":{"b":1,"c":2,"b":1}}', "a: member .b. stands there more than once"),
    "a duplicate by escape": (b'{"a":1,"\\u0061":2}', "more than once"),
    "NaN": (b'{"a":[1,NaN]}', "a 2: NaN is not JSON"),
    "Infinity": (b'{"a":Infinity}', "a: Infinity is not JSON"),
    "minus Infinity": (b'{"a":-Infinity}', "a: -Infinity is not JSON"),
    "a fraction": (b'{"count":1.5}', "count: expected an integer without fraction or exponent, found 1.5"),
    "an integer with a point": (b'{"count":1.0}', "count: expected an integer without fraction"),
    "an exponent": (b'{"count":1e2}', "count: expected an integer without fraction"),
    "an overflow": (b'{"count":1e400}', "count: expected an integer without fraction"),
    "minus zero": (b'{"count":-0}', "count: expected 0, found -0"),
    "2^53": (b"[9007199254740992]", " 1: expected an integer within"),
    "-2^53": (b"[-9007199254740992]", " 1: expected an integer within"),
    "a number of 10,000 digits": (b"[" + b"9" * 10_000 + b"]", " 1: expected an integer within"),
    "a lone high surrogate": (b'["\\ud800"]', " 1: lone surrogate U.D800"),
    "a lone low surrogate": (b'["\\udc00x"]', " 1: lone surrogate U.DC00"),
    "decomposed text": ('{"a":"e\u0301"}'.encode(), "a: text is not in Unicode normal form C"),
    "an escaped line feed": (b'["\\n"]', " 1: control character U.000A"),
    "a raw line feed": (b'["\n"]', "not JSON"),
    "null": (b"null", "null stands nowhere"),
    "null in a list": (b'{"a":[1,null]}', "a 2: null stands nowhere"),
    "a zero-width joiner": (b'{"a":"\xe2\x80\x8d"}', "a: invisible or direction character U.200D"),
    "C1 in an escape": (b'{"a":"\\u009b"}', "a: control character U.009B"),
    "a tag": ('["\U000e0067"]'.encode(), " 1: invisible or direction character U.E0067"),
    "quotation marks outside of strings": (b'\\"' * 100_000, "not JSON|too long"),
    "300 levels": (b'{"a":' * 300 + b"1" + b"}" * 300, "nested too deeply"),
    "10,000 members, the last twice": (
        b"{" + b",".join(b'"a%d":0' % number for number in range(10_000)) + b',"a9999":0}',
        "a9999. stands there more than once",
    ),
    "NUL": (b'["\\u0000"]', " 1: control character U.0000"),
    "DEL": (b'["\x7f"]', " 1: control character U.007F"),
    "a member name with a blank": (b'{"a":{"b c":1}}', "a: member name .b c. is not of"),
    "a member name that is not ASCII": ('{"é":1}'.encode(), "member name"),
    "an empty member name": (b'{"":1}', "member name"),
    "34 levels": (b"[" * 34 + b"]" * 34, "nested too deeply"),
    "a value at depth 33": (b"[" * 33 + b"1" + b"]" * 33, "nested too deeply"),
    "100,000 brackets": (b"[" * 100_000, "nested too deeply|too long"),
    "100,000 braces": (b'{"a":' * 100_000, "nested too deeply|too long"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_foreign_bytes_are_refused_with_the_place(case: str) -> None:
    raw, why = REFUSED[case]
    with pytest.raises(FormatError, match=why):
        parse(raw, limit=10**6)
    with pytest.raises(FormatError):
        parse_line(raw)
    assert said(parse_line, raw) == said(plain_parse_line, raw)


@pytest.mark.parametrize(
    "inside",
    [
        *(str(number) for number in (2**63, -(2**63) - 1, 2**64 - 1, 2**64, -(2**64), 10**25, 10**400)),
        *("1.0", "0.00001", "1e-5", "1e16", "1e+16", "1e-7", "-0.0", "0.10", "1E5", "1e400", "-0", "NaN"),
        *(f'{{"a":{"[" * deep}{"]" * deep}}}' for deep in (30, 31, 32, 33, 251, 252, 253, 254, 1100, 5000)),
        *('"\\ud800"', '"\\u0000"', '"\x7f"', '"\\/"', "null", '[null,"null"]', "\ufeff1", "tru", "[1,"),
    ],
)
def test_without_a_compiled_library_the_same_is_read_and_refused_in_the_same_words(inside: str) -> None:
    for raw in (inside.encode(), b'{"a":' + inside.encode() + b"}"):
        assert said(parse_line, raw) == said(plain_parse_line, raw)


_NAMES = b",".join(b'"a%d":0' % number for number in range(90_000))
GREAT: dict[str, Callable[[], bytes]] = {
    "quotation marks outside of strings": lambda: b'\\"' * (MAX_LINE // 2),
    "a string without an end": lambda: b'"' + b'\\"' * (MAX_LINE // 2 - 1),
    "backslashes": lambda: b'"' + b"\\" * (MAX_LINE - 2) + b'"',
    "empty strings": lambda: b'""' * (MAX_LINE // 2),
    "brackets": lambda: b"[" * MAX_LINE,
    "closing brackets": lambda: b"]" * MAX_LINE,
    "many members, the last twice": lambda: b"{" + _NAMES + b',"a89999":0}',
    "many members, no order": lambda: b'{"b":0,' + _NAMES + b"}",
    "a long name around many values": lambda: (
        b'{"' + b"n" * (MAX_LINE // 2) + b'":[' + b"0," * (MAX_LINE // 4) + b'"\x7f"]}'
    ),
    "long names side by side": lambda: (
        b'{"n":[' + (b'{"' + b"n" * 1000 + b'":"\xc3\xa9"},') * 1000 + b'{"a":null}]}'
    ),
    "digits": lambda: b"[" + b"9" * (MAX_LINE - 2) + b"]",
    "marks out of order": lambda: b'["' + ("\u0301\u0316" * (MAX_LINE // 4 - 2)).encode() + b'"]',
    "marks to be put in order": lambda: b'["\xc3\xa9' + ("\u0316" * (MAX_LINE // 4)).encode() + b'\xcc\x81"]',
    "marks to be put together": lambda: b'["a' + ("\u0300" * (MAX_LINE // 2 - 3)).encode() + b'"]',
}
"""About 1 MiB each, made when asked for; before every quotation mark was looked at once, 64 KiB of
the first took 140 seconds."""


@pytest.mark.parametrize("case", GREAT)
def test_time_grows_with_the_bytes_and_not_with_their_square(case: str) -> None:
    great = GREAT[case]()[:MAX_LINE]
    begin = process_time()
    for read in (lambda raw: parse(raw, limit=MAX_LINE), parse_line, plain_parse_line):
        with suppress(FormatError):
            read(great)
    assert process_time() - begin < 4


def test_the_size_is_looked_at_first() -> None:
    with pytest.raises(FormatError, match="at most 65536 bytes are read, found 10000000"):
        parse(b"\xff" * 10_000_000, limit=LIMIT)
    with pytest.raises(FormatError, match="at most 1048576 bytes"):
        parse_line(b"\xff" * (MAX_LINE + 1))


def test_where_is_a_json_pointer() -> None:
    with pytest.raises(FormatError) as caught:
        parse(b'{"body":{"actions":[{"do":"lay"},{"count":1.5}]}}', limit=LIMIT)
    assert caught.value.where == "/body/actions/1/count"
    assert pointer("a/b", "m~n", 3) == "/a~1b/m~0n/3"


def test_depth_is_counted_from_zero_and_brackets_in_text_do_not_count() -> None:
    deep: Json = "[" * 50
    for _ in range(32):
        deep = {"a": deep}
    assert parse(canon(deep), limit=LIMIT) == deep
    assert parse_line(canon(deep)) == deep
    empty: Json = {}
    for _ in range(32):
        empty = {"a": empty}
    assert parse(canon(empty), limit=LIMIT) == empty
    assert parse_line(canon(empty)) == empty
    for too_deep in ({"a": deep}, {"a": empty}):
        for read in (lambda raw: parse(raw, limit=LIMIT), parse_line):
            with pytest.raises(FormatError, match="nested too deeply"):
                read(canon(too_deep))


HIDDEN_DEPTH = b'{"a":["]",' * 40 + b"1" + b',"["]}' * 40


def test_brackets_in_text_do_not_hide_depth() -> None:
    with pytest.raises(FormatError, match="nested too deeply"):
        parse_line(HIDDEN_DEPTH)


@pytest.mark.parametrize(
    "line",
    [
        b'{"b":1,"a":2}',
        b'{"a": 1}',
        b'{"a":1}\n',
        b' {"a":1}',
        b'{"a":"\\u00e9"}',
        b'{"a":"\\/"}',
        b"[1]",
        b"1",
        b'{"a":1,"a":1}',
        b'{"a":9007199254740993}',
        b'{"a":"\\n"}',
        b'{"a":"\\\\\\n"}',
        b'{"a b":1}',
        b'{"a":":","b:c":1}',
        b'{"a":"\x7f"}',
        '{"a":"e\u0301"}'.encode(),
    ],
)
def test_a_line_in_another_spelling_is_refused(line: bytes) -> None:
    with pytest.raises(FormatError):
        parse_line(line)


def test_a_line_that_is_nearly_canonical_is_shown_where_it_differs() -> None:
    with pytest.raises(FormatError, match="not in canonical form: differs at byte 2"):
        parse_line(b'{"b":1,"a":2}')


@pytest.mark.parametrize(
    "value", [None, [None], {"null": None}, float("nan"), {"a": {1, 2}}, "\ud800", b"bytes"]
)
def test_what_json_cannot_hold_has_no_canonical_form(value: Json) -> None:
    for write in (canon, plain_canon):
        with pytest.raises(FormatError, match="no canonical form"):
            write(value)


def test_a_value_that_holds_itself_has_no_canonical_form() -> None:
    loop: list[Json] = []
    loop.append(loop)
    with pytest.raises(FormatError, match="no canonical form"):
        canon(loop)


@pytest.mark.parametrize("code", sorted({code for ends in RANGES for code in ends}))
def test_no_text_holds_a_character_of_the_table(code: int) -> None:
    with pytest.raises(FormatError, match=f"U.{code:04X}"):
        check_text(f"a{chr(code)}b", "/body/say")
    with pytest.raises(FormatError):
        check_name(f"a{chr(code)}b")


@pytest.mark.parametrize(
    ("pasted", "signed"),
    [
        ("\U0001f468\u200d\U0001f33e", "\U0001f468\U0001f33e"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),
        ("a\u200eb\u2060c\ufeffd\u00ade", "abcde"),
        ("one\r\ntwo\tthree\u2028four", "one two three four"),
        ("u\u0308", "\u00fc"),
        ("u\u200d\u0308", "\u00fc"),
        ("\U0001f3f4\U000e0067\U000e007f", "\U0001f3f4"),
    ],
)
def test_what_people_paste_is_signed_without_its_joiners(pasted: str, signed: str) -> None:
    assert spoken(pasted) == signed
    check_text(signed)


@pytest.mark.parametrize("pasted", ["\x1b[2J", "\x9b31m", "\ud800", "\ufffe"])
def test_controls_that_nobody_pastes_unknowingly_are_refused(pasted: str) -> None:
    assert spoken(pasted) == pasted
    with pytest.raises(FormatError):
        check_text(spoken(pasted))


def test_names_are_short_and_have_no_blank_at_their_ends() -> None:
    check_name("Zoë \U0001f920")
    check_text(" any talk ‘at all’ ")
    for name in ("", " Anna", "Anna\u00a0", "x" * 61):
        with pytest.raises(FormatError, match="expected a name"):
            check_name(name)
