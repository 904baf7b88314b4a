"""A second table, kept from the events alone: do they hold the whole story, and does nothing get lost?

``Shadow`` knows no rules. It moves counters and money as the events say; after every step it must show what the
position shows, and money (players + reserve) and counters (map + stock + out of the game) must add up.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from pbem.game import JsonObject
from pbem.games.way_out_west.board import ASSETS, COUNTERS
from pbem.games.way_out_west.rules import WayOutWestRules
from pbem.games.way_out_west.state import Position, on_map, stock


class Shadow:
    """Counters and money as the events give them."""

    def __init__(self, rules: WayOutWestRules) -> None:
        seats = rules.setup.seats
        self.cash = dict.fromkeys(map(str, seats), rules.match.start_cash)
        self.reserve = 0
        self.wanted: Counter[str] = Counter()
        self.counters: Counter[tuple[str, str, str]] = Counter()
        """(seat, what, town) → how many."""
        self.owners: dict[tuple[str, str], str] = {}
        self.farmers: dict[str, str] = {}
        self.fight: JsonObject = {}
        self.bids: dict[str, int] = {}

    def pay(self, seat: str, amount: int) -> None:
        """To the reserve, or from it."""
        self.cash[seat] -= amount
        self.reserve += amount

    def take(self, event: JsonObject) -> None:
        """One event."""
        getattr(self, "_" + event["event"].replace("-", "_"), lambda _: None)(event)

    def _dropped_out(self, event: JsonObject) -> None:
        self.pay(event["seat"], event["paid"])
        self.bids[event["seat"]] = event["paid"]

    def _turn_order(self, event: JsonObject) -> None:
        paid = event.get("paid", {})
        for seat, amount in paid.items():
            if seat not in self.bids:
                self.pay(seat, amount)
        self.bids = {}

    def _placed(self, event: JsonObject) -> None:
        self.pay(event["seat"], event["paid"])
        if event["what"] == "farmer":
            assert event["town"] not in self.farmers
            self.farmers[event["town"]] = event["seat"]
        elif event["what"] in ASSETS:
            assert (event["what"], event["town"]) not in self.owners
            self.owners[event["what"], event["town"]] = event["seat"]
        else:
            self.counters[event["seat"], event["what"], event["town"]] += 1

    def _moved(self, event: JsonObject) -> None:
        self.counters[event["seat"], event["what"], event["from"]] -= event["count"]
        self.counters[event["seat"], event["what"], event["to"]] += event["count"]

    def _toll(self, event: JsonObject) -> None:
        self.pay(event["to"], -event["amount"])

    def _income(self, event: JsonObject) -> None:
        self.pay(event["seat"], -event["amount"])

    def _returned(self, event: JsonObject) -> None:
        self.counters[event["seat"], event["what"], event["town"]] -= event["count"]

    def _gunfight(self, event: JsonObject) -> None:
        self.fight = event

    def _killed(self, event: JsonObject) -> None:
        seat = self.fight["attacker" if event["side"] == "attack" else "defender"]
        if event["what"] == "cowboy":
            self.counters[seat, "cowboy", self.fight["town"]] -= event["count"]

    def _retreated(self, event: JsonObject) -> None:
        town = self.fight["town"]
        self.counters[event["seat"], "cowboy", town] -= len(event["to"]) + event["lost"]
        for other in event["to"]:
            self.counters[event["seat"], "cowboy", other] += 1

    def _captured(self, event: JsonObject) -> None:
        if event["what"] == "cattle":
            self.counters[event["from"], "cattle", event["town"]] -= 1
            self.counters[event["seat"], "cattle", event["town"]] += 1
        else:
            assert self.owners[event["what"], event["town"]] == event["from"]
            self.owners[event["what"], event["town"]] = event["seat"]

    def _removed(self, event: JsonObject) -> None:
        if event["what"] == "farmer":
            del self.farmers[event["town"]]
        else:
            del self.owners[event["what"], event["town"]]

    def _robbed(self, event: JsonObject) -> None:
        self.cash[event["from"]] -= event["amount"]
        self.cash[event["seat"]] += event["amount"]

    def _wanted(self, event: JsonObject) -> None:
        self.wanted[event["seat"]] += 1
        if event["from"] != "supply":
            self.wanted[event["from"]] -= 1

    def compare(self, rules: WayOutWestRules, position: Position) -> None:
        """The position shows what the events show, and everything is accounted for."""
        shown: dict[str, Any] = rules.position_to_json(position)
        assert shown["cash"] == self.cash
        assert sum(self.cash.values()) + self.reserve == rules.match.start_cash * len(self.cash)
        assert shown["wanted"] == {seat: self.wanted[seat] for seat in self.cash}
        assert sum(self.wanted.values()) <= rules.match.board.wanted
        for town, expected in shown["towns"].items():
            for piece, name in (("cowboy", "cowboys"), ("cattle", "cattle")):
                counters = {
                    seat: self.counters[seat, piece, town]
                    for seat in self.cash
                    if self.counters[seat, piece, town]
                }
                assert expected[name] == counters, (town, piece)
            owners = {asset: owner for (asset, at), owner in self.owners.items() if at == town}
            assert expected["assets"] == owners
            assert expected.get("farmer") == self.farmers.get(town)
        self._add_up(rules, position)

    def _add_up(self, rules: WayOutWestRules, position: Position) -> None:
        for seat in range(len(rules.setup.seats)):
            for piece in COUNTERS:
                left = stock(rules.match, position, seat, piece)
                assert left >= 0
                assert left + on_map(position.towns, seat, piece) == rules.match.board.counters[piece]
            assert position.cash[seat] >= 0
            assert position.farmers[seat] + sum(town.farmer == seat for town in position.towns) <= 1
        for plan, town in zip(rules.match.board.towns, position.towns, strict=True):
            assert town.corrals_taken <= plan.corrals
            assert town.size <= plan.buildings
            assert min(*town.cowboys, *town.cattle) >= 0
