"""An email that follows from the record is not kept: what waits is its name, and it is made when it leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.game import Seat
from pbem.host.database.mail import OutboxRow, OutboxRows
from pbem.host.letter_mail import LetterName
from pbem.host.service.client import ServiceClient
from pbem.host.service.service import Service
from pbem.player.mail.outgoing import Sender
from pbem.player.mail.ports import Unknown
from pbem.protocol.client import compose_consent, compose_join
from pbem.protocol.crypto.digest import fingerprint
from tests.service.fakes import FakeClock, FakeMail, fake_service
from tests.service.people import Player, headers, lines_in, parse
from tests.service.table import Table
from tests.service.test_people import consent

API_URL = "https://games.pbem.test"


def waiting(table: Table) -> list[OutboxRow]:
    """The emails about the match that have not left."""
    game = table.service.matches.status()[0]["game"]
    with table.service.context.database.transaction() as transaction:
        return [row for row in OutboxRows(transaction).of(game) if row.state == "queued"]


def away(folder: Path) -> Table:
    """A match in which a move was ruled on, and whose emails could not leave."""
    table = Table(folder, api=API_URL).start()
    (mover,) = table.asked()
    table.service.deliver(mover.mail(mover.move()))
    table.mail.down = True
    table.service.run_once()
    table.mail.down = False
    return table


def test_what_waits_is_a_name_that_holds_all_a_letter_is_made_of(tmp_path: Path) -> None:
    table = away(tmp_path)
    rows = waiting(table)
    assert rows
    for row in rows:
        assert row.raw == b""
        assert len(row.name) < 500
        name = LetterName.from_json(row.name)
        record = table.service.matches.status()[0]["head"]["seq"]
        assert (name.what, name.seat, name.upto, name.address) == ("batch", row.seat, record, row.rcpt)
        assert (name.lang, name.head) == ("en", record)
        assert name.at == row.created
        assert name.record == record_hash(table, record)
    receipt = next(LetterName.from_json(row.name) for row in rows if "receipt" in row.name)
    assert (receipt.sender, bool(receipt.answers)) == (receipt.seat, True)


def record_hash(table: Table, seq: int) -> str:
    from pbem.protocol.record.line import read_line

    return read_line(table.lines[seq]).hash.hex()[:32]


def test_it_is_made_when_it_leaves_and_again_when_somebody_asks(tmp_path: Path) -> None:
    table = away(tmp_path)
    ids = {row.message_id for row in waiting(table)}
    before = len(table.mail.delivered)
    table.clock.tick(10)
    table.pump()
    left = {str(headers(raw)["Message-ID"]): raw for _, raw in table.mail.delivered[before:]}
    assert set(left) == ids
    client = ServiceClient(table.service, table.short)
    asked = {str(headers(raw)["Message-ID"]): raw for raw in client.contents().boxes.values()}
    for name, raw in left.items():
        assert words(asked[name]) == words(raw)
        assert lines_in(asked[name]) == lines_in(raw)


def words(raw: bytes) -> tuple[str, ...]:
    message = parse(raw)
    body = message.get_body(("plain",))
    assert body is not None
    return str(message["Subject"]), str(message["Date"]), str(message["References"]), body.get_content()


def test_a_newer_program_sends_it_under_the_same_name_with_its_own_words(tmp_path: Path) -> None:
    """The title stands for words of the program here: they are what an email is made with when it leaves."""
    table = away(tmp_path)
    ids = {row.message_id for row in waiting(table)}
    context = table.service.context
    context.sender = Sender(context.sender.address, "A newer name")
    before = len(table.mail.delivered)
    table.clock.tick(10)
    table.pump()
    left = [raw for _, raw in table.mail.delivered[before:]]
    assert {str(headers(raw)["Message-ID"]) for raw in left} == ids
    assert all("A newer name" in str(headers(raw)["From"]) for raw in left)


def test_no_letter_but_the_invitation_holds_a_secret(tmp_path: Path) -> None:
    """Whoever reads an email over a shoulder, or in a mailbox that was the player's once, opens nothing with it."""
    table = away(tmp_path)
    before = len(table.mail.delivered)
    secret = [table.service.matches.access_code(table.short, seat)[1] for seat in table.players]
    table.clock.tick(10)
    table.pump()
    letters = [raw for _, raw in table.mail.delivered[before:]]
    assert letters
    for raw in letters:
        whole = " ".join(
            part.get_content() for part in parse(raw).walk() if part.get_content_maintype() == "text"
        )
        assert "api=" in whole
        assert not any(word in whole for word in (*secret, "word=", "code="))


def text_of(table: Table, row: OutboxRow) -> str:
    from pbem.host.service.letters import Letterbox

    with table.service.context.database.transaction() as transaction:
        raw = Letterbox(table.service.context, transaction).ready(row)()
    body = parse(raw).get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def test_another_address_gets_no_way_in_either(tmp_path: Path) -> None:
    table = away(tmp_path)
    row = next(row for row in waiting(table) if "api=" in text_of(table, row))
    with table.service.context.database.transaction() as transaction:
        transaction.run("UPDATE seats SET address = 'new@players.test' WHERE seat = ?", row.seat)
    assert "api=" not in text_of(table, row)


def test_a_former_player_never_gets_a_newcomers_code(tmp_path: Path) -> None:
    """Emails to them wait while another person takes the seat; they leave for them, without a way in."""
    table = Table(tmp_path, seats=("anna", "burt", "curt"), api=API_URL).start()
    client, gone, dora = ServiceClient(table.service, table.short), table.asked()[0], Player("dora")
    others = [player for player in table.players.values() if player is not gone]
    consent(table, gone, {"kind": "resign", "seat": gone.seat})
    table.pass_time(97)
    (invited,) = table.service.matches.invite(table.short, {gone.seat: dora.address}, substitutes=True)
    table.players["dora"] = dora
    table.pump()
    join = compose_join(
        dora.record,
        dora.identity,
        gone.seat,
        name="Dora",
        mail=dora.address,
        word=invited.word,
        n=gone.number + 1,
    )
    table.send(dora.mail(join))
    terms = {"kind": "substitute", "seat": gone.seat, "newcomer": fingerprint(dora.identity.sign_public)}
    table.mail.down = True
    table.service.deliver(others[0].mail(others[0].turn(say="Who is next?")))
    for player in others:
        player.number += 1
        agreed = compose_consent(player.record, player.identity, Seat(player.seat), player.number, terms)
        table.service.deliver(player.mail(agreed))
    table.service.run_once()
    assert [row.rcpt for row in waiting(table) if row.seat == gone.seat] == [gone.address]
    client.substitute(client.pending(Seat(gone.seat)))
    table.mail.down = False
    before = len(table.mail.delivered)
    table.clock.tick(10)
    table.pump()
    left = [(to, unquoted(raw)) for to, raw in table.mail.delivered[before:]]
    theirs = (table.service.matches.access_code(table.short, gone.seat)[1], invited.word, "api=", "code=")
    to_him = [text for to, text in left if to == gone.address]
    assert to_him
    assert not any(mark.encode() in text for text in to_him for mark in theirs)
    assert any(b"api=" in text for to, text in left if to == dora.address)


def unquoted(raw: bytes) -> bytes:
    parts = [part.get_payload(decode=True) for part in parse(raw).walk()]
    return b"".join(part for part in parts if isinstance(part, bytes))


def test_an_invitation_that_another_one_has_replaced_is_not_sent(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.mail.down = True
    table.invite_quietly()
    table.mail.down = False
    player = table.players["anna"]
    table.service.matches.invite(table.short, {"anna": "right@players.test"})
    table.clock.tick(10)
    table.pump()
    assert table.mail.letters(player.address) == []
    assert len(table.mail.letters("right@players.test")) == 1
    assert table.service.counts()["failed"] == 1


def test_what_does_not_follow_from_the_record_is_kept(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    table.service.deliver(table.players["anna"].write("HELP"))
    table.mail.down = True
    table.service.run_once()
    with table.service.context.database.transaction() as transaction:
        rows = transaction.run("SELECT raw, name FROM outbox WHERE state = 'queued'")
    assert [(bool(raw), name) for raw, name in rows] == [(True, "")]


def test_a_letter_in_doubt_is_not_made_again_before_its_copy_was_looked_for(tmp_path: Path) -> None:
    steps: list[str] = []
    mail, clock = FakeMail(), FakeClock()
    table = Table(tmp_path, mail=mail, service=fake_service(tmp_path, mail, clock, steps=steps.append))
    table.clock = clock
    table.mail.faults = [Unknown("hung up")]
    table.invite()
    steps.clear()
    table.mail.inbox.clear()  # no copy has come back of any of them
    table.mail.folders.clear()
    clock.tick(61)
    table.pump()
    assert steps.index("witness-looked-up") < steps.index("made")


def test_a_letter_of_a_record_that_is_not_there_is_not_sent(tmp_path: Path) -> None:
    table = away(tmp_path)
    with table.service.context.database.transaction() as transaction:
        for row in transaction.run("SELECT id, name FROM outbox WHERE state = 'queued'"):
            name = json.loads(row.name) | {"record": "0" * 32}
            transaction.run("UPDATE outbox SET name = ? WHERE id = ?", json.dumps(name), row.id)
    before = len(table.mail.delivered)
    table.clock.tick(10)
    table.pump()
    assert len(table.mail.delivered) == before
    assert table.service.counts()["failed"] == len(waiting_all(table))


def waiting_all(table: Table) -> list[str]:
    with table.service.context.database.transaction() as transaction:
        return [row.id for row in transaction.run("SELECT id FROM outbox WHERE state = 'failed'")]


# --- rounds -------------------------------------------------------------------------------------------------------


def spent(service: Service, work: Callable[[], object]) -> int:
    """Transactions that this takes."""
    before = service.context.database.transactions
    work()
    return service.context.database.transactions - before


def settled(table: Table) -> None:
    while table.service.run_once().anything:
        table.read()


def test_a_file_takes_at_most_eight_transactions_and_a_quiet_round_two(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    settled(table)
    for _ in range(3):
        assert spent(table.service, table.service.run_once) <= 2
    for _ in range(4):
        (mover,) = table.asked()
        table.mail.arrive(mover.mail(mover.move()))
        records = len(table.lines)
        assert (
            spent(table.service, table.service.run_once) - 1 <= 8
        )  # the one that ``lines`` takes is outside
        assert len(table.lines) > records
        table.read()
        settled(table)


@pytest.mark.parametrize("count", [1, 3])
def test_without_a_copy_that_comes_back_a_letter_takes_one_more(tmp_path: Path, count: int) -> None:
    table = Table(tmp_path, witness=False, seats=("anna", "burt", "curt")[: max(2, count)]).start()
    settled(table)
    (mover,) = table.asked()
    table.mail.arrive(mover.mail(mover.move()))
    before = len(table.mail.delivered)
    taken = spent(table.service, table.service.run_once)
    assert taken <= 8 + len(table.mail.delivered) - before
