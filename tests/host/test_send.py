"""``pbem host send``: a folder's emails leave once each and are marked; what nobody has an address for is named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pbem.host.send import mark_waiting, reader_of, send_waiting
from pbem.player.mail.ports import MailTrouble, NotSent, Stop, Unknown, always
from pbem.player.store import Outbox, find_match_folder
from tests.cli.seats import Friends, run


class Line:
    """A way out that keeps what it is given, or does what it is asked to."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes]] = []
        self.faults: dict[str, MailTrouble] = {}

    def send(self, env_from: str, to: Sequence[str], raw: bytes, envid: str, may: Stop = always) -> None:
        assert env_from == "host@example.org"
        assert envid
        assert may()
        (address,) = to
        if address in self.faults:
            raise self.faults[address]
        self.sent.append((address, raw))

    def reach(self) -> None: ...

    def valid_until(self) -> str:
        return ""

    def close(self) -> None: ...


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    options = ("--mail", "host@example.org", "--to", "anna=anna@example.org")
    return find_match_folder(Friends(tmp_path, options=options).begin().match).outbox


def test_everything_that_waits_leaves_once(outbox: Outbox) -> None:
    line = Line()
    waited = outbox.unsent()
    done = send_waiting(outbox, line, "host@example.org")
    assert [to for to, _ in line.sent] == ["anna@example.org"]
    assert len(done.sent) == len(done.no_address) == 1  # nobody has given burt's address
    assert set(done.sent + done.no_address) == set(waited)
    assert outbox.unsent() == tuple(done.no_address)
    assert send_waiting(outbox, line, "host@example.org").sent == []
    assert len(line.sent) == 1


def test_what_was_handed_over_is_marked(outbox: Outbox) -> None:
    assert len(mark_waiting(outbox)) == 2
    assert outbox.unsent() == ()


@pytest.mark.parametrize("fault", [NotSent("no such box", final=True), Unknown("the line broke")])
def test_what_did_not_leave_waits(outbox: Outbox, fault: MailTrouble) -> None:
    line = Line()
    line.faults["anna@example.org"] = fault
    done = send_waiting(outbox, line, "host@example.org")
    assert len(done.refused) + len(done.doubtful) == 1
    assert len(outbox.unsent()) == 2
    line.faults.clear()
    assert len(send_waiting(outbox, line, "host@example.org").sent) == 1


def test_a_server_that_is_away_stops_it(outbox: Outbox) -> None:
    line = Line()
    line.faults["anna@example.org"] = MailTrouble("away")
    with pytest.raises(MailTrouble):
        send_waiting(outbox, line, "host@example.org")
    assert len(outbox.unsent()) == 2


def _playing(folder: Path) -> tuple[Friends, Outbox, str]:
    """A match whose first turn has just ended by a file; what is there is sent but for the emails of that file."""
    addresses = [f"--to={seat}={seat}@example.org" for seat in ("anna", "burt")]
    friends = Friends(folder, options=("--mail", "host@example.org", *addresses)).begin().join_and_ready()
    outbox = find_match_folder(friends.match).outbox
    seat = friends.status()["waiting"]["seat"]
    while friends.status()["waiting"]["seat"] == seat:
        mark_waiting(outbox)
        _moves(friends, seat)
    return friends, outbox, seat


def _records(raw: bytes) -> list[tuple[int, int]]:
    """The numbers of the first and the last record of each attachment, by its name."""
    matches = re.findall(rb"game-[0-9a-z]{8}-(\d+)-(\d+)\.jsonl", raw)
    return [(int(first), int(last)) for first, last in matches]


def _moves(friends: Friends, seat: str) -> None:
    """One action of a seat: the first discard if there is one, so that the turn soon ends."""
    legal = friends.play(seat, "legal", "--json").json["legal"]
    discards = [action for action in legal if action["action"]["do"] == "discard"] or legal
    assert friends.send(friends.sign(seat, "turn", *str(discards[0]["words"]).split())).code == 0


def test_a_receipt_is_left_out_where_a_newer_letter_leaves(tmp_path: Path) -> None:
    friends, outbox, seat = _playing(tmp_path)
    (receipt,) = [name for name in outbox.unsent() if f"-{seat}-receipt-accepted" in name]
    other = next(other for other in friends.seats if other != seat)
    while friends.status()["waiting"]["seat"] != seat:
        _moves(friends, other)
    newer = [name for name in outbox.unsent() if f"-{seat}-" in name and name != receipt]
    assert newer
    line = Line()
    done = send_waiting(outbox, line, "host@example.org")
    assert done.spared == [receipt]
    assert receipt not in done.sent
    assert set(newer) <= set(done.sent)
    assert outbox.unsent() == ()
    assert send_waiting(outbox, line, "host@example.org").spared == []
    mine = [raw for to, raw in line.sent if to.startswith(f"{seat}@")]
    own = int(receipt.partition("-")[0])
    assert any(first <= own <= last for raw in mine for first, last in _records(raw)), (
        "its record came all the same"
    )


def test_a_receipt_that_is_alone_leaves(tmp_path: Path) -> None:
    _, outbox, seat = _playing(tmp_path)
    (receipt,) = [name for name in outbox.unsent() if f"-{seat}-receipt-accepted" in name]
    assert receipt in send_waiting(outbox, Line(), "host@example.org").sent


@pytest.mark.parametrize(
    ("head", "reader"),
    [
        ("To: Anna <Anna@example.org>", "anna@example.org"),
        ("To: anna@example.org", "anna@example.org"),
        ("To: burt@pbem.invalid", ""),
        ("To: nobody", ""),
        ("Subject: x", ""),
    ],
)
def test_who_reads_a_letter(head: str, reader: str) -> None:
    assert reader_of(f"{head}\r\n\r\nwords\r\n".encode()) == reader


def test_the_command_without_an_account_says_how_to_get_one(tmp_path: Path) -> None:
    friends = Friends(tmp_path).begin()
    home = tmp_path / "host" / "home"
    refused = run("host", "send", friends.match, "--home", home)
    assert refused.code == 2
    assert "pbem mail init" in refused.err
    marked = run("host", "send", friends.match, "--sent", "--home", home)
    assert (marked.code, marked.out.strip()) == (0, "2 emails are marked as sent.")
    assert "0 emails in" in friends.host("status").out
