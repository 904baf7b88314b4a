"""What tests seal with one-time keys that serve again is what the library opens, and no two packets are alike."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pbem.protocol.crypto.native import Native
from pbem.protocol.crypto.primitives import Unfit
from tests.once import Once
from tests.world import secret

INFO = b"what it is for"


def test_what_is_sealed_with_a_key_that_serves_again_is_opened_by_the_library() -> None:
    key, other = (Native().seal_key(secret(name)) for name in ("anna's packets", "burt's packets"))
    texts = [text for text in (b"", b"jail", b"jail" * 500) for _ in range(9)]
    sealed = [Once().seal(text, key.public, INFO) for text in texts]
    assert [key.open(packet, INFO) for packet in sealed] == texts
    assert all(first != second for first, second in pairwise(sealed))
    with pytest.raises(Unfit):
        other.open(sealed[1], INFO)
    with pytest.raises(Unfit):
        key.open(sealed[1], b"something else")


def test_a_key_that_takes_much_memory_is_the_librarys() -> None:
    costs = (b"six white horses", b"sixteen bytes ..", 17, 8, 1)
    assert Once().scrypt(*costs) == Native().scrypt(*costs)
