"""One frame as text: what happened, the table after it, and the hand where the eyes may see one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import sentence, term
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.letters.layout import clean_name, fill
from pbem.player.letters.rendering import story_text
from pbem.player.letters.standing import waiting_at
from pbem.player.letters.terminal import render_table
from pbem.protocol.client import Packets, SeatView
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import ClosedOpenings, Record
from pbem.protocol.record.record import NotReadable


def page_of(
    frame: Frame,
    last: int,
    *,
    width: int = 80,
    colour: bool = False,
    language: Language = ENGLISH,
) -> str:
    """The page of one frame; ``last`` is the number of the newest record of the match."""
    parts = [
        fill(_heading(frame, last, language), width),
        _story(frame, language),
        _table(frame, width, colour, language),
    ]
    if frame.view is not None:
        reader = frame.viewpoint.seat
        words = waiting_at(frame.record, reader, frame.seq, language)
        parts.append(fill(words.described(), width))
    if frame.note:
        parts.append(fill(f"({language.translate(frame.note)})", width))
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def _heading(frame: Frame, last: int, language: Language) -> str:
    line = frame.record.head
    facts = {"seq": line.seq, "last": last, "kind": term(line.kind), "time": language.when(line.at)}
    if frame.seat:
        name = _name(frame, frame.seat)
        first = sentence("Record {seq} of {last}: {kind} of {name}, {time}", name=name, **facts)
    else:
        first = sentence("Record {seq} of {last}: {kind}, {time}", **facts)
    return f"{language.translate(first)}\n{language.translate(_viewpoint(frame))}"


def _viewpoint(frame: Frame) -> str:
    if frame.viewpoint.everything:
        return (
            sentence("Seen by everybody, all cards open.") if frame.hands else sentence("Seen by everybody.")
        )
    if frame.viewpoint.seat is None:
        return sentence("Seen by the public.")
    return sentence("Seen by {name}.", name=_name(frame, frame.viewpoint.seat))


def _name(frame: Frame, seat: Seat | None) -> str:
    return clean_name(frame.record.names.get(seat, str(seat))) if seat else ""


def _story(frame: Frame, language: Language) -> str:
    """The record's own sentences; a record that shows nothing needs none."""
    if frame.seq == 0:
        return ""
    _, _, text = story_text(frame.record, frame.seq - 1, frame.seq, language).partition("\n")
    return text


def _table(frame: Frame, width: int, colour: bool, language: Language) -> str:
    record = frame.record
    if frame.view is None:
        return language.gettext("Nothing has been dealt yet.")
    public = record.public or frame.view
    return render_table(
        record.game_info.id,
        frame.view,
        record.rules.setup,
        record.names,
        record.rules.summary(public),
        width=width,
        colour=colour,
        viewer=frame.viewpoint.seat if frame.hands else None,
        everything=frame.viewpoint.everything,
        language=language,
    )


# --- timeline ---------------------------------------------------------------------------------------------
#
# The match as it stood after any record, from one viewpoint: the public's, a seat's, or with everything
# open.
#
# ``Timeline`` goes through a verified file line by line and keeps a copy now and then, so that stepping
# back is as cheap as stepping on. Nothing is shown that the viewpoint could not see: a seat's hand is opened
# with that seat's key, and open cards come from replaying epochs that were closed.

_EVERY = 32
"""Between two kept copies; a step back verifies at most so many lines again."""


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """Who looks: the public; a seat with its key; or everybody's cards, once they were opened."""

    seat: Seat | None = None
    identity: Identity | None = None
    everything: bool = False

    @property
    def label(self) -> str:
        """``public``, ``open`` or the seat's id."""
        return "open" if self.everything else str(self.seat or "public")


PUBLIC_VIEWPOINT = Viewpoint()
OPEN_VIEWPOINT = Viewpoint(everything=True)


@dataclass(frozen=True, slots=True)
class Frame:
    """What the eyes saw after one record; ``view`` is None before the first deal.

    ``hands`` are the seats whose hand is open in ``view``. ``note`` says why less is shown than was asked for.
    """

    record: Record
    viewpoint: Viewpoint
    view: JsonObject | None
    hands: tuple[Seat, ...] = ()
    note: str = ""

    @property
    def seq(self) -> int:
        """The number of the record."""
        return self.record.head.seq

    @property
    def seat(self) -> Seat | None:
        """Whose message the record holds."""
        message = self.record.head.body.get("msg")
        return Seat(message["body"]["seat"]) if message else None

    def to_json(self) -> JsonObject:
        """For programs."""
        line = self.record.head
        facts: JsonObject = {
            "record": line.seq,
            "at": line.at,
            "kind": line.kind,
            "eyes": self.viewpoint.label,
        }
        optional = {"seat": self.seat, "waiting": self.record.waiting, "view": self.view, "note": self.note}
        facts |= {name: value for name, value in optional.items() if value}
        return facts | {"steps": line.body.get("steps", [])}


class Timeline:
    """A verified match, record by record."""

    def __init__(self, record: Record) -> None:
        self.whole = record
        self._raws = [line.raw for line in record.lines]
        openings = ClosedOpenings(line.body for line in record.lines)
        self._kept: dict[int, Record] = {0: Record.begin(self._raws[0], openings)}
        self._last: tuple[int, Record] = (0, self._kept[0])
        self._packets = Packets()

    @property
    def last(self) -> int:
        """The number of the newest record."""
        return len(self._raws) - 1

    @property
    def chapters(self) -> tuple[int, ...]:
        """The records with which an epoch (a hand, a game turn) opens."""
        return tuple(line.seq for line in self.whole.lines if line.kind == "open")

    def at(self, seq: int) -> Record:
        """The match after record ``seq``; the copy is the caller's to read, not to change."""
        if not 0 <= seq <= self.last:
            raise UsageProblem(
                sentence("there is no record {seq}; the last one is {last}", seq=seq, last=self.last)
            )
        if self._last[0] == seq:
            return self._last[1]
        start = max(kept for kept in self._kept if kept <= seq)
        if start < self._last[0] < seq:
            start, record = self._last[0], self._last[1].fork()
        else:
            record = self._kept[start].fork()
        for number in range(start + 1, seq + 1):
            record = _grown(record, self._raws[number])
            if number % _EVERY == 0:
                self._kept[number] = record.fork()
        self._last = (seq, record)
        return record

    def frame(self, seq: int, viewpoint: Viewpoint = PUBLIC_VIEWPOINT) -> Frame:
        """What ``viewpoint`` saw after record ``seq``."""
        record = self.at(seq)
        if record.public is None:
            return Frame(record, viewpoint, None)
        if viewpoint.everything:
            return _open_frame(record, viewpoint)
        if viewpoint.seat is None or viewpoint.identity is None:
            return Frame(record, viewpoint, record.public)
        return _seat_frame(record, viewpoint, viewpoint.seat, viewpoint.identity, self._packets)


def _grown(record: Record, raw: bytes) -> Record:
    """The record with one line more; where nothing is open any more, without a table from there on."""
    try:
        record.extend([raw])
    except NotReadable:
        return Record(record.ledger)
    return record


def _seat_frame(
    record: Record, viewpoint: Viewpoint, seat: Seat, identity: Identity, packets: Packets
) -> Frame:
    player = record.ledger.players.get(seat)
    if player is None or player.sign != identity.sign_public:
        return Frame(
            record,
            viewpoint,
            record.public,
            note=sentence("another key held the seat {seat} then", seat=seat),
        )
    if not record.rules.has_secrets:
        return Frame(record, viewpoint, SeatView(record, identity, seat, packets).view_json)
    try:
        return Frame(record, viewpoint, SeatView(record, identity, seat, packets).view_json, (seat,))
    except PbemError as fault:
        return Frame(
            record,
            viewpoint,
            record.public,
            note=sentence("your cards cannot be shown: {fault}", fault=fault),
        )


def _open_frame(record: Record, viewpoint: Viewpoint) -> Frame:
    """Everything that each seat knew of itself then, put together."""
    public = record.public or {}
    if record.replay is None:
        return Frame(record, viewpoint, public, note=sentence("the cards of this deal are not revealed yet"))
    rules, state = record.rules, record.table.state
    view: dict[str, Any] = dict(public)
    for seat in record.seats:
        own = rules.view_to_json(rules.observe(state, seat))
        for member, values in own.items():
            if isinstance(values, dict) and seat in values and member != "waiting":
                view[member] = {**view.get(member, {}), seat: values[seat]}
    return Frame(record, viewpoint, view, tuple(record.seats) if rules.has_secrets else ())


def viewpoint_of(record: Record, identities: Sequence[Identity]) -> list[Viewpoint]:
    """The eyes that these keys open, a seat each, in seat order."""
    by_key = {identity.sign_public: identity for identity in identities}
    return [
        Viewpoint(seat, by_key[player.sign])
        for seat, player in record.ledger.players.items()
        if player.sign in by_key
    ]
