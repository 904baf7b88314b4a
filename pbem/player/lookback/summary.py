"""What matches came to: results, luck, waiting and the game's own tables, of one match or added up over many.

In one match a player is called by the seat. Over several matches a person is whoever signs with the same key,
whatever the seat or the name; who took over a seat has what came after that, and its result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from statistics import median

from pbem.base.sentences import counted, day, sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.player.lookback.chance import Luck, luck_by_player, together
from pbem.player.lookback.figures import Score, figures_of, score_of
from pbem.player.lookback.played import Played, PlayerWait
from pbem.player.lookback.waiting import How
from pbem.protocol.crypto.digest import fingerprint, short_id, unb64
from pbem.protocol.record import Record

_KEY_LENGTH = 43
"""A signing key in base64; a seat's id is shorter."""


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """One player's results: matches that are over and won, and the score together and at best."""

    player: str
    matches: int
    over: int
    wins: int
    total: int
    best: int


@dataclass(frozen=True, slots=True)
class WaitRow:
    """How long the others waited for one player: answers, seconds in all, the middle one, the longest, defaults."""

    player: str
    answers: int
    seconds: int
    median: int
    longest: int
    defaults: int


@dataclass(frozen=True, slots=True)
class OriginTable:
    """Where money or points came from: the name of each row, and the amount of each player in it."""

    title: str
    unit: str
    rows: Mapping[str, Mapping[str, int]]

    def to_json(self) -> JsonObject:
        """For programs."""
        rows = [{"name": name, "amounts": dict(amounts)} for name, amounts in self.rows.items()]
        return {"title": self.title, "unit": self.unit, "rows": rows}


@dataclass(slots=True)
class Summary:
    """Everything for one game; ``names`` are the players in order, by the key that the rows use."""

    game: str
    title: str
    subtitle: str
    names: dict[str, str]
    score_title: str = ""
    unit: str = ""
    matches: list[JsonObject] = field(default_factory=list)
    results: list[PlayerResult] = field(default_factory=list)
    luck: list[Luck] = field(default_factory=list)
    waits: list[WaitRow] = field(default_factory=list)
    handed: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """(whose file handed over, who then was awaited) → how often, and the middle time in seconds."""
    tables: list[OriginTable] = field(default_factory=list)

    def to_json(self) -> JsonObject:
        """For programs."""
        return {
            "game": self.game,
            "players": self.names,
            "matches": self.matches,
            "results": [asdict(row) for row in self.results],
            "luck": [{"player": row.player} | row.to_json() for row in self.luck],
            "waiting": [asdict(row) for row in self.waits],
            "handed": [
                {"from": giver, "to": other, "times": times, "median": middle}
                for (giver, other), (times, middle) in self.handed.items()
            ],
            "tables": [table.to_json() for table in self.tables],
        }


def summarise(records: Sequence[Record]) -> list[Summary]:
    """One summary for each game that the matches are of; players by seat if there is one match, else by key."""
    games = dict.fromkeys(record.game_info.id for record in records)
    return [_one_game([record for record in records if record.game_info.id == game]) for game in games]


def _one_game(records: Sequence[Record]) -> Summary:
    matches = [Played(record, alone=len(records) == 1) for record in records]
    formerly = {old: new for match in matches for old, new in match.formerly.items()}
    for match in matches:  # who took new keys in one match is the same person in all of them
        match.rename(formerly)
    names: dict[str, str] = {}
    for match in matches:
        names.update({key: match.names[key] for key in match.players})
        names.update({key: name for key, name in match.people.items() if key not in names})
    scores = [score_of(record) for record in records]
    info = records[0].game_info
    summary = Summary(info.id, info.title, _subtitle(records), _distinct_names(names))
    summary.score_title, summary.unit = scores[0].title, scores[0].unit
    summary.matches = [match.facts(score) for match, score in zip(matches, scores, strict=True)]
    summary.results = _results(matches, scores)
    draws = [pair for match in matches for pair in match.draws()]
    summary.luck = sorted(luck_by_player(draws), key=lambda row: list(names).index(row.player))
    if len({row.player for row in summary.luck}) > 1:
        summary.luck.append(together("", [draw for _, draw in draws]))
    waits = [row for match in matches for row in match.waits()]
    summary.waits = _waits(waits, summary.names)
    summary.handed = _handed(waits)
    summary.tables = _tables(matches)
    return summary


def _subtitle(records: Sequence[Record]) -> str:
    first, last = day(records[0].lines[0].at), day(max(record.head.at for record in records))
    when = first if first == last else sentence("{first} to {last}", first=first, last=last)
    if len(records) > 1:
        over = sum(record.over for record in records)
        return sentence(
            "{count} matches, {over} of them over; {when}", count=len(records), over=over, when=when
        )
    record = records[0]
    facts = {
        "match": short_id(record.game),
        "records": counted("{n} record", "{n} records", len(record.lines)),
        "when": when,
    }
    if record.over:
        return sentence("match {match}, over, {records}; {when}", **facts)
    return sentence("match {match}, running, {records}; {when}", **facts)


def _distinct_names(names: Mapping[str, str]) -> dict[str, str]:
    """The names; two people of one name are distinguished by the beginning of their fingerprints."""
    shown = {}
    for key, name in names.items():
        twice = sum(other == name for other in names.values()) > 1
        short = key if len(key) < _KEY_LENGTH else fingerprint(unb64(key)).split("-")[0]
        shown[key] = f"{name} ({short})" if twice else name
    return shown


def _results(matches: Sequence[Played], scores: Sequence[Score]) -> list[PlayerResult]:
    rows = []
    for player in dict.fromkeys(player for match in matches for player in match.players):
        mine = [
            (match, score, seat)
            for match, score in zip(matches, scores, strict=True)
            for seat in match.record.seats
            if match.player(seat) == player
        ]
        amounts = [score.by_seat.get(seat, 0) for _, score, seat in mine]
        over = sum(match.record.over for match, _, _ in mine)
        wins = sum(seat in match.winners for match, _, seat in mine)
        rows.append(PlayerResult(player, len(mine), over, wins, sum(amounts), max(amounts)))
    return sorted(rows, key=lambda row: (-row.wins, -row.total))


def _waits(waits: Sequence[PlayerWait], names: Mapping[str, str]) -> list[WaitRow]:
    rows = []
    for player in dict.fromkeys([*names, *(row.player for row in waits)]):
        mine = [row.wait for row in waits if row.player == player]
        times = [wait.seconds for wait in mine]
        if times:
            defaults = sum(wait.how is How.DEFAULT for wait in mine)
            middle = round(median(times))
            rows.append(WaitRow(player, len(times), sum(times), middle, max(times), defaults))
    return rows


def _handed(waits: Sequence[PlayerWait]) -> dict[tuple[str, str], tuple[int, int]]:
    pairs: dict[tuple[str, str], list[int]] = {}
    for row in waits:
        if row.after is not None:
            pairs.setdefault((row.after, row.player), []).append(row.wait.seconds)
    return {pair: (len(times), round(median(times))) for pair, times in pairs.items()}


def _tables(matches: Sequence[Played]) -> list[OriginTable]:
    tables: dict[str, tuple[str, dict[str, dict[str, int]]]] = {}
    for match in matches:
        for figures in figures_of(match.record):
            if figures.empty:
                continue
            _, rows = tables.setdefault(figures.title, (figures.unit, {}))
            for name, amounts in figures.rows:
                row = rows.setdefault(name, {})
                for seat, amount in amounts.items():
                    player = match.player(seat)
                    row[player] = row.get(player, 0) + amount
    return [OriginTable(title, unit, rows) for title, (unit, rows) in tables.items()]
