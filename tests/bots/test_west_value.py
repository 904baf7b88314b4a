"""What a cowboy is worth to whoever may buy cattle where he stands: gate open, and a corral box left."""

from __future__ import annotations

import pytest

from pbem.bots.west_value import TASTE, Valuer
from pbem.games.way_out_west.state import is_open, vacant_corrals
from tests.conformance.driver import Case, states


@pytest.mark.parametrize("gate", ["next_lower", "all_lower"])
def test_a_cowboy_may_buy_where_the_gate_is_open_and_a_box_is_vacant(gate: str) -> None:
    """The judgement with and without the worth of a buyer differs by just that, in every position of a match."""
    case = Case("way-out-west", 5, options=(("cattle_gate", gate),), decisions=600)
    match = case.rules().match  # type: ignore[attr-defined]
    valuer, without = Valuer(match), Valuer(match, TASTE._replace(buyer=0.0))
    met = set()
    for table in states(case):
        times = valuer.times(table)
        bonus = TASTE.buyer * min(1.0, times.turns / 2)
        expected = [0.0] * len(table.cash)
        for at, town in enumerate(table.towns):
            vacant = vacant_corrals(match, table.towns, at) > 0
            opened = is_open(match, table.towns, at)
            for seat, cowboys in enumerate(town.cowboys):
                if cowboys:
                    met.add((vacant, opened))
                    expected[seat] += bonus * (vacant and opened)
        pairs = zip(valuer.points(table, times), without.points(table, times), strict=True)
        assert [whole - less for whole, less in pairs] == pytest.approx(expected)
    assert met >= {(True, True), (True, False), (False, True)}
