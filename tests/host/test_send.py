"""``pbem host send``: a folder's emails leave once each and are marked; what nobody has an address for is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pbem.cli.clients import clock
from pbem.cli.host_send import OneAccount
from pbem.game import JsonObject
from pbem.host import FolderHost
from pbem.player.mail.ports import MailTrouble, NotSent, Unknown, always
from pbem.player.store import Outbox, find_match_folder
from tests.cli.seats import Friends, make_identity, run


class Line:
    """A way out that keeps what it is given, or does what it is asked to."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes]] = []
        self.faults: dict[str, MailTrouble] = {}

    def send(
        self, env_from: str, to: Sequence[str], raw: bytes, envid: str, may: Callable[[], bool] = always
    ) -> None:
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


class Post:
    """The host of friends who only hand each other files, and what waits in the outbox."""

    def __init__(self, friends: Friends) -> None:
        self.friends = friends
        self._host = make_identity(friends.root / "host" / "again", "host", "host")

    @property
    def outbox(self) -> Outbox:
        """The emails as they lie in the folder."""
        return find_match_folder(self.friends.match).outbox

    def _client(self) -> FolderHost:
        return FolderHost(self.friends.match, self._host, clock)

    def send(self, line: Line) -> JsonObject:
        """All that waits leaves."""
        host = self._client()
        try:
            return host.send(OneAccount("host@example.org", line))
        finally:
            host.close()

    def mark(self) -> list[str]:
        """All that waits was handed over."""
        host = self._client()
        try:
            return host.mark_sent()
        finally:
            host.close()


@pytest.fixture
def post(tmp_path: Path) -> Post:
    options = ("--mail", "host@example.org", "--to", "anna=anna@example.org")
    return Post(Friends(tmp_path, options=options).begin())


def test_everything_that_waits_leaves_once(post: Post) -> None:
    line = Line()
    waited = post.outbox.unsent()
    done = post.send(line)
    assert [to for to, _ in line.sent] == ["anna@example.org"]
    assert len(done["sent"]) == len(done["no_address"]) == 1  # nobody has given burt's address
    assert set(done["sent"] + done["no_address"]) == set(waited)
    assert post.outbox.unsent() == tuple(done["no_address"])
    assert post.send(line)["sent"] == []
    assert len(line.sent) == 1


def test_what_lies_in_the_outbox_is_what_leaves(post: Post) -> None:
    line = Line()
    (name,) = [name for name in post.outbox.unsent() if "-anna-" in name]
    printed = post.outbox.read(name)
    post.send(line)
    assert [raw for _, raw in line.sent] == [printed]


def test_what_was_handed_over_is_marked(post: Post) -> None:
    assert len(post.mark()) == 2
    assert post.outbox.unsent() == ()


@pytest.mark.parametrize("fault", [NotSent("no such box", final=True), Unknown("the line broke")])
def test_what_did_not_leave_waits(post: Post, fault: MailTrouble) -> None:
    line = Line()
    line.faults["anna@example.org"] = fault
    done = post.send(line)
    assert len(done["refused"]) + len(done["doubtful"]) == 1
    assert len(post.outbox.unsent()) == 2
    line.faults.clear()
    assert len(post.send(line)["sent"]) == 1


def test_a_server_that_is_away_stops_it(post: Post) -> None:
    line = Line()
    line.faults["anna@example.org"] = MailTrouble("away")
    with pytest.raises(MailTrouble):
        post.send(line)
    assert len(post.outbox.unsent()) == 2


def _playing(folder: Path) -> tuple[Post, str]:
    """A match whose first turn has just ended by a file; what is there is sent but for the emails of that file."""
    addresses = [f"--to={seat}={seat}@example.org" for seat in ("anna", "burt")]
    post = Post(Friends(folder, options=("--mail", "host@example.org", *addresses)).begin().join_and_ready())
    seat = post.friends.status()["waiting"]["seat"]
    while post.friends.status()["waiting"]["seat"] == seat:
        post.mark()
        _moves(post.friends, seat)
    return post, seat


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
    post, seat = _playing(tmp_path)
    (receipt,) = [name for name in post.outbox.unsent() if f"-{seat}-receipt-accepted" in name]
    other = next(other for other in post.friends.seats if other != seat)
    while post.friends.status()["waiting"]["seat"] != seat:
        _moves(post.friends, other)
    newer = [name for name in post.outbox.unsent() if f"-{seat}-" in name]
    assert newer
    assert receipt not in newer
    line = Line()
    done = post.send(line)
    assert receipt not in done["sent"]
    assert set(newer) <= set(done["sent"])
    assert post.outbox.unsent() == ()
    mine = [raw for to, raw in line.sent if to.startswith(f"{seat}@")]
    own = int(receipt.partition("-")[0])
    assert any(first <= own <= last for raw in mine for first, last in _records(raw)), (
        "its record came all the same"
    )


def test_a_receipt_that_is_alone_leaves(tmp_path: Path) -> None:
    post, seat = _playing(tmp_path)
    (receipt,) = [name for name in post.outbox.unsent() if f"-{seat}-receipt-accepted" in name]
    assert receipt in post.send(Line())["sent"]


def test_the_command_without_an_account_says_how_to_get_one(tmp_path: Path) -> None:
    friends = Friends(tmp_path).begin()
    home = tmp_path / "host" / "home"
    refused = run("host", "send", friends.match, "--home", home)
    assert refused.code == 2
    assert "pbem mail init" in refused.err
    marked = run("host", "send", friends.match, "--sent", "--home", home)
    assert (marked.code, marked.out.strip()) == (0, "2 emails are marked as sent.")
    assert "0 emails in" in friends.host("status").out
