"""What a player wants on one machine: whether the system's keyring is asked, his address, where his page lies.

They stand in ``settings.toml`` beside his identities. No secret stands there.
"""

from __future__ import annotations

import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.store.durable import write_private
from pbem.protocol.record.deadlines import format_time, parse_time, plus

SETTINGS: Final = "settings.toml"
MINUTES: Final = 30
"""How long an unlocked identity counts for other commands, if nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a player wants on this machine: ``keyring`` is ``never``, ``session`` or ``always``; his mail address.

    ``page``: where the browser page lies that he plays with, by his own word; empty if he has not said.
    """

    keyring: str = "never"
    minutes: int = MINUTES
    address: str = ""
    page: str = ""


def read_settings(folder: Path) -> Settings:
    """The settings beside the identities in ``folder``; the usual ones if there are none.

    Raises:
        UsageProblem: the file is not as ``write_settings`` makes it.
    """
    path = folder / SETTINGS
    if not path.is_file():
        return Settings()
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
        settings = Settings(
            str(data.get("keyring", "never")),
            int(data.get("minutes", MINUTES)),
            str(data.get("address", "")),
            str(data.get("page", "")),
        )
    except (ValueError, TypeError, UnicodeDecodeError) as fault:
        raise UsageProblem(
            sentence("{path} is not as it should be: {fault}", path=path, fault=fault)
        ) from fault
    if settings.keyring not in ("never", "session", "always"):
        raise UsageProblem(
            sentence(
                "{path}: keyring is never, session or always, found {value!r}",
                path=path,
                value=settings.keyring,
            )
        )
    return settings


def write_settings(folder: Path, settings: Settings) -> None:
    """Write them, whole or not at all."""
    text = f'keyring = "{settings.keyring}"\nminutes = {settings.minutes}\naddress = "{settings.address}"\n'
    text += f'page = "{settings.page}"\n' if settings.page else ""
    write_private(folder / SETTINGS, text.encode(), replace=True)


def until_of(settings: Settings, at: str) -> str:
    """Until when an identity that is opened at ``at`` is kept open."""
    if settings.keyring == "always":
        return ""
    return format_time(plus(parse_time(at), timedelta(minutes=settings.minutes)))
