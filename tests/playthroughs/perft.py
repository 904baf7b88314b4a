"""Perft: how many ways there are to act n times from a fixed position (after chess engines' move counts).

A ``.perft`` file holds positions, each a block of lines ``name: value``; ``depth n`` is the count of
sequences of n actions. Chance answers by a key made of its label, so that a count is a number. A match that
is over before n actions counts nothing further.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pbem.game import AnyRules, Chance, JsonObject, Seat, Setup, Terminal
from tests.conformance.keyed import Keyed
from tests.toy import find_any

FOLDER = Path(__file__).resolve().parent


@dataclass
class Block:
    """One position with its counts by depth."""

    title: str
    seats: tuple[Seat, ...]
    options: JsonObject
    position: JsonObject
    counts: dict[int, int] = field(default_factory=dict)

    def rules(self, game_id: str) -> AnyRules:
        game = find_any(game_id)
        options = game.resolve_options("default", self.options)
        return game.rules(Setup(self.seats, options, game.default_extra(self.seats), max(game.info.versions)))

    def text(self) -> str:
        lines = [
            f"title: {self.title}",
            f"seats: {' '.join(self.seats)}",
            f"options: {json.dumps(self.options)}",
            f"position: {json.dumps(self.position)}",
            *(f"depth {depth}: {count}" for depth, count in sorted(self.counts.items())),
        ]
        return "\n".join(lines) + "\n"


def path_of(game_id: str) -> Path:
    """Where a game's counts are kept."""
    return FOLDER / f"{game_id}.perft"


def blocks(text: str) -> list[Block]:
    """The blocks of a ``.perft`` file."""
    blocks = []
    for part in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in part.splitlines())
        counts = {
            int(name.removeprefix("depth ")): int(lines[name]) for name in lines if name.startswith("depth ")
        }
        seats = tuple(map(Seat, lines["seats"].split()))
        block = Block(
            lines["title"], seats, json.loads(lines["options"]), json.loads(lines["position"]), counts
        )
        blocks.append(block)
    return blocks


def counted(game_id: str, block: Block, depth: int) -> int:
    """The number of sequences of ``depth`` actions."""
    rules = block.rules(game_id)
    return _count(rules, rules.position_from_json(block.position), depth)


def _count(rules: AnyRules, state: Any, depth: int) -> int:
    while isinstance(node := rules.node(state), Chance):
        state = rules.resolve(state, Keyed(f"perft {node.draw.label}").outcome(node.draw)).state
    if isinstance(node, Terminal):
        return 0
    legal = rules.legal_actions(rules.observe(state, node.seat))
    if depth == 1:
        return len(legal)
    return sum(_count(rules, rules.apply(state, action).state, depth - 1) for action in legal)
