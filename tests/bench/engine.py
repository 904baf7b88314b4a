"""What rules and computer players cost: a list of Wyatt Earp, a strong decision, an action against the host's step."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final

from pbem.bots.labels import STRONG
from pbem.game import AnyRules, Chance, Decision
from pbem.player.store import GameFile, Mark
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import HostOpenings
from pbem.protocol.referee import Accepted, receive
from tests.bench.measure import aimed, interleaved, ratio
from tests.bench.strength import play, rules_for
from tests.conformance.keyed import Keyed
from tests.world import World

GAMES: Final = {"wyatt-earp": 4, "way-out-west": 5}
"""As many seats as a match can have: most is to be decided there."""
LIST, DECISION = 40e-6, 50e-3
"""Seconds that a list of Wyatt Earp's legal actions and a decision of the strong player may take."""
POSITIONS, REPEAT = 300, 20


def positions(rules: AnyRules) -> Iterator[tuple[Any, Any]]:
    """States in which somebody decides, and what the rules suggest there; match after match."""
    for number in range(POSITIONS):
        state, dice = rules.initial_state(), Keyed(f"engine/{number}")
        while isinstance(node := rules.node(state), Chance | Decision):
            if isinstance(node, Chance):
                state = rules.resolve(state, dice.outcome(node.draw)).state
                continue
            action = rules.suggest(rules.observe(state, node.seat))
            yield state, action
            state = rules.apply(state, action).state


def lists() -> None:
    """A list of legal actions in Wyatt Earp."""
    rules = rules_for("wyatt-earp", GAMES["wyatt-earp"])
    views = []
    for (state, _), _ in zip(positions(rules), range(POSITIONS), strict=False):
        node = rules.node(state)
        assert isinstance(node, Decision)
        views.append(rules.observe(state, node.seat))
    times = interleaved({"lists": lambda: [rules.legal_actions(view) for view in views]}, clock=process_time)
    taken = [seconds / len(views) / LIST for seconds in times["lists"].rounds]
    aimed("wyatt-earp: a list / 40 µs", median(taken), min(taken), max(taken), 1)


def decisions() -> None:
    """A decision of the strong player, in whole matches among its like."""
    for game, seats in GAMES.items():
        rules = rules_for(game, seats)
        taken = []
        for number in range(5):
            result = play(rules, [STRONG.name] * seats, f"engine/{number}", limit=60)
            taken.append(result.spent[STRONG.name] / result.asked[STRONG.name] / DECISION)
        aimed(f"{game}: a decision of `{STRONG.name}` / 50 ms", median(taken), min(taken), max(taken), 1)


def steps() -> None:
    """An action that the rules carry out, against all that a host does for a file with a turn."""
    for game, seats in GAMES.items():
        rules = rules_for(game, seats)
        pairs = [pair for pair, _ in zip(positions(rules), range(POSITIONS), strict=False)]
        world = World(game, rules.setup.seats, seed="bench").start().play(30)
        file = world.next_file()
        assert file is not None
        with TemporaryDirectory() as folder:
            game_file, mark = GameFile(Path(folder) / "game.jsonl"), [Mark.EMPTY]
            parts = {
                "actions": partial(_carry_out, rules, pairs),
                "step": partial(_steps, world, canon(file), game_file, mark),
            }
            times = interleaved(parts)
        each = [100 * part * REPEAT / POSITIONS for part in ratio(times, "actions", "step")]
        aimed(f"{game}: an action / the host's step, in percent", each[0], each[1], each[2], 1)


def _carry_out(rules: AnyRules, pairs: list[tuple[Any, Any]]) -> None:
    for state, action in pairs:
        rules.apply(state, action)


def _steps(world: World, raw: bytes, game_file: GameFile, mark: list[Mark]) -> None:
    for _ in range(REPEAT):
        record = world.record.fork()
        assert record.replay is not None
        record.replay.openings = HostOpenings(world.host, record.lines[0])
        ruled = receive(record, world.host, raw, world.now)
        assert isinstance(ruled, Accepted), ruled
        mark[0] = game_file.append([line.raw for line in ruled.lines], expected=mark[0])


def main() -> None:
    """All three."""
    print("engines")
    lists()
    decisions()
    steps()
