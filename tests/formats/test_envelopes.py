"""Packets, sealed actions, orders, private words, contacts (schemas/README.md §3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.base.errors import VerificationError
from pbem.game import Json, JsonObject
from pbem.protocol.crypto.digest import b64, kdf, lp, sha, u32, unb64
from pbem.protocol.crypto.identity import Identity, pad, seal
from pbem.protocol.formats.envelopes import (
    Part,
    open_contact,
    open_own,
    open_packet,
    open_part,
    open_tell,
    orders_size,
    packet_commit,
    packet_salt,
    part_commit,
    seal_contact,
    seal_packet,
    seal_part,
    seal_tell,
    spills,
)
from pbem.protocol.formats.strict_json import canon

GAME = sha(b"match")
SALT = bytes(range(16))
ANNA, BURT, HOST = (Identity(sha(name)) for name in (b"anna", b"burt", b"host"))
BODY: JsonObject = {"draws": [{"card": "hideout", "deck": "main", "gen": 0, "k": 3}], "facts": []}
ACTIONS = [{"do": "discard", "card": "wes-hardin"}]


def packet(seat: str = "anna", seq: int = 8, game: bytes = GAME, body: JsonObject = BODY) -> JsonObject:
    return seal_packet(game, seq, seat, ANNA.seal_public, SALT, body, 512)


def opened(sealed: JsonObject, seat: str = "anna", seq: int = 8, game: bytes = GAME) -> JsonObject:
    return open_packet(game, seq, seat, ANNA.seal_key, ANNA.seal_public, sealed)


def test_a_packet_shows_its_owner_its_body() -> None:
    assert opened(packet()) == BODY


def test_salt_and_commitment_are_those_of_the_protocol() -> None:
    assert packet_salt(SALT, GAME, 8, "anna") == kdf(SALT, "pbem/1 packet salt", GAME, u32(8), "anna")[:16]
    expected = sha(lp("pbem/1 packet", GAME, u32(8), "anna", SALT, canon(BODY)))
    assert packet_commit(GAME, 8, "anna", SALT, BODY) == expected
    assert packet()["commit"] == b64(expected)


@pytest.mark.parametrize(
    ("seat", "seq", "game"), [("burt", 8, GAME), ("anna", 9, GAME), ("anna", 8, sha(b"x"))]
)
def test_a_packet_copied_elsewhere_does_not_open(seat: str, seq: int, game: bytes) -> None:
    with pytest.raises(VerificationError) as caught:
        opened(packet(), seat, seq, game)
    assert caught.value.code == "seal"


def test_a_packet_opens_for_nobody_else() -> None:
    with pytest.raises(VerificationError):
        open_packet(GAME, 8, "anna", BURT.seal_key, ANNA.seal_public, packet())
    with pytest.raises(VerificationError):
        open_packet(GAME, 8, "anna", BURT.seal_key, BURT.seal_public, packet())


def test_a_packet_that_is_not_what_the_record_commits_to_is_a_lie() -> None:
    lie = packet(body={"draws": [], "facts": [{"found": "hideout"}]})
    with pytest.raises(VerificationError) as caught:
        opened({"commit": packet()["commit"], "ct": lie["ct"]})
    assert caught.value.code == "commit"


@given(st.lists(st.sampled_from(["hideout", "wyatt-earp", "photo:butch-cassidy"]), max_size=4))
def test_all_packets_of_one_size_have_one_length(cards: list[str]) -> None:
    body: JsonObject = {"draws": [{"card": card} for card in cards], "facts": []}
    sealed = packet(body=body)
    assert len(unb64(sealed["ct"])) == 512 + 48
    assert opened(sealed) == body


@pytest.mark.parametrize(
    "inside",
    [
        b'{"salt":"AAECAwQFBgcICQoLDA0ODw"}',
        b'{"body":{"draws":[],"facts":[]},"salt":"AAECAwQFBgcICQoLDA0ODw","x":1}',
        b'{"body":{"draws":[]},"salt":"AAECAwQFBgcICQoLDA0ODw"}',
        b'{"body":{"draws":[],"facts":[]},"salt":"AAEC"}',
        b'{"body":{"draws":[],"facts":[]},"salt":7}',
        b'{"body":[],"salt":"AAECAwQFBgcICQoLDA0ODw"}',
        b'{"body": {"draws":[],"facts":[]},"salt":"AAECAwQFBgcICQoLDA0ODw"}',
        b'{"salt":"AAECAwQFBgcICQoLDA0ODw","body":{"draws":[],"facts":[]}}',
        b"[" * 400,
        b"not JSON",
    ],
)
def test_what_is_sealed_must_be_canonical_and_complete(inside: bytes) -> None:
    info = lp("pbem/1 packet", GAME, u32(8), "anna", ANNA.seal_public)
    ct = b64(seal(pad(inside, 512), ANNA.seal_public, info))
    with pytest.raises(VerificationError) as caught:
        opened({"commit": packet()["commit"], "ct": ct})
    assert caught.value.code == "seal"


PARTS: list[tuple[Part, Json]] = [("sealed", ACTIONS), ("order", {"rules": []})]


@pytest.mark.parametrize(("part", "content"), PARTS)
def test_the_host_opens_what_a_player_sealed(part: Part, content: Json) -> None:
    sealed = seal_part(part, GAME, "anna", 3, HOST.seal_public, ANNA.seal_public, SALT, content)
    assert open_part(part, GAME, "anna", 3, HOST.seal_key, HOST.seal_public, sealed) == (SALT, content)
    expected = sha(lp(f"pbem/1 {part}", GAME, "anna", u32(3), SALT, canon(content)))
    assert part_commit(part, GAME, "anna", 3, SALT, content) == expected
    assert sealed["commit"] == b64(expected)
    for member in ("ct", "own"):
        assert len(unb64(sealed[member])) == 48 + (512 if part == "sealed" else 1024)


@pytest.mark.parametrize(("part", "content"), PARTS)
def test_the_player_opens_his_own_copy_and_nobody_else_does(part: Part, content: Json) -> None:
    sealed = seal_part(part, GAME, "anna", 3, HOST.seal_public, ANNA.seal_public, SALT, content)
    where = (GAME, "anna", 3)
    assert open_own(part, *where, ANNA.seal_key, ANNA.seal_public, sealed) == (SALT, content)
    swapped = {**sealed, "ct": sealed["own"], "own": sealed["ct"]}
    for who, (game, seat, n), sealed_part in (
        (HOST, where, sealed),
        (BURT, where, sealed),
        (ANNA, (sha(b"x"), "anna", 3), sealed),
        (ANNA, (GAME, "burt", 3), sealed),
        (ANNA, (GAME, "anna", 4), sealed),
        (ANNA, where, swapped),
    ):
        with pytest.raises(VerificationError) as caught:
            open_own(part, game, seat, n, who.seal_key, who.seal_public, sealed_part)
        assert caught.value.code == "seal"


def test_orders_have_one_size_and_what_does_not_fit_is_not_sealed() -> None:
    frame = canon({"salt": b64(SALT), "order": {"rules": [], "x": ""}})
    space = 3071 - len(frame)
    assert orders_size({"rules": [], "x": "x" * space})[0] < 128
    assert orders_size({"rules": [], "x": "x" * (space + 1)}) == (3072, 3071)
    for used in (0, space):
        sealed = seal_part(
            "order",
            GAME,
            "anna",
            3,
            HOST.seal_public,
            ANNA.seal_public,
            SALT,
            {"rules": [], "x": "x" * used},
        )
        assert len(unb64(sealed["ct"])) == len(unb64(sealed["own"])) == 48 + 1024
    with pytest.raises(ValueError, match="do not fit into 1024 bytes"):
        seal_part(
            "order",
            GAME,
            "anna",
            3,
            HOST.seal_public,
            ANNA.seal_public,
            SALT,
            {"rules": [], "x": "x" * (space + 1)},
        )


@pytest.mark.parametrize(("part", "content"), PARTS)
@pytest.mark.parametrize(
    ("game", "seat", "n"), [(sha(b"x"), "anna", 3), (GAME, "burt", 3), (GAME, "anna", 4)]
)
def test_sealed_parts_of_another_file_do_not_open(
    part: Part, content: Json, game: bytes, seat: str, n: int
) -> None:
    sealed = seal_part(part, GAME, "anna", 3, HOST.seal_public, ANNA.seal_public, SALT, content)
    with pytest.raises(VerificationError) as caught:
        open_part(part, game, seat, n, HOST.seal_key, HOST.seal_public, sealed)
    assert caught.value.code == "seal"


def test_orders_are_not_sealed_actions() -> None:
    sealed = seal_part("sealed", GAME, "anna", 3, HOST.seal_public, ANNA.seal_public, SALT, ACTIONS)
    with pytest.raises(VerificationError):
        open_part("order", GAME, "anna", 3, HOST.seal_key, HOST.seal_public, sealed)


def test_a_part_that_does_not_match_its_commitment_is_refused() -> None:
    sealed = seal_part("sealed", GAME, "anna", 3, HOST.seal_public, ANNA.seal_public, SALT, ACTIONS)
    other = seal_part("sealed", GAME, "anna", 3, HOST.seal_public, ANNA.seal_public, SALT, [])
    with pytest.raises(VerificationError) as caught:
        open_part(
            "sealed", GAME, "anna", 3, HOST.seal_key, HOST.seal_public, other | {"commit": sealed["commit"]}
        )
    assert caught.value.code == "commit"


@pytest.mark.parametrize(
    ("part", "content"),
    [
        ("sealed", {"do": "pass"}),
        ("sealed", ["pass"]),
        ("sealed", [{"do": 1}]),
        ("sealed", [{"do": "pass"}] * 65),
        ("order", []),
        ("order", "x"),
    ],
)
def test_a_part_of_the_wrong_type_is_refused(part: Part, content: Json) -> None:
    sealed = seal_part(part, GAME, "anna", 3, HOST.seal_public, ANNA.seal_public, SALT, content)
    with pytest.raises(VerificationError, match="do not have the form"):
        open_part(part, GAME, "anna", 3, HOST.seal_key, HOST.seal_public, sealed)


def test_what_does_not_fit_takes_the_next_step_and_is_noticed() -> None:
    long = [{"do": "wyatt-earp", "mode": "search", "take": ["photo:butch-cassidy"] * 30}]
    sealed = seal_part("sealed", GAME, "anna", 3, HOST.seal_public, ANNA.seal_public, SALT, long)
    assert len(unb64(sealed["ct"])) % 512 == 48
    assert spills(sealed["ct"])
    assert len(sealed["own"]) == len(sealed["ct"])
    short = seal_part("sealed", GAME, "anna", 3, HOST.seal_public, ANNA.seal_public, SALT, ACTIONS)
    assert not spills(short["ct"])
    assert open_part("sealed", GAME, "anna", 3, HOST.seal_key, HOST.seal_public, sealed)[1] == long


def test_a_salt_of_another_length_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        seal_part("sealed", GAME, "anna", 3, HOST.seal_public, ANNA.seal_public, b"salt", ACTIONS)


def test_a_private_word_is_for_one_seat_in_one_file() -> None:
    item = seal_tell(GAME, "burt", 4, "anna", ANNA.seal_public, "Nice shot, Zoë")
    assert item.keys() == {"to", "ct"}
    assert open_tell(GAME, "burt", 4, "anna", ANNA.seal_key, ANNA.seal_public, item) == "Nice shot, Zoë"
    for seat, n, to in (("curt", 4, "anna"), ("burt", 5, "anna"), ("burt", 4, "curt")):
        with pytest.raises(VerificationError):
            open_tell(GAME, seat, n, to, ANNA.seal_key, ANNA.seal_public, item)


@pytest.mark.parametrize(
    "inside", [b'{"text":7}', b'{"text":"a\xe2\x80\xaeb"}', b'{"text":"\\n"}', b'{"mail":"a"}']
)
def test_a_private_word_holds_text_and_nothing_that_could_fool_a_reader(inside: bytes) -> None:
    info = lp("pbem/1 tell", GAME, "burt", u32(4), "anna", ANNA.seal_public)
    item = {"to": "anna", "ct": b64(seal(pad(inside, 512), ANNA.seal_public, info))}
    with pytest.raises(VerificationError):
        open_tell(GAME, "burt", 4, "anna", ANNA.seal_key, ANNA.seal_public, item)


def test_a_contact_is_for_the_host_of_this_match() -> None:
    contact = seal_contact(GAME, "anna", HOST.seal_public, "anna@example.org")
    assert open_contact(GAME, "anna", HOST.seal_key, HOST.seal_public, contact) == "anna@example.org"
    for game, seat in ((sha(b"x"), "anna"), (GAME, "burt")):
        with pytest.raises(VerificationError):
            open_contact(game, seat, HOST.seal_key, HOST.seal_public, contact)
