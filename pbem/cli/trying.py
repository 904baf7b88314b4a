"""Commands beside a match: scenarios and board files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.cli.clients import load_json
from pbem.cli.console import answer, say
from pbem.cli.options import AsJson
from pbem.game import BadSetup, Seat, Setup
from pbem.games import find_game
from pbem.protocol.scenario import results_to_json, run_paths, summary

app = typer.Typer()


@app.command()
def run(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Scenario files, or folders of them.")
    ],
    as_json: AsJson = False,
) -> None:
    """Run scenarios: ok or FAIL with the first difference. Exit code 4 if one failed."""
    results = []
    for result in run_paths(paths):
        results.append(result)
        if not as_json:
            say(result.line())
    answer(summary(results), results_to_json(results), as_json=as_json)
    raise typer.Exit(0 if all(result.ok for result in results) else 4)


def board_faults(file: Path, game_id: str) -> list[str]:
    """Every fault of this board, in words: from the game's own check if it has one, else from its rules."""
    board = load_json(file)
    try:
        game = find_game(game_id)
    except KeyError as fault:
        raise UsageProblem(str(fault.args[0])) from fault
    seats = tuple(Seat(f"seat-{number}") for number in range(1, game.info.seats.start + 1))
    if "board" not in game.default_extra(seats):
        raise UsageProblem(sentence("{title} is played without a board file", title=game.info.title))
    check = getattr(game, "check_setup", None)
    if check is not None:
        return [str(fault) for fault in check({"board": board})]
    try:
        game.rules(
            Setup(seats, game.resolve_options("default", {}), {"board": board}, max(game.info.versions))
        )
    except BadSetup as fault:
        return str(fault).splitlines()
    return []


@app.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A board file (JSON).")],
    game: Annotated[str, typer.Option(metavar="GAME", help="The game it is for.")] = "way-out-west",
    as_json: AsJson = False,
) -> None:
    """Check a board file, and list every error. Exit code 3 if it has one."""
    faults = board_faults(file, game)
    text = "\n".join(faults) if faults else f"{file}: a playable board"
    answer(text, {"ok": not faults, "faults": faults}, as_json=as_json)
    raise typer.Exit(3 if faults else 0)
