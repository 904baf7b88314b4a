"""Backup and restore against a match that went on in between; forms of the database, older and newer."""

from __future__ import annotations

import gzip
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory

from pbem.base.errors import StoreError, UsageProblem
from pbem.host.database import forms
from pbem.host.database.backup import back_up, put_back
from pbem.host.database.database import Database, Transaction, connect, newest
from pbem.host.database.driver import VERSION, DatabaseNewer
from pbem.host.database.heads import Heads
from pbem.host.database.mail import OutboxRows
from pbem.host.database.notes import MailNotes
from pbem.host.database.tables import TABLES
from pbem.host.service.check import check_database
from pbem.host.service.letters import Letterbox
from pbem.host.service.restore import Restored
from pbem.host.service.service import Service
from pbem.player.mail import content_of
from pbem.protocol.audit import audit
from tests.needed import require
from tests.service.fakes import HOST, fake_service
from tests.service.kept_form import FORMS
from tests.service.people import headers, parse
from tests.service.postgres import Postgres, why_missing
from tests.service.table import Table

_NEXT = '''"""A form that only this test knows."""

from alembic import op

revision = "{next}"
down_revision = "{last}"


def upgrade() -> None:
    """Make it."""
    op.execute("CREATE TABLE later (name TEXT PRIMARY KEY)")
    op.execute("INSERT INTO later (name) SELECT short FROM matches")
'''


def begun(folder: Path, **more: object) -> Table:
    """A match that goes on, with its heads noted in a file."""
    return Table(folder, heads=Heads(folder / "service.heads.jsonl"), **more).start()  # type: ignore[arg-type]


def restored(table: Table, backup: Path, url: str = "") -> Restored:
    """The service is stopped, the backup restored, the mailbox read; the table goes on with the new service."""
    table.service.close()
    put_back(table.service.context.database.url, backup)
    heads = Heads(table.folder / "service.heads.jsonl")
    table.service = fake_service(table.folder, table.mail, table.clock, heads=heads, url=url)
    return table.service.restorer().heal()


def letters(table: Table) -> Counter[str]:
    """How often each email was delivered."""
    return Counter(str(headers(raw)["Message-ID"]) for _, raw in table.mail.delivered)


def test_a_match_that_went_on_is_whole_again_by_the_mailbox(tmp_path: Path) -> None:
    table = begun(tmp_path)
    table.play(3)
    with table.service.context.database.transaction():  # somebody writes meanwhile
        kept = back_up(table.service.context.database.url, tmp_path / "kept.backup")
    assert (kept.matches, kept.records) == (1, len(table.lines))
    assert (tmp_path / "kept.backup").stat().st_mode & 0o777 == 0o600
    table.play(4)
    (asked,) = table.asked()
    (other,) = (player for player in table.players.values() if player is not asked)
    refused = other.mail(other.turn({"do": "draw", "from": "supply"}))
    table.send(refused)
    table.pump()
    reject = parse(other.letters[-1])
    lines, delivered = table.lines, letters(table)
    table.clock.tick(7200)
    report = restored(table, tmp_path / "kept.backup")
    assert (report.healed, report.asked, report.lost) == ([table.short], [], [])
    assert (report.letters, report.again) == (0, 0)
    assert table.lines == lines
    check_database(table.service.context)
    table.pump()
    table.pump()
    assert table.lines[: len(lines)] == lines
    later = letters(table)
    assert all(later[name] == 1 for name in delivered)  # nothing twice
    before = len(other.letters)
    table.mail.arrive(refused.replace(b"Message-ID: <", b"Message-ID: <again-"))
    table.pump()
    again = parse(other.letters[-1])
    assert len(other.letters) == before + 1
    assert files(again) == files(reject)  # the same reject, byte for byte
    table.play(4)
    assert audit(table.lines).ok
    assert (tmp_path / "service.db.before-restore-1").exists()


def files(letter: object) -> list[bytes]:
    """The JSON files of an email."""
    assert isinstance(letter, EmailMessage)
    parts = [part for part in letter.iter_attachments() if str(part.get_filename()).endswith(".json")]
    return [bytes(part.get_payload(decode=True)) for part in parts]


def test_letters_that_had_not_left_leave_once(tmp_path: Path) -> None:
    """Of the emails about the newest record one left before the disk failed; the others are written again."""
    table = begun(tmp_path)
    back_up(table.service.context.database.url, tmp_path / "kept.backup")
    table.play(3)
    (asked,) = table.asked()
    (other,) = (player for player in table.players.values() if player is not asked)
    before = len(other.letters)
    table.send(asked.mail(asked.move()))
    queued, lines = letters(table), table.lines
    unsent = [raw for to, raw in table.mail.delivered if to == other.address][before:]
    for raw in unsent:  # as if it had never left
        name = str(headers(raw)["Message-ID"])
        del queued[name]
        table.mail.delivered = [pair for pair in table.mail.delivered if name.encode() not in pair[1]]
        for box in (table.mail.inbox, *table.mail.folders.values()):
            for uid in [uid for uid, kept in box.items() if name.encode() in kept]:
                del box[uid]
    table._read = len(table.mail.delivered)
    report = restored(table, tmp_path / "kept.backup")
    assert report.healed == [table.short]
    assert report.letters == len(unsent)
    table.pump()
    assert table.lines[: len(lines)] == lines
    assert set(letters(table).values()) == {1}
    assert {str(headers(raw)["Message-ID"]) for raw in unsent} <= set(letters(table))


def in_the_hosts_name(short: str, lines: Sequence[bytes]) -> bytes:
    """An email that anybody might have written, with all records of a match a little altered."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["X-Pbem-Match"] = HOST, HOST, short
    mail["Message-ID"] = "<forged@pbem.test>"
    forged = b"".join(line.replace(b'"at":"2', b'"at":"3', 1) + b"\n" for line in lines)
    mail.add_attachment(forged, maintype="application", subtype="octet-stream", filename="game.jsonl")
    return mail.as_bytes()


def test_a_match_that_is_younger_than_the_backup_comes_back(tmp_path: Path) -> None:
    table = begun(tmp_path)
    table.service.close()
    empty = fake_service(tmp_path / "empty", table.mail)
    with empty.context.database.transaction():
        pass
    empty.close()
    back_up(f"sqlite:///{tmp_path / 'empty' / 'service.db'}", tmp_path / "kept.backup")
    lines = table.lines
    table.mail.arrive(in_the_hosts_name(table.short, lines))
    report = restored(table, tmp_path / "kept.backup")
    assert (report.brought_back, report.lost, report.asked) == ([table.short], [], [])
    assert table.lines == lines
    check_database(table.service.context)
    table.play(3)
    assert audit(table.lines).ok
    assert set(letters(table).values()) == {1}


def test_without_a_mailbox_the_players_are_asked(tmp_path: Path) -> None:
    table = begun(tmp_path)
    back_up(table.service.context.database.url, tmp_path / "kept.backup")
    table.play(3)
    lines = table.lines
    for box in (table.mail.inbox, *table.mail.folders.values()):
        box.clear()
    report = restored(table, tmp_path / "kept.backup")
    assert (report.mails, report.healed, report.asked) == (0, [], [table.short])
    table.pump()
    (player, *_) = table.players.values()
    assert "Your records are needed" in str(headers(player.letters[-1])["Subject"])
    mail = parse(player.write("my records"))
    data = b"".join(line + b"\n" for line in player.lines)
    mail.add_attachment(data, maintype="application", subtype="octet-stream", filename="game.jsonl")
    table.send(mail.as_bytes())
    assert table.lines == lines
    table.play(2)
    assert audit(table.lines).ok


def test_what_cannot_be_put_back_changes_nothing(tmp_path: Path) -> None:
    table = begun(tmp_path)
    url, path = table.service.context.database.url, tmp_path / "service.db"
    kept = back_up(url, tmp_path / "kept.backup").file
    with pytest.raises(UsageProblem, match="is there already"):
        back_up(url, kept)
    table.service.close()
    whole = path.read_bytes()
    raw = kept.read_bytes()
    bad = tmp_path / "bad.backup"
    for data, words in (
        (b"", "not a backup of an SQLite database"),
        (b"PGDMP" + raw, "not a backup of an SQLite database"),
        (raw[: len(raw) // 2], "damaged"),
        (raw[:100] + bytes(4000) + raw[4100:], "damaged"),
    ):
        bad.write_bytes(data)
        with pytest.raises((StoreError, UsageProblem), match=words):
            put_back(url, bad)
    shutil.copy(kept, bad)
    with closing(sqlite3.connect(bad)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '77'")
        connection.commit()
    with pytest.raises(DatabaseNewer, match=r"has form 77, this version of pbem knows up to form"):
        put_back(url, bad)
    with pytest.raises(UsageProblem, match="cannot read"):
        put_back(url, tmp_path / "none")
    with pytest.raises(StoreError, match="is not there"):
        back_up(f"sqlite:///{tmp_path / 'none.db'}", tmp_path / "x.backup")
    assert path.read_bytes() == whole
    assert sorted(path.name for path in tmp_path.glob(".*")) == []


def kept_form(folder: Path, form: int) -> Database:
    """What a program of that form had left in the middle of a match."""
    path, kept = folder / "service.db", FORMS / f"{form}.sql.gz"
    assert kept.exists(), "a form was added: python -m tests.service.kept_form"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(gzip.decompress(kept.read_bytes()).decode())
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (str(form),)
    return Database(f"sqlite:///{path}")


def tables(transaction: Transaction) -> list[object]:
    """Names of all tables and indexes; when they were made does not count."""
    query = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name"
    return [*transaction.run("SELECT version_num FROM alembic_version"), *transaction.run(query)]


@pytest.mark.parametrize("form", range(1, VERSION + 1))
def test_a_database_of_every_form_becomes_the_newest(tmp_path: Path, form: int) -> None:
    """Each file was made by the program that had this form, in the middle of a match that goes on from it."""
    kept_form(tmp_path, form)
    table = Table(tmp_path, fresh=False)
    service: Service = table.service
    check_database(service.context)
    with service.context.database.transaction() as transaction:
        fresh = Database(f"sqlite:///{tmp_path / 'fresh.db'}")
        with closing(fresh), fresh.transaction() as other:
            assert tables(transaction) == tables(other)
            assert other.run("SELECT version_num FROM alembic_version") == [(str(VERSION),)]
    (match,) = service.matches.status()
    assert audit(service.matches.lines(match["match"])).ok
    assert service.run_once().troubles == []
    service.close()


def one_more(folder: Path) -> Path:
    """The forms, and another one behind them."""
    copy = folder / "forms"
    shutil.copytree(Path(forms.__file__).parent, copy)
    (copy / f"form_{VERSION + 1}.py").write_text(_NEXT.format(next=VERSION + 1, last=VERSION))
    return copy


@pytest.mark.parametrize("form", [0, VERSION])
def test_killed_in_the_middle_of_an_upgrade_nothing_was_done(tmp_path: Path, form: int) -> None:
    """And started again it does the whole of it, the records as they were."""
    url = kept_form(tmp_path, form).url if form else f"sqlite:///{tmp_path / 'service.db'}"
    path, scripts = tmp_path / "service.db", one_more(tmp_path)
    killed_at(url, VERSION + 1, scripts)
    with closing(sqlite3.connect(path)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        assert "later" not in tables
        assert ("matches" in tables) is ("alembic_version" in tables) is bool(form)
        before = connection.execute("SELECT raw FROM lines").fetchall() if form else []
    with closing(connect(url)) as driver:
        newest(driver, forms=scripts)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [
            (str(VERSION + 1),)
        ]
        assert connection.execute("SELECT raw FROM lines").fetchall() == before
        assert connection.execute("SELECT COUNT(*) FROM later").fetchone() == (1 if form else 0,)


def killed_at(url: str, form: int, scripts: Path) -> None:
    """A process that is killed when it has made this form of the database."""
    words = (
        "import os, pathlib, signal, sys; from pbem.host.database.database import connect;"
        "from pbem.host.database.database import newest;"
        "newest(connect(sys.argv[1]), lambda made: made == int(sys.argv[2]) and os.kill(os.getpid(), signal.SIGKILL),"
        " pathlib.Path(sys.argv[3]))"
    )
    done = subprocess.run([sys.executable, "-c", words, url, str(form), str(scripts)], check=False)
    assert done.returncode == -signal.SIGKILL


def test_what_is_said_of_the_newest_form_is_so(tmp_path: Path) -> None:
    scripts = str(Path(forms.__file__).parent)
    assert ScriptDirectory(scripts, version_locations=[scripts]).get_heads() == [str(VERSION)]
    with closing(Database(f"sqlite:///{tmp_path / 'new.db'}")) as database, database.reading() as transaction:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        assert {name for (name,) in transaction.run(query)} == set(TABLES)


def test_a_service_refuses_a_newer_database_and_does_not_advise_to_begin_again(tmp_path: Path) -> None:
    table = begun(tmp_path)
    with table.service.context.database.transaction() as transaction:
        transaction.run("UPDATE alembic_version SET version_num = '77'")
    table.service.close()
    heads = Heads(tmp_path / "service.heads.jsonl")
    with pytest.raises(DatabaseNewer, match="has form 77") as caught:
        check_database(fake_service(tmp_path, table.mail, heads=heads).context)
    assert "Run the newer version" in str(caught.value.hint)


@pytest.mark.parametrize("kept", sorted(FORMS.glob("outbox-*.sql.gz")), ids=lambda path: path.name)
def test_letters_that_an_older_program_had_queued_leave_once(tmp_path: Path, kept: Path) -> None:
    """It was killed when one had left. What it called its emails' effects is not what is said today."""
    with closing(sqlite3.connect(tmp_path / "service.db")) as connection:
        connection.executescript(gzip.decompress(kept.read_bytes()).decode())
    table = Table(tmp_path, fresh=False)
    table.short = table.service.matches.status()[0]["match"]
    table.clock.tick(600)
    with table.service.context.database.transaction() as transaction:
        left = MailNotes(transaction).get("left")
        rows = transaction.run("SELECT message_id, id FROM outbox WHERE state = 'sending' ORDER BY id")
        box, outbox = Letterbox(table.service.context, transaction), OutboxRows(transaction)
        by_id = {row.id: row for row in outbox.unsettled("9999")}
        files = [
            bytes(raw)
            for (raw,) in transaction.run("SELECT raw FROM inbox WHERE length(raw) > 0 ORDER BY id")
        ]
        letters = {name: (by_id[number].rcpt, box.ready(by_id[number])()) for name, number in rows}
    assert len(letters) >= 8
    assert left in letters
    table.mail.arrive(b"Delivered-To: games@pbem.test\r\n" + letters[left][1])  # its witness copy
    before = table.lines
    while table.service.run_once().anything:
        table.clock.tick(60)
    delivered = Counter(str(headers(raw)["Message-ID"]) for _, raw in table.mail.delivered)
    assert delivered == Counter(name for name in letters if name != left)
    assert table.lines == before
    assert set(table.service.counts()) == {"sent"}
    for number, raw in enumerate(files):  # and all their mails come once more, under other names
        named = headers(raw)["Message-ID"]
        table.mail.arrive(raw.replace(str(named).encode(), f"<again{number}@players.test>".encode()))
    while table.service.run_once().anything:
        table.clock.tick(60)
    assert table.lines == before
    fresh = [parse(raw) for _, raw in table.mail.delivered[len(letters) - 1 :]]
    assert not set(letters) & {str(email["Message-ID"]) for email in fresh}
    refusals = [email for email in fresh if "Refused" in str(email["Subject"])]
    # A STATUS that comes again is answered again.
    receipts = [email for email in fresh if not str(email["Subject"]).startswith(("Refused", "Status"))]
    assert len(refusals) == 1, "a file that comes again is answered with the same reject"
    assert not receipts, "mails of recorded files are no longer kept, so none came again"
    (first,) = [raw for _, raw in letters.values() if "Refused" in str(headers(raw)["Subject"])]
    assert content_of(refusals[0].as_bytes()).files == content_of(first).files
    table.service.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    require(why_missing())
    with Postgres() as running:
        yield running


@pytest.mark.slow
def test_postgresql_by_its_own_programs(tmp_path: Path, server: Postgres) -> None:
    url = server.url("backup")
    table = begun(tmp_path, url=url)
    table.play(2)
    kept = back_up(url, tmp_path / "kept.backup")
    assert (kept.matches, kept.records) == (1, len(table.lines))
    table.play(3)
    lines, delivered = table.lines, letters(table)
    with pytest.raises(UsageProblem, match="not a backup of a PostgreSQL database"):
        put_back(url, tmp_path / "service.heads.jsonl")
    report = restored(table, kept.file, url)
    assert report.healed == [table.short]
    assert table.lines == lines
    table.pump()
    assert all(letters(table)[name] == 1 for name in delivered)
    table.play(2)
    assert audit(table.lines).ok
    lines = table.lines
    with table.service.context.database.transaction() as transaction:
        transaction.run("UPDATE alembic_version SET version_num = '77'")
    table.service.close()
    newer = back_up_anyhow(url, tmp_path / "newer.backup")
    with pytest.raises(DatabaseNewer, match="has form 77"), table.service.context.database.transaction():
        pass
    put_back(url, kept.file)
    with pytest.raises(DatabaseNewer, match=r"newer.backup has form 77"):
        put_back(url, newer)
    kept.file.write_bytes(kept.file.read_bytes()[:-2000])
    with pytest.raises(StoreError, match="pg_restore failed"):
        put_back(url, kept.file)
    with closing(Database(url)) as database, database.reading() as transaction:
        assert transaction.run("SELECT COUNT(*) FROM lines") == [(kept.records,)]


def back_up_anyhow(url: str, target: Path) -> Path:
    """What a newer program's backup would be."""
    subprocess.run(["pg_dump", "--format=custom", f"--file={target}", f"--dbname={url}"], check=True)
    return target


@pytest.mark.slow
def test_postgresql_becomes_the_newest_form_at_once_or_not_at_all(tmp_path: Path, server: Postgres) -> None:
    """And a backup of an older form is restored over the newest."""
    url, columns = server.url("forms"), "SELECT table_name, column_name FROM information_schema.columns"
    query, scripts = f"{columns} WHERE table_schema = 'public' ORDER BY 1, 2", one_more(tmp_path)
    killed_at(url, VERSION + 1, scripts)
    with closing(connect(url)) as driver:
        assert driver.run(query, ()) == []
    with closing(Database(url)) as database, database.reading() as transaction:
        older = transaction.run(query)
    backup = back_up_anyhow(url, tmp_path / "older.backup")
    killed_at(url, VERSION + 1, scripts)
    with closing(connect(url)) as driver:
        assert driver.run(query, ()) == older
    with closing(connect(url)) as driver:
        newest(driver, forms=scripts)
    with closing(connect(url)) as driver:
        assert ("later", "name") in driver.run(query, ())
    put_back(url, backup)
    with closing(Database(url)) as database, database.reading() as transaction:
        assert [row for row in transaction.run(query) if row[0] != "later"] == older
        assert transaction.run("SELECT version_num FROM alembic_version") == [(str(VERSION),)]
