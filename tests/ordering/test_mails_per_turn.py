"""Fewer mails: the aims on a smaller number of matches, and the count held against a match that was really sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.resources import data_dir
from pbem.game import JsonObject, Seat
from pbem.host.demo import Demo, DemoResult
from pbem.player.world import SeededEntropy, StepClock
from pbem.protocol.record.play import SeedChance
from tests.bench.mails_per_turn import AIM, ENVELOPE, Group, play
from tests.bench.paper import Given, Paper, Sent, days
from tests.ordering.playing import THREE, Ordered
from tests.world import World

ANNA, BURT, CURT = map(Seat, THREE)


def group(game: str, seats: int, matches: int, given: Given) -> Group:
    groups = [play(game, seats, 1000 + number, given) for number in range(matches)]
    return Group(game, seats, given, groups)


@pytest.mark.parametrize(("game", "seats"), [("wyatt-earp", 2), ("wyatt-earp", 4), ("way-out-west", 3)])
def test_with_orders_the_aim_is_met_and_without_it_is_not(game: str, seats: int) -> None:
    ordered = group(game, seats, 3, Given.ADVISED)
    assert ordered.per_turn <= AIM[game]
    assert max(count.longest for count in ordered.counts) <= ENVELOPE, "no order shows its length"
    without = group(game, seats, 1, Given.NONE)
    assert without.per_turn > 2 * AIM[game]
    assert without.mean("days") > 2 * ordered.mean("days")


@pytest.mark.parametrize("game", ["wyatt-earp", "way-out-west"])
def test_the_count_is_that_of_a_match_really_sent(game: str) -> None:
    """The same chance, the same players, through referee, signatures and seals: file for file the same match."""
    match = Ordered(World(game, THREE, seed="paper").start()).play()
    record, world = match.world.record, match.world
    assert record.over
    openings = record.replay.openings if record.replay else None
    assert openings is not None

    def source(epoch: int) -> SeedChance:
        seed = openings.seed(epoch)
        assert seed is not None
        return SeedChance(record.game, epoch, seed, record.ledger.epochs[epoch].entropy)

    paper = Paper(record.rules, source, Given.ADVISED).run()
    assert paper.files == match.files
    assert deeds(paper.steps) == deeds([s for line in world.record.lines for s in line.body.get("steps", ())])


def deeds(steps: list[JsonObject]) -> list[JsonObject]:
    return [
        {"by": s["by"] == "order", "seat": s["seat"], "action": s["action"]} for s in steps if "seat" in s
    ]


def test_days_at_one_mail_a_day() -> None:
    seats = (ANNA, BURT, CURT)

    def took(*awaited: Seat | tuple[Seat, ...]) -> int:
        return days(
            [Sent(recipient if isinstance(recipient, tuple) else (recipient,)) for recipient in awaited],
            seats,
        )

    assert took(ANNA, BURT, CURT) == 1
    assert took(CURT, BURT, ANNA) == 3
    assert took(ANNA, ANNA, ANNA) == 3
    assert took((CURT, ANNA, BURT)) == 1
    assert took(BURT, (ANNA, BURT), CURT) == 2


def test_the_table_is_kept_with_its_command() -> None:
    page = data_dir("schemas").parent / "examples" / "mails-per-turn.md"
    text = page.read_text(encoding="utf-8")
    assert "python -m tests.bench.mails_per_turn --matches 200" in text
    assert text.count("**met**") == 2


@pytest.mark.slow
def test_the_demo_with_orders_takes_fewer_files_and_is_proven(tmp_path: Path) -> None:
    """Everybody acts from their folder and their emails alone; their client checks each use before it signs again."""

    def demo(name: str, *, orders: bool) -> DemoResult:
        clock = StepClock("2026-11-21T18:00:00Z")
        return Demo(
            "wyatt-earp",
            2,
            tmp_path / name,
            clock,
            lambda who: SeededEntropy("orders", who),
            closes=1,
            orders=orders,
        ).run()

    with_orders, without = demo("with", orders=True), demo("without", orders=False)
    assert with_orders.report.ok, with_orders.report.faults
    assert with_orders.files < without.files
    steps = [step for line in with_orders.record.lines for step in line.body.get("steps", ())]
    assert any(step["by"] == "order" for step in steps)
