"""Makes ``schemas/unicode.json`` from the standard library of a Python that has the pinned release of Unicode.

``python3.13 tests/formats/unicode_table.py`` writes it; another Python, with another release, refuses.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

RELEASE = "15.1.0"
PLACE = Path(__file__).resolve().parents[2] / "schemas" / "unicode.json"
SYLLABLES = range(0xAC00, 0xD7A4)
"""Hangul syllables come from and go into their parts by arithmetic (Unicode, chapter 3.12)."""


def runs(values: Iterator[tuple[int, int]]) -> Iterator[list[int]]:
    """First and last code point, and the value, of each run of one value; value 0 is left out."""
    first, last, value = 0, -1, 0
    for code, now in values:
        if now == value and code == last + 1:
            last = code
            continue
        if value:
            yield [first, last, value]
        first, last, value = code, code, now
    if value:
        yield [first, last, value]


def table() -> dict[str, object]:
    """What a reader needs: which code points are assigned, and normal form C."""
    codes = range(sys.maxunicode + 1)
    known = ((code, int(unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs"))) for code in codes)
    combining = ((code, unicodedata.combining(chr(code))) for code in codes)
    parts: list[list[int]] = []
    excluded: list[int] = []
    for code in codes:
        decomposition = unicodedata.decomposition(chr(code))
        if not decomposition or decomposition.startswith("<") or code in SYLLABLES:
            continue
        parts.append([code, *(int(part, 16) for part in decomposition.split())])
        if len(parts[-1]) == 3 and unicodedata.normalize("NFC", chr(code)) != chr(code):
            excluded.append(code)
    return {
        "about": "which code points signed text may hold, and Unicode's normal form C; schemas/README.md section 1.1",
        "unicode": RELEASE,
        "assigned": [[first, last] for first, last, _ in runs(known)],
        "combining": list(runs(combining)),
        "decomposition": parts,
        "excluded": excluded,
    }


def main() -> None:
    """Write it."""
    if unicodedata.unidata_version != RELEASE:
        sys.exit(f"this Python has Unicode {unicodedata.unidata_version}, not {RELEASE}")
    text = table()
    lines = [
        f" {json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in text.items()
    ]
    PLACE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
