"""The primitives as ``cryptography`` (OpenSSL) and ``hashlib`` do them: the provider of every ordinary Python.

No other module imports ``cryptography``; an import contract holds that.
"""

from __future__ import annotations

import hashlib
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from pbem.protocol.crypto.primitives import SealKey, SignKey, Unfit

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_SUITE: Final = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM)
_SCRYPT_MEMORY: Final = 2**31 - 1

_verifying = lru_cache(maxsize=1024)(Ed25519PublicKey.from_public_bytes)
_agreeing = lru_cache(maxsize=1024)(X25519PublicKey.from_public_bytes)


@lru_cache(maxsize=2)
def last_verdicts(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature holds. A host verifies a file to rule on it, and the very same in the record it writes."""
    try:
        _verifying(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


@cache
def _aes_gcm() -> type[AESGCM]:
    # A command that opens nothing does without it.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM


class NativeSignKey:
    """An Ed25519 key of the library."""

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.sign = self._key.sign

    @cached_property
    def public(self) -> bytes:
        """Its public half."""
        return self._key.public_key().public_bytes_raw()


class NativeSealKey:
    """An X25519 key of the library."""

    def __init__(self, scalar: bytes) -> None:
        self._key = X25519PrivateKey.from_private_bytes(scalar)

    @cached_property
    def public(self) -> bytes:
        """Its public half."""
        return self._key.public_key().public_bytes_raw()

    def agree(self, public: bytes) -> bytes:
        """The shared secret."""
        try:
            return self._key.exchange(_agreeing(public))
        except ValueError as fault:
            raise Unfit(str(fault)) from None

    def open(self, sealed: bytes, info: bytes) -> bytes:
        """HPKE by the library's own module."""
        try:
            return _SUITE.decrypt(sealed, self._key, info=info)
        except (InvalidTag, ValueError) as fault:
            raise Unfit(str(fault)) from None


class Native:
    """The provider that has everything from ``cryptography``."""

    def sign_key(self, seed: bytes) -> SignKey:
        """See ``Provider``."""
        return NativeSignKey(seed)

    def verifies(self, public: bytes, message: bytes, signature: bytes) -> bool:
        """See ``Provider``; parsed keys and the last verdicts are cached."""
        return last_verdicts(public, message, signature)

    def seal_key(self, scalar: bytes) -> SealKey:
        """See ``Provider``."""
        return NativeSealKey(scalar)

    def seal(self, plaintext: bytes, public: bytes, info: bytes) -> bytes:
        """See ``Provider``."""
        try:
            return _SUITE.encrypt(plaintext, _agreeing(public), info=info)
        except ValueError as fault:
            raise Unfit(str(fault)) from None

    def gcm_seal(self, key: bytes, nonce: bytes, plaintext: bytes, data: bytes) -> bytes:
        """See ``Provider``."""
        return _aes_gcm()(key).encrypt(nonce, plaintext, data)

    def gcm_open(self, key: bytes, nonce: bytes, sealed: bytes, data: bytes) -> bytes:
        """See ``Provider``."""
        try:
            return _aes_gcm()(key).decrypt(nonce, sealed, data)
        except (InvalidTag, ValueError) as fault:
            raise Unfit(str(fault)) from None

    def scrypt(self, password: bytes, salt: bytes, log_n: int, r: int, p: int) -> bytes:
        """See ``Provider``."""
        return hashlib.scrypt(password, salt=salt, n=2**log_n, r=r, p=p, maxmem=_SCRYPT_MEMORY, dklen=32)
