"""The plots of the report, drawn by pygal: SVG that stands inside the page and takes its colours from the page's CSS.

pygal writes a style sheet, a script and tooltips into each drawing; all of it is taken out again, so that one sheet
serves light, dark and paper, and nothing runs. Every plot has a name and its content in words (``role="img"``), and a
table beside it says the same in numbers. pygal is imported only when a page is made.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from markupsafe import Markup

from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import counted, sentence
from pbem.game import JsonObject

if TYPE_CHECKING:
    from collections.abc import Mapping

NARROW, WIDE = 360, 960
"""Widths of the drawings: a phone shows the narrow one without making its letters smaller."""
_FONT = 11
_SPANS = (
    sentence("10 min"),
    sentence("1 h"),
    sentence("6 h"),
    sentence("1 day"),
    sentence("3 days"),
    sentence("more"),
)
_MOST_COLUMNS = 320
"""Moments that fall into one column of the timeline are drawn once."""


def luck_plot(path: JsonObject, name: str, seat: int, language: Language = ENGLISH) -> Markup:
    """How far a player's hits lay from expectation, try by try, within the band of chance."""
    points = [[number, *(value / 1000 for value in rest)] for number, *rest in path["points"]]
    chart = _chart("XY", NARROW, 190, fill=True, show_dots=False, x_title=language.gettext("tries"))
    chart.x_labels = _counts(points[-1][0])
    chart.y_labels = _heights([value for point in points for value in point[1:]])
    chart.add("high", [(number, high) for number, _, _, high in points])
    chart.add("low", [(number, low) for number, _, low, _ in points])
    chart.add("luck", [(number, at) for number, at, _, _ in points], fill=False)
    tries, at, low, high = points[-1]
    labels = {
        "name": name,
        "hits": language.number(abs(at), 1),
        "low": f"{low:+.1f}",
        "high": f"{high:+.1f}",
    }
    label = language.translate(
        counted(
            "{name}: after {n} try {hits} hits more than expected; by chance alone between {low} and {high}.",
            "{name}: after {n} tries {hits} hits more than expected; by chance alone between {low} and {high}.",
            tries,
            **labels,
        )
        if at >= 0
        else counted(
            "{name}: after {n} try {hits} hits fewer than expected; by chance alone between {low} and {high}.",
            "{name}: after {n} tries {hits} hits fewer than expected; by chance alone between {low} and {high}.",
            tries,
            **labels,
        )
    )
    return _svg(chart, label, f"luck seat-{seat}")


def _counts(most: int) -> list[int]:
    step = next(size for size in _ROUND if most / size <= 6)
    return list(range(0, most + 1, step))


_ROUND = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 10**9)


def _heights(values: Sequence[float]) -> list[int]:
    most = max(1.0, *(abs(value) for value in values))
    step = next(size for size in _ROUND if most / size <= 3)
    top = -(-int(most * 1000) // (step * 1000)) * step
    return list(range(-top, top + 1, step))


def answers_plot(
    rows: Sequence[JsonObject], names: Mapping[str, str], seats: Sequence[str], language: Language = ENGLISH
) -> Markup:
    """How many answers came within ten minutes, an hour, … of being asked, by player."""
    spans = [language.translate(span) for span in _SPANS]
    chart = _chart("Bar", NARROW, 200, x_labels=spans, show_x_guides=False)
    most = max(count for row in rows for count in row["spans"])
    chart.y_labels = _counts(max(1, most))
    lines = []
    for row in rows:
        chart.add(names.get(row["seat"], row["seat"]), row["spans"])
        parts = [
            language.translate(sentence("{count} within {span}", count=count, span=span))
            for count, span in zip(row["spans"][:-1], spans[:-1], strict=True)
            if count
        ]
        last = row["spans"][-1]
        late = [language.translate(sentence("{count} later", count=last))] if last else []
        lines.append(f"{names.get(row['seat'], row['seat'])}: {', '.join(parts + late)}")
    classes = [f"seat-{seats.index(row['seat'])}" if row["seat"] in seats else "" for row in rows]
    return _svg(chart, f"{language.gettext('Answers by time.')} {'; '.join(lines)}", "answers", classes)


def timeline_plot(
    moments: Sequence[JsonObject],
    names: Mapping[str, str],
    seats: Sequence[str],
    width: int,
    language: Language = ENGLISH,
) -> Markup:
    """When each player's messages and the host's own records came."""
    rows = ["", *reversed(seats)]
    start, end = _seconds(moments[0]["at"]), _seconds(moments[-1]["at"])
    span = max(1, end - start)
    chart = _chart("XY", width, 44 + 26 * len(rows), stroke=False, dots_size=3.2, include_x_axis=False)
    chart.y_labels = [
        {"value": number, "label": _short(names.get(seat, seat) if seat else language.gettext("the host"))}
        for number, seat in enumerate(rows)
    ]
    chart.range = (-0.5, len(rows) - 0.5)
    chart.xrange = (0, span)
    chart.x_labels = _ticks(start, span, 3 if width == NARROW else 8, language)
    for number, seat in enumerate(rows):
        mine = sorted(
            {
                _column(_seconds(moment["at"]) - start, span)
                for moment in moments
                if moment.get("seat", "") == seat
            }
        )
        chart.add(seat or "host", [(at, number) for at in mine])
    counts = [
        f"{names.get(seat, seat)} {sum(moment.get('seat') == seat for moment in moments)}" for seat in seats
    ]
    first, last = language.when(moments[0]["at"]), language.when(moments[-1]["at"])
    text = sentence(
        "Records from {first} to {last}. Messages: {counts}.",
        first=first,
        last=last,
        counts=", ".join(counts),
    )
    label = language.translate(text)
    classes = ["host", *(f"seat-{seats.index(seat)}" for seat in rows[1:])]
    return _svg(chart, label, "timeline", classes)


def _column(seconds: int, span: int) -> float:
    return round(seconds / span * _MOST_COLUMNS) * span / _MOST_COLUMNS


def _seconds(at: str) -> int:
    try:
        return int(datetime.fromisoformat(at).timestamp())
    except ValueError:  # only in a file with faults
        return 0


def _ticks(start: int, span: int, most: int, language: Language) -> list[JsonObject]:
    """Round times within ``span`` seconds from ``start``, at most about ``most`` of them."""
    step = next((size for size in _STEPS if span / size <= most), _STEPS[-1])
    first = -(-start // step) * step
    return [
        {"value": at - start, "label": _tick(datetime.fromtimestamp(at, UTC), step, span, language)}
        for at in range(first, start + span + 1, step)
    ]


def _tick(at: datetime, step: int, span: int, language: Language) -> str:
    day, hour = language.month_day(at), f"{at:%H:%M}"
    return day if step >= _DAY else f"{day} {hour}" if span > _DAY else hour


_DAY = 86_400
_STEPS = (
    60,
    600,
    1800,
    3600,
    3 * 3600,
    6 * 3600,
    12 * 3600,
    *(_DAY * days for days in (1, 2, 7, 14, 30, 91, 365)),
)


def _short(name: str) -> str:
    return name if len(name) <= 12 else name[:11].rstrip() + "…"


def _chart(kind: str, width: int, height: int, **more: Any) -> Any:
    """A chart of pygal with our measures; what it looks like is the page's business."""
    import pygal.style

    # For its plugins pygal puts a finder into the interpreter's import machinery. It is of a kind that Python
    # gave up, and from then on every module that is not found would be a warning. We have no plugins.
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != "pygal"]
    style = pygal.style.Style(
        label_font_size=_FONT, major_label_font_size=_FONT, title_font_size=_FONT, font_family="sans-serif"
    )
    chart = getattr(pygal, kind)(
        width=width,
        height=height,
        style=style,
        js=[],
        show_legend=False,
        margin=6,
        margin_right=16,
        spacing=8,
        print_values=False,
        **more,
    )
    chart.uuid = "plot"  # pygal makes one up at random; nothing refers to it
    return chart


def _svg(chart: Any, label: str, classes: str, series: Sequence[str] = ()) -> Markup:
    """The drawing alone: without styles, scripts, tooltips and hidden copies of its numbers."""
    root = ET.fromstring(chart.render(is_unicode=True))  # noqa: S314 - what pygal has just written
    _strip(root)
    for number, extra in enumerate(series):
        for element in root.iter("g"):
            if f"serie-{number}" in element.get("class", "").split():
                element.set("class", f"{element.get('class')} {extra}")
    view = root.get("viewBox", "")
    root.attrib.clear()
    root.attrib.update({"class": f"plot {classes}", "viewBox": view, "role": "img", "aria-label": label})
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704 - made and escaped by ElementTree


_DROPPED = ("defs", "desc", "title", "script", "style")
_OVERLAYS = ("tooltip-overlay", "text-overlay")


def _strip(element: ET.Element) -> None:
    element.tag = element.tag.rpartition("}")[2]
    for child in list(element):
        name = child.tag.rpartition("}")[2]
        if name in _DROPPED or any(overlay in child.get("class", "") for overlay in _OVERLAYS):
            element.remove(child)
        else:
            _strip(child)
