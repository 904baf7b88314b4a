"""A season: the results of one circle's matches, each noted in short when the next one is made from it.

The host's note of a match holds the matches before it (``came_of``), and nothing else is needed for the table at its
end: no other match is looked up then. Everything in it stands open in the records of those matches; nothing follows
from a hand. Only people who sit in the match that ends have a row, and only they are shown the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from statistics import median
from typing import Final

from pbem.game import JsonObject
from pbem.player.letters.letter import Season, SeasonRow, ranked
from pbem.player.lookback.figures import score_of
from pbem.player.lookback.played import Played, newest_key
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record import Record

MOST_MATCHES: Final = 200
"""Matches that a note holds: a year of them, and more; the oldest are forgotten."""


def came_of(record: Record) -> JsonObject:
    """The result of a match, in short: its id, when it ended, and for each player key, name, score, luck and times."""
    played, score = Played(record), score_of(record)
    draws, waits = played.draws(), played.waits()
    people = []
    for seat in record.seats:
        key = played.player(seat)
        mine = [draw for owner, draw in draws if owner == key]
        due = sum((draw.odds for draw in mine), Fraction(0))
        hits = sum(draw.trial.success for draw in mine)
        people.append(
            {
                "key": key,
                "name": played.names[key],
                "score": score.by_seat.get(seat, 0),
                "won": seat in played.winners,
                "tries": len(mine),
                "luck": round((hits - due) * 1000),
                "seconds": [row.wait.seconds for row in waits if row.player == key],
            }
        )
    return {"game": b64(record.game), "ended": record.head.at, "people": people}


def with_match(season: Sequence[JsonObject], record: Record) -> tuple[JsonObject, ...]:
    """The season with this match as its newest; the same match is not in it twice."""
    came = came_of(record)
    return (*(match for match in season if match["game"] != came["game"]), came)[-MOST_MATCHES:]


def season_of(season: Sequence[JsonObject], record: Record) -> Season | None:
    """The table at the end of ``record``, which follows the matches of ``season``; None if there are none."""
    if not season:
        return None
    played, score = Played(record), score_of(record)
    matches = with_match(season, record)
    rows = []
    for key in dict.fromkeys(played.players):
        mine = [
            person
            for match in matches
            for person in match["people"]
            if newest_key(played.formerly, person["key"]) == key
        ]
        times = [seconds for result in mine for seconds in result["seconds"]]
        rows.append(
            SeasonRow(
                played.names[key],
                len(mine),
                sum(result["won"] for result in mine),
                sum(result["score"] for result in mine),
                sum(result["tries"] for result in mine),
                sum(result["luck"] for result in mine),
                round(median(times)) if times else 0,
            )
        )
    return Season(len(matches), score.title, score.unit, ranked(rows))
