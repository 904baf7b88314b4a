"""``pbem host backup`` and ``pbem host restore``."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.cli.console import answer
from pbem.cli.options import AsJson, ConfigFile
from pbem.cli.service_run import build_service, configuration, host_identity
from pbem.host.config import Config
from pbem.host.copy_elsewhere import goes_on_here, mark_moved, moved_mark
from pbem.host.database.backup import back_up, put_back
from pbem.host.database.database import Database
from pbem.host.database.driver import DatabaseDamaged
from pbem.host.database.notes import MailNotes
from pbem.host.service.answers import backup_words, restored_words
from pbem.host.service.context import utc_now
from pbem.host.service.readers import is_dead
from pbem.protocol.record.deadlines import format_time

app = typer.Typer()


def write_backup(config_path: Path | None, output: Path | None, *, move: bool = False, as_json: bool) -> None:
    """Copy the database while the service may be running.

    ``move``: mark this installation as moved, so that nothing serves it any more; undone if the backup fails.
    """
    config, now = configuration(config_path), format_time(utc_now())
    newly_marked = move and not moved_mark(config).exists()
    if move:
        _nobody_serves(config)
        mark_moved(config, now)  # first: nobody begins to serve between the two
    at = now.replace("-", "").replace(":", "")
    try:
        done = back_up(config.database_url, output or Path(f"pbem-{at}.backup"))
    except BaseException:
        if newly_marked:
            goes_on_here(config)
        raise
    facts = {"file": str(done.file), "bytes": done.size, "matches": done.matches, "records": done.records}
    answer(backup_words(done), facts, as_json=as_json)


def restore_backup(path: Path | None, backup: Path, *, as_json: bool) -> None:
    """Put a backup back, then learn from the mailbox what happened since."""
    config = configuration(path)
    _nobody_serves(config)
    host = host_identity(config)  # asked for before anything is changed
    goes_on_here(config)
    aside = put_back(config.database_url, backup)
    with closing(build_service(config, checked=False, host=host)) as service:
        restored = service.restorer().heal()
        service.whereabouts.take()
    facts = {"aside": str(aside or ""), **asdict(restored)}
    answer(restored_words(backup, aside, restored), facts, as_json=as_json)


def _nobody_serves(config: Config) -> None:
    """Refuse while a service works at the database; one that cannot be read nobody works at."""
    database = Database(config.database_url)
    try:
        with closing(database), database.reading() as transaction:
            holder, until = MailNotes(transaction).taken("fetch")
    except (DatabaseDamaged, StoreError):
        return
    if until > format_time(utc_now()) and not is_dead(holder):
        raise UsageProblem(
            sentence("a service works at this database ({holder})", holder=holder.rpartition("/")[0]),
            hint=sentence("Stop it first."),
        )


@app.command()
def backup(
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Otherwise named by the time.")
    ] = None,
    move: Annotated[
        bool, typer.Option("--move", help="The service goes on elsewhere: nothing is served here any more.")
    ] = False,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Copy the database into one file while the service runs.

    By the database's own means (PostgreSQL: pg_dump).
    """
    write_backup(config, output, move=move, as_json=as_json)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What 'pbem host backup' has written.")],
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Put a backup back, and catch up from the mailbox. The players are asked for the rest."""
    restore_backup(config, file, as_json=as_json)
