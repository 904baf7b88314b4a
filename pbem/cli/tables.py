"""Answers as plain text: status, verdicts, audits, inspections. Imported only by bodies of commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbem.game import Json, JsonObject
from pbem.language import Language
from pbem.record.judge import placed
from pbem.sentences import joined, sentence, term


def columns(rows: Iterable[Sequence[object]], head: Sequence[str] = (), right: Sequence[int] = ()) -> str:
    """Rows as aligned columns; the columns in ``right`` are set to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    every = [list(head), *cells] if head else cells
    if not every:
        return ""
    widths = [max(len(row[at]) for row in every) for at in range(len(every[0]))]
    lines = [
        "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in every
    ]
    if head:
        lines.insert(1, "  ".join("-" * width for width in widths).rstrip())
    return "\n".join(lines)


# --- host status --------------------------------------------------------------------------------------------


def status_text(facts: JsonObject) -> str:
    """The status for the host."""
    head = facts["head"]
    lines = [
        f"{facts['title']}, match {facts['match']}, profile {facts['profile']}: {facts['phase']}",
        f"record {head['seq']} of {head['at']}, head {head['fingerprint']}",
        "",
        columns([_seat_row(facts, one) for one in facts["seats"]], _SEATS),
        "",
        facts["says"],
    ]
    lines += [
        line for line in (_may_default(facts), _may_burn(facts), *map(_held, facts["consents"])) if line
    ]
    lines += [_proposed(one) for one in facts["proposals"]]
    mail = facts.get("mail", {})
    if mail.get("last"):
        lines.append(f"last file handed in: {mail['last']} ({mail['files']} in all)")
    unsent = facts["outbox"]["unsent"]
    lines.append(f"{len(unsent)} letters in {facts['outbox']['folder']} are not marked as sent")
    return "\n".join(lines)


_SEATS = ("seat", "player", "awaited since", "until", "last heard", "")


def _seat_row(facts: JsonObject, one: JsonObject) -> tuple[str, ...]:
    marks = [mark for mark in ("silent", "resigned") if one.get(mark)]
    if "excused" in one:
        marks.append(f"{one['excused']} misses excused")
    awaited = one["seat"] in facts["awaited"]
    since, until = (facts.get("since", ""), facts.get("due", "")) if awaited else ("", "")
    heard = one.get("heard", "")
    return one["seat"], one.get("name", "(free)"), since, until, heard, " ".join(marks)


def _may_default(facts: JsonObject) -> str:
    found = facts.get("may", {}).get("default")
    if not found:
        return ""
    when = "is due now (pbem host default)" if found["now"] else f"is due from {found['from']} on"
    return f"A default of {found['seat']} {when}."


def _may_burn(facts: JsonObject) -> str:
    found = facts.get("may", {}).get("burn")
    if not found or not found["now"]:
        return ""
    return f"A burn of epoch {found['epoch']} is due now (pbem host burn): {', '.join(found['missing'])}."


def _proposed(one: JsonObject) -> str:
    named = f"Proposed in record {one['record']}: {one['what']} of {one['seat']}, held until {one['until']}."
    command = "carry-out" if one["what"] == "rekey" else "substitute"
    alone = " Only your own command carries it out." if one["by_hand"] else ""
    return f"{named}{alone} (pbem host {command}, pbem host withdraw)"


def _held(one: JsonObject) -> str:
    return f"Consent to {_plain(one['what'])}: {', '.join(one['seats'])}"


def _plain(value: Json) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(inside)}" for name, inside in value.items())
    if isinstance(value, list):
        return " ".join(map(_plain, value)) or "nobody"
    return str(value)


# --- verdicts -----------------------------------------------------------------------------------------------


def verdict_text(verdict: JsonObject, language: Language) -> str:
    """The verdict on a player's file."""
    name = sentence("{kind} {n} of {seat}", kind=term(verdict["kind"]), n=verdict["n"], seat=verdict["seat"])
    notes = [sentence("note: {note}", note=note) for note in verdict["notes"]]
    if verdict["ok"]:
        said: tuple[str, ...] = (sentence("nothing wrong that can be seen from here"),)
    else:
        said = (verdict["code"], placed(verdict["text"], verdict["rules"], verdict.get("action")))
    return language.tell(joined((joined((name, *said), ": "), *notes), "\n"))


def inspect_text(facts: JsonObject, indent: str = "") -> str:
    """A description, member by member."""
    lines = []
    for name, value in facts.items():
        if isinstance(value, dict):
            lines += [f"{indent}{name}:", inspect_text(value, indent + "  ")]
        elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            lines += [f"{indent}{name}:", *(inspect_text(one, indent + "  - ") for one in value)]
        elif value not in ([], "", None):
            lines.append(f"{indent}{name}: {_plain(value)}")
    return "\n".join(lines)
