"""Rulings: what is accepted, refused with which code, repeated or ignored; a refusal changes nothing."""

from __future__ import annotations

import copy

import pytest

from pbem.game import JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import make_file, verify_file
from pbem.protocol.formats.messages import build_ready, build_turn
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.referee import Ignored, Repeated
from tests.world import World, accepted, refusal, secret

DRAW = {"do": "draw", "from": "supply"}
TOP = {"do": "draw", "from": "discard"}
WRONG = {"do": "lay", "outlaw": "bob-dalton", "count": 7}


def started(seats: tuple[str, ...] = ("anna", "burt", "curt")) -> World:
    return World("wyatt-earp", seats).start()


def resigned(file: JsonObject, identity: Identity, kind: str = "turn") -> JsonObject:
    return make_file(kind, file["body"], identity.sign_key, identity.sign_public)


def test_the_walk_of_protocol_4_6_up_to_the_first_hand() -> None:
    world = started()
    kinds = [line.kind for line in world.record.lines]
    assert kinds == [
        "genesis",
        "join",
        "join",
        "join",
        "announce",
        "ready",
        "ready",
        "ready",
        "open",
        "announce",
    ]
    assert world.record.waiting == {"seat": "anna", "phase": "draw"}
    opened = world.record.lines[8].body
    assert opened["public"]["hands"] == {"anna": 10, "burt": 10, "curt": 10}
    assert len(opened["steps"][0]["chance"]) == 31
    assert opened["steps"][0]["chance"][-1]["to"] == "table"
    assert len({len(packet["ct"]) for packet in opened["packets"].values()}) == 1


def test_a_look_first_then_the_rest() -> None:
    world = started()
    ruling = accepted(world.turn("anna", DRAW))
    assert [line.kind for line in ruling.lines] == ["turn"]
    assert ruling.lines[0].body["applied"] == 1
    hand = world.view("anna").view_json["hands"]["anna"]
    assert len(hand) == 12
    ruling = accepted(world.turn("anna", {"do": "discard", "card": hand[0]}))
    assert world.record.waiting == {"seat": "burt", "phase": "draw"}


def test_everything_at_once_is_sealed_after_the_first_look() -> None:
    world = started()
    hand = world.view("anna").view_json["hands"]["anna"]
    file = world.turn_file("anna", DRAW, {"do": "discard", "card": hand[0]})
    assert file["body"]["actions"] == [DRAW]
    ruling = accepted(world.send(file))
    steps = ruling.lines[0].body["steps"]
    assert [step["by"] for step in steps] == ["file", "sealed"]
    assert steps[1]["action"] == {"do": "discard", "card": hand[0]}


def test_the_same_file_again_gets_the_earlier_receipt() -> None:
    world = started()
    file = world.turn_file("anna", DRAW)
    first = accepted(world.send(file)).lines[0]
    again = world.send(file)
    assert isinstance(again, Repeated)
    assert again.line == first


def test_a_lower_number_with_another_body_is_stale() -> None:
    world = started()
    early = world.turn_file("anna", say="early")
    accepted(world.turn("anna", say="later"))
    assert refusal(world.send(early)).code == "stale"


def test_a_turn_that_has_not_seen_the_newest_result_is_stale() -> None:
    world = started()
    file = world.turn_file("burt", DRAW)
    hand = world.view("anna").view_json["hands"]["anna"]
    accepted(world.turn("anna", DRAW, {"do": "discard", "card": hand[0]}))
    assert refusal(world.send(file)).code == "stale"


def test_talk_in_between_does_no_harm() -> None:
    world = started()
    file = world.turn_file("anna", DRAW)
    accepted(world.turn("curt", say="Reach for the sky"))
    accepted(world.send(file))


def test_not_your_turn_names_who_is_awaited() -> None:
    world = started()
    refused = refusal(world.turn("burt", DRAW))
    assert refused.code == "not-your-turn"
    assert "anna" in refused.sentence


def test_an_illegal_open_action_is_refused_whole_with_its_rule_rows() -> None:
    world = started()
    before = world.lines
    refused = refusal(world.turn("anna", {"do": "discard", "card": "hideout"}))
    assert refused.code == "illegal"
    assert refused.action == 0
    assert refused.rules
    assert refused.reject is not None
    verify_file("reject", refused.reject, world.host.sign_public)
    assert refused.reject["body"]["rules"] == list(refused.rules)
    assert world.lines == before


def test_a_fault_after_a_reveal_stands_up_to_there_and_shows_the_rule_to_its_sender_only() -> None:
    world = started()
    ruling = accepted(world.turn("anna", DRAW, WRONG))
    body = ruling.lines[0].body
    assert body["applied"] == 1
    assert body["stopped"] == {"at": 1, "why": "illegal"}
    view = world.view("anna")
    epoch = world.record.ledger.running
    assert epoch is not None
    facts = view.open_packet(epoch, ruling.lines[0])["facts"]
    assert facts[0]["stopped"]["code"] == "illegal"
    assert facts[0]["stopped"]["rules"]
    assert world.record.waiting == {"seat": "anna", "phase": "play"}


def test_who_takes_the_only_discard_has_seen_nothing_new_so_a_fault_refuses_the_file_whole() -> None:
    world = started()
    before = world.lines
    assert refusal(world.turn("anna", TOP, WRONG)).code == "illegal"
    assert world.lines == before


def test_a_card_that_comes_to_light_in_the_discard_is_a_reveal() -> None:
    """No card is dealt and nobody learns anything, and yet all see what lay below."""
    world = started()
    hand = world.view("anna").view_json["hands"]["anna"]
    accepted(world.turn("anna", DRAW, {"do": "discard", "card": hand[0]}))
    below = world.record.lines[8].body["public"]["discard"]["top"]
    body = accepted(world.turn("burt", TOP, WRONG)).lines[0].body
    assert body["public"]["discard"]["top"] == below
    assert [step["chance"] for step in body["steps"]] == [[]]
    assert body["stopped"] == {"at": 1, "why": "illegal"}
    assert world.record.waiting == {"seat": "burt", "phase": "play"}


def test_a_secret_take_must_be_sealed() -> None:
    world = started()
    head = world.head
    open_take = {"do": "wyatt-earp", "mode": "search", "take": ["hideout"]}
    newest = world.record.ledger.newest
    assert newest is not None
    file = build_turn(
        world.people[Seat("anna")],
        world.record.game,
        "anna",
        world.number("anna"),
        head.seen,
        actions=[open_take],
        link=_link(world, "anna"),
    )
    assert refusal(world.send(file)).code == "must-be-sealed"


def _link(world: World, seat: str) -> tuple[int, bytes] | None:
    from pbem.protocol.client.compose import link_of

    return link_of(world.copy(), world.people[Seat(seat)], Seat(seat))


def test_a_turn_without_the_link_it_owes_is_refused() -> None:
    world = started()
    head = world.head
    file = build_turn(
        world.people[Seat("anna")],
        world.record.game,
        "anna",
        world.number("anna"),
        head.seen,
        actions=[DRAW],
    )
    assert refusal(world.send(file)).code == "link-missing"


@pytest.mark.parametrize("change", ["value", "epoch"])
def test_a_wrong_link_is_refused(change: str) -> None:
    world = started()
    file = world.turn_file("anna", DRAW)
    body = copy.deepcopy(file["body"])
    body["link"][change] = b64(secret("nonsense")) if change == "value" else 3
    assert refusal(world.send(resigned({"body": body}, world.people[Seat("anna")]))).code == "bad-link"


def test_a_ready_signed_before_the_announcement_is_a_bad_link() -> None:
    world = World("wyatt-earp", ("anna", "burt"))
    accepted(world.join("anna"))
    head = world.head
    accepted(world.join("burt"))
    link = _link(world, "anna")
    assert link is not None
    file = build_ready(
        world.people[Seat("anna")],
        world.record.game,
        "anna",
        world.number("anna"),
        head.seen,
        epoch=1,
        link=link[1],
    )
    assert refusal(world.send(file)).code == "bad-link"


def test_an_envelope_copied_from_another_file_does_not_open() -> None:
    world = started()
    first = world.turn_file("anna", DRAW)
    second = world.turn_file("anna", DRAW)
    body = copy.deepcopy(second["body"])
    body["sealed"] = first["body"]["sealed"]
    assert refusal(world.send(resigned({"body": body}, world.people[Seat("anna")]))).code == "bad-seal"


def test_strangers_forgers_and_other_matches_are_ignored_and_never_answered() -> None:
    world, other = started(), World("wyatt-earp", ("anna", "burt", "curt"), seed="2").start()
    assert isinstance(world.send(other.turn_file("anna", DRAW)), Ignored)
    file = world.turn_file("anna", DRAW)
    assert isinstance(world.send(resigned(file, world.people[Seat("burt")])), Ignored)
    altered = copy.deepcopy(file)
    altered["body"]["actions"] = [{"do": "draw", "from": "discard"}]
    assert isinstance(world.send(altered), Ignored)


def test_a_second_join_for_a_taken_seat_changes_nothing() -> None:
    world = World("wyatt-earp", ("anna", "burt"))
    accepted(world.join("anna"))
    before = world.lines
    thief = World("wyatt-earp", ("anna", "burt"), seed="thief")
    world.people[Seat("anna")] = thief.people[Seat("anna")]
    assert isinstance(world.join("anna"), Ignored)
    assert world.lines == before


def test_a_match_that_is_over_takes_nothing_more() -> None:
    world = started(("anna", "burt"))
    terms = {"kind": "end", "why": "supper"}
    files = [world.consent("anna", terms)]
    world.send(files[0])
    accepted(world.send(world.consent("burt", terms), files))
    assert world.record.over
    assert [line.kind for line in world.record.lines][-2:] == ["close", "end"]
    assert refusal(world.turn("anna", say="and now?")).code == "match-over"


@pytest.mark.parametrize(
    "raw",
    [
        b"not json",
        b'{"body": {}, "body": {}}',
        b'{"body": NaN}',
        b'{"body":{"n":1.0},"sig":{}}',
        b"[" * 100_000,
        b'{"x":"LONG"}',
        b"\xff\xfe",
        b"",
    ],
    ids=["text", "duplicate", "nan", "float", "brackets", "10MB", "utf16", "empty"],
)
def test_bytes_that_are_no_file_are_refused_as_malformed(raw: bytes) -> None:
    world = started()
    before = world.lines
    refused = refusal(world.send(raw.replace(b"LONG", b"a" * 10_000_000)))
    assert refused.code == "malformed"
    assert refused.sentence
    assert world.lines == before


def test_what_the_host_accepts_every_stranger_can_verify() -> None:
    world = started().play(40)
    record = Record.load(world.lines)
    assert record.head.hash == world.head.hash
    assert canon(record.public) == canon(world.record.public)


def test_orders_signed_before_the_newest_result_are_taken_and_answer() -> None:
    """They come without actions, so they cannot be stale, although a client always seals a list (an empty one)."""
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="late orders").start()
    orders = {"rules": [{"when": "draw", "do": {"do": "draw", "from": "supply"}}]}
    late = world.turn_file("burt", orders=orders)
    while world.record.waiting is not None and world.record.waiting["seat"] == "anna":
        world.move()
    taken = accepted(world.send(late))
    assert taken.lines[0].body["applied"] == 0
    assert [step["by"] for step in taken.lines[0].body["steps"]] == ["order"]
    assert audit(world.lines).ok
