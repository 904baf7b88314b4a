"""Wyatt Earp for two to four players: every rule row A–P, every option of section 17.

``GAME`` is the registry's entry. Rule rows are those of the rules reference; the vocabulary of actions, events,
positions and views is that of ``schemas/wyatt-earp/``.

::

    deck ─ options ─ actions ─ events       what there is
    state                                   what a match is, and what the seat to act sees of it
    targets ─ conditions ─ legality         what it takes to be allowed, and what may be done
    transition ─ duel, ending, shots, turn  what is done
    view ─ position_json, imagine           who may know what
    order_facts ─ orders ─ order_words      said in advance
    player ─ advice, words                  by the machine, by a person
    discard ─ filling                       what everybody can play on from, hidden cards filled in
    rules ─ game                            the faces that ``pbem.game`` describes
"""

from pbem.games.wyatt_earp.game import WyattEarp

GAME = WyattEarp()
