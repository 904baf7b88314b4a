"""Names that look alike: refused by the host's program as somebody joins. A policy of his; no verifier asks for it.

The table of look-alikes is that of Unicode (UTS 39), from the library ``confusable-homoglyphs``; what is compared is
the skeleton of that report, of the name as written and of it in one case.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from pbem.base.sentences import sentence
from pbem.protocol.record import Ledger

_SMALL_CAPITAL: Final = "LATIN LETTER SMALL CAPITAL "
"""How Unicode calls a letter that is drawn like a small capital: it looks like the letter behind these words."""


def look_alike(ledger: Ledger, name: str, place: str) -> str:
    """Why nobody may join as the seat ``place`` under this name, in words; empty if he may.

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
    alike = [str(one["c"]) for one in confusables_data.get(character, ())]
    if len(alike) != 1:
        return character  # nothing looks like it, or it is what the others are written as
    back = confusables_data.get(alike[0], ())
    return min(character, alike[0]) if len(back) == 1 else alike[0]
