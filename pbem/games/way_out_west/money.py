"""Hidden money (``money_public=false``), reckoned from what everybody saw: every payment is an event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem import game
from pbem.games.way_out_west.state import Match, View


class FollowedMoney:
    """One record with what was remembered before it (``pbem.game.Followed``): ``{"cash": by seat}``, if it is hidden.

    Memory is empty before the match (A3).
    """

    def __init__(self, match: Match, memory: game.JsonObject, steps: Sequence[game.JsonObject]) -> None:
        self._match, self._memory, self._steps = match, memory, steps

    @property
    def remembered(self) -> game.JsonObject:
        """See ``pbem.game.Followed.remembered``."""
        return self._memory if self._match.options.money_public else {"cash": self._cash(self._steps)}

    def filled(self, view: View, at: int) -> game.Filled:
        """The position: nothing is hidden but dice to come."""
        if self._match.options.money_public:
            return game.Filled(view.position)
        cash = self._cash(self._steps[:at])
        return game.Filled(view.position._replace(cash=tuple(cash[seat] for seat in self._match.seats)))

    def _cash(self, steps: Sequence[game.JsonObject]) -> dict[str, int]:
        cash = dict(self._memory.get("cash") or dict.fromkeys(self._match.seats, self._match.start_cash))
        for step in steps:
            for event in step["events"]:
                for seat, amount in _payments(event):
                    cash[seat] += amount
        return cash


def _payments(event: game.JsonObject) -> Iterator[tuple[str, int]]:
    """Who got how much by an event; less than nothing where somebody paid."""
    match event["event"]:
        case "dropped-out" | "placed" | "box-paid":
            yield event["seat"], -event["paid"]
        case "turn-order" if "paid" in event:  # who dropped out has paid already (B8)
            yield event["order"][0], -event["paid"][event["order"][0]]
        case "toll":
            yield event["to"], event["amount"]
        case "income":
            yield event["seat"], event["amount"]
        case "robbed":
            yield event["from"], -event["amount"]
            yield event["seat"], event["amount"]
        case _:
            pass
