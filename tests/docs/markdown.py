"""What the tests must know of a page in Markdown: its code, its links, and what its headings are called in a link."""

from __future__ import annotations

import re
from typing import Final

_FENCED: Final = re.compile(r"^( *)(```+|~~~+)([^\n]*)\n(.*?)^\1\2 *$", re.DOTALL | re.MULTILINE)
_SPAN: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)


def blocks(text: str) -> list[str]:
    """The contents of every fenced block."""
    return [match[4] for match in _FENCED.finditer(text)]


def spans(text: str) -> list[str]:
    """Every piece of code within a sentence, on one line."""
    return [" ".join(match[2].split()) for match in _SPAN.finditer(_FENCED.sub("", text))]


def links(text: str) -> list[str]:
    """Where every link and picture leads, as written; what stands in code is none."""
    prose = _SPAN.sub("", _FENCED.sub("", text))
    matches = re.findall(r"\]\(<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\)", prose)
    return matches + re.findall(r"<(?:img|a)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"", prose)


def anchors(text: str) -> set[str]:
    """What ``#…`` may say on this page: a heading in small letters, hyphens for blanks, the second of a name ``-1``."""
    anchors: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", _FENCED.sub("", text), re.MULTILINE):
        said = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", said.lower().replace("`", "")).replace(" ", "-")
        name, number = slug, 0
        while name in anchors:
            number += 1
            name = f"{slug}-{number}"
        anchors.add(name)
    return anchors | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
