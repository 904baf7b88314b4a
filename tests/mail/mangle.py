"""Sixteen kinds of damage that mail programs do to a text, as simulated from their known habits."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of damage; ``html`` if the mail has no plain text any more."""

    name: str
    change: Callable[[str], str]
    html: bool = False
    charset: str = "utf-8"


def _wrapped(text: str, width: int, end: str = "\n") -> str:
    return "\n".join(
        end.join(textwrap.wrap(line, width, break_long_words=True, drop_whitespace=False)) or ""
        for line in text.split("\n")
    )


def _hard(text: str) -> str:
    """Cut at 72 characters wherever that is."""
    return "\n".join(
        "\n".join(line[start : start + 72] for start in range(0, max(1, len(line)), 72))
        for line in text.split("\n")
    )


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


def _smart(text: str) -> str:
    opening = True
    out = []
    for character in text:
        if character == '"':
            out.append("“" if opening else "”")
            opening = not opening
        else:
            out.append(character)
    return "".join(out).replace("...", "…").replace("--", "–")


def _paragraphs(text: str) -> str:
    lines = (f"<p class=MsoNormal>{html.escape(line)}<o:p></o:p></p>" for line in text.split("\n"))
    return f"<html><head><style>p {{ margin: 0 }}</style></head><body>{''.join(lines)}</body></html>"


def _rewrapped(text: str) -> str:
    """HTML whose source was wrapped again, with tags in the middle of it."""
    words = html.escape(text).split(" ")
    tagged = " ".join(
        f"<span>{word}</span>" if number % 5 == 4 else word for number, word in enumerate(words)
    )
    return "<div>" + "\n".join(textwrap.wrap(tagged.replace("\n", "<br>"), 60)) + "</div>"


KINDS = (
    Kind("flowed", lambda text: _wrapped(text, 66, " \n")),
    Kind("hard-wrap", _hard),
    Kind("smart-quotes", _smart),
    Kind("quoted", _quoted),
    Kind("quoted-and-wrapped", lambda text: _quoted(_hard(text))),
    Kind("nbsp", lambda text: text.replace(" ", "\u00a0")),
    Kind("html-only", _paragraphs, html=True),
    Kind("html-rewrapped", _rewrapped, html=True),
    Kind("blank-lines", lambda text: text.replace("\n", "\n\n")),
    Kind("stripped", lambda text: "\n".join(line.strip() for line in text.split("\n"))),
    Kind("joined", lambda text: text.replace("\n", " ")),
    Kind("zero-width", lambda text: "\u200b".join(text[i : i + 40] for i in range(0, len(text), 40))),
    Kind("lower-cased", str.lower),
    Kind("auto-capital", lambda text: "\n".join(line[:1].upper() + line[1:] for line in text.split("\n"))),
    Kind("latin-1", lambda text: text, charset="iso-8859-1"),
    Kind(
        "trailing-quote",
        lambda text: text + "\n\nOn Monday the host wrote:\n> Your turn, $4,000.\n> -- \n> pbem",
    ),
)


def mail_of(text: str, kind: Kind, sender: str = "anna@players.test") -> bytes:
    """A mail whose text was damaged in this way."""
    message = EmailMessage()
    message["From"] = sender
    message["To"] = "games@pbem.test"
    message["Subject"] = "my turn"
    message["Message-ID"] = f"<{kind.name}@players.test>"
    damaged = kind.change(text)
    if kind.charset != "utf-8":
        damaged = damaged.encode(kind.charset, "replace").decode(kind.charset)
    message.set_content(damaged, subtype="html" if kind.html else "plain", charset=kind.charset)
    return message.as_bytes(policy=SMTP)
