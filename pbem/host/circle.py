"""Who sits around a match of a folder, as its host knows it: names and mail addresses that no record holds.

They stand in the host's private part of the folder, in the note ``circle``. Letters are a function of the record and of
this note, so an outbox can still be made again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

from pbem.errors import UsageProblem
from pbem.formats.characters import FORBIDDEN
from pbem.mail.outgoing import check_address
from pbem.store.boxes import PrivateNotes

_NOTE: Final = "circle"
_LONGEST: Final = 80
"""Characters of a title: a line of a letter."""


@dataclass(frozen=True, slots=True)
class Circle:
    """The host's ``name`` and ``mail``, the match's ``title``, the invitations' ``lang``, the address of each seat."""

    name: str = ""
    mail: str = ""
    title: str = ""
    lang: str = "en"
    seats: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, notes: PrivateNotes) -> Circle:
        """What is noted; nothing for a folder that was made without, or rebuilt."""
        return cls(**json.loads(notes.read(_NOTE))) if _NOTE in notes.names() else cls()

    def write(self, notes: PrivateNotes) -> None:
        """Note it, durably."""
        notes.write(_NOTE, json.dumps(asdict(self)).encode(), replace=True)


def checked_circle(
    name: str, mail: str | None, title: str, lang: str, pairs: Sequence[str], seats: Sequence[str]
) -> Circle:
    """The circle of what a host typed; ``pairs`` are ``SEAT=ADDRESS``.

    Raises:
        UsageProblem: an address is none, a seat is not in the match, or the title is no line.
    """
    found: dict[str, str] = {}
    for text in pairs:
        seat, sign, address = text.partition("=")
        if not sign or seat not in seats:
            raise UsageProblem(
                f"expected SEAT=ADDRESS with a seat of {', '.join(seats)}, found {text!r}",
                hint="For example: --to anna=anna@example.org",
            )
        found[seat] = check_address(address)
    return Circle(name, check_address(mail) if mail else "", checked_title(title), lang, found)


def checked_title(title: str) -> str:
    """A title that can stand in a line of a letter; ``UsageProblem`` if it cannot."""
    if len(title) > _LONGEST or FORBIDDEN.search(title):
        raise UsageProblem(f"a title is one line of at most {_LONGEST} characters, found {title!r}")
    return title.strip()
