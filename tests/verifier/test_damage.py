"""Damaged files: both verifiers refuse each, and name the same record and step where a signature still stands."""

from __future__ import annotations

import json

import pytest

from pbem.protocol.audit import audit
from tests.verifier.damage import (
    byte_damage,
    changed_values,
    forged,
    in_action,
    rolled,
    small,
    some_values,
)
from tests.verifier.node import verify_all
from tests.verifier.verdicts import found_by_js, found_by_python, same_place


def hold_both(files: dict[str, list[bytes]], *, exactly: bool) -> None:
    """Hold both verifiers' verdicts against each other; ``exactly``: also where the first fault is."""
    theirs = verify_all(files)
    for name, lines in files.items():
        ours = found_by_python(audit(lines, engine=False))
        js = found_by_js(theirs[name])
        assert bool(ours) == bool(js), (name, ours[:4], js[:4])
        if exactly:
            assert same_place(ours, js, in_action=in_action(name)), (name, ours[:4], js[:4])


@pytest.mark.parametrize("world", [small, rolled])
def test_one_bit_byte_or_piece_changed_anywhere(world: object) -> None:
    files = byte_damage((small if world is small else rolled)(), range(100))
    hold_both(files, exactly=False)
    assert not any(audit(lines, engine=False).ok for lines in files.values())


@pytest.mark.slow
def test_many_damaged_files() -> None:
    """Two thousand by ``tests.verifier.side_by_side``."""
    for world in (small(), rolled()):
        hold_both(byte_damage(world, range(1000, 1040)), exactly=False)


# --- one value at a time, signed by the host -----------------------------------------------------------------


@pytest.mark.parametrize("world", [small, rolled])
def test_one_value_changed_and_signed_again(world: object) -> None:
    hold_both(some_values((small if world is small else rolled)(), 120, "a"), exactly=True)


@pytest.mark.slow
def test_many_values_changed_and_signed_again() -> None:
    """More by ``tests.verifier.side_by_side``."""
    for world in (small(), rolled()):
        hold_both(some_values(world, 80, "b"), exactly=True)


def test_json_of_the_damage_is_what_it_says() -> None:
    world = small()
    name, (index, path, value) = next(iter(changed_values(world).items()))
    lines = forged(world, index, path, value)
    assert lines is not None, name
    member = json.loads(lines[index])["body"]
    for part in path:
        member = member[part]
    assert member == value
