"""Wyatt Earp for two to four players: every rule row A–P, every option of section 17.

``GAME`` is the registry's entry. Rule rows are those of the rules reference; the vocabulary of actions, events,
positions and views is that of ``actions-and-scenarios.md``.

::

    cards ─ options ─ actions ─ events      what there is
    state                                   what a match is, and what the seat to act sees of it
    targets ─ legal ─ faults                what may be done, and why not
    transition ─ duel, ending, shots, turn  what is done
    views ─ table_json, position, view_json, imagine   who may know what
    orders, player, words                   said in advance, by the machine, by a person
    rules                                   the faces that ``pbem.game`` describes
"""

from __future__ import annotations

from pbem.games.wyatt_earp.rules import WyattEarp

GAME = WyattEarp()
