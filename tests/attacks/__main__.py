"""Every known cheat carried out, and who noticed: ``python -m tests.attacks [--markdown]``.

The exit code is 4 if a promise breaks.
"""

from __future__ import annotations

import argparse
import json
import sys

from pbem.base.errors import UsageProblem
from pbem.base.sentences import columns, sentence
from pbem.game import JsonObject
from pbem.games import GAMES, find_game, game_ids
from tests.attacks import AttackRow, cells, markdown, run_attacks
from tests.attacks import sentence as summed_up
from tests.attacks.attack import NOBODY
from tests.attacks.stage import USUAL


def attacked(
    game: str | None, seats: int | None = None, *, as_markdown: bool = False
) -> tuple[JsonObject, str]:
    """The attack table as data and as text; of one game, or of each cheat's first occasion in one of ours.

    Without ``seats`` there are as many as usual, or as near to it as the game has.
    """
    if game is not None and game not in game_ids():
        raise UsageProblem(
            sentence("there is no game {game}", game=game),
            hint=sentence("there are {names}", names=", ".join(game_ids())),
        )
    asked = GAMES if game is None else (find_game(game),)
    if seats is None:
        seats = min((n for entry in asked for n in entry.info.seats), key=lambda n: abs(n - USUAL))
    games = [entry for entry in asked if seats in entry.info.seats]
    if not games:
        counts = ", ".join(
            f"{entry.info.id} {min(entry.info.seats)} to {max(entry.info.seats)}" for entry in asked
        )
        raise UsageProblem(
            sentence("no such match has {seats} seats", seats=seats),
            hint=sentence("seats that there are: {counts}", counts=counts),
        )
    rows = run_attacks([entry.info.id for entry in games], seats=seats)
    tried = [row for row in rows if row.game]
    facts: JsonObject = {
        "pbem": "attacks/1",
        "ok": all(row.kept for row in rows),
        "attacks": [row.to_json() for row in tried],
        "without_occasion": [row.attack.title for row in rows if not row.game],
    }
    return facts, markdown(rows) if as_markdown else _text(rows)


def _text(rows: list[AttackRow]) -> str:
    tried = [row for row in rows if row.game]
    parts = [columns([cells(row) for row in tried], ("who cheats", "how", "who notices", "when"))]
    open_ends = [f"  {summed_up(row)}" for row in tried if row.notices == (NOBODY,)]
    if open_ends:
        parts.append("\n".join(["What nobody can notice, and what to do about it:", *open_ends]))
    idle = [row.attack.title for row in rows if not row.game]
    if idle:
        parts.append("\n".join(["No occasion in this match:", *(f"  {title}" for title in idle)]))
    broken = [row for row in rows if not row.kept]
    for row in broken:
        promised = ", ".join(" ".join(notice) for notice in row.attack.promise)
        parts.append(f"NOT AS PROMISED: {row.attack.title}: promised was {promised}")
    verdict = "every one came out as the protocol promises" if not broken else f"{len(broken)} did not"
    return "\n\n".join([*parts, f"{len(tried)} cheats carried out: {verdict}."])


def main(words: list[str]) -> int:
    """The table for people, as a page or as data; the exit code."""
    asked = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    asked.add_argument("--game", help="only in this game; otherwise where it fits")
    asked.add_argument("--seats", type=int, help="how many sit at the table; three where the game allows it")
    asked.add_argument("--markdown", action="store_true", help="the table as examples/cheats.md has it")
    asked.add_argument("--json", action="store_true", help="as data")
    given = asked.parse_args(words)
    try:
        facts, text = attacked(given.game, given.seats, as_markdown=given.markdown)
    except UsageProblem as fault:
        asked.error(f"{fault}; {fault.hint}")
    print(json.dumps(facts, indent=1, ensure_ascii=False) if given.json else text)
    return 0 if facts["ok"] else 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
