"""Random matches of both games as game files, with what people do beside playing: talk, orders, being late, pauses.

The matches go through the referee in memory and are not looked at further: they are here to be verified. ``number``
alone says which match it is; game, seats, options and everything that happens follow from it.
"""

from __future__ import annotations

import random
from typing import Any

from pbem.base.errors import PbemError
from pbem.game import GameInfo, JsonObject, MalformedAction, Seat
from pbem.games import GAMES
from pbem.protocol.record import Deadlines
from pbem.protocol.referee import Held, perform_default
from tests.world import NAMES, World, accepted

INFO = {game.info.id: game.info for game in GAMES}
LONGEST = 2500
WHOLE = 8
"""One match in so many is played to its end; the others stop somewhere: matches in play are judged, too."""


def kinds() -> list[tuple[str, int]]:
    """Every game with every number of seats."""
    return [(info.id, count) for info in INFO.values() for count in info.seats]


def random_options(rng: random.Random, info: GameInfo) -> JsonObject:
    """In one match of two every option is as usual; else each is changed with one chance in six."""
    if rng.random() < 0.5:
        return {}
    return {name: rng.choice(values) for name, values in info.options.items() if rng.random() < 1 / 6}


def new_match(number: int) -> tuple[World, random.Random]:
    """The match of this number, everybody ready."""
    rng = random.Random(f"verifier {number}")
    game, count = kinds()[number % len(kinds())]
    info = INFO[game]
    world = World(
        game,
        NAMES[:count],
        options=random_options(rng, info),
        profile=rng.choice(list(info.profiles)),
        reveal="match" if rng.random() < 0.1 else "epoch",
        deadlines=Deadlines(excused=rng.choice((0, 0, 2))),
        seed=f"verifier {number}",
    )
    return world.start(), rng


def random_match(number: int) -> World:
    """One random match, to its end or to some point before."""
    world, rng = new_match(number)
    for _ in range(LONGEST if number % WHOLE == 0 else rng.randrange(20, 120)):
        if world.record.over:
            break
        waiting = world.record.waiting
        if waiting is None:
            accepted(world.ready(world.record.missing_links[0]))
        elif rng.random() < 0.02:
            beside(world, rng, waiting["seat"])
        else:
            act(world, rng, waiting["seat"])
    return world


def legal(world: World, rng: random.Random) -> Any:
    """A legal action: first the kind, then one of it, so that the many moves do not crowd out the rest."""
    rules: Any = world.record.rules
    state = world.record.table.state
    seat = rules.node(state).seat
    by_kind: dict[type, list[Any]] = {}
    for action in rules.legal_actions(rules.observe(state, seat)):
        by_kind.setdefault(type(action), []).append(action)
    return rng.choice(rng.choice(list(by_kind.values())))


def act(world: World, rng: random.Random, seat: str) -> None:
    """One turn file with one action, perhaps with orders, talk, and a second action that was meant for later."""
    rules = world.record.rules
    actions = [rules.action_to_json(legal(world, rng))]
    if rng.random() < 0.05:
        actions.append(rules.action_to_json(legal(world, rng)))  # often illegal by then: the file stops there
    more: JsonObject = {}
    if rng.random() < 0.05:
        more["say"] = rng.choice(("Howdy", "Ça va?", "看牌", "Reach for the sky 🤠"))
    if rng.random() < 0.1:
        more["orders"] = {
            "rules": [{"when": question_of(world), "do": rules.action_to_json(legal(world, rng))}]
        }
    accepted_or_said(world, seat, actions, more)


def question_of(world: World) -> str:
    """The word by which orders know what is asked now."""
    waiting = world.record.waiting
    assert waiting is not None
    return str(waiting["phase"])


def accepted_or_said(world: World, seat: str, actions: list[JsonObject], more: JsonObject) -> None:
    """Send the file; what the checker of the sender or the host refuses is sent again without the extras.

    Orders for a question that takes none, or more sealed than a seat may have until the close: the sender's own program
    says so. Who has no space left for a secret choice, after sixty turns of one hand, waits for the default.
    """
    for some, extras in ((actions, more), (actions, {}), (actions[:1], {"leave_orders": True})):
        try:
            ruling = world.turn(seat, *some, **extras)
        except (PbemError, MalformedAction):
            continue
        break
    else:
        default(world, seat)
        return
    if type(ruling).__name__ == "Refused":
        accepted(world.turn(seat, actions[0]))


def beside(world: World, rng: random.Random, awaited: str) -> None:
    """Something that is no move: talk, a default after the time is up, a pause of some hours, an absence."""
    match rng.randrange(4):
        case 0:
            accepted(world.turn(rng.choice(world.seats), say="Are you there?", leave_orders=True))
        case 1:
            default(world, awaited)
        case 2:
            agree(world, world.pause(24 * 30))
            world.tick(rng.randrange(100))
            if rng.randrange(2):
                agree(world, world.pause(rng.randrange(24 * 60)))
                world.tick(rng.randrange(100))
            if world.record.as_of(world.now).ledger.paused is not None:
                agree(world, world.pause(0))
        case _:
            span = {"from": "2026-12-01T00:00:00Z", "until": "2026-12-05T00:00:00Z"}
            accepted(world.send(world.consent(awaited, {"kind": "absence", "seat": awaited, **span})))


def default(world: World, seat: str) -> None:
    """The time of this seat is up."""
    world.tick(24 * 30)
    world.take(perform_default(world.record, world.host, Seat(seat), world.now))


def agree(world: World, terms: JsonObject) -> None:
    """All seats agree to something."""
    files: list[JsonObject] = []
    for seat in world.seats:
        files.append(world.consent(seat, terms))
        ruling = world.send(files[-1], files[:-1])
        assert isinstance(ruling, Held) or seat == world.seats[-1], ruling
    accepted(ruling)
