"""What verify, audit and compare say in words: how far a file holds, shots and their luck, two copies.

Words are sentences, so that whoever prints them chooses the language. What is wrong with a record is shown
as the verifier says it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pbem.base.sentences import Sentence, counted, joined, named, sentence, table
from pbem.game import JsonObject, Seat
from pbem.player.letters.by_hand import LABELS, doubt_of
from pbem.player.letters.hosting import host_plays
from pbem.player.lookback.chance import Luck
from pbem.protocol.audit import Comparison, Draw, Report
from pbem.protocol.record import Fault

_MODES = {"open": sentence("open"), "sealed": sentence("sealed")}


def holding_words(facts: JsonObject) -> Sentence:
    """How far a game file holds, of the facts of ``Holding.to_json``."""
    if "match" not in facts:
        return sentence("Record 0 does not hold: {fault}", fault=facts["fault"]["text"])
    which = {"match": facts["match"], "rules": facts["rules"]}
    over = sentence("match {match} ({rules}), over", **which)
    lines = [over if facts["over"] else sentence("match {match} ({rules}), running", **which)]
    count = facts["records"]
    if facts["ok"]:
        lines.append(
            counted(
                "The one record holds. Latest record: {seq}, hash {fingerprint}",
                "All {n} records hold. Latest record: {seq}, hash {fingerprint}",
                count,
                **facts["head"],
            )
        )
    else:
        fault = facts["fault"]
        lines.append(
            sentence("Record {record} does not hold: {fault}", record=fault["record"], fault=fault["text"])
        )
        lines.append(
            counted(
                "The {n} record before it holds; nothing after it was looked at.",
                "The {n} records before it hold; nothing after it was looked at.",
                count,
            )
        )
    return joined((*lines, sentence("Draws: {draws}", draws=counts_text(facts["draws"]))), "\n")


def counts_text(counts: Mapping[str, int]) -> Sentence:
    """How many draws are how sure, in words; ``counts`` are by their labels."""
    sentences = [
        joined((str(count), LABELS.get(label, label)), " ") for label, count in sorted(counts.items())
    ]
    return joined(sentences, ", ") if sentences else sentence("none yet")


def audit_words(report: Report, draws: Sequence[Draw], luck: Sequence[Luck]) -> Sentence:
    """The audit for a person."""
    over = sentence("over") if report.ended else sentence("running")
    records = counted("{n} record", "{n} records", report.records)
    mode = sentence("audit {mode}", mode=_MODES[report.mode])
    engine = () if report.engine else (sentence("without the rules engine"),)
    replayed = counted("{n} result replayed", "{n} results replayed", report.replayed)
    head = (
        joined((report.game_id, records, over), ", "),
        joined((mode, *engine, replayed), ", "),
        sentence("record hash {fingerprint}", fingerprint=report.fingerprint),
        sentence("draws: {draws}", draws=counts_text(report.counts)),
    )
    parts: list[str] = [joined(head, "\n")]
    if draws:
        parts += [_shots(draws), luck_words(luck)]
    for burn in report.burns:
        where = {"record": burn["record"], "epoch": burn["epoch"]}
        parts.append(
            sentence(
                "record {record}: deal {epoch} is void, since {seats} wrote before it and had no part in it",
                **where,
                seats=", ".join(burn["back"]),
            )
            if "back" in burn
            else sentence(
                "record {record}: deal {epoch} is void, missing {missing}",
                **where,
                missing=", ".join(burn["missing"]),
            )
        )
    for epoch in report.epochs:
        if epoch.again:
            many = {"number": epoch.number, "seats": ", ".join(epoch.again), "count": epoch.thrown_away + 1}
            parts.append(
                sentence(
                    "deal {number} was made again because the seat of {seats} was taken again by its "
                    "invitation: the host and whoever held it could have compared {count} shuffles",
                    **many,
                )
                if epoch.retaken
                else sentence(
                    "deal {number} was made again because a part of {seats} was missing: all its draws "
                    "are a re-roll, and the host and {seats} together could have compared {count} shuffles",
                    **many,
                )
            )
        if epoch.left_out:
            parts.append(
                sentence(
                    "{seats} had no part in the shuffle of deal {number}: the host and all others "
                    "together could have chosen its draws",
                    number=epoch.number,
                    seats=", ".join(epoch.left_out),
                )
            )
    parts += _made_in_page(report)
    ledger = report.ledger
    hosted = None if ledger is None else host_plays(ledger, {Seat(s): n for s, n in report.names.items()})
    if hosted is not None:
        parts.append(hosted)
    if report.defaults:
        counts = ", ".join(f"{seat} {count}" for seat, count in report.defaults.items())
        parts.append(sentence("timeout moves: {counts}", counts=counts))
    parts += [sentence("note: {note}", note=note) for note in report.notes]
    parts += [fault_words(fault, report) for fault in report.faults]
    if report.faults:
        parts.append(
            sentence("What to do: ask another player for their copy; 'pbem compare' shows whose differs.")
        )
    return joined((*parts, sentence("Verdict: {verdict}", verdict=verdict_of(report))), "\n\n")


def _made_in_page(report: Report) -> Iterator[Sentence]:
    """Which epochs' shuffles have parts that a page of the host made, and which may have; a sentence for each set."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[int]] = {}
    for epoch in report.epochs:
        if epoch.served or epoch.unknown:
            groups.setdefault((epoch.served, epoch.unknown), []).append(epoch.number)
    for (served, unknown), numbers in groups.items():
        epochs = ", ".join(map(str, numbers))
        if served:
            yield sentence(
                "the host serves a web app: by their own word {seats} made their part of the shuffle"
                " in it (deals {epochs}), and that counts for nothing",
                seats=", ".join(served),
                epochs=epochs,
            )
        if not unknown:
            yield sentence(
                "no other part is in the shuffle of deals {epochs}: the host could have chosen their draws",
                epochs=epochs,
            )
        else:
            yield sentence(
                "the host serves a web app: whether it made the parts of {seats} too (deals"
                " {epochs}), no record can show; one of them that it did not make is enough",
                seats=", ".join(unknown),
                epochs=epochs,
            )


def fault_words(fault: Fault, report: Report) -> Sentence:
    """A fault with its place, as an audit lists it; seats are called as in the match."""
    return sentence(
        "Finding in record {seq}, step {step} ({code}): {fault}",
        seq=fault.seq,
        step=fault.step,
        code=fault.code,
        fault=named(fault.sentence, report.names),
    )


def _shots(draws: Sequence[Draw]) -> Sentence:
    rows = [
        (
            draw.seq,
            draw.trial.seat,
            draw.trial.label,
            sentence("{hits} of {cards}", hits=draw.trial.chance[0], cards=draw.trial.chance[1]),
            f"{round(100 * draw.odds)}%",
            sentence("hit") if draw.trial.success else "-",
            LABELS.get(draw.label, draw.label),
        )
        for draw in draws
    ]
    head = (
        sentence("record"),
        sentence("seat"),
        sentence("for"),
        sentence("chance"),
        "",
        "",
        sentence("proof"),
    )
    return table(rows, head, right=(0, 3, 4))


def luck_words(luck: Sequence[Luck]) -> Sentence:
    """Hits against expectation, by seat and kind."""
    rows = [
        (
            row.player,
            row.purpose or sentence("together"),
            row.count,
            row.hits,
            f"{float(row.expected):.1f}",
            f"{100 * row.odd:.0f}%",
        )
        for row in luck
    ]
    head = (
        sentence("seat"),
        sentence("for"),
        sentence("tries"),
        sentence("hits"),
        sentence("expected"),
        sentence("luck"),
    )
    return table(rows, head, right=(2, 3, 4, 5))


def comparison_words(comparison: Comparison) -> Sentence:
    """Where two copies part, with the two lines that prove it, if there are such."""
    if comparison.proof is None:
        return joined((comparison.sentence,), "")
    lines = (line.raw.decode() for line in comparison.proof)
    return joined((sentence("{found}. They are:", found=comparison.sentence), *lines), "\n")


# --- the verdict of an audit: one word and one sentence ---------------------------------------------------

PROVEN, SO_FAR, REFUTED = "proven", "so far", "refuted"


def status_of(report: Report) -> str:
    """``proven`` (everything), ``so far`` (no fault, not everything can be seen yet) or ``refuted``."""
    if report.faults:
        return REFUTED
    return PROVEN if _complete(report) and report.engine and doubt_of(report) is None else SO_FAR


def verdict_of(report: Report) -> str:
    """The audit in one sentence."""
    if report.faults:
        first = report.faults[0]
        return counted(
            "{n} finding; the first is in record {record}: {sentence}",
            "{n} findings; the first is in record {record}: {sentence}",
            len(report.faults),
            record=first.seq,
            sentence=named(first.sentence, report.names),
        )
    unproven = report.counts.get("bound only", 0)
    if _complete(report):
        if not report.engine:
            return sentence("Every card and every die is proven; the steps were not replayed by the rules.")
        doubt = doubt_of(report)
        if doubt is not None:
            return doubt
        return sentence("Everything is proven: every card and every die, and every step by the rules.")
    if unproven:
        return counted(
            "No findings. {n} draw is committed, not yet proven: that comes when its hand or game turn ends.",
            "No findings. {n} draws are committed, not yet proven: that comes when their hand or game turn ends.",
            unproven,
        )
    return sentence("No findings so far; what is still sealed was checked only from outside.")


def _complete(report: Report) -> bool:
    return report.ended and report.mode == "open" and not report.counts.get("bound only", 0)
