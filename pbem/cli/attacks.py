"""``pbem attack``: every known cheat carried out, and who noticed. Imported only by the body of the command."""

from __future__ import annotations

from pbem.attacks import Row, cells, markdown, run_attacks, sentence
from pbem.attacks.attack import NOBODY
from pbem.cli.tables import columns
from pbem.errors import UsageProblem
from pbem.game import JsonObject
from pbem.games import GAMES


def attacked(game: str | None, *, as_markdown: bool = False) -> tuple[JsonObject, str]:
    """The attack table as data and as text; of one game, or of each cheat's first occasion in any."""
    known = [entry.info.id for entry in GAMES]
    if game is not None and game not in known:
        raise UsageProblem(f"there is no game {game}", hint=f"there are {', '.join(known)}")
    rows = run_attacks([game] if game else known)
    tried = [row for row in rows if row.game]
    facts: JsonObject = {
        "pbem": "attacks/1",
        "ok": all(row.kept for row in rows),
        "attacks": [row.to_json() for row in tried],
        "without_occasion": [row.attack.title for row in rows if not row.game],
    }
    return facts, markdown(rows) if as_markdown else _text(rows)


def _text(rows: list[Row]) -> str:
    tried = [row for row in rows if row.game]
    parts = [columns([cells(row) for row in tried], ("who cheats", "how", "who notices", "when"))]
    open_ends = [f"  {sentence(row)}" for row in tried if row.found == (NOBODY,)]
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
