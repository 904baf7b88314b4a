"""What a fuzzer starts from: public vectors, golden files, emails, and blocks of text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

from pbem.base.errors import FormatError
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.crypto.identity import to_paper
from pbem.protocol.formats.armour import armour
from pbem.protocol.formats.identity_file import write_identity
from pbem.protocol.formats.strict_json import canon
from tests.fuzz import edits
from tests.fuzz.targets import OWNER

HERE = Path(__file__).parent
VECTORS = HERE.parent / "vectors"


def vectors(*names: str) -> Iterator[bytes]:
    """Texts in the public vectors."""
    for name in names:
        for case in json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))["cases"]:
            for value in case["in"].values():
                if isinstance(value, str):
                    yield value.encode()
                    try:
                        yield unb64(value)
                    except FormatError:
                        continue
                else:
                    yield json.dumps(value).encode()


def lines() -> list[bytes]:
    """Some records of real matches."""
    return [line for world in edits.MATCHES for line in world().lines[::4]]


def mails() -> Iterator[bytes]:
    """Emails with a turn in each form in which one may come."""
    file = edits.MATCHES[0]().files[-1]
    for content in (
        canon(file).decode(),
        json.dumps(file, indent=1),
        armour(file),
        "STATUS",
        "<p>" + armour(file),
    ):
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = "anna@players.test", "games@pbem.test", "my turn"
        message.set_content(content, subtype="html" if content.startswith("<") else "plain")
        yield message.as_bytes(policy=SMTP)
        message.add_attachment(canon(file), maintype="application", subtype="json", filename="turn.json")
        yield message.as_bytes(policy=SMTP)


def edited() -> Iterator[bytes]:
    """Changes of a few bytes."""
    for first in range(3):
        for how in range(8):
            yield bytes([first, how, 8, 0, 30 * how, 17, how, 3, 1, 9, 2, 0, 5, 1])


def of(target: str) -> list[bytes]:
    """The seeds of a target."""
    match target:
        case "json" | "line" | "actions" | "message":
            turns = [canon(file) for world in edits.MATCHES for file in world().files]
            return [*vectors("json", "turn"), *turns, b'{"do":"draw","from":"supply"}', b'{"rules":[]}']
        case "armour" | "armour-damaged" | "paper":
            return [*vectors("armour", "identity"), to_paper(OWNER).encode(), *edited()]
        case "content" | "intake":
            return [*mails(), *vectors("armour")]
        case "game":
            return [b"\n".join(world().lines[:3]) for world in edits.MATCHES] + lines()[:4]
        case "identity":
            return [write_identity(OWNER, "Anna", "Wyatt", bytes(16), log_n=4), *vectors("identity")]
        case "envelope":
            return [
                bytes([kind]) + text
                for kind in range(6)
                for text in (b'{"text":"hi"}', b'{"actions":[],"salt":""}')
            ]
        case _:
            return list(edited())
