"""An identity is opened once: kept by the system's keyring if its owner wants it, else asked for, three times at most.

What the keyring keeps is the identity's secret with the time until which that counts; Keychain, Credential Manager and
Secret Service seal it under the user's login. Nothing of it is ever written to a file. Where there is no keyring (a
server over ssh) nothing is kept: ``pbem play`` asks once for as long as it runs, other commands ask each time. Whether
the keyring is asked at all stands in ``settings.toml`` beside the identities: no command wakes it unasked.
"""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from pbem.cli.console import tell
from pbem.cli.passphrase import old_passphrase
from pbem.crypto.digest import b64, unb64
from pbem.crypto.identity import Identity
from pbem.errors import PbemError, UsageProblem, VerificationError
from pbem.formats.identity_file import Header, read_header, read_identity
from pbem.player.moments import now
from pbem.record.deadlines import format_time, parse_time, plus
from pbem.sentences import sentence
from pbem.store.durable import write_private
from pbem.system.later import put_off
from pbem.values import dataclass

SETTINGS: Final = "settings.toml"
TRIES: Final = 3
MINUTES: Final = 30
"""How long an unlocked identity counts for other commands, if nobody says otherwise."""
_SERVICE: Final = "pbem"
_UNUSED: Final = (
    "urllib.request",
    "more_itertools",
    "importlib_metadata",
    "backports.tarfile",
    "configparser",
)
"""What the keyring's libraries import and a look into it seldom needs: half of what importing them takes."""


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
    import tomllib

    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
        found = Settings(
            str(data.get("keyring", "never")),
            int(data.get("minutes", MINUTES)),
            str(data.get("address", "")),
            str(data.get("page", "")),
        )
    except (ValueError, TypeError, UnicodeDecodeError) as fault:
        raise UsageProblem(
            sentence("{path} is not as it should be: {fault}", path=path, fault=fault)
        ) from fault
    if found.keyring not in ("never", "session", "always"):
        raise UsageProblem(
            sentence(
                "{path}: keyring is never, session or always, found {value!r}", path=path, value=found.keyring
            )
        )
    return found


def write_settings(folder: Path, settings: Settings) -> None:
    """Write them, whole or not at all."""
    text = f'keyring = "{settings.keyring}"\nminutes = {settings.minutes}\naddress = "{settings.address}"\n'
    text += f'page = "{settings.page}"\n' if settings.page else ""
    write_private(folder / SETTINGS, text.encode(), replace=True)


class SystemKeyring:
    """The keyring of this system, if it has one that can be used; ``backend`` is another one to use instead."""

    def __init__(self, backend: Any = None) -> None:
        self._backend = backend
        if backend is None:
            try:
                put_off(*_UNUSED)
                found = importlib.import_module("keyring").get_keyring()
                self._backend = found if found.priority > 0 else None
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
            tell(sentence("the system's keyring did not answer: {fault}", fault=fault))
            return None


def until_of(settings: Settings, at: str) -> str:
    """Until when an identity that is opened at ``at`` is kept open."""
    if settings.keyring == "always":
        return ""
    return format_time(plus(parse_time(at), timedelta(minutes=settings.minutes)))


def keep_open(folder: Path, identity: Identity, minutes: int) -> str:
    """Keep an identity open for so many minutes, and let commands ask the keyring from now on; until when.

    Raises:
        UsageProblem: this system has no keyring.
    """
    keyring = SystemKeyring()
    if not keyring.usable:
        raise UsageProblem(
            "there is no keyring on this system that could keep it, and no file may",
            hint='With a desktop: pip install "pbem[keyring]". Otherwise pbem play asks once and stays open.',
        )
    settings = replace(read_settings(folder), keyring="session", minutes=minutes)
    write_settings(folder, settings)
    until = until_of(settings, now())
    keyring.keep(identity, until)
    return until


def unlock(raw: bytes, name: str, folder: Path, passphrase_file: Path | None) -> Identity:
    """Open the identity file ``raw``; ``folder`` is where the settings lie.

    The keyring is asked first if the settings allow it; then the passphrase file, an empty passphrase where nobody can
    be asked, or the person at the terminal.

    Raises:
        VerificationError: a passphrase that does not fit, three times at a terminal.
    """
    if passphrase_file is not None:
        return read_identity(raw, old_passphrase(passphrase_file, name))[0]
    settings = read_settings(folder)
    keyring = SystemKeyring() if settings.keyring != "never" else None
    if keyring is not None and (kept := keyring.opened(read_header(raw), now())) is not None:
        return kept
    identity = _asked(raw, name)
    if keyring is not None and keyring.usable:
        keyring.keep(identity, until_of(settings, now()))
    return identity


def _asked(raw: bytes, name: str) -> Identity:
    if not sys.stdin.isatty():
        try:
            return read_identity(raw, "")[0]
        except VerificationError as fault:
            if fault.code != "passphrase":
                raise
    for left in range(TRIES - 1, -1, -1):
        try:
            return read_identity(raw, old_passphrase(None, name))[0]
        except VerificationError as fault:
            if fault.code != "passphrase" or not left:
                raise
            tell(sentence("that is not the passphrase of {name}; capitals count", name=name))
    raise AssertionError
