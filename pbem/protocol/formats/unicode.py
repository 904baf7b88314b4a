"""Text that every reader judges alike: one pinned release of Unicode, as data (schemas/README.md §1.1).

Which code points are assigned, and what normal form C is, changes with every release of a language's library: a word
that one reader calls well formed another one would refuse, and the match would have two verdicts. So neither the
library of Python nor that of any other language decides it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from pbem.base.resources import data_dir
from pbem.base.values import dataclass

_PLAIN: Final = re.compile("[^\x00-\u02ff]")
"""Below U+0300 everything is assigned, starts a new combination and is its own normal form."""
_S, _L, _V, _T = 0xAC00, 0x1100, 0x1161, 0x11A7
"""Hangul: the first syllable, leading consonant, vowel, and the place before the first trailing consonant."""
_VOWELS, _TRAILING = 21, 28
_SYLLABLES: Final = 19 * _VOWELS * _TRAILING


@dataclass(frozen=True, slots=True)
class _Table:
    release: str
    unassigned: re.Pattern[str]
    combining: Mapping[int, int]
    decomposition: Mapping[int, tuple[int, ...]]
    composition: Mapping[tuple[int, int], int]


@cache
def _table() -> _Table:
    read = json.loads((data_dir("schemas") / "unicode.json").read_bytes())
    assigned = "".join(
        f"{chr(max(first, 0x300))}-{chr(last)}" for first, last in read["assigned"] if last > 0x2FF
    )
    parts = {code: tuple(rest) for code, *rest in read["decomposition"]}
    excluded = set(read["excluded"])
    return _Table(
        read["unicode"],
        re.compile(f"[^\x00-\u02ff{assigned}]"),
        {code: value for first, last, value in read["combining"] for code in range(first, last + 1)},
        parts,
        {(rest[0], rest[1]): code for code, rest in parts.items() if len(rest) == 2 and code not in excluded},
    )


def release() -> str:
    """The release of Unicode that signed text is held to, for example ``15.1.0``."""
    return _table().release


def unassigned(text: str) -> str:
    """The first character of ``text`` that the release has not assigned, or that is private; empty if none is."""
    if not _PLAIN.search(text):
        return ""
    match = _table().unassigned.search(text)
    return match[0] if match else ""


def nfc(text: str) -> str:
    """Unicode's normal form C of ``text``, by the pinned release (Unicode Standard Annex 15)."""
    if not _PLAIN.search(text):
        return text
    table = _table()
    codes = list(_ordered(table, [part for character in text for part in _parts(table, ord(character))]))
    return "".join(map(chr, _composed(table, codes)))


def _parts(table: _Table, code: int) -> Iterator[int]:
    """The full canonical decomposition of one character."""
    if 0 <= code - _S < _SYLLABLES:
        index = code - _S
        yield _L + index // (_VOWELS * _TRAILING)
        yield _V + index % (_VOWELS * _TRAILING) // _TRAILING
        if index % _TRAILING:
            yield _T + index % _TRAILING
        return
    decomposed = table.decomposition.get(code)
    if decomposed is None:
        yield code
        return
    for part in decomposed:
        yield from _parts(table, part)


def _ordered(table: _Table, codes: list[int]) -> Iterator[int]:
    """The same characters, marks behind each base in the order of their classes."""
    marks: list[int] = []
    for code in codes:
        if table.combining.get(code, 0):
            marks.append(code)
            continue
        yield from sorted(marks, key=lambda mark: table.combining[mark])
        marks.clear()
        yield code
    yield from sorted(marks, key=lambda mark: table.combining[mark])


def _composed(table: _Table, codes: list[int]) -> list[int]:
    composed: list[int] = []
    base, before = -1, 0
    for code in codes:
        level = table.combining.get(code, 0)
        if base >= 0 and (before < level or (before == 0 and base == len(composed) - 1)):
            whole = _pair(table, composed[base], code)
            if whole is not None:
                composed[base] = whole
                continue
        if level == 0:
            base = len(composed)
        before = level
        composed.append(code)
    return composed


def _pair(table: _Table, first: int, second: int) -> int | None:
    if 0 <= first - _L < 19 and 0 <= second - _V < _VOWELS:
        return _S + ((first - _L) * _VOWELS + second - _V) * _TRAILING
    if 0 <= first - _S < _SYLLABLES and (first - _S) % _TRAILING == 0 and 0 < second - _T < _TRAILING:
        return first + second - _T
    return table.composition.get((first, second))
