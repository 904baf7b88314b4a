"""The page: one HTML file made from the document, with its pictures, plots and style inside; it loads nothing.

Its size is bounded, whatever the match: of a very long one the newest records are given in full, older ones are folded
into a line that says how many and where they can be read. A record with a fault is never folded.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from pbem.base.language import ENGLISH, Language, duration
from pbem.game import JsonObject
from pbem.player.letters.rendering import Style, environment
from pbem.player.lookback.plots import NARROW, WIDE, answers_plot, luck_plot, timeline_plot
from pbem.player.lookback.symbols import symbol_name, symbols
from pbem.player.pictures import Picture
from pbem.protocol.record.record import AFTER_REVEAL, BOUND, FAIR, REFUTED

LARGEST_STORY = 900_000
"""About how many bytes of the page are for the story and its draws."""
MOST_FAULTS = 40
MOST_CHAPTERS = 400
_ENTRY, _DRAW = 420, 900
"""Bytes of an entry and of a draw, without their texts."""


def page_of(
    document: JsonObject,
    picture: Picture | None = None,
    portrait: Picture | None = None,
    *,
    language: Language = ENGLISH,
) -> str:
    """The page of a report; ``picture`` is the open table at the end of the file, ``portrait`` the same for a phone.

    ``language`` is that of the document.
    """
    seats = [player["seat"] for player in document["players"]]
    names = {player["seat"]: player["name"] for player in document["players"]}
    chapters = folded(document)
    shown = [
        document["open_draws"][n]
        for chapter in chapters
        for entry in chapter["entries"]
        for n in entry["shown"]
    ]
    number = {seat: place for place, seat in enumerate(seats)}
    given: dict[str, Any] = {
        "r": document,
        "names": names,
        "number": number,
        "luck": sorted(document["luck"], key=lambda row: number.get(row["seat"], len(seats))),
        "left_band": [path["seat"] for path in document["luck_paths"] if not path["inside"]],
        "broken": broken,
        "chapters": chapters,
        "faults": document["faults"][:MOST_FAULTS],
        "symbols": symbols(document["rules"], shown),
        "symbol_name": symbol_name,
        "table": _data_uri(picture) if picture else None,
        "tall": _data_uri(portrait) if portrait else None,
        "alt": picture.alt if picture else "",
        "left_names": language.listed(
            [names.get(path["seat"], path["seat"]) for path in document["luck_paths"] if not path["inside"]]
        ),
        "duration": duration,
        "amount": language.amount,
        "lang": language.code,
        "counts": _counts(document),
        "plots": _plots(document, names, seats, language),
    }
    return environment(Style.HTML, language).get_template("report/page.html.jinja").render(given)


_LONG = re.compile("[0-9a-f]{40,}|[0-9A-Za-z_-]{43}")


def broken(text: str) -> Markup:
    """A text whose long numbers may be broken anywhere, and its words only between them."""
    parts, done = Markup(""), 0
    for match in _LONG.finditer(text):
        parts += Markup("{}<span class=hex>{}</span>").format(text[done : match.start()], match[0])
        done = match.end()
    return parts + text[done:]


def _data_uri(picture: Picture) -> str:
    return "data:image/png;base64," + base64.b64encode(picture.png).decode("ascii")


def _counts(document: JsonObject) -> JsonObject:
    """Open draws by kind for the tiles on top; the labels that occur."""
    draws = document["open_draws"]
    kinds = Counter(draw["kind"] for draw in draws)
    labels = {label for chapter in document["chapters"] for label in chapter["draws"]}
    used = [label for label in (FAIR, AFTER_REVEAL, BOUND, REFUTED) if label in labels]
    return {"cards": kinds["card"], "dice": kinds["roll"], "used": used}


def _plots(
    document: JsonObject, names: dict[str, str], seats: Sequence[str], language: Language
) -> dict[str, Any]:
    """Every plot that has something to show."""
    plots: dict[str, Any] = {"luck": {}, "answers": None, "timeline": ()}
    for path in sorted(document["luck_paths"], key=lambda path: [*seats, path["seat"]].index(path["seat"])):
        if path["seat"] in seats and len(path["points"]) > 1:
            plot = luck_plot(path, names[path["seat"]], seats.index(path["seat"]), language)
            plots["luck"][path["seat"]] = plot
    if document["waiting"]:
        plots["answers"] = answers_plot(document["waiting"], names, seats, language)
    if len(document["timeline"]) > 1:
        plots["timeline"] = [
            timeline_plot(document["timeline"], names, seats, width, language) for width in (NARROW, WIDE)
        ]
    return plots


def folded(document: JsonObject, space: int = LARGEST_STORY) -> list[JsonObject]:
    """The chapters with the ``entries`` that are shown of each, and how much is ``folded``: records and draws."""
    draws = document["open_draws"]
    kept: set[int] = set()
    entries = [entry for chapter in document["chapters"] for entry in chapter["entries"]]
    faulty = [entry for entry in entries if entry["faults"]][:MOST_FAULTS]
    for entry in faulty:
        kept.add(entry["record"])
        space -= _size(entry, draws)
    for entry in reversed(entries):
        if entry["record"] in kept:
            continue
        space -= _size(entry, draws)
        if space < 0:
            break
        kept.add(entry["record"])
    chapters = [_folded(chapter, kept) for chapter in document["chapters"]]
    return chapters[:1] + chapters[1:][-MOST_CHAPTERS:]


def _size(entry: JsonObject, draws: Sequence[JsonObject]) -> int:
    number = sum(len(sentence.encode()) + 20 for sentence in entry["sentences"])
    shown = sum(_DRAW + len(draws[index]["by_hand"]) for index in entry["shown"])
    return _ENTRY + number + shown + len(entry.get("say", "").encode())


def _folded(chapter: JsonObject, kept: set[int]) -> JsonObject:
    entries = [entry for entry in chapter["entries"] if entry["record"] in kept]
    rest = [entry for entry in chapter["entries"] if entry["record"] not in kept]
    left = {"entries": len(rest), "draws": sum(len(entry["shown"]) for entry in rest)}
    return chapter | {"entries": entries, "folded": left}
