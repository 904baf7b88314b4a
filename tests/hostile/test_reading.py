"""What the host signs, everybody can read; and what would grow without end is measured.

A file that would make a record which a strict reader does not take is refused before anything is committed, and the
good file behind it is taken: so each test ends with ``lives_on``, which plays, opens everything that was sealed in one
``close`` and ``end``, and reads the whole file as a stranger does. Known attacks: sealed actions nested 27 deep, 31
talk files with long orders, ``tell`` to ``nobody``, ``null``, the number 2^32 - 1, a second ready. Found beside them:
open actions too deep, orders too deep, unknown members and types in either, 64 long sealed actions, the longest
padding around nothing, escapes that grow, talk, absences and rekeys without end, the link of a seat that was left out
of an epoch (it would give that seat one more draw of the cut), and a host who takes such things.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

import pytest

from pbem.base.errors import UsageProblem
from pbem.game import Json, JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.client.compose import compose_ready, compose_turn, link_of
from pbem.protocol.crypto.digest import b64, lp, sha, u32
from pbem.protocol.crypto.identity import Identity, pad, recovery_key, seal
from pbem.protocol.draws import chain, seat_label
from pbem.protocol.formats.envelopes import CONTENT, make_file, part_commit
from pbem.protocol.formats.messages import build_ready, build_rekey
from pbem.protocol.formats.strict_json import MAX_LINE, canon
from pbem.protocol.record import Record
from pbem.protocol.record.check_messages import BUDGET, STEP, TALK
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import Accepted, Quarantined, Refused, Unchanged
from pbem.protocol.referee.draft import Draft, rule_message
from pbem.protocol.referee.ruling import Unreadable
from tests.machine.planted import no_budget
from tests.verifier.node import verify_all
from tests.world import World, accepted, refusal, secret

DRAW: JsonObject = {"do": "draw", "from": "supply"}
SEATS = ("anna", "burt", "curt")
LONG = 22_528
"""Bytes of plaintext in the longest sealed part that fits into a file, with its owner's copy."""


def started(seats: tuple[str, ...] = SEATS, **more: Any) -> World:
    return World("wyatt-earp", seats, **more).start()


def nested(levels: int) -> Json:
    """A list in a list, so many deep."""
    value: Json = []
    for _ in range(levels):
        value = [value]
    return value


def part(world: World, seat: str, n: int, name: str, content: Json, size: int = 512) -> JsonObject:
    """A sealed part of any content, padded as far as one likes."""
    label, game, key = (
        ("order" if name == "orders" else "sealed"),
        world.record.game,
        world.record.ledger.host_seal,
    )
    plain = canon({"salt": b64(bytes(16)), CONTENT[label]: content})  # type: ignore[index]
    plain = zlib.compress(plain, 9) if label == "order" else plain
    ct = b64(seal(pad(plain, size), key, lp(f"pbem/1 {label}", game, seat, u32(n), key)))
    commit = b64(part_commit(label, game, seat, n, bytes(16), content))  # type: ignore[arg-type]
    return {**dict.fromkeys(members(name), ct), "commit": commit, "ct": ct}


@cache
def members(name: str) -> tuple[str, ...]:
    """What such a part has beside commitment and ciphertext."""
    return tuple(started().turn_file("anna")["body"][name])


def turn(world: World, seat: str = "anna", **members: Any) -> JsonObject:
    """A turn as no program of ours would make it, signed all the same."""
    who, n = world.people[Seat(seat)], members.pop("n", None) or world.number(seat)
    link = link_of(world.copy(), who, Seat(seat))
    given: JsonObject = {"link": {"epoch": link[0], "value": b64(link[1])}} if link else {}
    head = {"game": b64(world.record.game), "seat": seat, "n": n, "seen": world.head.seen}
    return make_file("turn", {**head, "actions": [], **given, **members}, who.sign_key, who.sign_public)


def sealing(
    world: World, content: Json, name: str = "sealed", *, seat: str = "anna", size: int = 512, **more: Any
) -> JsonObject:
    """A turn that seals this."""
    n = world.number(seat)
    return turn(world, seat, n=n, **{name: part(world, seat, n, name, content, size)}, **more)


def code(world: World, file: JsonObject) -> str:
    """The code under which a file is refused, empty if it is taken."""
    before = world.lines
    ruling = world.send(file)
    if isinstance(ruling, Accepted):
        return ""
    assert world.lines == before
    return refusal(ruling).code


def lives_on(world: World, files: int = 6) -> None:
    """The match goes on, all that was sealed is opened, and a stranger reads every line."""
    world.play(files)
    files_of_all = [world.consent(seat, {"kind": "end"}) for seat in world.seats]
    ended = accepted(world.send(files_of_all[-1], files_of_all[:-1]))
    assert max(len(line.raw) for line in ended.lines) < MAX_LINE
    assert Record.load(world.lines).over
    assert audit(world.lines).ok


# --- what lies deeper in the close, and what has not the form --------------------------------------------


@pytest.mark.parametrize(("levels", "expected"), [(13, ""), (14, ""), (15, "bad-seal"), (27, "bad-seal")])
def test_sealed_actions_lie_at_most_sixteen_deep(levels: int, expected: str) -> None:
    """One more turn of the screw and the close that opens them would be too deep for every reader."""
    world = started()
    assert (
        code(world, sealing(world, [{"do": "discard", "card": nested(levels)}], actions=[DRAW])) == expected
    )
    lives_on(world)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([{"do": "discard", "card": "bob-dalton-9"}], "malformed"),
        ([{"do": "lay", "outlaw": "bob-dalton", "count": 7}], "illegal"),
        ("x", "bad-seal"),
    ],
)
def test_a_refusal_says_in_clear_what_was_open_and_nothing_of_what_was_sealed(
    content: Json, expected: str
) -> None:
    world = started()
    hidden = refusal(world.send(sealing(world, content)))
    assert (hidden.code, hidden.in_clear, hidden.action, hidden.rules) == (expected, "", None, ())
    assert hidden.sentence  # it is the host's to read
    early = refusal(world.send(turn(world, "burt", actions=[DRAW])))
    assert early.in_clear == "the match waits for anna (draw)"
    agreed = refusal(world.send(world.consent("anna", world.pause(0))))
    assert (agreed.code, agreed.in_clear) == (
        "illegal",
        "the match is not paused, and this pause would be over already",
    )


@pytest.mark.parametrize(
    "content",
    [
        [{"do": 7}],
        [{"do": "A"}],
        [{"do": "x" * 41}],
        [{}],
        [[]],
        ["draw"],
        [DRAW] * 65,
        {"rules": []},
        {},
        "x",
        7,
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_has_not_the_form_of_sealed_actions_does_not_open(content: Json) -> None:
    world = started()
    assert code(world, sealing(world, content)) == "bad-seal"
    lives_on(world)


@pytest.mark.parametrize(
    "content",
    [
        {"rules": [], "more": 1},
        {"rules": {}},
        {"rules": [7]},
        {"rules": [{}] * 65},
        {"orders": []},
        {},
        [],
        {"rules": [{"when": "draw", "do": nested(13)}]},
        {"rules": [{"when": "draw", "if": {"hand": nested(25)}, "do": DRAW}]},
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_has_not_the_form_of_orders_does_not_open(content: Json) -> None:
    world = started()
    assert code(world, sealing(world, content, "orders", size=1024)) == "bad-seal"
    lives_on(world)


def test_null_cannot_be_sealed() -> None:
    """Written by hand, since nothing of ours writes it."""
    world = started()
    n = world.number("anna")
    sealed = part(world, "anna", n, "sealed", [])
    key = world.record.ledger.host_seal
    plain = b'{"actions":[{"card":null,"do":"discard"}],"salt":"' + b64(bytes(16)).encode() + b'"}'
    ct = b64(seal(pad(plain, 512), key, lp("pbem/1 sealed", world.record.game, "anna", u32(n), key)))
    sealed = {**dict.fromkeys(sealed, ct), "commit": sealed["commit"]}
    assert code(world, turn(world, n=n, sealed=sealed, actions=[DRAW])) == "bad-seal"
    lives_on(world)


@pytest.mark.parametrize("levels", [10, 27, 28])
def test_open_actions_that_are_too_deep_are_no_actions(levels: int) -> None:
    """In the record they stand two levels deeper than in their file."""
    world = started()
    assert code(world, turn(world, actions=[{"do": "discard", "card": nested(levels)}])) == "malformed"
    lives_on(world)


def test_sixty_four_long_sealed_actions_are_opened_whole() -> None:
    """Quotes and backslashes take twice their space in every line that holds them."""
    world = started()
    long: JsonObject = {"do": "discard", "card": '"\\' * 60}
    assert code(world, sealing(world, [long] * 64, actions=[DRAW])) == ""
    lives_on(world)


@pytest.mark.parametrize("other", ["nobody", "table", "public", "both", "zoe"])
def test_a_private_word_to_nobody_does_not_stop_the_files_behind_it(other: str) -> None:
    world = started()
    words = world.turn_file("anna", tell={Seat("burt"): "psst"})["body"]["tell"]
    ruling = world.send(turn(world, tell=[{**words[0], "to": other}]))
    assert isinstance(ruling, Refused)
    assert ruling.code == "malformed"
    lives_on(world)


# --- what one close must open -----------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [("anna", "burt"), SEATS, ("anna", "burt", "curt", "dora")])
def test_what_is_sealed_is_measured_by_public_lengths(seats: tuple[str, ...]) -> None:
    """The longest parts, around nothing at all, from everybody in talk."""
    world = started(seats)
    most = BUDGET // len(seats) * 3 // 4
    for seat in seats:
        taken = 0
        while not (refusal := code(world, sealing(world, [], seat=seat, size=LONG))):
            taken += 1
        assert refusal == "over-budget"
        assert taken == most // (LONG + 48 + 256)
    lives_on(world)


def filled() -> World:
    """A match of two in which anna has sealed in talk as much as she may, but for some bytes."""
    world = started(("anna", "burt"))
    for size in (LONG, 11_264, 5_632, 2_560, 512):
        while not (refusal := code(world, sealing(world, [], size=size))):
            pass
        assert refusal == "over-budget"
    return world


def test_the_last_quarter_is_for_choices_under_seal_and_a_turn_without_parts_always_fits() -> None:
    world = filled()
    n = world.number("anna")
    choice, orders = (
        part(world, "anna", n, name, content, size)
        for name, content, size in (("sealed", [DRAW], 512), ("orders", {"rules": []}, 1024))
    )
    assert code(world, sealing(world, [], say="talk")) == "over-budget"
    assert code(world, sealing(world, [DRAW], size=1024)) == "over-budget"
    assert code(world, turn(world, actions=[DRAW], orders=orders)) == "over-budget"
    assert code(world, turn(world, sealed=choice, orders=orders)) == "over-budget"
    assert code(world, sealing(world, [], actions=[DRAW])) == "over-budget"
    assert code(world, turn(world, n=n, sealed=choice)) == ""
    hand = world.view("anna").view_json["hands"]["anna"]
    assert code(world, turn(world, actions=[{"do": "discard", "card": hand[0]}])) == ""
    lives_on(world)


@pytest.mark.parametrize("extra", ["orders", "an open action"])
def test_a_host_who_lets_other_things_into_the_budget_for_choices_is_found_by_both_verifiers(
    extra: str,
) -> None:
    """They count nothing, and the turn is like any other, only that too much is sealed before it."""
    world = filled()
    n = world.number("anna")
    more: JsonObject = (
        {"orders": part(world, "anna", n, "orders", {"rules": []}, 1024)}
        if extra == "orders"
        else {"actions": [DRAW]}
    )
    sealed = [] if "actions" in more else [DRAW]
    file = turn(world, n=n, sealed=part(world, "anna", n, "sealed", sealed, 512), **more)
    with no_budget():
        accepted(world.send(file))
    check_both(world.lines, (2, "over-budget"))


def test_long_orders_in_talk_do_not_kill_the_match() -> None:
    """31 files with 37 KB of legal orders each made a close of 1,167,315 bytes."""
    world = started(("anna", "burt"))
    rule = {"when": "react", "do": {"do": "pass"}}
    codes = [code(world, sealing(world, {"rules": [rule] * 64}, "orders", size=37_376)) for _ in range(31)]
    assert codes.count("") <= TALK
    lives_on(world)


def test_what_is_sealed_before_the_first_opening_is_opened_once_by_what_closes_the_first_epoch() -> None:
    """It belongs to epoch 0, which nothing closes, in a turn without a result (schemas/README.md §16)."""
    world = World("wyatt-earp", ("anna", "burt"))
    for seat in world.seats:
        accepted(world.join(seat))
    accepted(world.ready("anna"))
    file = sealing(world, [])
    assert code(world, file) == ""
    assert "open" not in {line.kind for line in world.record.lines}
    accepted(world.ready("burt"))
    lives_on(world)
    opened = [part for line in world.record.lines for part in line.body.get("opened", ())]
    mine = [part for part in opened if (part["seat"], part["n"]) == ("anna", file["body"]["n"])]
    assert [(part["part"], part["content"]) for part in mine] == [("sealed", [])]


def test_a_client_leaves_out_what_does_not_fit_and_says_so() -> None:
    world = filled()
    who, seat = world.people[Seat("anna")], Seat("anna")
    composed = compose_turn(world.copy(), who, seat, world.number("anna"), salt=world.salts[seat])
    assert "orders" not in composed.file["body"]
    assert "stay in force" in composed.warnings[0]
    assert composed.copies == ()
    assert code(world, composed.file) == ""
    acting = compose_turn(
        world.copy(), who, seat, world.number("anna"), actions=[DRAW], salt=world.salts[seat]
    )
    assert acting.file["body"].keys() & {"sealed", "orders"} == set(), "the reserve is for choices"
    search: JsonObject = {"do": "wyatt-earp", "mode": "search", "take": ["hideout"]}
    choosing = compose_turn(
        world.copy(), who, seat, world.number("anna"), actions=[search], salt=world.salts[seat]
    )
    assert choosing.file["body"].keys() & {"sealed", "orders"} == {"sealed"}
    assert choosing.warnings == acting.warnings[:1]
    changed: JsonObject = {"rules": [{"when": "draw", "do": DRAW}]}
    with pytest.raises(UsageProblem, match="sealed and not opened yet"):
        compose_turn(world.copy(), who, seat, world.number("anna"), orders=changed, salt=world.salts[seat])
    lives_on(world)


# --- numbers, talk, readies -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ahead", "expected"), [(STEP, ""), (STEP + 1, "number-ahead"), (2**32 - 1, "number-ahead")]
)
def test_a_number_is_at_most_256_ahead(ahead: int, expected: str) -> None:
    """A leaver who signed 2^32 − 1 left no number to anybody who takes their seat."""
    world = started()
    newest = world.record.ledger.players[Seat("anna")].n
    n = min(newest + ahead, 2**32 - 1)
    assert code(world, turn(world, n=n, say="bye")) == expected
    world.numbers[Seat("anna")] = n if not expected else newest
    lives_on(world)


def test_a_record_with_a_number_too_far_ahead_is_a_fault_for_both_verifiers() -> None:
    world = started()
    both(world, turn(world, n=STEP + 9, say="bye"), (2, "number"))


def test_talk_ends_after_sixteen_and_begins_again_with_the_next_result() -> None:
    world = started()
    for _ in range(TALK):
        assert code(world, turn(world, "burt", say="and another thing")) == ""
    assert code(world, turn(world, "burt", say="and one more")) == "too-many"
    assert code(world, turn(world, "curt", say="who counts for himself")) == ""
    both(world, turn(world, "burt", say="and one more"), (2, "too-many"))
    accepted(world.turn("anna", DRAW))
    assert code(world, turn(world, "burt", say="as I said")) == ""
    lives_on(world)


def test_a_newcomer_begins_the_measure_of_talk_again() -> None:
    """Who talked themselves out of the match before they left takes no words of talk from whoever takes their seat."""
    world = started()
    for _ in range(TALK):
        assert code(world, turn(world, "burt", say="and another thing")) == ""
    assert code(world, turn(world, "burt", say="and one more")) == "too-many"
    world.put("burt", "emil")
    for _ in range(TALK):
        assert code(world, turn(world, "burt", say="hello from Emil")) == ""
    both(world, turn(world, "burt", say="and one more"), (2, "too-many"))
    assert verify_all({"file": world.lines})["file"]["ok"]
    lives_on(world)


def test_absences_count_as_talk_with_twice_the_quota() -> None:
    world = started()
    codes = []
    for hour in range(2 * TALK + 2):
        day = f"2026-12-{1 + hour // 20:02}T{hour % 20:02}"
        span = {"from": f"{day}:00:00Z", "until": f"{day}:30:00Z"}
        codes.append(code(world, world.consent("burt", {"kind": "absence", "seat": "burt", **span})))
    assert codes == [""] * 2 * TALK + ["too-many"] * 2
    lives_on(world)


def test_a_thief_who_writes_all_he_may_cannot_keep_the_recovery_key_out() -> None:
    """Both verifiers take the owner's rekey behind 32 records signed by the stolen key, and the match goes on."""
    paper = secret("burt's paper")
    hers = recovery_key(paper)
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="thief")
    for seat in world.seats:
        more = {"recovery": sha(hers.public)} if seat == "burt" else {}
        accepted(world.join(seat, **more))
    for seat in world.seats:
        accepted(world.ready(seat))
    for hour in range(2 * TALK):
        day = f"2026-12-{1 + hour // 20:02}T{hour % 20:02}"
        span = {"from": f"{day}:00:00Z", "until": f"{day}:30:00Z"}
        accepted(world.send(world.consent("burt", {"kind": "absence", "seat": "burt", **span})))
    stolen = world.people[Seat("burt")]
    assert (
        code(world, world.rekey_file("burt", stolen.sign_key, Identity(secret("the thief's")))) == "too-many"
    )
    new = Identity(secret("burt again"))
    assert code(world, world.rekey_file("burt", hers, new)) == ""
    world.people[Seat("burt")] = new
    owed = compose_ready(world.copy(), new, Seat("burt"), world.number("burt"), old=stolen)
    accepted(world.send(owed))
    lives_on(world)
    assert verify_all({"file": world.lines})["file"]["ok"]


def test_rekeys_count_as_talk() -> None:
    world = started()
    codes = []
    for index in range(2 * TALK + 2):
        new = Identity(secret(f"key {index}"))
        old, game = world.people[Seat("anna")], world.record.game
        if world.record.missing_links:
            for seat in world.record.missing_links:
                accepted(world.ready(seat))
        anchor = chain(seat_label("anna"), game, new.chain_seed(game))[0]
        n = world.number("anna")
        file = build_rekey(
            old.sign_key, game, "anna", n, world.head.seen, new=new, anchor=anchor, length=1024
        )
        codes.append(code(world, file))
        if not codes[-1]:
            world.people[Seat("anna")] = new
    assert codes == [""] * 2 * TALK + ["too-many"] * 2
    lives_on(world)


def test_a_second_ready_is_answered_and_not_recorded() -> None:
    world = World("wyatt-earp", SEATS)
    for seat in SEATS:
        accepted(world.join(seat))
    link = link_of(world.copy(), world.people[Seat("anna")], Seat("anna"))
    assert link is not None
    first = accepted(world.ready("anna"))
    before = world.lines
    for _ in range(40):
        again = world.send(ready(world, "anna", link))
        assert isinstance(again, Unchanged)
        assert again.line.seq == first.lines[0].seq
        assert again.sentence == "you were ready already; nothing to do"
    assert world.lines == before
    both(world, ready(world, "anna", link), (3, "again"), kind="ready")
    for seat in SEATS[1:]:
        accepted(world.ready(seat))
    lives_on(world)


def ready(world: World, seat: str, link: tuple[int, bytes]) -> JsonObject:
    who, n = world.people[Seat(seat)], world.number(seat)
    return build_ready(who, world.record.game, seat, n, world.head.seen, epoch=link[0], link=link[1])


def both(world: World, file: JsonObject, expected: tuple[int, str], kind: str = "turn") -> None:
    """A host who records this file all the same is found by both verifiers."""
    line = write_line(kind, {"msg": file}, world.host, game=world.record.game, after=world.head, at=world.now)
    check_both([*world.lines, line.raw], expected)


def check_both(lines: list[bytes], expected: tuple[int, str]) -> None:
    """Both verifiers say this of the file."""
    assert expected in {(fault.step, fault.code) for fault in audit(lines, engine=False).faults}
    report = verify_all({"file": lines})["file"]
    assert expected in {(fault["step"], fault["code"]) for fault in report["faults"]}


def test_a_host_who_takes_too_much_is_found_by_both_verifiers() -> None:
    world = filled()
    both(world, sealing(world, [], size=LONG), (2, "over-budget"))


# --- the last entry ---------------------------------------------------------------------------------------


def test_a_line_that_nobody_could_read_is_never_handed_out() -> None:
    """Whatever comes past all rules above: the draft reads its own bytes, and nothing is committed."""
    world = started()
    draft = Draft(world.record, world.host, world.now)
    with pytest.raises(Unreadable, match=r"record 10 \(turn\) would not be readable again"):
        draft.add("turn", {"msg": turn(world, tell=[{"to": "nobody", "ct": "A" * 747}])})
    with pytest.raises(Unreadable):
        Draft(world.record, world.host, world.now).add("turn", {"msg": turn(world), "more": nested(40)})
    forged = turn(world)
    forged["sig"]["value"] = b64(bytes(64))
    with pytest.raises(Unreadable, match="signature"):
        Draft(world.record, world.host, world.now).add("turn", {"msg": forged})
    lives_on(world)


def test_a_fault_of_the_program_puts_the_file_aside_by_name() -> None:
    """A host whose rules are faulty: what they would sign, their own reader refuses."""
    world = started()
    file = world.turn_file("anna", DRAW)
    broken = world.record.fork()
    epoch = broken.ledger.epochs[1]
    deck = epoch.decks["main"]
    object.__setattr__(epoch, "decks", {"main": (*deck[:-1], _cut_short(deck[-1]))})
    from pbem.protocol.formats.messages import message_of

    ruling = rule_message(broken, world.host, message_of(file), world.now)
    object.__setattr__(epoch, "decks", {"main": deck})
    assert isinstance(ruling, Quarantined)
    assert "turn" in ruling.fault
    assert "internal error" in ruling.fault
    accepted(world.send(file))
    lives_on(world)


def _cut_short(generation: Any) -> Any:
    from dataclasses import replace

    return replace(generation, drawn=generation.drawn + 5)
