"""Which identity the user means: the one named, or the only one that fits."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from pbem.base.errors import UsageProblem, VerificationError
from pbem.base.sentences import Typed, sentence
from pbem.cli.console import print_notice, read_input
from pbem.cli.keys import keyring_at
from pbem.cli.options import Keys
from pbem.cli.passphrase import old_passphrase
from pbem.player.seat.keeping_open import SystemKeyring, read_settings, until_of
from pbem.player.seat.moments import now
from pbem.player.store.keyring import Keyring
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import read_header, read_identity

_LONGEST = 64 * 1024


class NoIdentity(UsageProblem):
    """None of the identities at hand has a part in the match."""


def identity_named(keys: Keys) -> tuple[str, bytes] | None:
    """The identity that ``--id`` names, by a name or a file."""
    return None if keys.who is None else identity_called(keys.who, keys.home)


def identity_called(who: str, home: Path | None) -> tuple[str, bytes]:
    """The identity of this name, or in this file."""
    if "/" in who or who.endswith(".json"):
        raw = read_input(Path(who), limit=_LONGEST)
        read_header(raw, bulk=False)  # somebody hands it in
        return who, raw
    return who, keyring_at(home).read(who)


def identity_in(keys: Keys, wanted: Iterable[bytes], role: str) -> tuple[str, bytes]:
    """The identity with one of these signing keys, or the one that was named; ``role`` is what these are of."""
    named = identity_named(keys)
    if named is not None:
        return named
    keyring, wanted = keyring_at(keys.home), set(wanted)
    every = [(name, keyring.read(name)) for name in keyring.names()]
    fitting = _distinct([(name, raw) for name, raw in every if read_header(raw).sign_public in wanted])
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


def identity_of_kind(keys: Keys, kind: str) -> tuple[str, bytes]:
    """Name and file of the identity to begin something with: the one named, or the only one of this kind."""
    named = identity_named(keys)
    if named is None:
        keyring = keyring_at(keys.home)
        every = [(name, keyring.read(name)) for name in keyring.names()]
        fitting = _distinct([(name, raw) for name, raw in every if read_header(raw).kind == kind])
        if len(fitting) != 1:
            _none_or_many(kind, [name for name, _ in fitting], keyring.folder)
        named = _warned(keyring, fitting[0])
    return named


def _distinct(files: Sequence[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Of identities with one signing key one is enough: they are the same, restored under another name."""
    return list({read_header(raw).sign_public: (name, raw) for name, raw in reversed(files)}.values())[::-1]


def _none_or_many(kind: str, names: Sequence[str], folder: Path) -> None:
    flag = Typed(" --host" if kind == "host" else "")
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


def _warned(keyring: Keyring, identity: tuple[str, bytes]) -> tuple[str, bytes]:
    if warning := keyring.warning(identity[0]):
        print_notice(warning)
    return identity


# An identity is opened once: kept by the system's keyring if its owner wants it, else asked for, three
# times at most.
#
# Where there is no keyring ``pbem play`` asks once for as long as it runs, other commands ask each time.
# Whether the keyring is asked at all stands in ``settings.toml`` beside the identities: no command wakes
# it unasked.

TRIES: Final = 3


def unlocked(keys: Keys, raw: bytes, name: str) -> Identity:
    """Open the identity file ``raw``.

    The keyring is asked first if the settings allow it; then the passphrase file, an empty passphrase where nobody can
    be asked, or the person at the terminal.

    Raises:
        VerificationError: a passphrase that does not fit, three times at a terminal.
    """
    if keys.passphrase_file is not None:
        return read_identity(raw, old_passphrase(keys.passphrase_file, name))[0]
    settings = read_settings(keyring_at(keys.home).folder)
    keyring = SystemKeyring(print_notice) if settings.keyring != "never" else None
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
            print_notice(sentence("that is not the passphrase of {name}; capitals count", name=name))
    raise AssertionError
