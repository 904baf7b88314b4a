"""Carrying every attack out, and the table of the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbem.base.values import dataclass
from pbem.game import JsonObject
from tests.attacks import (
    host_draws,
    host_file,
    host_people,
    host_plays,
    host_says,
    left_out,
    outsiders,
    players,
    retaken,
    ruin,
    seats,
    thieves,
)
from tests.attacks.attack import ATTACKS, NOBODY, Attack, Notice
from tests.attacks.stage import USUAL, stages_of
from tests.attacks.witness import Noticed, witnesses

MODULES = (
    host_draws,
    host_file,
    host_people,
    host_plays,
    host_says,
    left_out,
    outsiders,
    players,
    retaken,
    ruin,
    seats,
    thieves,
)
"""Imported for the attacks that they register, in the order of the table."""


@dataclass(frozen=True, slots=True)
class AttackRow:
    """The result of one attack in one game. Without an occasion (``game`` is empty) nobody could try."""

    attack: Attack
    game: str
    noticed: tuple[Noticed, ...]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Who noticed, and when."""
        return tuple(notice.notice for notice in self.noticed)

    @property
    def kept(self) -> bool:
        """Whether that is what the protocol promises."""
        return not self.game or self.notices == self.attack.promise

    def to_json(self) -> JsonObject:
        """For programs."""
        return {
            "by": self.attack.by,
            "attack": self.attack.name,
            "game": self.game,
            "noticed": [{"who": n.notice[0], "when": n.notice[1], "how": n.how} for n in self.noticed],
            "promised": [{"who": who, "when": when} for who, when in self.attack.promise],
            "kept": self.kept,
            "words": self.attack.words,
        }


def run_attack(attack: Attack, games: Sequence[str], seats: int = USUAL) -> AttackRow:
    """Carry one attack out on the first of these games that offers an occasion, with so many seats."""
    for game in games:
        for stage in stages_of(game, seats):
            scene = attack.make(stage)
            if scene is not None:
                return AttackRow(attack, game, tuple(witnesses(stage, scene)))
    return AttackRow(attack, "", ())


def _silent(_: str) -> None:
    """No progress is reported."""


def run_attacks(
    games: Sequence[str], progress: Callable[[str], None] = _silent, *, seats: int = USUAL
) -> list[AttackRow]:
    """Carry every attack out; ``progress`` is called with its name before."""
    rows = []
    for attack in ATTACKS:
        progress(attack.title)
        rows.append(run_attack(attack, games, seats))
    return rows


def cells(row: AttackRow) -> tuple[str, str, str, str]:
    """Who cheats, how, who notices, when."""
    who = " · ".join(dict.fromkeys(notice[0] for notice in row.notices))
    when = " · ".join(dict.fromkeys(notice[1] for notice in row.notices))
    return row.attack.by, row.attack.name, who, when


def markdown(rows: Sequence[AttackRow]) -> str:
    """The table of examples/cheats.md, and below it what nobody can notice, in words."""
    tried = [row for row in rows if row.game]
    table = ["| Who cheats | How | Who notices | When |", "|---|---|---|---|"]
    table += ["| " + " | ".join(cells(row)) + " |" for row in tried]
    open_ends = [f"* {sentence(row)}" for row in tried if row.notices == (NOBODY,)]
    return "\n".join([*table, "", "What nobody can notice, and what to do about it:", "", *open_ends])


def sentence(row: AttackRow) -> str:
    """One cheat in words a player understands."""
    title = row.attack.title
    return f"{title[0].upper()}{title[1:]}: {row.attack.words[0].lower()}{row.attack.words[1:]}"
