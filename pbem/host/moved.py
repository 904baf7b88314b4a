"""A service that goes on elsewhere: its old folder says so, and serves nobody.

The mark is written with the last backup (``pbem host backup --move``). It lies beside the configuration and is no part
of the backup, so the new place does not have it; what would sign, fetch or send looks for it first.
"""

from __future__ import annotations

from pathlib import Path

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.host.config import Config
from pbem.player.store.durable import read_file, write_file


def moved_mark(config: Config) -> Path:
    """The file that says that the service of this configuration goes on elsewhere."""
    return config.folder / f"{Path(config.file).stem}.moved.txt"


def mark_moved(config: Config, at: str) -> None:
    """From now on nothing is served here."""
    write_file(moved_mark(config), f"{at}\n".encode())


def goes_on_here(config: Config) -> None:
    """The service is put back here; nothing happens if it had never gone."""
    moved_mark(config).unlink(missing_ok=True)


def refuse_moved(config: Config) -> None:
    """Return if the service is here.

    Raises:
        UsageProblem: it has moved.
    """
    mark = moved_mark(config)
    if not mark.is_file():
        return
    at = read_file(mark).decode("ascii", "replace").strip()
    raise UsageProblem(
        sentence("this service has moved at {at}: it goes on elsewhere, and nothing is served here", at=at),
        hint=sentence(
            "Two that sign one match prove it against you. If the other place was never started, remove {mark}.",
            mark=mark,
        ),
    )
