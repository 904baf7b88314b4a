"""A service that runs on and one that is made again after every mail rule the same: same records, same emails.

What a process remembers (verified records, what was opened, looks at mail) may save work and never decide anything.
With one-time keys that follow from what is sealed, two plays of one script are the same byte for byte.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.game import JsonObject, Seat
from pbem.protocol.client import compose_consent
from pbem.protocol.record import Deadlines
from tests.one_time_keys import fixed
from tests.service.fakes import fake_service
from tests.service.table import Table

WRONG: dict[str, JsonObject] = {
    "wyatt-earp": {"do": "draw", "from": "supply"},
    "way-out-west": {"do": "pass"},
}
"""What somebody sends who is not asked."""


def script(folder: Path, game: str, seats: tuple[str, ...], *, restart: bool) -> Table:
    """A match with refused files, repeated ones, consents, a default and an outage in it."""
    with fixed():
        table = Table(folder, game, seats, deadlines=Deadlines(hours=48, grace=24, again=0)).invite()

        def send(raw: bytes) -> None:
            table.send(raw)
            if restart:
                table.service.close()
                table.clock.tick(90)
                table.service = fake_service(folder, table.mail, table.clock)
            else:
                table.clock.tick(90)
            table.pump()

        people = list(table.players.values())
        for player in people:
            send(player.mail(player.join(table.words[player.seat])))
        for player in people:
            send(player.mail(player.ready()))
        for number in range(14):
            (player,) = table.asked()
            raw = player.mail(player.move(), ("attachment", "armour", "json")[number % 3])
            send(raw)
            if number % 4 == 1:
                send(raw)  # the same mail again
            if number % 4 == 2:
                other = next(person for person in people if person is not player)
                send(other.mail(other.turn(WRONG[game])))
            if number == 5:
                send(player.mail(player.turn(say="hello")))
            if number == 7:
                player.number += 1
                terms = {"kind": "pause", "until": "2027-01-03T00:00:00Z"}
                file = compose_consent(
                    player.record, player.identity, Seat(player.seat), player.number, terms
                )
                send(player.mail(file))
        table.pass_time(73)  # a default
        return table


def letters(table: Table) -> list[tuple[str, bytes]]:
    """Every email with its reader; the players' own mail programs number their mails as they like."""
    return [
        (to, re.sub(rb"<[0-9.]+\.(\w+)@players", rb"<\1@players", raw)) for to, raw in table.mail.delivered
    ]


@pytest.mark.parametrize(
    ("game", "seats"), [("wyatt-earp", ("anna", "burt")), ("way-out-west", ("anna", "burt", "curt"))]
)
def test_restarts_change_nothing(tmp_path: Path, game: str, seats: tuple[str, ...]) -> None:
    tables = []
    for name in ("on", "restarted"):
        (tmp_path / name).mkdir()
        tables.append(script(tmp_path / name, game, seats, restart=name == "restarted"))
    first, two = tables
    assert first.lines == two.lines
    assert letters(first) == letters(two)
    assert len(first.lines) > 18
    assert first.quarantined() == two.quarantined()
