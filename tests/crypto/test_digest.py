"""The byte notation of schemas/README.md §1."""

from __future__ import annotations

import hashlib
import hmac

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from pbem.base.errors import FormatError
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import b64, fingerprint, kdf, lp, mac, macs, sha, u32, unb64

parts = st.lists(st.one_of(st.binary(max_size=40), st.text(max_size=20)), max_size=6)


def test_digests_are_those_of_the_standard_library() -> None:
    assert sha(b"abc").hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert mac(b"key", b"text") == hmac.new(b"key", b"text", hashlib.sha256).digest()
    assert u32(258) == b"\x00\x00\x01\x02"


def test_lp_writes_each_length_before_its_part() -> None:
    assert lp("ab", b"", "é") == b"\0\0\0\x02ab" + b"\0\0\0\0" + b"\0\0\0\x02\xc3\xa9"


def test_lp_writes_a_number_as_its_u32() -> None:
    assert lp("ab", 258, 0) == lp("ab", u32(258), u32(0))


def test_macs_are_those_of_the_numbers() -> None:
    assert macs(b"key", 3) == [mac(b"key", u32(number)) for number in range(3)]


@given(parts, parts)
def test_lp_is_injective(left: list[bytes | str], right: list[bytes | str]) -> None:
    def raw(items: list[bytes | str]) -> list[bytes]:
        return [item.encode() if isinstance(item, str) else item for item in items]

    assert (lp(*left) == lp(*right)) == (raw(left) == raw(right))


@given(st.binary(min_size=1, max_size=64), parts)
def test_kdf_is_hkdf_with_empty_salt(key: bytes, info: list[bytes | str]) -> None:
    assert kdf(key, *info) == HKDF(SHA256(), 32, salt=None, info=lp(*info)).derive(key)


@given(st.binary(max_size=80))
def test_base64_comes_back(data: bytes) -> None:
    assert unb64(b64(data), len(data)) == data


@pytest.mark.parametrize(
    "text",
    ["AB", "AAE=", "AAE==", "A", "A+", "A/", "A A", "AA\n", "é", "AAF", "\x00", "=", "AAE*", " AAE"],
)
def test_other_spellings_of_base64_are_refused(text: str) -> None:
    with pytest.raises(FormatError):
        unb64(text)


def test_base64_of_another_size_is_refused() -> None:
    with pytest.raises(FormatError, match="expected 32 bytes in base64url, found 2"):
        unb64("AAE", 32)


def test_base64_that_is_no_text_is_refused() -> None:
    with pytest.raises(FormatError, match="found something else"):
        unb64(7)  # type: ignore[arg-type]


def test_fingerprint_is_the_first_hundred_bits_in_groups_of_five() -> None:
    text = fingerprint(b"abc")
    assert [len(group) for group in text.split("-")] == [5, 5, 5, 5]
    bits = "".join(f"{base32.ALPHABET.index(character):05b}" for character in text.replace("-", ""))
    assert bits == f"{int.from_bytes(sha(b'abc'), 'big'):0256b}"[:100]


@given(st.binary(max_size=70))
def test_base32_comes_back_in_any_spelling(data: bytes) -> None:
    text = base32.encode(data)
    assert len(text) == -(-len(data) * 8 // 5)
    assert base32.decode(text) == data
    assert base32.decode(base32.tidy(text.lower().replace("0", "o").replace("1", "l"))) == data


@pytest.mark.parametrize(
    ("text", "why"), [("U0", "'U'"), ("é0", "'é'"), ("0", "does not fit"), ("01", "not fit")]
)
def test_base32_that_no_bytes_give_is_refused(text: str, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        base32.decode(text)
