"""People come and go in a match of the service: substitutes, lost keys, complaints, resignation; the host's client."""

from __future__ import annotations

import json
import tarfile
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from pbem.base.errors import RefusedError, UsageProblem
from pbem.cli.timing import ticked
from pbem.game import JsonObject, Seat
from pbem.host.archive import write_archive
from pbem.host.service.client import ServiceClient
from pbem.protocol.audit import audit
from pbem.protocol.client import compose_join
from pbem.protocol.crypto.digest import b64, fingerprint
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.draws import LENGTH, chain, seat_label
from pbem.protocol.formats.messages import build_rekey
from pbem.protocol.formats.strict_json import canon, parse
from pbem.protocol.record import Record
from pbem.protocol.record.line import read_line
from pbem.protocol.referee import Accepted, Refused, Repeated
from tests.service.people import Player, headers, lines_in
from tests.service.table import Table
from tests.world import secret


def kinds(table: Table, since: int = 0) -> list[str]:
    return [json.loads(raw)["body"]["kind"] for raw in table.lines[since:]]


def consent(table: Table, player: Player, terms: JsonObject) -> None:
    table.send(player.mail(player.consent(terms)))


def client_of(table: Table) -> ServiceClient:
    return ServiceClient(table.service, table.short)


def sound(table: Table) -> None:
    report = audit(table.lines)
    assert report.ok, report.faults
    assert set(table.service.counts()) == {"sent"}


def test_a_substitute_comes_by_mail_and_has_a_full_turns_time(tmp_path: Path) -> None:
    table = Table(tmp_path, "wyatt-earp", ("anna", "burt", "curt")).start()
    client = client_of(table)
    gone = table.asked()[0]
    table.pass_time(60)
    consent(table, gone, {"kind": "resign", "seat": gone.seat})
    table.pass_time(97)  # until that counts
    dora = Player("dora")
    (invited,) = table.service.matches.invite(table.short, {gone.seat: dora.address}, substitutes=True)
    table.players["dora"] = dora
    table.pump()
    (letter,) = table.mail.letters(dora.address)
    assert lines_in(letter) == table.lines  # the whole match so far
    with pytest.raises(UsageProblem, match="no join of a replacement player"):
        client.pending(Seat(gone.seat))
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
    assert "substitute" in table.notes("substitute")[0]
    with pytest.raises(RefusedError, match="must agree to"):
        client.substitute(client.pending(Seat(gone.seat)))
    for player in (p for p in table.players.values() if p not in (gone, dora)):
        newcomer = fingerprint(dora.identity.sign_public)
        consent(table, player, {"kind": "substitute", "seat": gone.seat, "newcomer": newcomer})
    head = len(table.lines)
    client.substitute(client.pending(Seat(gone.seat)))
    table.pump()
    assert kinds(table, head)[0] == "substitute"
    dora.seat, dora.number = gone.seat, gone.number + 1
    dora_letters = len(table.mail.letters("dora@players.test"))
    assert dora_letters >= 2
    table.mail.arrive(dora.mail(dora.turn(say="Howdy"), sender="dora@players.test"))
    table.pump()
    assert json.loads(table.lines[-1])["body"]["kind"] == "turn"
    table.send(gone.mail(gone.turn(say="I am back")))
    assert "I am back" not in b"".join(table.lines).decode()  # their key counts no more
    again = compose_join(
        Record.load(table.lines), gone.identity, gone.seat, name="Again", word=invited.word, n=99
    )
    table.send(gone.mail(again))
    assert kinds(table).count("substitute") == 1  # and the word took the seat once
    assert "taken" in table.quarantined()[0]
    assert audit(table.lines).ok


def test_a_seat_that_is_free_needs_no_substitute_and_a_taken_one_does(tmp_path: Path) -> None:
    table = Table(tmp_path)
    with pytest.raises(UsageProblem, match="is free"):
        table.service.matches.invite(table.short, {"anna": "dora@players.test"}, substitutes=True)
    table.start()
    with pytest.raises(UsageProblem, match="taken already"):
        table.service.matches.invite(table.short, {"anna": "dora@players.test"})


def test_a_lost_key_is_replaced_by_mail_with_the_consent_of_the_others(tmp_path: Path) -> None:
    table = Table(tmp_path, "wyatt-earp", ("anna", "burt", "curt")).start()
    anna, others = table.players["anna"], [table.players["burt"], table.players["curt"]]
    new = Identity(secret("anna again"))
    game = anna.record.game
    anchor = chain(seat_label("anna"), game, new.chain_seed(game))[0]
    for seat in [player for player in table.asked() if player is anna]:
        table.send(seat.mail(seat.move()))
    terms = {
        "kind": "rekey",
        "seat": "anna",
        "sign": b64(new.sign_public),
        "seal": b64(new.seal_public),
        "anchor": b64(anchor),
        "length": LENGTH,
    }
    head = len(table.lines)
    for player in others:
        consent(table, player, terms)
    assert kinds(table, head) == ["propose"]
    subject = str(message_from_bytes(table.mail.letters(anna.address)[-1], policy=default)["Subject"])
    assert "Write to keep your seat" in subject
    table.pass_time(95)
    assert "rekey" not in kinds(table, head)
    table.pass_time(2)
    assert "rekey" in kinds(table, head)
    anna.identity = new
    assert anna.view.view_json["hands"]["anna"]  # the hand opens with the new key
    sound(table)


def test_a_key_that_still_works_signs_its_successor(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    table.send(player.mail(player.move()))  # its link is in
    new = Identity(secret("successor"))
    game = player.record.game
    anchor = chain(seat_label(player.seat), game, new.chain_seed(game))[0]
    player.number += 1
    head = player.record.head
    file = build_rekey(
        player.identity.sign_key,
        game,
        Seat(player.seat),
        player.number,
        head.seen,
        new=new,
        anchor=anchor,
        length=LENGTH,
    )
    table.send(player.mail(file))
    assert kinds(table)[-1] == "rekey"
    player.identity = new
    assert player.view.view_json["hands"][player.seat]
    sound(table)


def test_the_hosts_own_acts_send_their_letters(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    client, late = client_of(table), table.asked()[0]
    assert client.seats == ("anna", "burt")
    before = table.service.matches.status()[0]["due"]
    client.extend(Seat(late.seat), "2026-12-24T18:00:00Z")
    table.pump()
    assert kinds(table)[-1] == "extend"
    assert late.lines == table.lines
    assert client.status()["due"] == "2026-12-24T18:00:00Z" > before
    client.reseal(Seat("burt"))
    table.pump()
    assert kinds(table)[-1] == "reseal"
    assert table.players["burt"].view.view_json["hands"]["burt"]
    with pytest.raises(RefusedError):
        client.default(Seat(late.seat))
    with pytest.raises(RefusedError):
        client.burn()
    with pytest.raises(RefusedError, match="must agree to end first"):
        client.end()
    assert ticked(client)[0] == "Nothing is due now."
    assert client.beat(clock_is_right=True) is None
    client.wish(Seat("anna"), (5,))
    assert client.wishes() == {"anna": (5,)}
    client.observe("olga@elsewhere.test")
    assert client.observers() == ("olga@elsewhere.test",)
    table.pump()
    assert client.status()["outbox"]["unsent"] == []
    assert client.where("x") == "x"
    assert client.rewrite_letters() == ()
    assert isinstance(client.take(b"{}").ruling, Refused)
    with pytest.raises(UsageProblem, match="there is no match"):
        ServiceClient(table.service, "nomatch0").status()
    sound(table)


def test_an_end_that_all_have_agreed_to(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    for player in table.players.values():
        consent(table, player, {"kind": "end", "why": "The train is here"})
    if "end" not in kinds(table):
        client_of(table).end("The train is here")
        table.pump()
    assert kinds(table)[-1] == "end"
    assert all(player.record.over for player in table.players.values())
    sound(table)


def test_a_seat_that_resigns_is_played_by_defaults_from_then_on(tmp_path: Path) -> None:
    table = Table(tmp_path, "wyatt-earp", ("anna", "burt", "curt")).start()
    gone = table.asked()[0]
    head = len(table.lines)
    consent(table, gone, {"kind": "resign", "seat": gone.seat})
    table.pump()
    assert kinds(table, head) == ["propose"]
    table.pass_time(97)  # until that counts
    table.pump()
    assert kinds(table, head)[:2] == ["propose", "default"]
    assert not gone.asked
    sound(table)


def test_the_archive_of_a_match_of_the_service_holds_every_letter_and_what_is_in_no_record(
    tmp_path: Path,
) -> None:
    table = Table(tmp_path).start()
    table.play(20)
    client = client_of(table)
    archived = write_archive(client.contents(), tmp_path / "match.tar.gz")
    assert archived.sound
    with tarfile.open(archived.path) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
        game = tar.extractfile(next(name for name in tar.getnames() if name.endswith("/game.jsonl")))
        assert game is not None
        assert game.read().splitlines() == table.lines
    assert not [name for name in names if name.startswith("inbox/")]  # all of them stand in the record
    assert sum(name.startswith("outbox/") for name in names) == len(table.mail.delivered)
    assert headers(table.mail.delivered[0][1])["Message-ID"]


def test_a_file_that_is_handed_to_the_host_of_a_service_is_ruled_on_once(tmp_path: Path) -> None:
    """A join that the operator hands over needs no invite code; when it comes by email, too, it is the same file."""
    table = Table(tmp_path).invite()
    client = ServiceClient(table.service, table.short)
    anna = table.players["anna"]
    join = canon(anna.join("a word that nobody was given"))
    assert isinstance(client.take(join).ruling, Accepted)
    assert isinstance(client.take(join).ruling, Repeated)
    table.send(anna.mail(parse(join, limit=len(join))))
    assert [read_line(raw).kind for raw in table.lines].count("join") == 1
