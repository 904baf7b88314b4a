"""The match as a story: chapter by chapter (a hand, a turn of the game), record by record, in the words of the emails.

Everything shown is public. A file with faults is shown as far as it can be: a record that makes no sense is
called so, and the story goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from jinja2 import TemplateError

from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import sentence, term
from pbem.game import JsonObject
from pbem.player.letters.rendering import (
    EventRenderer,
    LetterContext,
    StoryEntry,
    Style,
    macros,
    story_of,
)
from pbem.protocol.audit import OPEN, Report
from pbem.protocol.record import Epoch, Ledger, Line, Record
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.verifier import BAD_VALUE_ERRORS

EVERYTHING = 1 << 30
RENDER_ERRORS = (*BAD_VALUE_ERRORS, TemplateError)
"""What writing a record may raise that no honest program wrote."""


def chapters_of(
    report: Report, ledger: Ledger, draws: Sequence[JsonObject], language: Language = ENGLISH
) -> list[JsonObject]:
    """The chapters: what came before the first deal, then one for each epoch that was opened."""
    entries = _entries(report, ledger, draws, language)
    counts: dict[int, Counter[str]] = {}
    for label in report.labels:
        counts.setdefault(ledger.lines[label.seq].body["epoch"], Counter())[label.label] += 1
    modes = {epoch.number: epoch.mode for epoch in report.epochs}
    starts = [ledger.lines[epoch.opened] for epoch in ledger.epochs.values() if epoch.opened is not None]
    chapters = [_chapter(None, language.gettext("Before play began"), 0, _before(starts, 0, ledger))]
    for number, line in enumerate(starts):
        epoch = ledger.epochs.get(line.body["epoch"])
        title = _title(ledger, line, number, language)
        chapter = _chapter(line.body["epoch"], title, line.seq, _before(starts, number + 1, ledger))
        chapter["draws"] = dict(counts.get(line.body["epoch"], {}))
        chapters.append(chapter | _state(epoch, modes))
    for chapter in chapters:
        chapter["entries"] = [
            entry for entry in entries if chapter["first"] <= entry["record"] <= chapter["last"]
        ]
    return chapters


def _before(starts: Sequence[Line], number: int, ledger: Ledger) -> int:
    """The last record of the chapter that comes before the opening ``number``."""
    return starts[number].seq - 1 if number < len(starts) else len(ledger.lines) - 1


def _chapter(epoch: int | None, title: str, first: int, last: int) -> JsonObject:
    return {"epoch": epoch, "title": title, "first": first, "last": last, "state": "joining", "draws": {}}


def _state(epoch: Epoch | None, modes: dict[int, str]) -> JsonObject:
    if epoch is None:
        return {"state": "running"}
    facts: JsonObject = {"seats": list(epoch.seats), "state": "running" if epoch.closed is None else "closed"}
    if epoch.closed is not None:
        facts["closed"] = epoch.closed
        if modes.get(epoch.number) == OPEN:
            facts["state"] = "proven"
    return facts


def _title(ledger: Ledger, line: Line, number: int, language: Language) -> str:
    """``Hand 3``, ``Space 5``: as the emails call it."""
    context = {
        "view": line.body.get("public", {}),
        "seats": ledger.seats,
        "names": {},
        "setup": ledger.rules.setup,
    }
    try:
        text = str(macros(Style.TEXT, ledger.info.id, "phases.jinja", context, language).chapter())
    except RENDER_ERRORS:
        return language.translate(sentence("Part {number}", number=number + 1))
    words = " ".join(text.split())
    return words[:1].upper() + words[1:]


def _entries(
    report: Report, ledger: Ledger, draws: Sequence[JsonObject], language: Language
) -> list[JsonObject]:
    """Each record that shows something, shows a draw, or has a fault."""
    story_entries = {entry.seq: entry for entry in _story_entries(ledger, language)}
    shown: dict[int, list[int]] = {}
    for index, draw in enumerate(draws):
        shown.setdefault(draw["record"], []).append(index)
    wrong: dict[int, list[int]] = {}
    for index, fault in enumerate(report.faults):
        wrong.setdefault(min(fault.seq, len(ledger.lines) - 1), []).append(index)
    rows = []
    for seq in sorted({*story_entries, *shown, *wrong}):
        line = ledger.lines[seq]
        rows.append(
            _entry(line, story_entries.get(seq), language)
            | {"shown": shown.get(seq, []), "faults": wrong.get(seq, [])}
        )
    return rows


def _entry(line: Line, entry: StoryEntry | None, language: Language) -> JsonObject:
    facts: JsonObject = {"record": line.seq, "at": line.at, "kind": line.kind}
    seat = _seat(line)
    if seat:
        facts["seat"] = seat
    if entry is None:
        named = sentence("The host ({kind})", kind=term(line.kind))
        title = sentence("A line that is not a record") if line.kind == "unreadable" else named
        return facts | {"title": language.translate(title), "sentences": []}
    facts |= {"title": entry.title, "sentences": list(entry.sentences)}
    return facts | ({"say": entry.say} if entry.say else {})


def _seat(line: Line) -> str:
    message = line.body.get("msg")
    return str(message["body"]["seat"]) if message else str(line.body.get("seat", ""))


def _story_entries(ledger: Ledger, language: Language) -> list[StoryEntry]:
    """Every record that shows something; until a substitute sits down the seat has its old player's name."""
    entries: list[StoryEntry] = []
    start = 0
    ends = [
        line.seq
        for line in ledger.lines
        if line.kind != "join" and line.kind in KINDS and KINDS[line.kind].newcomer
    ]
    for end in [*ends, len(ledger.lines) - 1]:
        lines = [line for line in ledger.lines[start : end + 1] if line.kind != "unreadable"]
        entries += _part(ledger, lines, end - 1 if end in ends else end, language)
        start = end + 1
    return entries


def _part(ledger: Ledger, lines: Sequence[Line], named_at: int, language: Language) -> list[StoryEntry]:
    """These records, with the names that the seats had at record ``named_at``."""
    try:
        record = Record(ledger)
        letter_context = LetterContext(record, named_at, language)
        context: dict[str, Any] = letter_context.speaking(Style.TEXT) | {"view": ledger.public or {}}
    except RENDER_ERRORS:
        return []
    try:
        renderer = EventRenderer(Style.TEXT, ledger.info.id, context, language)
        return list(story_of(renderer, lines, EVERYTHING).entries)
    except RENDER_ERRORS:
        return [entry for line in lines for entry in _alone(ledger, line, context, language)]


def _alone(ledger: Ledger, line: Line, context: dict[str, Any], language: Language) -> tuple[StoryEntry, ...]:
    """One record by itself, where writing all of them together failed."""
    try:
        return story_of(
            EventRenderer(Style.TEXT, ledger.info.id, context, language), [line], EVERYTHING
        ).entries
    except RENDER_ERRORS:
        return ()
