"""The verdict of an audit: one word and one sentence."""

from __future__ import annotations

from pbem.base.sentences import counted, sentence
from pbem.protocol.audit import Report

PROVEN, SO_FAR, REFUTED = "proven", "so far", "refuted"


def status_of(report: Report) -> str:
    """``proven`` (everything), ``so far`` (no fault, not everything can be seen yet) or ``refuted``."""
    if report.faults:
        return REFUTED
    return PROVEN if _complete(report) and report.engine else SO_FAR


def verdict_of(report: Report) -> str:
    """The audit in one sentence."""
    if report.faults:
        first = report.faults[0]
        return counted(
            "{n} finding; the first is in record {record}: {sentence}",
            "{n} findings; the first is in record {record}: {sentence}",
            len(report.faults),
            record=first.seq,
            sentence=first.sentence,
        )
    unproven = report.counts.get("bound only", 0)
    if _complete(report):
        if not report.engine:
            return sentence("Every card and every die is proven; the steps were not replayed by the rules.")
        return sentence("Everything is proven: every card and every die, and every step by the rules.")
    if unproven:
        return sentence(
            "No findings. {count} draws are committed, not yet proven: that comes when their hand "
            "or game turn ends.",
            count=unproven,
        )
    return sentence("No findings so far; what is still sealed was checked only from outside.")


def _complete(report: Report) -> bool:
    return report.ended and report.mode == "open" and not report.counts.get("bound only", 0)
