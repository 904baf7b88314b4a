"""What a game's own values in a record may look like: events, actions and the public view, by the game's schemas.

A host signs what he likes. Whoever reads a record afterwards (a letter, a page, a table, the rules engine) may rely on
these members having the form of the match's game, with its names and no others (schemas/README.md §11, 1).
"""

from __future__ import annotations

from pbem.base.shapes.schema import narrowed
from pbem.game import JsonObject
from pbem.protocol.record.ledger import Ledger


def check_game_form(ledger: Ledger, body: JsonObject) -> None:
    """Return if the result in this record, if there is one, is made of values of the match's game.

    Raises:
        FormatError: the first that is none, and where.
    """
    if "steps" not in body:
        return
    game = ledger.entry.info.id
    words = ledger.rules.words
    view, event = narrowed(f"{game}/view", words), narrowed(f"{game}/event", words)
    action = narrowed(f"{game}/action", words, public=True)
    for number, step in enumerate(body["steps"]):
        if "action" in step:
            action.validate(step["action"], ("body", "steps", number, "action"), bulk=True)
        for index, happened in enumerate(step["events"]):
            event.validate(happened, ("body", "steps", number, "events", index), bulk=True)
    view.validate(body["public"], ("body", "public"), bulk=True)
