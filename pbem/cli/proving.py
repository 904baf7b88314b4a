"""What verify, audit and compare call. Imported only by the bodies of commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pbem.audit import Report, audit, compare_copies
from pbem.cli.desks import first_fault, raw_lines
from pbem.cli.tables import columns
from pbem.crypto.digest import b64, fingerprint, lp, sha, u32, unb64
from pbem.errors import FormatError, PbemError, UsageProblem
from pbem.game import JsonObject
from pbem.letters import short_id
from pbem.player import Draw, Luck, draws_of, luck_of
from pbem.record import Label, Line, Record
from pbem.record.line import read_line


def verified(game: Path) -> tuple[JsonObject, str]:
    """Every record checked, up to the first that does not hold."""
    lines = raw_lines(game)
    record, count, fault = first_fault(lines)
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
    labels = [label for label in record.labels(seq) if label.kind != "hand"]
    line = record.lines[seq]
    proofs = [
        _card(record, line, label) if label.kind == "card" else _roll(record, line, label) for label in labels
    ]
    text = "\n\n".join(proof["text"] for proof in proofs)
    return {"ok": True, "record": seq, "proofs": proofs}, text or f"Record {seq} shows no card and no die."


def _card(record: Record, line: Line, label: Label) -> JsonObject:
    epoch = record.ledger.epochs[line.body["epoch"]]
    generation = epoch.decks[label.source][label.gen]
    place = label.place or 0
    parts = lp(
        "pbem/1 card",
        record.game,
        u32(epoch.number),
        label.source,
        u32(label.gen),
        u32(place),
        unb64(label.salt),
        label.text,
    )
    preimage = b"\x00" + parts
    leaf = generation.leaves[place]
    laid = epoch.announced.seq if label.gen == 0 else generation.seq
    holds = b64(sha(preimage)) == leaf
    text = (
        f"{label.text}: draw {label.number} of deck {label.source}, generation {label.gen}: {label.label}\n"
        f"  the cut of epoch {epoch.number} sends draw {label.number} to place {place}\n"
        f"  leaf {place} in record {laid} is {leaf}\n"
        f"  which is {unb64(leaf).hex()} in hexadecimal digits\n"
        f"  it {'is' if holds else 'IS NOT'} the SHA-256 of these bytes (0x00, then LP of the parts):\n"
        f"  {preimage.hex()}\n"
        "  by hand: printf %s THESE-DIGITS | xxd -r -p | sha256sum"
    )
    return {
        "card": label.text,
        "place": place,
        "leaf": leaf,
        "preimage": preimage.hex(),
        "laid": laid,
        "text": text,
    }


def _roll(record: Record, line: Line, label: Label) -> JsonObject:
    epoch = record.ledger.epochs[line.body["epoch"]]
    text = (
        f"{label.text}: roll {label.number} of tape {label.source}, {label.sides} sides,"
        f" for {label.purpose}: {label.label}\n"
        f"  its link {label.link} hashes down to the anchor in record {epoch.announced.seq}\n"
        f"  the value is 1 + below({label.sides}) of stream(KDF(link, 'pbem/1 roll', entropy, tape, j))\n"
        f"  entropy of epoch {epoch.number}: {b64(epoch.entropy)}"
    )
    return {"value": label.text, "roll": label.number, "tape": label.source, "link": label.link, "text": text}


# --- audit --------------------------------------------------------------------------------------------------


def audited(game: Path, *, engine: bool) -> tuple[JsonObject, str]:
    """The audit, with the table of shots and their luck."""
    lines = raw_lines(game)
    report = audit(lines, engine=engine)
    draws = _draws(lines, report)
    luck = luck_of(draws)
    facts = report.to_json() | {
        "shots": [draw.to_json() for draw in draws],
        "luck": [one.to_json() for one in luck],
        "verdict": verdict_of(report),
    }
    return facts, audit_text(report, draws, luck)


def audited_any(game: Path | None, boxes: Sequence[Path], *, engine: bool) -> tuple[JsonObject, str]:
    """The audit of a game file, or of what mailboxes hold (together with a game file, if one is named)."""
    if boxes:
        from pbem.cli.mailboxes import judged

        return judged(boxes, [game] if game else [], engine=engine)
    if game is None:
        raise UsageProblem("say what to audit", hint="A game file or its folder, or --mbox with a mailbox.")
    return audited(game, engine=engine)


def _draws(lines: Sequence[bytes], report: Report) -> list[Draw]:
    """The trials of every record that can be read; none if record 0 cannot."""
    try:
        rules = Record.begin(lines[0]).rules
        return draws_of(rules, _readable(lines), report.labels)
    except (PbemError, IndexError, KeyError, TypeError, ValueError):
        return []  # a file with faults: they are listed, there is just no table of luck


def _readable(lines: Sequence[bytes]) -> list[Line]:
    found = []
    for raw in lines:
        try:
            found.append(read_line(raw))
        except PbemError:
            continue
    return found


def verdict_of(report: Report) -> str:
    """The audit in one sentence."""
    if report.faults:
        first = report.faults[0]
        return f"{len(report.faults)} faults; the first is in record {first.seq}: {first.sentence}"
    counts = report.counts
    unproven = counts.get("bound only", 0)
    if report.ended and report.mode == "open" and not unproven:
        return "Everything is proven: every card and every die, and every step by the rules."
    if unproven:
        return f"No fault. {unproven} draws are bound only: proven when their epoch is closed."
    return "No fault so far; what is still sealed was checked only from outside."


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
