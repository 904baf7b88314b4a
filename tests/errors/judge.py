"""What the host reads when a file is refused: each kind of damage, and each move that the rules forbid."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli.test_bad_input import BAD

if TYPE_CHECKING:
    from tests.errors.stage import Stage


def refusals(stage: Stage) -> str:
    """Every damaged file of ``tests.cli.test_bad_input``, with the code for programs and the sentence for people."""
    friends = stage.friends
    seat = friends.status()["waiting"]["seat"]
    turn = json.loads(friends.sign(seat, "turn", "draw", "supply", "--again").read_bytes())
    parts = []
    for name, (damage, code) in BAD.items():
        told = friends.host("advance", "-", stdin=damage(friends, turn))
        parts.append(f"# {name}: {code}\n{told.out.splitlines()[0]}\n(exit {told.code})")
    return stage.steady("\n\n".join(parts)) + "\n"
