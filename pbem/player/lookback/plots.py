"""The plots of the page, measured: ``templates/report/plot.html.jinja`` draws them, the page's CSS gives the colours.

Every plot has its content in words (``label``), and a table beside it says the same in numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import counted, sentence
from pbem.game import JsonObject

NARROW, WIDE = 360, 960
"""Widths of the drawings: a phone shows the narrow one without making its letters smaller."""
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
_ROUND = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 10**9)


class _Frame(NamedTuple):
    """Where the values of a plot lie: the corners of its field, and what their ends mean."""

    left: float
    right: float
    top: float
    bottom: float
    most: float
    low: float
    high: float

    def x(self, value: float) -> float:
        return round(self.left + (self.right - self.left) * value / self.most, 1)

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.bottom - (self.bottom - self.top) * share, 1)

    def points(self, pairs: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(across)},{self.y(up)}" for across, up in pairs)

    def drawn(self, classes: str, label: str, width: int, height: int, **parts: object) -> JsonObject:
        facts: JsonObject = {"classes": classes, "label": label, "width": width, "height": height}
        facts |= {"left": self.left, "right": self.right, "bottom": self.bottom}
        return facts | {"title": "", "band": "", "line": "", "bars": (), "dots": ()} | parts


def luck_plot(path: JsonObject, name: str, seat: int, language: Language = ENGLISH) -> JsonObject:
    """How far a player's hits lay from expectation, try by try, within the band of chance."""
    points = [(number, *(value / 1000 for value in rest)) for number, *rest in path["points"]]
    tries, at, low, high = points[-1]
    furthest = max(1.0, *(abs(value) for point in points for value in point[1:]))
    step = _step(furthest, 3)
    top = -(-int(furthest * 1000) // (step * 1000)) * step
    frame = _Frame(28, NARROW - 14, 10, 146, tries, -top, top)
    values = {
        "name": name,
        "hits": language.number(abs(at), 1),
        "low": f"{low:+.1f}",
        "high": f"{high:+.1f}",
    }
    label = (
        counted(
            "{name}: after {n} try {hits} hits more than expected; by chance alone between {low} and {high}.",
            "{name}: after {n} tries {hits} hits more than expected; by chance alone between {low} and {high}.",
            tries,
            **values,
        )
        if at >= 0
        else counted(
            "{name}: after {n} try {hits} hits fewer than expected; by chance alone between {low} and {high}.",
            "{name}: after {n} tries {hits} hits fewer than expected; by chance alone between {low} and {high}.",
            tries,
            **values,
        )
    )
    upper = [(number, high) for number, _, _, high in points]
    lower = [(number, low) for number, _, low, _ in reversed(points)]
    return frame.drawn(
        f"luck seat-{seat}",
        language.translate(label),
        NARROW,
        182,
        rows=[
            _row(frame, value, f"{value:+d}" if value else "0", base=not value) for value in _scale(top, step)
        ],
        columns=[
            {"at": frame.x(value), "label": value, "tick": True}
            for value in range(0, tries + 1, _step(tries, 6))
        ],
        title=language.gettext("tries"),
        band=frame.points([*upper, *lower]),
        line=frame.points((number, at) for number, at, _, _ in points),
        dots=[{"of": f"seat-{seat}", "x": frame.x(tries), "y": frame.y(at), "r": 3.5}],
    )


def answers_plot(
    rows: Sequence[JsonObject], names: Mapping[str, str], seats: Sequence[str], language: Language = ENGLISH
) -> JsonObject:
    """How many answers came within ten minutes, an hour, … of being asked, by player."""
    spans = [language.translate(span) for span in _SPANS]
    most = max(1, *(count for row in rows for count in row["spans"]))
    frame = _Frame(28, NARROW - 8, 18, 176, len(spans), 0, most)
    wide = min(18.0, (frame.x(1) - frame.x(0)) * 0.85 / len(rows))
    bars, lines = [], []
    for place, row in enumerate(rows):
        for span, count in enumerate(row["spans"]):
            left = frame.x(span + 0.5) + (place - len(rows) / 2) * wide
            if count:
                facts = {"x": round(left + 0.5, 1), "y": frame.y(count), "width": round(wide - 1, 1)}
                tall = round(frame.bottom - frame.y(count), 1)
                bars.append(facts | {"height": tall, "count": count, "of": _class(row["seat"], seats)})
        parts = [
            language.translate(sentence("{count} within {span}", count=count, span=span))
            for count, span in zip(row["spans"][:-1], spans[:-1], strict=True)
            if count
        ]
        if row["spans"][-1]:
            parts.append(language.translate(sentence("{count} later", count=row["spans"][-1])))
        lines.append(f"{names.get(row['seat'], row['seat'])}: {', '.join(parts)}")
    return frame.drawn(
        "answers",
        f"{language.gettext('Answers by time.')} {'; '.join(lines)}",
        NARROW,
        200,
        rows=[_row(frame, value, str(value), base=not value) for value in range(0, most + 1, _step(most, 5))],
        columns=[
            {"at": frame.x(place + 0.5), "label": span, "tick": False} for place, span in enumerate(spans)
        ],
        bars=bars,
    )


def timeline_plot(
    moments: Sequence[JsonObject],
    names: Mapping[str, str],
    seats: Sequence[str],
    width: int,
    language: Language = ENGLISH,
) -> JsonObject:
    """When each player's messages and the host's own records came."""
    rows = ["", *reversed(seats)]
    start, end = _seconds(moments[0]["at"]), _seconds(moments[-1]["at"])
    span, height = max(1, end - start), 44 + 26 * len(rows)
    frame = _Frame(76, width - 14, 6, height - 26, span, -0.5, len(rows) - 0.5)
    dots = []
    for number, seat in enumerate(rows):
        mine = [_seconds(moment["at"]) - start for moment in moments if moment.get("seat", "") == seat]
        for column in sorted({round(seconds / span * _MOST_COLUMNS) for seconds in mine}):
            across = frame.x(column * span / _MOST_COLUMNS)
            dots.append({"of": _class(seat, seats), "x": across, "y": frame.y(number), "r": 3.2})
    counts = [
        f"{names.get(seat, seat)} {sum(moment.get('seat') == seat for moment in moments)}" for seat in seats
    ]
    label = sentence(
        "Records from {first} to {last}. Messages: {counts}.",
        first=language.when(moments[0]["at"]),
        last=language.when(moments[-1]["at"]),
        counts=", ".join(counts),
    )
    called = [_short(names.get(seat, seat) if seat else language.gettext("the host")) for seat in rows]
    ticks = _ticks(start, span, 3 if width == NARROW else 8, language)
    return frame.drawn(
        "timeline",
        language.translate(label),
        width,
        height,
        rows=[_row(frame, number, name, base=not number) for number, name in enumerate(called)],
        columns=[{"at": frame.x(seconds), "label": words, "tick": True} for seconds, words in ticks],
        dots=dots,
    )


def _row(frame: _Frame, value: float, label: str, *, base: bool) -> JsonObject:
    return {"at": frame.y(value), "label": label, "base": base}


def _step(most: float, parts: int) -> int:
    """The smallest round number of which ``most`` has at most so many."""
    return next(size for size in _ROUND if most / size <= parts)


def _scale(top: int, step: int) -> range:
    return range(-top, top + 1, step)


def _class(seat: str, seats: Sequence[str]) -> str:
    return f"seat-{seats.index(seat)}" if seat in seats else "host"


def _seconds(at: str) -> int:
    try:
        return int(datetime.fromisoformat(at).timestamp())
    except ValueError:  # only in a file with faults
        return 0


def _ticks(start: int, span: int, most: int, language: Language) -> list[tuple[int, str]]:
    """Round times within ``span`` seconds from ``start``, at most about ``most`` of them."""
    step = next((size for size in _STEPS if span / size <= most), _STEPS[-1])
    first = -(-start // step) * step
    return [
        (at - start, _tick(datetime.fromtimestamp(at, UTC), step, span, language))
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
