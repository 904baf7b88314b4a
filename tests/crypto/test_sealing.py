"""HPKE and padding (schemas/README.md §3): the library's own and ours from its parts open what the other one sealed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.base.errors import VerificationError
from pbem.protocol.crypto import identity as hpke
from pbem.protocol.crypto.identity import OVERHEAD, check_seal_key, pad, seal, unpad, unseal
from pbem.protocol.crypto.primitives import Unfit
from pbem.protocol.crypto.provider import provider

KEY = provider().seal_key(bytes(range(32)))
PUBLIC = KEY.public


def open_by_parts(sealed: bytes, info: bytes) -> bytes:
    return hpke.open_with(provider(), KEY, sealed, info)


@given(st.binary(max_size=700), st.binary(max_size=40))
def test_what_is_sealed_opens_whole_and_by_parts(plaintext: bytes, info: bytes) -> None:
    sealed = seal(plaintext, PUBLIC, info)
    assert len(sealed) == len(plaintext) + OVERHEAD
    assert unseal(sealed, KEY, info) == plaintext
    assert open_by_parts(sealed, info) == plaintext
    once = hpke.seal_with(provider(), bytes(31) + b"\x07", plaintext, PUBLIC, info)
    assert unseal(once, KEY, info) == plaintext


def test_sealing_twice_gives_different_bytes() -> None:
    assert seal(b"hand", PUBLIC, b"") != seal(b"hand", PUBLIC, b"")


def test_anything_altered_does_not_open() -> None:
    sealed = seal(b"hand", PUBLIC, b"info")
    other = provider().seal_key(bytes(32))
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
        with pytest.raises(Unfit):
            hpke.open_with(provider(), key, ct, info)


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
    if u in SMALL_ORDER:
        with pytest.raises(Unfit):
            hpke.seal_with(provider(), bytes(32), b"hand", key, b"")


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
