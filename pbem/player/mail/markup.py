"""The words of an HTML part: tags and entities undone, in one pass.

Not an HTML parser, on purpose: the standard library's takes minutes for some hostile inputs. Every step here looks at
a character a fixed number of times.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final

_TAG: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*+)?+[^<>]*+>")
_CLOSING: Final = re.compile(r"</(style|script|head)(?![A-Za-z0-9])", re.IGNORECASE)
_LINES: Final = frozenset(
    ("p", "div", "br", "tr", "li", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6")
)
_LONG_ENTITY: Final = re.compile(r"&#[xX]?[0-9a-fA-F]{9,}+;?")
"""A number that is no character, and longer than the standard library turns into one."""


def is_html(text: str) -> bool:
    """Whether a text says of itself that it is HTML."""
    return text.lstrip()[:200].lower().startswith(("<!doctype html", "<html"))


def undo_html(markup: str) -> str:
    """The words: tags of blocks become line ends, other tags nothing, entities characters; styles and scripts go."""
    ends = {match[1].lower(): match.start() for match in _CLOSING.finditer(markup)}
    words, at, silent = [], 0, ""
    for tag in _TAG.finditer(markup):
        name = (tag[2] or "").lower()
        if silent:
            if tag[1] and name == silent:
                silent, at = "", tag.end()
            continue
        words.append(markup[at : tag.start()])
        at = tag.end()
        if name in _LINES:
            words.append("\n")
        elif not tag[1] and ends.get(name, -1) >= at:
            silent = name
    if not silent:
        words.append(markup[at:])
    return unescape(_LONG_ENTITY.sub("\ufffd", "".join(words)))
