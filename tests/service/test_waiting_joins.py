"""An operator confirms a person, not a name: every join that waits for a yes keeps its place, and shows its key.

The members were looked for as everything that the host's program keeps for a person's yes: joins without their code
(by email, and by the HTTP API), joins of a replacement player. What else a person says yes to was looked at, and names
what it is about itself: ``observe`` the address to which the emails go, ``many`` and open seats the address that gets a
code, ``carry-out`` and the other agreements a key's fingerprint in signed files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.game import Seat
from pbem.host.database.joins import MOST, WaitingJoins
from pbem.host.database.matches import Matches
from pbem.host.service.client import ServiceClient
from pbem.protocol.client import compose_join
from pbem.protocol.crypto.digest import fingerprint
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from tests.service.people import Player, parse
from tests.service.table import Table


def forger(table: Table, number: int = 0) -> Player:
    """Somebody who writes Anna's address into their emails; the invitation is no secret to them."""
    other = Player("anna", seed=f"mallory {number}")
    other.read(table.players["anna"].letters[0])
    return other


def key(player: Player) -> str:
    return fingerprint(player.identity.sign_public)


def seated(table: Table) -> str:
    """The key that has Anna's seat; empty if none has."""
    player = Record.load(table.lines).ledger.players.get(Seat("anna"))
    return "" if player is None else fingerprint(player.sign)


def waiting(table: Table, seat: str = "anna") -> list[str]:
    (status,) = table.service.matches.status()
    (mail,) = [each for each in status["mail"] if each["seat"] == seat]
    return [join["key"] for join in mail["waiting"]]


def test_a_second_join_replaces_no_waiting_one_and_both_are_shown(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    anna, mallory = table.players["anna"], forger(table)
    table.send(anna.mail(anna.join(None)))
    table.send(anna.mail(mallory.join(None)))
    assert waiting(table) == [key(anna), key(mallory)]
    second, first = table.notes("confirm")
    assert f"pbem host confirm {table.short} anna {key(anna)}" in first
    assert f"pbem host confirm {table.short} anna {key(mallory)}" in second
    assert key(anna) in second, "whoever reads the newest alarm sees that there are two"
    for which in ("", "3", key(anna)[:3], "anna"):
        with pytest.raises(UsageProblem, match="say which join is meant") as fault:
            table.service.matches.confirm(table.short, "anna", which)
        assert key(anna) in fault.value.hint
        assert key(mallory) in fault.value.hint
    table.service.matches.confirm(table.short, "anna", key(anna)[:7].lower())
    assert seated(table) == key(anna)
    assert waiting(table) == [], "nobody waits for a seat that is taken"


def test_the_number_of_a_join_stays_its_own(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    anna, mallory = table.players["anna"], forger(table)
    table.send(anna.mail(mallory.join(None)))
    table.send(anna.mail(anna.join(None)))
    for n in range(2):  # the same key again replaces itself, where it is
        again = mallory.join(None, contact=bool(n))
        table.send(anna.mail(again))
    assert waiting(table) == [key(mallory), key(anna)]
    with table.service.context.database.transaction() as transaction:
        kept = WaitingJoins(transaction).of(Matches(transaction).required(table.short).game, "anna")
    assert kept[0].file == canon(again)
    table.service.matches.confirm(table.short, "anna", "2")
    assert seated(table) == key(anna)


def test_four_wait_whoever_they_are_from_and_the_code_never_does(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    anna = table.players["anna"]
    forgers = [forger(table, number) for number in range(MOST + 3)]
    for other in forgers:
        table.send(anna.mail(other.join(None)))
    assert waiting(table) == [key(other) for other in forgers[:MOST]]
    assert len(table.quarantined()) == 3
    assert "is not kept: 4 wait already" in table.notes("confirm")[0]
    table.send(anna.mail(anna.join(table.words["anna"])))
    assert seated(table) == key(anna)
    assert waiting(table) == []


def test_a_join_that_its_key_did_not_sign_neither_waits_nor_replaces_one(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    anna, mallory = table.players["anna"], forger(table)
    mine = anna.join(None)
    table.send(anna.mail(mine))
    named = mallory.join(None) | {"body": mallory.join(None)["body"] | {"sign": mine["body"]["sign"]}}
    table.send(anna.mail(named))
    table.send(anna.mail(named | {"sig": named["sig"] | {"key": mine["sig"]["key"]}}))
    assert waiting(table) == [key(anna)]
    table.service.matches.confirm(table.short, "anna", "1")
    assert seated(table) == key(anna)


def test_the_player_hears_what_to_say_by_phone(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    anna = table.players["anna"]
    table.send(anna.mail(anna.join(None)))
    body = parse(anna.letters[-1]).get_body(("plain",))
    assert body is not None
    assert key(anna) in body.get_content()


def test_an_invitation_to_somebody_else_ends_the_waiting(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    anna = table.players["anna"]
    table.send(anna.mail(anna.join(None)))
    table.service.matches.invite(table.short, {"anna": anna.address})
    assert waiting(table) == [key(anna)]
    table.service.matches.invite(table.short, {"anna": "dora@example.org"})
    assert waiting(table) == []


def test_replacement_players_with_one_code_are_chosen_by_key(tmp_path: Path) -> None:
    table = Table(tmp_path, "wyatt-earp", ("anna", "burt", "curt")).start()
    gone = table.asked()[0]
    table.pass_time(60)
    table.send(gone.mail(gone.consent({"kind": "resign", "seat": gone.seat})))
    table.pass_time(97)  # until that counts
    dora, other = Player("dora"), Player("dora", seed="mallory")
    (invited,) = table.service.matches.invite(table.short, {gone.seat: dora.address}, substitutes=True)
    table.players["dora"] = dora
    table.pump()
    for person in (other, dora):
        person.read(table.mail.letters(dora.address)[0])
        person.seat = gone.seat
        join = compose_join(
            person.record,
            person.identity,
            gone.seat,
            name="Dora",
            mail=dora.address,
            word=invited.word,
            n=gone.number + 1,
        )
        table.send(dora.mail(join))
    assert waiting(table, gone.seat) == [key(other), key(dora)]
    assert f"pbem host substitute {table.short} {gone.seat} {key(dora)}" in table.notes("substitute")[0]
    client = ServiceClient(table.service, table.short)
    with pytest.raises(UsageProblem, match="say which join is meant"):
        client.pending(Seat(gone.seat))
    for player in (p for p in table.players.values() if p not in (gone, dora)):
        terms = {"kind": "substitute", "seat": gone.seat, "newcomer": key(dora)}
        table.send(player.mail(player.consent(terms)))
    client.substitute(client.pending(Seat(gone.seat), key(dora)))
    taken = Record.load(table.lines).ledger.players[Seat(gone.seat)]
    assert taken.sign == dora.identity.sign_public


@pytest.mark.parametrize("local", ["`reboot`", "x|reboot|x", "x&reboot&x", "$reboot", "#{x}", "x'y"])
def test_a_strangers_address_is_typed_as_one_word(tmp_path: Path, local: str) -> None:
    table = Table(tmp_path).start()
    command = f"OBSERVE {table.short}\r\n"
    mail = f"From: {local}@evil.test\r\nTo: games@pbem.test\r\nSubject: {command}\r\n{command}"
    table.mail.arrive(mail.encode())
    table.pump()
    quoted = "'" + local.replace("'", "'\"'\"'") + "@evil.test'"
    (text,) = table.notes("observe")
    assert text.endswith(f"pbem host observe {table.short} {quoted}")
