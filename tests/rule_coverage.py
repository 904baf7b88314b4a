"""Which scenario or test asks for which row of the rules: ``python -m tests.rule_coverage [--quiet] [GAME…]``.

Prints a table, a line for each row of ``tests/rules/GAME.rows.txt`` (``--quiet``: only for those that nothing
asks for), and exits 1 if there is such a row.

* A scenario (``*.json`` under ``tests`` or ``examples``) names rows in ``rules``; the options that it sets are
  rows too (``tie_payment=split``).
* A test names rows in its docstring: ``Rows: D4, D6.`` The game follows from its path (``wyatt_earp`` or
  ``wyatt-earp`` in it); elsewhere it is said: ``Rows (wyatt-earp): D4.``
* The default value of an option is also asked for by whatever names one of the rows listed behind it and
  sets no other value.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
ROWS: Final = ROOT / "tests" / "rules"
PLACES: Final = (ROOT / "tests", ROOT / "examples")

_NAMED = re.compile(r"\bRows(?: \((?P<game>[a-z-]+)\))?:\s*(?P<rows>(?:(?!\n\s*\n)[^.])*)")
_ROW = re.compile(r"[a-z0-9_]+=[a-z0-9_-]+|\b[A-Z]{1,3}[0-9]+[a-z]?\b")


@dataclass(frozen=True)
class Row:
    """One row: its id, a catchword, and for a default value the rows that show it."""

    id: str
    title: str
    shown_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """Something executable that says which rows it asks for."""

    game: str
    place: str
    rows: frozenset[str]
    options: frozenset[str] = field(default_factory=frozenset)
    """Keys of the options that it sets."""


def rows_of(game: str) -> list[Row]:
    """The rows of one game."""
    rows = []
    for line in (ROWS / f"{game}.rows.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, title, *shown_by = (part.strip() for part in line.split("|"))
            rows.append(Row(name, title, tuple(shown_by[0].split()) if shown_by else ()))
    return rows


def games() -> list[str]:
    """The games that have a file of rows."""
    return sorted(path.name.removesuffix(".rows.txt") for path in ROWS.glob("*.rows.txt"))


def claims(places: Sequence[Path] = PLACES) -> list[Claim]:
    """All scenarios and tests that name rows."""
    claimed: list[Claim] = []
    for place in places:
        for path in sorted(place.rglob("*.json")):
            claimed.extend(_scenario_claims(path))
        for path in sorted(place.rglob("test_*.py")):
            claimed.extend(_test_claims(path))
    return claimed


def table(game: str, known: Sequence[Claim]) -> dict[str, list[str]]:
    """Row → places that ask for it."""
    mine = [claim for claim in known if claim.game == game]
    return {row.id: sorted({claim.place for claim in mine if _asks(claim, row)}) for row in rows_of(game)}


def strangers(game: str, known: Sequence[Claim]) -> list[str]:
    """Names of rows that there are not, with their places: a slip in a scenario or a docstring."""
    rows = {row.id for row in rows_of(game)}
    return sorted(
        f"{claim.place}: {name}"
        for claim in known
        if claim.game == game
        for name in claim.rows
        if name not in rows
    )


def _asks(claim: Claim, row: Row) -> bool:
    if row.id in claim.rows:
        return True
    key = row.id.partition("=")[0]
    return key not in claim.options and not claim.rows.isdisjoint(row.shown_by)


def _scenario_claims(path: Path) -> Iterator[Claim]:
    text = path.read_text(encoding="utf-8")
    if "scenario/1" not in text:
        return
    content: Any = json.loads(text)
    for scenario in content if isinstance(content, list) else [content]:
        if isinstance(scenario, dict) and scenario.get("pbem") == "scenario/1":
            options = {key: value for key, value in scenario.get("options", {}).items() if key != "board"}
            named = {
                *scenario.get("rules", ()),
                *(f"{key}={_value(value)}" for key, value in options.items()),
            }
            yield Claim(scenario["game"], _relative(path), frozenset(named), frozenset(options))


def _value(value: object) -> str:
    return json.dumps(value).strip('"')


def _test_claims(path: Path) -> Iterator[Claim]:
    place = _relative(path)
    at_home = next((game for game in games() if game in place.replace("_", "-")), "")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or not node.name.lower().startswith("test"):
            continue
        for named in _NAMED.finditer(ast.get_docstring(node) or ""):
            rows = frozenset(_ROW.findall(named["rows"]))
            options = frozenset(row.partition("=")[0] for row in rows if "=" in row)
            yield Claim(named["game"] or at_home, f"{place}::{node.name}", rows, options)


def _relative(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def main(arguments: Sequence[str]) -> int:
    """Print the tables; 1 if a row is asked for by nothing, or a row is named that there is not."""
    quiet = "--quiet" in arguments
    known = claims()
    failed = False
    for game in [argument for argument in arguments if argument != "--quiet"] or games():
        rows = table(game, known)
        print(f"{game}: {sum(map(bool, rows.values()))} of {len(rows)} rows are asked for")
        for row in rows_of(game):
            places = rows[row.id]
            shown = (
                "NOTHING"
                if not places
                else places[0] + (f"  and {len(places) - 1} more" if places[1:] else "")
            )
            if not (quiet and places):
                print(f"  {row.id:<34} {row.title:<34} {shown}")
        slips = strangers(game, known)
        print(*(f"  no such row: {slip}" for slip in slips), sep="\n", end="\n" if slips else "")
        failed = failed or bool(slips) or not all(rows.values())
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
