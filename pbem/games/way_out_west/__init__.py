"""Way Out West for three to five players: every rule row A–Q, every option, any board that agrees with the rules.

``GAME`` is the registry's entry. Rule rows are those of the rules reference; the vocabulary of actions, events,
positions and views is that of ``schemas/way-out-west/``. Nothing is hidden but money, where an option says so.

::

    board, options, actions       what there is: the map, the options, actions and events
    state                         what a match is, and what follows from it by counting
    boxes ─ legality              what a box costs, and the conditions of each action
    moves ─ listing, foresight    the list of legal actions; what one may name in advance
    draft ─ gunfight, results     what is done: box actions, gunfights, the course of a match
    scoring                       income and points
    position_json                 positions, views and actions as JSON; figures for people
    order_words ─ orders          standing orders and timeout moves
    odds ─ worth ─ player         the computer player and its standing orders
    words, groups                 actions as people type them, see them listed and touch them
    money ─ rules ─ game          the interfaces of ``pbem.game``; hidden money; checks of a board file
"""

from pbem.games.way_out_west.game import GAME

__all__ = ["GAME"]
