"""What happened, as sentences: records in, one paragraph for each out. The prose is the templates'.

A record's steps are shown by their events; a step without an event (a reaction passed, a sheriff refused) by its
action. Both are in their public form, so nothing here can tell what a viewer may not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.bots.labels import level_in, made_by_computer
from pbem.game import JsonObject, Seat
from pbem.player.letters.environment import Style, environment, macros, one_line
from pbem.player.letters.layout import clean
from pbem.player.letters.source import Line, Source
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.record import Label

MOST_SENTENCES = 120
"""More than this is not shown in a letter; the newest are kept."""


@dataclass(frozen=True, slots=True)
class StoryEntry:
    """One record as it is shown."""

    seq: int
    at: str
    title: str
    sentences: tuple[str, ...]
    say: str = ""
    tells: tuple[str, ...] = ()
    of: str = ""
    """With whose neighbours it is shown: a player's file, ``join`` or ``ready``; empty: alone."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Entries right behind each other that are shown together: one player's files, or all joins."""

    entries: tuple[StoryEntry, ...]

    @property
    def title(self) -> str:
        """Whose it is, as the first entry has it."""
        return self.entries[0].title

    @property
    def at(self) -> str:
        """When it began."""
        return self.entries[0].at

    @property
    def of(self) -> str:
        """What the entries have in common."""
        return self.entries[0].of


@dataclass(frozen=True, slots=True)
class Story:
    """The entries, oldest first, and how many records were left out before them."""

    entries: tuple[StoryEntry, ...]
    omitted: int = 0

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """The entries by player and turn."""
        stretches: list[list[StoryEntry]] = []
        for entry in self.entries:
            if stretches and entry.of and stretches[-1][0].of == entry.of:
                stretches[-1].append(entry)
            else:
                stretches.append([entry])
        return tuple(Stretch(tuple(entries)) for entries in stretches)


def story_of(renderer: EventRenderer, lines: Sequence[Line], most: int = MOST_SENTENCES) -> Story:
    """The story of these records, those that tell nothing left out; with at most about ``most`` sentences."""
    entries = [entry for entry in map(renderer.entry, lines) if entry is not None]
    room = most
    first = len(entries)
    while first and (room := room - len(entries[first - 1].sentences) - 1) >= 0:
        first -= 1
    first = min(first, max(len(entries) - 1, 0))
    return Story(tuple(_cut(entry, most) for entry in entries[first:]), first)


def _cut(entry: StoryEntry, most: int) -> StoryEntry:
    return entry if len(entry.sentences) <= most else replace(entry, sentences=entry.sentences[-most:])


def begins_computer(source: Source, line: Line) -> bool:
    """Whether the seat's file before this one was made by no computer."""
    seat = Seat(line.body["msg"]["body"]["seat"])
    before = next(source.index.files_of(seat, line.seq - 1), -1)
    return before < 0 or not made_by_computer(source.lines[before].body["msg"]["body"])


class EventRenderer:
    """The macros of one game, bound to one context; each record is shown once.

    ``context`` says how seats and times are named: ``LetterContext.speaking``, the reader's ``clock`` and ``now``, and
    ``played`` where nothing needs to be called a default. ``begins`` says of a file with a computer's mark whether the
    seat's file before it had none: it is shown once that a computer plays, not with each of its turns.
    """

    def __init__(
        self,
        style: Style,
        game: str,
        context: Mapping[str, Any],
        language: Language = ENGLISH,
        begins: Callable[[Line], bool] = lambda _: True,
    ) -> None:
        self._begins = begins
        self._events = macros(style, game, "events.jinja", context, language)
        self._generic = macros(style, "generic", "events.jinja", context, language)
        self._language = language
        records: Any = environment(style, language).get_template("records.jinja").make_module(dict(context))
        self._records = records
        self._told: dict[bytes, StoryEntry | None] = {}

    def entry(self, line: Line) -> StoryEntry | None:
        """The record as an entry, None if it tells nothing."""
        if line.hash not in self._told:
            self._told[line.hash] = self._entry(line)
        return self._told[line.hash]

    def _entry(self, line: Line) -> StoryEntry | None:
        body = line.body
        sentences = tuple(self._sentences(line))
        message = body.get("msg", {}).get("body", {})
        say = clean(message.get("say", ""))
        if say and (level := level_in(say)):
            say = ""
            if self._begins(line):
                notice = sentence("From here on the computer plays, at level {level}.", level=level)
                sentences = (*sentences, self._language.tell(notice))
        tells = tuple(tell["to"] for tell in message.get("tell", ()))
        if not sentences and not say and not tells:
            return None
        kind = KINDS[line.kind]
        by_a_player = kind.file is not None and bool(message)
        title = one_line(self._records.title(line.kind, body, by_a_player))
        told_with = line.kind if kind.gathers else str(message.get("seat", ""))
        return StoryEntry(line.seq, body["at"], title, sentences, say, tells, told_with)

    def _sentences(self, line: Line) -> Iterator[str]:
        key = KINDS[line.kind].text
        opening = one_line(getattr(self._records, f"said_{key}")(line.body)) if key else ""
        if opening:
            yield opening
        for step in line.body.get("steps", ()):
            yield from self._step(step)

    def _step(self, step: JsonObject) -> Iterator[str]:
        texts = [one_line(self.event(event)) for event in step["events"]]
        texts = [sentence for sentence in texts if sentence]
        if not texts and "action" in step:
            texts = [one_line(self._events.action(step["seat"], step["action"]))]
        note = one_line(self._records.by(step["by"], step.get("n")))
        for number, text in enumerate(texts):
            yield text + " " + note if note and number == 0 and text else text

    def event(self, event: JsonObject) -> str:
        """The sentence of one event: the game's own, else a plain listing of its fields."""
        sentence: str = self._events.sentence(event)
        return sentence if sentence.strip() else self._generic.sentence(event)


# --- proofs -----------------------------------------------------------------------------------------------
#
# The proof of every face-up card and die, as numbers that a reader can check by hand
# (schemas/README.md §4).


@dataclass(frozen=True, slots=True)
class Proof:
    """One face-up card (``deck`` set) or one die (``tape`` set), with its ``draw`` as the record is labelled.

    ``laid`` is the record that holds the deck's leaves or the tape's anchor; ``purpose`` what a roll was for.
    """

    seq: int
    draw: Label
    laid: int
    deck: str = ""
    gen: int = 0
    k: int = 0
    place: int = 0
    card: str = ""
    salt: str = ""
    tape: str = ""
    j: int = 0
    sides: int = 0
    value: int = 0
    link: str = ""
    purpose: str = ""


def proofs_of(source: Source, lines: Sequence[Line]) -> list[Proof]:
    """The proofs of these lines, in the order of the chance lists."""
    return [proof for line in lines for proof in _of_line(source, line)]


def _of_line(source: Source, line: Line) -> Iterator[Proof]:
    for draw in source.labels(line.seq):
        chance = line.body["steps"][draw.step]["chance"][draw.index]
        if "roll" in chance or chance.get("to") == "table":
            yield _proof(source, line, chance, draw)


def chances(body: JsonObject) -> Iterator[JsonObject]:
    """All chance entries of a record, in order."""
    for step in body.get("steps", ()):
        yield from step["chance"]


def _proof(source: Source, line: Line, chance: JsonObject, draw: Label) -> Proof:
    if "roll" in chance:
        return Proof(
            line.seq,
            draw,
            _announced(source, line),
            tape=chance["roll"],
            j=chance["j"],
            sides=chance["sides"],
            value=chance["value"],
            link=chance["link"],
            purpose=chance["for"],
        )
    return Proof(
        line.seq,
        draw,
        _laid(source, line, chance["draw"], chance["gen"]),
        deck=chance["draw"],
        gen=chance["gen"],
        k=chance["k"],
        place=chance["place"],
        card=chance["card"],
        salt=chance["salt"],
    )


def _announced(source: Source, line: Line) -> int:
    for seq in reversed(source.index.of_kinds(("announce",), line.seq - 1)):
        if source.lines[seq].body["epoch"] == line.body["epoch"]:
            return seq
    return -1


def _laid(source: Source, line: Line, deck: str, gen: int) -> int:
    """The record with the leaves: the announcement, or the step that shuffled the generation in."""
    if gen == 0:
        return _announced(source, line)
    for seq in range(line.seq, -1, -1):
        earlier = source.lines[seq]
        for chance in chances(earlier.body):
            if chance.get("shuffle") == deck and chance["gen"] == gen:
                return earlier.seq
    return -1
