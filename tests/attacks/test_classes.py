"""Every attack that once succeeded has others of its class beside it."""

from __future__ import annotations

import pytest

from tests.attacks.classes import CLASSES, LEAST


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_has_members_enough(name: str) -> None:
    members = CLASSES[name].members()
    assert all(members.values())
    assert sum(members.values()) > LEAST
