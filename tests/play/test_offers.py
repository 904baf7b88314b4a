"""Whatever the client offers, the referee accepts; and nothing outside what it offers is accepted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice

import pytest

from pbem.game import AnyRules, IllegalAction, JsonObject, MalformedAction, Seat
from pbem.player.play.menu import Menu, MenuEntry, parts_of
from pbem.player.play.trial import TrayState, Trial
from pbem.protocol.client import split_actions
from pbem.protocol.record.play import FileAction, Play, Table
from tests.play.walk import filed, positions

MATCHES = [
    pytest.param("wyatt-earp", 2, "default", {}, 300, id="wyatt-earp-2"),
    pytest.param("wyatt-earp", 3, "default", {}, 540, id="wyatt-earp-3"),
    pytest.param("wyatt-earp", 4, "review", {}, 300, id="wyatt-earp-4-review"),
    pytest.param("wyatt-earp", 3, "italian", {}, 300, id="wyatt-earp-3-italian"),
    pytest.param("wyatt-earp", 2, "french", {"shot_target": "before_shot"}, 240, id="wyatt-earp-2-before-shot"),
    pytest.param("way-out-west", 3, "default", {}, 480, id="way-out-west-3"),
    pytest.param("way-out-west", 5, "default", {}, 360, id="way-out-west-5"),
    pytest.param("way-out-west", 4, "default", {"box_must_act": False}, 180, id="way-out-west-4-blocking"),
    pytest.param("way-out-west", 3, "default", {"money_public": False}, 180, id="way-out-west-3-hidden"),
]  # fmt: skip


_PLAYED: dict[str, tuple[list[tuple[Table, Seat]], Iterator[tuple[Table, Seat]]]] = {}
"""Positions by the words that make them, and what gives the next: the same matches serve every test."""


def many(game: str, seats: int, profile: str, options: JsonObject, count: int) -> list[tuple[Table, Seat]]:
    """The first ``count`` positions of the matches with these words; nobody changes a position."""
    words = f"{game} {seats} {profile} {options}"
    if words not in _PLAYED:
        matches = (positions(game, seats, seed, profile, **options) for seed in range(1, 100))
        _PLAYED[words] = ([], chain.from_iterable(matches))
    moments, ahead = _PLAYED[words]
    moments += islice(ahead, max(0, count - len(moments)))
    assert len(moments) >= count, "too few positions"
    return moments[:count]


def trial_at(table: Table, seat: Seat) -> Trial:
    return Trial(table.rules, seat, table.rules.observe(table.state, seat))


def leaves(menu: Menu) -> list[JsonObject]:
    """Every action that the menu leads to; what was reached in another order is not entered again."""
    actions: list[JsonObject] = []
    entered: set[tuple[tuple[str, str], ...]] = set()
    ahead = [menu]
    while ahead:
        here = ahead.pop()
        for entry in here.entries:
            if entry.action is not None:
                actions.append(entry.action)
            elif (way := tuple(sorted((*here.picked, part_of(entry))))) not in entered:
                entered.add(way)
                ahead.append(here.open(part_of(entry)))
    return actions


def part_of(entry: MenuEntry) -> tuple[str, str]:
    assert entry.part is not None
    return entry.part


def drill(rng: random.Random, menu: Menu) -> JsonObject:
    """Take entries at random until one is an action."""
    while True:
        entry = rng.choice(menu.entries)
        if entry.action is not None:
            return entry.action
        menu = menu.open(part_of(entry))


def said_more(rng: random.Random, trial: Trial, action: JsonObject) -> JsonObject:
    """The action, perhaps with something said in advance."""
    while rng.random() < 0.6 and (extras := trial.extras(action)):
        action = rng.choice(extras)
    return action


def compose(rng: random.Random, trial: Trial) -> Trial:
    """A file as a player might put it together, blind ones included."""
    while trial.options and len(trial.actions) < 8 and rng.random() < 0.85:
        trial = trial.add(said_more(rng, trial, drill(rng, Menu(trial.options))))
    return trial


def as_file(rules: AnyRules, actions: tuple[JsonObject, ...]) -> list[FileAction]:
    """As the client would write it: open up to the first look, sealed after it."""
    openly, sealed = split_actions(rules, actions)
    return [FileAction("file", action) for action in openly] + [
        FileAction("sealed", action) for action in sealed
    ]


@pytest.mark.parametrize(("game", "seats", "profile", "options", "count"), MATCHES)
def test_whatever_is_put_together_is_accepted(
    game: str, seats: int, profile: str, options: JsonObject, count: int
) -> None:
    rng = random.Random(7)
    lengths: Counter[int] = Counter()
    blind = 0
    for table, seat in many(game, seats, profile, options, count):
        trial = compose(rng, trial_at(table, seat))
        if not trial.actions:
            continue
        play = filed(table, seat, as_file(table.rules, trial.actions))
        judge(play, trial)
        lengths[len(trial.actions)] += 1
        blind += trial.revealed and play.applied == len(trial.actions)
    assert len(lengths) > 1
    if game == "wyatt-earp":
        assert blind > count // 20  # files that said what comes after a look, and all of it was done


def judge(play: Play, trial: Trial) -> None:
    """Accepted, and handed back only where somebody else was asked or the epoch ended."""
    if play.stopped is not None:
        assert play.stopped["why"] in ("waiting", "epoch"), (play.stopped, trial.actions)
        assert trial.revealed, (play.stopped, trial.actions)
        assert trial.stopped, trial.actions  # the player was warned that it may come back
    else:
        assert play.applied == len(trial.actions)


@pytest.mark.parametrize(("game", "seats", "profile", "options", "count"), MATCHES)
def test_the_menu_leads_to_every_legal_action_and_to_nothing_else(
    game: str, seats: int, profile: str, options: JsonObject, count: int
) -> None:
    rng = random.Random(11)
    for table, seat in many(game, seats, profile, options, count // 4):
        trial = trial_at(table, seat)
        legal = list(trial.options)
        if len(legal) > 400:
            legal = rng.sample(legal, 400)
        offered = {str(sorted(parts_of(leave))) for leave in leaves(Menu(legal))}
        assert offered == {str(sorted(parts_of(action))) for action in legal}


@pytest.mark.parametrize(("game", "seats", "profile", "options", "count"), MATCHES)
def test_each_single_offer_is_accepted_with_whatever_it_names_in_advance(
    game: str, seats: int, profile: str, options: JsonObject, count: int
) -> None:
    rng = random.Random(13)
    named = 0
    for table, seat in many(game, seats, profile, options, count // 4):
        trial = trial_at(table, seat)
        rules = table.rules
        for action in rng.sample(list(trial.options), min(12, len(trial.options))):
            more = trial.extras(action)
            for offer in [action, *rng.sample(more, min(4, len(more)))]:
                assert trial.allows(offer)
                rules.apply(table.state, rules.action_from_json(offer))
            named += bool(more)
    assert named or game == "way-out-west"


@pytest.mark.parametrize(("game", "seats", "profile", "options", "count"), MATCHES)
def test_nothing_outside_the_offers_and_their_optional_fields_is_accepted(
    game: str, seats: int, profile: str, options: JsonObject, count: int
) -> None:
    rng = random.Random(17)
    positions = many(game, seats, profile, options, count)
    pool: list[JsonObject] = []
    listed: list[set[str]] = []  # the words of what is offered, which take less space than the actions
    for table, seat in positions:
        here = trial_at(table, seat).options
        pool.append(rng.choice(here))
        listed.append({str(sorted(parts_of(action))) for action in here})
    refused = accepted = 0
    for (table, _), offered in zip(positions, listed, strict=True):
        for foreign in rng.sample(pool, 8):
            short = without_optional(foreign, table.rules)
            if str(sorted(parts_of(short))) in offered:
                continue
            try:
                table.rules.apply(table.state, table.rules.action_from_json(foreign))
                accepted += 1
            except (IllegalAction, MalformedAction):
                refused += 1
        assert not accepted, (foreign, sorted(offered)[:5])
    assert refused > count


OPTIONAL = {
    "bank-robbery": ("on",), "stagecoach-robbery": ("on",), "fastest-gun": ("on",), "hideout": ("on", "seat"),
    "wyatt-earp": ("take", "on"), "gunfight": ("plan", "box"), "cattle": ("box",), "cowboys": ("box",),
    "build": ("box",), "move-cowboys": ("box",), "move-cattle": ("box",), "farmer": ("box",), "pass": ("box",),
}  # fmt: skip


def without_optional(action: JsonObject, rules: AnyRules) -> JsonObject:
    """The short form, without what ``action.schema.json`` has as optional; in full if there is none."""
    if rules.setup.options.get("shot_target") == "before_shot":
        return action
    gone = OPTIONAL.get(action["do"], ())
    if action.get("steal"):
        gone = ("outlaw", "seat")
    return {name: value for name, value in action.items() if name not in gone}


def test_the_tray_goes_on_as_long_as_nothing_is_revealed() -> None:
    for table, seat in many("wyatt-earp", 3, "default", {}, 200):
        trial = trial_at(table, seat)
        for action in trial.options:
            after = trial.add(action)
            step = table.rules.apply(table.state, table.rules.action_from_json(action))
            assert after.revealed == trial.reveals(step)
            if after.stage is TrayState.OPEN:
                seen = table.rules.observe(step.state, seat)
                assert after.now == seen


def test_an_action_taken_back_takes_only_those_with_it_that_do_not_fit_any_more() -> None:
    rng = random.Random(19)
    shorter = 0
    for table, seat in many("wyatt-earp", 3, "default", {}, 400):
        trial = compose(rng, trial_at(table, seat))
        for index in range(len(trial.actions)):
            left = trial.without(index)
            kept = iter(trial.actions[:index] + trial.actions[index + 1 :])
            assert all(any(action == other for other in kept) for action in left.actions)
            assert left.actions == left.again(left.actions).actions
            shorter += len(left.actions) < len(trial.actions) - 1
    assert shorter
