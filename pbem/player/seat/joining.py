"""Which seat a person joins by an invitation, and what the join says."""

from __future__ import annotations

from pathlib import Path

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.bots.labels import named
from pbem.game import Seat
from pbem.player.seat.client import PlayerClient
from pbem.player.seat.sent_files import Signed
from pbem.player.store.keyring import file_name_for
from pbem.protocol.formats.identity_file import Header
from pbem.protocol.record import Record


@dataclass(frozen=True, slots=True)
class JoinWishes:
    """What a join can say; what is None is as in the join that was signed before, else as usual."""

    name: str | None = None
    lang: str | None = None
    mail: str | None = None
    zone: str | None = None
    computer: bool = False


def seat_to_join(record: Record, invite: Path, letter: str, person: str, asked: str | None) -> Seat:
    """The seat: the one that was asked for, else that of the letter, else the one that is called like the person.

    ``letter`` is the seat that the invitation is for; empty if it does not say.

    Raises:
        UsageProblem: none of these says it.
    """
    chosen = (asked or "").lower() or letter or _seat_like(person, record)
    if chosen is None:
        raise UsageProblem(
            sentence("{invite} does not say which seat is yours", invite=invite),
            hint=sentence("Say it: --seat {names}", names="|".join(record.seats)),
        )
    return Seat(chosen)


def sign_join(
    client: PlayerClient,
    header: Header,
    seat: Seat,
    wishes: JoinWishes,
    *,
    lang: str,
    substitute: bool = False,
    word: str | None = None,
    again: bool = False,
) -> Signed:
    """A signed join. What the wishes leave open is as in the join that was signed before, else as usual.

    Args:
        client: the person's client at the invitation.
        header: the head of his identity file.
        seat: the seat.
        wishes: what he said.
        lang: the language of his letters, if neither he nor an earlier join says one.
        substitute: he follows somebody in the seat.
        word: the word of the invitation.
        again: yes to signing once more what has no answer yet.

    Raises:
        AlreadySigned: the same join has no answer yet, and ``again`` is False.
    """
    before = client.kept_join(seat)
    last = before.page.wish if before is not None else {}
    name = wishes.name or last.get("name") or header.name
    return client.join(
        seat,
        name=named(name) if wishes.computer else name,
        lang=wishes.lang or last.get("lang") or lang,
        mail=wishes.mail or last.get("mail") or None,
        recovery=header.recovery,
        substitute=substitute,
        word=word,
        zone=wishes.zone or last.get("zone") or None,
        again=again,
    )


def _seat_like(person: str, record: Record) -> str | None:
    """The seat that is called like this person."""
    try:
        name = file_name_for(person)
    except UsageProblem:
        return None
    return name if name in record.seats else None
