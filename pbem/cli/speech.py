"""Which language a command speaks: ``--lang``, else what PBEM_LANG, LC_ALL, LC_MESSAGES or LANG say."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.base.language import Language


ASKED: ContextVar[str | None] = ContextVar("asked", default=None)
"""The ``--lang`` of the command line that runs; ``main`` sets it."""

PEOPLE: ContextVar[Mapping[str, str]] = ContextVar("people", default={})  # noqa: B039 - never changed
"""What the players of the match are called that the command has read; ``main`` empties it."""


def spoken(tag: str | None) -> Language:
    """The language for ``--lang``; for None that of the environment."""
    from pbem.base.language import language_of

    return language_of(tag_for(tag))


def language_of_answer(*, as_json: bool) -> Language:
    """English for programs, which read the same everywhere; else ``language_here``."""
    return spoken("en") if as_json else language_here()


def language_here() -> Language:
    """The language of the command line that runs now: for sentences that are shown on the way."""
    return spoken(ASKED.get())


def tag_for(tag: str | None) -> str:
    """The language tag, as a join carries it."""
    from pbem.base.language import wished

    return tag or wished(os.environ)


def asked_for(arguments: Sequence[str]) -> str | None:
    """The value of ``--lang`` among the words of a command line: for faults that end the command.

    Of ``pbem host`` that is the language of invitations, so the host is answered as the environment says.
    """
    if arguments[:1] == ["host"]:
        return None
    for at, word in enumerate(arguments):
        if word.startswith("--lang="):
            return word.partition("=")[2]
        if word == "--lang" and at + 1 < len(arguments):
            return arguments[at + 1]
    return None
