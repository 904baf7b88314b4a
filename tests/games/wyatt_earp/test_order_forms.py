"""Standing orders: what is of the vocabulary, and what is not."""

from __future__ import annotations

import json

import pytest

from pbem.game import JsonObject, MalformedAction
from tests.games.wyatt_earp.ordering import (
    BAD_ORDERS,
    GOOD_ORDERS,
    PASS,
    SUPPLY,
    order,
    rule,
)
from tests.games.wyatt_earp.table import rules_for


@pytest.mark.parametrize("good", GOOD_ORDERS, ids=json.dumps)
def test_an_order_of_the_vocabulary_is_accepted(good: JsonObject) -> None:
    rules_for(3).check_order(good)


@pytest.mark.parametrize("bad", BAD_ORDERS, ids=lambda bad: json.dumps(bad)[:60])
def test_an_order_outside_the_vocabulary_is_refused(bad: JsonObject) -> None:
    with pytest.raises(MalformedAction):
        rules_for(3).check_order(bad)


def test_the_rule_that_is_wrong_is_shown_by_its_number() -> None:
    for number in (1, 2):
        wrong = order(*[rule("draw", SUPPLY)] * (number - 1), rule("draw", PASS), rule("draw", SUPPLY))
        with pytest.raises(MalformedAction, match=f"^orders, rules {number}, do: "):
            rules_for(3).check_order(wrong)


def test_an_order_may_have_64_rules() -> None:
    rules_for(3).check_order(order(*[rule("draw", SUPPLY)] * 64))
