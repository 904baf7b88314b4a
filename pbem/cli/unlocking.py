"""An identity is opened once: kept by the system's keyring if its owner wants it, else asked for, three times at most.

Where there is no keyring ``pbem play`` asks once for as long as it runs, other commands ask each time. Whether the
keyring is asked at all stands in ``settings.toml`` beside the identities: no command wakes it unasked.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from pbem.base.errors import VerificationError
from pbem.base.sentences import sentence
from pbem.cli.console import tell
from pbem.cli.passphrase import old_passphrase
from pbem.player.seat.keeping_open import SystemKeyring
from pbem.player.seat.moments import now
from pbem.player.seat.settings import read_settings, until_of
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import read_header, read_identity

TRIES: Final = 3


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
    keyring = SystemKeyring(tell) if settings.keyring != "never" else None
    if keyring is not None and (kept := keyring.opened(read_header(raw), now())) is not None:
        return kept
    identity = _asked(raw, name)
    if keyring is not None and keyring.usable:
        keyring.keep(identity, until_of(settings, now()))
    return identity


def forgotten(fault: VerificationError, name: str) -> VerificationError:
    """The same fault, with the command that helps whoever does not know the passphrase any more."""
    return VerificationError(
        fault.code,
        str(fault),
        hint=sentence("Forgotten? Your recovery words set a new one: pbem id restore {name}", name=name),
    )


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
            if fault.code != "passphrase":
                raise
            if not left:
                raise forgotten(fault, name) from None
            tell(sentence("that is not the passphrase of {name}; capitals count", name=name))
    raise AssertionError
