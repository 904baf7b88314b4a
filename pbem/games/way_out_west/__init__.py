"""Way Out West for three to five players: every rule row A–Q, every option, any board that agrees with the rules.

``GAME`` is the registry's entry. Rule rows are those of the rules reference; the vocabulary of actions, events,
positions and views is that of ``schemas/way-out-west/``. Nothing is hidden but money, where an option says so.

::

    board ─ options ─ actions ─ events      what there is
    state                                   what a match is, and what follows from it by counting
    forms ─ usable ─ listing, moving        what may be done
    boxes, declaring ─ legality             and why not
    course ─ draft ─ box_actions            what is done
    sides ─ gunfight ─ results              gunfights, from the declaration to who leaves town
    scoring                                 income and points
    action_json, position_json              how it is written
    order_facts ─ orders ─ order_words      said in advance
    player, worth ─ advice, offers, words   by the machine, by a person
    odds, summary, groups                   shown to people
    purse                                   hidden money, reckoned from what everybody saw
    board_check                             for whoever types in a printed map
    rules ─ game                            the faces that ``pbem.game`` describes
"""

from pbem.games.way_out_west.game import GAME

__all__ = ["GAME"]
