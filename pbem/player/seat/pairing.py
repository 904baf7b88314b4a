"""A seat goes along to another device of its player, by a code of six signs: the messages of schemas/README.md §12.1.

The giver has the seat and shows the code, the taker types it. Both put it into SPAKE2 (the library ``spake2``, over
Ed25519), and either side speaks once. So whoever carries or alters what travels has one guess a code, at its four
secret signs. Each side proves that it has the key before anything secret leaves the other.

A proof is an HMAC under a key of its message alone, over all of it. The seal (AES-256-GCM) would be none: bytes can be
made that open under many keys of one's choice, and would try as many codes at once.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Final

from spake2 import SPAKE2_A, SPAKE2_B

from pbem.base.errors import FormatError, VerificationError
from pbem.base.sentences import sentence
from pbem.protocol.crypto.digest import ALPHABET, encode, kdf, lp, mac, tidy
from pbem.protocol.crypto.identity import NONCE_SIZE
from pbem.protocol.crypto.primitives import Unfit
from pbem.protocol.crypto.provider import provider

CHANNEL_SIGNS: Final = 2
SIGNS: Final = 6
LASTS: Final = 600
"""Seconds that a code lives."""
MOST_NAME: Final = 60
_POINT: Final = 33
_PROOF: Final = 32
_LABEL: Final = "pbem/1 seat goes along"
_PARTIES: Final = (b"pbem/1 giver", b"pbem/1 taker")
Entropy = Callable[[int], bytes]


class WrongCode(VerificationError):
    """What came was not made with this code: it was mistyped, or somebody between the devices altered it."""

    def __init__(self) -> None:
        text = sentence("the codes do not match: nothing was sent, and this code is used up")
        super().__init__("code", text, hint=sentence("Ask for a new code on the device that has the seat."))


def new_code(channel: str, entropy: Entropy) -> str:
    """A code for the mailbox ``channel``: its two signs, and four that nobody else knows."""
    if len(channel) != CHANNEL_SIGNS or not set(channel) <= set(ALPHABET):
        raise FormatError(sentence("this is not how the host should answer"))
    return channel + encode(entropy(3))[: SIGNS - CHANNEL_SIGNS]


def read_code(text: str) -> str:
    """The code as a person typed it: blanks, hyphens and case do not matter, O is 0, I and L are 1."""
    code = tidy("".join(text.replace("-", "").split()))
    if len(code) != SIGNS or not set(code) <= set(ALPHABET):
        raise FormatError(sentence("a code has six signs, A to Z and 0 to 9"))
    return code


class _Side:
    """What both have in common: SPAKE2 with one guess, and messages under the key that comes of it."""

    _ROLE: type[SPAKE2_A | SPAKE2_B]

    def __init__(self, code: str, entropy: Entropy) -> None:
        self._spake = self._ROLE(code.encode(), *_PARTIES, entropy_f=entropy)
        self._entropy = entropy
        self._key = b""
        self._point: bytes = self._spake.start()

    def _agree(self, point: bytes) -> None:
        """Spend the one guess."""
        if len(point) != _POINT:
            raise WrongCode
        try:
            self._key = self._spake.finish(point)
        except Exception as fault:  # the library refuses points in many ways; all mean the same to us
            raise WrongCode from fault

    def _proven(self, number: int, data: bytes) -> bytes:
        return data + mac(self._derived("proof", number), data)

    def _proof_of(self, number: int, message: bytes) -> bytes:
        """What a message says; ``WrongCode`` unless the other one has the key."""
        data, proof = message[:-_PROOF], message[-_PROOF:]
        if not self._key or not hmac.compare_digest(proof, mac(self._derived("proof", number), data)):
            self._key = b""
            raise WrongCode
        return data

    def _sealed(self, number: int, plain: bytes) -> bytes:
        nonce = self._entropy(NONCE_SIZE)
        box = provider().gcm_seal(self._derived("seal", number), nonce, plain, lp(_LABEL))
        return self._proven(number, nonce + box)

    def _opened(self, number: int, message: bytes) -> bytes:
        box, key = self._proof_of(number, message), self._derived("seal", number)
        try:
            return provider().gcm_open(key, box[:NONCE_SIZE], box[NONCE_SIZE:], lp(_LABEL))
        except Unfit:
            raise WrongCode from None

    def _derived(self, purpose: str, number: int) -> bytes:
        return kdf(self._key, _LABEL, purpose, str(number))


class Giver(_Side):
    """The device that has the seat. ``code`` is the one that it shows."""

    _ROLE = SPAKE2_A

    def answers(self, first: bytes) -> bytes:
        """Message 2, to message 1. ``WrongCode`` if that is none."""
        self._agree(first)
        return self._proven(2, self._point)

    def device(self, third: bytes) -> str:
        """How the device calls itself that asks for the seat: it has the code. ``WrongCode`` otherwise."""
        return readable(self._opened(3, third).decode(errors="replace"))

    def gives(self, seat: bytes) -> bytes:
        """Message 4: the seat, for the other device alone."""
        return self._sealed(4, seat)

    def kept(self, fifth: bytes) -> None:
        """Return if message 5 says that the other device has kept it."""
        self._opened(5, fifth)


class Taker(_Side):
    """The device that gets the seat. ``code`` is what its player typed."""

    _ROLE = SPAKE2_B

    def first(self) -> bytes:
        """Message 1."""
        return self._point

    def asks(self, second: bytes, device: str) -> bytes:
        """Message 3, to message 2: what this device is called. ``WrongCode`` if the other one has another code."""
        self._agree(second[:_POINT])
        self._proof_of(2, second)
        return self._sealed(3, readable(device).encode())

    def takes(self, fourth: bytes) -> bytes:
        """The seat from message 4."""
        return self._opened(4, fourth)

    def keeps(self) -> bytes:
        """Message 5."""
        return self._sealed(5, b"kept")


def readable(name: str) -> str:
    """A device's name as it is shown before a yes: printable, in one line, not long."""
    plain = "".join(letter if letter.isprintable() else " " for letter in name)
    return " ".join(plain.split())[:MOST_NAME] or "?"
