"""What a seat can propose or agree to that is no move, and what is meant by what somebody types. Nothing here draws."""

from __future__ import annotations

import re
import shlex
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.game import JsonObject, Seat
from pbem.player.letters.by_hand import agreed_words
from pbem.player.play.session import Session
from pbem.player.seat.joining import absence_of, consent_to
from pbem.protocol.client import read_webhook
from pbem.protocol.formats.messages import Message
from pbem.protocol.record.kinds.channel import CHANNEL

OWN_WEBHOOK: Final = CHANNEL.name
"""The matter that is the host's alone; in the page it has a place of its own."""
TYPED: Final = ("pause", "away", "end", "agree", OWN_WEBHOOK)
"""Those for which something may be typed first."""
ASKED: Final = "asked-"
"""How the name of a matter begins that another seat has proposed; its place in ``Session.proposed`` follows."""
_TIME: Final = re.compile(r"[0-9]{1,2}:[0-9]{2}")
_COMMAND: Final = ["pbem", "consent"]
"""Whoever copies the whole line of an email means what stands behind these and the match."""


def matters_of(session: Session) -> list[str]:
    """What this seat can propose or agree to now, by the keys of its words (``matter-…``)."""
    if session.settled or session.seat not in session.record.ledger.players:
        return []
    ledger = session.record.ledger
    asked = [f"{ASKED}{number}" for number in range(len(session.proposed))]
    paused = "resume" if ledger.paused is not None else "pause"
    return [*asked, paused, "away", "agree", "replace", "end", "resign"]


def said_of(session: Session, matter: str) -> str:
    """The row of a matter: what another seat proposes in that seat's name, else what this one can propose."""
    if not matter.startswith(ASKED):
        return session.words(f"matter-{matter}")
    return session.words("matter-asked", what=proposed_words(session, session.proposed[_number(matter)]))


def agreed_text(session: Session, terms: JsonObject) -> str:
    """What would be signed, in words."""
    if terms["kind"] == OWN_WEBHOOK:
        return session.words("matter-channel-on" if terms["url"] else "matter-channel-off")
    waiting = session.waiting
    text = agreed_words(terms, session.record.names, waiting.now, waiting.clock)
    return session.language.translate(text)


def proposed_words(session: Session, consent: Message) -> str:
    """What another seat proposes, with its name."""
    name = session.record.names[Seat(consent.seat)]
    return session.words("proposed", name=name, what=agreed_text(session, consent.body["what"]))


def _number(matter: str) -> int:
    return int(matter.removeprefix(ASKED))


def signs(matter: str) -> bool:
    """Whether this seat signs something about the matter; a replacement is the host's to begin."""
    return matter != "replace"


def meant(session: Session, matter: str, typed: str) -> JsonObject:
    """The terms of a consent, or the ``url`` of an own webhook.

    Raises:
        UsageProblem: what was typed cannot be read; nothing is signed.
    """
    client, typed = session.client, typed.strip()
    if matter.startswith(ASKED):
        asked: JsonObject = session.proposed[_number(matter)].body["what"]
        return asked
    if matter == OWN_WEBHOOK:
        return {"kind": OWN_WEBHOOK, "url": typed and read_webhook(typed).text}
    if matter == "away":
        return absence_of(client, *_span(typed.split()))
    if matter == "pause":
        return consent_to(client, "pause", [f"until={typed}"] if typed else [])
    if matter == "end":
        return consent_to(client, "end", [f"why={typed}"] if typed else [])
    if matter == "agree":
        try:
            words = shlex.split(typed)
        except ValueError:
            raise UsageProblem(session.words("matter-odd")) from None
        kind, *members = (words[len(_COMMAND) + 1 :] if words[: len(_COMMAND)] == _COMMAND else words) or [""]
        return consent_to(client, kind, members)
    if matter == "resume":
        return consent_to(client, "pause", ["until=now"])
    return consent_to(client, matter, [f"seat={session.seat}"] if matter == "resign" else [])


def _span(words: list[str]) -> tuple[str, str]:
    """Begin and end: two days, two times, or one alone that counts from now."""
    times: list[str] = []
    for word in words:
        if times and _TIME.fullmatch(word):
            times[-1] += f" {word}"
        else:
            times.append(word)
    if len(times) == 2:
        return times[0], times[1]
    return "now", " ".join(times)
