"""Which seat an invitation is for: what is said counts first, then the email, then the name."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.player.seat.joining import seat_to_join
from tests.world import NAMES, World

INVITE = Path("invitation.eml")


def test_what_is_said_counts_before_the_letter_and_the_letter_before_the_name() -> None:
    record = World("wyatt-earp", NAMES[:3]).record
    assert seat_to_join(record, INVITE, "burt", "Anna", "CURT") == "curt"
    assert seat_to_join(record, INVITE, "burt", "Anna", None) == "burt"
    assert seat_to_join(record, INVITE, "", "Anna", None) == "anna"
    for nobodys in ("Zoë", "Анна"):
        with pytest.raises(UsageProblem) as fault:
            seat_to_join(record, INVITE, "", nobodys, None)
        assert "anna|burt|curt" in fault.value.hint
