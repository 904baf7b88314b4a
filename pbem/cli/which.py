"""Which identity the user means: the one he names, or the only one that fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.cli.console import read_input, tell
from pbem.cli.keys import keyring_at
from pbem.cli.options import Keys
from pbem.cli.unlocking import unlock
from pbem.player.store.keyring import Keyring
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import Header, read_header

_LONGEST = 64 * 1024


class NoIdentity(UsageProblem):
    """None of the identities at hand has a part in the match."""


def unlocked(keys: Keys, raw: bytes, name: str) -> Identity:
    """Open an identity file, from the keyring, the passphrase file or by asking (``unlocking.unlock``)."""
    return unlock(raw, name, keyring_at(keys.home).folder, keys.passphrase_file)


def identity_named(keys: Keys) -> tuple[str, bytes] | None:
    """The identity that ``--id`` names, by a name or a file."""
    if keys.who is None:
        return None
    if "/" in keys.who or keys.who.endswith(".json"):
        return keys.who, read_input(Path(keys.who), limit=_LONGEST)
    return keys.who, keyring_at(keys.home).read(keys.who)


def identity_in(keys: Keys, wanted: Iterable[bytes], role: str) -> tuple[str, bytes]:
    """The identity with one of these signing keys, or the one that was named; ``role`` is what these are of."""
    named = identity_named(keys)
    if named is not None:
        return named
    keyring, those = keyring_at(keys.home), set(wanted)
    every = [(name, keyring.read(name)) for name in keyring.names()]
    fitting = [(name, raw) for name, raw in every if read_header(raw).sign_public in those]
    fitting = _distinct(fitting)
    if len(fitting) == 1:
        return _warned(keyring, fitting[0])
    if not fitting:
        raise NoIdentity(
            sentence("no identity in {folder} is {role} of this match", folder=keyring.folder, role=role),
            hint=sentence("Name another place with --home, or the identity with --id NAME or --id FILE."),
        )
    names = ", ".join(name for name, _ in fitting)
    raise UsageProblem(
        sentence("several identities are {role} here: {names}", role=role, names=names),
        hint=sentence("Say which: --id NAME"),
    )


def identity_of_kind(keys: Keys, kind: str) -> tuple[str, bytes, Header]:
    """The identity to begin something with: the one named, or the only one of this kind."""
    named = identity_named(keys)
    if named is None:
        keyring = keyring_at(keys.home)
        every = [(name, keyring.read(name)) for name in keyring.names()]
        fitting = _distinct([(name, raw) for name, raw in every if read_header(raw).kind == kind])
        if len(fitting) != 1:
            _none_or_many(kind, [name for name, _ in fitting], keyring.folder)
        named = _warned(keyring, fitting[0])
    return (*named, read_header(named[1]))


def _distinct(found: Sequence[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Of identities with one signing key one is enough: they are the same, restored under another name."""
    return list({read_header(raw).sign_public: (name, raw) for name, raw in reversed(found)}.values())[::-1]


def _none_or_many(kind: str, names: Sequence[str], folder: Path) -> None:
    flag = " --host" if kind == "host" else ""
    who = sentence("a host") if kind == "host" else sentence("a player")
    if names:
        raise UsageProblem(
            sentence("there are several identities of {who}: {names}", who=who, names=", ".join(names)),
            hint=sentence("Say which: --id NAME"),
        )
    raise UsageProblem(
        sentence("there is no identity of {who} in {folder}", who=who, folder=folder),
        hint=sentence("Make one: pbem id new{flag} PERSON", flag=flag),
    )


def _warned(keyring: Keyring, found: tuple[str, bytes]) -> tuple[str, bytes]:
    if warning := keyring.warning(found[0]):
        tell(warning)
    return found
