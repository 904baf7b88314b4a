"""Strict JSON said a second time, slowly, from schemas/README.md 1.1 and with the standard library alone."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from pbem.protocol.formats.unicode import nfc

_ASSIGNED = json.loads((Path(__file__).parents[2] / "schemas" / "unicode.json").read_bytes())["assigned"]

_TABLE = re.compile(
    "0000[01].|00007F|0000[89].|0000AD|00034F|00061C|00115F|001160|0017B[45]|00180[B-F]|00200[B-F]|00202[89A-E]|00206."
    "|003164|00D[89A-F]..|00FEFF|00FFA0|00FFF[0-9AB]|..FFF[EF]|01BCA[0-3]|01D17[3-9A]|0E0..."
)
MOST = 2**53 - 1
DEEPEST = 32


class Refused(Exception):
    """The text is not of the restricted form."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) != len(pairs):
        raise Refused("a member twice")
    return dict(pairs)


def _float(text: str) -> Any:
    raise Refused(f"a float: {text}")


def _int(text: str) -> int:
    if text == "-0" or len(text) > 20:
        raise Refused(text)
    return int(text)


def value_of(raw: bytes) -> Any:
    """The value that these bytes mean; ``Refused`` if the restricted form does not allow them."""
    try:
        text = raw.decode("utf-8")
        value = json.loads(
            text, object_pairs_hook=_pairs, parse_float=_float, parse_constant=_float, parse_int=_int
        )
    except (ValueError, RecursionError) as fault:
        raise Refused(str(fault)) from None
    _check(value, 0)
    return value


def _check(value: Any, depth: int) -> None:
    if depth > DEEPEST:
        raise Refused("depth")
    if isinstance(value, str):
        _check_text(value)
    elif value is None:
        raise Refused("null")
    elif isinstance(value, bool):
        return
    elif isinstance(value, int):
        if abs(value) > MOST:
            raise Refused("a great number")
    elif isinstance(value, list):
        for item in value:
            _check(item, depth + 1)
    else:
        for name, member in value.items():
            if re.fullmatch(r"[A-Za-z0-9_-]+", name) is None:
                raise Refused("a name")
            _check(member, depth + 1)


def _check_text(text: str) -> None:
    if any(_TABLE.fullmatch(f"{ord(char):06X}") for char in text):
        raise Refused("a character")
    if not all(any(first <= ord(char) <= last for first, last in _ASSIGNED) for char in set(text)):
        raise Refused("a character that is not assigned")
    known = all(
        unicodedata.category(char) != "Cn" for char in text
    )  # what this Python's library does not know, ours says
    if (unicodedata.normalize("NFC", text) if known else nfc(text)) != text:
        raise Refused("not NFC")


def line_of(value: Any) -> bytes:
    """The canonical bytes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
