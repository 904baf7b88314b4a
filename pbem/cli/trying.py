"""Commands beside a match: scenarios, board files, the demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.console import answer, say
from pbem.cli.options import AsJson
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
