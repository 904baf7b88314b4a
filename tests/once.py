"""The provider of a session of tests: no process verifies, opens or derives twice what it has verified, opened or made.

Tests audit the same records hundreds of times, each time with another one falsified. Whether a signature holds follows
from the key, the message and the signature alone, and what is sealed from the key, ``info`` and the sealed bytes; so
what this process has signed holds, what it has sealed opens, and what is another in any byte is verified and opened by
itself. Tests of the sums themselves, and of what is handed over of them, do without (``tests/conftest.py``).

Nor does it agree on a secret for each packet that it seals: a few one-time keys, taken in turn, serve for all, since a
new one and what it agrees on are four fifths of what sealing costs. Whoever opens a packet does what they always do.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache, lru_cache
from hashlib import sha256
from itertools import cycle
from secrets import token_bytes
from typing import Final

from pbem.protocol.crypto.identity import seal_with
from pbem.protocol.crypto.native import Native, NativeSealKey, NativeSignKey
from pbem.protocol.crypto.primitives import SealKey, SignKey

_MOST: Final = 50_000
"""Signatures that are kept; then it begins again. They are six megabytes."""
_MOST_OPENED: Final = 10_000
"""Texts that are kept; then it begins again. They are thirty megabytes at most; packets have three kilobytes each."""
_VERIFIED: Final[dict[bytes, bool]] = {}
"""Whether it holds, by the hash of key, signature and message."""
_DERIVED: Final[dict[tuple[bytes, bytes, int, int, int], bytes]] = {}
"""Keys by passphrase, salt and costs."""
_MUCH: Final = 100 << 20
"""Bytes that a worker does without."""
_DERIVE: Final = """
import hashlib, sys
password, salt = map(bytes.fromhex, sys.argv[1:3])
log_n, r, p = map(int, sys.argv[3:])
sys.stdout.buffer.write(hashlib.scrypt(password, salt=salt, n=2**log_n, r=r, p=p, maxmem=2**31 - 1, dklen=32))
"""
_OPENED: Final[dict[bytes, bytes]] = {}
"""What was sealed, by the hash of key, ``info`` and the sealed bytes."""


def _hash(public: bytes, short: bytes, long: bytes) -> bytes:
    return sha256(b"".join((b"%d %d " % (len(public), len(short)), public, short, long))).digest()


class _SignKey(NativeSignKey):
    """What it has signed holds."""

    def __init__(self, seed: bytes) -> None:
        super().__init__(seed)
        self.sign = self._signed

    def _signed(self, data: bytes | bytearray | memoryview) -> bytes:
        signature = self._key.sign(data)
        _keep_verdict(_hash(self.public, signature, bytes(data)), holds=True)
        return signature


class _SealKey(NativeSealKey):
    """What was sealed to it is opened once."""

    def open(self, sealed: bytes, info: bytes) -> bytes:
        """See ``SealKey``; what raises is kept nowhere."""
        asked = _hash(self.public, info, sealed)
        plaintext = _OPENED.get(asked)
        if plaintext is None:
            plaintext = super().open(sealed, info)
            _keep_opened(asked, plaintext)
        return plaintext


class _OneTimeKey(NativeSealKey):
    """It agrees with each key once."""

    def __init__(self, scalar: bytes) -> None:
        super().__init__(scalar)
        self._agreed: dict[bytes, bytes] = {}

    def agree(self, public: bytes) -> bytes:
        """See ``SealKey``; what raises is kept nowhere."""
        if public not in self._agreed:
            self._agreed[public] = super().agree(public)
        return self._agreed[public]


class _Sealing(Native):
    """What seals with these keys."""

    def seal_key(self, scalar: bytes) -> SealKey:
        """See ``Provider``."""
        return _one_time_key(scalar)


_one_time_key = cache(_OneTimeKey)
_sealing: Final = _Sealing()
_one_time: Final = cycle([token_bytes(32) for _ in range(8)])
"""So two packets of the same content to the same key, one after the other, differ as they always do."""
_sign_key = lru_cache(maxsize=512)(_SignKey)
_seal_key = lru_cache(maxsize=512)(_SealKey)


class Once(Native):
    """The provider of every ordinary Python; what it was asked before it knows."""

    def sign_key(self, seed: bytes) -> SignKey:
        """See ``Provider``."""
        return _sign_key(seed)

    def seal_key(self, scalar: bytes) -> SealKey:
        """See ``Provider``."""
        return _seal_key(scalar)

    def verifies(self, public: bytes, message: bytes, signature: bytes) -> bool:
        """See ``Provider``; what raises is kept nowhere."""
        asked = _hash(public, signature, message)
        holds = _VERIFIED.get(asked)
        if holds is None:
            holds = super().verifies(public, message, signature)
            _keep_verdict(asked, holds=holds)
        return holds

    def seal(self, plaintext: bytes, public: bytes, info: bytes) -> bytes:
        """See ``Provider``; it opens."""
        sealed = seal_with(_sealing, next(_one_time), plaintext, public, info)
        _keep_opened(_hash(public, info, sealed), plaintext)
        return sealed

    def scrypt(self, password: bytes, salt: bytes, log_n: int, r: int, p: int) -> bytes:
        """See ``Provider``; half a second and 128 megabytes for each new passphrase or salt of ordinary strength."""
        asked = (password, salt, log_n, r, p)
        if asked not in _DERIVED:
            much = 128 * r << log_n > _MUCH
            _DERIVED[asked] = _derived_apart(*asked) if much else super().scrypt(*asked)
        return _DERIVED[asked]


def _derived_apart(password: bytes, salt: bytes, *costs: int) -> bytes:
    """By a process of its own, whose memory goes with it."""
    given = [password.hex(), salt.hex(), *map(str, costs)]
    derive = [sys.executable, "-I", "-S", "-c", _DERIVE, *given]
    return subprocess.run(derive, stdout=subprocess.PIPE, check=True).stdout


def forget_opened() -> None:
    """The texts are to be opened again: their memory is needed."""
    _OPENED.clear()


def _keep_verdict(asked: bytes, *, holds: bool) -> None:
    if len(_VERIFIED) >= _MOST:
        _VERIFIED.clear()
    _VERIFIED[asked] = holds


def _keep_opened(asked: bytes, plaintext: bytes) -> None:
    if len(_OPENED) >= _MOST_OPENED:
        _OPENED.clear()
    _OPENED[asked] = plaintext
