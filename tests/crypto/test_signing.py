"""The strict verifying rule of schemas/README.md §2: library ∧ A, R canonical ∧ neither of small order.

The curve is written out here once more (RFC 8032 §5.1), so that the constants in ``signing`` are checked against
arithmetic, and so that bad keys and signatures can be made on purpose.
"""

from __future__ import annotations

import pytest

from pbem.base.errors import VerificationError
from pbem.protocol.crypto.digest import lp, u32
from pbem.protocol.crypto.identity import check_sign_key, sign, sign_record, verify, verify_record
from pbem.protocol.crypto.provider import provider
from tests.crypto import curve
from tests.crypto.curve import BASE, SMALL, L, P, add, decode, encode, root, times, with_torsion

KEY = provider().sign_key(bytes(range(32)))
PUBLIC = KEY.public
BODY = b'{"n":1}'


SMALL_ENCODINGS = sorted(
    {
        (y | sign_bit << 255).to_bytes(32, "little")
        for _, low in SMALL
        for y in (low, low + P)
        if y < 2**255
        for sign_bit in (0, 1)
    }
)


def message(kind: str, body: bytes) -> bytes:
    return b"pbem/1 " + kind.encode() + b"\n" + body


def forged(public: bytes, commitment: bytes, scalar: int) -> bytes:
    return commitment + scalar.to_bytes(32, "little")


def challenge(commitment: bytes, public: bytes, kind: str, body: bytes) -> int:
    return curve.challenge(commitment, public, message(kind, body))


def refused(public: bytes, signature: bytes, kind: str = "turn", body: bytes = BODY) -> bool:
    try:
        verify(kind, body, public, signature)
    except VerificationError as fault:
        return fault.code == "signature"
    return False


def test_what_is_signed_is_the_kind_a_line_feed_and_the_body() -> None:
    assert sign("turn", BODY, KEY) == KEY.sign(b'pbem/1 turn\n{"n":1}')


def test_rfc_8032_test_1_holds_here() -> None:
    key = provider().sign_key(
        bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    )
    public = key.public
    assert public.hex() == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    check_sign_key(public)
    assert (
        key.sign(b"").hex().startswith("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555f")
    )


def test_a_signature_holds_for_its_kind_body_and_key_only() -> None:
    signature = sign("turn", BODY, KEY)
    verify("turn", BODY, PUBLIC, signature)
    other = provider().sign_key(bytes(32)).public
    assert refused(PUBLIC, signature, kind="ready")
    assert refused(PUBLIC, signature, body=BODY + b" ")
    assert refused(other, signature)
    assert refused(PUBLIC, signature[:-1])
    assert refused(PUBLIC[:-1], signature)


def test_a_record_is_signed_by_match_number_and_name() -> None:
    game, name = bytes(32), bytes(range(32))
    signature = sign_record(game, 7, name, KEY)
    assert signature == KEY.sign(lp("pbem/1 entry", game, u32(7), name))
    verify_record(game, 7, name, PUBLIC, signature)
    for other in ((name, 7, name), (game, 8, name), (game, 7, game)):
        with pytest.raises(VerificationError, match="over this record"):
            verify_record(*other, PUBLIC, signature)


def test_no_flipped_bit_survives() -> None:
    signature = sign("turn", BODY, KEY)
    for bit in range(512):
        broken = bytearray(signature)
        broken[bit // 8] ^= 1 << bit % 8
        assert refused(PUBLIC, bytes(broken)), bit


def test_an_unknown_kind_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="no such kind"):
        sign("turn\n{", BODY, KEY)


def test_s_plus_l_is_refused() -> None:
    signature = sign("turn", BODY, KEY)
    scalar = int.from_bytes(signature[32:], "little") + L
    assert refused(PUBLIC, signature[:32] + scalar.to_bytes(32, "little"))


def test_there_are_fourteen_spellings_of_small_order_and_none_is_a_key() -> None:
    assert len({encode(point) for point in SMALL}) == 8
    assert len(SMALL_ENCODINGS) == 14
    for spelling in SMALL_ENCODINGS:
        with pytest.raises(VerificationError) as caught:
            check_sign_key(spelling)
        assert caught.value.code == "key"


def test_signatures_under_a_small_order_key_are_refused_although_the_library_takes_some() -> None:
    taken = 0
    for public in SMALL_ENCODINGS:
        for commitment in (encode(point) for point in SMALL):
            signature = forged(public, commitment, 0)
            taken += provider().verifies(public, message("turn", BODY), signature)
            assert refused(public, signature)
    assert taken > 0, "then this test shows nothing about our own rule"


def test_a_small_order_r_is_refused_although_the_library_takes_it() -> None:
    secret = 123456789
    public = encode(times(secret, BASE))
    for spelling in SMALL_ENCODINGS:
        scalar = challenge(spelling, public, "turn", BODY) * secret % L
        assert refused(public, forged(public, spelling, scalar))
    identity = encode((0, 1))
    signature = forged(public, identity, challenge(identity, public, "turn", BODY) * secret % L)
    assert provider().verifies(public, message("turn", BODY), signature)


def test_hand_made_signatures_that_follow_the_rules_hold() -> None:
    """So that the refusals above are for the reason that they name."""
    secret, nonce = 123456789, 987654321
    public, commitment = encode(times(secret, BASE)), encode(times(nonce, BASE))
    scalar = (nonce + challenge(commitment, public, "turn", BODY) * secret) % L
    verify("turn", BODY, public, forged(public, commitment, scalar))


def test_a_key_with_a_torsion_part_is_accepted_as_every_verifier_accepts_it() -> None:
    """speccheck case 3: A and R of mixed order; cofactored and cofactorless verifiers agree on this one."""
    secret, torsion = 123456789, SMALL[1]
    public = encode(add(times(secret, BASE), torsion))
    for nonce in range(1, 200):
        commitment = encode(add(times(nonce, BASE), torsion))
        k = challenge(commitment, public, "turn", BODY)
        if (k + 1) % 8 == 0:  # then 8 | k·T + T, and the plain equation holds too
            verify("turn", BODY, public, forged(public, commitment, (nonce + k * secret) % L))
            return
    raise AssertionError("no suitable nonce among two hundred")


@pytest.mark.parametrize("y", range(P, 2**255))
def test_keys_that_are_not_canonical_are_refused(y: int) -> None:
    for sign_bit in (0, 1):
        with pytest.raises(VerificationError):
            check_sign_key((y | sign_bit << 255).to_bytes(32, "little"))
        assert refused((y | sign_bit << 255).to_bytes(32, "little"), sign("turn", BODY, KEY))


def test_keys_beside_the_curve_are_refused() -> None:
    y = next(y for y in range(2, 100) if root(y) is None)
    with pytest.raises(VerificationError, match="not a point of the curve"):
        check_sign_key(y.to_bytes(32, "little"))
    for y in (y for y in range(2, 60) if root(y) is not None):
        check_sign_key(y.to_bytes(32, "little"))


def test_a_torsion_part_in_r_is_refused_although_cofactored_verifiers_take_it() -> None:
    """Else its signer could have one program accept a file and another refuse it."""
    signed = message("turn", BODY)
    signature = with_torsion(bytes(range(32)), signed)
    commitment, scalar = signature[:32], int.from_bytes(signature[32:], "little")
    k = curve.challenge(commitment, PUBLIC, signed)
    left = times(scalar, BASE)
    right = add(decode(commitment), times(k, decode(PUBLIC)))
    assert left != right
    assert times(8, left) == times(8, right)
    assert not provider().verifies(PUBLIC, signed, signature)
    assert refused(PUBLIC, signature)
