"""What the referee answers: values, not exceptions, since refusing a turn is an ordinary answer."""

from __future__ import annotations

import unicodedata
from typing import Final, TypeAlias

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.protocol.record import Ledger, Line, Record


@dataclass(frozen=True, slots=True)
class Accepted:
    """Records to append, in order; ``record`` is the match with them. The first line is the sender's receipt."""

    lines: tuple[Line, ...]
    record: Record
    sender: Seat | None

    @property
    def stopped(self) -> JsonObject | None:
        """Why a file was not applied to its end, if it was not (``at``, ``why``)."""
        return self.lines[0].body.get("stopped") if self.lines else None


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that changed nothing. ``reject`` is the host-signed file for its sender; None if none is due."""

    code: str
    sentence: str
    seat: Seat | None = None
    rules: tuple[str, ...] = ()
    action: int | None = None
    reject: JsonObject | None = None
    withdrawn: Accepted | None = None
    """With the host's record that undoes what was proposed about the seat: it has signed this file all the same."""

    sealed: bool = False
    """The reason speaks of what was sealed: an action's rule, or a part that does not open."""

    @property
    def in_clear(self) -> str:
        """As much of the sentence as may stand in an email or a log (schemas/README.md §9).

        What is wrong with something sealed would show the hand; everything else follows from what all may know.
        """
        return "" if self.sealed else self.sentence


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same file again: answered with the earlier receipt."""

    line: Line
    seat: Seat


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A file that would change nothing: answered with the receipt in ``line``, and not recorded."""

    line: Line
    seat: Seat
    sentence: str
    withdrawn: Accepted | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """A consent that is good but not enough yet: stored until the others' arrive."""

    seat: Seat
    terms: JsonObject
    missing: tuple[Seat, ...]
    withdrawn: Accepted | None = None
    """As with ``Refused``."""


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """A good file that asks something of the host alone: no record holds it."""

    seat: Seat
    withdrawn: Accepted | None = None
    """As with ``Refused``."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """Not for this match, or not signed by a seat: logged and never answered."""

    reason: str
    taken: bool = False
    """A join for a seat that somebody has: its sender may be informed."""


@dataclass(frozen=True, slots=True)
class Departed:
    """A file that has seen a record which this host signed and this record does not hold: nothing may be signed.

    ``forked`` if the record holds another one under that number; else it is an older state, as far as it shows.
    """

    seat: Seat
    seen: JsonObject
    forked: bool


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A good file whose record nobody could read: a fault of this program. Nothing was recorded, the match lives on."""

    seat: Seat
    fault: str
    withdrawn: Accepted | None = None
    """As with ``Refused``."""


class Unreadable(PbemError):
    """A record in the making that a strict reader would not take; nothing of its ruling may be committed."""

    def __init__(self, kind: str, seq: int, fault: Exception) -> None:
        text = str(fault) if isinstance(fault, PbemError) else repr(fault)
        super().__init__(
            f"an internal error: record {seq} ({kind}) would not be readable again: {text}",
            hint="Nothing was recorded. Please report this, with the file that it names.",
        )


Ruling: TypeAlias = (
    Accepted | Refused | Repeated | Unchanged | Held | Unrecorded | Ignored | Quarantined | Departed
)


# --- names ------------------------------------------------------------------------------------------------
#
# Names that look alike: refused by the host's program as somebody joins. A policy of the host; no verifier
# asks for it.
#
# The table of look-alikes is that of Unicode (UTS 39), from the library ``confusable-homoglyphs``; what
# is compared is the skeleton of that report, of the name as written and of it in one case.

_SMALL_CAPITAL: Final = "LATIN LETTER SMALL CAPITAL "
"""How Unicode calls a letter that is drawn like a small capital: it looks like the letter behind these words."""


def look_alike(ledger: Ledger, name: str, place: str) -> str:
    """Why nobody may join as the seat ``place`` under this name, in words; empty if they may.

    Who takes a seat over may be called like the one who had it.
    """
    wanted = _looks(name)
    for seat, player in ledger.players.items():
        if seat != place and wanted & _looks(player.name):
            return sentence(
                "the name {name!r} looks like that of {seat}, {other!r}; choose another",
                name=name,
                seat=seat,
                other=player.name,
            )
    return ""


def _looks(name: str) -> set[str]:
    plain = unicodedata.normalize("NFKC", name)
    bare = "".join(character for character in plain if character.isalnum()) or "".join(plain.split())
    return {_skeleton(bare), _skeleton(bare.casefold())}


def _skeleton(text: str) -> str:
    mapped = "".join(_prototype(character) for character in unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFD", mapped)


def _prototype(character: str) -> str:
    """The one character, or few, that everything which looks like this one is written as."""
    from confusable_homoglyphs.confusables import confusables_data  # a large table: only when somebody joins

    name = unicodedata.name(character, "")
    if name.startswith(_SMALL_CAPITAL) and len(name) == len(_SMALL_CAPITAL) + 1:
        return name[-1].lower()
    alike = [str(entry["c"]) for entry in confusables_data.get(character, ())]
    if len(alike) != 1:
        return character  # nothing looks like it, or it is what the others are written as
    back = confusables_data.get(alike[0], ())
    return min(character, alike[0]) if len(back) == 1 else alike[0]
