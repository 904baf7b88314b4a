"""What players agree to, in words: for the email that asks them, for screens and for the host.

In: the ``what`` of a consent (schemas/README.md §6), the players' names, the reader's clock. Out: a sentence that
stands behind a colon, and the words that say exactly the same to ``pbem consent``.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Final

from pbem.base.language import UTC_CLOCK, Clock
from pbem.base.language.language import moment_of
from pbem.base.sentences import Sentence, sentence, term
from pbem.game import JsonObject, Seat
from pbem.player.letters.layout import clean, clean_name

_BARE: Final = {
    "resume": sentence("Go on with the match"),
    "object": sentence("The match stays with its host"),
    "handover": sentence("Another host takes the match, and plays"),
}
"""Of what needs no further words."""


def agreed_words(what: JsonObject, names: Mapping[Seat, str], now: str, clock: Clock = UTC_CLOCK) -> Sentence:
    """What is proposed, with a capital and without a full stop: ``Pause the match until Monday 19:00``."""
    name = clean_name(names.get(Seat(str(what.get("seat", ""))), "")) or str(what.get("seat", ""))
    until = moment_of(what["until"], now, clock) if "until" in what else ""
    match what["kind"]:
        case "pause" if until:
            return sentence("Pause the match until {until}", until=until)
        case "pause":
            return sentence("Pause the match")
        case "absence":
            begin = moment_of(what["from"], now, clock)
            return sentence("{name} is away from {begin} until {until}", name=name, begin=begin, until=until)
        case "resign":
            return sentence("{name} gives up the seat", name=name)
        case "substitute":
            return sentence("A replacement player takes {name}'s seat", name=name)
        case "rekey":
            return sentence("{name}'s seat gets a new key", name=name)
        case "rewind":
            return sentence("Go back to record {number} of the match file", number=what["to"]["seq"])
        case "end" if what.get("why"):
            return sentence("End the match now ({why})", why=clean(str(what["why"]), 60))
        case "end":
            return sentence("End the match now")
        case other:
            return _BARE.get(other) or term(str(other))


def agreed_command(what: JsonObject) -> str:
    """The words behind ``pbem consent GAME`` that agree to exactly this: ``pause until=2026-12-01T18:00:00Z``."""
    words = [str(what["kind"])]
    for member, value in what.items():
        if member != "kind":
            words.append(f"{member}={value['seq'] if isinstance(value, dict) else value}")
    return shlex.join(words)
