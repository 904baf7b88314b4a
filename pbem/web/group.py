"""The people one plays with, over all matches of this device: wins, money, the best shot, and who is waited for.

From the records alone: whoever has the same copies sees the same table. People go by their names, since each match has
keys of its own; practice does not count.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from pbem.base.language import Language
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.letters.environment import Style, macros, one_line
from pbem.player.play.words import Words
from pbem.protocol.record import Record
from pbem.protocol.record.standing import Over, awaited_in


@dataclass
class Friend:
    """One of them: ``best`` is the chance of the least likely shot or throw that hit."""

    name: str
    matches: int = 0
    won: int = 0
    dollars: int = 0
    waited: int = 0
    """Matches that wait for them now."""
    best: tuple[int, int] | None = None

    def hit(self, chance: tuple[int, int]) -> None:
        """A shot of theirs hit."""
        if self.best is None or Fraction(*chance) < Fraction(*self.best):
            self.best = chance


def group_of(records: Iterable[Record], language: Language) -> list[JsonObject]:
    """Everybody, who has won most first."""
    friends: dict[str, Friend] = {}
    for record in records:
        _count(record, friends, language)
    words = Words(language)
    rows = sorted(friends.values(), key=lambda one: (-one.won, -one.dollars, one.name))
    return [
        {
            "name": row.name,
            "matches": row.matches,
            "won": row.won,
            "figure": language.dollars(row.dollars),
            "best": "" if row.best is None else words("chance", hits=row.best[0], of=row.best[1]),
            "waited": row.waited,
        }
        for row in rows
    ]


def _count(record: Record, friends: dict[str, Friend], language: Language) -> None:
    at = {seat: friends.setdefault(name.casefold(), Friend(name)) for seat, name in record.names.items()}
    over = record.standing if isinstance(record.standing, Over) else None
    waited = awaited_in(record.standing)
    amounts = _amounts(record, language)
    for seat, one in at.items():
        one.matches += 1
        one.won += over is not None and seat in over.outcome.get("winners", ())
        one.waited += seat in waited
        one.dollars += amounts.get(seat, 0)
    for line in record.lines:
        steps = line.body.get("steps", ())
        for shot in record.rules.trials(steps, record.moment(line.seq - 1).public) if steps else ():
            if shot.success and shot.seat in at:
                at[shot.seat].hit(shot.chance)


def _amounts(record: Record, language: Language) -> dict[Seat, int]:
    """What everybody has now, by the game's own count; nothing before anything is dealt."""
    view = record.public
    if view is None:
        return {}
    setup = record.rules.setup
    context = {
        "view": view,
        "summary": record.rules.summary(view),
        "me": "",
        "who": str,
        "seats": setup.seats,
    }
    said = macros(Style.TEXT, record.game_info.id, "touch.jinja", {**context, "setup": setup}, language)
    return {seat: int(one_line(said.amount(seat)) or 0) for seat in record.seats}
