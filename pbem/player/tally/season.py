"""A season: what the matches of one circle came to, each noted in short when the next one is made from it.

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
from pbem.player.letters.extras import Season, SeasonRow, ranked
from pbem.player.tally.figures import score_of
from pbem.player.tally.match import Played, newest_key
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record import Record

MOST_MATCHES: Final = 200
"""Matches that a note holds: a year of them, and more; the oldest are forgotten."""


def came_of(record: Record) -> JsonObject:
    """What a match came to, in short: its id, when it ended, and for each player key, name, score, luck and times."""
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
                "seconds": [wait.seconds for owner, _, wait in waits if owner == key],
            }
        )
    return {"game": b64(record.game), "ended": record.head.at, "people": people}


def with_match(season: Sequence[JsonObject], record: Record) -> tuple[JsonObject, ...]:
    """The season with this match as its newest; the same match is not in it twice."""
    came = came_of(record)
    return (*(one for one in season if one["game"] != came["game"]), came)[-MOST_MATCHES:]


def season_of(season: Sequence[JsonObject], record: Record) -> Season | None:
    """The table at the end of ``record``, which follows the matches of ``season``; None if there are none."""
    if not season:
        return None
    played, score = Played(record), score_of(record)
    matches = with_match(season, record)
    rows = []
    for key in dict.fromkeys(played.players):
        mine = [
            one
            for match in matches
            for one in match["people"]
            if newest_key(played.formerly, one["key"]) == key
        ]
        times = [seconds for one in mine for seconds in one["seconds"]]
        rows.append(
            SeasonRow(
                played.names[key],
                len(mine),
                sum(one["won"] for one in mine),
                sum(one["score"] for one in mine),
                sum(one["tries"] for one in mine),
                sum(one["luck"] for one in mine),
                round(median(times)) if times else 0,
            )
        )
    return Season(len(matches), score.title, score.unit, ranked(rows))
