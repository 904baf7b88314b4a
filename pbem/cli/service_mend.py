"""A service whose database is lost, damaged or older than what it has signed: what a person decides there."""

from __future__ import annotations

from pathlib import Path

from pbem.cli.service_run import configuration, with_service
from pbem.crypto.digest import short_id, unb64
from pbem.errors import UsageProblem
from pbem.host.service.check import accept_older
from pbem.host.service.heal import Healer
from pbem.store.database import sqlite_path
from pbem.store.database_matches import Matches
from pbem.store.heads import Heads


def begin_anew(path: Path | None) -> str:
    """Expect no match any more; the next command makes a new database. Nothing is removed.

    Raises:
        UsageProblem: a database is still there.
    """
    config = configuration(path)
    there = sqlite_path(config.database_url)
    if there is not None and there.exists() and there.stat().st_size:
        raise UsageProblem(
            f"there is a database at {there}",
            hint="Move it away first; nothing is ever begun over another one.",
        )
    heads = Heads(config.heads)
    lost = [short_id(unb64(game, 32)) for game in heads.known()]
    aside = heads.put_aside()
    words = [f"What was signed is noted in {aside}."] if aside else ["Nothing was signed here yet."]
    words += [f"Bring it back from the players' copies: pbem host recover {short} GAME..." for short in lost]
    return "\n".join(words)


def accepted_older(path: Path | None) -> str:
    """The database stays, although more was signed; its matches stand still until the players' copies are there."""
    with with_service(path, checked=False) as service:
        behind, gone = accept_older(service.office)
        with service.office.database.transaction() as transaction:
            for game in behind:
                match = Matches(transaction).find(game)
                if match is not None:
                    Healer(service.office, transaction).stop_all_know(match)
    words = [
        f"Match {_short(game)} stands still; its players are asked for what is missing." for game in behind
    ]
    words += [
        f"Match {_short(game)} is not there. Bring it back from a copy: pbem host recover {_short(game)} GAME..."
        for game in gone
    ]
    return "\n".join(words or ["The database holds everything that was signed."])


def _short(game: str) -> str:
    return short_id(unb64(game, 32))
