"""The style guide's column *not*, looked for in every message and in the pages that people read.

``python -m tests.languages.words`` prints what is found, the words and the sentences of more than ``LONGEST`` words.
``words.json`` has the patterns, what to use instead and why, and the places where a word may still stand: a start of
a path, which words and how often, and why. No word may come oftener than that.
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

from tests.languages.catalogues import ROOT, messages

DATA: Final = Path(__file__).with_suffix(".json")
PAGES: Final = (
    "README.md",
    "examples/README.md",
    "examples/play.md",
    "examples/host.md",
    "examples/audit.md",
    "examples/errors.md",
)
LONGEST: Final = 25
_CODE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)|<[^>]*>", re.DOTALL)
_PLACES = re.compile(r"%\(\w+\)s|\{[^}]*\}")
_END = re.compile(r"(?<=[.!?:])\s+|\n\n+|\n(?=[*|#-])")


@dataclass(frozen=True)
class Hit:
    """A word of the column *not*, and where it stands."""

    word: str
    place: str
    text: str


@cache
def texts() -> tuple[tuple[str, str], ...]:
    """Every message and page with its file, each message once in a file."""
    found = dict.fromkeys(
        (file, one)
        for file, _, message, _ in messages()
        for one in ((message,) if isinstance(message, str) else message)
    )
    return (*found, *((page, _CODE.sub(" ", (ROOT / page).read_text(encoding="utf-8"))) for page in PAGES))


def data() -> dict[str, Any]:
    """Patterns and places."""
    read: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return read


def hits() -> Iterator[Hit]:
    """Whatever a pattern finds; a page once for each place in it."""
    for row in data()["patterns"]:
        pattern = re.compile(row["pattern"])
        for place, text in texts():
            for found in pattern.finditer(text) if place in PAGES else filter(None, [pattern.search(text)]):
                yield Hit(row["not"], place, text[max(0, found.start() - 40) : found.end() + 40])


def allowed(hit: Hit) -> int | None:
    """The number of the row that allows it: the one with the longest start of its path."""
    fitting = [
        (len(row["place"]), number)
        for number, row in enumerate(data()["allowed"])
        if hit.place.startswith(row["place"]) and hit.word in row["words"]
    ]
    return max(fitting)[1] if fitting else None


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
        sys.stdout.write(f"{hit.place}: {hit.word}: {' '.join(hit.text.split())}\n")
    words = sum(len(text.split()) for _, text in texts())
    sys.stdout.write(
        f"{len(texts())} texts, {words} words, {len(long_sentences())} sentences over {LONGEST} words\n"
    )


if __name__ == "__main__":
    main()
