"""People of a match that is hosted by the set of containers: by its mail servers, from their invitation to its end.

``python -m tests.service.set_people '{"password": …, "turns": 4, "invited": [{"seat": …, "address": …, "word": …}]}'``,
run where the servers are called ``imap`` and ``smtp``. Prints how many records there were, and how many emails.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence

from pbem.game import Seat
from pbem.protocol.audit import audit
from pbem.protocol.client import compose_consent
from tests.patience import patiently
from tests.service.people import Player
from tests.service.real import Place, Postbox


def until(boxes: Sequence[Postbox], done: Callable[[], bool]) -> None:
    """Everybody reads until it is so."""
    for _ in patiently(lambda: [len(box.player.lines) for box in boxes]):
        if done():
            return
        boxes[0]._box.wait(0.5)
        for box in boxes:
            box.read()


def main(arguments: str) -> None:
    """The whole match."""
    given = json.loads(arguments)
    place = Place({"imaps": 993, "submission": 587}, "/tls/server.pem", password=given["password"])
    domain = given["invited"][0]["address"].partition("@")[2]
    players = [
        Player(invitation["seat"], domain=domain, host=f"games@{domain}") for invitation in given["invited"]
    ]
    boxes = [Postbox(place, player) for player in players]
    until(boxes, lambda: all(player.lines for player in players))
    for box, invitation in zip(boxes, given["invited"], strict=True):
        box.send(box.player.mail(box.player.join(invitation["word"])), f"games@{domain}")
    until(boxes, lambda: all(player.record.ledger.complete for player in players))
    for box in boxes:
        box.send(box.player.mail(box.player.ready()), f"games@{domain}")
    moves = 0
    while (
        moves < given["turns"] or players[0].lines != players[1].lines
    ):  # who does not move gets an email at the end of a turn
        until(boxes, lambda: any(player.asked and player.record.waiting for player in players))
        box = next(box for box in boxes if box.player.asked)
        head = len(box.player.lines)
        box.send(box.player.mail(box.player.move()), f"games@{domain}")
        until(boxes, lambda mine=box.player, before=head: len(mine.lines) > before)  # type: ignore[misc]
        moves += 1
    for box in boxes:
        player = box.player
        player.number += 1
        file = compose_consent(
            player.record, player.identity, Seat(player.seat), player.number, {"kind": "end"}
        )
        box.send(player.mail(file), f"games@{domain}")
    until(boxes, lambda: all(player.record.over for player in players))
    assert players[0].lines == players[1].lines
    assert audit(players[0].lines).ok
    print(len(players[0].lines), sum(len(player.letters) for player in players))


if __name__ == "__main__":
    main(sys.argv[1])
