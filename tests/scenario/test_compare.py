"""Comparing as scenarios do: named members only, defaults, multisets, sets, counts, subsequences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.game import Json, JsonObject
from pbem.protocol.scenario.expect import Mismatch, check_events, check_no_events, check_subset, matches

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "hands"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_everything_agrees_with_itself(value: Json) -> None:
    assert matches(value, value)


@given(st.dictionaries(st.sampled_from("abcde"), VALUES, min_size=1), st.data())
def test_leaving_members_out_of_what_is_expected_keeps_the_agreement(
    value: JsonObject, data: st.DataObject
) -> None:
    kept = data.draw(st.sets(st.sampled_from(sorted(value))))
    assert matches({name: value[name] for name in kept}, value)


@pytest.mark.parametrize("default", [0, False, None, [], {}, {"a": 0, "b": {"c": []}}])
@pytest.mark.parametrize("other", [0, False, None, [], {}, {"a": None}])
def test_a_default_agrees_with_every_default_and_with_what_is_left_out(default: Json, other: Json) -> None:
    assert matches({"x": default}, {"x": other})
    assert matches({"x": default}, {})


@pytest.mark.parametrize("expected", [0, False, None, []])
@pytest.mark.parametrize("actual", [1, True, "anna", ["a"], {"a": 1}])
def test_a_default_does_not_agree_with_something(expected: Json, actual: Json) -> None:
    if expected == [] or not isinstance(actual, list):
        assert not matches({"x": expected}, {"x": actual})
    assert not matches({"x": actual}, {"x": expected})


def test_one_is_not_true_and_text_is_not_a_number() -> None:
    assert not matches(1, True)
    assert not matches(True, 1)
    assert not matches("1", 1)


@pytest.mark.parametrize("hand", [["a", "b", "a"], ["b", "a", "a"], 3])
def test_a_hand_is_a_multiset_or_a_number(hand: Json) -> None:
    assert matches({"hands": {"anna": hand}}, {"hands": {"anna": ["a", "a", "b"]}})


@pytest.mark.parametrize("hand", [["a", "b"], ["a", "b", "b"], 2, ["a", "a", "b", "b"]])
def test_another_hand_does_not_agree(hand: Json) -> None:
    assert not matches({"hands": {"anna": hand}}, {"hands": {"anna": ["a", "a", "b"]}})


@pytest.mark.parametrize("pile", ["supply", "discard"])
def test_a_pile_is_in_order_top_first_or_a_number(pile: str) -> None:
    assert matches({pile: ["b", "a"]}, {pile: ["b", "a"]})
    assert matches({pile: 2}, {pile: ["b", "a"]})
    assert not matches({pile: ["a", "b"]}, {pile: ["b", "a"]})
    assert not matches({pile: ["b"]}, {pile: ["b", "a"]})
    assert not matches({pile: 1}, {pile: ["b", "a"]})


def test_used_boxes_and_opened_outlaws_are_sets() -> None:
    for name in ("used_boxes", "opened"):
        assert matches({name: ["b", "a"]}, {name: ["a", "b"]})
        assert not matches({name: ["a"]}, {name: ["a", "b"]})


def test_null_means_that_a_group_is_not_there() -> None:
    group = {"outlaws": 0, "photo": False, "hideout": False}
    assert matches(
        {"territories": {"anna": {"wes-hardin": None}}}, {"territories": {"anna": {"wes-hardin": group}}}
    )
    held = {"anna": {"wes-hardin": {**group, "photo": True}}}
    assert not matches({"territories": {"anna": {"wes-hardin": None}}}, {"territories": held})
    assert not matches({"towns": {"abilene": {"farmer": None}}}, {"towns": {"abilene": {"farmer": "curt"}}})
    assert not matches({"towns": {"abilene": {"farmer": "curt"}}}, {"towns": {"abilene": {}}})


def test_the_difference_names_its_place_and_both_sides() -> None:
    with pytest.raises(Mismatch, match=r"^position\.money\.anna: expected 3, got 2$"):
        check_subset({"money": {"burt": 0, "anna": 3}}, {"money": {"anna": 2, "burt": 0}}, "position")
    with pytest.raises(Mismatch, match=r"^position\.active: expected \"anna\", got nothing$"):
        check_subset({"active": "anna"}, {}, "position")


EVENTS: list[JsonObject] = [
    {"event": "a", "n": 1, "cp": {"anna": 2, "burt": 0}},
    {"event": "b", "n": 2},
    {"event": "a", "n": 3},
]


@pytest.mark.parametrize(
    "expected",
    [
        [],
        [{"event": "a"}],
        [{"event": "a"}, {"event": "a"}],
        [{"event": "a"}, {"event": "b"}, {"event": "a", "n": 3}],
        [{"event": "a", "cp": {"anna": 2}}],
        [{"n": 2}, {"event": "a"}],
    ],
)
def test_expected_events_may_have_others_between(expected: list[JsonObject]) -> None:
    check_events(expected, EVENTS)


@pytest.mark.parametrize(
    "expected",
    [
        [{"event": "c"}],
        [{"event": "b"}, {"event": "b"}],
        [{"event": "a", "n": 3}, {"event": "b"}],
        [{"event": "a", "cp": {"anna": 1}}],
        [{"event": "a"}, {"event": "a"}, {"event": "a"}],
    ],
)
def test_events_that_are_missing_or_out_of_order_are_a_difference(expected: list[JsonObject]) -> None:
    with pytest.raises(Mismatch, match="events"):
        check_events(expected, EVENTS)


def test_a_partial_event_that_must_not_occur() -> None:
    check_no_events([{"event": "c"}, {"event": "a", "n": 2}], EVENTS)
    with pytest.raises(Mismatch, match=r"not_events 2: expected no event like"):
        check_no_events([{"event": "c"}, {"event": "a", "n": 3}], EVENTS)
