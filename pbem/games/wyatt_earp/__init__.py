"""Wyatt Earp for two to four players: every rule row A–P, every option of section 17.

``GAME`` is the registry's entry. Rule rows are those of the rules reference; the vocabulary of actions, events,
positions and views is that of ``schemas/wyatt-earp/``.

::

    deck, actions              what there is: the cards, actions and events; what everybody remembers of cards
    state                      what a match is, its options, and what each seat and viewer knows of it
    conditions ─ legality      the conditions of each action, and the list of legal ones
    ending ─ turn              what is done: turns and shots, the end of a hand, the duel
    position_json              positions and views as JSON; figures for people
    filling                    full states around what is public, hidden cards filled in; the odds of a shot
    orders                     standing orders
    player                     the computer player and its standing orders
    words, groups              actions as people type them, see them listed and touch them
    rules ─ game               the interfaces of ``pbem.game``
"""

from pbem.games.wyatt_earp.game import WyattEarp

GAME = WyattEarp()
