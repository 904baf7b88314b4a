"""The report as one JSON document: everything the page shows, and everything it folds (``audit-report.schema.json``).

``examine`` audits once; ``Examination.document`` gathers the rest. A file with faults gives a document too: what can
still be shown is shown, what cannot is left empty. There are no floats: rates and differences are in thousandths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import named
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.player.history import Summary, summarise
from pbem.player.letters.hosting import host_plays
from pbem.player.letters.layout import clean, clean_name
from pbem.player.letters.rendering import LetterContext, Style, environment
from pbem.player.pictures import Picture
from pbem.player.report.telling import RENDER_ERRORS, chapters_of, hidden_draws, luck_rows, open_draws, paths
from pbem.player.report.words import status_of, verdict_of
from pbem.player.tally.season import Wait, waits_of
from pbem.protocol.audit import OPEN, Draw, Report, audit, draws_of
from pbem.protocol.crypto.digest import fingerprint, short_id
from pbem.protocol.record import Ledger, Line, Record
from pbem.protocol.record.line import STEPS
from pbem.protocol.record.record import AFTER_REVEAL, BOUND, FAIR

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
            "luck": luck_rows(self.draws),
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
            "answers": [_answer(wait) for wait in waits],
            "tables": _tables(summary),
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


# --- parts --------------------------------------------------------------------------------------------------


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
        facts = {"seat": row.player, "answers": row.answers, "seconds": row.total, "median": row.median}
        rows.append(facts | {"longest": row.longest, "defaults": row.defaults, "spans": spans})
    return rows


def _answer(wait: Wait) -> JsonObject:
    facts = {"seat": wait.seat, "asked": wait.asked, "answered": wait.answered}
    return facts | {"seconds": wait.seconds, "how": wait.how}


def _tables(summary: Summary | None) -> list[JsonObject]:
    return list(summary.to_json()["tables"]) if summary else []


def _moment(line: Line) -> JsonObject:
    """When a record was written, of which kind, and by whose message; the host's own without a seat."""
    facts: JsonObject = {"record": line.seq, "at": line.at, "kind": line.kind}
    message = line.body.get("msg")
    if message:
        facts["seat"] = message["body"]["seat"]
    return facts


# --- claims -----------------------------------------------------------------------------------------------
#
# What an audit shows, sorted by how sure it is: proven, only bound, not to be seen yet, and never to be
# proven.
#
# A claim is an id with its numbers; ``templates/report/claims.jinja`` has the sentence for it. A claim is
# made only if the checks behind it were made and found nothing.

NEVER = (
    "collusion",
    "invented-players",
    "minute",
    "never-came",
    "clock",
    "two-histories",
)
"""What no program of this kind can prove."""


def claims_of(
    report: Report, ledger: Ledger, draws: Sequence[JsonObject], language: Language = ENGLISH
) -> JsonObject:
    """The four lists, each claim with its sentence."""
    words = _words(language)
    hosted = host_plays(ledger, {seat: player.name for seat, player in ledger.players.items()})
    sets = {
        "proven": _proven(report, ledger, draws),
        "bound": _bound(report, ledger, draws),
        "unseen": _unseen(report, ledger),
        "unprovable": (
            {"id": name} | ({} if hosted is None else {"plays": True})
            for name in ("whispers" if ledger.rules.has_secrets else "foresight", *NEVER)
        ),
    }
    first = [] if hosted is None else [{"id": "host-plays", "text": language.translate(hosted)}]
    counts = {
        name: [claim | {"text": _flat(words.sentence(claim))} for claim in claims]
        for name, claims in sets.items()
    }
    return counts | {"unprovable": first + counts["unprovable"]}


def meaning_of(step: int, language: Language = ENGLISH) -> str:
    """What a fault that this step of schemas/README.md §11 found means to a person."""
    return _flat(_words(language).meaning(step))


def _words(language: Language) -> Any:
    return environment(Style.TEXT, language).get_template("report/claims.jinja").make_module({})


def _flat(text: object) -> str:
    return " ".join(str(text).split())


def _proven(report: Report, ledger: Ledger, draws: Sequence[JsonObject]) -> Iterator[JsonObject]:
    first = report.faults[0].seq if report.faults else None
    held = len(ledger.lines) if first is None else min(fault.seq for fault in report.faults)
    lines = ledger.lines[:held]
    if lines:
        messages = sum("msg" in line.body for line in lines)
        yield {"id": "signatures", "records": held, "messages": messages, "whole": first is None}
    shown = Counter((draw["kind"], draw["label"]) for draw in draws if draw["holds"])
    for kind, name in (("card", "cards"), ("roll", "dice")):
        if shown[kind, FAIR]:
            yield {"id": f"{name}-fair", "count": shown[kind, FAIR]}
    if shown["card", AFTER_REVEAL]:
        yield {"id": "cards-after-reveal", "count": shown["card", AFTER_REVEAL]}
    if first is not None:
        return
    closed = [epoch for epoch in ledger.epochs.values() if epoch.closed is not None]
    hands = sum(entry.to != "table" for epoch in closed for entry in epoch.draws)
    if hands:
        yield {"id": "hands", "count": hands, "closes": len(closed)}
    opened = [epoch for epoch in ledger.epochs.values() if epoch.opened is not None]
    if opened:
        yield {
            "id": "cuts" if any(epoch.decks for epoch in opened) else "mixed-dice",
            "count": len(opened),
            "whole": all(set(e.seats) == set(ledger.seats) for e in opened),
        }
    if ledger.opened_parts:
        yield {"id": "sealed-parts", "count": len(ledger.opened_parts)}
    if report.engine and report.replayed:
        yield {"id": "replayed", "count": report.replayed}
    defaults = sum(report.defaults.values())
    if defaults:
        yield {"id": "defaults", "count": defaults}


def _bound(report: Report, ledger: Ledger, draws: Sequence[JsonObject]) -> Iterator[JsonObject]:
    shown = sum(draw["label"] == BOUND for draw in draws)
    if shown:
        yield {"id": "draws-bound", "count": shown}
    running = [epoch for epoch in ledger.epochs.values() if epoch.opened is not None and epoch.closed is None]
    hands = sum(entry.to != "table" for epoch in running for entry in epoch.draws)
    if hands:
        yield {"id": "hands-bound", "count": hands}
    if ledger.unopened:
        yield {"id": "sealed-bound", "count": len(ledger.unopened)}
    for burn in report.burns:
        yield {"id": "burn-back" if "back" in burn else "burn", **burn}


def _unseen(report: Report, ledger: Ledger) -> Iterator[JsonObject]:
    if not report.engine:
        yield {"id": "no-engine"}
    for epoch in report.epochs:
        if not epoch.burned and epoch.mode != OPEN and ledger.epochs[epoch.number].closed is None:
            yield {"id": "sealed-epoch", "epoch": epoch.number, "reveal": ledger.reveal}
    for note in report.notes:
        if note.startswith("from record"):
            yield {"id": "not-replayed", "note": note}
    if ledger.ended is None:
        yield {"id": "running", "records": len(ledger.lines)}
