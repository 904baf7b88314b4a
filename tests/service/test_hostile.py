"""Hundreds of hostile mails beside two honest matches; the long run is ``python -m tests.service.hostile``."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from pbem.player.mail.look import look
from tests.conftest import drop_caches
from tests.service.hostile import Run, check


@pytest.fixture
def alone() -> None:
    """The collector does not look at what other tests left in this process: that would take its time of one mail's."""
    drop_caches()
    gc.freeze()


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_hundreds_of_hostile_mails_cost_honest_players_little(tmp_path: Path) -> None:
    out = Run(tmp_path, 7, look).go(600, burst=5, beside=25)
    check(out)
    assert out.files > 20
    assert out.states["quarantined"] > 300


def test_a_few_hostile_mails_cost_honest_players_nothing_at_all(tmp_path: Path) -> None:
    out = Run(tmp_path, 3, look).go(50, warm=4)
    assert out.beside
    assert out.states["quarantined"] > 20
