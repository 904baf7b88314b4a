"""A season: the results of one circle's matches, each noted in short when the next one is made from it.

The host's note of a match holds the matches before it (``came_of``), and nothing else is needed for the table at its
end: no other match is looked up then. Everything in it stands open in the records of those matches; nothing follows
from a hand. Only people who sit in the match that ends have a row, and only they are shown the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum, auto
from fractions import Fraction
from statistics import median
from typing import Final, NamedTuple

from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.letters.layout import clean_name
from pbem.player.letters.letter import Season, SeasonRow, ranked
from pbem.player.tally.figures import Score, score_of, standing_lines
from pbem.protocol.audit import Draw, draws_of
from pbem.protocol.crypto.digest import b64, short_id
from pbem.protocol.record import Ledger, Line, Record
from pbem.protocol.record.deadlines import (
    Answer,
    Decision,
    Host,
    Links,
    Paused,
    ReadyFiles,
    Running,
    Standing,
    beneath,
    is_paused,
)
from pbem.protocol.record.kinds import KINDS

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


# --- match ------------------------------------------------------------------------------------------------
#
# One match and who its players are: what happened to whom, whoever sat where and with whichever keys.


class PlayerWait(NamedTuple):
    """An answer, with the players who gave it and whose file had handed over; ``after`` is None for the host."""

    player: str
    after: str | None
    wait: Wait


class Played:
    """A match, and its players: ``alone`` calls them by their seats, otherwise each is the key they sign with.

    Who took over a seat has what came after that, and its result.
    """

    def __init__(self, record: Record, *, alone: bool = False) -> None:
        self.record = record
        self.names: dict[str, str] = {}
        self.formerly: dict[str, str] = {}
        """Keys that a player has given up, each with the one that followed it."""
        self._keys: dict[Seat, list[tuple[int, str]]] = {seat: [(-1, seat)] for seat in record.seats}
        for line in record.lines:
            body = line.body.get("msg", {}).get("body", {})
            kind = KINDS.get(line.kind)
            if kind is None:
                continue
            if kind.newcomer:
                key = body["seat"] if alone else body["sign"]
                self._keys[Seat(body["seat"])].append((line.seq, key))
                self.names[key] = clean_name(body["name"]) or body["seat"]
            elif kind.keys and not alone:
                keys = body or record.lines[line.body["proposal"]].body["what"]
                self._same_person(Seat(keys["seat"]), keys["sign"])
        self._nobody = set() if alone else {str(seat) for seat in record.seats if len(self._keys[seat]) == 1}
        for seat in record.seats:
            self.names.setdefault(self.player(seat), str(seat))

    def _same_person(self, seat: Seat, key: str) -> None:
        """A new key of one person: all that was counted for the old one is for the new one."""
        seq, old = self._keys[seat][-1]
        self._keys[seat][-1] = (seq, key)
        self.names[key] = self.names.pop(old, str(seat))
        self.formerly[old] = key

    def rename(self, formerly: Mapping[str, str]) -> None:
        """Call players by the keys that they have now, if they took them in another match."""
        for held in self._keys.values():
            held[:] = [(seq, newest_key(formerly, key)) for seq, key in held]
        self.names = {newest_key(formerly, key): name for key, name in self.names.items()}

    def player(self, seat: Seat, seq: int | None = None) -> str:
        """Who sat there when record ``seq`` was made; at the end for None."""
        held = [key for since, key in self._keys[seat] if seq is None or since <= seq]
        return held[-1]

    @property
    def players(self) -> list[str]:
        """Who sat there last, in seat order; of several matches without seats that nobody has joined yet."""
        return [player for player in map(self.player, self.record.seats) if player not in self._nobody]

    @property
    def people(self) -> dict[str, str]:
        """The names of all who ever sat there."""
        return {key: name for key, name in self.names.items() if key not in self._nobody}

    def draws(self) -> list[tuple[str, Draw]]:
        """Every shot or die with its player."""
        record = self.record
        labels = [label for line in record.lines for label in record.labels(line.seq)]
        draws = draws_of(record.rules, standing_lines(record.lines), labels)
        return [(self.player(Seat(draw.trial.seat), draw.seq), draw) for draw in draws]

    def waits(self) -> list[PlayerWait]:
        """Every answer with who gave it and whose file had handed over."""
        rows = []
        for wait in waits_of(self.record.ledger):
            after = self.player(wait.after, wait.asked) if wait.after is not None else None
            rows.append(PlayerWait(self.player(wait.seat, wait.answered), after, wait))
        return rows

    def facts(self, score: Score) -> JsonObject:
        """The match in short, for programs."""
        record = self.record
        facts: JsonObject = {
            "match": short_id(record.game),
            "began": record.lines[0].at,
            "last": record.head.at,
            "records": len(record.lines),
            "over": record.over,
            "winners": [self.player(seat) for seat in self.winners],
        }
        return facts | {"score": {self.player(seat): amount for seat, amount in score.by_seat.items()}}

    @property
    def winners(self) -> list[Seat]:
        """Who won; nobody while the match is running."""
        ended = self.record.ledger.ended
        outcome = ended.body["outcome"] if ended is not None else {}
        return [Seat(seat) for seat in outcome.get("winners", ())]


def newest_key(formerly: Mapping[str, str], key: str) -> str:
    """The key that a person signs with now, who once signed with ``key``."""
    seen = {key}
    while (after := formerly.get(key)) is not None and after not in seen:
        seen.add(after)
        key = after
    return key


# --- who waited for whom: how long each seat took when it was awaited, from the times in the records ------
#
# A seat is awaited from the record that asked it to the record that its answer, or the default in its
# place, made. Time in which the match was paused counts for nobody. The times are the host's own and within
# what was agreed (schemas/README.md §10): good enough to see who keeps a match waiting, no proof of
# anything.


class How(StrEnum):
    """By what a wait ended: a file, a default in its place, the link, or a burn for want of it."""

    FILE = auto()
    DEFAULT = auto()
    READY = auto()
    BURN = auto()


@dataclass(frozen=True, slots=True)
class Wait:
    """One answer: ``seat`` was awaited from record ``asked`` to record ``answered``.

    ``after`` is whose file had handed over to it, None for the host (an opening, a rewind, a laid deck).
    """

    seat: Seat
    after: Seat | None
    asked: int
    answered: int
    seconds: int
    how: How


def waits_of(ledger: Ledger) -> list[Wait]:
    """Every answer of this match, in the order in which they came: from what it waited for after each record."""
    waits: list[Wait] = []
    pauses = _pauses(ledger)
    before: Running | None = None
    linkless: dict[Seat, int] = {}
    """Whose link is awaited, and since which record."""

    def note(seat: Seat, asked: int, line: Line, how: How, after: Seat | None = None) -> None:
        start = ledger.lines[asked].at
        seconds = seconds_between(start, line.at) - _paused(pauses, start, line.at)
        waits.append(Wait(seat, after, asked, line.seq, max(0, seconds), how))

    for line, moment in zip(ledger.lines, ledger.moments, strict=True):
        now = beneath(moment.standing)
        if isinstance(before, Decision | Answer):
            how = _answered(line, before.seat)
            if how:
                note(before.seat, before.asked, line, how, _sender(ledger.lines[before.asked]))
        awaited = _linkless(now)
        for seat in [seat for seat in linkless if seat not in awaited]:
            how = _linked(line, seat)
            asked = linkless.pop(seat)
            if how:
                note(seat, asked, line, how)
        for seat in awaited:
            linkless.setdefault(seat, line.seq)
        before = now
    return waits


def seconds_between(earlier: str, later: str) -> int:
    """Seconds from one time of a record to another; never negative."""
    passed = datetime.fromisoformat(later) - datetime.fromisoformat(earlier)
    return max(0, int(passed.total_seconds()))


def _answered(line: Line, seat: Seat) -> How | None:
    """How this record answers what ``seat`` was asked; None if it does not."""
    if "steps" not in line.body:
        return None
    if "msg" in line.body:
        return How.FILE if line.body["msg"]["body"]["seat"] == seat else None
    return How.DEFAULT if line.body.get("seat") == seat else None


def _linkless(standing: Running | None) -> tuple[Seat, ...]:
    match standing:
        case ReadyFiles():
            return standing.seats
        case Links():
            return (*standing.seats, *standing.lost)
        case Host():
            return standing.lost
        case _:
            return ()


def _linked(line: Line, seat: Seat) -> How | None:
    """By what in this record the link of ``seat`` is awaited no more; None if by something that is no answer."""
    if seat in line.body.get("missing", ()):
        return How.BURN
    message = line.body.get("msg", {}).get("body", {})
    return How.READY if message.get("seat") == seat and "link" in message else None


def _sender(line: Line) -> Seat | None:
    return Seat(line.body["msg"]["body"]["seat"]) if line.kind == "turn" else None


def _pauses(ledger: Ledger) -> list[tuple[str, str]]:
    """The spans in which the match was paused; one that was given an end ends then, though no record says so."""
    pauses: list[tuple[str, str]] = []
    since, until = "", ""
    for line, moment in zip(ledger.lines, ledger.moments, strict=True):
        if since and not is_paused(moment.standing):
            pauses.append((since, min(line.at, until or line.at)))
            since = ""
        elif not since and is_paused(moment.standing):
            since, until = line.at, _until(moment.standing)
    return [*pauses, *([(since, ledger.head.at)] if since else [])]


def _until(standing: Standing) -> str:
    return standing.until if isinstance(standing, Paused) else ""


def _paused(pauses: list[tuple[str, str]], start: str, end: str) -> int:
    return sum(seconds_between(max(start, begin), min(end, stop)) for begin, stop in pauses)
