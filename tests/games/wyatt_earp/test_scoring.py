"""Scoring against the reference algorithm of the rules (section 7), written out again here."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.game import PUBLIC, JsonObject
from pbem.games.wyatt_earp import GAME
from pbem.games.wyatt_earp.deck import OUTLAW_NAMES
from pbem.games.wyatt_earp.options import Options, bind_options
from pbem.games.wyatt_earp.scoring import score_poster
from tests.games.wyatt_earp.table import rules_for

DEFAULTS = bind_options(GAME.resolve_options("default", {}))
POINTS = st.lists(st.integers(0, 14), min_size=2, max_size=4)
POTS = st.integers(0, 25).map(lambda n: n * 1000)


def reference(cp: list[int], pot: int) -> list[int]:
    """The default profile, step by step as the rules have it."""
    paid = [0] * len(cp)
    if sum(cp) < 8:
        return paid
    lead = max(cp)
    second = sorted(cp)[-2]
    if lead - second >= 5:
        paid[cp.index(lead)] = pot
        return paid
    tiers = [
        [p for p, c in enumerate(cp) if c == value]
        for value in sorted({c for c in cp if c > 0 and c >= lead - 4}, reverse=True)
    ]
    first = True
    while pot > 0:
        for i, tier in enumerate(tiers):
            due = 2000 if first and i == 0 else 1000
            need = due * len(tier)
            if pot >= need:
                for p in tier:
                    paid[p] += due
                pot -= need
            elif len(tier) == 1:
                paid[tier[0]] += pot
                pot = 0
            else:
                return paid
            if pot == 0:
                return paid
        first = False
    return paid


@settings(max_examples=400)
@given(POINTS, POTS)
def test_payments_are_those_of_the_reference_algorithm(cp: list[int], pot: int) -> None:
    """Rows: G2, G3, G4, G5, G6, G7, G8, G9, G10."""
    captured, paid = score_poster(DEFAULTS, tuple(cp), pot)
    assert captured == (sum(cp) >= 8)
    assert list(paid) == reference(cp, pot)


@settings(max_examples=300)
@given(
    POINTS,
    POTS,
    st.builds(
        replace,
        st.just(DEFAULTS),
        tie_payment=st.sampled_from(["block", "split"]),
        single_shortfall=st.sampled_from(["take_rest", "block"]),
        zero_cp_shares=st.booleans(),
        capture_min=st.sampled_from([8, 9]),
        sharers=st.sampled_from(["within_four", "everybody"]),
    ),
)
def test_under_any_option_nobody_is_paid_more_than_there_is_and_more_points_are_never_paid_less(
    cp: list[int], pot: int, options: Options
) -> None:
    """Rows: G8, G9, tie_payment=split, single_shortfall=block, zero_cp_shares=true."""
    captured, paid = score_poster(options, tuple(cp), pot)
    assert sum(paid) <= pot
    assert all(amount >= 0 and amount % 1000 == 0 for amount in paid)
    if not captured:
        assert sum(paid) == 0
    for place, points in enumerate(cp):
        for other, fewer in enumerate(cp):
            if points == fewer:
                assert paid[place] == paid[other]
            if points > fewer:
                assert paid[place] >= paid[other]


@pytest.mark.parametrize(
    ("limit", "money", "paid"),
    [("none", 143000, 2000), (150000, 140000, 2000), (150000, 142000, 1000), (150000, 143000, 0)],
)
def test_a_play_earns_what_the_bank_still_has(limit: object, money: int, paid: int) -> None:
    """Rows: A14, D9, bank_limit=150000. Seven posters of 1000 lie there, too."""
    rules = rules_for(2, bank_limit=limit)
    position: JsonObject = {
        "phase": "play",
        "hands": {"anna": ["jesse-james"] * 3 + ["hideout"], "burt": 2},
        "money": {"burt": money},
    }
    lay = rules.action_from_json({"do": "lay", "outlaw": "jesse-james", "count": 3})
    step = rules.apply(rules.position_from_json(position), lay)
    assert rules.position_to_json(step.state)["posters"]["jesse-james"] == 1000 + paid
    assert rules.event_to_json(step.events[0], PUBLIC)["reward"] == paid


@pytest.mark.parametrize("single_shortfall", ["take_rest", "block"])
@pytest.mark.parametrize("pot", [0, 1000, 2000, 3000, 7000])
@pytest.mark.parametrize("points", [(9, 4, 0), (2, 8, 3), (0, 0, 8), (13, 8, 8)])
def test_a_lead_of_five_takes_the_whole_poster(
    points: tuple[int, ...], pot: int, single_shortfall: str
) -> None:
    """Rows: G3, single_shortfall=block. Also a poster too short for a first share (``bank_limit``)."""
    paid = tuple(pot if cp == max(points) else 0 for cp in points)
    assert score_poster(replace(DEFAULTS, single_shortfall=single_shortfall), points, pot) == (True, paid)


@pytest.mark.parametrize(
    ("points", "zero_shares", "paid"),
    [
        ((4, 4, 0), False, (2000, 2000, 0)),
        ((4, 4, 0), True, (2000, 2000, 1000)),
        ((4, 4, 1), False, (2000, 2000, 1000)),
        ((4, 4, 1), True, (2000, 2000, 1000)),
        ((6, 6, 1), True, (2000, 2000, 0)),
        ((6, 6, 2), False, (2000, 2000, 1000)),
    ],
)
def test_who_has_a_point_shares_if_it_is_near_enough(
    points: tuple[int, ...], zero_shares: bool, paid: tuple[int, ...]
) -> None:
    """Rows: G4, G5, zero_cp_shares=true."""
    assert score_poster(replace(DEFAULTS, zero_cp_shares=zero_shares), points, 5000) == (True, paid)


def test_a_share_that_is_split_is_at_most_what_is_due() -> None:
    """Rows: G8, tie_payment=split."""
    options = replace(DEFAULTS, tie_payment="split")
    assert score_poster(options, (4, 4, 2), 3000)[1] == (1000, 1000, 0)
    assert score_poster(options, (6, 6, 6), 5000)[1] == (1000, 1000, 1000)
    assert score_poster(options, (4, 4, 4), 3000)[1] == (1000, 1000, 1000)
    assert score_poster(options, (6, 5, 5), 3000)[1] == (2000, 0, 0)
    assert score_poster(options, (4, 4, 4, 4), 7000)[1] == (1000, 1000, 1000, 1000)


@pytest.mark.parametrize(
    ("points", "pot", "near", "everybody"),
    [
        ((9, 6, 2), 6000, (4000, 2000, 0), (3000, 2000, 1000)),
        ((9, 6, 0), 6000, (4000, 2000, 0), (4000, 2000, 0)),
        ((9, 4, 2), 6000, (6000, 0, 0), (6000, 0, 0)),
        ((6, 6, 1), 5000, (2000, 2000, 0), (2000, 2000, 1000)),
    ],
)
def test_the_italian_text_lets_all_who_have_points_share(
    points: tuple[int, ...], pot: int, near: tuple[int, ...], everybody: tuple[int, ...]
) -> None:
    """Rows: G4, G5, sharers=within_four, sharers=everybody. A clear leader takes all the same (G3)."""
    assert score_poster(DEFAULTS, points, pot) == (True, near)
    assert score_poster(replace(DEFAULTS, sharers="everybody"), points, pot) == (True, everybody)


@pytest.mark.parametrize("first", OUTLAW_NAMES)
def test_posters_are_scored_round_the_circle_from_the_one_agreed_on(first: str) -> None:
    """Rows: A15, first_poster=belle-starr, first_poster=billy-the-kid, first_poster=bob-dalton,
    first_poster=butch-cassidy, first_poster=jesse-james, first_poster=sundance-kid, first_poster=wes-hardin.

    Both reach $25,000 by one poster each: whose is scored first has won (end_condition=first_to_25000).
    """
    rules = rules_for(2, first_poster=first, end_condition="first_to_25000")
    state = rules.position_from_json(
        {
            "phase": "play",
            "hands": {"anna": ["butch-cassidy"], "burt": 1},
            "territories": {
                "anna": {"billy-the-kid": {"outlaws": 4}},
                "burt": {"sundance-kid": {"outlaws": 4}},
            },
            "money": {"anna": 24000, "burt": 24000},
        }
    )
    step = rules.apply(state, rules.action_from_json({"do": "discard", "card": "butch-cassidy"}))
    events = [rules.event_to_json(event, PUBLIC) for event in step.events]
    scored = [event["outlaw"] for event in events if event["event"] == "poster-scored"]
    at = OUTLAW_NAMES.index(first)
    assert scored == [*OUTLAW_NAMES[at:], *OUTLAW_NAMES[:at]][: len(scored)]
    winner = "burt" if 1 < at <= 5 else "anna"
    assert events[-1]["winners"] == [winner]
    assert scored[-1] == {"anna": "billy-the-kid", "burt": "sundance-kid"}[winner]
