"""``pbem host backup`` and ``pbem host restore``. Imported only by bodies of commands."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.cli.console import answer
from pbem.cli.service_run import build_service, configuration, host_identity
from pbem.host.config import Config
from pbem.host.database.backup import back_up, put_back
from pbem.host.database.database import Database, DatabaseDamaged
from pbem.host.database.mail import MailNotes
from pbem.host.service.answers import backup_words, restored_words
from pbem.host.service.office import utc_now
from pbem.host.service.readers import is_dead
from pbem.protocol.record.deadlines import format_time


def write_backup(path: Path | None, output: Path | None, *, as_json: bool) -> None:
    """Copy the database, whatever works at it meanwhile."""
    config = configuration(path)
    at = format_time(utc_now()).replace("-", "").replace(":", "")
    done = back_up(config.database_url, output or Path(f"pbem-{at}.backup"))
    facts = {"file": str(done.file), "bytes": done.size, "matches": done.matches, "records": done.records}
    answer(backup_words(done), facts, as_json=as_json)


def restore_backup(path: Path | None, backup: Path, *, as_json: bool) -> None:
    """Put a backup back, then learn from the mailbox what happened since."""
    config = configuration(path)
    _nobody_serves(config)
    host = host_identity(config)  # asked for before anything is changed
    aside = put_back(config.database_url, backup)
    with closing(build_service(config, checked=False, host=host)) as service:
        found = service.restorer().heal()
    facts = {
        "aside": str(aside or ""),
        "mails": found.mails,
        "healed": found.healed,
        "brought_back": found.brought_back,
        "asked": found.asked,
        "lost": found.lost,
        "letters": found.letters,
        "again": found.again,
    }
    answer(restored_words(backup, aside, found), facts, as_json=as_json)


def _nobody_serves(config: Config) -> None:
    """Refuse while a service works at the database; one that cannot be read nobody works at."""
    database = Database(config.database_url)
    try:
        with closing(database), database.reading() as transaction:
            notes = MailNotes(transaction)
            holder, until = notes.holder("fetch"), notes.until("fetch")
    except (DatabaseDamaged, StoreError):
        return
    if until > format_time(utc_now()) and not is_dead(holder):
        raise UsageProblem(
            sentence("a service works at this database ({holder})", holder=holder.rpartition("/")[0]),
            hint=sentence("Stop it first."),
        )
