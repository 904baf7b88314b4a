r"""Ed25519 with what is signed in front and the strict verifying rule (schemas/README.md §2).

A player's file and a refusal are signed as ``"pbem/1 " kind "\n" canon(body)``, a record as ``LP("pbem/1 entry", game,
u32 seq, name)``. The prefixes are the domain separation: WebCrypto and most libraries have no Ed25519ctx, and a turn
can never be read as a record.

RFC 8032 lets verifiers differ on odd keys and signatures. Ours takes the library's verdict **and** wants
the public key A and the point R canonical (y < 2^255 − 19) **and** neither of small order. That set is
inside what every other verifier accepts, so nobody can disagree with us later.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from pbem.base.errors import VerificationError
from pbem.protocol.crypto.digest import lp, u32
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.crypto.provider import provider

KEY_SIZE: Final = 32
SIGNATURE_SIZE: Final = 64

_P: Final = 2**255 - 19
_MASK: Final = 2**255 - 1
_D: Final = -121665 * pow(121666, -1, _P) % _P
_ORDER_8: Final = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
# y of every point whose order divides 8, the sign bit of x masked; p and p + 1 spell 0 and 1 again.
_SMALL_ORDER: Final = frozenset({0, 1, _P - 1, _ORDER_8, _P - _ORDER_8, _P, _P + 1})


def sign(kind: str, canonical: bytes, key: SignKey) -> bytes:
    """The 64-byte signature of ``key`` over a body of ``kind`` in canonical form."""
    return key.sign(_signed(kind, canonical))


def sign_record(game: bytes, seq: int, name: bytes, key: SignKey) -> bytes:
    """The host's 64-byte signature on the record called ``name``; record 0 is its own ``game``."""
    return key.sign(_record(game, seq, name))


def verify_record(game: bytes, seq: int, name: bytes, public: bytes, signature: bytes) -> None:
    """Return if the host with this key signed record ``seq`` called ``name`` of the match ``game``.

    Whoever is shown these four values needs not the record to check it.

    Raises:
        VerificationError: code ``signature``.
    """
    _verify(_record(game, seq, name), "record", public, signature)


def verify(kind: str, canonical: bytes, public: bytes, signature: bytes) -> None:
    """Return if ``signature`` is the key's own over exactly this kind and these bytes.

    Raises:
        VerificationError: code ``signature``.
    """
    _verify(_signed(kind, canonical), kind, public, signature)


def _verify(signed: bytes, what: str, public: bytes, signature: bytes) -> None:
    if not _proper_key(public):
        raise VerificationError("signature", "the signing key is not a proper Ed25519 key")
    if len(signature) != SIGNATURE_SIZE:
        raise VerificationError(
            "signature", f"a signature has {SIGNATURE_SIZE} bytes, found {len(signature)}"
        )
    if not _proper_point(signature[:32]):
        raise VerificationError("signature", "the signature's point R is not canonical or of small order")
    if not provider().verifies(public, signed, signature):
        raise VerificationError(
            "signature",
            f"the signature over this {what} does not hold: it was altered or signed by another key",
        )


def check_sign_key(public: bytes) -> None:
    """Return if ``public`` may be anybody's signing key: canonical, not of small order, a point of the curve.

    Raises:
        VerificationError: code ``key``.
    """
    if not _proper_key(public):
        raise VerificationError(
            "key", "this is no signing key: not 32 bytes, not canonical, or of small order"
        )
    y2 = pow(int.from_bytes(public, "little") & _MASK, 2, _P)
    x2 = (y2 - 1) * pow(_D * y2 + 1, -1, _P) % _P
    if pow(x2, (_P - 1) // 2, _P) != 1:  # Euler's criterion; x = 0 is of small order and never gets here
        raise VerificationError("key", "this is no signing key: not a point of the curve")


def _signed(kind: str, canonical: bytes) -> bytes:
    if not (kind.isascii() and kind.isalpha() and kind.islower()):
        raise ValueError(f"no such kind of signed file: {kind!r}")
    return b"pbem/1 " + kind.encode("ascii") + b"\n" + canonical


def _record(game: bytes, seq: int, name: bytes) -> bytes:
    return lp("pbem/1 entry", game, u32(seq), name)


def _proper_point(encoded: bytes) -> bool:
    y = int.from_bytes(encoded, "little") & _MASK
    return y < _P and y not in _SMALL_ORDER


@lru_cache(maxsize=1024)
def _proper_key(public: bytes) -> bool:
    return len(public) == KEY_SIZE and _proper_point(public)
