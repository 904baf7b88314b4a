"""``pbem attack``: every known cheat carried out, and who noticed. Imported only by the body of the command."""

from __future__ import annotations

from pbem.attacks import AttackRow, cells, markdown, run_attacks
from pbem.attacks import sentence as summed_up
from pbem.attacks.attack import NOBODY
from pbem.attacks.stage import USUAL
from pbem.errors import UsageProblem
from pbem.game import JsonObject
from pbem.games import GAMES, find_game, game_ids
from pbem.sentences import columns, sentence


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
    open_ends = [f"  {summed_up(row)}" for row in tried if row.found == (NOBODY,)]
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
