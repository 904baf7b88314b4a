"""Strict JSON in two languages: the second verifier accepts the same texts as we do, with the same canonical form."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path

from pbem.base.errors import FormatError
from pbem.protocol.formats.strict_json import MAX_FILE, canon, parse, parse_line
from tests.fuzz import seeds
from tests.fuzz.edits import spliced
from tests.verifier.node import node

DEPTHS = [b"[" * depth + inner + b"]" * depth for depth in (31, 32, 33, 34) for inner in (b"", b"1", b"{}")]
OBJECTS = [
    b'{"a":' * depth + inner + b"}" * depth for depth in (31, 32, 33, 34) for inner in (b"1", b"{}", b"[]")
]
ODD = [
    *(
        b'{"":1}',
        b'{"a b":1}',
        b'{"__proto__":1}',
        b'{"constructor":{}}',
        b'{"2":1,"10":2}',
        b'{"10":2,"2":1}',
    ),
    *(
        b'{"a":1,"a":1}',
        b'{"a":1,"\\u0061":2}',
        b'{"a":"\\u0041"}',
        b'{"a":"\\/"}',
        b'{"a":"\\ud83e\\udd20"}',
    ),
    *(b'{"a":"\\ud800"}', b'{"a":"\x7f"}', b'{"a":"\\u007f"}', b'{"a":"e\xcc\x81"}', b'{"a":"\xc3\xa9"}'),
    *(
        b'{"a":-0}',
        b'{"a":1.0}',
        b'{"a":1e3}',
        b'{"a":01}',
        b'{"a":9007199254740991}',
        b'{"a":9007199254740992}',
        b'{"a":' + b"9" * 400 + b"}",
        b'{"a":-' + b"9" * 400 + b"}",
        '{"a":\u0663}'.encode(),
    ),
    *(
        b'{"a":-9007199254740991}',
        b'{"a":NaN}',
        b'{"a":null}',
        b'{"a":true}',
        b" {}",
        b"{} ",
        b"\xef\xbb\xbf{}",
    ),
    *(
        b"\xff",
        b"",
        b"1",
        b'"x"',
        b"[]",
        b"[1,]",
        b'{"a":1,}',
        b"{}{}",
        b'{"a":"\t"}',
        b'{"a":"\\t"}',
        b'{"a":"\xe2\x80\xa8"}',
    ),
]


def texts() -> list[bytes]:
    """Odd ones, seeds, and seeds with pieces replaced: the same in every run."""
    rng = random.Random(1)
    whole = [*ODD, *DEPTHS, *OBJECTS, *(seed for seed in seeds.of("json") if len(seed) < 4000)]
    changed = [spliced(rng.choice(whole), rng.randbytes(12)) for _ in range(3000)]
    small = [text for text in whole if len(text) < 120]
    return [*whole, *changed, *(spliced(rng.choice(small), odd_piece(rng)) for _ in range(5000))]


def odd_piece(rng: random.Random) -> bytes:
    """A piece of one text put into another at any place."""
    piece = rng.choice(ODD)[rng.randrange(3) :][:31]
    return bytes([0, 0, rng.randrange(40), rng.randrange(4), len(piece)]) + piece


def ours(text: bytes) -> dict[str, str | None]:
    verdicts: dict[str, str | None] = {"strict": None, "canonical": None}
    with suppress(FormatError):
        verdicts["strict"] = canon(parse(text, limit=MAX_FILE)).decode()
    with suppress(FormatError):
        verdicts["canonical"] = canon(parse_line(text)).decode()
    return verdicts


def test_both_read_the_same_texts_alike() -> None:
    given = texts()
    answers = node(Path(__file__).parent / "both.mjs", stdin="".join(f"x{text.hex()}\n" for text in given))
    theirs = [json.loads(line) for line in answers.removesuffix("\n").split("\n")]
    assert len(theirs) == len(given)
    accepted = 0
    for text, js in zip(given, theirs, strict=True):
        if js["canonical"] is not None and not js["canonical"].startswith("{"):
            js["canonical"] = None  # a line is an object; there that is seen by its members
        assert ours(text) == js, text
        accepted += js["strict"] is not None
    assert accepted > 150
