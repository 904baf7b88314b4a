"""German Whist, a third game for pbem: two players, hidden hands, no dice.

::

    model               rules as rows; cards, state, events, views
    rules               the engine: what may be done, its result, who may know what
    codec               how all of it is spelled in files
    game                the registry's entry
    schemas/            what actions, events, views, orders and positions may look like
    templates/          how a person reads it; locale/ in four languages
"""

from __future__ import annotations

from german_whist.game import GAME

__all__ = ["GAME"]
