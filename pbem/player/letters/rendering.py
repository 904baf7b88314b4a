"""How a record becomes text and tables: the templates' environments, records as sentences, the open position.

All ways of showing things stand over the same templates: ``TEXT`` escapes nothing, ``HTML`` escapes everything that is
not marked as safe, ``TERMINAL`` builds rich markup. A missing value is an error in all of them. A game's templates are
found by its id as a folder name; where a game has none of its own, those of ``generic`` serve.

A record's steps are shown by their events; a step without an event (a reaction passed, a sheriff refused) by its
action. Both are in their public form, so nothing here can show what a viewer may not know. What lies open after a
record is made once for a batch of emails; what a table's template is given holds no reader, so no table can differ by
who reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import cache, cached_property
from typing import Any, Final

from jinja2 import Environment, StrictUndefined, Template, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from pbem.base.language import ENGLISH, UTC_CLOCK, Clock, Language
from pbem.base.language.templates import template_cache, template_loader
from pbem.base.sentences import typed
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat, Setup
from pbem.player.letters.hosting import host_plays
from pbem.player.letters.layout import BLANKS, alone, capital, clean, clean_name, fill, grid, held
from pbem.player.letters.letter import HELD, Line, Source, names_at
from pbem.player.pictures import Picture, draw
from pbem.player.pictures import marks as marks  # pictures and words call a seat by the same letters
from pbem.player.pictures.picture import copies, plain_words
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.record import Label

_GENERIC = "generic"


class Style(Enum):
    """A way of showing things."""

    TEXT = "txt"
    HTML = "html"
    TERMINAL = "term"


class _BareEnvironment(Environment):
    """An environment whose templates have no globals of their own."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Those of the environment as they are: every import would go through a chain of one link name by name."""
        return super().make_globals(d) if d else self.globals


@cache
def environment(style: Style, language: Language = ENGLISH) -> Environment:
    """The environment of this style and language; built once."""
    env = _BareEnvironment(
        loader=template_loader(),
        autoescape=style is Style.HTML,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.do"],
        bytecode_cache=template_cache(style.value),
    )
    env.filters.update(
        clean=clean,
        words=plain_words,
        flat=one_line,
        held=held,
        alone=alone,
        copies=copies,
        markup=escape_markup,
        capitalize_first=capital,
        typed=typed,
    )

    @pass_context
    def listed(context: Context, seats: Iterable[str]) -> str:
        """``Anna, Burt and Curt``."""
        return language.listed([context["who"](seat) for seat in seats])

    @pass_context
    def when(context: Context, time: str) -> str:
        """On the reader's clock where an email has a reader, else as files have it."""
        clock = context.get("clock")
        return language.when(time) if clock is None else language.moment(time, str(context["now"]), clock)

    @pass_context
    def soonest(context: Context, time: str) -> str:
        """The same in the fewest letters, for a headline or a subject."""
        clock = context.get("clock") or UTC_CLOCK
        return language.brief(time, str(context["now"]), clock) if time[-1:] == "Z" else time

    env.globals.update(grid=grid, style=style.value, listed=listed)
    language.speak(env)
    env.filters |= {"when": when, "soonest": soonest}
    return env


def game_template(style: Style, game: str, name: str, language: Language = ENGLISH) -> Template:
    """The template ``name`` of this game, else the generic one."""
    return environment(style, language).select_template([f"{game}/{name}", f"{_GENERIC}/{name}"])


def macros(
    style: Style, game: str, name: str, context: Mapping[str, Any], language: Language = ENGLISH
) -> Any:
    """The module of a game's macro file, bound to ``context``; its macros can be called."""
    return game_template(style, game, name, language).make_module(dict(context))


def standing_macros(
    style: Style,
    game: str,
    setup: Setup,
    names: Mapping[Seat, str],
    view: JsonObject,
    language: Language = ENGLISH,
) -> Any:
    """The macros of ``standing.jinja`` about one match; ``view`` is its public view."""
    context = {"who": speaker(style, names), "seats": setup.seats, "setup": setup, "view": view}
    context["phases"] = macros(style, game, "phases.jinja", context, language)
    return environment(style, language).get_template("standing.jinja").make_module(context)


def one_line(text: str) -> str:
    """The output of a macro without the line breaks of its source; still ``Markup`` if it was.

    A blank that holds a number and its sign together stays one.
    """
    flat = BLANKS.sub(" ", text).strip(" ")
    return Markup(flat) if isinstance(text, Markup) else flat  # noqa: S704 - it was safe before


def speaker(style: Style, names: Mapping[Any, str]) -> Callable[[str], str]:
    """How a seat is named: by its player, else by its id."""

    @cache
    def who(seat: str) -> str:
        name = clean_name(names.get(seat, seat)) or seat
        if style is Style.HTML:
            return Markup("<b>{}</b>").format(name)
        if style is Style.TERMINAL:
            return "[bold]" + escape_markup(name) + "[/]"
        return name

    return who


MARKUP: Final = re.compile(r"(?<!\\)(\\*)(\[[a-z#/@][^\[]*?\])")
"""A tag of rich, behind the backslashes that escape it."""


def escape_markup(text: str) -> str:
    """``text`` with nothing in it that rich would read as markup."""
    escaped = MARKUP.sub(lambda tag: 2 * tag[1] + "\\" + tag[2], text)
    return escaped + "\\" if escaped.endswith("\\") and not escaped.endswith("\\\\") else escaped


# --- records as sentences: one paragraph for each; the prose is the templates' ---------------------------

MOST_SENTENCES = 120
"""More than this is not shown in an email; the newest are kept."""


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
    """The story of these records, those that show nothing left out; with at most about ``most`` sentences."""
    entries = [entry for entry in map(renderer.entry, lines) if entry is not None]
    space = most
    first = len(entries)
    while first and (space := space - len(entries[first - 1].sentences) - 1) >= 0:
        first -= 1
    first = min(first, max(len(entries) - 1, 0))
    return Story(tuple(_cut(entry, most) for entry in entries[first:]), first)


def _cut(entry: StoryEntry, most: int) -> StoryEntry:
    return entry if len(entry.sentences) <= most else replace(entry, sentences=entry.sentences[-most:])


class EventRenderer:
    """The macros of one game, bound to one context; each record is shown once.

    ``context`` says how seats and times are named: ``LetterContext.speaking``, the reader's ``clock`` and ``now``, and
    ``played`` where nothing needs to be called a default.
    """

    def __init__(
        self,
        style: Style,
        game: str,
        context: Mapping[str, Any],
        language: Language = ENGLISH,
    ) -> None:
        self._events = macros(style, game, "events.jinja", context, language)
        self._generic = macros(style, "generic", "events.jinja", context, language)
        self._language = language
        records: Any = environment(style, language).get_template("records.jinja").make_module(dict(context))
        self._records = records
        self._entries: dict[bytes, StoryEntry | None] = {}

    def entry(self, line: Line) -> StoryEntry | None:
        """The record as an entry, None if it shows nothing."""
        if line.hash not in self._entries:
            self._entries[line.hash] = self._entry(line)
        return self._entries[line.hash]

    def _entry(self, line: Line) -> StoryEntry | None:
        body = line.body
        sentences = tuple(self._sentences(line))
        message = body.get("msg", {}).get("body", {})
        say = clean(message["say"]) if "say" in message else ""
        tells = tuple(tell["to"] for tell in message.get("tell", ()))
        if not sentences and not say and not tells:
            return None
        kind = KINDS[line.kind]
        by_a_player = kind.file is not None and bool(message)
        title = one_line(self._records.title(line.kind, body, by_a_player))
        shown_with = line.kind if kind.gathers else str(message.get("seat", ""))
        return StoryEntry(line.seq, body["at"], title, sentences, say, tells, shown_with)

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


# --- the open position, the same for all readers of a language --------------------------------------------


class LetterContexts:
    """What emails about one record share, by language and whether they show pictures; only the newest is kept."""

    def __init__(self) -> None:
        self._record: tuple[bytes, int] | None = None
        self._contexts: dict[tuple[Language, bool], LetterContext] = {}

    def of(self, source: Source, upto: int, language: Language, *, pictures: bool) -> LetterContext:
        """The open position after record ``upto``, shown in ``language``."""
        record, key = (source.lines[upto].hash, upto), (language, pictures)
        if record != self._record:
            self._record, self._contexts = record, {}
        if key not in self._contexts:
            self._contexts[key] = LetterContext(source, upto, language, pictures=pictures)
        return self._contexts[key]


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
        self._renderers: dict[tuple[Style, str, str, bool], EventRenderer] = {}
        self._waiting: dict[Style, Any] = {}
        self._macros: dict[tuple[Style, str], Any] = {}
        self._proofs: dict[int, tuple[Proof, ...]] = {}

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

        ``pictured``: its HTML shows the picture, too, which the email then has to bring along. It is the portrait, on
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
        """What is to be known of a host who plays; empty if the host does not, as with most."""
        if "seat" not in self.source.genesis["host"]:
            return ""
        sentence = host_plays(self.source, self.names, upto=self.upto)
        return "" if sentence is None else self.language.translate(sentence)

    def renderer(self, style: Style, clock: Clock | None, now: str, *, played: bool = False) -> EventRenderer:
        """Writes records with times as of ``now`` on ``clock``: the same for all readers who share it.

        ``played``: of records that were all played by default, so that none needs to say so.
        """
        key = style, "" if clock is None else clock.name, now, played
        if key not in self._renderers:
            context = self.speaking(style) | {"view": self.view, "clock": clock, "now": now}
            if played:
                context["played"] = True
            self._renderers[key] = EventRenderer(style, self.source.game_info.id, context, self.language)
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

    def macros(self, style: Style, name: str) -> Any:
        """A macro file of the game, bound to this position: it is the same for every reader."""
        if (style, name) not in self._macros:
            game, context = self.source.game_info.id, self.speaking(style) | {"view": self.view}
            self._macros[style, name] = macros(style, game, name, context, self.language)
        return self._macros[style, name]

    def waiting(self, style: Style) -> Any:
        """The macros about what the match waits for, bound to this position."""
        if style not in self._waiting:
            game, setup = self.source.game_info.id, self.source.rules.setup
            self._waiting[style] = standing_macros(style, game, setup, self.names, self.view, self.language)
        return self._waiting[style]

    def proofs(self, lines: Sequence[Line]) -> list[Proof]:
        """The proofs of these records, in the order of the chance lists."""
        for line in lines:
            if line.seq not in self._proofs:
                self._proofs[line.seq] = tuple(_of_line(self.source, line))
        return [proof for line in lines for proof in self._proofs[line.seq]]


def story_text(
    source: Source,
    since_seq: int,
    upto_seq: int,
    language: Language = ENGLISH,
    clock: Clock | None = None,
    *,
    timed: bool = True,
) -> str:
    """What happened in the records after ``since_seq``, as plain text at 76 columns.

    ``clock``: whose times these are, if anybody's; without one each record has its number too, as commands name it.
    Without ``timed`` both are left out.
    """
    letter_context = LetterContext(source, upto_seq, language)
    now = str(source.lines[upto_seq].body["at"])
    context = letter_context.speaking(Style.TEXT) | {"view": letter_context.view, "clock": clock, "now": now}
    lines = source.lines[since_seq + 1 : upto_seq + 1]
    story = story_of(letter_context.renderer(Style.TEXT, clock, now), lines)
    template = environment(Style.TEXT, language).get_template("story.txt.jinja")
    return fill(template.render(context | {"story": story, "timed": timed}))


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


def _of_line(source: Source, line: Line) -> Iterator[Proof]:
    for label in source.labels(line.seq):
        chance = line.body["steps"][label.step]["chance"][label.index]
        if "roll" in chance or chance.get("to") == "table":
            yield _proof(source, line, chance, label)


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
        _committed_at(source, line, chance["draw"], chance["gen"]),
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


def _committed_at(source: Source, line: Line, deck: str, gen: int) -> int:
    """The record with the leaves: the announcement, or the step that shuffled the generation in."""
    if gen == 0:
        return _announced(source, line)
    for seq in range(line.seq, -1, -1):
        earlier = source.lines[seq]
        for chance in chances(earlier.body):
            if chance.get("shuffle") == deck and chance["gen"] == gen:
                return earlier.seq
    return -1
