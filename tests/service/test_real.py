"""Whole matches over real Postfix and Dovecot: four mailboxes, every email delivered, threaded and parsed back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path

import pytest

from pbem.host.config import Keep
from pbem.host.database.database import Database
from pbem.host.service.service import Service
from pbem.player.mail.gate import peek_message_id
from pbem.player.mail.imap import ImapMailbox
from pbem.protocol.audit import audit
from pbem.protocol.referee import MatchPlan
from tests.mail.stack import MailStack, why_missing
from tests.needed import require
from tests.service.people import Player, headers
from tests.service.real import Place, Postbox, database_url, real_service, rounds, sent_to
from tests.world import secret

SEATS = ("anna", "burt", "curt", "dora")
HOW = ("attachment", "armour", "json")
SHORT = {"wyatt-earp": "nonce-19", "way-out-west": "nonce-4"}
"""Nonces of whole matches that are short: three hands in 136 files, and all nine game turns in 142."""


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    require(why_missing())
    with MailStack(("games", "boss", *SEATS)) as stack:
        yield Place(stack.ports, str(stack.ca_file))


def play(service: Service, boxes: Sequence[Postbox], game: str, limit: int) -> tuple[str, int]:
    """A match from its invitation to its end, by mail alone; its name and how many files were sent."""
    seats = [box.player.seat for box in boxes]
    short = service.matches.create(MatchPlan(game, seats), secret(SHORT[game])[:16])
    words = service.matches.invite(short, {box.player.seat: box.player.address for box in boxes})
    rounds(service, boxes, lambda: all(box.player.lines for box in boxes))
    for box, invited in zip(boxes, words, strict=True):
        box.send(box.player.mail(box.player.join(invited.word)))
    files = len(boxes)
    rounds(service, boxes, lambda: all(box.player.asked for box in boxes))
    while files < limit:
        asked = [box for box in boxes if box.player.asked]
        if not asked:
            break
        for box in asked:
            box.send(box.player.mail(box.player.move(), HOW[files % len(HOW)]))
            files += 1
        expected = {box.player.seat: len(box.player.lines) + 1 for box in asked}
        rounds(
            service,
            boxes,
            lambda e=expected: all(len(b.player.lines) >= e.get(b.player.seat, 0) for b in boxes),
        )
        rounds(service, boxes, lambda: any(b.player.asked or b.player.record.over for b in boxes))
    return short, files


def check_mailboxes(service: Service, boxes: Sequence[Postbox]) -> None:
    """Every email that was sent lies in its mailbox once, refers to the first one, and reads back."""
    for box in boxes:
        expected = sent_to(service, box.player.address)
        box.read_until(len(expected))
        messages = [headers(raw) for raw in box.player.letters]
        got = Counter(str(message["Message-ID"]) for message in messages)
        assert set(got) == set(expected)
        assert set(got.values()) == {1}
        root = expected[0]
        for message in messages[1:]:
            assert str(message["References"]).split()[0] == root
        for raw in box.player.letters:
            parts = [part for part in message_from_bytes(raw).walk() if part.get_filename() is None]
            bodies = {part.get_content_type(): part.get_payload(decode=True) for part in parts}
            assert bodies["text/html"]
            assert bodies["text/plain"]


def check_that_copies_go(place: Place, url: str, short: str, lines: Sequence[bytes]) -> None:
    """A hundred days later nothing of the match lies in the mailbox's folders any more, and its records do."""
    folders, since = ("Processed", "Quarantine", "INBOX"), datetime.now(UTC).date() - timedelta(days=2)
    box = ImapMailbox(lambda: place.account(place.imap, "games"), folders=("Processed", "Quarantine"))
    with closing(Database(url)) as database, database.transaction() as transaction:
        mine = {str(name) for (name,) in transaction.run("SELECT message_id FROM outbox WHERE game <> ''")}
        mine |= {peek_message_id(bytes(raw)) for (raw,) in transaction.run("SELECT raw FROM inbox")}
    kept = {peek_message_id(raw) for raw in box.kept(folders, since)}
    assert len(mine & kept) > 20
    later = real_service(
        place, url, keep=Keep(90, 90, 90), clock=lambda: datetime.now(UTC) + timedelta(days=100)
    )
    later.time.clock_is_right()
    for _ in range(30):
        done = later.run_once()
        assert not done.troubles
        if not done.anything:
            break
    assert mine & {peek_message_id(raw) for raw in box.kept(folders, since)} == set()
    assert later.matches.lines(short) == lines
    later.close()
    box.close()


@pytest.mark.slow
@pytest.mark.parametrize("game", ["wyatt-earp", "way-out-west"])
def test_a_whole_match_through_real_servers(place: Place, tmp_path: Path, game: str) -> None:
    service = real_service(place, database_url(tmp_path))
    boxes = [Postbox(place, Player(seat, seed=game)) for seat in SEATS]
    for box in boxes:
        box.read()  # whatever an earlier test left there
        box.player.letters.clear()
        box.player.lines.clear()
    short, files = play(service, boxes, game, 3000)
    rounds(service, boxes, lambda: not service.run_once().anything)
    lines = service.matches.lines(short)
    rounds(service, boxes, lambda: all(len(box.player.lines) >= len(lines) for box in boxes))
    assert all(box.player.record.over for box in boxes)
    assert all(box.player.lines == lines for box in boxes)
    assert audit(lines).ok
    check_mailboxes(service, boxes)
    assert set(service.counts()) == {"sent"}
    print(f"{game}: {files} files in, {service.counts()['sent']} letters out, {len(lines)} records")
    service.close()
    check_that_copies_go(place, database_url(tmp_path), short, lines)
    for box in boxes:
        box.close()
