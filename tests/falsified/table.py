"""Drawing falsifications evenly over all members, and the table of who noticed what when."""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path as File

from pbem.base.values import dataclass
from pbem.game import Json
from tests.falsified.judge import Forged, at_the_close, carried, forged, noticed
from tests.falsified.stage import TABLES, Place, Table, played
from tests.falsified.values import false_values, get
from tests.verifier.node import verify_all

LOG = File(__file__).parent / "log.md"
MATCHES = 6
FILES = 160
EXAMPLES = 2
TRIES = 6
BATCH = 60
SHARE = {"Wyatt Earp, default options": 4, "Way Out West, public money": 4}
"""Of how many tenths of all; the others share the rest."""


@dataclass
class Row:
    """The results of the falsifications of one member."""

    tried: Counter[str] = field(default_factory=Counter)
    at_once: Counter[str] = field(default_factory=Counter)
    script: Counter[str] = field(default_factory=Counter)
    how: dict[str, str] = field(default_factory=dict)
    close: list[str] = field(default_factory=list)
    unscripted: list[str] = field(default_factory=list)
    """Examples of what the verifier in JavaScript did not notice."""


Rows = dict[str, Row]


def drawn(table: Table, count: int, seed: str) -> Iterator[list[tuple[Place, Json]]]:
    """So many falsifications, evenly over the members that occur: each a few places with a false value, to be tried."""
    rng = random.Random(f"{seed} {table.row}")
    by_member: dict[str, list[Place]] = defaultdict(list)
    matches, files = (MATCHES, FILES) if count >= 100 else (1, FILES // 3)
    for number in range(matches):
        for moment in played(table, number, files):
            for place in moment.places():
                by_member[place.member].append(place)
    members = sorted(by_member)
    forgeries = 0
    while forgeries < count:
        rng.shuffle(members)
        for member in members[: count - forgeries]:
            chosen = []
            for place in rng.choices(by_member[member], k=TRIES):
                value = get(place.line.body, place.path)
                others = false_values(table.game, place.path, value, place.moment.world.seats)
                chosen += [(place, rng.choice(others))] if others else []
            if chosen:
                yield chosen
            forgeries += 1


def falsify(table: Table, count: int, seed: str, *, script: bool) -> Rows:
    """Falsify and ask everybody."""
    rows: Rows = defaultdict(Row)
    waiting: dict[str, tuple[str, Forged, str]] = {}
    for number, tries in enumerate(drawn(table, count, seed)):
        place, value = tries[0]
        forgery = None
        for attempt in tries if number % 3 else ():
            forgery = carried(*attempt)
            if forgery is not None:
                place, value = attempt
                break
        if forgery is None:
            forgery = forged(place, value)
        row, kind = rows[place.member], "carried" if forgery.carried else "alone"
        row.tried[kind] += 1
        lie = f"{kind}, {get(place.line.body, place.path)!r} told as {value!r}"
        result = noticed(place, forgery)
        if result.who:
            row.at_once[kind] += 1
            row.how.setdefault(kind, f"{result.who}: {result.how}")
        elif len(row.close) < EXAMPLES:
            row.close.append(f"{lie}: {at_the_close(place, forgery) or 'NOBODY'}"[:220])
        waiting[f"{number} {place.member}"] = place.member, forgery, lie
        if script and len(waiting) >= BATCH:
            _ask_script(rows, waiting)
    if script:
        _ask_script(rows, waiting)
    return rows


def _ask_script(rows: Rows, waiting: dict[str, tuple[str, Forged, str]]) -> None:
    """What the verifier in JavaScript says of these files, in one node process."""
    reports = (
        verify_all({name: forgery.lines for name, (_, forgery, _) in waiting.items()}) if waiting else {}
    )
    for name, report in reports.items():
        member, forgery, lie = waiting[name]
        row = rows[member]
        row.script["carried" if forgery.carried else "alone"] += not report["ok"]
        if report["ok"] and len(row.unscripted) < EXAMPLES:
            row.unscripted.append(lie)
    waiting.clear()


def share(rows: Rows, kind: str) -> tuple[int, int]:
    """Noticed at once, of all."""
    return sum(row.at_once[kind] for row in rows.values()), sum(row.tried[kind] for row in rows.values())


def _percent(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


def page_of(table: Table, rows: Rows, *, script: bool) -> list[str]:
    """The rows as a page."""
    lines = [f"## {table.row}", ""]
    for kind, words in (("carried", "Carried through"), ("alone", "The value alone")):
        part, whole = share(rows, kind)
        noticed_by_script = sum(row.script[kind] for row in rows.values())
        tail = f"; JavaScript {_percent(noticed_by_script, whole)}" if script else ""
        lines.append(f"{words}: noticed at once {_percent(part, whole)}{tail}.")
    counted = ("at once", "JavaScript") if script else ("at once",)
    head = ["member", "carried", *counted, "alone", *counted, "what was said first"]
    lines += ["", "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for member in sorted(rows):
        row = rows[member]
        how = next(iter(row.how.values()), "")[:110].replace("|", "/").replace("\n", " ")
        tallies = (row.tried, row.at_once, row.script) if script else (row.tried, row.at_once)
        counts = [str(tally[kind]) for kind in ("carried", "alone") for tally in tallies]
        lines.append("| " + " | ".join([member, *counts, how]) + " |")
    missed = [(member, text) for member in sorted(rows) for text in rows[member].close]
    lines += _examples("Not noticed at once (examples, and what the close says):", missed)
    missed = [(member, text) for member in sorted(rows) for text in rows[member].unscripted]
    lines += _examples("Not noticed by JavaScript (examples):", missed)
    return [*lines, ""]


def _examples(title: str, examples: list[tuple[str, str]]) -> list[str]:
    return ["", title, "", *(f"* {member}: {text}" for member, text in examples)] if examples else []


def shares(count: int, tables: Sequence[Table]) -> dict[str, int]:
    """How many falsifications each row gets."""
    rest = [table for table in tables if table.row not in SHARE]
    tenths = sum(SHARE.get(table.row, 0) for table in tables)
    return {
        table.row: count * SHARE[table.row] // 10
        if table.row in SHARE
        else count * (10 - tenths) // 10 // len(rest)
        for table in tables
    }


def main() -> None:
    """See the package."""
    parser = argparse.ArgumentParser(prog="python -m tests.falsified")
    parser.add_argument("--falsify", type=int, default=2000, metavar="N")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--row", default="", help="only rows whose name has this in it")
    parser.add_argument("--script", action="store_true", help="ask the verifier in JavaScript too")
    parser.add_argument("--log", action="store_true", help=f"write {LOG.name}")
    chosen = parser.parse_args()
    tables = [table for table in TABLES if chosen.row in table.row]
    page = [
        "# Falsified by the host",
        "",
        f"`python -m tests.falsified --falsify {chosen.falsify} --seed {chosen.seed}{' --script' * chosen.script}`",
        "",
    ]
    for table in tables:
        count = shares(chosen.falsify, TABLES)[table.row]
        rows = falsify(table, count, chosen.seed, script=chosen.script)
        lines = page_of(table, rows, script=chosen.script)
        print("\n".join(lines), flush=True)
        page += lines
    if chosen.log:
        LOG.write_text("\n".join(page), encoding="utf-8")
