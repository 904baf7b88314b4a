"""What was made in a page that the host serves counts for nothing in a label, and what nobody can know is said."""

from __future__ import annotations

from pbem.game import JsonObject, Seat
from pbem.player.letters.by_hand import card_proof
from pbem.player.letters.hosting import host_plays
from pbem.player.lookback.words import audit_words, status_of, verdict_of
from pbem.protocol.audit import Report, audit
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record.kinds.open import OPEN
from tests.verifier.node import verify_all
from tests.world import World, accepted, secret

THREE = ("anna", "burt", "curt")
SHOWN = "no record can show"


def judged(world: World) -> tuple[Report, list[JsonObject]]:
    """The audit, and the second verifier's epochs; both say the same of every epoch's parts and draws."""
    report, theirs = audit(world.lines), verify_all({"match": world.lines})["match"]
    assert (report.faults, theirs["faults"]) == ([], [])
    opened = [epoch for epoch in report.epochs if not epoch.burned]
    epochs = [epoch for epoch in theirs["epochs"] if not epoch["burned"]]
    assert [(list(epoch.served), list(epoch.unknown), dict(epoch.draws)) for epoch in opened] == [
        (epoch["served"], epoch["unknown"], epoch["draws"]) for epoch in epochs
    ]
    return report, epochs


def parts(report: Report, number: int) -> tuple[set[str], set[str], set[str]]:
    """Of an epoch: the seats whose part a page made, those of whom that is unknown, and its labels."""
    epoch = next(epoch for epoch in report.epochs if epoch.number == number)
    return set(epoch.served), set(epoch.unknown), set(epoch.draws)


def deal(world: World, number: int) -> None:
    """Play until that epoch is dealt."""
    while len(world.record.index.of_kinds((OPEN.name,), world.head.seq)) < number:
        assert world.move()


def test_a_host_who_serves_no_page_is_judged_as_ever() -> None:
    report, _ = judged(World("wyatt-earp", THREE).start())
    assert parts(report, 1) == (set(), set(), {"fair"})
    assert SHOWN not in audit_words(report, (), ())


def test_one_part_from_elsewhere_is_enough_and_whether_it_was_from_elsewhere_is_said_as_unknown() -> None:
    """Who changed the page can leave the word out: so what a seat does not say proves nothing, and that is shown."""
    world = World("wyatt-earp", THREE, page=True, in_page={"burt"}).start()
    report, _ = judged(world)
    assert parts(report, 1) == ({"burt"}, {"anna", "curt"}, {"fair"})
    words = audit_words(report, (), ())
    assert "burt made their part of the shuffle in it (deals 1)" in words
    assert "it made the parts of anna, curt too (deals 1), no record can show" in words
    while not (cards := [label for label in audit(world.lines).labels if label.kind == "card"]):
        assert world.move()
    assert f"made the part of anna, curt too, {SHOWN}" in card_proof(world.record.ledger, cards[0])["text"]


def test_where_all_play_in_the_page_nothing_is_fair() -> None:
    """The page could have shown the host every part before the deck was laid."""
    world = World("wyatt-earp", THREE, plays="anna", page=True, in_page=THREE).start()
    report, epochs = judged(world)
    assert parts(report, 1) == ({"burt", "curt"}, set(), {"bound only"})
    assert set(epochs[0]["draws"]) == {"bound only"}
    assert "the host could have chosen their draws" in audit_words(report, (), ())
    hosted = host_plays(world.record, {})
    assert hosted is not None
    assert "Anna also serves a web app to play in" in hosted
    assert "No record can show whether one did" in hosted
    assert "as another player's part" not in hosted, "that stands in its place"


def test_an_undeclared_page_is_recognised_by_who_plays_in_it() -> None:
    report, _ = judged(World("wyatt-earp", THREE, in_page={"burt"}).start())
    assert parts(report, 1) == ({"burt"}, {"anna", "curt"}, {"fair"})


def test_a_playing_hosts_undeclared_page_is_recognised_from_the_first_file_that_was_made_in_it() -> None:
    """A match from a folder that went into a service: genesis names no page, and a friend takes the seat in it."""
    without = World("wyatt-earp", THREE, plays="anna").start()
    world = World("wyatt-earp", THREE, plays="anna", in_page={"burt"}).start()
    first = next(line.seq for line in world.record.lines if b'"served":true' in line.raw)
    for record, upto, paged in (
        (without.record, None, False),
        (world.record, first - 1, False),
        (world.record, first, True),
        (world.record, None, True),
    ):
        hosted = host_plays(record, {}, upto=upto)
        assert hosted is not None
        assert ("also serves a web app to play in" in hosted) == paged
        assert ("as another player's part" in hosted) == (not paged)
    for lines, declared in ((without.lines, False), (world.lines, True)):
        notes = " ".join(verify_all({"match": lines})["match"]["notes"])
        assert ("also serves a web app" in notes) == declared


def rekeyed(world: World, seat: str, name: str) -> None:
    """New keys from a program that the host does not serve."""
    new = Identity(secret(name))
    while world.record.missing_links:
        accepted(world.ready(world.record.missing_links[0]))
    accepted(world.send(world.rekey_file(seat, world.people[Seat(seat)].sign_key, new)))
    world.people[Seat(seat)] = new


def test_nothing_makes_a_label_lighter_once_a_page_was_there() -> None:
    """Genesis names no page, and who played in one has keys from elsewhere now: another could have opened it too."""
    world = World("wyatt-earp", THREE, in_page={"burt"}).start()
    world.in_page = ()
    rekeyed(world, "burt", "burt at a terminal")
    deal(world, 3)
    report, _ = judged(world)
    assert parts(report, 3)[:2] == (set(), set(THREE))


def test_chains_from_before_the_page_are_named_from_the_first_file_on_that_was_made_in_it() -> None:
    """A match in a folder goes into a service: what was dealt before stays as it was."""
    world = World("wyatt-earp", THREE).start()
    deal(world, 2)
    world.in_page = {"curt"}
    rekeyed(world, "curt", "curt in a browser")
    deal(world, 4)
    report, _ = judged(world)
    assert parts(report, 2)[:2] == (set(), set())
    assert parts(report, 4)[:2] == ({"curt"}, {"anna", "burt"})


def test_the_verdict_names_who_could_have_chosen() -> None:
    """*Everything is proven* stands in no match in which somebody could."""
    world = World("wyatt-earp", THREE, page=True, in_page={"burt"}, seed="page to the end").start().play()
    report = audit(world.lines)
    assert (report.ended, report.faults, report.counts.get("bound only", 0)) == (True, [], 0)
    verdict = verdict_of(report)
    assert verdict.startswith("Every card and every die is proven; deals 1, ")
    assert "could have been chosen by the host, if their web app made every part" in verdict
    assert status_of(report) == "so far"


def test_a_page_has_a_seats_old_chain_too_and_new_keys_from_elsewhere_end_that() -> None:
    world = World("wyatt-earp", ("anna", "burt"), page=True, in_page={"burt"}).start()
    assert "served" not in world.turn_file("burt")["body"], "it is said once"
    world.in_page = ()
    new = Identity(secret("burt at a terminal"))
    while world.record.missing_links:
        accepted(world.ready(world.record.missing_links[0]))
    accepted(world.send(world.rekey_file("burt", world.people[Seat("burt")].sign_key, new)))
    world.people[Seat("burt")] = new
    deal(world, 3)
    report, _ = judged(world)
    assert parts(report, 2)[:2] == ({"burt"}, {"anna"}), "announced before the new keys"
    assert parts(report, 3)[:2] == (set(), {"anna", "burt"})
