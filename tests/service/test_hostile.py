"""Three thousand hostile mails beside two honest matches; the long run is ``python -m tests.service.hostile``."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.mail.look import look
from tests.service.hostile import Run, check


@pytest.mark.slow
def test_three_thousand_hostile_mails_cost_honest_players_little(tmp_path: Path) -> None:
    out = Run(tmp_path, 7, look).go(3000, burst=5, beside=50)
    check(out)
    assert out.files > 100
    assert out.states["shunted"] > 1500


def test_a_few_hostile_mails_cost_honest_players_nothing_at_all(tmp_path: Path) -> None:
    out = Run(tmp_path, 3, look).go(50, warm=4)
    assert out.beside
    assert out.states["shunted"] > 20
