"""A summary as a picture: what ``templates/charts/stats.svg.jinja`` draws, put into numbers."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.language import ENGLISH, Language, duration
from pbem.game import JsonObject
from pbem.player.lookback.summary import OriginTable, Summary
from pbem.player.pictures import Picture, draw_chart, marks

_MOST_PLAYERS = 12
"""More do not fit; the best of them are drawn, and the picture says how many are left out."""


def chart_of(summary: Summary, language: Language = ENGLISH) -> Picture:
    """The picture of a summary."""
    shown = [row.player for row in summary.results][:_MOST_PLAYERS]
    order = [player for player in summary.names if player in shown]
    letters = marks([f"{summary.names[player].lower()}{number}" for number, player in enumerate(order)])
    facts = {
        "title": summary.title,
        "subtitle": language.translate(summary.subtitle),
        "seats": order,
        "names": summary.names,
        "marks": dict(zip(order, letters.values(), strict=True)),
        "score_title": language.pgettext("figures", summary.score_title),
        "results": _results(summary, shown, language),
        "luck": _luck(summary, shown, language),
        "waits": _waits(summary, shown),
        "tables": [_table(table, order, language) for table in summary.tables],
        "left_out": len(summary.results) - len(shown),
    }
    return draw_chart("stats", facts, language)


def share(amount: float, most: float) -> float:
    """How much of the longest bar this one has."""
    return max(0.0, amount / most) if most > 0 else 0.0


def _results(summary: Summary, shown: Sequence[str], language: Language) -> list[JsonObject]:
    most = max((row.total for row in summary.results), default=0)
    many = len(summary.matches) > 1
    return [
        {
            "player": row.player,
            "share": share(row.total, most),
            "text": language.amount(row.total, summary.unit),
            "note": f"{row.wins}/{row.matches}" if many else ("★" if row.wins else ""),
        }
        for row in summary.results
        if row.player in shown
    ]


def _luck(summary: Summary, shown: Sequence[str], language: Language) -> list[JsonObject]:
    return [
        {
            "player": row.player,
            "what": language.translate(row.purpose),
            "text": f"{row.hits}/{row.count}",
            "rate": row.hits / row.count,
            "chance": float(row.expected) / row.count,
            "low": row.rate[0],
            "high": row.rate[1],
        }
        for row in summary.luck
        if row.player in shown or not row.player
    ]


def _waits(summary: Summary, shown: Sequence[str]) -> list[JsonObject]:
    most = max((row.seconds for row in summary.waits), default=0)
    return [
        {
            "player": row.player,
            "share": share(row.seconds, most),
            "text": duration(row.seconds),
            "note": duration(row.median),
        }
        for row in summary.waits
        if row.player in shown
    ]


def _table(table: OriginTable, order: Sequence[str], language: Language) -> JsonObject:
    most = max(sum(amounts.values()) for amounts in table.rows.values())
    rows = [
        {
            "name": language.pgettext("figures", name),
            "parts": [
                {"player": player, "share": share(amounts[player], most)}
                for player in order
                if amounts.get(player)
            ],
            "text": language.amount(sum(amounts.values()), table.unit),
        }
        for name, amounts in table.rows.items()
    ]
    return {"title": language.pgettext("figures", table.title), "rows": rows}
