"""What matches show: results, luck, waiting and the game's own tables, for one match or added up over many.

In one match a player is called by the seat. Over several matches a person is whoever signs with the same key,
whatever the seat or the name; who took over a seat has what came after that, and its result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from math import exp, lgamma, log, log1p
from statistics import median

from pbem.base.sentences import counted, day, sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.player.tally import How, Played, PlayerWait, Score, figures_of, score_of
from pbem.protocol.audit import Draw
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
class LuckRow:
    """One player's tries of one kind (``purpose`` empty: all kinds) against the chances they had.

    ``low`` to ``high`` holds the true rate with 95 % confidence; ``odd`` is how often chance alone gives a result at
    least as unlikely.
    """

    player: str
    purpose: str
    tries: int
    hits: int
    expected: Fraction
    low: float
    high: float
    odd: float


@dataclass(frozen=True, slots=True)
class WaitRow:
    """How long the others waited for one player: answers, seconds in all, the middle one, the longest, defaults."""

    player: str
    answers: int
    total: int
    median: int
    longest: int
    defaults: int


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table: its name, the amount of each player."""

    name: str
    amounts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class OriginTable:
    """Where money or points came from."""

    title: str
    unit: str
    rows: tuple[TableRow, ...]


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
    luck: list[LuckRow] = field(default_factory=list)
    waits: list[WaitRow] = field(default_factory=list)
    handed: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """(whose file handed over, who then was awaited) → how often, and the middle time in seconds."""
    tables: list[OriginTable] = field(default_factory=list)

    def to_json(self) -> JsonObject:
        """For programs; rates and chances in thousandths, since there are no floats in pbem's JSON."""
        return {
            "game": self.game,
            "players": self.names,
            "matches": self.matches,
            "results": [
                {"player": r.player, "matches": r.matches, "over": r.over, "wins": r.wins, "total": r.total,
                 "best": r.best}
                for r in self.results
            ],
            "luck": [_luck_json(row) for row in self.luck],
            "waiting": [
                {"player": w.player, "answers": w.answers, "seconds": w.total, "median": w.median,
                 "longest": w.longest, "defaults": w.defaults}
                for w in self.waits
            ],
            "handed": [
                {"from": giver, "to": other, "times": times, "median": middle}
                for (giver, other), (times, middle) in self.handed.items()
            ],
            "tables": [
                {"title": table.title, "unit": table.unit,
                 "rows": [{"name": row.name, "amounts": dict(row.amounts)} for row in table.rows]}
                for table in self.tables
            ],
        }  # fmt: skip


def _luck_json(row: LuckRow) -> JsonObject:
    return {
        "player": row.player,
        "for": row.purpose,
        "tries": row.tries,
        "hits": row.hits,
        "expected_thousandths": round(row.expected * 1000),
        "interval_thousandths": [round(row.low * 1000), round(row.high * 1000)],
        "as_odd_thousandths": round(row.odd * 1000),
    }


def summarise(records: Sequence[Record]) -> list[Summary]:
    """One summary for each game that the matches are of; players by seat if there is one match, else by key."""
    games = dict.fromkeys(record.game_info.id for record in records)
    return [_one_game([record for record in records if record.game_info.id == game]) for game in games]


# --- many -----------------------------------------------------------------------------------------------------


def _one_game(records: Sequence[Record]) -> Summary:
    matches = [Played(record, alone=len(records) == 1) for record in records]
    _known_again(matches)
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
    summary.luck = _luck([pair for match in matches for pair in match.draws()], list(names))
    _take_waits(summary, [row for match in matches for row in match.waits()])
    summary.tables = _tables(matches)
    return summary


def _known_again(matches: Sequence[Played]) -> None:
    """Who took new keys in one match is the same person in all of them."""
    formerly = {old: new for match in matches for old, new in match.formerly.items()}
    for match in matches:
        match.rename(formerly)


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
        shown[key] = f"{name} ({_short(key)})" if twice else name
    return shown


def _short(player: str) -> str:
    """A seat's id as it is; of a key the beginning of its fingerprint."""
    return player if len(player) < _KEY_LENGTH else fingerprint(unb64(player)).split("-")[0]


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


def _luck(draws: Sequence[tuple[str, Draw]], players: Sequence[str]) -> list[LuckRow]:
    rows = []
    tried = {player for player, _ in draws}
    for player in (player for player in players if player in tried):
        mine = [draw for owner, draw in draws if owner == player]
        kinds = dict.fromkeys(draw.trial.label for draw in mine)
        if len(kinds) > 1:
            rows += [_luck_row(player, kind, [d for d in mine if d.trial.label == kind]) for kind in kinds]
        rows.append(_luck_row(player, "" if len(kinds) > 1 else next(iter(kinds)), mine))
    if len({row.player for row in rows}) > 1:
        rows.append(_luck_row("", "", [draw for _, draw in draws]))
    return rows


def _luck_row(player: str, kind: str, draws: Sequence[Draw]) -> LuckRow:
    odds = [draw.odds for draw in draws]
    hits = sum(draw.trial.success for draw in draws)
    low, high = interval(hits, len(draws))
    return LuckRow(
        player, kind, len(draws), hits, sum(odds, Fraction(0)), low, high, at_least_as_odd(hits, odds)
    )


def _take_waits(summary: Summary, rows: Sequence[PlayerWait]) -> None:
    for player in dict.fromkeys([*summary.names, *(row.player for row in rows)]):
        mine = [row.wait for row in rows if row.player == player]
        times = [wait.seconds for wait in mine]
        if times:
            defaults = sum(wait.how is How.DEFAULT for wait in mine)
            summary.waits.append(
                WaitRow(player, len(times), sum(times), _middle(times), max(times), defaults)
            )
    pairs: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        if row.after is not None:
            pairs.setdefault((row.after, row.player), []).append(row.wait.seconds)
    summary.handed = {pair: (len(times), _middle(times)) for pair, times in pairs.items()}


def _middle(times: Iterable[int]) -> int:
    return round(median(times))


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
    return [
        OriginTable(title, unit, tuple(TableRow(name, amounts) for name, amounts in rows.items()))
        for title, (unit, rows) in tables.items()
    ]


# --- how far from chance: exact intervals and exact probabilities, no approximation -----------------------
#
# ``interval`` is Clopper and Pearson's (Biometrika 26, 1934): whatever the true rate is, it lies within at
# least as often as it says. It never is too narrow; for few tries it is wide, and that is the honest
# answer. ``at_least_as_odd`` takes every try with the chance that it had (the Poisson binomial
# distribution).

CONFIDENCE = 0.95
_HALVINGS = 60


def interval(hits: int, tries: int) -> tuple[float, float]:
    """Between which rates the true one lies, by ``hits`` of ``tries``; (0, 1) without a try."""
    if not 0 <= hits <= tries:
        raise ValueError(f"{hits} hits of {tries} tries")
    if not tries:
        return 0.0, 1.0
    tail = (1 - CONFIDENCE) / 2
    low = _solve(lambda rate: _at_least(hits, tries, rate) < tail) if hits else 0.0
    high = _solve(lambda rate: _at_least(hits + 1, tries, rate) < 1 - tail) if hits < tries else 1.0
    return low, high


def _solve(below: Callable[[float], bool]) -> float:
    """Where the condition stops to hold, on its way from 0 to 1."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2


def _at_least(hits: int, tries: int, rate: float) -> float:
    """The chance of ``hits`` or more."""
    if rate <= 0 or rate >= 1:
        return 1.0 if hits <= 0 or rate >= 1 else 0.0
    return sum(exp(_log_chance(count, tries, rate)) for count in range(hits, tries + 1))


def _log_chance(hits: int, tries: int, rate: float) -> float:
    ways = lgamma(tries + 1) - lgamma(hits + 1) - lgamma(tries - hits + 1)
    return ways + hits * log(rate) + (tries - hits) * log1p(-rate)


def distribution(odds: Sequence[Fraction]) -> list[float]:
    """The chance of 0, 1, 2 … hits in tries that had these chances."""
    chances = [1.0]
    for odd in odds:
        rate = float(odd)
        missed = [chance * (1 - rate) for chance in chances] + [0.0]
        for count, chance in enumerate(chances):
            missed[count + 1] += chance * rate
        chances = missed
    return chances


def at_least_as_odd(hits: int, odds: Sequence[Fraction]) -> float:
    """The chance that a result as unlikely as this one, or more so, falls by itself (two-sided, exact)."""
    chances = distribution(odds)
    limit = chances[hits] * (1 + 1e-9)
    return min(1.0, sum(chance for chance in chances if chance <= limit))
