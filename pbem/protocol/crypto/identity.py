"""An identity: one 32-byte secret, from which every key of a player or a host is derived (schemas/README.md §12).

What is signed with these keys, and what is sealed to them, stands below.

::

    sign key     Ed25519 seed    KDF(secret, "pbem/1 sign")
    seal key     X25519 scalar   KDF(secret, "pbem/1 seal")
    chain seed   of a match      KDF(secret, "pbem/1 chain", game)        a player's links
    master       of a match      KDF(secret, "pbem/1 host master", nonce) a host's epoch seeds

A player's secret itself is KDF(recovery secret, "pbem/1 identity"). The **recovery secret** is kept on paper only: it
gives back the identity that was lost, its chains too, and the **recovery key**, Ed25519 seed KDF(recovery secret,
"pbem/1 recovery"). A join names the hash of that key's public half; a rekey signed by it takes the seat back from
whoever has stolen the identity, which does not know the recovery secret.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import field
from functools import cached_property, lru_cache
from typing import Final

from pbem.base.errors import FormatError, VerificationError
from pbem.base.sentences import sentence, term
from pbem.base.values import dataclass
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import kdf, lp, sha
from pbem.protocol.crypto.primitives import Provider, SealKey, SignKey, Unfit
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
    return provider().sign_key(kdf(_checked(secret), "pbem/1 recovery"))


def recovered(secret: bytes) -> Identity:
    """The identity that belongs to a recovery secret."""
    return Identity(kdf(_checked(secret), "pbem/1 identity"))


def _checked(secret: bytes) -> bytes:
    if len(secret) != SECRET_SIZE:
        raise ValueError(f"a recovery secret has {SECRET_SIZE} bytes, found {len(secret)}")
    return secret


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
        FormatError: characters of no base32, a wrong length or checksum, or the paper of a recovery key.
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


def _check(kind: str, secret: bytes) -> bytes:
    return sha(lp("pbem/1 paper", kind, secret))[:_CHECK_SIZE]


def _write(kind: str, secret: bytes) -> str:
    groups = base32.groups(base32.encode(secret + _check(kind, secret)), _PAPER_GROUP)
    half = len(groups) // 2
    return " ".join(groups[:half]) + "\n" + " ".join(groups[half:])


def _read(kind: str, text: str) -> bytes:
    bare = base32.tidy("".join(text.split()).replace("-", ""))
    if len(bare) != _PAPER_LENGTH:
        raise FormatError(
            sentence(
                "recovery words have {length} letters and digits, found {count}",
                length=_PAPER_LENGTH,
                count=len(bare),
            ),
            hint=sentence("Type all fourteen groups as you wrote them down."),
        )
    data = base32.decode(bare)
    secret, check = data[:SECRET_SIZE], data[SECRET_SIZE:]
    if check == _check(kind, secret):
        return secret
    for other in {"identity", "recovery"} - {kind}:
        if check == _check(other, secret):
            faults = {
                "recovery": sentence("these words are of a recovery key, not of an identity"),
                "identity": sentence("these words are of an identity, not of a recovery key"),
            }
            raise FormatError(faults[other])
    raise FormatError(
        sentence("at least one character is not as it was written down"),
        hint=sentence("Type all fourteen groups as you wrote them down."),
    )


# --- ed25519 with what is signed in front and the strict verifying rule (schemas/README.md §2) ------------
#
# A player's file and a refusal are signed as ``"pbem/1 " kind "\n" canon(body)``, a record as
# ``LP("pbem/1 entry", game, u32 seq, name)``. The prefixes are the domain separation: WebCrypto and most
# libraries have no Ed25519ctx, and a turn can never be read as a record.
#
# RFC 8032 lets verifiers differ on odd keys and signatures. Ours takes the library's verdict **and**
# wants the public key A and the point R canonical (y < 2^255 − 19) **and** neither of small order. That
# set is inside what every other verifier accepts, so nobody can disagree with us later.

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
    return key.sign(_signed_record(game, seq, name))


def verify_record(game: bytes, seq: int, name: bytes, public: bytes, signature: bytes) -> None:
    """Return if the host with this key signed record ``seq`` called ``name`` of the match ``game``.

    Whoever is shown these values can check it without the record.

    Raises:
        VerificationError: code ``signature``.
    """
    _verify(_signed_record(game, seq, name), "record", public, signature)


def verify(kind: str, canonical: bytes, public: bytes, signature: bytes) -> None:
    """Return if ``signature`` is the key's own over exactly this kind and these bytes.

    Raises:
        VerificationError: code ``signature``.
    """
    _verify(_signed(kind, canonical), kind, public, signature)


def _verify(signed: bytes, kind: str, public: bytes, signature: bytes) -> None:
    if not _proper_key(public):
        raise VerificationError("signature", sentence("the signing key is not a proper Ed25519 key"))
    if len(signature) != SIGNATURE_SIZE:
        raise VerificationError(
            "signature",
            sentence(
                "a signature has {size} bytes, found {count}", size=SIGNATURE_SIZE, count=len(signature)
            ),
        )
    if not _proper_point(signature[:32]):
        raise VerificationError(
            "signature", sentence("the signature's point R is not canonical or of small order")
        )
    if not provider().verifies(public, signed, signature):
        raise VerificationError(
            "signature",
            sentence(
                "the signature over this {what} does not hold: it was altered or signed by another key",
                what=term(kind),
            ),
        )


def check_sign_key(public: bytes) -> None:
    """Return if ``public`` may be anybody's signing key: canonical, not of small order, a point of the curve.

    Raises:
        VerificationError: code ``key``.
    """
    if not _proper_key(public):
        raise VerificationError(
            "key", sentence("this is not a signing key: not 32 bytes, not canonical, or of small order")
        )
    y2 = pow(int.from_bytes(public, "little") & _MASK, 2, _P)
    x2 = (y2 - 1) * pow(_D * y2 + 1, -1, _P) % _P
    if pow(x2, (_P - 1) // 2, _P) != 1:  # Euler's criterion; x = 0 is of small order and never gets here
        raise VerificationError("key", sentence("this is not a signing key: not a point of the curve"))


def _signed(kind: str, canonical: bytes) -> bytes:
    if not (kind.isascii() and kind.isalpha() and kind.islower()):
        raise ValueError(f"no such kind of signed file: {kind!r}")
    return b"pbem/1 " + kind.encode("ascii") + b"\n" + canonical


def _signed_record(game: bytes, seq: int, name: bytes) -> bytes:
    return lp("pbem/1 entry", game, seq, name)


def _proper_point(encoded: bytes) -> bool:
    y = int.from_bytes(encoded, "little") & _MASK
    return y < _P and y not in _SMALL_ORDER


@lru_cache(maxsize=1024)
def _proper_key(public: bytes) -> bool:
    return len(public) == KEY_SIZE and _proper_point(public)


# --- something sealed by a player to themselves, under a key that only their identity's secret gives -----------
#
# ``box = nonce ‖ AES-256-GCM(key, nonce, plain, label)`` with ``key = KDF(secret, "pbem/1 own box",
# label)`` and a fresh nonce of twelve bytes. It is kept beside their files and is part of no format: nobody
# else reads it.

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
        raise VerificationError(
            "own-box", sentence("this was not sealed by this identity, or it is damaged")
        ) from None


# --- what is sealed to a key ------------------------------------------------------------------------------
#
# Sealing to one recipient: HPKE (RFC 9180) base mode, one shot, and the padding (schemas/README.md §3).
#
# DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM; the sealed bytes are enc (32) ‖ ciphertext ‖ tag (16).
# ``info`` binds what the bytes are for: match, place and recipient. HPKE takes its one-time key from the
# operating system, so sealing twice never gives the same bytes; what can be compared later is the commitment
# beside it.

OVERHEAD: Final = 48
"""Bytes by which the sealed text is longer than what was sealed: enc and tag."""
PAD_STEP: Final = 512

_PROBE: Final = bytes(31) + b"\x01"


def pad(data: bytes, size: int) -> bytes:
    """``data``, 0x80 and zeros (ISO 7816-4) up to ``size``, or, if that is too short, a multiple of 512."""
    if len(data) >= size:
        size = (len(data) // PAD_STEP + 1) * PAD_STEP
    return (data + b"\x80").ljust(size, b"\0")


def unpad(data: bytes) -> bytes:
    """What was padded.

    Raises:
        VerificationError: code ``seal``, if there is no padding.
    """
    raw = data.rstrip(b"\0")
    if not raw.endswith(b"\x80"):
        raise VerificationError("seal", sentence("the sealed text opens, but its padding is broken"))
    return raw[:-1]


def seal(plaintext: bytes, public: bytes, info: bytes) -> bytes:
    """``plaintext`` sealed to ``public`` under ``info``.

    Raises:
        VerificationError: code ``key``, if ``public`` is no seal key.
    """
    check_seal_key(public)
    return provider().seal(plaintext, public, info)


def unseal(ct: bytes, private: SealKey, info: bytes) -> bytes:
    """The plaintext of ``ct``, if it was sealed to this key under exactly this ``info``.

    Raises:
        VerificationError: code ``seal``.
    """
    try:
        return private.open(ct, info)
    except Unfit:
        raise VerificationError("seal", _CLOSED) from None


def check_seal_key(public: bytes) -> None:
    """Return if ``public`` may be a seal key: 32 bytes, canonical (u < 2^255 − 19), not of small order.

    Raises:
        VerificationError: code ``key``.
    """
    if not _proper(public):
        raise VerificationError("key", _BAD_KEY)


_CLOSED: Final = sentence("the sealed text does not open: altered, or sealed to another key, place or match")
_BAD_KEY: Final = sentence("this is not a seal key: not 32 bytes, not canonical, or of small order")


@lru_cache(maxsize=1024)
def _proper(public: bytes) -> bool:
    if len(public) != KEY_SIZE or int.from_bytes(public, "little") >= _P:
        return False
    try:
        provider().seal_key(_PROBE).agree(public)
    except Unfit:  # an all-zero shared secret: a point of small order (RFC 7748 §6.1)
        return False
    return True


# --- HPKE (RFC 9180) base mode, one shot, from its parts, for providers that have none of their own -------
#
# DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM; no associated data. The sealed bytes are enc (32) ‖
# ciphertext ‖ tag (16).

ENC_SIZE: Final = 32

_KEM: Final = b"KEM" + (0x20).to_bytes(2, "big")
_SUITE: Final = b"HPKE" + b"\x00\x20\x00\x01\x00\x01"
_KEY_SIZE: Final = 16

GcmSeal = Callable[[bytes, bytes, bytes, bytes], bytes]
"""Key, nonce, text, associated data: ``Provider.gcm_seal`` or ``gcm_open``."""


def seal_with(provider: Provider, once: bytes, plaintext: bytes, public: bytes, info: bytes) -> bytes:
    """``plaintext`` sealed to ``public``; ``once`` is the scalar of the one-time key, 32 bytes never used before.

    Raises:
        Unfit: nothing can be sealed to ``public``.
    """
    key = provider.seal_key(once)
    secret = _decapsulated(key.agree(public), key.public, public)
    return key.public + _with_keys(provider.gcm_seal, secret, info, plaintext)


def open_with(provider: Provider, key: SealKey, sealed: bytes, info: bytes) -> bytes:
    """The plaintext that was sealed to this key.

    Raises:
        Unfit: it does not open.
    """
    if len(sealed) < ENC_SIZE:
        raise Unfit("shorter than a public key")
    enc = sealed[:ENC_SIZE]
    secret = _decapsulated(key.agree(enc), enc, key.public)
    return _with_keys(provider.gcm_open, secret, info, sealed[ENC_SIZE:])


def _decapsulated(agreed: bytes, enc: bytes, public: bytes) -> bytes:
    """The shared secret (RFC 9180 §4.1)."""
    return _expand(_KEM, _extract(_KEM, b"", b"eae_prk", agreed), b"shared_secret", enc + public, 32)


def _with_keys(gcm: GcmSeal, shared: bytes, info: bytes, text: bytes) -> bytes:
    """The one message under the keys of the schedule (RFC 9180 §5.1)."""
    hashes = _extract(_SUITE, b"", b"psk_id_hash", b"") + _extract(_SUITE, b"", b"info_hash", info)
    secret = _extract(_SUITE, shared, b"secret", b"")
    context = b"\x00" + hashes
    key = _expand(_SUITE, secret, b"key", context, _KEY_SIZE)
    return gcm(key, _expand(_SUITE, secret, b"base_nonce", context, NONCE_SIZE), text, b"")


def _extract(suite: bytes, salt: bytes, label: bytes, ikm: bytes) -> bytes:
    return hmac.digest(salt, b"HPKE-v1" + suite + label + ikm, "sha256")


def _expand(suite: bytes, key: bytes, label: bytes, info: bytes, length: int) -> bytes:
    labeled = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.digest(key, labeled + b"\x01", "sha256")[:length]
