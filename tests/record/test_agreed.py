"""Records that people agree to, and those that a clock makes due: all of schemas/README.md §7 beside turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from pbem.base.errors import RefusedError
from pbem.game import JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.client import compose_join
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.draws import LENGTH, chain, seat_label
from pbem.protocol.formats.messages import build_rekey, message_of
from pbem.protocol.record import Deadlines, Record
from pbem.protocol.record.deadlines import Decision, plus_hours
from pbem.protocol.record.kinds.consent import usable
from pbem.protocol.record.ledger import Epoch
from pbem.protocol.referee import Held, burn, extend, perform_default, reseal, substitute
from tests.one_time_keys import fixed
from tests.verifier.verdicts import codes_of_last, with_record
from tests.world import World, accepted, refusal, secret

TWO = ("anna", "burt")
DRAW = {"do": "draw", "from": "supply"}
TOP = {"do": "draw", "from": "discard"}


def started(**more: object) -> World:
    return World("wyatt-earp", ("anna", "burt", "curt"), **more).start()  # type: ignore[arg-type]


def agree(world: World, terms: JsonObject, seats: tuple[str, ...]) -> None:
    kept: list[JsonObject] = []
    for seat in seats[:-1]:
        kept.append(world.consent(seat, terms))
        assert isinstance(world.send(kept[-1], kept), Held)
    accepted(world.send(world.consent(seats[-1], terms), kept))


def clean(world: World) -> None:
    Record.load(world.lines)
    report = audit(world.lines)
    assert report.ok, report.faults


def _back_to(seq: int, line: int) -> Callable[[World], list[bytes]]:
    """All agree to go back to record ``seq`` by the name of record ``line``."""

    def make(world: World) -> list[bytes]:
        to = {"seq": seq, "line": world.record.lines[line].reference["line"]}
        terms: JsonObject = {"kind": "rewind", "to": to}
        members = {"what": terms, "consents": [world.consent(seat, terms) for seat in world.seats]}
        return with_record(world, "rewind", members)

    return make


def _joins(seat: str, n: int) -> Callable[[World], list[bytes]]:
    """Somebody new joins as this seat, with this number."""
    new = Identity(secret("somebody new"))
    return lambda world: with_record(world, "join", {"msg": world.join_file(seat, new, n=n)})


def joined() -> World:
    """Anna has joined."""
    world = World("wyatt-earp", TWO)
    accepted(world.join("anna"))
    return world


def dealt() -> World:
    """The first hand is dealt, by record 6."""
    return World("wyatt-earp", TWO).start()


FALSE: dict[str, tuple[Callable[[], World], Callable[[World], list[bytes]], set[str]]] = {
    "a first join has a number": (lambda: World("wyatt-earp", TWO), _joins("anna", 1), {"number"}),
    "a seat is joined twice": (joined, _joins("anna", 0), {"seat-taken"}),
    "back to a record to come": (dealt, _back_to(99, 0), {"rewind"}),
    "back to a record without a result": (dealt, _back_to(4, 4), {"rewind"}),
    "back to another record than its name": (dealt, _back_to(6, 5), {"rewind"}),
}


@pytest.mark.parametrize("name", FALSE)
def test_both_verifiers_find_what_a_host_signs_in_the_same_step(name: str) -> None:
    make, falsify, codes = FALSE[name]
    assert codes_of_last(falsify(make())) == codes


def test_a_default_is_refused_until_it_is_due_and_takes_no_card_from_the_deck() -> None:
    world = started()
    with pytest.raises(RefusedError, match="due from"):
        perform_default(world.record, world.host, Seat("anna"), world.now)
    world.tick(72 + 24)
    ruling = world.take(perform_default(world.record, world.host, Seat("anna"), world.now))
    kinds = [line.kind for line in ruling.lines]
    assert kinds == ["default", "burn", "announce"]
    body = ruling.lines[0].body
    assert [step["action"]["do"] for step in body["steps"]] == ["draw", "discard"]
    assert all(step["chance"] == [] for step in body["steps"])
    assert ruling.lines[1].body["missing"] == ["anna"]
    assert ruling.lines[2].body["seats"] == ["burt", "curt"]
    clean(world)


def test_the_orders_of_the_next_seat_answer_a_default() -> None:
    world = started()
    accepted(world.turn("burt", orders={"rules": [{"when": "draw", "do": DRAW}]}))
    world.tick(96)
    body = world.take(perform_default(world.record, world.host, Seat("anna"), world.now)).lines[0].body
    steps = [(step["by"], step["seat"], step["action"]["do"]) for step in body["steps"]]
    assert steps == [("default", "anna", "draw"), ("default", "anna", "discard"), ("order", "burt", "draw")]
    assert world.record.waiting == {"seat": "burt", "phase": "play"}
    agree(world, {"kind": "end"}, ("anna", "burt", "curt"))
    clean(world)


def test_later_defaults_of_a_silent_seat_are_due_at_once_until_it_writes() -> None:
    world = started()
    world.tick(96)
    world.take(perform_default(world.record, world.host, Seat("anna"), world.now))
    for seat in ("burt", "curt"):
        accepted(
            world.turn(seat, TOP, {"do": "discard", "card": world.view(seat).view_json["discard"]["top"]})
        )
    ruling = world.take(perform_default(world.record, world.host, Seat("anna"), world.now))
    assert [line.kind for line in ruling.lines] == ["default"]
    accepted(world.turn("anna", say="I am back"))
    for seat in ("burt", "curt"):
        accepted(
            world.turn(seat, TOP, {"do": "discard", "card": world.view(seat).view_json["discard"]["top"]})
        )
    with pytest.raises(RefusedError, match="due from"):
        perform_default(world.record, world.host, Seat("anna"), world.now)
    clean(world)


def test_talk_does_not_move_the_record_by_which_a_seat_was_asked() -> None:
    world = started()
    accepted(world.turn("anna", DRAW))
    by = world.head.seq
    for seat in ("anna", "burt"):
        accepted(world.turn(seat, say="I think"))
    assert isinstance(world.record.standing, Decision)
    assert world.record.standing.asked == by < world.head.seq


def test_a_match_that_agreed_to_wait_plays_no_defaults() -> None:
    world = started(deadlines=Deadlines(then="wait"))
    world.tick(5000)
    with pytest.raises(RefusedError, match="agreed to wait"):
        perform_default(world.record, world.host, Seat("anna"), world.now)


def test_whoever_is_asked_reads_from_when_on_a_default_is_due_if_any_is_ever_played() -> None:
    """schemas/README.md §10.1 (`then`), schemas/README.md §10.3: at limit(due) or later; not if all agreed to wait."""
    played, waits = started().record, started(deadlines=Deadlines(then="wait")).record
    assert isinstance(played.standing, Decision)
    assert isinstance(waits.standing, Decision)
    assert played.due is not None
    assert played.standing.limit == plus_hours(played.due, played.ledger.deadlines.grace)
    assert waits.standing.limit is None


def test_a_consent_that_was_kept_counts_only_if_the_key_of_its_seat_signed_it() -> None:
    """schemas/README.md §7: it may have come from anybody, by email or before the seat had other keys."""
    world = started()
    terms = world.pause()
    assert usable(world.record.ledger, message_of(world.consent("curt", terms)))
    world.people[Seat("curt")] = Identity(secret("a stranger"))
    assert not usable(world.record.ledger, message_of(world.consent("curt", terms)))


def test_an_extension_gives_more_time_and_only_to_who_is_awaited() -> None:
    world = started()
    due = world.record.due
    assert due is not None
    with pytest.raises(RefusedError, match="later than"):
        extend(world.record, world.host, Seat("anna"), due, world.now)
    with pytest.raises(RefusedError, match="does not wait"):
        extend(world.record, world.host, Seat("burt"), "2027-01-01T00:00:00Z", world.now)
    world.take(extend(world.record, world.host, Seat("anna"), "2027-01-01T00:00:00Z", world.now))
    world.tick(200)
    with pytest.raises(RefusedError, match="due from"):
        perform_default(world.record, world.host, Seat("anna"), world.now)
    clean(world)


def test_a_burn_needs_an_overdue_link() -> None:
    world = started()
    with pytest.raises(RefusedError, match="not overdue"):
        burn(world.record, world.host, world.now)


def test_pause_by_all_stops_turns_and_moves_the_deadline() -> None:
    world = started()
    due = world.record.due
    agree(world, {"kind": "pause", "until": "2027-01-03T00:00:00Z"}, ("anna", "burt", "curt"))
    assert refusal(world.turn("anna", DRAW)).code == "paused"
    world.tick(48)
    agree(world, world.pause(0), ("anna", "burt", "curt"))
    assert due is not None
    assert world.record.due is not None
    assert world.record.due > due
    accepted(world.turn("anna", DRAW))
    clean(world)


def test_an_absence_moves_later_deadlines_never_the_present_one() -> None:
    world = started()
    due = world.record.due
    terms = {
        "kind": "absence",
        "seat": "anna",
        "from": "2026-11-21T00:00:00Z",
        "until": "2026-12-01T00:00:00Z",
    }
    accepted(world.send(world.consent("anna", terms)))
    assert world.record.due == due
    accepted(world.turn("anna", DRAW))
    assert world.record.due == "2026-12-04T00:00:00Z"
    clean(world)


def test_resignation_makes_defaults_due_at_once() -> None:
    world = started()
    world.resign("anna")
    ruling = world.take(perform_default(world.record, world.host, Seat("anna"), world.now))
    assert ruling.lines[0].kind == "default"
    clean(world)


def test_a_rekey_by_the_old_key_seals_the_hand_again() -> None:
    world = started()
    accepted(world.turn("anna", DRAW))
    hand = world.view("anna").view_json["hands"]["anna"]
    new = Identity(secret("anna's new identity"))
    file = _rekey(world, "anna", world.people[Seat("anna")].sign_key, new)
    ruling = accepted(world.send(file))
    assert list(ruling.lines[0].body["packets"]) == ["anna"]
    world.people[Seat("anna")] = new
    assert world.view("anna").view_json["hands"]["anna"] == hand
    accepted(world.turn("anna", {"do": "discard", "card": hand[0]}, say="with the new key"))
    clean(world)


def _rekey(world: World, seat: str, key: SignKey, new: Identity) -> JsonObject:
    anchor = chain(seat_label(seat), world.record.game, new.chain_seed(world.record.game))[0]
    head = world.head.seen
    return build_rekey(
        key, world.record.game, seat, world.number(seat), head, new=new, anchor=anchor, length=LENGTH
    )


def test_a_rekey_by_the_recovery_key_and_not_by_any_other() -> None:
    from pbem.protocol.crypto.digest import sha
    from pbem.protocol.crypto.identity import recovery_key

    key = recovery_key(secret("anna's paper"))
    world = World("wyatt-earp", ("anna", "burt"))
    accepted(world.join("anna", recovery=sha(key.public)))
    accepted(world.join("burt"))
    for seat in ("anna", "burt"):
        accepted(world.ready(seat))
    new = Identity(secret("found again"))
    wrong = recovery_key(secret("somebody's paper"))
    assert world.send(_rekey(world, "anna", wrong, new)).__class__.__name__ == "Ignored"
    accepted(world.send(_rekey(world, "anna", key, new)))
    clean(world)


def test_a_substitute_takes_the_hand_over() -> None:
    world = started()
    accepted(world.turn("anna", DRAW))
    hand = world.view("anna").view_json["hands"]["anna"]
    world.resign("anna")
    new = Identity(secret(f"dora {world.seed}"))
    terms = world.substitute_terms("anna", "dora")
    consents = [world.consent(seat, terms) for seat in ("burt", "curt")]
    for file in consents:
        assert isinstance(world.send(file), Held)
    join = compose_join(world.copy(), new, "anna", name="Dora", n=world.number("anna") + 5)
    world.numbers[Seat("anna")] += 5
    world.tick(10)
    with pytest.raises(RefusedError, match="curt must agree"):
        substitute(world.record, world.host, message_of(join), consents[:1], world.now)
    world.take(substitute(world.record, world.host, message_of(join), consents, world.now))
    world.people[Seat("anna")] = new
    assert world.view("anna").view_json["hands"]["anna"] == hand
    assert world.record.due == "2026-11-29T04:00:00Z"  # 72 hours from when she took the seat
    accepted(world.turn("anna", {"do": "discard", "card": hand[-1]}))
    assert world.record.names[Seat("anna")] == "Dora"
    clean(world)


def test_a_reseal_repeats_what_a_seat_was_shown() -> None:
    world = started()
    accepted(world.turn("anna", DRAW))
    hand = world.view("anna").view_json["hands"]["anna"]
    world.take(reseal(world.record, world.host, Seat("anna"), world.now))
    assert world.view("anna").view_json["hands"]["anna"] == hand
    clean(world)


def test_a_rewind_by_all_goes_back_but_never_across_a_reveal() -> None:
    world = started()
    hand = world.view("anna").view_json["hands"]["anna"]
    accepted(world.turn("anna", DRAW))
    target = world.head
    accepted(world.turn("anna", {"do": "discard", "card": hand[0]}))
    terms = {"kind": "rewind", "to": target.reference}
    world.tick(10)
    agree(world, terms, ("anna", "burt", "curt"))
    assert world.record.waiting == {"seat": "anna", "phase": "play"}
    assert world.record.due == "2026-11-25T04:00:00Z"  # asked again by the rewind
    accepted(world.turn("anna", {"do": "discard", "card": hand[1]}))
    assert world.record.waiting == {"seat": "burt", "phase": "draw"}
    before_the_draw = world.record.lines[target.seq - 1]  # it showed her two cards
    back = {"kind": "rewind", "to": before_the_draw.reference}
    assert refusal(world.send(world.consent("anna", back))).code == "illegal"
    clean(world)


def test_the_first_hand_of_a_match_that_reveals_at_its_end() -> None:
    world = World("wyatt-earp", ("anna", "burt"), reveal="match", seed="late").start().play(400)
    kinds = [line.kind for line in world.record.lines]
    assert "close" not in kinds[:-1] or world.record.over
    clean(world)


def test_a_seat_that_never_answers_costs_one_burn_and_the_match_goes_on() -> None:
    world = started()
    for _ in range(60):
        waiting = world.record.waiting
        if waiting is None:
            missing = world.record.missing_links
            if not missing:
                break
            accepted(world.ready(missing[0]))
            continue
        if waiting["seat"] == "curt":
            world.tick(0 if "curt" in world.record.ledger.silent else 96)
            world.take(perform_default(world.record, world.host, Seat("curt"), world.now))
        else:
            world.move()
    assert [line.kind for line in world.record.lines].count("burn") == 1
    clean(world)


def test_a_card_discarded_again_after_a_rewind_is_the_same_card() -> None:
    world = started()
    accepted(world.turn("anna", DRAW))
    target = world.head
    hand = world.view("anna").view_json["hands"]["anna"]
    single = next(card for card in hand if hand.count(card) == 1)
    accepted(world.turn("anna", {"do": "discard", "card": single}))
    agree(world, {"kind": "rewind", "to": target.reference}, ("anna", "burt", "curt"))
    assert world.view("anna").view_json["hands"]["anna"] == hand
    accepted(world.turn("anna", {"do": "discard", "card": single}))
    assert single not in world.view("anna").view_json["hands"]["anna"]
    agree(world, {"kind": "end", "why": "enough"}, ("anna", "burt", "curt"))
    clean(world)


def test_a_resealed_packet_is_as_long_as_that_seats_own_cards_ask() -> None:
    """Anna has drawn two cards more than burt: 512 · ⌈(257 + 112·12) / 512⌉, not that of his ten."""
    world = World("wyatt-earp", ("anna", "burt"), seed="sizes").start()
    accepted(world.turn("anna", DRAW))
    for seat, size in (("anna", 2048), ("burt", 1536)):
        world.take(reseal(world.record, world.host, Seat(seat), world.now))
        assert len(unb64(world.head.body["packets"][seat]["ct"])) == 48 + size
    clean(world)


SEARCH: JsonObject = {"do": "wyatt-earp", "mode": "search"}


@pytest.mark.parametrize("longer", [False, True])
def test_a_resealed_packet_holds_what_its_seat_found_and_nobody_elses_finds(longer: bool) -> None:
    """Anna has searched and burt has not; whether what she was shown makes the packet longer or just fits."""
    with fixed():
        world = next(world for seed in range(20) if (world := _searched(str(seed), longer=longer)))
        dealt = Counter(draw.to for draw in _running(world).draws)
        sizes = {"anna": _size(dealt["anna"], _shown(world)), "burt": _size(dealt["burt"], 0)}
        hands = {seat: world.view(seat).view_json["hands"][seat] for seat in world.seats}
        for seat in world.seats:
            world.take(reseal(world.record, world.host, Seat(seat), world.now))
            assert len(unb64(world.head.body["packets"][seat]["ct"])) == 48 + sizes[seat]
            assert world.view(seat).view_json["hands"][seat] == hands[seat]
        agree(world, {"kind": "end"}, ("anna", "burt"))
        clean(world)


def _size(dealt: int, shown: int) -> int:
    """schemas/README.md §14.1: 512 · ⌈(257 + 112·D + 24·S) / 512⌉."""
    return -(-(257 + 112 * dealt + 24 * shown) // 512) * 512


def _searched(seed: str, *, longer: bool) -> World | None:
    """A match in which anna searched in its first hand, which counts for a longer packet or does not.

    Anna searches as soon as she may and burt never does; a match in three serves. None if this one does not.
    """
    world = World("wyatt-earp", ("anna", "burt"), seed=seed).start()
    while world.record.ledger.running is not None and len(world.record.lines) < 60:
        waiting = world.record.waiting
        if waiting is None:
            return None
        anna = waiting["seat"] == "anna"
        dealt = sum(draw.to == "anna" for draw in _running(world).draws)
        if _shown(world) and (_size(dealt, _shown(world)) > _size(dealt, 0)) is longer:
            return world
        if anna and SEARCH in world.view("anna").legal:
            accepted(world.turn("anna", SEARCH))
        elif not world.move():
            return None
    return None


def _running(world: World) -> Epoch:
    running = world.record.ledger.running
    assert running is not None
    return running


def _shown(world: World) -> int:
    """schemas/README.md §14.1: S for anna, 0 if burt was shown anything: what was found, and each stack and one."""
    steps = [step for line in _running(world).results for step in line.body["steps"]]
    events = [event for step in steps for event in step["events"] if event["event"] in ("found", "searching")]
    if any(event["seat"] != "anna" for event in events):
        return 0
    return sum(event.get("cards", 0) + 1 for event in events)


@pytest.mark.parametrize("draw", [DRAW, TOP], ids=["hidden", "known"])
def test_a_rewind_does_not_go_back_across_the_very_next_record_if_that_showed_a_card(
    draw: JsonObject,
) -> None:
    world = started()
    hand = world.view("anna").view_json["hands"]["anna"]
    accepted(world.turn("anna", DRAW, {"do": "discard", "card": hand[0]}))
    target = world.head
    accepted(world.turn("burt", draw))
    assert world.head.seq == target.seq + 1
    refused = refusal(world.send(world.consent("anna", {"kind": "rewind", "to": target.reference})))
    assert f"record {world.head.seq} showed" in refused.sentence


def test_nobody_takes_a_seat_over_whose_first_link_is_missing_or_that_nobody_has() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="too early")
    accepted(world.join("anna"))
    terms: JsonObject = world.substitute_terms("burt", "dora")
    assert "nobody has joined as burt" in refusal(world.send(world.consent("anna", terms))).sentence
    accepted(world.join("burt"))
    assert (
        "waits for the part of the shuffle of burt"
        in refusal(world.send(world.consent("anna", terms))).sentence
    )
    accepted(world.ready("burt"))
    assert accepted(world.send(world.consent("anna", terms))).lines[0].kind == "propose"


def test_a_new_chain_serves_the_very_next_epoch_that_is_laid() -> None:
    world = World("way-out-west", ("anna", "burt", "curt"), seed="new chain").start()
    accepted(world.ready("anna"))
    accepted(world.ready("curt"))
    due = world.record.due
    world.tick(1)
    world.put("curt", "dora")
    assert world.record.waiting is not None
    assert world.record.waiting["seat"] != "curt"
    assert world.record.due == due
    new = Identity(secret("anna, new"))
    accepted(world.send(_rekey(world, "anna", world.people[Seat("anna")].sign_key, new)))
    world.people[Seat("anna")] = new
    ledger = world.record.ledger
    while ledger.running is None or ledger.running.number < 3:
        assert world.move()
        ledger = world.record.ledger
    chains = {
        seat: [(chain.since, chain.index) for chain in ledger.players[Seat(seat)].chains]
        for seat in ("anna", "curt")
    }
    assert chains == {"anna": [(1, 2), (3, 3)], "curt": [(3, 3)]}
    clean(world)


def test_an_early_end_opens_all_that_was_sealed() -> None:
    world = started()
    accepted(world.turn("anna", DRAW, orders={"rules": [{"when": "draw", "do": DRAW}]}))
    accepted(world.turn("burt", say="Late already."))
    sealed = set(world.record.ledger.unopened)
    assert ("anna", 2, "orders") in sealed  # in force to the end
    agree(world, {"kind": "end"}, ("anna", "burt", "curt"))
    assert world.record.ledger.unopened == {}
    assert set(world.record.ledger.opened_parts) == sealed
    clean(world)
