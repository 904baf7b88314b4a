"""Who gets a letter after a batch of records: one letter a seat and batch at most.

The sender gets his receipt; whoever is asked now is asked; everybody hears of the end of a seat's turn, of an
epoch's worth of play (a hand, a turn of the game) and of the match, and of what the host recorded that concerns all.
A mere draw is sent to its sender only. A letter that is both receipt and anything else is the receipt, and says the
rest too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import assert_never

from pbem.base.language import ENGLISH, Language
from pbem.game import Seat
from pbem.player.letters.compose import compose, spoken
from pbem.player.letters.letter import (
    NOTHING_BESIDE,
    Kind,
    Letter,
    LetterExtras,
    Link,
    deadline_at,
    deadline_change,
)
from pbem.player.letters.letter_context import LetterContext, LetterContexts, undone
from pbem.player.letters.source import Line, Source, last_seen, messages
from pbem.protocol.record.check_messages import called_by, only_reacts
from pbem.protocol.record.deadlines import (
    Answer,
    Consents,
    Decision,
    Host,
    Joins,
    Links,
    Over,
    Paused,
    ReadyFiles,
    Standing,
)
from pbem.protocol.record.kind import Kind as RecordKind
from pbem.protocol.record.kinds import KINDS

NOBODY = Seat("")
"""In the place of a seat: the reader has none."""
_RANK = (
    Kind.MATCH_END,
    Kind.HAND_END,
    Kind.STARTED,
    Kind.ROSTER,
    Kind.TURN_END,
    Kind.NOTICE,
    Kind.INVITATION,
)
"""Why all are written to, the most important reason first."""


WaysIn = Callable[[Seat], Link | None]
"""A seat's way in by browser."""


def no_links(_: Seat) -> Link | None:
    """Nobody has one."""
    return None


def letters_for(
    source: Source,
    seq_from: int,
    seq_to: int,
    sender_seat: Seat | None,
    *,
    pictures: bool = True,
    links: WaysIn = no_links,
    beside: LetterExtras = NOTHING_BESIDE,
) -> list[Letter]:
    """The letters that records ``seq_from`` to ``seq_to`` cause, in seat order.

    Attached is everything after the newest record that the reader has signed to have seen, so that a lost letter
    costs nothing.
    """
    letter_contexts = LetterContexts()
    return [
        letter_for(
            source,
            seq_from,
            seq_to,
            seat,
            kind,
            pictures=pictures,
            link=links(seat),
            beside=beside,
            letter_contexts=letter_contexts,
        )
        for seat, kind in who_hears(source, seq_from, seq_to, sender_seat)
    ]


def letter_for(
    source: Source,
    seq_from: int,
    seq_to: int,
    seat: Seat,
    kind: Kind,
    *,
    pictures: bool,
    link: Link | None,
    beside: LetterExtras,
    letter_contexts: LetterContexts,
) -> Letter:
    """One of them, of the kind that ``who_hears`` gives; ``faces`` is what they share."""
    letter_context = letter_contexts.of(source, seq_to, spoken(source, seat, seq_to), pictures=pictures)
    return compose(
        source,
        seat,
        seq_to,
        _attached_since(source, seat, kind, seq_to),
        kind,
        letter_context=letter_context,
        link=link,
        beside=beside,
        deadline=deadline_change(source, seat, seq_from - 1, seq_to, letter_context.language, beside.title),
        brief=kind is Kind.ACCEPTED and asks_nothing(source, seq_from, seq_to, seat),
    )


def reminder_letter(
    source: Source,
    seat: Seat,
    now: str,
    *,
    pictures: bool = True,
    link: Link | None = None,
    beside: LetterExtras = NOTHING_BESIDE,
    upto: int | None = None,
) -> Letter:
    """A seat is reminded what record ``upto`` (the newest) waits for, and how much is left at ``now``."""
    head = source.lines[-1].seq if upto is None else upto
    letter_context = LetterContext(source, head, spoken(source, seat, head), pictures=pictures)
    since = _attached_since(source, seat, Kind.REMINDER, head)
    deadline = deadline_at(source, seat, head, letter_context.language, beside.title)
    return compose(
        source,
        seat,
        head,
        since,
        Kind.REMINDER,
        now=now,
        letter_context=letter_context,
        link=link,
        beside=beside,
        deadline=deadline,
    )


def public_letter(
    source: Source,
    seq_to: int,
    since: int,
    kind: Kind,
    language: Language = ENGLISH,
    *,
    pictures: bool = True,
    title: str = "",
) -> Letter:
    """The letter to somebody who reads along: written for nobody's seat, with the lines after ``since``."""
    letter_context = LetterContext(source, seq_to, language, pictures=pictures)
    return compose(
        source, NOBODY, seq_to, since, kind, letter_context=letter_context, beside=LetterExtras(title)
    )


def who_hears(source: Source, seq_from: int, seq_to: int, sender: Seat | None) -> list[tuple[Seat, Kind]]:
    """Each seat that gets a letter, with its kind, in seat order."""
    batch = source.lines[seq_from : seq_to + 1]
    standing = source.moment(seq_to).standing
    everybody = _everybody(batch, source.seats)
    if everybody is None and undone(source, seq_from - 1, seq_to):
        everybody = Kind.NOTICE
    concerned = {Seat(line.body["what"]["seat"]) for line, kind in _kinds(batch) if kind.proposes}
    heard = []
    for seat in source.seats:
        kind = _receipt(batch, sender) if seat == sender else None
        kind = Kind.PROPOSED if seat in concerned else kind or everybody
        kind = kind or _asked(standing, seat, batch) or _single(batch, seat)
        kind = kind or _nudged(source, batch, seat, standing)
        if kind is not None:
            heard.append((seat, kind))
    return heard


def asks_nothing(source: Source, seq_from: int, seq_to: int, sender: Seat) -> bool:
    """Whether the receipt for these records only says that the file was recorded.

    Its sender is not to act, nothing begins or ends but the sender's own turn, and nothing concerns the sender alone.
    """
    batch = source.lines[seq_from : seq_to + 1]
    return (
        _receipt(batch, sender) is Kind.ACCEPTED
        and _everybody(batch, source.seats) in (None, Kind.TURN_END)
        and _asked(source.moment(seq_to).standing, sender, batch) is None
        and _single(batch, sender) is None
        and not undone(source, seq_from - 1, seq_to)
    )


def _attached_since(source: Source, seat: Seat, kind: Kind, upto: int) -> int:
    return -1 if kind is Kind.INVITATION else max(last_seen(source, seat, upto), 0)


def _receipt(batch: Sequence[Line], sender: Seat | None) -> Kind | None:
    for line, body in messages(batch):
        if body["seat"] == sender and not only_reacts(body):
            return Kind.STOPPED if "stopped" in line.body else Kind.ACCEPTED
    return None


def _everybody(batch: Sequence[Line], seats: Sequence[Seat]) -> Kind | None:
    """The kind of a letter that goes to all seats, by the most important thing that happened."""
    reasons = {
        Kind(kind.letter) for line, kind in _kinds(batch) if len(kind.audience(line, seats)) == len(seats)
    }
    if any(_ends_turn(line) for line in batch):
        reasons.add(Kind.TURN_END)
    return next((kind for kind in _RANK if kind in reasons), None)


def _kinds(batch: Sequence[Line]) -> Iterator[tuple[Line, RecordKind]]:
    for line in batch:
        yield line, KINDS[line.kind]


def _ends_turn(line: Line) -> bool:
    return any(
        event["event"] == "turn-ended" for step in line.body.get("steps", ()) for event in step["events"]
    )


def _asked(standing: Standing, seat: Seat, batch: Sequence[Line]) -> Kind | None:
    """A seat is asked when the batch left it to act, or left a link of it to wait for."""
    match standing:
        case Decision() | Answer():
            asks = standing.seat == seat and any("steps" in line.body for line in batch)
        case ReadyFiles() | Links():
            asks = seat in standing.seats and any(kind.asks_links for _, kind in _kinds(batch))
        case Joins() | Host() | Paused() | Consents() | Over():
            asks = False
        case _:
            assert_never(standing)
    return Kind.ASKED if asks else None


def _nudged(source: Source, batch: Sequence[Line], seat: Seat, standing: Standing) -> Kind | None:
    """A seat is called by a nudge if the match still waits for it."""
    waits = isinstance(standing, Decision | Answer) and standing.seat == seat
    called = waits and any(called_by(source.lines, line) == seat for line in batch)
    return Kind.TALK if called else None


def _single(batch: Sequence[Line], seat: Seat) -> Kind | None:
    if any(seat in kind.audience(line, (seat,)) for line, kind in _kinds(batch)):
        return Kind.NOTICE
    for line, body in messages(batch):
        addressed = any(tell["to"] == seat for tell in body.get("tell", ()))
        said = "say" in body and "steps" not in line.body  # with a result, the letter about that says it
        if body["seat"] != seat and (addressed or said):
            return Kind.TALK
    return None
