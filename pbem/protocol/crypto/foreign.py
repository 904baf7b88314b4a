"""A provider on top of a backend: any library that has the primitives as functions on bytes (``CryptoBackend``).

Keys and HPKE are built from them here. ``of_page`` takes the functions from JavaScript that a page has loaded
(``pbem/web/primitives.mjs``).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final, Protocol

from pbem.protocol.crypto import identity
from pbem.protocol.crypto.primitives import SealKey, SignKey, Unfit

_BASE_POINT: Final = b"\x09" + bytes(31)
_SCALAR_SIZE: Final = 32


class CryptoBackend(Protocol):
    """The functions that the library must have; None is its refusal."""

    def sign_public(self, seed: bytes, /) -> bytes:
        """Ed25519: the public key of a seed."""

    def sign(self, seed: bytes, message: bytes, /) -> bytes:
        """Ed25519: the signature."""

    def verifies(self, public: bytes, message: bytes, signature: bytes, /) -> bool:
        """Ed25519, by the equation without the cofactor."""

    def agree(self, scalar: bytes, public: bytes, /) -> bytes | None:
        """X25519; None if the secret would be all zeros."""

    def gcm_seal(self, key: bytes, nonce: bytes, plaintext: bytes, data: bytes, /) -> bytes:
        """AES-GCM with keys of 16 and of 32 bytes."""

    def gcm_open(self, key: bytes, nonce: bytes, sealed: bytes, data: bytes, /) -> bytes | None:
        """AES-GCM; None if it does not open."""

    def scrypt(self, password: bytes, salt: bytes, log_n: int, r: int, p: int, /) -> bytes:
        """32 bytes."""


class ForeignSignKey:
    """An Ed25519 key, by its seed."""

    def __init__(self, backend: CryptoBackend, seed: bytes) -> None:
        self._backend, self._seed = backend, seed

    @cached_property
    def public(self) -> bytes:
        """Its public half."""
        return self._backend.sign_public(self._seed)

    def sign(self, message: bytes) -> bytes:
        """The signature."""
        return self._backend.sign(self._seed, message)


class ForeignSealKey:
    """An X25519 key, by its scalar."""

    def __init__(self, provider: Foreign, scalar: bytes) -> None:
        self._provider, self._scalar = provider, scalar

    @cached_property
    def public(self) -> bytes:
        """Its public half."""
        return self.agree(_BASE_POINT)

    def agree(self, public: bytes) -> bytes:
        """The shared secret."""
        shared = self._provider.backend.agree(self._scalar, public)
        if shared is None:
            raise Unfit("a point of small order")
        return shared

    def open(self, sealed: bytes, info: bytes) -> bytes:
        """HPKE from its parts."""
        return identity.open_with(self._provider, self, sealed, info)


class Foreign:
    """The provider on top of a backend; ``entropy`` gives HPKE its one-time keys."""

    def __init__(self, backend: CryptoBackend, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self.backend = backend
        self._entropy = entropy

    def sign_key(self, seed: bytes) -> SignKey:
        """See ``Provider``."""
        return ForeignSignKey(self.backend, seed)

    def verifies(self, public: bytes, message: bytes, signature: bytes) -> bool:
        """See ``Provider``."""
        return self.backend.verifies(public, message, signature)

    def seal_key(self, scalar: bytes) -> SealKey:
        """See ``Provider``."""
        return ForeignSealKey(self, scalar)

    def seal(self, plaintext: bytes, public: bytes, info: bytes) -> bytes:
        """See ``Provider``."""
        return identity.seal_with(self, self._entropy(_SCALAR_SIZE), plaintext, public, info)

    def gcm_seal(self, key: bytes, nonce: bytes, plaintext: bytes, data: bytes) -> bytes:
        """See ``Provider``."""
        return self.backend.gcm_seal(key, nonce, plaintext, data)

    def gcm_open(self, key: bytes, nonce: bytes, sealed: bytes, data: bytes) -> bytes:
        """See ``Provider``."""
        raw = self.backend.gcm_open(key, nonce, sealed, data)
        if raw is None:
            raise Unfit("altered, or under another key")
        return raw

    def scrypt(self, password: bytes, salt: bytes, log_n: int, r: int, p: int) -> bytes:
        """See ``Provider``."""
        return self.backend.scrypt(password, salt, log_n, r, p)


class PageBackend:
    """The functions of ``pbem/web/primitives.mjs``, as Pyodide shows them to Python.

    Bytes cross between the two languages as text of one character a byte (Latin-1): that is copied in one piece, and
    leaves no object on the other side that somebody must free.
    """

    def __init__(self, functions: Any) -> None:
        self._functions = functions

    def sign_public(self, seed: bytes) -> bytes:
        """See ``CryptoBackend``."""
        return _bytes(self._functions.signPublic(_text(seed)))

    def sign(self, seed: bytes, message: bytes) -> bytes:
        """See ``CryptoBackend``."""
        return _bytes(self._functions.sign(_text(seed), _text(message)))

    def verifies(self, public: bytes, message: bytes, signature: bytes) -> bool:
        """See ``CryptoBackend``."""
        return self._functions.verifies(_text(public), _text(message), _text(signature)) is True

    def agree(self, scalar: bytes, public: bytes) -> bytes | None:
        """See ``CryptoBackend``."""
        return _bytes_or_none(self._functions.agree(_text(scalar), _text(public)))

    def gcm_seal(self, key: bytes, nonce: bytes, plaintext: bytes, data: bytes) -> bytes:
        """See ``CryptoBackend``."""
        return _bytes(self._functions.gcmSeal(_text(key), _text(nonce), _text(plaintext), _text(data)))

    def gcm_open(self, key: bytes, nonce: bytes, sealed: bytes, data: bytes) -> bytes | None:
        """See ``CryptoBackend``."""
        opened = self._functions.gcmOpen(_text(key), _text(nonce), _text(sealed), _text(data))
        return _bytes_or_none(opened)

    def scrypt(self, password: bytes, salt: bytes, log_n: int, r: int, p: int) -> bytes:
        """See ``CryptoBackend``."""
        return _bytes(self._functions.scrypt(_text(password), _text(salt), log_n, r, p))


def _text(data: bytes) -> str:
    return data.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


def _bytes_or_none(answer: object) -> bytes | None:
    return _bytes(answer) if isinstance(answer, str) else None


def of_page(functions: Any) -> Foreign:
    """The provider of a page, which calls ``use(of_page(functions))`` before anything else."""
    return Foreign(PageBackend(functions))
