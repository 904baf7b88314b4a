"""The report as one JSON document: everything the page shows, and everything it folds (``audit-report.schema.json``).

``examine`` audits once; ``Examination.document`` gathers the rest. A file with faults gives a document too: what can
still be shown is shown, what cannot is left empty. There are no floats: rates and differences are in thousandths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import named
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.player.letters.layout import clean, clean_name
from pbem.player.letters.rendering import LetterContext
from pbem.player.lookback.chance import luck_of, paths
from pbem.player.lookback.claims import claims_of, meaning_of
from pbem.player.lookback.draws import hidden_draws, open_draws
from pbem.player.lookback.story import RENDER_ERRORS, chapters_of
from pbem.player.lookback.summary import Summary, summarise
from pbem.player.lookback.waiting import Wait, waits_of
from pbem.player.lookback.words import status_of, verdict_of
from pbem.player.pictures import Picture
from pbem.protocol.audit import Draw, Report, audit, draws_of
from pbem.protocol.crypto.digest import fingerprint, short_id
from pbem.protocol.record import Ledger, Line, Record
from pbem.protocol.record.line import STEPS

T = TypeVar("T")

SPANS = (600, 3600, 6 * 3600, 86_400, 3 * 86_400)
"""Ends of the classes of response times, in seconds; the last class has no end."""
_EMPTY: JsonObject = {
    "players": [],
    "claims": {"proven": [], "bound": [], "unseen": [], "unprovable": []},
    "open_draws": [],
    "hidden_draws": {},
    "chapters": [],
    "luck_paths": [],
    "waiting": [],
    "answers": [],
    "tables": [],
    "timeline": [],
}


@dataclass(frozen=True)
class Examination:
    """A game file and what the audit found about it."""

    lines: Sequence[bytes]
    report: Report
    language: Language = ENGLISH
    """What is for people is said in it; ids, codes and what is checked by hand have no language."""

    @cached_property
    def draws(self) -> list[Draw]:
        """Every shot and hit roll; none where a file with faults cannot be read so far."""
        ledger = self.report.ledger
        if ledger is None:
            return []
        return _or([], lambda: draws_of(ledger.rules, _records(ledger), self.report.labels))

    @cached_property
    def document(self) -> JsonObject:
        """The report for programs, and what the page is made of."""
        report, ledger = self.report, self.report.ledger
        facts = report.to_json() | {
            "status": status_of(report),
            "verdict": self.language.translate(verdict_of(report)),
            "shots": [draw.to_json() for draw in self.draws],
            "luck": [{"seat": row.player} | row.to_json() for row in luck_of(self.draws)],
        }
        for row, fault in zip(facts["faults"], report.faults, strict=True):
            row |= {
                "text": clean(self.language.translate(named(fault.sentence, report.names)), 600),
                "about": STEPS.get(fault.step, ""),
            }
            row["meaning"] = meaning_of(fault.step, self.language)
        return facts | (_EMPTY | {"state": "unreadable"} if ledger is None else self._match(ledger))

    @cached_property
    def picture(self) -> Picture | None:
        """The open table after the last record, if the game draws one and the file makes sense."""
        return self._drawn(lambda context: context.picture)

    @cached_property
    def portrait(self) -> Picture | None:
        """The same table as a phone shows it."""
        return self._drawn(lambda context: context.portrait)

    def _drawn(self, draw: Callable[[LetterContext], Picture | None]) -> Picture | None:
        ledger = self.report.ledger
        if ledger is None:
            return None
        return _or(None, lambda: draw(LetterContext(Record(ledger), len(ledger.lines) - 1, self.language)))

    def _match(self, ledger: Ledger) -> JsonObject:
        report = self.report
        shown: list[JsonObject] = _or(
            [], lambda: open_draws(ledger, report.labels, self.draws, self.language)
        )
        summary: Summary | None = _or(None, lambda: summarise([Record(ledger)])[0])
        waits: list[Wait] = _or([], lambda: waits_of(ledger))
        return {
            "title": ledger.info.title,
            "match": short_id(ledger.game),
            "state": "over" if report.ended else "running",
            "began": ledger.lines[0].at,
            "last": ledger.head.at,
            "reveal": ledger.reveal,
            "host": {"fingerprint": fingerprint(ledger.host_sign)},
            "players": _players(ledger, summary),
            "score": {"title": summary.score_title, "unit": summary.unit} if summary else None,
            "claims": claims_of(report, ledger, shown, self.language),
            "open_draws": shown,
            "hidden_draws": hidden_draws(report.labels),
            "chapters": chapters_of(report, ledger, shown, self.language),
            "luck_paths": paths(self.draws),
            "waiting": _waiting(summary, waits),
            "answers": [
                {
                    "seat": wait.seat,
                    "asked": wait.asked,
                    "answered": wait.answered,
                    "seconds": wait.seconds,
                    "how": wait.how,
                }
                for wait in waits
            ],
            "tables": [table.to_json() for table in summary.tables] if summary else [],
            "timeline": [_moment(line) for line in _records(ledger)],
        }


def examine(
    lines: Sequence[bytes],
    *,
    engine: bool = True,
    language: Language = ENGLISH,
) -> Examination:
    """Audit a game file, given as its lines without newlines; what people read of it is in ``language``."""
    return Examination(lines, audit(lines, engine=engine), language)


def _or(otherwise: T, make: Callable[[], T]) -> T:
    """What ``make`` gives; in a file with faults it may find nothing it can work with."""
    try:
        return make()
    except RENDER_ERRORS:
        return otherwise


def _records(ledger: Ledger) -> list[Line]:
    return [line for line in ledger.lines if line.kind != "unreadable"]


def _players(ledger: Ledger, summary: Summary | None) -> list[JsonObject]:
    scores = {row.player: row for row in summary.results} if summary else {}
    rows = []
    for seat in ledger.seats:
        player, row = ledger.players.get(seat), scores.get(seat)
        facts: JsonObject = {"seat": seat, "name": str(seat)}
        if player is not None:
            facts |= {"name": clean_name(player.name) or str(seat), "fingerprint": fingerprint(player.sign)}
        if row is not None:
            facts |= {"score": row.total, "won": bool(row.wins)}
        rows.append(facts)
    return rows


def _waiting(summary: Summary | None, waits: Sequence[Wait]) -> list[JsonObject]:
    """Each seat's response times together; ``spans`` counts them by class."""
    rows = []
    for row in summary.waits if summary else ():
        times = [wait.seconds for wait in waits if wait.seat == row.player]
        spans = [0] * (len(SPANS) + 1)
        for seconds in times:
            spans[sum(seconds > end for end in SPANS)] += 1
        facts = {"seat": row.player, "answers": row.answers, "seconds": row.seconds, "median": row.median}
        rows.append(facts | {"longest": row.longest, "defaults": row.defaults, "spans": spans})
    return rows


def _moment(line: Line) -> JsonObject:
    """When a record was written, of which kind, and by whose message; the host's own without a seat."""
    facts: JsonObject = {"record": line.seq, "at": line.at, "kind": line.kind}
    message = line.body.get("msg")
    if message:
        facts["seat"] = message["body"]["seat"]
    return facts
