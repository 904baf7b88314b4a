"""``pbem.base.values.dataclass`` does what the standard library's does, class by class and method by method."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, fields, replace
from functools import partial
from itertools import product
from typing import Any

import pytest

from pbem.base import values


def _classes(maker: Callable[..., Any]) -> dict[str, Any]:
    @maker(frozen=True, slots=True)
    class Card:
        """A card."""

        suit: str
        rank: int = 3
        marks: tuple[str, ...] = ()
        notes: list[str] = field(default_factory=list, compare=False, repr=False)

    @maker(frozen=True, slots=True)
    class Joker(Card):
        colour: str = "red"

    @maker(frozen=True, slots=True)
    class OneField:
        """OneField field."""

        value: float

    @maker(frozen=True, slots=True)
    class Nothing:
        """No field."""

    @maker(frozen=True, slots=True, order=True)
    class Place:
        """Has an order."""

        row: int
        column: int = 0

    @maker(slots=True)
    class Pile:
        """May change."""

        cards: list[str] = field(default_factory=list)
        seen: int = field(default=0, init=False)

    @maker
    class Loose:
        """No slots, a method of its own, and something to do afterwards."""

        name: str
        inner: Any = None

        def __repr__(self) -> str:
            return f"<{self.name}>"

        def __post_init__(self) -> None:
            self.name = self.name.upper()

    @maker(frozen=True)
    class Cached:  # noqa: PLW1641 - what then becomes of its hash is looked at
        """Frozen without slots, and equal by a rule of its own."""

        name: str
        size: int = 1

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self)) and other.name == self.name

    return {each.__name__: each for each in (Card, Joker, OneField, Nothing, Place, Pile, Loose, Cached)}


OURS, THEIRS = _classes(values.dataclass), _classes(dataclasses.dataclass)
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Card", ("heart",), {}),
    ("Card", ("heart", 4), {"marks": ("x",), "notes": ["n"]}),
    ("Card", (), {}),
    ("Card", ("heart",), {"colour": "red"}),
    ("Joker", ("heart", 1, ()), {"colour": "black"}),
    ("OneField", (float("nan"),), {}),
    ("OneField", (1.0,), {}),
    ("Nothing", (), {}),
    ("Place", (1,), {}),
    ("Place", (1, 2), {}),
    ("Pile", (), {}),
    ("Pile", (["a"],), {}),
    ("Loose", ("anna",), {"inner": 3}),
    ("Cached", ("anna",), {"size": 2}),
    ("Cached", ("anna",), {}),
]


def _tried(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except (TypeError, AttributeError) as fault:
        return type(fault).__name__, str(fault)


def _refused(work: Callable[[], Any]) -> bool:
    """Whether it cannot be done; the standard library has two errors for it, depending on its own version."""
    return isinstance(_tried(work), tuple)


def _of(classes: dict[str, Any], name: str, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """What can be seen of one value."""
    value = _tried(lambda: classes[name](*given, **named))
    if isinstance(value, tuple):
        return value
    first = fields(value)[0].name if fields(value) else "none"
    return (
        _tried(lambda: repr(value)),
        _tried(lambda: hash(value)),
        [getattr(value, field.name) for field in fields(value)],
        _tried(lambda: repr(replace(value))),
        _tried(lambda: repr(copy.copy(value))),
        _refused(lambda: setattr(value, "other", 1)),
        _refused(lambda: setattr(value, first, 1)),
        _refused(lambda: delattr(value, "rank")),
        hasattr(value, "__dict__"),
    )


@pytest.mark.parametrize(("name", "given", "named"), CALLS)
def test_a_value_is_what_the_standard_library_makes(
    name: str, given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    ours, expected = _classes(values.dataclass), repr(_of(THEIRS, name, given, named))
    for _ in range(10):  # the first few, and those that compiled code fills
        assert repr(_of(ours, name, given, named)) == expected


def _makes(cls: Any, given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    return not _refused(lambda: cls(*given, **named))


def test_values_compare_as_the_standard_librarys() -> None:
    def seen(classes: dict[str, Any]) -> list[Any]:
        values = [
            classes[name](*given, **named)
            for name, given, named in CALLS
            if _makes(classes[name], given, named)
        ]
        results: list[Any] = []
        for first, other in product(values, values):
            results.append(first == other)
            try:
                results.append((first < other, first <= other, first > other, first >= other))
            except TypeError:
                results.append(None)
        return results

    assert seen(OURS) == seen(THEIRS)


@pytest.mark.parametrize("name", list(OURS))
def test_a_class_is_what_the_standard_library_makes(name: str) -> None:
    ours, theirs = OURS[name], THEIRS[name]
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__match_args__ == theirs.__match_args__
    assert [(field.name, field.type, field.init, field.repr, field.compare) for field in fields(ours)] == [
        (field.name, field.type, field.init, field.repr, field.compare) for field in fields(theirs)
    ]
    assert ours.__doc__
    assert getattr(ours, "__slots__", None) == getattr(theirs, "__slots__", None)


def test_a_field_of_a_frozen_value_stays() -> None:
    card = OURS["Card"]("heart")
    with pytest.raises(FrozenInstanceError, match="rank"):
        card.rank = 5
    with pytest.raises(FrozenInstanceError, match="rank"):
        del card.rank
    assert card.rank == 3


@values.dataclass(frozen=True, slots=True)
class Kept:
    """Can be found by name, so that it can be pickled."""

    name: str
    size: int = 1


def test_a_frozen_value_travels() -> None:
    assert pickle.loads(pickle.dumps(Kept("anna", 2))) == Kept("anna", 2)  # noqa: S301 - its own bytes
    assert copy.deepcopy([Kept("anna")]) == [Kept("anna")]


def test_a_value_that_holds_itself_can_be_described() -> None:
    loose = OURS["Pile"]()
    loose.cards.append(loose)
    assert "..." in repr(loose)


def _replaced(by: Callable[..., Any], value: Any, changes: dict[str, Any]) -> Any:
    try:
        return repr(by(value, **changes))
    except (TypeError, ValueError, AttributeError) as fault:
        return type(fault).__name__, str(fault)


@pytest.mark.parametrize("classes", [OURS, THEIRS], ids=["ours", "theirs"])
@pytest.mark.parametrize("name", sorted(OURS))
def test_a_value_is_replaced_as_by_the_standard_library(classes: dict[str, Any], name: str) -> None:
    tried = [_tried(partial(classes[name], *given, **named)) for kind, given, named in CALLS if kind == name]
    accepted = [value for value in tried if isinstance(value, classes[name])]
    assert accepted
    for value in accepted:
        for changes in ({}, {"no_such": 1}, *({item.name: 7} for item in fields(value))):
            assert _replaced(values.replace, value, changes) == _replaced(replace, value, changes)
