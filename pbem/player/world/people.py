"""People whose keys protect nothing: their names, keys that follow from a text, identities with a known passphrase."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from pbem.player.store import Keyring, write_private
from pbem.protocol.crypto.digest import SALT_SIZE, sha
from pbem.protocol.crypto.identity import SECRET_SIZE, Identity
from pbem.protocol.formats.identity_file import write_identity

NAMES: Final = ("anna", "burt", "curt", "dora", "emil")
PASSPHRASE: Final = "demo"  # noqa: S105 - it protects nothing and stands in a file beside the identities
_LOG_N: Final = 4
"""So little work, too: nobody has to wait for a lock whose key lies beside it."""


def secret(text: str) -> bytes:
    """32 bytes that follow from ``text``: for TEST keys, nonces and salts."""
    return sha(b"TEST " + text.encode())


def make_identity(
    home: Path, name: str, kind: Literal["player", "host"], entropy: Callable[[int], bytes]
) -> Identity:
    """A new identity in a keyring of its own, sealed like any other; the passphrase lies beside it."""
    identity = Identity(entropy(SECRET_SIZE))
    raw = write_identity(identity, name.title(), PASSPHRASE, entropy(SALT_SIZE), kind=kind, log_n=_LOG_N)
    Keyring(home).add(name, raw)
    write_private(home / "passphrase", PASSPHRASE.encode() + b"\n")
    return identity


class FixedSalts:
    """16 bytes at each call, which follow from a name and how often it was called, from ``count`` on."""

    def __init__(self, name: str, count: int = 0) -> None:
        self.name = name
        self.count = count

    def __call__(self) -> bytes:
        """The next ones."""
        self.count += 1
        return secret(f"salt {self.name} {self.count}")[:SALT_SIZE]
