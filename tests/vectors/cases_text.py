"""Cases of strict JSON, text armour and identities."""

from __future__ import annotations

import json
import unicodedata
import zlib

from pbem.game import JsonObject
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import b64, sha
from pbem.protocol.crypto.identity import recovery_to_paper, to_paper
from pbem.protocol.formats.armour import armour
from pbem.protocol.formats.identity_file import write_identity
from pbem.protocol.formats.strict_json import RANGES, canon, forbidden
from pbem.protocol.formats.unicode import unassigned
from tests.vectors.cases_files import turn_text
from tests.vectors.fixed import ANNA, HOST, SALT, Cases, bad, good, secret


def strict_json() -> Cases:
    texts = {
        "members are sorted, blanks go": ' {"b" : 1,\n "a":[true,false,"x"]} ',
        "text in normal form C stays as it is": '{"name":"J\u00fcrg \u4e2d \U0001f920"}',
        "escapes are undone where they need not be": '{"a":"\\u0041\\/"}',
        "quotation marks and backslashes stay escaped": '{"a":"\\"\\\\"}',
        "the largest integers": '{"a":9007199254740991,"b":-9007199254740991,"c":0}',
        "32 levels": "[" * 33 + "]" * 33,
        "a number on level 32": "[" * 32 + "1" + "]" * 32,
    }
    wrong = {
        "a member twice": '{"a":1,"a":2}',
        "a member twice, once in escapes": '{"a":1,"\\u0061":2}',
        "a fraction": '{"a":1.5}',
        "1.0": '{"a":1.0}',
        "an exponent": '{"a":1e3}',
        "minus zero": '{"a":-0}',
        "an integer too big": '{"a":9007199254740992}',
        "a leading zero": '{"a":01}',
        "NaN": '{"a":NaN}',
        "a lone surrogate": '{"a":"\\ud800"}',
        "a control character in escapes": '{"a":"\\u0000"}',
        "delete": '{"a":"\u007f"}',
        "not in normal form C": '{"a":"u\u0308"}',
        "a foreign character in a name": '{"\u00e4":1}',
        "an empty name": '{"":1}',
        "33 levels": "[" * 34 + "]" * 34,
        "a number on level 33": "[" * 33 + "1" + "]" * 33,
        "nothing": "",
        "something behind it": "{} {}",
        "a comma too many": '{"a":1,}',
    }
    for code in _beside():
        (wrong if unassigned(chr(code)) else texts)[f"U+{code:04X} in a text"] = json.dumps({"a": chr(code)})
    wrong["a character of a later Unicode"] = json.dumps({"a": "\U0001fae9"})
    wrong["a private character"] = json.dumps({"a": "\ue000"})
    wrong |= {f"U+{code:04X} in a text": json.dumps({"a": chr(code)}) for code in _edges()}
    texts |= {
        "an emoji with its variation selector": '{"a":"\u2764\ufe0f"}',
        "a fixed blank": '{"a":"4.000\u00a0$"}',
        "the word null": '{"a":"null"}',
    }
    wrong |= {
        "null": "null",
        "null in an object": '{"a":null}',
        "null in a list": '{"a":[1,null]}',
        "an emoji that is glued together": '{"a":"\U0001f468\u200d\U0001f33e"}',
        "300 levels": '{"a":' * 300 + "1" + "}" * 300,
        "quotation marks outside of strings": '\\"' * 20_000,
    }
    lines = {
        "not sorted": '{"b":1,"a":2}',
        "blanks": '{"a": 1}',
        "null": '{"a":null}',
        "a control character of a terminal": '{"a":"\u009b"}',
        "300 levels": '{"a":' * 300 + "1" + "}" * 300,
        "an escape that need not be": '{"a":"\\u0041"}',
    }
    cases = [good(name, "canonical", {"text": text}) for name, text in texts.items()]
    cases += [bad(name, "canonical", {"text": text}, "malformed") for name, text in wrong.items()]
    cases.append(good("a canonical line", "line", {"line": '{"a":2,"b":[1,"x"]}'}))
    cases += [bad(f"a line: {name}", "line", {"line": text}, "malformed") for name, text in lines.items()]
    return (
        "README section 1: strict JSON in any layout to its canonical form; lines that are canonical or refused",
        cases,
    )


def _edges() -> list[int]:
    """The first and the last of each range that no string holds; a lone surrogate can be written as an escape only."""
    return sorted({code for first, last in RANGES for code in (first, last)})


def _beside() -> list[int]:
    """What stands beside those ranges, as far as it is a character in normal form C."""
    beside = {code for first, last in RANGES for code in (first - 1, last + 1) if 0 <= code <= 0x10FFFF}
    return sorted(
        code for code in beside if not forbidden(chr(code)) and unicodedata.is_normalized("NFC", chr(code))
    )


def armours() -> Cases:
    file: JsonObject = json.loads(turn_text())
    block = armour(file)
    lines = block.splitlines()
    quoted = "On Monday Anna wrote:\n" + "".join(f"> {line}\n" for line in lines) + "> Cheers\n"
    typed = block.lower().replace("0", "o").replace("1", "l")
    wrapped = "\n".join(block.replace(" ", "")[i : i + 61] for i in range(0, len(block.replace(" ", "")), 61))
    named = lines[0] + "\n" + "\n".join(f"anna {line}" for line in lines[1:-1]) + "\n" + lines[-1]
    raw = canon({"a": "x" * 70_000})

    def pack(data: bytes) -> str:
        return "PBEM1BEGIN\n" + base32.encode(data + sha(data)[:4]) + "\nPBEM1END\n"

    return "README section 13: a signed file as a block of text, and what mail does to it", [
        good("a block", "armour", {"text": block}),
        good("quoted, with words around it", "armour", {"text": quoted}),
        good("lower case, O for 0 and l for 1", "armour", {"text": typed}),
        good("wrapped elsewhere", "armour", {"text": wrapped}),
        good("the same block twice", "armour", {"text": block + quoted}),
        good("no block", "armour", {"text": "Howdy"}),
        good("packed without compression", "armour", {"text": pack(zlib.compress(canon(file), 0))}),
        bad(
            "a character changed",
            "armour",
            {"text": lines[0] + "\n" + _other(lines[1]) + "\n" + "\n".join(lines[2:])},
            "damaged",
        ),
        bad("a line left out", "armour", {"text": "\n".join(lines[:2] + lines[3:])}, "damaged"),
        bad("cut off before the end", "armour", {"text": "\n".join(lines[:-1])}, "damaged"),
        bad("a name before each line", "armour", {"text": named}, "damaged"),
        bad(
            "a letter that is in no code",
            "armour",
            {"text": lines[0] + "\nU" + "\n".join(lines[1:])},
            "damaged",
        ),
        bad("more than 64 KiB inside", "armour", {"text": pack(zlib.compress(raw))}, "damaged"),
        bad(
            "something behind the zlib stream",
            "armour",
            {"text": pack(zlib.compress(canon(file)) + b"x")},
            "damaged",
        ),
        bad("not canonical inside", "armour", {"text": pack(zlib.compress(b'{"a": 1}'))}, "damaged"),
    ]


def _other(line: str) -> str:
    return ("2" if line[5] != "2" else "3").join((line[:5], line[6:]))


def identities() -> Cases:
    text = write_identity(ANNA, "Anna", "\ufb01ve horses", SALT, log_n=4).decode()
    file: JsonObject = {"text": text, "passphrase": "\ufb01ve horses"}
    loose: JsonObject = {
        "what": "identity",
        "text": to_paper(ANNA).lower().replace(" ", "-").replace("0", "o"),
    }
    typo = "".join(_other(to_paper(ANNA)))
    recovery = recovery_to_paper(secret("on paper"))
    return "README section 12: keys of a secret, its paper, its file (with little work: log_n 4)", [
        good("a player", "identity", {"secret": b64(ANNA.secret)}),
        good("a host", "identity", {"secret": b64(HOST.secret)}),
        good("the paper", "paper", {"what": "identity", "text": to_paper(ANNA)}),
        good("the paper, typed carelessly", "paper", loose),
        good("the paper of a recovery key", "paper", {"what": "recovery", "text": recovery}),
        bad("a misread character", "paper", loose, "paper", text=typo),
        bad("a group left out", "paper", loose, "paper", text=to_paper(ANNA)[5:]),
        bad("the paper of another kind of key", "paper", loose, "paper", text=recovery),
        good("the file", "identity file", file),
        good(
            "a passphrase that means the same (NFKC)", "identity file", {**file, "passphrase": "five horses"}
        ),
        bad("another passphrase", "identity file", {**file, "passphrase": "four horses"}, "passphrase"),
        bad(
            "another name in the header",
            "identity file",
            file,
            "passphrase",
            text=text.replace("Anna", "Anne"),
        ),
        bad(
            "too much work",
            "identity file",
            file,
            "malformed",
            text=text.replace('"log_n": 4', '"log_n": 30'),
        ),
    ]
