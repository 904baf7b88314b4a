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
    orders,
    people,
    play,
    practice,
    rules,
    seat,
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
hosting.app.add_typer(service.app)
hosting.app.add_typer(keeping.app)
app.add_typer(hosting.app, name="host")
app.add_typer(seat.app)
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


def command(arguments: Sequence[str]) -> Any:
    """The tree as Typer runs it, as far as these arguments need it."""
    return command_for(app, arguments)


def _release() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"pbem {version('pbem')}"
    except PackageNotFoundError:
        return "pbem (from a checkout, not installed)"


def _version(wanted: bool) -> None:
    if wanted:
        say(_release())
        raise typer.Exit


@app.command()
def man(
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write it there, not to standard output."),
    ] = None,
) -> None:
    """Print the manual page: pbem man -o pbem.1, then man ./pbem.1."""
    from pbem.cli.console import write_output
    from pbem.cli.manual import manual

    write_output(output, manual(command([]), _release()).encode(), replace=True)


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
