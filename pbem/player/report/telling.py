"""The match as a story: chapter by chapter (a hand, a turn of the game), record by record, in the words of the emails.

Everything shown is public. A file with faults is shown as far as it can be: a record that makes no sense is
called so, and the story goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from jinja2 import TemplateError

from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import sentence, term
from pbem.game import JsonObject
from pbem.player.history.summary import CONFIDENCE, at_least_as_odd, distribution, interval
from pbem.player.letters.by_hand import card_proof, purpose_words, roll_proof
from pbem.player.letters.layout import clean
from pbem.player.letters.rendering import (
    EventRenderer,
    LetterContext,
    StoryEntry,
    Style,
    macros,
    story_of,
)
from pbem.protocol.audit import OPEN, Draw, Luck, Report, luck_of
from pbem.protocol.record import Epoch, Label, Ledger, Line, Record
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
    for number, label in labels_by_epoch(ledger, report.labels):
        counts.setdefault(number, Counter())[label.label] += 1
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


# --- entries ------------------------------------------------------------------------------------------------


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


# --- draws ------------------------------------------------------------------------------------------------
#
# Every card that was turned up and every die of a match, with its label and the numbers to check it by
# hand.


def hidden_draws(labels: Sequence[Label]) -> dict[str, int]:
    """How many cards went face down into hands, by label."""
    return dict(Counter(label.label for label in labels if label.kind == "hand"))


def open_draws(
    ledger: Ledger, labels: Sequence[Label], trials: Sequence[Draw], language: Language = ENGLISH
) -> list[JsonObject]:
    """Each open draw, in the order of the file.

    ``hit`` is there where the game calls the draw a trial: where a record has as many trials as open draws.
    """
    given = {"names": {}, "seats": (), "setup": ledger.rules.setup}
    words = macros(Style.TEXT, ledger.info.id, "words.jinja", given, language)
    by_record = trials_by_record(trials)
    shown: dict[int, list[Label]] = {}
    for label in labels:
        if label.kind != "hand":
            shown.setdefault(label.seq, []).append(label)
    draws = []
    for seq, mine in shown.items():
        hits = [draw.trial.success for draw in by_record.get(seq, [])]
        same = len(hits) == len(mine)
        for number, label in enumerate(mine):
            fields = _draw_facts(ledger, label, words)
            draws.append(fields | ({"hit": hits[number]} if same else {}))
    return draws


def _draw_facts(ledger: Ledger, label: Label, words: Any) -> JsonObject:
    facts: JsonObject = {
        "record": label.seq,
        "kind": label.kind,
        "shown": _name(label, words),
        "label": label.label,
        "number": label.number,
    }
    if label.seat:
        facts["seat"] = label.seat
    if label.again:
        facts |= {"again": list(label.again), "thrown_away": label.thrown_away}
        facts |= {"retaken": True} if label.retaken else {}
    if label.left_out:
        facts |= {"left_out": list(label.left_out), "cut_by": list(label.cut_by)}
    if label.served:
        facts["served"] = list(label.served)
    if label.unknown:
        facts["unknown"] = list(label.unknown)
    if label.kind == "card":
        facts |= {"card": label.text, "deck": label.source, "generation": label.gen, "place": label.place}
        prove = card_proof
    else:
        facts |= {
            "value": int(label.text),
            "sides": label.sides,
            "tape": label.source,
            "purpose": label.purpose,
            "rolled_for": purpose_words(words, label.purpose),
        }
        prove = roll_proof
    try:
        proof = prove(ledger, label)
    except BAD_VALUE_ERRORS as fault:  # only in a file with faults
        return facts | {"holds": False, "by_hand": f"it cannot be checked: {clean(repr(fault))}"}
    return facts | {
        "laid": proof["laid"],
        "holds": proof["holds"],
        "by_hand": proof["text"],
        "numbers": _numbers(proof),
    }


def _name(label: Label, words: Any) -> str:
    """How a person calls it; a card that the game does not know by its id."""
    if label.kind != "card":
        return label.text
    try:
        return " ".join(str(words.card(label.text)).split())
    except (LookupError, TypeError, AttributeError):
        return clean(label.text)


_TEXTS = ("text", "holds", "laid", "card", "value", "place", "roll", "tape")


def _numbers(proof: JsonObject) -> JsonObject:
    """What goes in and what comes out, without what is said beside it."""
    return {name: value for name, value in proof.items() if name not in _TEXTS}


def labels_by_epoch(ledger: Ledger, labels: Sequence[Label]) -> Iterator[tuple[int, Label]]:
    """Each label with the epoch of its record."""
    for label in labels:
        yield ledger.lines[label.seq].body["epoch"], label


# --- luck against exact expectation, with a band that says honestly how far chance alone goes -------------
#
# Two questions, two answers. *How many hits in all?* ``low`` to ``high`` of a row holds the number of hits
# with at least 95 % by chance alone. *Did the luck ever leave the band on its way?* A path of many tries
# leaves a pointwise band much more often than one time in twenty; so the band of a path is simultaneous: by
# chance alone the **whole** path stays inside with at least 95 %. Both are exact sums over the chances each
# try had, no approximation. Tries count as independent; cards of one deck are not, they vary less: for them
# the bands are rather too wide than too narrow.

MOST_POINTS = 300
"""A path with more tries is shown at every second one, every third, …"""
_TAILS = tuple((1 - CONFIDENCE) / 1.35**step for step in range(20))
"""Pointwise tails that are tried, widest first, until the whole path stays inside often enough."""
_NOTHING = 1e-12


def luck_rows(draws: Sequence[Draw]) -> list[JsonObject]:
    """By seat and kind: hits, due, the range of chance, the interval of the true rate, how odd it is."""
    return [_row(luck, _of(draws, luck)) for luck in luck_of(draws)]


def _of(draws: Sequence[Draw], luck: Luck) -> list[Draw]:
    return [d for d in draws if d.trial.seat == luck.seat and luck.purpose in ("", d.trial.label)]


def _row(luck: Luck, mine: Sequence[Draw]) -> JsonObject:
    odds = [draw.odds for draw in mine]
    low, high = chance_range(distribution(odds))
    rates = interval(luck.hits, luck.count)
    return luck.to_json() | {
        "range": [low, high],
        "interval_thousandths": [round(1000 * rate) for rate in rates],
        "as_odd_thousandths": round(1000 * at_least_as_odd(luck.hits, odds)),
    }


def chance_range(chances: Sequence[float], tail: float = 1 - CONFIDENCE) -> tuple[int, int]:
    """The narrowest ``low`` to ``high`` that leave out at most half of ``tail`` on either side."""
    low, below = 0, 0.0
    while below + chances[low] <= tail / 2:
        below += chances[low]
        low += 1
    high, above = len(chances) - 1, 0.0
    while above + chances[high] <= tail / 2:
        above += chances[high]
        high -= 1
    return low, high


def paths(draws: Sequence[Draw]) -> list[JsonObject]:
    """For each seat how far the hits lay from expectation after each try, and the band around it; in thousandths."""
    seats = dict.fromkeys(draw.trial.seat for draw in draws)
    return [_path(seat, [draw for draw in draws if draw.trial.seat == seat]) for seat in seats]


def _path(seat: str, mine: Sequence[Draw]) -> JsonObject:
    odds = [draw.odds for draw in mine]
    band = simultaneous_band(odds)
    stride = -(-len(mine) // MOST_POINTS)
    due, hits, inside = Fraction(0), 0, True
    points = [[0, 0, 0, 0]]
    for number, draw in enumerate(mine, start=1):
        due, hits = due + draw.odds, hits + draw.trial.success
        low, high = band[number]
        inside = inside and low <= hits <= high
        if number % stride == 0 or number == len(mine):
            points.append([number, *(round(1000 * (count - due)) for count in (hits, low, high))])
    return {"seat": seat, "inside": inside, "points": points}


def simultaneous_band(odds: Sequence[Fraction]) -> list[tuple[int, int]]:
    """For 0, 1, 2 … tries the fewest and the most hits, so that a whole path stays inside with 95 %."""
    bands = _pointwise([float(odd) for odd in odds])
    for band in bands:
        if _stays([float(odd) for odd in odds], band) >= CONFIDENCE:
            return band
    return bands[-1]


def _pointwise(rates: Sequence[float]) -> list[list[tuple[int, int]]]:
    """A band for each tail: the range of chance after each number of tries."""
    bands: list[list[tuple[int, int]]] = [[(0, 0)] for _ in _TAILS]
    start, chances = 0, [1.0]
    for rate in rates:
        start, chances = _next(start, chances, rate)
        for band, tail in zip(bands, _TAILS, strict=True):
            low, high = chance_range(chances, tail)
            band.append((start + low, start + high))
    return bands


def _stays(rates: Sequence[float], band: Sequence[tuple[int, int]]) -> float:
    """The chance that the hits never leave the band."""
    start, chances = 0, [1.0]
    for rate, (low, high) in zip(rates, band[1:], strict=True):
        start, chances = _next(start, chances, rate)
        first, last = max(low, start), min(high, start + len(chances) - 1)
        start, chances = first, chances[first - start : last - start + 1]
    return sum(chances)


def _next(start: int, chances: Sequence[float], rate: float) -> tuple[int, list[float]]:
    """The distribution of the hits (from ``start`` on) after one more try; what can be neglected is cut off."""
    after = [0.0] * (len(chances) + 1)
    for count, chance in enumerate(chances):
        after[count] += chance * (1 - rate)
        after[count + 1] += chance * rate
    first, last = 0, len(after)
    while last - first > 1 and after[first] < _NOTHING:
        first += 1
    while last - first > 1 and after[last - 1] < _NOTHING:
        last -= 1
    return start + first, after[first:last]


def trials_by_record(draws: Iterable[Draw]) -> dict[int, list[Draw]]:
    """The trials of each record, in order."""
    by_record: dict[int, list[Draw]] = {}
    for draw in draws:
        by_record.setdefault(draw.seq, []).append(draw)
    return by_record
