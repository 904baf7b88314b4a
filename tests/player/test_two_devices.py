"""One seat on two devices: each goes on with what the other one promised, and says what it cannot know."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import VerificationError
from pbem.game import Json, JsonObject, Seat
from pbem.player.seat import PlayerClient
from pbem.player.store.keyring import Keyring
from pbem.protocol.crypto.identity import from_paper, to_paper
from pbem.protocol.formats.identity_file import write_identity
from pbem.protocol.record import HostOpenings
from pbem.protocol.referee import Accepted, Refused
from tests.cli.seats import run
from tests.world import FixedSalts, World

DRAW: JsonObject = {"do": "draw", "from": "supply"}
ORDERS: JsonObject = {"rules": [{"when": "react", "do": {"do": "react", "with": "pass"}}]}
ELSEWHERE = "was not signed on this device"


class Device:
    """A folder of its own, and the identity as its paper brought it there."""

    def __init__(self, world: World, seat: Seat, folder: Path) -> None:
        folder.mkdir()
        self.world, self.folder = world, folder
        (folder / "game.jsonl").write_bytes(b"".join(line + b"\n" for line in world.lines))
        salts = FixedSalts(folder.name)
        identity = from_paper(to_paper(world.people[seat]))
        self.client = PlayerClient.open(folder, identity, lambda size: salts()[:size])

    def turn(self, *actions: JsonObject, say: str = "", orders: JsonObject | None = None) -> str:
        """Take in, sign, send; the warnings."""
        self.client.take_in(self.world.lines)
        signed = self.client.turn(actions, say=say, orders=orders)
        assert isinstance(self.world.send(signed.raw), Accepted)
        return " ".join(signed.warnings)


class Table:
    """A match with one seat on two devices."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = World("wyatt-earp", ["anna", "burt"]).start()
        assert self.world.record.waiting is not None
        self.seat = Seat(self.world.record.waiting["seat"])
        self.home, self.phone = (Device(self.world, self.seat, folder / name) for name in ("home", "phone"))

    def in_force(self) -> Json:
        """The orders of the seat, as the host reads them."""
        host = HostOpenings(self.world.host, self.world.record.lines[0])
        return host.content(self.world.record.ledger.orders[self.seat])


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def test_a_second_device_reads_the_orders_of_the_first_and_takes_nothing_back(table: Table) -> None:
    table.home.turn(say="from home", orders=ORDERS)
    assert table.in_force() == ORDERS
    table.phone.client.take_in(table.world.lines)
    assert table.phone.client.orders() == ORDERS
    warned = table.phone.turn(DRAW)
    assert table.in_force() == ORDERS
    assert ELSEWHERE in warned, "a file that left at home and is not recorded yet cannot be known here"


def test_what_the_second_device_changes_the_first_goes_on_with(table: Table) -> None:
    table.home.turn(say="from home", orders=ORDERS)
    table.phone.turn(say="from the phone", orders={"rules": []})
    warned = table.home.turn(DRAW)
    assert table.in_force() == {"rules": []}
    assert ELSEWHERE in warned
    assert ELSEWHERE not in table.home.turn(say="again from home")


def test_files_of_both_with_one_number_are_never_both_taken(table: Table) -> None:
    """Neither knows of the other's; the host takes the first, and the loser's device is shown what stands there."""
    for device in (table.home, table.phone):
        device.client.take_in(table.world.lines)
    at_home = table.home.client.turn([], say="from home", orders=ORDERS)
    on_the_phone = table.phone.client.turn([], say="from the phone")
    assert at_home.n == on_the_phone.n
    assert isinstance(table.world.send(at_home.raw), Accepted)
    assert isinstance(table.world.send(on_the_phone.raw), Refused)
    table.phone.client.take_in(table.world.lines)
    with pytest.raises(VerificationError, match="not as you sent it from here") as complaint:
        table.phone.client.turn([DRAW])
    assert "--mine" in complaint.value.hint
    raw = write_identity(table.world.people[table.seat], "Me", "", bytes(16), log_n=1)
    Keyring(table.folder).add("me", raw)
    command = ("update", table.phone.folder, "--mine", "--home", table.folder)
    assert f"1 record is taken for yours: {table.world.head.seq}." in run(*command).out
    assert "0 records are taken for yours: -" in run(*command).out
    warned = table.phone.turn(DRAW)
    assert ELSEWHERE in warned
    assert table.in_force() == ORDERS
