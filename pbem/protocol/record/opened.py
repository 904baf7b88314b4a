"""What closes open: every part at its time, as it was committed to (schemas/README.md §3.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from pbem.game import AnyRules, Json, JsonObject, MalformedAction, Seat
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.envelopes import part_commit, proper_content
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.ledger import Ledger, SealedPart
from pbem.protocol.record.line import Fault, Line


def due_to_open(ledger: Ledger, epoch: int) -> list[SealedPart]:
    """Sealed actions of this epoch or before, and orders that are no longer in force (schemas/README.md §3.2)."""
    return [part for part in ledger.unopened.values() if _is_due(ledger, part, epoch)]


def _is_due(ledger: Ledger, part: SealedPart, epoch: int) -> bool:
    if part.part == "sealed":
        return part.epoch is None or part.epoch <= epoch
    current = ledger.orders.get(part.seat)
    return current is None or current.n != part.n


def parts_to_open(ledger: Ledger, epoch: int | None) -> list[SealedPart]:
    """What the close of ``epoch`` must open; with None, what ``end`` must open: all that is left."""
    parts = list(ledger.unopened.values()) if epoch is None else due_to_open(ledger, epoch)
    return sorted(parts, key=lambda part: (part.seq, part.part))


def check_opened(ledger: Ledger, line: Line, due: Iterable[SealedPart], step: int) -> Iterator[Fault]:
    """Every part that is due is opened, and every opening fits its commitment and what was applied."""
    expected = {(part.seat, part.n, part.part): part for part in due}
    once = set(expected)
    for opening in line.body["opened"]:
        key = (Seat(opening["seat"]), opening["n"], opening["part"])
        part = expected.pop(key, None)
        if part is None:
            code = "opened-early" if key in ledger.unopened and key not in once else "opened"
            yield Fault(
                line.seq, step, code, f"{key[0]}'s {key[2]} of message {key[1]} cannot be opened here"
            )
            continue
        yield from _check_opening(ledger, line, part, opening, step)
    for seat, n, name in expected:
        yield Fault(line.seq, step, "unopened", f"{seat}'s {name} of message {n} should be opened here")


def _check_opening(
    ledger: Ledger, line: Line, part: SealedPart, opening: JsonObject, step: int
) -> Iterator[Fault]:
    where = f"{part.seat}'s {part.part} of message {part.n}"
    label: Literal["sealed", "order"] = "order" if part.part == "orders" else "sealed"
    salt, content = unb64(opening["salt"], 16), opening["content"]
    if part_commit(label, ledger.game, part.seat, part.n, salt, content) != unb64(part.sealed["commit"], 32):
        yield Fault(line.seq, step, "commitment", f"{where}: what was opened is not what was committed to")
    elif not proper_content(label, content):
        yield Fault(line.seq, step, "commitment", f"{where}: not of the form that may be sealed")
    elif part.part == "sealed":
        yield from _check_sealed_steps(ledger, line, part, content, step)


def _check_sealed_steps(
    ledger: Ledger, line: Line, part: SealedPart, content: Json, step: int
) -> Iterator[Fault]:
    record = ledger.lines[part.seq]
    if "steps" not in record.body:
        if content:
            yield Fault(
                line.seq, step, "sealed-step", f"record {part.seq} dropped the sealed actions of {part.seat}"
            )
        return
    taken = [s["action"] for s in record.body["steps"] if s["by"] == "sealed"]
    rules = ledger.rules
    for index, shown in enumerate(taken):
        if index >= len(content):
            yield Fault(
                line.seq,
                step,
                "sealed-step",
                f"record {part.seq} applied a sealed action that {part.seat} never sent",
            )
            return
        if _public_form(rules, content[index]) != canon(shown):
            yield Fault(
                line.seq,
                step,
                "sealed-step",
                f"record {part.seq}: sealed action {index} was not applied as written",
            )
    if "stopped" not in record.body and len(taken) != len(content):
        yield Fault(
            line.seq,
            step,
            "sealed-step",
            f"record {part.seq} dropped sealed actions of {part.seat} without a reason",
        )


def _public_form(rules: AnyRules, written: Json) -> bytes:
    """What a record shows of this action; nothing if it is none."""
    try:
        return canon(rules.public_action(rules.action_from_json(written)))
    except MalformedAction:
        return b""


def take_opened(ledger: Ledger, line: Line) -> None:
    """Mark parts as opened."""
    for opening in line.body["opened"]:
        key = (Seat(opening["seat"]), opening["n"], opening["part"])
        part = ledger.unopened.pop(key, None)
        if part is not None:
            ledger.opened_parts[key] = part.seq


def agreed_end(ledger: Ledger) -> JsonObject | None:
    """What the seats agreed to, if the newest records close a running epoch by their consent; else None.

    Only further closes and ``end`` may follow such a close.
    """
    for line in reversed(ledger.lines):
        if line.kind != "close":
            return None
        if "what" in line.body:
            what: JsonObject = line.body["what"]
            return what
    return None
