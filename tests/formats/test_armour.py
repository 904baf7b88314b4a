"""Text armour (``schemas/README.md`` §13) under everything that mail programs were seen to do to text."""

from __future__ import annotations

import html
import json
import re
import textwrap
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.base.errors import FormatError
from pbem.game import JsonObject
from pbem.player.mail.intake import undo_html
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import sha
from pbem.protocol.formats.armour import MAX_BLOCKS, MAX_TEXT, armour, scan
from pbem.protocol.formats.strict_json import canon

FILE: JsonObject = {
    "body": {
        "actions": [{"do": "lay", "outlaw": "jesse-james", "count": 3}],
        "n": 3,
        "say": "Reach for the sky, Zoë",
    },
    "sig": {"key": "7xPaVb0eq3ZkHy2s", "value": "Kp1dHy2sc0Wm" * 7},
}
LETTER = f"Howdy,\nhere is my turn.\n\n{armour(FILE)}\n-- \nAnna\n"


def find_blocks(text: str) -> list[bytes]:
    """Every block, none of which may be damaged."""
    scanned = scan(text)
    if scanned.damages:
        raise scanned.damages[0]
    return list(scanned.blocks)


def every_line(text: str, change: Callable[[str], str]) -> str:
    return "".join(change(line) for line in text.splitlines(keepends=True))


def wrapped(text: str, width: int) -> str:
    return "\n".join(textwrap.fill(line, width) for line in text.splitlines())


def paragraphs(text: str) -> str:
    rows = "".join(
        f'<p class="MsoNormal"><span>{html.escape(line)}&nbsp;</span></p>' for line in text.splitlines()
    )
    return f"<html><head><style>p {{ margin: 0 }}</style></head><body>{rows}</body></html>"


MANGLED = {
    "format=flowed": every_line(LETTER, lambda line: line.rstrip("\n") + " \n"),
    "hard wrap": wrapped(LETTER, 37),
    "smart quotes": LETTER.replace("'", "’").replace('"', "“") + "“so it goes”",
    "quoting": every_line(LETTER, lambda line: "> " + line),
    "quoting and wrapping": every_line(wrapped(LETTER, 50), lambda line: ">> " + line),
    "no-break spaces": LETTER.replace(" ", "\u00a0"),
    "HTML only": undo_html(paragraphs(LETTER)),
    "HTML wrapped again": undo_html(
        re.sub(r"([0-9A-Z]{4})(?=[0-9A-Z ])", r"\1\n&#32;<wbr>", paragraphs(LETTER))
    ),
    "blank lines": LETTER.replace("\n", "\n\n"),
    "stripped lines": "\n".join(line.strip() for line in LETTER.splitlines()),
    "lines joined": LETTER.replace("\n", " "),
    "zero-width characters": LETTER.replace("1", "1\u200b").replace("A", "\ufeffA\u00ad"),
    "lower case": LETTER.lower(),
    "capitals at line starts": every_line(LETTER.lower(), lambda line: line[:1].upper() + line[1:]),
    "latin-1": LETTER.encode("latin-1", "replace").decode("latin-1"),
    "a quote after it": LETTER + "\nOn Monday Burt wrote:\n> it is your turn\n",
    "CRLF": LETTER.replace("\n", "\r\n"),
    "typed by hand": LETTER.replace("0", "o").replace("1", "l"),
    "hyphenated": LETTER.replace(" ", " - "),
    "bold markers": LETTER.replace("PBEM1BEGIN", "**PBEM1BEGIN**").replace("PBEM1END", "_PBEM1END_"),
}


@pytest.mark.parametrize("damage", MANGLED)
def test_a_block_survives(damage: str) -> None:
    assert find_blocks(MANGLED[damage]) == [canon(FILE)]


def test_a_block_is_groups_of_ten_between_markers() -> None:
    lines = armour(FILE).splitlines()
    assert (lines[0], lines[-1]) == ("PBEM1BEGIN", "PBEM1END")
    code = " ".join(lines[1:-1]).split()
    assert all(len(group) == 10 for group in code[:-1])
    assert max(map(len, lines)) <= 65
    data = base32.decode("".join(code))
    assert sha(data[:-4])[:4] == data[-4:]
    assert zlib.decompress(data[:-4]) == canon(FILE)


@given(st.dictionaries(st.text("abc", min_size=1), st.text("abc é\u2019", max_size=300), max_size=4))
def test_any_file_comes_back(file: JsonObject) -> None:
    assert find_blocks(armour(file)) == [canon(file)]


def block(packed: bytes) -> str:
    return "PBEM1BEGIN " + base32.encode(packed + sha(packed)[:4]) + " PBEM1END"


ARMOURED = armour(FILE)
CODE = "".join(ARMOURED.split()[1:-1])
BOMB = zlib.compress(b"[" * 10_000_000)
DAMAGED = {
    "a changed character": (ARMOURED.replace(CODE[25], "2" if CODE[25] != "2" else "3", 3), "checksum"),
    "a lost line": (ARMOURED.replace(ARMOURED.splitlines()[2] + "\n", ""), "damaged"),
    "quoting with letters": (every_line(ARMOURED, lambda line: "AS> " + line), "quoting"),
    "numbered lines": (every_line(ARMOURED, lambda line: "12: " + line), "damaged"),
    "a letter of no alphabet of ours": (ARMOURED.replace(CODE[:10], CODE[:9] + "U"), "'U'"),
    "a letter with an accent": (ARMOURED.replace(CODE[:10], CODE[:9] + "é"), "'é'"),
    "a letter that upper-cases to another": (ARMOURED.replace(CODE[:10], CODE[:9] + "ſ"), "'ſ'"),
    "no end": (ARMOURED.replace("PBEM1END", ""), "cut off: PBEM1BEGIN without PBEM1END"),
    "no beginning": (ARMOURED.replace("PBEM1BEGIN", ""), "cut off: PBEM1END without"),
    "nothing inside": ("PBEM1BEGIN PBEM1END", "damaged"),
    "too much inside": ("PBEM1BEGIN " + "0" * 200_000 + " PBEM1END", "too long"),
    "a bomb": (block(BOMB), "more than 65536 bytes"),
    "not zlib": (block(b"hello world"), "does not unpack"),
    "half of zlib": (block(zlib.compress(canon(FILE))[:-6]), "missing or left over"),
    "something after zlib": (block(zlib.compress(canon(FILE)) + b"x"), "missing or left over"),
    "JSON in another spelling": (block(zlib.compress(json.dumps(FILE, indent=1).encode())), "canonical"),
    "no JSON": (block(zlib.compress(b"hello")), "not JSON"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_damaged_block_is_refused_with_what_happened(case: str) -> None:
    text, why = DAMAGED[case]
    with pytest.raises(FormatError, match=why):
        find_blocks(text)
    assert scan(text).blocks == ()
    assert len(scan(text).damages) >= 1


@given(st.data())
def test_one_other_character_is_always_noticed(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(CODE) - 1))
    other = data.draw(st.sampled_from(base32.ALPHABET).filter(lambda character: character != CODE[place]))
    with pytest.raises(FormatError):
        find_blocks(f"PBEM1BEGIN {CODE[:place]}{other}{CODE[place + 1 :]} PBEM1END")


def test_text_without_a_block_holds_none() -> None:
    assert find_blocks("Sorry, no turn today. PBEM 1 maybe tomorrow.") == []
    assert find_blocks("") == []


def test_several_blocks_are_found_in_order_and_a_repeated_one_once() -> None:
    other = FILE | {"body": {"n": 4}}
    text = armour(other) + LETTER + every_line(armour(other), lambda line: "> " + line)
    assert find_blocks(text) == [canon(other), canon(FILE)]


def test_a_damaged_quotation_does_not_hide_the_new_block_from_scan() -> None:
    text = LETTER + every_line(ARMOURED, lambda line: "AS> " + line)
    scanned = scan(text)
    assert scanned.blocks == (canon(FILE),)
    assert len(scanned.damages) == 1
    with pytest.raises(FormatError, match="quoting"):
        find_blocks(text)


def test_endless_text_and_endless_blocks_are_refused() -> None:
    with pytest.raises(FormatError, match="too long"):
        find_blocks("x" * (MAX_TEXT + 1))
    with pytest.raises(FormatError, match="at most 32 text blocks"):
        find_blocks("PBEM1BEGIN " * (MAX_BLOCKS + 1))


def test_hostile_markup_is_undone_in_linear_time() -> None:
    """The standard parser takes minutes for some of these; here a size that would never end if it were not linear."""
    for bad in ("<", "<!--", "<a b='", "&#", "</", "<![CDATA["):
        assert isinstance(undo_html(bad * 200_000), str)
