"""What a first practice table never asks: files that arrive and leave, and what can be proven about a match.

The page loads it behind the first table, or before it where matches of people are kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.base.language import Language
from pbem.base.sentences import Sentence, counted, named, sentence
from pbem.game import JsonObject
from pbem.player.letters import by_hand
from pbem.protocol.audit import Report, audit
from pbem.protocol.crypto.digest import fingerprint
from pbem.protocol.record import Record
from pbem.web.arriving import Arriving
from pbem.web.device import Answer, Device
from pbem.web.leaving import Leaving

_MOST_FAULTS = 20


def answers(device: Device) -> Mapping[str, Answer]:
    """By the name of the question."""

    def proven(asked: JsonObject) -> JsonObject:
        """Everything that can be checked about the open match; with ``seq`` the proofs of one record, by hand."""
        record = device.now.session.record
        if "seq" in asked:
            return {"proofs": proofs_of(record, int(asked["seq"]), device.language)}
        return {"audit": audited(record, device.language)}

    return {**Arriving(device).answers(), **Leaving(device).answers(), "audit": proven}


def audited(record: Record, language: Language) -> JsonObject:
    """The audit of the own copy: ``ok``, one sentence, what was counted, and faults if there are any."""
    report = audit([line.raw for line in record.lines])
    labels = {label: language.translate(by_hand.LABELS.get(label, label)) for label in sorted(report.counts)}
    counts = [f"{report.counts[label]} {text}" for label, text in labels.items()]
    return {
        "ok": report.ok,
        "says": language.translate(_verdict(report)),
        "counts": language.translate(
            counted("{n} record", "{n} records", report.records)
        ) + ("; " + ", ".join(counts) if counts else ""),
        "head": f"{record.head.seq}: {fingerprint(record.head.hash)}",
        "faults": [
            f"{fault.seq}: {language.translate(named(fault.sentence, report.names))}"
            for fault in report.faults[:_MOST_FAULTS]
        ],
    }  # fmt: skip


def _verdict(report: Report) -> Sentence:
    unproven = report.counts.get("bound only", 0)
    if report.faults:
        return counted(
            "{n} finding, shown below.", "{n} findings; the first are shown below.", len(report.faults)
        )
    if report.ended and report.mode == "open" and not unproven:
        return by_hand.doubt_of(report) or sentence(
            "Everything is proven: every card and every die, and every step by the rules."
        )
    if unproven:
        return counted(
            "No findings. {n} draw is committed, not yet proven: that comes when its hand or game turn ends.",
            "No findings. {n} draws are committed, not yet proven: that comes when their hand or "
            "game turn ends.",
            unproven,
        )
    return sentence("No findings so far; what is still sealed was checked only from outside.")


def proofs_of(record: Record, seq: int, language: Language) -> list[str]:
    """How to check each open card and die of a record with nothing but a hash program."""
    return [str(proof["text"]) for proof in by_hand.proofs_of(record, seq, language)]
