"""The style guide's column *not*, looked for in every message, in every ``--help`` and in the pages that people read.

``python -m tests.languages.words`` prints what is found, the words and the sentences of more than ``LONGEST`` words.
``words.json`` has the patterns, each with what to use instead, why, and contexts in which the word means something
else; and the rows that let a word stand: which word, a start of a path, what of the text it stands in, and why.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from pbem.cli.app import command
from tests.languages.catalogues import ROOT, messages

DATA: Final = Path(__file__).with_suffix(".json")
PAGES: Final = (
    "README.md",
    "SECURITY.md",
    "examples/README.md",
    "examples/play.md",
    "examples/host.md",
    "examples/audit.md",
    "examples/cheats.md",
    "examples/errors.md",
    "examples/evening.md",
    "examples/host-evening.md",
    "examples/mails-per-turn.md",
    "examples/operator.md",
    "examples/languages/README.md",
    "examples/letters/README.md",
    "examples/report/README.md",
    "examples/screens/README.md",
)
LONGEST: Final = 25
_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"(?:^|\s)# .*$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`|\]\([^)]*\)|<[^>]*>")
_PLACES = re.compile(r"%\(\w+\)s|\{[^}]*\}")
_END = re.compile(r"(?<=[.!?:])\s+|\n\n+|\n(?=[*|#-])|\n(?=  \S)|\s+\|")
"""A sentence ends at its mark, at a paragraph, and at the next row of a list or of keys or cell of a table."""


@dataclass(frozen=True)
class Hit:
    """A word of the column *not*, and where it stands."""

    word: str
    place: str
    text: str


@cache
def texts() -> tuple[tuple[str, str], ...]:
    """Every message and page with its file, each message once in a file."""
    pairs = dict.fromkeys(
        (file, text)
        for file, _, message, _ in messages()
        for text in ((message,) if isinstance(message, str) else message)
    )
    pages = ((page, _prose((ROOT / page).read_text(encoding="utf-8"))) for page in PAGES)
    return (*pairs, *dict.fromkeys(helps(command(), ("pbem",))), *pages)


def helps(node: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What ``--help`` says of a command, its options and arguments, and of the commands in it."""
    name = " ".join(path)
    for text in (node.help, *(getattr(parameter, "help", None) for parameter in node.params)):
        if text and not node.hidden:
            yield f"{name} --help", text
    for word, inner in getattr(node, "commands", {}).items():
        yield from helps(inner, (*path, word))


def _prose(page: str) -> str:
    """What is read of a page: its text without code and addresses, and the remarks beside commands."""
    remarks = _FENCE.sub(lambda match: "\n\n".join(_COMMENT.findall(match[0])), page)
    return _CODE.sub(" ", remarks)


def data() -> dict[str, Any]:
    """Patterns and places."""
    read: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return read


@cache
def hits() -> tuple[Hit, ...]:
    """Whatever a pattern finds outside its contexts and the names of values; once for each place in a page."""
    every = []
    for row in data()["patterns"]:
        pattern = re.compile(row["pattern"])
        contexts = [re.compile(context) for context in row.get("contexts", ())]
        for place, text in texts():
            shown = _PLACES.sub("X", text) if "%(" not in row["pattern"] else text
            matches = list(pattern.finditer(shown))
            if matches and contexts:
                held = [span.span() for context in contexts for span in context.finditer(shown)]
                matches = [
                    hit for hit in matches if not any(start <= hit.start() < end for start, end in held)
                ]
            for hit in matches if place in PAGES else matches[:1]:
                around = shown if place not in PAGES else shown[max(0, hit.start() - 40) : hit.end() + 40]
                every.append(Hit(row["not"], place, around))
    return tuple(every)


def allowed(hit: Hit) -> int | None:
    """The number of the row that lets it stand."""
    for number, row in enumerate(data()["allowed"]):
        if (
            row["word"] == hit.word
            and hit.place.startswith(row["place"])
            and re.search(row["text"], hit.text)
        ):
            return number
    return None


def long_sentences() -> list[str]:
    """Sentences of more than ``LONGEST`` words."""
    return [
        sentence
        for _, text in texts()
        for sentence in _END.split(_PLACES.sub("X", text))
        if len(sentence.split()) > LONGEST
    ]


def main() -> None:
    """Print them."""
    for hit in hits():
        if allowed(hit) is not None and "--all" not in sys.argv:
            continue
        sys.stdout.write(f"{hit.place}: {hit.word}: {' '.join(hit.text.split())}\n")
    words = sum(len(text.split()) for _, text in texts())
    sys.stdout.write(
        f"{len(texts())} texts, {words} words, {len(long_sentences())} sentences over {LONGEST} words\n"
    )


if __name__ == "__main__":
    main()
