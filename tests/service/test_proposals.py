"""A seat that is proposed for somebody else, by mail; what changes nothing; a file that nobody could record."""

from __future__ import annotations

import json
from pathlib import Path

from pbem.game import JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.client import compose_consent, compose_join
from pbem.protocol.crypto.digest import b64, fingerprint
from pbem.protocol.formats.envelopes import make_file
from pbem.protocol.record import Deadlines
from tests.machine.planted import word_to_nobody
from tests.service.people import Player, headers, parse
from tests.service.table import Table

SEATS = ("anna", "burt", "curt")
QUICK = Deadlines(hours=24, grace=24)


def text_of(raw: bytes) -> str:
    """What a person reads, in one line."""
    body = parse(raw).get_body(("plain",))
    assert body is not None
    return " ".join(body.get_content().split())


def bodies(table: Table) -> list[JsonObject]:
    return [json.loads(raw)["body"] for raw in table.lines]


def proposed(folder: Path) -> tuple[Table, Player, Player]:
    """A match of three; who is not asked shall go, and the newcomer's join has come by mail."""
    table = Table(folder, "wyatt-earp", SEATS, deadlines=QUICK).start()
    gone = next(player for player in table.players.values() if not player.asked)
    dora = Player("dora")
    (invited,) = table.service.matches.invite(table.short, {gone.seat: dora.address}, substitutes=True)
    table.players["dora"] = dora
    table.pump()
    join = compose_join(
        dora.record, dora.identity, gone.seat, name="Dora", mail=dora.address, word=invited.word, n=3
    )
    table.send(dora.mail(join))
    for player in [player for player in table.players.values() if player not in (gone, dora)]:
        player.number += 1
        newcomer = fingerprint(dora.identity.sign_public)
        terms = {"kind": "substitute", "seat": gone.seat, "newcomer": newcomer}
        table.send(
            player.mail(
                compose_consent(player.record, player.identity, Seat(player.seat), player.number, terms)
            )
        )
    return table, gone, dora


def test_a_proposal_is_shown_to_its_seat_and_the_service_carries_it_out_after_the_hold(
    tmp_path: Path,
) -> None:
    table, gone, dora = proposed(tmp_path)
    assert [body["kind"] for body in bodies(table)].count("propose") == 1
    letter = table.mail.letters(gone.address)[-1]
    assert "Write to keep your seat" in str(headers(letter)["Subject"])
    others = [name.title() for name in SEATS if name != gone.seat]
    text = text_of(letter)
    assert f"{others[0]} and {others[1]} proposed this:" in text
    assert "24 November, 18:0" in text
    for other in others:
        seen = text_of(table.mail.letters(table.players[other.lower()].address)[-1])
        assert f"for {gone.seat.title()}" in seen
    table.pass_time(71)
    assert "substitute" not in [body["kind"] for body in bodies(table)]
    table.pass_time(2)
    assert [body["kind"] for body in bodies(table)].count("substitute") == 1
    dora.seat, dora.number = gone.seat, 3
    table.mail.arrive(dora.mail(dora.turn(say="Howdy"), sender="dora@players.test"))
    table.pump()
    assert bodies(table)[-1]["msg"]["body"]["say"] == "Howdy"
    assert audit(table.lines).ok


def test_any_word_of_the_seat_undoes_it_and_everybody_learns(tmp_path: Path) -> None:
    table, gone, _ = proposed(tmp_path)
    table.send(gone.mail(gone.turn(say="I am here")))
    text = text_of(table.mail.letters(gone.address)[-1])
    assert "You wrote, so you keep your seat." in text
    table.pass_time(74)
    assert "substitute" not in [body["kind"] for body in bodies(table)]


def test_what_changes_nothing_is_answered_and_not_recorded(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    for player in table.players.values():
        table.send(player.mail(player.join(table.words[player.seat])))
    anna = table.players["anna"]
    table.send(anna.mail(anna.ready()))
    before = table.lines
    anna.number += 1
    body = {**anna.files[-1]["body"], "n": anna.number, "seen": anna.record.head.seen}
    table.send(anna.mail(make_file("ready", body, anna.identity.sign_key, anna.identity.sign_public)))
    assert table.lines == before
    assert table.subjects("anna")[-1] == "Nothing to do (Wyatt Earp)"
    assert "you were ready already; nothing to do" in text_of(table.mail.letters(anna.address)[-1])
    assert table.quarantined() == []


def test_a_good_file_that_nobody_could_record_is_put_aside_and_the_match_goes_on(tmp_path: Path) -> None:
    """With the old fault planted that let a private word go to nobody."""
    table = Table(tmp_path).start()
    anna = table.asked()[0]
    body = anna.turn(say="psst")["body"]
    body["tell"] = [{"to": "nobody", "ct": b64(bytes(560))}]
    before = table.lines
    with word_to_nobody():
        table.send(anna.mail(make_file("turn", body, anna.identity.sign_key, anna.identity.sign_public)))
    assert table.lines == before
    assert len(table.quarantined()) == 1
    assert anna.seat in table.quarantined()[0]
    assert len(table.notes("program-fault")) == 1
    assert table.play(4) == 4
    assert audit(table.lines).ok


def test_consents_of_one_seat_do_not_flood_the_others_or_the_database(tmp_path: Path) -> None:
    """Each with another reason: few are kept, the others are asked a few times a day, and play goes on."""
    table = Table(tmp_path, "wyatt-earp", SEATS, deadlines=QUICK).start()
    loud = table.players["anna"]
    before = {seat: len(table.mail.letters(table.players[seat].address)) for seat in SEATS}
    for number in range(60):
        loud.number += 1
        terms = {"kind": "end", "why": f"reason {number}"}
        table.send(loud.mail(compose_consent(loud.record, loud.identity, Seat("anna"), loud.number, terms)))
    more = {seat: len(table.mail.letters(table.players[seat].address)) - before[seat] for seat in SEATS}
    assert max(more["burt"], more["curt"]) <= 4
    assert more["anna"] <= table.service.context.limits.answers
    kept = table.service.matches.status([table.short])[0]["consents"]
    assert [entry["what"]["why"] for entry in kept] == ["reason 59"]
    for seat in ("burt", "curt"):  # the newest still counts, and is shown when all agree
        player = table.players[seat]
        player.number += 1
        terms = {"kind": "end", "why": "reason 59"}
        table.send(
            player.mail(compose_consent(player.record, player.identity, Seat(seat), player.number, terms))
        )
    assert bodies(table)[-1]["kind"] == "end"
