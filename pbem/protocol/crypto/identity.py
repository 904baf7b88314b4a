"""An identity: one 32-byte secret, from which every key of a player or a host is derived (schemas/README.md §12).

::

    sign key     Ed25519 seed    KDF(secret, "pbem/1 sign")
    seal key     X25519 scalar   KDF(secret, "pbem/1 seal")
    chain seed   of a match      KDF(secret, "pbem/1 chain", game)        a player's links
    master       of a match      KDF(secret, "pbem/1 host master", nonce) a host's epoch seeds

A player's secret itself is KDF(recovery secret, "pbem/1 identity"). The **recovery secret** is kept on paper only: it
gives back the identity that was lost, its chains too, and the **recovery key**, Ed25519 seed KDF(recovery secret,
"pbem/1 recovery"). A join names the hash of that key's public half; a rekey signed by it takes the seat back from
whoever has stolen the identity, which does not tell the recovery secret.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import Final

from pbem.base.errors import FormatError
from pbem.base.values import dataclass
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import kdf, lp, sha
from pbem.protocol.crypto.primitives import SealKey, SignKey
from pbem.protocol.crypto.provider import provider

SECRET_SIZE: Final = 32

_CHECK_SIZE: Final = 3
_PAPER_GROUP: Final = 4
_PAPER_LENGTH: Final = (SECRET_SIZE + _CHECK_SIZE) * 8 // 5


@dataclass(frozen=True)
class Identity:
    """The keys of one player or host; the secret is in no ``repr``."""

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) != SECRET_SIZE:
            raise ValueError(f"an identity's secret has {SECRET_SIZE} bytes, found {len(self.secret)}")

    @cached_property
    def sign_key(self) -> SignKey:
        """Signs this identity's files."""
        return provider().sign_key(kdf(self.secret, "pbem/1 sign"))

    @cached_property
    def seal_key(self) -> SealKey:
        """Opens what is sealed to this identity."""
        return provider().seal_key(kdf(self.secret, "pbem/1 seal"))

    @cached_property
    def sign_public(self) -> bytes:
        """The public half of ``sign_key``."""
        return self.sign_key.public

    @cached_property
    def seal_public(self) -> bytes:
        """The public half of ``seal_key``."""
        return self.seal_key.public

    def chain_seed(self, game: bytes) -> bytes:
        """The seed of this player's chain of links in one match."""
        return kdf(self.secret, "pbem/1 chain", game)

    def master(self, nonce: bytes) -> bytes:
        """The seed of all epoch seeds of the match whose genesis holds ``nonce``: a host's."""
        return kdf(self.secret, "pbem/1 host master", nonce)


def recovery_key(secret: bytes) -> SignKey:
    """The recovery key of a 32-byte recovery secret."""
    if len(secret) != SECRET_SIZE:
        raise ValueError(f"a recovery secret has {SECRET_SIZE} bytes, found {len(secret)}")
    return provider().sign_key(kdf(secret, "pbem/1 recovery"))


def recovered(secret: bytes) -> Identity:
    """The identity that belongs to a recovery secret."""
    if len(secret) != SECRET_SIZE:
        raise ValueError(f"a recovery secret has {SECRET_SIZE} bytes, found {len(secret)}")
    return Identity(kdf(secret, "pbem/1 identity"))


def recovery_hash(public: bytes) -> bytes:
    """What a join says of a recovery key: SHA of its public key."""
    return sha(public)


# --- paper: groups a person can copy by hand, with a checksum -----------------------------------------------


def to_paper(identity: Identity) -> str:
    """The identity's secret for paper: fourteen groups of four characters, the last ones a checksum."""
    return _write("identity", identity.secret)


def from_paper(text: str) -> Identity:
    """The identity on the paper; case, blanks and hyphens do not matter, O is read as 0, I and L as 1.

    Raises:
        FormatError: foreign characters, a wrong length or checksum, or the paper of a recovery key.
    """
    return Identity(_read("identity", text))


def recovery_to_paper(secret: bytes) -> str:
    """The recovery secret for paper."""
    return _write("recovery", secret)


def recovery_from_paper(text: str) -> bytes:
    """The recovery secret on the paper (``FormatError`` as in ``from_paper``)."""
    return _read("recovery", text)


def is_recovery_paper(text: str) -> bool:
    """Whether this is the paper of a recovery secret, without a fault in it."""
    try:
        _read("recovery", text)
    except FormatError:
        return False
    return True


def _check(what: str, secret: bytes) -> bytes:
    return sha(lp("pbem/1 paper", what, secret))[:_CHECK_SIZE]


def _write(what: str, secret: bytes) -> str:
    groups = base32.groups(base32.encode(secret + _check(what, secret)), _PAPER_GROUP)
    half = len(groups) // 2
    return " ".join(groups[:half]) + "\n" + " ".join(groups[half:])


def _read(what: str, text: str) -> bytes:
    bare = base32.tidy("".join(text.split()).replace("-", ""))
    if len(bare) != _PAPER_LENGTH:
        raise FormatError(f"expected {_PAPER_LENGTH} letters and digits, found {len(bare)}")
    data = base32.decode(bare)
    secret, check = data[:SECRET_SIZE], data[SECRET_SIZE:]
    if check == _check(what, secret):
        return secret
    for other in {"identity", "recovery"} - {what}:
        if check == _check(other, secret):
            raise FormatError(f"this is the paper of the {other} key; expected that of the {what} key")
    raise FormatError("the checksum does not fit: at least one character was misread or left out")
