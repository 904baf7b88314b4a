"""HPKE and padding (schemas/README.md §3), opened also by a second implementation of RFC 9180 written out here."""

from __future__ import annotations

import hashlib
import hmac

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st

from pbem.crypto.sealing import OVERHEAD, check_seal_key, pad, seal, unpad, unseal
from pbem.errors import VerificationError

KEY = X25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes_raw()


def labelled_extract(suite: bytes, salt: bytes, label: bytes, ikm: bytes) -> bytes:
    return hmac.new(salt, b"HPKE-v1" + suite + label + ikm, hashlib.sha256).digest()


def labelled_expand(suite: bytes, prk: bytes, label: bytes, info: bytes, size: int) -> bytes:
    text = size.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.new(prk, text + b"\x01", hashlib.sha256).digest()[:size]


def open_by_hand(sealed: bytes, private: X25519PrivateKey, info: bytes, aad: bytes = b"") -> bytes:
    """RFC 9180 §4.1, §5.1 for kem 0x0020, kdf 0x0001, aead 0x0001, mode base, sequence 0."""
    kem, suite = b"KEM\x00\x20", b"HPKE\x00\x20\x00\x01\x00\x01"
    enc, ct = sealed[:32], sealed[32:]
    dh = private.exchange(X25519PublicKey.from_public_bytes(enc))
    eae = labelled_extract(kem, b"", b"eae_prk", dh)
    context = enc + private.public_key().public_bytes_raw()
    shared = labelled_expand(kem, eae, b"shared_secret", context, 32)
    psk_hash = labelled_extract(suite, b"", b"psk_id_hash", b"")
    info_hash = labelled_extract(suite, b"", b"info_hash", info)
    schedule = b"\x00" + psk_hash + info_hash
    secret = labelled_extract(suite, shared, b"secret", b"")
    key = labelled_expand(suite, secret, b"key", schedule, 16)
    nonce = labelled_expand(suite, secret, b"base_nonce", schedule, 12)
    return AESGCM(key).decrypt(nonce, ct, aad)


def test_the_second_implementation_opens_the_vector_of_rfc_9180_a_1() -> None:
    private = X25519PrivateKey.from_private_bytes(
        bytes.fromhex("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8")
    )
    sealed = bytes.fromhex(
        "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431"
        "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a"
    )
    info = bytes.fromhex("4f6465206f6e2061204772656369616e2055726e")
    assert open_by_hand(sealed, private, info, b"Count-0") == b"Beauty is truth, truth beauty"


@given(st.binary(max_size=700), st.binary(max_size=40))
def test_what_is_sealed_opens_here_and_by_hand(plaintext: bytes, info: bytes) -> None:
    sealed = seal(plaintext, PUBLIC, info)
    assert len(sealed) == len(plaintext) + OVERHEAD
    assert unseal(sealed, KEY, info) == plaintext
    assert open_by_hand(sealed, KEY, info) == plaintext


def test_sealing_twice_gives_different_bytes() -> None:
    assert seal(b"hand", PUBLIC, b"") != seal(b"hand", PUBLIC, b"")


def test_anything_altered_does_not_open() -> None:
    sealed = seal(b"hand", PUBLIC, b"info")
    other = X25519PrivateKey.from_private_bytes(bytes(32))
    tries = [
        (sealed, KEY, b"inf"),
        (sealed, other, b"info"),
        (b"", KEY, b"info"),
        (sealed[:40], KEY, b"info"),
    ]
    tries += [
        (sealed[:i] + bytes([sealed[i] ^ 1]) + sealed[i + 1 :], KEY, b"info") for i in range(len(sealed))
    ]
    for ct, key, info in tries:
        with pytest.raises(VerificationError) as caught:
            unseal(ct, key, info)
        assert caught.value.code == "seal"


SMALL_ORDER = [
    0,
    1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
    2**255 - 20,
    2**255 - 19,
    2**255 - 18,
]


@pytest.mark.parametrize("u", [*SMALL_ORDER, 2**255 - 1, 2**255, 2**255 + 9, 2**256 - 1])
def test_odd_seal_keys_are_refused(u: int) -> None:
    """Small order (RFC 7748 §6.1), and second spellings of a key."""
    key = u.to_bytes(32, "little")
    with pytest.raises(VerificationError) as caught:
        check_seal_key(key)
    assert caught.value.code == "key"
    with pytest.raises(VerificationError):
        seal(b"hand", key, b"")


def test_proper_seal_keys_pass_and_short_ones_do_not() -> None:
    check_seal_key(PUBLIC)
    with pytest.raises(VerificationError):
        check_seal_key(PUBLIC[:31])


@given(st.binary(max_size=1600), st.sampled_from([512, 1024, 2048]))
def test_padding_comes_off_and_hides_the_length(data: bytes, size: int) -> None:
    padded = pad(data, size)
    assert unpad(padded) == data
    assert len(padded) == size if len(data) < size else len(padded) % 512 == 0
    assert len(data) < len(padded) <= max(size, len(data) + 512)


@pytest.mark.parametrize(
    ("length", "expected"), [(0, 512), (511, 512), (512, 1024), (1023, 1024), (1024, 1536)]
)
def test_padding_at_the_borders(length: int, expected: int) -> None:
    assert len(pad(b"x" * length, 512)) == expected


@pytest.mark.parametrize("data", [b"", bytes(512), b"hand", b"hand\x80\x01"])
def test_broken_padding_is_refused(data: bytes) -> None:
    with pytest.raises(VerificationError, match="padding"):
        unpad(data)
