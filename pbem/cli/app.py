"""The command tree. Importing this must stay cheap: see ``pbem.cli``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pbem.cli import (
    checking,
    history,
    hosting,
    identities,
    keeping,
    manual,
    orders,
    people,
    play,
    playing,
    practice,
    rules,
    service,
    trying,
    web,
)
from pbem.cli.console import say
from pbem.cli.tree import command_for

app = typer.Typer(
    help="Play Wyatt Earp and Way Out West by mail: signed turns, proven draws, sealed hands.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,  # they print locals; ours are keys
    rich_markup_mode=None,  # plain help starts in half the time
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.add_typer(identities.app, name="id")
hosting.app.add_typer(keeping.app)
app.add_typer(hosting.app, name="host")
app.add_typer(playing.app)
app.add_typer(orders.app)
app.add_typer(play.app)
app.add_typer(practice.app)
app.add_typer(rules.app)
app.add_typer(people.app)
app.add_typer(service.mail, name="mail")
app.add_typer(checking.app)
app.add_typer(history.app)
app.add_typer(web.app, name="web")
app.add_typer(trying.scenario, name="scenario")
app.add_typer(trying.board, name="board")
app.add_typer(trying.app)
app.add_typer(manual.app)


def command(arguments: Sequence[str]) -> Any:
    """The tree as Typer runs it, as far as these arguments need it."""
    return command_for(app, arguments)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            say(f"pbem {version('pbem')}")
        except PackageNotFoundError:
            say("pbem (from a checkout, not installed)")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Play Wyatt Earp and Way Out West by mail: signed turns, proven draws, sealed hands."""
    del version  # its callback has answered
    if context.invoked_subcommand is None:
        from pbem.cli.speech import language_here
        from pbem.cli.standing_here import standing_here

        say(standing_here(Path(), language_here()))
