"""Every public vector, answered by this package and by the second verifier; and other people's vectors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.base.errors import FormatError
from pbem.game import JsonObject
from pbem.protocol.crypto import identity
from pbem.protocol.crypto.digest import kdf, sha
from pbem.protocol.crypto.identity import unseal
from pbem.protocol.crypto.primitives import Unfit
from pbem.protocol.crypto.provider import provider
from pbem.protocol.draws import merkle_root
from pbem.protocol.formats.strict_json import canon, parse
from tests.vectors.cases import FILES
from tests.vectors.generate import text_of
from tests.vectors.operations import OPERATIONS, answer
from tests.vectors.paths import merkle_path, verify_path
from tests.verifier.node import node

HERE = Path(__file__).parent
FOREIGN = HERE / "foreign"


def cases_of(name: str) -> list[JsonObject]:
    cases: list[JsonObject] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    return cases


def wanted(case: JsonObject) -> JsonObject:
    return {"fails": case["fails"]} if "fails" in case else case["out"]


@pytest.mark.parametrize("name", FILES)
def test_our_code_answers_every_case(name: str) -> None:
    for case in cases_of(name):
        assert answer(case["op"], case["in"]) == wanted(case), case["name"]


@pytest.mark.parametrize("name", FILES)
def test_the_second_verifier_answers_every_case(name: str) -> None:
    cases = cases_of(name)
    answers = [json.loads(line) for line in node(HERE / "operations.mjs", HERE / f"{name}.json").splitlines()]
    assert len(answers) == len(cases)
    for case, theirs in zip(cases, answers, strict=True):
        assert theirs == wanted(case), case["name"]


@pytest.mark.parametrize("name", [name for name in FILES if name != "armour"])
def test_the_files_are_what_the_generator_writes(name: str) -> None:
    assert (HERE / f"{name}.json").read_text(encoding="utf-8") == text_of(name)


def test_another_zlib_may_pack_the_armour_otherwise_but_means_the_same() -> None:
    cases = json.loads(text_of("armour"))["cases"]
    assert [(case["name"], wanted(case)) for case in cases] == [
        (case["name"], wanted(case)) for case in cases_of("armour")
    ]


def test_every_file_holds_cases_that_must_fail_except_the_plain_sums() -> None:
    for name in FILES:
        assert name == "cut" or any("fails" in case for case in cases_of(name)), name
    used = {case["op"] for name in FILES for case in cases_of(name)}
    assert used == set(OPERATIONS)


# --- other people's ------------------------------------------------------------------------------------------


def foreign(name: str) -> JsonObject:
    data: JsonObject = json.loads((FOREIGN / name).read_text(encoding="utf-8"))
    return data


def strictly(key: bytes, message: bytes, signature: bytes) -> bool:
    """Our rule on any message: the library's verdict, and both points proper."""
    if len(signature) != 64 or not identity._proper_point(key) or not identity._proper_point(signature[:32]):
        return False
    return provider().verifies(key, message, signature)


def test_wycheproof_ed25519_is_judged_as_its_authors_judge() -> None:
    cases = foreign("wycheproof-ed25519.json")["cases"]
    assert len(cases) > 100
    for case in cases:
        verdict = strictly(*(bytes.fromhex(case[part]) for part in ("key", "msg", "sig")))
        assert verdict == (case["result"] == "valid"), case


def test_wycheproof_x25519_gives_the_shared_secret_and_refuses_zero() -> None:
    cases = foreign("wycheproof-x25519.json")["cases"]
    assert len(cases) > 100
    for case in cases:
        secret = provider().seal_key(bytes.fromhex(case["private"]))
        point = bytes.fromhex(case["public"])
        if "ZeroSharedSecret" in case["flags"]:
            with pytest.raises(Unfit):
                secret.agree(point)
        else:
            assert secret.agree(point).hex() == case["shared"], case


def test_known_answers_of_rfcs() -> None:
    rfc = foreign("rfc.json")
    for case in rfc["ed25519"]:
        assert strictly(*(bytes.fromhex(case[part]) for part in ("key", "msg", "sig")))
    for case in rfc["hkdf"]:
        assert kdf(bytes.fromhex(case["ikm"])).hex() == case["okm"]
    for case in rfc["canonical"]:
        if "canonical" in case:
            assert canon(parse(case["text"].encode(), limit=4096)).decode() == case["canonical"]
        else:
            with pytest.raises(FormatError):
                parse(case["text"].encode(), limit=4096)


def test_rfc_9180_fixes_the_keys_that_both_make_of_enc() -> None:
    """Our HPKE takes no aad, so the RFC's first text is sealed again under the RFC's own key and nonce."""
    for case in foreign("rfc.json")["hpke"]:
        key, nonce, enc, info, plain = (bytes.fromhex(case[n]) for n in ("key", "nonce", "enc", "info", "pt"))
        secret = provider().seal_key(bytes.fromhex(case["secret"]))
        assert provider().gcm_seal(key, nonce, plain, bytes.fromhex(case["aad"])).hex() == case["ct"]
        assert unseal(enc + provider().gcm_seal(key, nonce, plain, b""), secret, info) == plain


def test_rfc_6962_trees() -> None:
    tree = foreign("rfc.json")["tree"]
    leaves = [sha(b"\0" + bytes.fromhex(leave)) for leave in tree["leaves"]]
    for size, root in enumerate(tree["roots"], 1):
        assert merkle_root(leaves[:size]).hex() == root
        for place in range(size):
            path = merkle_path(leaves[:size], place)
            assert verify_path(leaves[place], place, size, path, bytes.fromhex(root))


def test_the_second_verifier_answers_the_vectors_of_deadlines() -> None:
    """Our own answers to them are held in ``tests/time``."""
    body = json.loads(node(HERE / "deadlines.mjs", HERE / "deadlines.json"))
    assert body["wrong"] == []
    assert body["asked"] == len(cases_of("deadlines")) > 20


def test_every_foreign_source_is_there_and_named_with_its_licence() -> None:
    rfc = foreign("rfc.json")
    about = (HERE / "README.md").read_text(encoding="utf-8")
    for number in ("8032", "9180", "8785", "6962"):
        assert number in about
    assert {"ed25519", "hpke", "canonical", "tree"} <= set(rfc)
    assert all(rfc[part] for part in rfc)
    for name in ("wycheproof-ed25519.json", "wycheproof-x25519.json", "LICENSE-wycheproof.txt"):
        assert name in about
        assert (FOREIGN / name).stat().st_size > 10_000


def test_the_second_verifier_holds_all_foreign_vectors_too() -> None:
    body = json.loads(node(HERE / "foreign.mjs", FOREIGN))
    assert body["wrong"] == []
    assert body["asked"] > 300
