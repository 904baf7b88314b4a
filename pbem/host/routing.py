"""Several matches with one mailbox: which of them a signed file belongs to. The signed content alone decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from pbem.crypto.digest import b64
from pbem.errors import PbemError
from pbem.formats.messages import read_message
from pbem.letters import short_id

Match = TypeVar("Match")


def game_of(raw: bytes) -> bytes | None:
    """The match that a player's signed file names; None if it is no such file. Nothing is verified yet."""
    try:
        return read_message(raw).game
    except PbemError:
        return None


def route(raw: bytes, matches: Mapping[bytes, Match]) -> Match | None:
    """The match of ``matches`` (by id) that this file belongs to; None if it is for none of them.

    Subject, sender and the address it was sent to are not asked: anybody can write those.
    """
    game = game_of(raw)
    return None if game is None else matches.get(game)


def find_match(text: str, matches: Mapping[bytes, Match]) -> list[Match]:
    """The matches that a person means by an id or the beginning of its short or full form."""
    wanted = text.strip()
    if not wanted:
        return []
    return [
        match
        for game, match in matches.items()
        if short_id(game).startswith(wanted.lower()) or b64(game).startswith(wanted)
    ]
