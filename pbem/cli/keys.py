"""Identities for commands: made, opened, described."""

from __future__ import annotations

import os
from pathlib import Path

from pbem.base.values import dataclass
from pbem.cli.console import print_notice
from pbem.cli.passphrase import old_passphrase
from pbem.game import JsonObject
from pbem.player.store.keyring import Keyring, default_home, file_name_for
from pbem.protocol.crypto.digest import SALT_SIZE, b64, fingerprint
from pbem.protocol.crypto.identity import (
    SECRET_SIZE,
    Identity,
    from_paper,
    is_recovery_paper,
    recovered,
    recovery_from_paper,
    recovery_hash,
    recovery_key,
    recovery_to_paper,
)
from pbem.protocol.formats.identity_file import Kind, read_header, read_identity, write_identity
from pbem.protocol.formats.strict_json import check_name


def keyring_at(home: Path | None) -> Keyring:
    """The identities under ``home``, or where the environment says."""
    return Keyring(home if home is not None else default_home(os.environ))


def open_identity(home: Path | None, name: str | None, passphrase_file: Path | None) -> Identity:
    """The identity ``name``, or the only one there is, opened with its passphrase (asked for, or from a file)."""
    keyring = keyring_at(home)
    chosen = keyring.pick(name)
    if warning := keyring.warning(chosen):
        print_notice(warning)
    passphrase = old_passphrase(passphrase_file, chosen)
    return read_identity(keyring.read(chosen), passphrase)[0]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a new identity file goes and whose it is; ``name`` is free when this was made by ``place_for``."""

    keyring: Keyring
    name: str
    person: str
    kind: Kind


def place_for(home: Path | None, person: str, name: str | None, kind: Kind, *, free: bool = True) -> Place:
    """A place; if it has to be ``free`` and is not, ``UsageProblem`` before anybody has to think of a passphrase."""
    check_name(person, "name")
    keyring = keyring_at(home)
    chosen = name if name is not None else file_name_for(person)
    if free:
        keyring.check_free(chosen)
    return Place(keyring, chosen, person, kind)


def make_identity(place: Place, passphrase: str) -> tuple[Identity, str]:
    """A new identity from fresh entropy, in its file; and a player's recovery secret for paper (on no disk)."""
    fresh = os.urandom(SECRET_SIZE)
    if place.kind == "host":
        return keep_identity(place, Identity(fresh), passphrase), ""
    return keep_identity(place, recovered(fresh), passphrase, _hash_of(fresh)), recovery_to_paper(fresh)


def _hash_of(recovery: bytes) -> bytes:
    return recovery_hash(recovery_key(recovery).public)


def keep_identity(
    place: Place, identity: Identity, passphrase: str, recovery: bytes | None = None
) -> Identity:
    """Write the identity file; ``recovery`` is the hash of the recovery public key. The identity again."""
    salt = os.urandom(SALT_SIZE)
    raw = write_identity(identity, place.person, passphrase, salt, kind=place.kind, recovery=recovery)
    place.keyring.add(place.name, raw)
    return identity


def same_identity(keyring: Keyring, identity: Identity) -> str:
    """What this very identity is called here already; empty if it is not here."""
    for name in keyring.names():
        if read_header(keyring.read(name)).sign_public == identity.sign_public:
            return name
    return ""


def put_back(place: Place, identity: Identity, passphrase: str, recovery: bytes | None) -> str:
    """Write an identity file again; if this identity is here already, under its new passphrase. What it is called."""
    existing = same_identity(place.keyring, identity)
    if not existing:
        keep_identity(place, identity, passphrase, recovery)
        return place.name
    header = read_header(place.keyring.read(existing))
    salt = os.urandom(SALT_SIZE)
    kept = header.recovery if recovery is None else recovery
    raw = write_identity(identity, header.name, passphrase, salt, kind=header.kind, recovery=kept)
    place.keyring.replace(existing, raw)
    return existing


def identity_on_paper(text: str) -> tuple[Identity, bytes | None]:
    """The identity of a paper, and from a recovery paper the hash of the recovery key, too.

    The lines that ``pbem id backup -o`` writes above the paper's text do not matter.
    """
    paper = text.strip().split("\n\n")[-1]
    if not is_recovery_paper(paper):
        return from_paper(paper), None
    secret = recovery_from_paper(paper)
    return recovered(secret), _hash_of(secret)


def describe(keyring: Keyring, name: str) -> JsonObject:
    """What may be known of an identity without its passphrase."""
    if warning := keyring.warning(name):
        print_notice(warning)
    header = read_header(keyring.read(name))
    recovery = {} if header.recovery is None else {"recovery": b64(header.recovery)}
    return {
        "name": name,
        "person": header.name,
        "kind": header.kind,
        "fingerprint": fingerprint(header.sign_public),
        "sign": b64(header.sign_public),
        "seal": b64(header.seal_public),
        "file": str(keyring.path(name)),
        **recovery,
    }
