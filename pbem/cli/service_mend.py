"""A service whose database is lost, damaged or older than what it has signed: what a person decides there."""

from __future__ import annotations

from pathlib import Path

from pbem.base.errors import UsageProblem
from pbem.base.sentences import Sentence, sentence
from pbem.cli.service_run import configuration, with_service
from pbem.host.database.database import sqlite_path
from pbem.host.database.heads import Heads
from pbem.host.database.matches import Matches
from pbem.host.service.answers import begun_anew_words, older_words
from pbem.host.service.check import accept_older
from pbem.host.service.heal import Healer


def begin_anew(path: Path | None) -> Sentence:
    """Expect no match any more; the next command makes a new database. Nothing is removed.

    Raises:
        UsageProblem: a database is still there.
    """
    config = configuration(path)
    there = sqlite_path(config.database_url)
    if there is not None and there.exists() and there.stat().st_size:
        raise UsageProblem(
            sentence("there is a database at {there}", there=there),
            hint=sentence("Move it away first: a new service never starts on top of an old one."),
        )
    heads = Heads(config.heads)
    lost = list(heads.known())
    return begun_anew_words(heads.put_aside(), lost)


def accepted_older(path: Path | None) -> Sentence:
    """The database stays, although more was signed; its matches stand still until the players' copies are there."""
    with with_service(path, checked=False) as service:
        behind, gone = accept_older(service.context)
        with service.context.database.transaction() as transaction:
            for game in behind:
                match = Matches(transaction).find(game)
                if match is not None:
                    Healer(service.context, transaction).stop_all_know(match)
    return older_words(behind, gone)
