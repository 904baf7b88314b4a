"""Something sealed by a player to himself, under a key that only his identity's secret gives.

``box = nonce ‖ AES-256-GCM(key, nonce, plain, label)`` with ``key = KDF(secret, "pbem/1 own box", label)`` and a fresh
nonce of twelve bytes. It is kept beside his files and is part of no format: nobody else ever reads it.
"""

from __future__ import annotations

from pbem.base.errors import VerificationError
from pbem.protocol.crypto.digest import kdf
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.crypto.primitives import Unfit
from pbem.protocol.crypto.provider import provider

NONCE_SIZE = 12


def seal_own(identity: Identity, label: str, plain: bytes, nonce: bytes) -> bytes:
    """The box; ``label`` says what it is for, ``nonce`` is twelve fresh random bytes."""
    key = kdf(identity.secret, "pbem/1 own box", label)
    return nonce + provider().gcm_seal(key, nonce, plain, label.encode())


def open_own_box(identity: Identity, label: str, box: bytes) -> bytes:
    """What was sealed; ``VerificationError`` (``own-box``) if it is another identity's, of another use, or damaged."""
    key = kdf(identity.secret, "pbem/1 own box", label)
    try:
        return provider().gcm_open(key, box[:NONCE_SIZE], box[NONCE_SIZE:], label.encode())
    except Unfit:
        raise VerificationError("own-box", "this was not sealed by this identity, or it is damaged") from None
