"""The primitives that come from a library, behind one interface: Ed25519, X25519, HPKE, AES-GCM, scrypt.

A ``Provider`` has them. By default it is ``pbem.protocol.crypto.native``, which takes them from ``cryptography``; where
that is not installed (Python in a browser page) the program installs another one (``pbem.protocol.crypto.provider``)
before it does anything else. Which keys and points are proper, and HPKE (RFC 9180) for a provider without it, stand in
``pbem.protocol.crypto.identity``, so that all providers give the same verdicts. All of them pass the same public
vectors, and each must refuse a signature whose R has a torsion part: it verifies without the cofactor, as libsodium
and OpenSSL do.
"""

from __future__ import annotations

from typing import Protocol


class Unfit(Exception):
    """These bytes do not open, or agree on nothing: altered, for another key, or no key at all."""


class SignKey(Protocol):
    """An Ed25519 key that signs (RFC 8032 §5.1)."""

    @property
    def public(self) -> bytes:
        """Its public half, 32 bytes."""

    def sign(self, message: bytes, /) -> bytes:
        """The signature, 64 bytes; the same for the same message."""


class SealKey(Protocol):
    """An X25519 key that opens (RFC 7748 §5)."""

    @property
    def public(self) -> bytes:
        """Its public half, 32 bytes."""

    def agree(self, public: bytes, /) -> bytes:
        """The shared secret, 32 bytes; ``Unfit`` if it is all zeros (RFC 7748 §6.1)."""

    def open(self, sealed: bytes, info: bytes, /) -> bytes:
        """The plaintext that ``Provider.seal`` sealed; ``Unfit`` if it does not open."""


class Provider(Protocol):
    """The primitives. Keys, nonces and salts must have the right lengths: the caller checks that."""

    def sign_key(self, seed: bytes, /) -> SignKey:
        """The Ed25519 key of a seed of 32 bytes."""

    def verifies(self, public: bytes, message: bytes, signature: bytes, /) -> bool:
        """Whether the Ed25519 signature of 64 bytes holds: by the equation without the cofactor, S below the order."""

    def seal_key(self, scalar: bytes, /) -> SealKey:
        """The X25519 key of a scalar of 32 bytes."""

    def seal(self, plaintext: bytes, public: bytes, info: bytes, /) -> bytes:
        """HPKE (RFC 9180) base mode, one shot, DHKEM(X25519), HKDF-SHA256, AES-128-GCM: enc ‖ ciphertext ‖ tag.

        The one-time key is fresh each time. ``Unfit`` if nothing can be sealed to ``public``.
        """

    def gcm_seal(self, key: bytes, nonce: bytes, plaintext: bytes, data: bytes, /) -> bytes:
        """AES-GCM: ciphertext ‖ tag (16). The key has 16 or 32 bytes, the nonce twelve; ``data`` is bound, not held."""

    def gcm_open(self, key: bytes, nonce: bytes, sealed: bytes, data: bytes, /) -> bytes:
        """The plaintext; ``Unfit`` if it does not open."""

    def scrypt(self, password: bytes, salt: bytes, log_n: int, r: int, p: int, /) -> bytes:
        """32 bytes (RFC 7914) with N = 2^log_n."""
