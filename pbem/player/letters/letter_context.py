"""What lies open after a given record: standing, figures, tables and picture, the same for all readers of a language.

Made once for a batch of letters. What a table's template is given holds no reader, so no table can differ by who
reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import Any

from pbem.base.language import ENGLISH, Clock, Language
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.letters.environment import Style, game_template, marks, speaker
from pbem.player.letters.hosting import host_plays
from pbem.player.letters.source import Line, Source, names_at
from pbem.player.letters.story import EventRenderer, begins_computer
from pbem.player.pictures import Picture, draw
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.record.kinds.propose import PROPOSE
from pbem.protocol.record.kinds.resign import RESIGN
from pbem.protocol.record.kinds.retire import RETIRE


class LetterContexts:
    """What letters about one record share, by language and whether they show pictures; only the newest is kept."""

    def __init__(self) -> None:
        self._record: tuple[bytes, int] | None = None
        self._made: dict[tuple[Language, bool], LetterContext] = {}

    def of(self, source: Source, upto: int, language: Language, *, pictures: bool) -> LetterContext:
        """The open position after record ``upto``, shown in ``language``."""
        record, key = (source.lines[upto].hash, upto), (language, pictures)
        if record != self._record:
            self._record, self._made = record, {}
        if key not in self._made:
            self._made[key] = LetterContext(source, upto, language, pictures=pictures)
        return self._made[key]


class LetterContext:
    """The open position of ``source`` after record ``upto``, shown in one language."""

    def __init__(
        self, source: Source, upto: int, language: Language = ENGLISH, *, pictures: bool = True
    ) -> None:
        self.pictures = pictures
        self.source = source
        self.language = language
        self.upto = upto
        self._tables: dict[tuple[Style, bool], str] = {}
        self._speaking: dict[Style, dict[str, Any]] = {}
        self._renderers: dict[tuple[Style, Clock | None, str, bool], EventRenderer] = {}

    @cached_property
    def view(self) -> JsonObject:
        """The public view, empty before the first ``open``."""
        return self.source.moment(self.upto).public or {}

    @cached_property
    def summary(self) -> JsonObject:
        """The game's derived figures."""
        return self.source.rules.summary(self.view) if self.view else {}

    @cached_property
    def picture(self) -> Picture | None:
        """The picture of the open table, if the game has one: of the public view, so that no hand can be in it."""
        return self._drawn(portrait=False)

    @cached_property
    def portrait(self) -> Picture | None:
        """The same for a phone."""
        return self._drawn(portrait=True)

    def _drawn(self, *, portrait: bool) -> Picture | None:
        if not self.view or not self.pictures:
            return None
        shape = "tall" if portrait else "table"
        return draw(
            self.source.game_info.id,
            self.view,
            self.source.rules.setup,
            self.names,
            self.summary,
            cid=f"{shape}-{self.upto}.{short_id(self.source.game)}@pbem.invalid",
            language=self.language,
            portrait=portrait,
        )

    def table(self, style: Style, *, pictured: bool = False) -> str:
        """The table in words, escaped as ``style`` needs it; empty before the first ``open``.

        ``pictured``: its HTML shows the picture, too, which the letter then has to bring along. It is the portrait, on
        every screen: one picture costs half of two, and the words of a wide one are too small on a phone.
        """
        key = style, pictured
        if key not in self._tables:
            self._tables[key] = self._draw(style, pictured=pictured) if self.view else ""
        return self._tables[key]

    def _draw(self, style: Style, *, pictured: bool) -> str:
        given = self.speaking(style) | {"view": self.view, "summary": self.summary}
        given["picture"] = self.portrait if pictured else None
        name = f"table.{style.value}.jinja"
        return game_template(style, self.source.game_info.id, name, self.language).render(given)

    @cached_property
    def names(self) -> Mapping[Seat, str]:
        """How the players are called up to this record."""
        return names_at(self.source, self.upto)

    @cached_property
    def hosted(self) -> str:
        """What is to be known of a host who plays, or was replaced; empty if neither is so, as with most."""
        source = self.source
        if "seat" not in source.genesis["host"] and not source.index.of_kinds((RETIRE.name,), self.upto):
            return ""
        sentence = host_plays(source, self.names, upto=self.upto)
        return "" if sentence is None else self.language.tell(sentence)

    def renderer(self, style: Style, clock: Clock | None, now: str, *, played: bool = False) -> EventRenderer:
        """Tells records with times as of ``now`` on ``clock``: the same for all readers who share it.

        ``played``: of records that were all played by default, so that none needs to say so.
        """
        key = style, clock, now, played
        if key not in self._renderers:
            context = self.speaking(style) | {"view": self.view, "clock": clock, "now": now}
            if played:
                context["played"] = True
            self._renderers[key] = EventRenderer(
                style, self.source.game_info.id, context, self.language, partial(begins_computer, self.source)
            )
        return self._renderers[key]

    def speaking(self, style: Style) -> dict[str, Any]:
        """What templates need to speak of seats; whoever adds to it takes a copy."""
        if style not in self._speaking:
            source, seats = self.source, self.source.seats
            proposals = source.index.of_kinds(HELD, source.lines[-1].seq)
            self._speaking[style] = {
                "who": speaker(style, self.names),
                "marks": marks(seats),
                "seats": seats,
                "setup": source.rules.setup,
                "proposed": {seq: source.lines[seq].body["what"] for seq in proposals},
            }
        return self._speaking[style]


# --- what is proposed about a seat, as letters tell it: a function of the lines, like all that they say ---

HELD = (PROPOSE.name, RESIGN.name)
"""Records by which something about a seat is held."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """An open proposal: ``what`` by whom, from when on it may be carried out."""

    seq: int
    kind: str
    seat: Seat
    by: tuple[Seat, ...]
    until: str


def open_proposals(source: Source, upto: int) -> tuple[Proposed, ...]:
    """The proposals that are open after record ``upto``."""
    return tuple(_read(line) for line in _open(source, upto).values())


def undone(source: Source, since: int, upto: int) -> tuple[Seat, ...]:
    """Seats whose own word, in a record after ``since`` and not after ``upto``, undid what was proposed about them."""
    if not source.index.of_kinds(HELD, upto):
        return ()
    seats: list[Seat] = []
    proposed = _open(source, since)
    for line in source.lines[since + 1 : upto + 1]:
        seats += [seat for seat in _words(line) if seat in proposed]
        _take(proposed, line)
    return tuple(dict.fromkeys(seats))


def _open(source: Source, upto: int) -> dict[Seat, Line]:
    """By seat, in the order in which they were proposed."""
    first = source.index.of_kinds(HELD, upto)[:1]
    proposed: dict[Seat, Line] = {}
    for line in source.lines[first[0] : upto + 1] if first else ():
        _take(proposed, line)
    return proposed


def _take(proposed: dict[Seat, Line], line: Line) -> None:
    for seat in _words(line):
        proposed.pop(seat, None)
    for seat, proposal in tuple(proposed.items()):
        counts = proposal.body["what"]["kind"] == proposal.kind and line.body["at"] >= proposal.body["until"]
        if counts or proposal.seq == line.body.get("proposal"):
            del proposed[seat]
    if line.kind in HELD:
        proposed[Seat(line.body["what"]["seat"])] = line


def _words(line: Line) -> Iterator[Seat]:
    """The seats that speak in this record, or that somebody new takes."""
    files: list[JsonObject] = list(line.body.get("consents", ()))
    if "msg" in line.body:
        files.append(line.body["msg"])
    for file in files:
        yield Seat(file["body"]["seat"])


def _read(line: Line) -> Proposed:
    body = line.body
    by = tuple(dict.fromkeys(Seat(file["body"]["seat"]) for file in body["consents"]))
    return Proposed(line.seq, body["what"]["kind"], Seat(body["what"]["seat"]), by, body["until"])
