"""What an audit shows, sorted by how sure it is: proven, only bound, not to be seen yet, and never to be proven.

A claim is an id with its numbers; ``templates/report/claims.jinja`` has the sentence for it. A claim is made only if
the checks behind it were made and found nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pbem.base.language import ENGLISH, Language
from pbem.game import JsonObject
from pbem.player.letters.hosting import host_plays
from pbem.player.letters.rendering import Style, environment
from pbem.protocol.audit import OPEN, Report
from pbem.protocol.record import Ledger
from pbem.protocol.record.record import AFTER_REVEAL, BOUND, FAIR

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
