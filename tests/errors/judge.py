"""What the host reads when a file is refused: each kind of damage, and each move that the rules forbid."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from tests.cli.test_bad_input import BAD, NO_HASH, Damage, signed

if TYPE_CHECKING:
    from tests.errors.stage import Stage


_STRANGERS: Final[dict[str, tuple[Damage, str]]] = {
    "another match": (lambda friends, file: signed(friends, {**file["body"], "game": NO_HASH}), "ignored"),
    "a seat that is not there": (
        lambda friends, file: signed(friends, {**file["body"], "seat": "zoe"}, by="zoe"),
        "ignored",
    ),
    "another player's key": (
        lambda friends, file: signed(
            friends, file["body"], by={"anna": "burt"}.get(file["body"]["seat"], "anna")
        ),
        "ignored",
    ),
}
"""What is not answered at all: the host alone reads of it."""


def refusals(stage: Stage) -> str:
    """Every damaged file of ``tests.cli.test_bad_input``, with the code for programs and the sentence for people."""
    friends = stage.friends
    seat = friends.status()["waiting"]["seat"]
    turn = json.loads(friends.sign(seat, "turn", "draw", "supply", "--again").read_bytes())
    parts = []
    for name, (damage, code) in {**BAD, **_STRANGERS}.items():
        refusal = friends.host("advance", "-", stdin=damage(friends, turn))
        parts.append(f"# {name}: {code}\n{refusal.out.splitlines()[0]}\n(exit {refusal.code})")
    return stage.steady("\n\n".join(parts)) + "\n"
