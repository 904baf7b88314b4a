"""Wyatt Earp for two to four players: every rule row A–P, every option of section 17.

``GAME`` is the registry's entry. Rule rows are those of the rules reference; the vocabulary of actions, events,
positions and views is that of ``schemas/wyatt-earp/``.

::

    deck, options, actions     what there is: the cards, the options, actions and events
    state, views               what a match is, and what each seat and viewer knows of it
    conditions ─ legality      the conditions of each action, and the list of legal ones
    scoring, transition        what a poster pays; a state being changed
    duel ─ ending              what is done at the end of a hand and of the match
    shots ─ turn               what is done in a turn
    position_json              positions and views as JSON; figures for people
    memory ─ filling           what everybody remembers of cards, and full states that agree with it
    imagining, counting        a full state that agrees with a view; the odds of a shot
    orders                     standing orders
    player                     the computer player and its standing orders
    words, groups              actions as people type them, see them listed and touch them
    rules ─ game               the interfaces of ``pbem.game``
"""

from pbem.games.wyatt_earp.game import WyattEarp

GAME = WyattEarp()
