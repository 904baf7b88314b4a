"""A host whose record is older than what they have signed: it notices by its own signature, stops, and is repaired.

Found by a host who put an older ``service.db`` back: a player whose copy was one record ahead was refused ("your copy
departs from the host's"), the operator was not alerted, and the next ruling would have signed a second history.
Further members tried here: two backups in a row, the time of an outage given back over a lost record, a match
that was made after the backup, a seat that was taken after it, files of a history that was given up,
invented heads, heads of another match of the same host and of another host, records that
come in pieces that are missing, repeated, out of order, altered or of another match, from strangers, by the
service's own witness copies, and the same in a folder that a host leads by hand.
"""

from __future__ import annotations

import copy
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.base.errors import FormatError, RefusedError, UsageProblem
from pbem.game import JsonObject
from pbem.host.database.driver import DatabaseDamaged
from pbem.host.database.heads import Heads
from pbem.host.database.times import MOST_PIECES, Stops
from pbem.host.recover import recover_served
from pbem.host.service.check import check_database
from pbem.player.mail.gate import MAX_MESSAGE
from pbem.player.mail.pieces import PIECE, pack, read_piece, unpack
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import make_file
from pbem.protocol.record import Deadlines
from tests.service.fakes import FakeMail, fake_service
from tests.service.people import Player, parse
from tests.service.table import Table
from tests.world import secret

PLAIN = Deadlines(hours=48, grace=24, again=0)


def begun(folder: Path, **more: Any) -> Table:
    """Everybody is there, and two files were ruled on."""
    table = Table(folder, deadlines=PLAIN, **more).start()
    table.play(2)
    return table


@cache
def _first() -> tuple[Table, bytes]:
    """Such a table, and its database; nobody goes on with it."""
    with tempfile.TemporaryDirectory() as folder:
        table = begun(Path(folder))
        table.service.close()
        return table, path_of(table).read_bytes()


def seated(folder: Path) -> Table:
    """The same as ``begun``, played once for all tests."""
    first, database = _first()
    (folder / "service.db").write_bytes(database)
    mail = FakeMail(dict(first.mail.inbox), copy.deepcopy(first.mail.folders), list(first.mail.delivered))
    mail.count = first.mail.count
    table = Table(folder, mail=mail, fresh=False)
    table.short, table.words, table.players = first.short, first.words, {}
    table.clock.tick((first.clock.time - table.clock.time).total_seconds())
    table.read()  # what was delivered so far has its readers
    for seat, player in first.players.items():
        mine = replace(
            player, letters=list(player.letters), lines=list(player.lines), files=list(player.files)
        )
        mine.number, mine.salt = player.number, copy.copy(player.salt)
        table.players[seat] = mine
    return table


def path_of(table: Table) -> Path:
    return Path(table.service.context.database.url.removeprefix("sqlite:///"))


def backup(table: Table, name: str = "backup.db") -> Path:
    """The database as it stands now, written elsewhere."""
    target = path_of(table).with_name(name)
    target.unlink(missing_ok=True)
    source, copy = sqlite3.connect(path_of(table)), sqlite3.connect(target)
    source.backup(copy)
    source.close()
    copy.close()
    return target


def put_back(table: Table, older: Path, **more: Any) -> None:
    """The service is stopped, an older database stands in its place, and it is started again.

    Copies of its own emails that lie in the mailbox would bring the lost records back at once: they are filed away.
    """
    table.service.close()
    for uid in [uid for uid, raw in table.mail.inbox.items() if b"From: Saturday table" in raw]:
        del table.mail.inbox[uid]
    path = path_of(table)
    for name in ("", "-wal", "-shm"):
        path.with_name(path.name + name).unlink(missing_ok=True)
    shutil.copy(older, path)
    table.clock.tick(90)  # the lease that stands in it runs out
    table.service = fake_service(table.folder, table.mail, table.clock, **more)


def awaited(table: Table) -> Player:
    (player,) = table.asked()
    return player


def older(folder: Path, moves: int = 2, **more: Any) -> Table:
    """A table whose host has lost the records of the last moves."""
    table = begun(folder, **more) if more else seated(folder)
    kept = backup(table)
    table.play(moves)
    put_back(table, kept)
    return table


def stopped(table: Table) -> str:
    (facts,) = [row for row in table.service.matches.status() if row["match"] == table.short]
    return str(facts.get("stopped", {}).get("state", ""))


def brought(player: Player, *attachments: bytes, sender: str = "") -> bytes:
    """A mail with these attachments."""
    from email import message_from_bytes, policy
    from email.message import EmailMessage

    message = message_from_bytes(player.write("here they are\n", sender=sender), policy=policy.SMTP)
    assert isinstance(message, EmailMessage)
    for data in attachments:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename="lines")
    return message.as_bytes()


def pieces(player: Player, after: int, size: int = PIECE) -> list[bytes]:
    packed = pack(player.record.game, player.lines[after + 1 :], size)
    assert all(len(brought(player, piece)) < MAX_MESSAGE for piece in packed)
    return packed


def sound(table: Table) -> None:
    report = audit(table.lines)
    assert report.ok, report.faults
    for player in table.players.values():
        assert table.lines[: len(player.lines)] == player.lines
    names = [(str(parse(raw)["Message-ID"]), to) for to, raw in table.mail.delivered]
    assert len(set(names)) == len(names)


def text_of(raw: bytes) -> str:
    body = parse(raw).get_body(("plain",))
    assert body is not None
    return str(body.get_content())


# --- it is noticed, and repaired ------------------------------------------------------------------------------


def test_the_head_that_a_player_saw_stops_the_match_and_blames_nobody(tmp_path: Path) -> None:
    table = older(tmp_path)
    here = len(table.lines)
    player = awaited(table)
    letters = len(player.letters)
    table.send(player.mail(player.move()))
    assert len(table.lines) == here  # nothing was signed
    assert stopped(table) == "older"
    (asked,) = player.letters[letters:]
    assert "Your records are needed" in str(parse(asked)["Subject"])
    assert f"pbem update . --for-host {here} --send" in text_of(asked)
    (alarm,) = [
        raw for raw in table.mail.letters("boss@pbem.test") if parse(raw)["X-Pbem-Alarm"] == "older-state"
    ]
    assert f"pbem host recover {table.short}" in text_of(alarm)
    table.pass_time(200)  # no default, no burn, no reminder, and nobody is asked twice
    assert len(table.lines) == here
    assert len(player.letters) == letters + 1
    with pytest.raises(RefusedError, match="stands still"):
        table.service.matches.act(table.short, lambda *_: pytest.fail("it acts"))


def test_the_missing_records_repair_it_and_the_file_that_waited_is_ruled_on_once(tmp_path: Path) -> None:
    table = older(tmp_path)
    player, here = awaited(table), len(table.lines)
    table.send(player.mail(player.move()))
    table.pass_time(100)
    lost = player.lines[here:]
    table.send(brought(player, *pieces(player, here - 1)))
    assert stopped(table) == ""
    assert table.lines[here : here + len(lost)] == lost
    kinds = [line.kind for line in awaited(table).record.lines[here + len(lost) :]]
    assert kinds[:2] == ["extend", "turn"]  # first the time that it stood still, then what waited
    table.play(4)
    sound(table)


def test_the_game_file_as_it_lies_in_the_folder_will_do(tmp_path: Path) -> None:
    table = older(tmp_path)
    player = awaited(table)
    raw = player.mail(player.move())
    table.send(raw)
    table.send(brought(player, b"".join(line + b"\r\n" for line in player.lines)))
    assert stopped(table) == ""
    table.play(2)
    sound(table)


def test_the_records_may_come_with_the_file(tmp_path: Path) -> None:
    table = older(tmp_path)
    player = awaited(table)
    table.send(player.mail(player.move()))
    table.send(brought(player, *pieces(player, 0)))
    sound(table)


def test_it_outlives_a_restart(tmp_path: Path) -> None:
    table = older(tmp_path)
    player, here = awaited(table), len(table.lines)
    table.send(player.mail(player.move()))
    letters = len(table.mail.delivered)
    put_back(table, backup(table, "now.db"))
    table.pump()
    table.pass_time(3)
    assert (stopped(table), len(table.lines), len(table.mail.delivered)) == ("older", here, letters)
    table.send(brought(player, *pieces(player, here - 1)))
    assert stopped(table) == ""
    sound(table)


def test_a_backup_put_back_twice(tmp_path: Path) -> None:
    table = seated(tmp_path)
    kept = backup(table)
    for _ in range(2):
        table.play(2)
        put_back(table, kept)
        player, here = awaited(table), len(table.lines)
        table.send(player.mail(player.move()))
        assert stopped(table) == "older"
        table.send(brought(player, *pieces(player, here - 1)))
        assert stopped(table) == ""
    table.play(4)
    sound(table)


def test_the_time_of_an_outage_is_not_given_back_over_a_lost_record(tmp_path: Path) -> None:
    table = older(tmp_path)
    player, here = awaited(table), len(table.lines)
    table.clock.tick(30 * 3600)
    table.send(player.mail(player.move()))
    assert (stopped(table), len(table.lines)) == ("older", here)
    table.send(brought(player, *pieces(player, here - 1)))
    assert stopped(table) == ""
    table.play(2)
    sound(table)


def test_a_seat_that_was_taken_after_the_backup(tmp_path: Path) -> None:
    table = Table(tmp_path, deadlines=PLAIN).invite()
    kept = backup(table)
    for player in table.players.values():
        table.send(player.mail(player.join(table.words[player.seat])))
    put_back(table, kept)
    anna = table.players["anna"]
    table.send(anna.mail(anna.ready()))  # the database does not know that anybody has that seat
    assert stopped(table) == "older"
    table.send(brought(anna, *pieces(anna, 0)))
    assert stopped(table) == ""
    burt = table.players["burt"]
    table.send(burt.mail(burt.ready()))
    table.play(2)
    sound(table)


def test_a_match_that_was_made_after_the_backup(tmp_path: Path) -> None:
    table = seated(tmp_path)
    kept = backup(table)
    other = Table(tmp_path, service=table.service, mail=table.mail, nonce="later")
    other.clock, other._read = table.clock, len(table.mail.delivered)
    other.start()
    put_back(table, kept)
    other.service = table.service
    player = awaited(other)
    other.send(player.mail(player.move()))
    assert f"lost match {other.short}" in table.quarantined()[0]
    assert f"pbem host recover {other.short}" in table.notes("lost-match")[0]
    with pytest.raises(UsageProblem, match="no copy of it was named"):
        recover_served(table.service.context, other.short, [])
    recover_served(table.service.context, other.short, [("anna", player.lines)])
    here = len(player.lines)
    other.pump()  # the quarantined file is processed again
    assert len(other.lines) > here
    other.play(2)
    sound(other)


def test_the_services_own_letters_bring_its_records_back(tmp_path: Path) -> None:
    table = seated(tmp_path)
    kept = backup(table)
    table.play(2)
    own = [raw for _, raw in table.mail.delivered if "game-" in raw.decode("latin-1")]
    put_back(table, kept)
    here = len(table.lines)
    for raw in own:  # they lie in the mailbox still, or a person moves them back into it
        table.mail.arrive(raw)
    table.pump()
    assert stopped(table) == ""
    assert len(table.lines) > here
    sound(table)


def test_a_known_older_database_asks_everybody(tmp_path: Path) -> None:
    from pbem.host.database.matches import Matches
    from pbem.host.service.check import accept_older
    from pbem.host.service.heal import Healer

    heads = Heads(tmp_path / "service.heads.jsonl")
    table = begun(tmp_path, heads=heads)
    kept = backup(table)
    table.play(2)
    put_back(table, kept, heads=Heads(heads.path))
    with pytest.raises(DatabaseDamaged, match="older than what this service has signed"):
        check_database(table.service.context)
    behind, gone = accept_older(table.service.context)
    assert (len(behind), gone) == (1, [])
    with table.service.context.database.transaction() as transaction:
        match = Matches(transaction).find(behind[0])
        assert match is not None
        Healer(table.service.context, transaction).stop_all_know(match)
    check_database(table.service.context)
    counts = {seat: len(player.letters) for seat, player in table.players.items()}
    table.pump()
    assert all(len(player.letters) == counts[seat] + 1 for seat, player in table.players.items())
    player = max(table.players.values(), key=lambda player: len(player.lines))
    table.send(brought(player, *pieces(player, 0)))
    assert stopped(table) == ""
    table.play(2)
    sound(table)


# --- what stops nothing ---------------------------------------------------------------------------------------


def retold(player: Player, seen: JsonObject) -> JsonObject:
    """A turn of this player that claims to have seen something else."""
    body = {**player.turn(say="hello")["body"], "seen": seen}
    return make_file("turn", body, player.identity.sign_key, player.identity.sign_public)


def test_invented_heads_stop_nothing(tmp_path: Path) -> None:
    table = seated(tmp_path)
    other = Table(tmp_path, service=table.service, mail=table.mail, nonce="another")
    other.clock, other._read = table.clock, len(table.mail.delivered)
    other.start()
    table._read = len(table.mail.delivered)
    (tmp_path / "else").mkdir()
    foreign = Table(tmp_path / "else", host=Identity(secret("another host"))).start()
    player = awaited(table)
    right = player.record.head.seen
    invented = [
        {**right, "seq": right["seq"] + 1},
        {**right, "line": b64(bytes(32))},
        {**right, "seq": right["seq"] + 5, "sig": b64(bytes(64))},
        other.players["anna"].record.head.seen,
        {**other.players["anna"].record.head.seen, "seq": right["seq"] + 1},
        foreign.players["anna"].record.head.seen,
    ]
    for seen in invented:
        here, letters = len(table.lines), len(player.letters)
        table.send(player.mail(retold(player, seen)))
        assert (stopped(table), len(table.lines)) == ("", here), seen
        assert "Refused: " in table.subjects(player.seat)[-1]
        assert "the match went on before it came. Save this email" in " ".join(
            text_of(player.letters[-1]).split()
        )
        assert len(player.letters) == letters + 1
    assert table.notes("older-state") == table.notes("forked-state") == []
    table.play(2)
    sound(table)


# --- pieces ---------------------------------------------------------------------------------------------------


def waiting(folder: Path, moves: int = 3) -> tuple[Table, Player, int]:
    """A match that is stopped, who can repair it, and the newest record here."""
    table = older(folder, moves)
    player, here = awaited(table), len(table.lines)
    table.send(player.mail(player.move()))
    assert stopped(table) == "older"
    return table, player, here - 1


def test_pieces_out_of_order_repeated_and_one_late(tmp_path: Path) -> None:
    table, player, here = waiting(tmp_path)
    packed = pieces(player, here, 1500)
    assert len(packed) > 4
    for piece in (*reversed(packed[1:]), packed[2], packed[2]):
        table.send(brought(player, piece))
        assert stopped(table) == "older"
    assert "still missing: 1" in text_of(player.letters[-1])
    table.send(brought(player, packed[0]))
    assert stopped(table) == ""
    sound(table)


BENT: tuple[tuple[Callable[[bytes], bytes], str], ...] = (
    (lambda raw: raw[:-1] + bytes([raw[-1] ^ 1]), "altered"),
    (lambda raw: raw[:-40], "altered"),
    (lambda raw: raw.replace(b'"piece":1', b'"piece":2'), "altered"),
    (lambda raw: raw.replace(b'"piece":1', b'"piece":0'), "number"),
    (lambda raw: raw.replace(b'"piece":1', b'"peice":1'), "says"),
    (lambda raw: raw[: len(raw) // 2].partition(b"\n")[0] + b"\n", "one line"),
)


def test_an_altered_piece_is_said_and_spoils_nothing(tmp_path: Path) -> None:
    table, player, here = waiting(tmp_path)
    packed = pieces(player, here, 1500)
    for bend, words in BENT:
        table.send(brought(player, bend(packed[0])))
        assert words in text_of(player.letters[-1])
        assert stopped(table) == "older"
    table.send(brought(player, *packed[:20]))
    for piece in packed[20:]:
        table.send(brought(player, piece))
    assert stopped(table) == ""
    sound(table)


def test_a_gap_is_named(tmp_path: Path) -> None:
    table, player, here = waiting(tmp_path)
    rest = player.lines[here + 2 :]
    table.send(brought(player, b"".join(line + b"\n" for line in rest)))
    assert f"record {here + 1} is still missing" in text_of(player.letters[-1])
    table.send(brought(player, player.lines[here + 1] + b"\n"))
    assert stopped(table) == ""
    sound(table)


def test_records_of_another_match_and_forged_ones_are_not_kept(tmp_path: Path) -> None:
    table, player, here = waiting(tmp_path)
    (tmp_path / "else").mkdir()
    foreign = Table(tmp_path / "else", host=Identity(secret("another host"))).start()
    forged = [line.replace(b'"at":"2', b'"at":"3', 1) for line in player.lines[here + 1 :]]
    for lines in (foreign.players["anna"].lines, forged, player.lines[: here + 1]):
        table.send(brought(player, b"".join(line + b"\n" for line in lines)))
        assert "no record of this match" in text_of(player.letters[-1])
    table.send(brought(player, *pack(foreign.players["anna"].record.game, foreign.players["anna"].lines)))
    assert stopped(table) == "older"
    table.send(brought(player, *pieces(player, here)))
    assert stopped(table) == ""
    sound(table)


def test_strangers_are_not_asked_for_records(tmp_path: Path) -> None:
    table, player, here = waiting(tmp_path)
    count = len(table.mail.delivered)
    table.send(brought(player, *pieces(player, here), sender="mallory@elsewhere.test"))
    assert stopped(table) == "older"
    assert len(table.mail.delivered) == count
    other = next(other for other in table.players.values() if other is not player)
    table.send(
        brought(other, *pieces(player, here))
    )  # from whom they come does not matter, as long as they have that seat
    assert stopped(table) == ""
    sound(table)


def test_pieces_are_bounded() -> None:
    import zlib

    bomb = zlib.compress(bytes(80 * 1024 * 1024), 9)
    with pytest.raises(FormatError, match="too much"):
        unpack({1: bomb})
    with pytest.raises(FormatError):
        unpack({1: b"x"})
    with pytest.raises(FormatError, match="too short"):
        unpack({1: zlib.compress(b"a\n" * 2_000_000, 9)})
    assert read_piece(b"something else") is None
    with pytest.raises(FormatError, match="at most"):
        pack(bytes(32), [b64(secret(str(number))).encode() for number in range(99)], 1)


def test_junk_pieces_do_not_keep_the_right_ones_out(tmp_path: Path) -> None:
    """Nobody signs a piece, and a sender proves nothing: so the space that they take is everybody's."""
    table, player, here = waiting(tmp_path)
    packed = pieces(player, here, 1500)
    table.send(brought(player, packed[0]))
    with table.service.context.database.transaction() as transaction:
        stops = Stops(transaction)
        for number in range(MOST_PIECES - 1):
            stops.keep_piece(b64(player.record.game), f"junk {number}", 1, b"x")
    for piece in packed[1:]:
        table.send(brought(player, piece))
    assert stopped(table) == ""
    sound(table)


def test_nothing_behind_a_foreign_line_is_looked_at(tmp_path: Path) -> None:
    """A piece unfolds a thousandfold, so its lines are read up to the first that this host has not signed."""
    table, player, here = waiting(tmp_path)
    rest = player.lines[here + 1 :]
    mixed = b"".join(
        line + b"\n" for line in (rest[0], rest[1].replace(b'"at":"2', b'"at":"3', 1), *rest[1:])
    )
    table.send(brought(player, mixed))
    assert "1 record is kept" in text_of(player.letters[-1])
    assert f"record {here + 2} is still missing" in text_of(player.letters[-1])
    table.send(brought(player, mixed, b"".join(line + b"\n" for line in rest)))
    assert stopped(table) == ""
    sound(table)
