"""One text for all readers: every Python, and JavaScript, say the same of it (schemas/README.md §1.1).

``python -m tests.formats.test_unicode [NormalizationTest.txt…]`` judges the whole corpus with every reader, and the
strings of a release's own test data where it is given; the test command takes a hundredth of the corpus, and that of
the page's Python in ``tests.pyodide``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from pathlib import Path

import pytest

from pbem.base.errors import FormatError
from pbem.protocol.formats.strict_json import check_text, spoken
from pbem.protocol.formats.unicode import nfc, release, unassigned
from tests.pyodide.page import Page, node_or_skip
from tests.release.parts import pythons

ROOT = Path(__file__).resolve().parents[2]
TABLE = json.loads((ROOT / "schemas" / "unicode.json").read_bytes())
EVERY = 100
DIVIDED = "b\u0301\U00010efd"
"""Well formed for a Python with Unicode 14, and not for one with 15: here everybody refuses or takes it alike."""


def corpus() -> list[str]:
    """At least 20,000 strings that a reader could judge otherwise than another."""
    strings = dict.fromkeys(_strings())
    return list(strings)


def _strings() -> Iterator[str]:
    yield DIVIDED
    # What normalisation is tested with: a character, its parts, in a word.
    for code, *parts in TABLE["decomposition"]:
        whole, apart = chr(code), "".join(map(chr, parts))
        yield from (whole, apart, f"a{whole}\u0301", f"{apart}\u0323", f"\u1100{whole}", nfc(whole))
    for first, last in TABLE["assigned"]:  # where later releases put new characters
        yield from (
            chr(code) for code in (first - 1, first, last, last + 1, last + 2) if 0 <= code <= sys.maxunicode
        )
        if last + 1 <= sys.maxunicode:
            yield f"e\u0301{chr(last + 1)}"
    for plane in range(0x11):
        yield from (
            chr(plane << 16 | end)
            for end in (0, 1, 0xFFFD, 0xFFFE, 0xFFFF)
            if not 0xD800 <= (plane << 16 | end) < 0xE000
        )
    by_class: dict[int, int] = {}
    for first, _, value in TABLE["combining"]:
        by_class.setdefault(value, first)
    marks = [chr(code) for code in by_class.values()]
    for base, (left, two) in product("ae\u00e4\u05d0\u0915\uac00", permutations(marks, 2)):
        yield f"{base}{left}{two}"
    for first, last, _ in TABLE[
        "combining"
    ]:  # every mark among others, as the release's own test data has them
        for code in range(first, last + 1):
            yield from (f"a\u0315\u0300\u05ae{chr(code)}b", f"a{chr(code)}\u0315\u0300\u05aeb")
    for three in permutations(marks[:8], 3):
        yield "o" + "".join(three)
    for lead, vowel, trail in product(
        (0x1100, 0x1107, 0x1112, 0x1113), (0x1161, 0x1175, 0x1176), (0x11A7, 0x11A8, 0x11C2, 0x11C3)
    ):
        yield from (chr(lead) + chr(vowel), chr(lead) + chr(vowel) + chr(trail))
    for syllable in (0xAC00, 0xAC01, 0xD788, 0xD7A3, 0xD7A4):
        yield from (chr(syllable), chr(syllable) + "\u11a8", chr(syllable) + "\u1161")


def judged(command: Sequence[str], strings: list[str]) -> list[int]:
    """What a program says of each string."""
    done = subprocess.run(command, input=json.dumps(strings), capture_output=True, text=True, check=True)
    return [int(line) for line in done.stdout.split()]


def ours(text: str) -> int:
    try:
        check_text(text)
    except FormatError:
        return 0
    return 1


def compare(strings: list[str]) -> dict[str, list[int]]:
    """Every reader's verdicts, by its name."""
    members = {"this Python": [ours(text) for text in strings]}
    for name, path in pythons().items():
        if path is not None:
            members[name] = judged([path, "-m", "tests.formats.unicode_verdicts"], strings)
    if node := shutil.which("node"):
        members["node"] = judged([node, str(ROOT / "tests/verifier/text.mjs")], strings)
    return members


def test_every_reader_says_the_same_of_every_string() -> None:
    strings = corpus()
    assert len(strings) >= 20_000
    some = strings[::EVERY]
    verdicts = compare(some)
    assert len(verdicts) >= 2
    for name, said in verdicts.items():
        assert said == verdicts["this Python"], name
    assert 20 < sum(verdicts["this Python"]) < len(some) - 20


def test_our_normal_form_is_the_librarys_where_that_knows_every_character() -> None:
    known = [
        text
        for text in corpus()
        if all(unicodedata.category(character) != "Cn" for character in text) and not unassigned(text)
    ]
    assert len(known) > 10_000
    assert [text for text in known if nfc(text) != unicodedata.normalize("NFC", text)] == []


def test_the_word_that_divided_two_honest_readers_divides_none() -> None:
    verdicts = compare([DIVIDED])
    assert len({tuple(said) for said in verdicts.values()}) == 1


def test_a_character_of_a_later_release_is_named_before_anything_is_signed() -> None:
    with pytest.raises(FormatError, match=rf"U\+1FAE9 is not part of Unicode {release()}"):
        check_text(spoken("well \U0001fae9"))
    with pytest.raises(FormatError, match=r"U\+E000 is not part"):
        check_text("\ue000")
    check_text(spoken("cafe\u0301 \U0001f920"))


def rows_of(path: Path) -> list[tuple[str, ...]]:
    """The five columns of a ``NormalizationTest.txt`` (Unicode Standard Annex 15), line by line."""
    lines = (line.partition("#")[0] for line in path.read_text("utf-8").splitlines())
    return [
        tuple("".join(chr(int(code, 16)) for code in column.split()) for column in line.split(";")[:5])
        for line in lines
        if ";" in line
    ]


def check_rows(rows: list[tuple[str, ...]]) -> int:
    """Rows whose characters the pinned release has; each must have the composed form that the data says.

    Raises:
        AssertionError: a row for which our form is another.
    """
    known = [row for row in rows if not any(unassigned(text) for text in row)]
    for source, composed, decomposed, compatible, taken_apart in known:
        assert {nfc(source), nfc(composed), nfc(decomposed)} == {composed}, ascii(source)
        assert {nfc(compatible), nfc(taken_apart)} == {compatible}, ascii(compatible)
    return len(known)


def test_rows_of_the_releases_own_form_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "NormalizationTest.txt"
    row = "1E0A;1E0A;0044 0307;1E0A;0044 0307; # D\u0307\n"
    path.write_text(f"# a note\n@Part0 # some\n{row}", "utf-8")
    assert check_rows(rows_of(path)) == 1
    path.write_text(row.replace("1E0A;1E0A;", "1E0A;1E0B;"), "utf-8")
    with pytest.raises(AssertionError):
        check_rows(rows_of(path))


def main(files: Sequence[str]) -> None:
    """The whole corpus; which readers were there, and which were not."""
    strings = corpus()
    for name in files:
        rows = rows_of(Path(name))
        print(f"{name}: {len(rows)} rows, {check_rows(rows)} of characters of {release()}, all as they say")
        strings = list(dict.fromkeys([*strings, *(text for row in rows for text in row)]))
    verdicts = compare(strings)
    page = Page(node_or_skip())
    verdicts[f"the page's Python (Pyodide {page.version})"] = page.ask("texts", strings)
    page.close()
    for name, path in pythons().items():
        if path is None:
            print(f"{name}: not here, not tried")
    for name, said in verdicts.items():
        apart = sum(first != other for first, other in zip(said, verdicts["this Python"], strict=True))
        print(
            f"{name}: {len(said)} strings, {sum(said)} allowed, {apart} judged otherwise than by this Python"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
