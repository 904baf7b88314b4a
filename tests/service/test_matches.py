"""Whole matches by mail: from invitation to end, both games, every way to bring a file; emails counted."""

from __future__ import annotations

import json
from collections import Counter
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.host.service.client import ServiceClient
from pbem.protocol.audit import audit
from pbem.protocol.record import Line, Record
from tests.host.folders import lay
from tests.service.fakes import FakeMail, fake_service
from tests.service.people import headers, lines_in, parse
from tests.service.table import Table
from tests.world import World

OLGA = "olga@elsewhere.test"
"""Somebody who reads along."""
WAYS = ("attachment", "armour", "json")
"""How a player may put their file into a mail."""
SHORT = {"wyatt-earp": "nonce-3", "way-out-west": "nonce-13"}
"""Nonces of whole matches that are short: three hands of 29 turns, and all twelve game turns in 141 files."""


def receipts_and_rest(table: Table) -> None:
    """The last emails: everybody has the whole match and knows that it is over."""
    whole = table.lines
    for player in table.players.values():
        assert player.lines == whole
        assert player.record.over
    assert not table.mail.inbox or all("Message-ID" in raw.decode() for raw in table.mail.inbox.values())


def most_letters(line: Line, record: Record, last: int, sender: str) -> int:
    """A mere draw is sent to its sender; who is asked now is asked; the end of a turn to everybody.

    In Way Out West a seat's turn is its game turn: everybody gets an email about its end, which closes the epoch.
    """
    batch = record.lines[line.seq : last + 1]
    kinds = {line.kind for line in batch}
    ended = any(
        event["event"] == "turn-ended" for step in line.body.get("steps", ()) for event in step["events"]
    )
    everybody = ended or kinds & {"open", "close", "end"}
    first = any(line.kind == "announce" and line.body["epoch"] == 1 for line in batch)
    if everybody or first:
        return len(record.seats)
    results = [line for line in batch if "public" in line.body]
    waiting = results[-1].body["public"].get("waiting") if results else None
    return 1 + bool(waiting and waiting["seat"] != sender)


def check_threads(letters: list[EmailMessage]) -> None:
    """Every email but the first refers to the first and answers something the reader has."""
    root = str(letters[0]["Message-ID"])
    seen = {root}
    for letter in letters[1:]:
        references = str(letter["References"]).split()
        assert references[0] == root
        assert seen & set(references)
        assert letter["In-Reply-To"]
        seen.add(str(letter["Message-ID"]))
    assert len(seen) == len(letters)


def check_the_end(table: Table) -> None:
    """It is over, proven, everybody has all of it in one thread, and nothing is left to do."""
    receipts_and_rest(table)
    assert audit(table.lines).ok
    assert set(table.service.counts()) == {"sent"}
    assert not table.quarantined()
    for player in table.players.values():
        check_threads([headers(raw) for raw in player.letters])


def test_a_whole_match_by_mail_alone(tmp_path: Path) -> None:
    """With two; with more in the next test."""
    table = Table(tmp_path, "wyatt-earp", ("anna", "burt"), nonce="nonce-13").start()  # three short hands
    table.play()
    check_the_end(table)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["wyatt-earp", "way-out-west"])
def test_letters_are_at_most_those_of_the_protocol(tmp_path: Path, game: str) -> None:
    """Counted in a whole match: before the first card, for each file, for each game turn and for each hand.

    Somebody reads along, and their emails alone are the whole match.
    """
    table = Table(tmp_path, game, ("anna", "burt", "curt"), nonce=SHORT[game])
    table.invite()
    counted = Counter({"in": 0, "out": len(table.mail.delivered)})
    for player in table.players.values():
        table.send(player.mail(player.join(table.words[player.seat])))
        counted["in"] += 1
    assert len(table.mail.delivered) - 3 == 5  # 2 receipts, then 3 with the roster
    for player in table.players.values():
        table.send(player.mail(player.ready()))
        counted["in"] += 1
    assert (counted["in"], len(table.mail.delivered)) == (6, 3 + 5 + 5)  # before the first card: 6 in, 13 out
    ServiceClient(table.service, table.short).observe(OLGA)
    table.pump()
    turns: list[Counter[str]] = [Counter()]
    hands: list[Counter[str]] = [Counter()]
    record = Record.load(table.lines)
    while asked := table.asked():
        for player in asked:
            before, head = to_players(table), record.head.seq
            table.send(player.mail(player.move(), WAYS[counted["in"] % len(WAYS)]))
            counted["in"] += 1
            record.extend(table.lines[head + 1 :])
            sent, line = to_players(table) - before, record.lines[head + 1]
            assert 1 <= sent <= most_letters(line, record, record.head.seq, player.seat)
            turns[-1] += Counter({"in": 1, "out": sent})
            hands[-1] += Counter({"in": 1, "out": sent})
            if over(record, head + 1, "turn-ended"):
                turns.append(Counter())
                hands[-1]["turns"] += 1
            if any(
                line.kind == "close" for line in record.lines[head + 1 :]
            ):  # a hand, or a turn of the game
                hands.append(Counter())
    check_the_end(table)
    check_who_read_along(table)
    assert len(turns) > 10
    for turn in turns:
        # its first file costs 3 out (a look 1 and its end 3); every further one at most a receipt and a question
        assert turn["out"] <= 3 + 2 * max(turn["in"] - 1, 0), turn
    assert len(hands) > 1
    for hand in hands:
        # 30 turns without a look are 30 in and 90 out, with one 60 and 120: 3 for each turn, at most 2 for the rest
        least = max(hand["turns"], 1)
        assert hand["out"] <= 3 * least + 2 * max(hand["in"] - least, 0), hand


def to_players(table: Table) -> int:
    """How many emails went to the seats."""
    return sum(address != OLGA for address, _ in table.mail.delivered)


def check_who_read_along(table: Table) -> None:
    """Every line is in their emails, none is left out between them, and they verify by themselves."""
    lines: list[bytes] = []
    for raw in table.mail.letters(OLGA):
        fresh = lines_in(raw)
        if fresh:
            first = json.loads(fresh[0])["body"]["seq"]
            assert first <= len(lines)  # nothing is left out
            lines[first:] = fresh
    assert lines == table.lines
    assert Record.load(lines).over


def over(record: Record, since: int, event: str) -> bool:
    """Whether this happened in the records from ``since`` on."""
    steps = [step for line in record.lines[since:] for step in line.body.get("steps", ())]
    return any(happened["event"] == event for step in steps for happened in step["events"])


def test_a_receipt_says_what_to_do_next_and_a_refusal_why(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    other = next(other for other in table.players.values() if other is not player)
    table.send(player.mail(player.turn({"do": "draw", "from": "supply"})))
    assert table.subjects(player.seat)[-1].startswith("Your turn: play and discard")
    table.send(other.mail(other.turn({"do": "draw", "from": "supply"})))
    assert "Refused: " in table.subjects(other.seat)[-1]
    answer = parse(other.letters[-1])
    names = [str(part.get_filename()) for part in answer.iter_attachments()]
    assert any(name.startswith("reject-") for name in names)
    assert answer["Auto-Submitted"] == "auto-replied"


def test_talk_reaches_all_and_a_private_word_only_its_seat(tmp_path: Path) -> None:
    table = Table(tmp_path, "wyatt-earp", ("anna", "burt", "curt")).start()
    anna, burt = table.players["anna"], table.players["burt"]
    before = {seat: len(player.letters) for seat, player in table.players.items()}
    table.send(anna.mail(anna.turn(say="Reach for the sky")))
    assert [len(p.letters) - before[s] for s, p in table.players.items()] == [1, 1, 1]
    heard = len(table.players["curt"].letters)
    table.send(anna.mail(anna.turn(tell={"burt": "psst, the marshal"})))
    assert burt.view.private_messages()[-1].text == "psst, the marshal"
    assert len(table.players["curt"].letters) == heard
    assert all(b"psst" not in raw for player in table.players.values() for raw in player.letters)


def test_a_plain_word_from_somebody_with_several_matches_is_for_the_one_that_is_named(tmp_path: Path) -> None:
    first = Table(tmp_path, "wyatt-earp", ("anna", "burt")).start()
    second = Table(
        tmp_path, "wyatt-earp", ("anna", "burt"), service=first.service, mail=first.mail, nonce="b"
    )
    second._read = len(first.mail.delivered)
    second.start()
    anna = second.players["anna"]

    def answer(text: str, subject: str = "hello") -> str:
        second.send(anna.write(text, subject=subject))
        body = parse(first.mail.letters(anna.address)[-1]).get_body(("plain",))
        assert body is not None
        return str(body.get_content())

    both = answer("STATUS\n")
    assert {first.short, second.short} <= set(both.replace(",", " ").split())
    status = answer(f"STATUS {first.short}\n")
    assert (first.short in status, second.short in status) == (True, False)
    replied = answer("STATUS\n", subject=f"Re: [pbem {second.short}] Wyatt Earp")
    assert (first.short in replied, second.short in replied) == (False, True)
    anna.letters.append(next(raw for raw in anna.letters if headers(raw)["X-Pbem-Match"] == second.short))
    assert second.short not in str(headers(anna.letters[-1])["Subject"])
    replied = answer("STATUS\n", subject="")  # known by the email that it answers
    assert (first.short in replied, second.short in replied) == (False, True)
    count = len(first.mail.letters(anna.address))
    answer("RESEND 3\n")
    assert len(first.mail.letters(anna.address)) == count + 2  # of each match, the records of that match
    assert f"{first.short}, as anna: 5 h before" in answer(f"REMIND 5 {first.short}\n")
    wished = answer("REMIND\n")
    assert f"{first.short}, as anna: 5 h before" in wished
    assert f"{second.short}, as anna: 24 h before" in wished
    assert first.short in answer("HELP\n")


def test_several_matches_share_one_mailbox(tmp_path: Path) -> None:
    first = Table(tmp_path, "wyatt-earp", ("anna", "burt")).start()
    second = Table(tmp_path, "way-out-west", ("anna", "burt", "curt"), service=first.service, mail=first.mail)
    second.players["anna"].identity = first.players["anna"].identity
    second._read = len(first.mail.delivered)
    second.invite()
    table_letters = [raw for raw in second.players["anna"].letters if second.short.encode() in raw]
    assert table_letters
    for player in second.players.values():
        second.send(player.mail(player.join(second.words[player.seat])))
    assert {row["match"] for row in first.service.matches.status()} == {first.short, second.short}
    anna = first.players["anna"]
    first.send(anna.write("STATUS\n", subject="how is it going"))
    status = parse(first.mail.letters(anna.address)[-1]).get_body()
    assert status is not None
    text = status.get_content()
    assert first.short in text
    assert second.short in text


def test_a_match_of_another_host_is_not_taken_over_and_not_called_faulty(tmp_path: Path) -> None:
    world = World("wyatt-earp", ("anna", "burt")).start()
    folder = lay(tmp_path / "match", world.lines, world.host, lambda: world.now)
    with pytest.raises(UsageProblem, match="not the host of this match"):
        fake_service(tmp_path, FakeMail()).matches.adopt(folder)
    assert (folder / "game.jsonl").exists()
    assert (folder / "host" / "match.db").exists()
