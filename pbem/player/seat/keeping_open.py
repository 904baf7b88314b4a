"""An identity that was opened is kept by the system's keyring for a while, if its owner wants it.

What the keyring keeps is the identity's secret with the time until which that counts; Keychain, Credential Manager and
Secret Service seal it under the user's login. Nothing of it is ever written to a file. Where there is no keyring (a
server over ssh) nothing is kept.
"""

from __future__ import annotations

import importlib
import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.lazy import put_off
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.seat.moments import now
from pbem.player.store.durable import write_private
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import Header
from pbem.protocol.record.deadlines import format_time, parse_time, plus

_SERVICE: Final = "pbem"
_UNUSED: Final = (
    "urllib.request",
    "more_itertools",
    "importlib_metadata",
    "backports.tarfile",
    "configparser",
)
"""What the keyring's libraries import and a look into it seldom needs: half of what importing them takes."""

Notify = Callable[[str], object]


class SystemKeyring:
    """The keyring of this system, if it has one that can be used; ``backend`` is another one to use instead.

    ``notify`` is called with a sentence when the keyring does not answer; that is no reason to stop.
    """

    def __init__(self, notify: Notify, backend: Any = None) -> None:
        self._notify = notify
        self._backend = backend
        if backend is None:
            try:
                put_off(*_UNUSED)
                keyring = importlib.import_module("keyring").get_keyring()
                self._backend = keyring if keyring.priority > 0 else None
            except Exception:  # noqa: BLE001 - a keyring that cannot start is none
                self._backend = None

    @property
    def usable(self) -> bool:
        """Whether it can keep something."""
        return self._backend is not None

    def keep(self, identity: Identity, until: str) -> None:
        """Keep an identity open until ``until`` (UTC as records write it; empty: until it is forgotten)."""
        entry = json.dumps({"until": until, "secret": b64(identity.secret)})
        self._do(lambda: self._backend.set_password(_SERVICE, b64(identity.sign_public), entry))

    def opened(self, header: Header, at: str) -> Identity | None:
        """The identity of this header if it is kept and the time ``at`` lies before its end."""
        name = b64(header.sign_public)
        kept = self._do(lambda: self._backend.get_password(_SERVICE, name)) if self.usable else None
        try:
            entry = json.loads(kept) if kept else {}
            identity = Identity(unb64(entry["secret"], 32)) if entry else None
        except (ValueError, KeyError, TypeError, PbemError):
            return None
        if identity is None or identity.sign_public != header.sign_public:
            return None
        if entry["until"] and entry["until"] <= at:
            self.forget(header)
            return None
        return identity

    def forget(self, header: Header) -> bool:
        """Keep it no more; whether there was something to forget."""
        name = b64(header.sign_public)
        if not self.usable or self._do(lambda: self._backend.get_password(_SERVICE, name)) is None:
            return False
        self._do(lambda: self._backend.delete_password(_SERVICE, name))
        return True

    def _do(self, work: Any) -> Any:
        try:
            return work()
        except Exception as fault:  # noqa: BLE001 - every backend has faults of its own; none may stop a turn
            self._notify(sentence("the system's keyring did not answer: {fault}", fault=fault))
            return None


def keep_open(folder: Path, identity: Identity, minutes: int, notify: Notify) -> str:
    """Keep an identity open for so many minutes, and let commands ask the keyring from now on; until when.

    Raises:
        UsageProblem: this system has no keyring.
    """
    keyring = SystemKeyring(notify)
    if not keyring.usable:
        raise UsageProblem(
            sentence("there is no keyring on this system that could keep it, and no file may"),
            hint=sentence(
                'With a desktop: pip install "pbem[keyring]". Otherwise pbem play asks once and stays open.'
            ),
        )
    settings = replace(read_settings(folder), keyring="session", minutes=minutes)
    write_settings(folder, settings)
    until = until_of(settings, now())
    keyring.keep(identity, until)
    return until


# --- settings ---------------------------------------------------------------------------------------------
#
# What a player wants on one machine: whether the system's keyring is asked, their address, where their page
# lies.
#
# They stand in ``settings.toml`` beside their identities. No secret stands there.

SETTINGS: Final = "settings.toml"
MINUTES: Final = 30
"""How long an unlocked identity counts for other commands, if nobody says otherwise."""
MOST_MINUTES: Final = 24 * 60


@dataclass(frozen=True, slots=True)
class Settings:
    """What a player wants on this machine: ``keyring`` is ``never``, ``session`` or ``always``; their mail address.

    ``page``: where the browser page lies that they play with, by their own word; empty if they have not said.
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
            _minutes(data.get("minutes", MINUTES)),
            str(data.get("address", "")),
            str(data.get("page", "")),
        )
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise UsageProblem(
            sentence("{path} is not as it should be: {fault}", path=path, fault=fault)
        ) from fault
    except (ValueError, TypeError, OverflowError):
        raise UsageProblem(
            sentence(
                "{path}: minutes is a whole number from 1 to {most}, found {value!r}",
                path=path,
                most=MOST_MINUTES,
                value=data["minutes"],
            )
        ) from None
    if settings.keyring not in ("never", "session", "always"):
        raise UsageProblem(
            sentence(
                "{path}: keyring is never, session or always, found {value!r}",
                path=path,
                value=settings.keyring,
            )
        )
    return settings


def _minutes(value: Any) -> int:
    if not 1 <= int(value) <= MOST_MINUTES:
        raise ValueError(value)
    return int(value)


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
