"""Commands beside a match: scenarios, board files, the demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.console import answer, say
from pbem.cli.options import AsJson, WhichGame

scenario = typer.Typer(help="Executable rules questions.", no_args_is_help=True)
board = typer.Typer(help="Board files.", no_args_is_help=True)
app = typer.Typer()


@scenario.callback()
def _scenario() -> None:
    """Executable rules questions."""


@board.callback()
def _board() -> None:
    """Board files."""


@scenario.command("run")
def run(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Scenario files, or folders of them.")
    ],
    as_json: AsJson = False,
) -> None:
    """Run scenarios: ok or FAIL with the first difference. Exit code 1 if one failed."""
    from pbem.protocol.scenario import results_to_json, run_paths, summary

    results = []
    for result in run_paths(paths):
        results.append(result)
        if not as_json:
            say(result.line())
    answer(summary(results), results_to_json(results), as_json=as_json)
    raise typer.Exit(0 if all(result.ok for result in results) else 1)


@board.command("check")
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A board file (JSON).")],
    game: Annotated[str, typer.Option("--game", metavar="GAME", help="The game it is for.")] = "way-out-west",
    as_json: AsJson = False,
) -> None:
    """Check a board file, with every fault that it has. Exit code 3 if it has one."""
    from pbem.cli.boards import board_faults

    faults = board_faults(file, game)
    text = "\n".join(faults) if faults else f"{file}: a playable board"
    answer(text, {"ok": not faults, "faults": faults}, as_json=as_json)
    raise typer.Exit(3 if faults else 0)


@app.command()
def demo(
    game: WhichGame = "wyatt-earp",
    seats: Annotated[int, typer.Option("--seats", metavar="N", help="How many players.")] = 3,
    seed: Annotated[
        str | None, typer.Option("--seed", metavar="TEXT", help="The same match again for the same text.")
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="A new folder; if taken, DIR-2, DIR-3 ... is used.")
    ] = Path("demo"),
    orders: Annotated[
        bool, typer.Option("--orders", help="The players give standing orders too: fewer files.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Play a whole match through the real path, by files alone, and audit it. Exit code 4 if a fault is found."""
    from pbem.cli.demo import play_demo

    facts, text = play_demo(game, seats, seed, out, quiet=as_json, orders=orders)
    answer(text, facts, as_json=as_json)
    raise typer.Exit(0 if facts["ok"] else 4)
