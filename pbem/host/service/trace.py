"""What became of a mail: its way from its arrival to the letters that it caused, from what the database keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.base.errors import UsageProblem
from pbem.base.sentences import Sentence, sentence, table
from pbem.game import JsonObject
from pbem.host.database.database import Transaction
from pbem.host.database.matches import Matches
from pbem.host.service.meter import known
from pbem.host.service.service import Service
from pbem.player.mail.gate import peek_header
from pbem.protocol.record.line import read_line

_MAIL = "SELECT id, message_id, arrived, state, game, reason, substr(raw, 1, 8192) FROM inbox"
_LETTER = (
    "SELECT id, message_id, created, tried, sent, state, game, seat, fault, substr(raw, 1, 8192) FROM outbox"
)
MOST = 200
"""Mails, and letters, that one trace shows: the newest."""


def trace(service: Service, name: str) -> list[JsonObject]:
    """Everything that is known of a mail, or of a seat's mails, oldest first.

    Args:
        service: the service.
        name: a Message-ID, of a mail or of a letter, with or without its brackets; the receipt of a file that came by
            the door; or ``MATCH/SEAT``.

    Returns:
        One object for each step: ``at``, ``event`` and, where it has one, ``mail`` or ``letter`` (their numbers),
        ``message_id``, ``match``, ``seat``, ``record``, ``text``.

    Raises:
        UsageProblem: nothing is known of it.
    """
    with service.office.database.reading() as transaction:
        short, _, seat = name.partition("/")
        named = seat and "@" not in name
        found = _of_seat(transaction, short, seat) if named else _of_name(transaction, name.strip())
    if not found:
        raise UsageProblem(
            sentence("nothing is known here of {name}", name=name),
            hint=sentence(
                "Expected a Message-ID, the receipt of a posted file, or MATCH/SEAT. A mail may still be on its way;"
                " and what was let go of by [keep] in service.toml cannot be told."
            ),
        )
    return sorted(found, key=lambda step: str(step["at"]))


def _of_name(transaction: Transaction, name: str) -> list[JsonObject]:
    own = name if name.startswith("<") else f"<{name}>"
    mails = transaction.run(f"{_MAIL} WHERE message_id = ? ORDER BY id", own)
    mails += transaction.run(
        f"{_MAIL} WHERE id IN (SELECT mail FROM posted WHERE receipt = ?) ORDER BY id",  # noqa: S608 - no input
        name.lower(),
    )
    steps = [step for mail in mails for step in _mail_steps(transaction, mail)]
    letters = transaction.run(f"{_LETTER} WHERE message_id = ?", own)
    return steps + [step for letter in letters for step in _letter_steps(letter)]


def _of_seat(transaction: Transaction, short: str, seat: str) -> list[JsonObject]:
    matches = Matches(transaction)
    match = matches.named(short)
    row = matches.seats(match.game).get(seat) if match is not None else None
    if match is None or row is None:
        raise UsageProblem(
            sentence("there is no seat {seat} in a match {match} here", seat=seat, match=short)
        )
    mails = transaction.run(f"{_MAIL} WHERE game = ? ORDER BY id DESC LIMIT ?", match.game, MOST)
    mine = [mail for mail in mails if f" of {seat}:" in f" {mail[5]}"]
    letters = transaction.run(
        f"{_LETTER} WHERE game = ? AND seat = ? ORDER BY id DESC LIMIT ?", match.game, seat, MOST
    )
    steps = [step for mail in mine for step in _arrived(transaction, mail)]
    return steps + [step for letter in letters for step in _letter_steps(letter)]


def _mail_steps(transaction: Transaction, mail: Sequence[object]) -> Iterator[JsonObject]:
    """A mail, the record that holds its file, and the letters that follow from it."""
    own, game = str(mail[1]), str(mail[4])
    seq = -1
    for step in _arrived(transaction, mail):
        seq = step.get("record", seq)
        yield step
    after = transaction.run(
        f"{_LETTER} WHERE game IN (?, '') AND created >= ? ORDER BY id LIMIT 1000", game, mail[2]
    )
    batch = (
        min((upto for one in after if (upto := _upto(transaction, one)) >= seq), default=-1)
        if seq >= 0
        else -1
    )
    for letter in after:
        answers = bool(own) and peek_header(bytes(letter[9] or b""), "In-Reply-To") == own
        if answers or (batch >= 0 and _upto(transaction, letter) == batch):
            yield from _letter_steps(letter)


def _upto(transaction: Transaction, letter: Sequence[object]) -> int:
    """The newest record that a letter tells of; -1 if it tells of none, or its effect is no longer kept."""
    ((effect,),) = transaction.run("SELECT effect FROM outbox WHERE id = ?", letter[0])
    game, _, rest = str(effect).partition("/")
    number = rest.partition("/")[0]
    return int(number) if game == letter[6] and number.isdecimal() else -1


def _arrived(transaction: Transaction, mail: Sequence[object]) -> Iterator[JsonObject]:
    number, own, arrived, state, game, reason, head = mail
    del head
    same = known(mail=number, message_id=own, game=game)
    yield {"at": arrived, "event": "received", **same}
    words = str(reason)
    kind, _, rest = words.partition(": ")
    parts = kind.split(" ")
    record, at = -1, str(arrived)
    if len(parts) == 4 and parts[1].isdecimal() and parts[2] == "of":
        record, at = _record(transaction, str(game), int(parts[1]), parts[3], at)
        same |= {"seat": parts[3]}
    held = {"record": record} if record >= 0 else {}
    event = "ruled" if rest and state == "done" else str(state)
    yield {"at": at, "event": event, **same, **held, **known(text=words)}


def _record(transaction: Transaction, game: str, n: int, seat: str, at: str) -> tuple[int, str]:
    """The record that holds file ``n`` of a seat, and its time; -1 and ``at`` if none does."""
    needle = f'"n":{n},'.encode()
    for seq, raw in transaction.run("SELECT seq, raw FROM lines WHERE game = ? ORDER BY seq DESC", game):
        if needle in bytes(raw):
            body = read_line(bytes(raw)).body
            message = body.get("msg", {}).get("body", {})
            if (message.get("n"), message.get("seat")) == (n, seat):
                return int(seq), str(body.get("at", at))
    return -1, at


def _letter_steps(letter: Sequence[object]) -> Iterator[JsonObject]:
    number, own, created, tried, sent, state, game, seat, fault, head = letter
    same = known(letter=number, message_id=own, game=game, seat=seat)
    subject = peek_header(bytes(head or b""), "Subject")  # type: ignore[call-overload]
    yield {"at": created, "event": "written", **same, **known(text=subject)}
    if sent:
        yield {"at": sent, "event": "sent", **same}
    elif tried or state != "queued":
        yield {"at": tried or created, "event": state, **same, **known(text=fault)}


def trace_words(steps: Sequence[JsonObject]) -> Sentence:
    """The steps as lines for a person."""
    rows = [
        (
            str(step["at"]),
            str(step["event"]),
            " ".join(str(step[name]) for name in ("match", "seat") if name in step),
            str(step.get("message_id", "")),
            str(step.get("text", "")),
        )
        for step in steps
    ]
    return table(rows)
