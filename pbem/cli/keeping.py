"""More of ``pbem host``: reminders, observers, outages, the archive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.base.sentences import sentence
from pbem.cli.console import answer
from pbem.cli.host_clients import host_client, match_and_rest
from pbem.cli.options import KEYS, AsJson, ClockIsRight, Keys, MatchFolderOption, MatchRest
from pbem.cli.timing import archived_match, discreet, outage_repaired, ticked, watched, wish

app = typer.Typer()


@app.command()
def remind(
    rest: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FOLDER] [SEAT HOURS...]",
            help="Hours before the time is up (48 24 0; below 0 is after it), usual, or never.",
        ),
    ] = None,
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Show when each seat is reminded, or change that for one. Hours below 0 come behind --."""
    path, arguments = match_and_rest(match, rest or [])
    text, facts = wish(host_client(path, keys), arguments)
    answer(text, facts, as_json=as_json)


@app.command()
def results(
    rest: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FOLDER] [SEAT hide|show]",
            help="Keep results out of the subjects of this seat's emails, or not.",
        ),
    ] = None,
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Keep results out of a seat's email subjects, or show how it is."""
    path, arguments = match_and_rest(match, rest or [])
    text, facts = discreet(host_client(path, keys), arguments)
    answer(text, facts, as_json=as_json)


@app.command()
def observe(
    rest: Annotated[
        list[str] | None, typer.Argument(metavar="[FOLDER] [ADDRESS...]", help="Who may watch.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="They stop getting emails.")] = False,
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """List, add or remove spectators.

    They get the public emails only. Listing a match folder's needs no identity.
    """
    path, addresses = match_and_rest(match, rest or [])
    spectators = watched(path, addresses, keys, remove=remove)
    answer("\n".join(spectators) or sentence("There are no spectators."), spectators, as_json=as_json)


@app.command()
def tick(
    rest: MatchRest = None, match: MatchFolderOption = None, keys: Keys = KEYS, as_json: AsJson = False
) -> None:
    """Record everything that is due now, for cron. Timeout moves, voided deals, what a pause held up."""
    text, facts = ticked(host_client(match_and_rest(match, rest or [])[0], keys))
    answer(text, facts, as_json=as_json)


@app.command()
def outage(
    rest: MatchRest = None,
    clock_is_right: ClockIsRight = False,
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Give back the time that was lost while the host was down."""
    client = host_client(match_and_rest(match, rest or [])[0], keys)
    text, facts = outage_repaired(client, clock_is_right=clock_is_right)
    answer(text, facts, as_json=as_json)


@app.command()
def archive(
    rest: MatchRest = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="A new file; otherwise FOLDER.tar.gz."),
    ] = None,
    match: MatchFolderOption = None,
    as_json: AsJson = False,
) -> None:
    """Put everything that an audit needs into one file. Deletes nothing. Needs no identity."""
    text, facts = archived_match(match_and_rest(match, rest or [])[0], output)
    answer(text, facts, as_json=as_json)
