"""Every vector file by name, with the function that makes its cases."""

from __future__ import annotations

from collections.abc import Callable

from tests.vectors import cases_draws, cases_files, cases_text
from tests.vectors.fixed import Cases

FILES: dict[str, Callable[[], Cases]] = {
    "json": cases_text.strict_json,
    "turn": cases_files.turn,
    "record": cases_files.record,
    "packet": cases_files.packet,
    "sealed": cases_files.sealed,
    "chain": cases_draws.chains,
    "cut": cases_draws.cuts,
    "shot": cases_draws.shots,
    "roll": cases_draws.rolls,
    "reshuffle": cases_draws.reshuffles,
    "close": cases_draws.closes,
    "measure": cases_files.measure,
    "armour": cases_text.armours,
    "identity": cases_text.identities,
}
