"""The database of a match folder, read without an identity."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.host.database.database import Database, Transaction
from pbem.host.database.matches import Matches, MatchRow
from pbem.host.database.times import ObserverRows
from pbem.host.placing import check_place

DATABASE: Final = "match.db"
"""In the private part of the folder."""


def database_at(folder: Path) -> Path:
    """Where the database of a host's match folder lies, or would lie."""
    return folder / "host" / DATABASE


def is_host_folder(folder: Path) -> bool:
    """Whether a host has a match there."""
    return database_at(folder).is_file()


def opened_database(folder: Path) -> Database:
    """The database of a match folder.

    Raises:
        UsageProblem: there is none.
        StoreError: it lies where a database is damaged sooner or later.
    """
    path = database_at(folder)
    require_host_folder(folder)
    check_place(path)
    database = Database(f"sqlite:///{path}")
    database.expect()
    return database


def require_host_folder(folder: Path) -> None:
    """Return if a host has a match there.

    Raises:
        UsageProblem: nobody has, or it is no folder.
    """
    path, named = database_at(folder), sentence("Name the folder of a match, or its file.")
    if not folder.exists():
        raise UsageProblem(sentence("there is no file or folder {path}", path=folder), hint=named)
    if not folder.is_dir():
        raise UsageProblem(sentence("{path} is a file, not a folder", path=folder), hint=named)
    if not path.is_file():
        raise UsageProblem(
            sentence("no host has a match in {folder}: there is no {path}", folder=folder, path=path),
            hint=sentence(
                "From a copy of the match file, and with your identity: pbem host recover -o {folder} COPY...",
                folder=folder,
            ),
        )


def lines_in(folder: Path) -> list[bytes]:
    """The records of the match in a folder; it needs no identity."""
    database = opened_database(folder)
    try:
        with database.reading() as transaction:
            return Matches(transaction).lines(only_match(transaction, folder).game)
    finally:
        database.close()


def observers_at(folder: Path) -> tuple[str, ...]:
    """Who reads along in the match of a folder, sorted; it needs no identity."""
    database = opened_database(folder)
    try:
        with database.reading() as transaction:
            rows = ObserverRows(transaction).of(only_match(transaction, folder).game)
            return tuple(observer.address for observer in rows)
    finally:
        database.close()


def only_match(transaction: Transaction, folder: Path) -> MatchRow:
    """The one match of a folder's database."""
    rows = Matches(transaction).all()
    if len(rows) != 1:
        raise StoreError(
            sentence("{path} holds {count} matches, not one", path=database_at(folder), count=len(rows)),
            hint=sentence("Bring it back from a copy: pbem host recover -o NEW-FOLDER COPY..."),
        )
    return rows[0]
