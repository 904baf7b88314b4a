"""Where money or points came from: tables that a game's ``figures.json`` asks for, added up from public events.

``templates/<game>/figures.json`` says what the score is called and where it stands, and for each table which events
count. A table has one of three forms:

* ``row`` names the row in the event and ``amounts`` a member with a number for each seat;
* ``row``, ``seat`` and ``amount`` name the row, who gets it and how much (1 each without ``amount``);
* without ``row``: the rows are members of the event, ``seat`` says whose they are.

``rows`` gives the rows in order, with their names. ``now`` is where the same stands while the match is running: a path
into the public view or the summary, ``*`` for the seat. So nothing here knows which game it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from pbem.base.resources import game_dir
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.protocol.record import Line, Record


@dataclass(frozen=True, slots=True)
class Score:
    """What decides the match: its name, its unit and how much each seat has (now, or at the end)."""

    title: str
    unit: str
    by_seat: Mapping[Seat, int]


@dataclass(frozen=True, slots=True)
class Figures:
    """A table: a name and the numbers by seat for each row."""

    title: str
    unit: str
    rows: tuple[tuple[str, Mapping[Seat, int]], ...]

    @property
    def empty(self) -> bool:
        """Whether nothing was counted."""
        return not any(amount for _, amounts in self.rows for amount in amounts.values())


@cache
def _asked_for(game: str) -> JsonObject:
    path = game_dir(game, "templates") / "figures.json"
    if not path.is_file():
        return {"score": {}, "tables": []}
    facts: JsonObject = json.loads(path.read_text(encoding="utf-8"))
    return facts


def standing_lines(lines: Sequence[Line]) -> list[Line]:
    """The records that still count: those that a rewind took back are left out."""
    kept: list[Line] = []
    for line in lines:
        if line.kind == "rewind":
            upto = line.body["what"]["to"]["seq"]
            kept = [old for old in kept if old.seq <= upto or "steps" not in old.body]
        kept.append(line)
    return kept


def unit_of(game: str) -> str:
    """The unit of a game's score: ``$``, or empty."""
    return str(_asked_for(game)["score"].get("unit", ""))


def score_of(record: Record) -> Score:
    """The score of the match: that of its end, or the one of now."""
    asked = _asked_for(record.game_info.id)["score"]
    ended = record.ledger.ended
    outcome: JsonObject = ended.body["outcome"] if ended is not None else {}
    scores = outcome.get(asked.get("outcome", ""))
    if not isinstance(scores, dict):
        scores = _now(record, asked.get("now", ()))
    by_seat = {seat: int(scores.get(seat, 0)) for seat in record.seats} if scores else {}
    return Score(asked.get("title", "Score"), asked.get("unit", ""), by_seat)


def figures_of(record: Record) -> list[Figures]:
    """The game's tables, from the public events of every record that counts."""
    lines = standing_lines(record.lines)
    events = [event for line in lines for step in line.body.get("steps", ()) for event in step["events"]]
    return [_table(record, asked, events) for asked in _asked_for(record.game_info.id)["tables"]]


def _table(record: Record, asked: JsonObject, events: Iterable[JsonObject]) -> Figures:
    sums: dict[str, dict[Seat, int]] = {row: dict.fromkeys(record.seats, 0) for row in asked["rows"]}
    counted = False
    for event in events:
        if event["event"] in asked["event"]:
            counted = True
            for row, seat, amount in _entries(asked, event):
                if seat in record.seats:  # a farmer wins gunfights, too
                    sums.setdefault(row, dict.fromkeys(record.seats, 0))[Seat(seat)] += amount
    if not counted and "now" in asked:
        for seat, members in _now(record, asked["now"]).items():
            for row in asked["rows"]:
                sums[row][Seat(seat)] = int(members.get(row, 0))
    rows = tuple((asked["rows"].get(row, row), amounts) for row, amounts in sums.items())
    return Figures(asked["title"], asked["unit"], rows)


def _entries(asked: JsonObject, event: JsonObject) -> list[tuple[str, str, int]]:
    if "amounts" in asked:
        return [(event[asked["row"]], seat, amount) for seat, amount in event[asked["amounts"]].items()]
    if "row" in asked:
        amount = event.get(asked["amount"], 0) if "amount" in asked else 1
        return [(event[asked["row"]], event[asked["seat"]], amount)]
    return [(row, event[asked["seat"]], event[row]) for row in asked["rows"]]


def _now(record: Record, path: Sequence[str]) -> JsonObject:
    """What lies at ``path`` now, by seat."""
    if record.public is None or not path:
        return {}
    whole = {"view": record.public, "summary": record.rules.summary(record.public)}
    if "*" not in path:
        value: Any = whole
        for name in path:
            value = value.get(name, {})
        return dict(value)
    cut = list(path).index("*")
    by_seat = _now(record, path[:cut])
    return {seat: _inside(members, path[cut + 1 :]) for seat, members in by_seat.items()}


def _inside(value: Any, path: Sequence[str]) -> Any:
    for name in path:
        value = value[name]
    return value
