"""Every cheat that we know of, carried out on a real match; who notices, and when (the table of examples/cheats.md).

An attack is a function that cheats with the real parts of the product: it signs with real keys, forges with the host's
own secret, sends to the real referee. What it leaves behind is shown to every role's own check. Nothing in the table
is asserted: it is what came out, and a row that is not what the protocol promises is a fault of the product.

In: the cheats, the match they are tried on, who noticed each, the table. Out: the tools that change and sign
records (``tests.forge``), the checks themselves, which are the product's own. Called by: cli.
"""

from __future__ import annotations

from tests.attacks.attack import ATTACKS, Aftermath, Attack, Notice
from tests.attacks.stage import Stage, stage_of
from tests.attacks.table import AttackRow, cells, markdown, run_attack, run_attacks, sentence
from tests.attacks.witness import Noticed, witnesses

__all__ = [
    "ATTACKS",
    "Aftermath",
    "Attack",
    "AttackRow",
    "Notice",
    "Noticed",
    "Stage",
    "cells",
    "markdown",
    "run_attack",
    "run_attacks",
    "sentence",
    "stage_of",
    "witnesses",
]
