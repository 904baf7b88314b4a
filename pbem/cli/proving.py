"""What verify, audit and compare call. Imported only by the bodies of commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pbem.audit import Draw, Luck, Report, compare_copies, luck_of
from pbem.audit.holds import holding
from pbem.cli.console import write_output
from pbem.cli.desks import Keys, player_desk, raw_lines
from pbem.cli.tables import columns
from pbem.crypto.digest import fingerprint, short_id
from pbem.errors import FormatError, UsageProblem
from pbem.game import JsonObject
from pbem.language import Language
from pbem.letters.by_hand import proofs_of
from pbem.record import Record
from pbem.record.ahead import LONG, TASK, Checking
from pbem.report import examine, page_of, verdict_of
from pbem.system.ahead import Ahead, processors
from pbem.values import dataclass


@contextmanager
def _second_process(lines: Sequence[bytes]) -> Iterator[Checking | None]:
    """Who looks at forms and signatures of a long file meanwhile, where there is a second processor for it."""
    if sum(map(len, lines)) < LONG or processors() < 2:
        yield None
        return
    ahead = Ahead(TASK)
    try:
        yield ahead.over
    finally:
        ahead.close()


def records_hold(game: Path) -> tuple[JsonObject, str]:
    """Every record checked, up to the first that does not hold."""
    lines = raw_lines(game)
    with _second_process(lines) as checking:
        found = holding(lines, checking)
    record, count, fault = found.record, found.records, found.fault
    facts: JsonObject = {"ok": fault is None, "records": count}
    if record is not None:
        labels = [label for line in record.lines for label in record.labels(line.seq)]
        facts |= {
            "match": short_id(record.game),
            "rules": record.game_info.id,
            "head": {"seq": record.head.seq, "fingerprint": fingerprint(record.head.hash)},
            "over": record.over,
            "draws": dict(Counter(label.label for label in labels)),
        }
    if fault is not None:
        facts["fault"] = {"record": count, "text": str(fault)}
        if isinstance(fault, FormatError) and count == len(lines) - 1 and count:
            facts["fault"]["text"] += " (the file may have been cut off here)"
    return facts, _verified_text(facts)


def _verified_text(facts: JsonObject) -> str:
    if "match" not in facts:
        return f"Record 0 does not hold: {facts['fault']['text']}"
    head = facts["head"]
    lines = [f"match {facts['match']} ({facts['rules']}), {'over' if facts['over'] else 'running'}"]
    if facts["ok"]:
        lines.append(
            f"All {facts['records']} records hold. Head: record {head['seq']}, {head['fingerprint']}"
        )
    else:
        fault = facts["fault"]
        lines.append(f"Record {fault['record']} does not hold: {fault['text']}")
        lines.append(f"The {facts['records']} records before it hold; nothing after it was looked at.")
    lines.append(f"Draws: {_counted(facts['draws'])}")
    return "\n".join(lines)


def _counted(counts: JsonObject) -> str:
    return ", ".join(f"{count} {label}" for label, count in sorted(counts.items())) or "none yet"


# --- one record by hand -------------------------------------------------------------------------------------


def proof_facts(game: Path, seq: int) -> tuple[JsonObject, str]:
    """How to check the open draws of one record with nothing but a hash program."""
    record = Record.load(raw_lines(game))
    if not 0 <= seq < len(record.lines):
        raise UsageProblem(f"there is no record {seq}; the last one is {record.head.seq}")
    proofs = proofs_of(record, seq)
    text = "\n\n".join(proof["text"] for proof in proofs)
    return {"ok": True, "record": seq, "proofs": proofs}, text or f"Record {seq} shows no card and no die."


# --- audit --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The page that is asked for: where it goes, its language, and the keys of whose diary is to be in it."""

    place: Path
    language: Language
    keys: Keys | None = None


def audited(
    game: Path, *, engine: bool, page: ReportPage | None = None, whole: bool = False
) -> tuple[JsonObject, str]:
    """The audit with the table of shots and their luck; the page is written if one is asked for.

    Args:
        game: the game file.
        engine: also replay with the rules.
        page: the page for a person.
        whole: the whole document for programs is wanted, not only what the text says.
    """
    lines = raw_lines(game)
    with _second_process(lines) as checking:
        found = examine(lines, engine=engine, checking=checking)
    text = audit_text(found.report, found.draws, luck_of(found.draws))
    if page is not None:
        diary = {} if page.keys is None else player_desk(game, page.keys).diary.by_record()
        own = {seq: [one.text for one in words] for seq, words in diary.items()}
        said = replace(found, language=page.language)
        made = page_of(said.document, said.picture, said.portrait, diary=own, language=page.language)
        write_output(page.place, made.encode(), replace=True)
        text += f"\n\nThe report is in {page.place}."
    facts = found.document if whole else {"ok": found.report.ok}
    return facts, text


def audited_any(
    game: Path | None,
    boxes: Sequence[Path],
    *,
    engine: bool,
    page: ReportPage | None = None,
    whole: bool = False,
) -> tuple[JsonObject, str]:
    """The audit of a game file, or of what mailboxes hold (together with a game file, if one is named)."""
    if boxes:
        if page is not None:
            raise UsageProblem(
                "--html makes a page of one game file, not of mailboxes",
                hint="pbem audit --mbox tells what they hold; keep the game file of a letter, and audit that.",
            )
        from pbem.cli.mailboxes import judged

        return judged(boxes, [game] if game else [], engine=engine)
    if game is None:
        raise UsageProblem("say what to audit", hint="A game file or its folder, or --mbox with a mailbox.")
    return audited(game, engine=engine, page=page, whole=whole)


def audit_text(report: Report, draws: Sequence[Draw], luck: Sequence[Luck]) -> str:
    """The audit for a person."""
    over = "over" if report.ended else "running"
    engine = "" if report.engine else ", without the rules engine"
    what = f"{report.game_id}, {report.records} records, {over}"
    how = f"audit {report.mode}{engine}, {report.replayed} results replayed"
    parts = [f"{what}\n{how}\nhead {report.fingerprint}\ndraws: {_counted(dict(report.counts))}"]
    if draws:
        parts += [_shots(draws), luck_text(luck)]
    for burn in report.burns:
        parts.append(
            f"record {burn['record']}: epoch {burn['epoch']} burned, missing {', '.join(burn['missing'])}"
        )
    for epoch in report.epochs:
        if epoch.again:
            parts.append(
                f"epoch {epoch.number} was laid again for the missing link of {', '.join(epoch.again)}:"
                " all its draws are a re-roll"
            )
    if report.defaults:
        parts.append("defaults: " + ", ".join(f"{seat} {count}" for seat, count in report.defaults.items()))
    parts += [f"note: {note}" for note in report.notes]
    parts += [f"FAULT record {f.seq}, step {f.step} ({f.code}): {f.sentence}" for f in report.faults]
    return "\n\n".join([*parts, f"Verdict: {verdict_of(report)}"])


def _shots(draws: Sequence[Draw]) -> str:
    rows = [
        (
            draw.seq,
            draw.trial.seat,
            draw.trial.label,
            f"{draw.trial.chance[0]} of {draw.trial.chance[1]}",
            f"{round(100 * draw.odds)}%",
            "hit" if draw.trial.success else "-",
            draw.label,
        )
        for draw in draws
    ]
    return columns(rows, ("record", "seat", "for", "chance", "", "", "proof"), right=(0, 3, 4))


def luck_text(luck: Sequence[Luck]) -> str:
    """Hits against expectation, by seat and kind."""
    rows = [
        (
            one.seat,
            one.what or "together",
            one.count,
            one.hits,
            f"{float(one.expected):.1f}",
            f"{one.sigmas:+.1f}",
        )
        for one in luck
    ]
    return columns(rows, ("seat", "for", "tries", "hits", "expected", "luck"), right=(2, 3, 4, 5))


# --- copies -------------------------------------------------------------------------------------------------


def compared(first: Path, second: Path) -> tuple[JsonObject, str]:
    """Two copies of one match."""
    found = compare_copies(raw_lines(first), raw_lines(second))
    facts: JsonObject = {"verdict": found.verdict, "common": found.common, "text": found.sentence}
    if found.proof is None:
        return facts, found.sentence
    facts["proof"] = [line.raw.decode() for line in found.proof]
    lines = "\n".join(facts["proof"])
    return facts, f"{found.sentence}. They are:\n{lines}"
