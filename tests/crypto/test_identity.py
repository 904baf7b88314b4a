"""Identities, recovery keys and their paper (schemas/README.md §12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.base.errors import FormatError
from pbem.protocol.crypto.digest import kdf, sha
from pbem.protocol.crypto.identity import (
    Identity,
    from_paper,
    recovery_from_paper,
    recovery_hash,
    recovery_key,
    recovery_to_paper,
    to_paper,
)
from pbem.protocol.crypto.provider import provider

secrets = st.binary(min_size=32, max_size=32)
ANNA = Identity(sha(b"anna"))


def test_every_key_is_derived_under_its_own_label() -> None:
    game = sha(b"game")
    assert ANNA.sign_public == provider().sign_key(kdf(ANNA.secret, "pbem/1 sign")).public
    assert ANNA.seal_public == provider().seal_key(kdf(ANNA.secret, "pbem/1 seal")).public
    assert ANNA.chain_seed(game) == kdf(ANNA.secret, "pbem/1 chain", game)
    assert ANNA.master(game) == kdf(ANNA.secret, "pbem/1 host master", game)


def test_the_secret_is_in_no_repr() -> None:
    assert repr(ANNA) == "Identity()"
    assert ANNA.secret.hex() not in str(ANNA)


def test_identities_are_values() -> None:
    assert Identity(ANNA.secret) == ANNA
    assert len({ANNA, Identity(ANNA.secret), Identity(bytes(32))}) == 2
    with pytest.raises(AttributeError):
        ANNA.secret = bytes(32)  # type: ignore[misc]


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_secret_has_32_bytes(size: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Identity(bytes(size))
    with pytest.raises(ValueError, match="32 bytes"):
        recovery_key(bytes(size))


def test_the_recovery_key_is_not_a_key_of_the_same_secret() -> None:
    public = recovery_key(ANNA.secret).public
    assert public not in (ANNA.sign_public, ANNA.seal_public)
    assert recovery_hash(public) == sha(public)


@given(secrets)
def test_paper_comes_back(secret: bytes) -> None:
    paper = to_paper(Identity(secret))
    assert all(len(group) == 4 for group in paper.split())
    assert from_paper(paper).secret == secret
    assert recovery_from_paper(recovery_to_paper(secret)) == secret


@given(secrets)
def test_paper_may_be_copied_by_a_person(secret: bytes) -> None:
    copied = to_paper(Identity(secret)).lower().replace("0", "o").replace("1", "l").replace(" ", " - ")
    assert from_paper(copied).secret == secret
    assert from_paper(copied.replace("l", "I")).secret == secret


@given(secrets, st.integers(0, 55), st.sampled_from("0123456789ABCDEFGHJKMNPQRSTVWXYZ"))
def test_one_wrong_character_is_noticed(secret: bytes, place: int, character: str) -> None:
    bare = to_paper(Identity(secret)).replace(" ", "").replace("\n", "")
    wrong = bare[:place] + character + bare[place + 1 :]
    if wrong == bare:
        assert from_paper(wrong).secret == secret
    else:
        with pytest.raises(FormatError, match="at least one character is not"):
            from_paper(wrong)


def test_the_wrong_paper_is_named() -> None:
    with pytest.raises(FormatError, match="words are of a recovery key"):
        from_paper(recovery_to_paper(ANNA.secret))
    with pytest.raises(FormatError, match="words are of an identity"):
        recovery_from_paper(to_paper(ANNA))
    with pytest.raises(FormatError, match="recovery words have 56 letters and digits, found 55"):
        from_paper(to_paper(ANNA)[:-1])
    with pytest.raises(FormatError, match="'U'"):
        from_paper(to_paper(ANNA)[:-1] + "U")
