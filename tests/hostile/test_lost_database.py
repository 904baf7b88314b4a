"""A service that had matches never begins again on a database that is not the one it wrote last.

Found by a host who deleted, truncated and overwrote ``service.db``: a new empty one was served, or the process went
round in circles with exit code nothing. Further members tried here: no bytes, zeros, another file's text, a page of a
record overwritten, a byte or an email of a record changed, a record that unpacks to very much, records missing at the
end and in the middle, an older backup, another host's database, another version's, the file removed or replaced while
the process runs, damage that comes while it runs, a damaged file of heads, and an empty database on a PostgreSQL
server.
"""

from __future__ import annotations

import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.base.errors import StoreError, UsageProblem
from pbem.cli.service import start_over
from pbem.host.database.database import Database, Transaction
from pbem.host.database.driver import VERSION, DatabaseDamaged, DatabaseNewer
from pbem.host.database.heads import Head, Heads
from pbem.host.database.matches import Matches
from pbem.host.service.check import behind_of, check_database
from pbem.host.service.service import Service
from pbem.player.mail.ports import Stop, always
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record.line import read_line
from tests.service.fakes import FakeMail
from tests.service.people import lines_in
from tests.service.postgres import Postgres, why_missing
from tests.service.table import Table
from tests.world import secret


def played(folder: Path) -> Table:
    """A match that has begun, with its heads noted in a file."""
    table = Table(folder, heads=Heads(folder / "service.heads.jsonl")).start()
    table.play(2)
    return table


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    table = played(tmp_path)
    yield table
    table.service.context.database.close()


def closed_file(table: Table) -> Path:
    """Close everything, so that the file alone holds the database; where it is."""
    table.service.close()
    path = Path(table.service.context.database.url.removeprefix("sqlite:///"))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    for name in ("-wal", "-shm"):
        path.with_name(path.name + name).unlink(missing_ok=True)
    return path


@contextmanager
def again(table: Table) -> Iterator[Service]:
    """The service as a new process finds it."""
    heads = Heads(table.folder / "service.heads.jsonl")
    service = Table(table.folder, mail=FakeMail(), heads=heads, fresh=False).service
    with closing(service.context):
        yield service


def changed(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement, values)
    connection.commit()
    connection.close()


def refused(table: Table, *words: str) -> None:
    with again(table) as service, pytest.raises(DatabaseDamaged) as fault:
        check_database(service.context)
    diagnosis = fault.value.diagnostics()
    for word in (*words, "pbem host"):
        assert word in diagnosis, diagnosis


def test_what_it_wrote_itself_is_taken(table: Table) -> None:
    closed_file(table)
    with again(table) as service:
        check_database(service.context)
        assert len(service.matches.lines(table.short)) == len(table.lines)


def test_deleted(table: Table) -> None:
    path = closed_file(table)
    path.unlink()
    refused(table, "is not there", table.short, "recover")
    assert not path.exists()  # and nothing was made in its place


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no bytes"),
        (bytes(65536), "not a database"),
        (b"this was a letter once, and long enough to look like something else" * 40, "not a database"),
    ],
)
def test_emptied_zeroed_or_something_else(table: Table, content: bytes, words: str) -> None:
    closed_file(table).write_bytes(content)
    refused(table, words, table.short)


def test_truncated(table: Table) -> None:
    path = closed_file(table)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 // 4096 * 4096])
    refused(table, "malformed")


def test_a_page_overwritten(table: Table) -> None:
    path = closed_file(table)
    raw = bytearray(path.read_bytes())
    middle = len(raw) // 2 // 4096 * 4096
    raw[middle : middle + 4096] = b"\xee" * 4096
    path.write_bytes(bytes(raw))
    refused(table, "damaged")


def _record(path: Path, seq: int) -> bytes:
    """A record as it is stored: packed."""
    with closing(sqlite3.connect(path)) as connection:
        (raw,) = connection.execute("SELECT raw FROM lines WHERE seq = ?", (seq,)).fetchone()
    return bytes(raw)


def test_one_byte_of_a_record_changed(table: Table) -> None:
    path = closed_file(table)
    record = _record(path, 2)[:200]  # the rest may be in another page
    raw = bytearray(path.read_bytes())
    raw[raw.index(record) + 100] ^= 1  # inside a row: no page is damaged, and the database notices nothing
    path.write_bytes(bytes(raw))
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    refused(table, table.short, "record")


def test_one_letter_of_a_record_changed(table: Table) -> None:
    """By somebody who packs it again."""
    path = closed_file(table)
    plain = zlib.decompress(_record(path, 2))
    assert plain.count(b'"kind":"join"') == 1
    changed(
        path, "UPDATE lines SET raw = ? WHERE seq = 2", zlib.compress(plain.replace(b'"join"', b'"jokn"'))
    )
    refused(table, table.short, "record")


def test_a_record_that_unpacks_to_very_much(table: Table) -> None:
    """It costs what a record may have, and is not one."""
    path = closed_file(table)
    changed(path, "UPDATE lines SET raw = ? WHERE seq = 2", zlib.compress(b"{" + bytes(64 * 2**20)))
    refused(table, table.short, "record")


@pytest.mark.parametrize("where", ["seq = 3", "seq = (SELECT MAX(seq) FROM lines)"])
def test_records_missing(table: Table, where: str) -> None:
    changed(closed_file(table), f"DELETE FROM lines WHERE {where}")  # noqa: S608 - written above
    refused(table, table.short, "were written")


def test_two_records_exchanged(table: Table) -> None:
    path = closed_file(table)
    connection = sqlite3.connect(path)
    two = connection.execute("SELECT raw FROM lines WHERE seq IN (2, 3) ORDER BY seq").fetchall()
    connection.close()
    changed(path, "UPDATE lines SET raw = ? WHERE seq = 2", two[1][0])
    changed(path, "UPDATE lines SET raw = ? WHERE seq = 3", two[0][0])
    refused(table, table.short, "record 2 does not continue")


def test_an_older_backup(table: Table, tmp_path: Path) -> None:
    older = shutil.copy(closed_file(table), tmp_path / "backup.db")
    table.play(2)
    count = len(table.lines)
    path = closed_file(table)
    shutil.copy(older, path)
    refused(table, f"record {count - 1} was signed", table.short, "--older-database")


def test_a_match_that_was_made_after_the_backup(table: Table, tmp_path: Path) -> None:
    older = shutil.copy(closed_file(table), tmp_path / "backup.db")
    other = Table(tmp_path, service=table.service, mail=table.mail, nonce="later").short
    shutil.copy(older, closed_file(table))
    refused(table, f"match {other} is not there")


def test_a_match_is_behind_by_what_was_signed_of_it_and_by_nothing_else(table: Table) -> None:
    """Of one history: every record up to the last is compared by its hash; a later history counts for an earlier."""
    with table.service.context.database.transaction() as transaction:
        matches = Matches(transaction)
        (row,) = matches.all()
        middle = read_line(matches.lines(row.game)[2]).hash.hex()
        here = {row.game: Head(0, row.seq, row.head)}
        assert here == table.service.context.heads.known()

        def behind(head: Head, *, era: int = 0, game: str = row.game) -> bool:
            return behind_of({game: head}, matches, [replace(row, era=era)]) == {game: head}

        assert not behind(here[row.game])
        assert not behind(Head(0, 2, middle))
        assert behind(Head(0, 2, row.head))
        assert behind(Head(0, 3, middle))
        assert behind(Head(0, row.seq, middle))
        assert behind(Head(0, row.seq + 1, row.head))
        assert behind(Head(0, 2, middle), game="there is none")
        assert not behind(Head(0, row.seq + 1, middle), era=1)
        assert behind(Head(2, 2, middle), era=1)
        assert not behind(Head(1, 2, middle), era=1)
        assert behind(Head(1, 2, row.head), era=1)


def test_another_record_than_was_signed(table: Table) -> None:
    """Of the same number, with everything behind it: only the hash that was noted shows it."""
    path, heads = closed_file(table), Heads(table.folder / "service.heads.jsonl")
    ((game, head),) = heads.known().items()
    heads.note(game, Head(1, head.seq, head.line))  # of a history that this database does not know
    heads.write()
    refused(table, table.short)
    heads.forget(game)
    heads.note(game, Head(0, head.seq, "0" * 64))
    heads.write()
    refused(table, table.short, f"holds another record {head.seq} than was signed")
    heads.forget(game)
    with again(table) as service:
        check_database(service.context)
        assert service.context.heads.known() == {game: head}
    assert path.exists()


def test_a_match_that_is_forgotten_is_noted_again_from_its_next_record_on(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    heads = Heads(path)
    heads.note("a", Head(1, 5, "x"))
    heads.write()
    heads.forget("a")
    assert heads.known() == {}
    assert Heads(path).known() == {}
    heads.note("a", Head(0, 2, "y"))
    heads.note("a", Head(0, 2, "z"))  # of the same number: the first one was signed
    heads.write()
    assert heads.known() == Heads(path).known() == {"a": Head(0, 2, "y")}
    other = Heads(path)
    other.note("a", Head(0, 3, "v"))
    heads.note("b", Head(0, 1, "w"))
    other.write()
    heads.reread()
    assert heads.known() == Heads(path).known() == {"a": Head(0, 3, "v"), "b": Head(0, 1, "w")}


def put_back(source: Path, path: Path) -> None:
    """As the database itself does it while others have it open."""
    with closing(sqlite3.connect(source)) as newest, closing(sqlite3.connect(path)) as connection:
        newest.backup(connection)


class Meanwhile(Database):
    """A database to which another process does something as soon as it was looked at once."""

    def __init__(self, url: str, done: Callable[[], object]) -> None:
        super().__init__(url)
        self._done = [done]

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        with super().reading() as transaction:
            yield transaction
        while self._done:
            self._done.pop()()


@pytest.mark.parametrize("repair", ["records put back", "newest database put back", "match given up"])
def test_what_another_process_repairs_after_the_first_look_is_no_damage(
    table: Table, tmp_path: Path, repair: str
) -> None:
    older = shutil.copy(closed_file(table), tmp_path / "backup.db")
    if repair == "match given up":
        Table(tmp_path, service=table.service, mail=table.mail, nonce="later")
    else:
        table.play(2)
    path, heads = closed_file(table), Heads(tmp_path / "service.heads.jsonl")
    newest = Path(shutil.copy(path, tmp_path / "newest.db"))
    *_, last = heads.known()
    if repair == "records put back":
        changed(path, "DELETE FROM lines WHERE seq = 3")
    else:
        shutil.copy(older, path)
    refused(table, table.short if repair != "match given up" else "is not there")
    with again(table) as service:
        service.context.database = Meanwhile(
            service.context.database.url,
            (lambda: heads.forget(last)) if repair == "match given up" else lambda: put_back(newest, path),
        )
        check_database(service.context)


def test_another_hosts_database(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Table(tmp_path / "other", host=Identity(secret("another host"))).start()
    theirs = closed_file(other)
    table = played(tmp_path)
    mine = closed_file(table)
    shutil.copy(theirs, mine)
    refused(table, "another host", other.short, "service.toml")
    (tmp_path / "service.heads.jsonl").unlink()  # not even then
    refused(table, "another host", other.short)


def test_a_database_of_a_newer_version(table: Table) -> None:
    changed(closed_file(table), "UPDATE alembic_version SET version_num = '77'")
    with (
        again(table) as service,
        pytest.raises(StoreError, match=r"form 77, this version of pbem knows up to form"),
    ):
        check_database(service.context)


def test_a_table_is_missing(table: Table) -> None:
    changed(closed_file(table), "DROP TABLE retained")
    refused(table, "is damaged: it has no table retained")


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_removed_or_replaced_while_the_service_runs(table: Table, tmp_path: Path, how: str) -> None:
    older = shutil.copy(closed_file(table), tmp_path / "backup.db")
    table.play(2)
    path = Path(table.service.context.database.url.removeprefix("sqlite:///"))
    path.unlink()
    if how == "replaced":
        shutil.copy(older, path)
    with pytest.raises(DatabaseDamaged, match="while this program ran"):
        table.service.serve(lambda: False, lambda _: pytest.fail("it waits"), lambda _: None)
    assert path.exists() == (how == "replaced")


def test_gone_back_while_the_service_runs(table: Table) -> None:
    path = Path(table.service.context.database.url.removeprefix("sqlite:///"))
    table.service.context.database.close()
    older = shutil.copy(closed_file(table), path.with_name("backup.db"))
    table.play(2)
    table.service.context.database.close()
    shutil.copy(older, closed_file(table))
    (player,) = table.asked()
    table.mail.arrive(player.mail(player.move()))
    with pytest.raises(DatabaseDamaged, match="has gone back"):
        table.service.serve(lambda: False, lambda _: pytest.fail("it waits"), lambda _: None)


def test_damage_while_the_service_runs_ends_it(table: Table) -> None:
    path = closed_file(table)
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\xee" * (len(raw) - 4096)
    path.write_bytes(bytes(raw))
    table.mail.arrive(b"From: anna@players.test\r\nMessage-ID: <d@x>\r\n\r\nSTATUS\r\n")
    with pytest.raises(DatabaseDamaged):
        table.service.serve(lambda: False, lambda _: pytest.fail("it waits"), lambda _: None)


def test_a_damaged_file_of_heads_is_said(table: Table) -> None:
    closed_file(table)
    path = table.folder / "service.heads.jsonl"
    whole = path.read_bytes()
    head = whole[: whole.index(b"\n") + 1]
    for raw in (b"", b"{}", b'{"pbem": "heads/1"}\n', head + b'["x", 1]\n', whole.replace(b'"', b"'", 3)):
        path.write_bytes(raw)
        with pytest.raises(StoreError, match=r"service.heads.jsonl is damaged"), again(table) as service:
            check_database(service.context)


def test_a_line_that_a_crash_cut_off_is_passed_over_and_the_next_one_counts(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    heads = Heads(path)
    heads.note("a", Head(0, 5, "x"))
    heads.write()
    path.write_bytes(path.read_bytes() + b'["a", 0, 6, "y')
    assert Heads(path).known() == {"a": Head(0, 5, "x")}
    later = Heads(path)
    later.note("b", Head(0, 1, "z"))
    later.write()
    assert Heads(path).known() == {"a": Head(0, 5, "x"), "b": Head(0, 1, "z")}


def test_what_a_round_adds_costs_what_the_round_did_and_the_journal_stays_short(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    heads = Heads(path)
    for number in range(3000):
        heads.note(f"match {number}", Head(0, 1, "x" * 64))
    heads.write()
    before = path.stat()
    heads.note("match 7", Head(0, 2, "y" * 64))
    heads.write()
    assert path.stat().st_ino == before.st_ino
    assert path.stat().st_size - before.st_size < 100
    for number in range(3, 13_000):
        heads.note("match 7", Head(0, number, "z" * 64))
        if number % 1000 == 0:
            heads.write()
    heads.write()
    with path.open("ab") as file:  # as workers do in a year
        file.writelines(b'["match 7", 0, 1, "x"]\n' for _ in range(12_000))
    assert len(Heads(path).known()) == 3000
    assert len(path.read_bytes().splitlines()) == 3001
    assert Heads(path).known()["match 7"].seq == 12_999


def test_heads_of_two_processes_are_put_together(tmp_path: Path) -> None:
    first, two = Heads(tmp_path / "h.json"), Heads(tmp_path / "h.json")
    first.note("a", Head(0, 5, "x"))
    two.note("a", Head(0, 3, "w"))
    two.note("b", Head(1, 2, "y"))
    two.note("b", Head(0, 9, "z"))  # of a history that was given up
    first.write()
    two.write()
    assert Heads(tmp_path / "h.json").known() == {"a": Head(0, 5, "x"), "b": Head(1, 2, "y")}


def configured(folder: Path) -> Path:
    path = folder / "service.toml"
    path.write_text(
        'address = "games@pbem.test"\n[operator]\naddress = "boss@pbem.test"\n'
        '[smtp]\nhost = "localhost"\nport = 1\nuser = "x"\npassword_env = "NONE"\n'
    )
    return path


def test_begin_again_on_purpose(table: Table) -> None:
    path, config = closed_file(table), configured(table.folder)
    with pytest.raises(UsageProblem, match="there is a database at"):
        start_over(config)
    path.rename(path.with_name("damaged.db"))
    report = start_over(config)
    assert f"pbem host recover {table.short}" in report
    assert (table.folder / "service.heads.jsonl.old").exists()
    with again(table) as service:
        check_database(service.context)
        assert service.matches.status() == []


@pytest.mark.skipif(bool(why_missing()), reason=why_missing())
def test_an_empty_database_on_a_postgresql_server(tmp_path: Path) -> None:
    with Postgres() as server:
        heads = Heads(tmp_path / "service.heads.jsonl")
        table = Table(tmp_path, url=server.url("one"), heads=heads).start()
        table.service.close()
        empty = Table(tmp_path, url=server.url("two"), heads=Heads(heads.path), fresh=False).service
        with pytest.raises(DatabaseDamaged, match="no tables") as fault:
            check_database(empty.context)
        assert table.short in str(fault.value)
        empty.close()
        right = Table(tmp_path, url=table.service.context.database.url, heads=heads, fresh=False).service
        check_database(right.context)
        right.close()


@pytest.mark.parametrize("form", [VERSION + 1, VERSION - 1])
def test_a_worker_stops_when_another_version_has_changed_the_database(table: Table, form: int) -> None:
    """Newer or older: it rules nothing more, and says why; put right, it goes on."""
    records = list(table.lines)
    path = Path(table.service.context.database.url.removeprefix("sqlite:///"))
    player = table.asked()[0]
    mail = player.mail(player.move())
    changed(path, "UPDATE alembic_version SET version_num = ?", str(form))
    with pytest.raises(DatabaseNewer, match=f"has form {form} now") as refused_for:
        table.send(mail)
    assert "Start this worker again" in str(refused_for.value.hint)
    changed(path, "UPDATE alembic_version SET version_num = ?", str(VERSION))
    assert list(table.lines) == records
    table.send(mail)
    assert len(list(table.lines)) > len(records)


def test_what_was_signed_is_noted_on_the_disk_before_a_letter_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "service.heads.jsonl"
    noted: list[tuple[int, int]] = []

    class Watched(FakeMail):
        def send(self, env_from: str, to: Sequence[str], raw: bytes, envid: str, may: Stop = always) -> None:
            newest = [read_line(line).seq for line in lines_in(raw)][-1:]
            noted.extend((seq, max(head.seq for head in Heads(path).known().values())) for seq in newest)
            super().send(env_from, to, raw, envid, may)

    table = Table(tmp_path, mail=Watched(), heads=Heads(path)).start()
    table.play(3)
    table.service.close()
    assert len({seq for seq, _ in noted}) > 5
    assert all(noted >= seq for seq, noted in noted)
