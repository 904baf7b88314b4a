"""A host's service at work, what its host types there, and what is wrong with its copies, databases and settings.

Two matches: in MATCH Anna and Burt play, in OPEN nobody has joined. Beside them: the histories of a match folder.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Final

from pbem.host import FolderHost
from pbem.host.config import Config, read_config
from pbem.host.database.backup import back_up
from pbem.host.database.heads import Heads
from pbem.host.database.joins import WaitingJoins
from pbem.host.letter_mail import Contacts
from pbem.host.service.begin import begin
from pbem.player.mail.ports import OWN_MAIL
from pbem.protocol.client.compose import compose_join
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.referee import MatchPlan
from tests.cli.seats import make_identity, run, streams
from tests.errors.rows import Row
from tests.errors.stage import Shown, Stage, written
from tests.service.fakes import FakeClock, FakeMail, fake_service
from tests.service.table import Table

SETTINGS: Final = """
address = "games@pbem.test"
name = "Saturday table"
plus = false
database = "sqlite:///{name}.db"
[operator]
address = "boss@pbem.test"
[identity]
home = "home"
name = "host"
passphrase_file = "empty.txt"
[smtp]
host = "127.0.0.1"
port = 9
user = "games"
password_file = "empty.txt"
"""
"""Mail goes nowhere: nothing listens at that port."""


class HostSetup:
    """The folder of such a host, and one of a host whose match folder went two ways."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.folder = stage.root / "house"
        self.folder.mkdir()
        self.host = make_identity(self.folder / "home", "host", "host")
        make_identity(self.folder / "players", "anna")
        for name, text in (
            ("notes.txt", "Reach for the sky\n"),
            ("empty.txt", "\n"),
            ("short.txt", "round-1 wyatt-earp\n"),
            ("seats.txt", "round-1 wyatt-earp anna burt=burt@example.org\n"),
            ("none.txt", "# no match\n"),
        ):
            (self.folder / name).write_text(text)
        (self.folder / "empty.txt").chmod(0o600)
        self._settings("service")
        self.names = stage.names = self._matches()
        self._other_settings()
        self._histories()

    def config(self, name: str = "service") -> Config:
        """What the file of this name says."""
        return read_config(self.folder / f"{name}.toml")

    def _settings(self, name: str, more: str = "", **changes: str) -> None:
        text = SETTINGS.format(name=changes.pop("database", name))
        for old, new in changes.items():
            assert f'{old} = "' in text
            text = "\n".join(
                f'{old} = "{new}"' if line.startswith(f"{old} = ") else line for line in text.splitlines()
            )
        path = self.folder / f"{name}.toml"
        path.write_text(text + more)
        path.chmod(0o600)

    def _matches(self) -> dict[str, str]:
        """Short names by what stands for them in what is typed."""
        mail, clock = FakeMail(), FakeClock()
        clock.time = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=10)
        heads = Heads(self.config().heads)
        service = fake_service(self.folder, mail, clock, host=self.host, heads=heads)
        table = Table(self.folder, service=service, mail=mail)
        table.start()
        clock.tick(1)
        contacts = Contacts("Host", "games@pbem.test", "Sunday", "en", {})
        other = begin(service, MatchPlan("wyatt-earp", ["anna", "burt"]), contacts)
        heads.write()
        back_up(service.context.database.url, self.folder / "older.db")
        table.play(2)
        clock.tick(1)
        third = begin(service, MatchPlan("wyatt-earp", ["anna", "burt"]), contacts)
        for seat in ("anna", "burt"):  # by the same keys, and each waits for the host
            record = service.matches.record(third)
            join = compose_join(
                record, table.players["anna"].identity, seat, name=seat.title(), mail=None, word=None
            )
            with service.context.database.transaction() as transaction:
                WaitingJoins(transaction).keep(
                    b64(record.game), seat, read_message(canon(join)), f"{seat}@players.test"
                )
            if seat == "anna":
                service.matches.confirm(third, seat, "1")
        heads.write()
        service.close()
        self.signed = table.players["anna"].mail(table.players["anna"].turn({"do": "draw", "from": "supply"}))
        (self.folder / "turn.eml").write_bytes(self.signed)
        return {"MATCH": table.short, "OPEN": other, "THIRD": third}

    def _other_settings(self) -> None:
        """The same service with something wrong, each beside its own configuration."""
        folder, heads = self.folder, (self.folder / "service.heads.jsonl").read_bytes()
        whole = (folder / "service.db").read_bytes()
        for name in (
            "gone",
            "zero",
            "cut",
            "older",
            "newer",
            "tables",
            "lines",
            "still",
            "few",
            "bare",
            "busy",
            "clock",
        ):
            self._settings(name, "[limits]\nopen_matches = 1\n" if name == "few" else "")
            (folder / f"{name}.heads.jsonl").write_bytes(heads)
        (folder / "zero.db").write_bytes(b"")
        (folder / "cut.db").write_bytes(whole[:9000])
        with closing(sqlite3.connect(folder / "service.db")) as connection:
            (page,) = connection.execute(
                "SELECT rootpage FROM sqlite_master WHERE name = 'outbox'"
            ).fetchone()
        (folder / "page.db").write_bytes(whole[: page * 4096 - 4096] + bytes(4096) + whole[page * 4096 :])
        shutil.copy(folder / "older.db", folder / "still.db")
        done = run("host", "go-on", "--older-database", "--config", folder / "still.toml")
        assert done.code == 0, done.err
        for name in ("newer", "tables", "lines", "few", "busy", "clock"):
            (folder / f"{name}.db").write_bytes(whole)
        for name, change in (
            ("newer", "UPDATE alembic_version SET version_num = '77'"),
            ("tables", "DROP TABLE notes"),
            ("lines", "UPDATE lines SET raw = x'00' WHERE seq = 2"),
            ("bare", "CREATE TABLE saloon (x)"),
            (
                "busy",
                "REPLACE INTO meta (name, value, until) VALUES ('fetch', 'cellar/77/1', '2099-11-21T18:00:00Z')",
            ),
            (
                "clock",
                "REPLACE INTO meta (name, value, until) VALUES ('heartbeat', '2099-11-21T18:00:00Z', '')",
            ),
        ):
            with closing(sqlite3.connect(folder / f"{name}.db")) as connection:
                connection.execute(change)
                connection.commit()
        self._settings("heads")
        (folder / "heads.heads.jsonl").write_text("[]\n")
        make_identity(folder / "home", "other", "host")
        self._settings("foreign", database="service")
        path = folder / "foreign.toml"
        path.write_text(path.read_text().replace('name = "host"', 'name = "other"'))
        self._settings("player", database="service")
        path = folder / "player.toml"
        path.write_text(
            path.read_text().replace('"home"', '"players"').replace('name = "host"', 'name = "anna"')
        )
        self._settings("moved", database="service")
        (folder / "moved.moved.txt").write_text("2026-11-23T18:00:00Z\n\n")
        self._settings("there", database="service")
        (folder / "there.moved.txt").write_text("2026-11-23T18:00:00Z\nanother computer: /hosts/saturday\n")
        self._settings("new")

    def _histories(self) -> None:
        """A match folder and what copies of it there can be."""
        friends, folder = self.stage.friends, self.stage.root / "keeper"
        make_identity(folder / "home", "host", "host")
        (folder / "one.jsonl").write_bytes(friends.game_file)
        (folder / "other.jsonl").write_bytes(
            next((self.stage.root / "other" / "host" / "match").glob("game.jsonl")).read_bytes()
        )
        (folder / "empty.jsonl").write_bytes(b"")
        seat = friends.status()["waiting"]["seat"]
        for name, times in (("a", ["+24h"]), ("b", ["+48h", "+72h"])):
            shutil.copytree(friends.match, folder / name)
            for hours in times:
                done = run("host", "extend", folder / name, seat, hours, "--home", folder / "home")
                assert done.code == 0, done.err
        other = self.stage.root / "other" / "anna"
        letter = next(other.glob("*invitation.eml"))
        done = run("join", letter, "-o", folder / "join.json", "--home", other / "home")
        assert done.code == 0, done.err
        shutil.copytree(friends.match, folder / "behind")
        (folder / "behind" / "game.jsonl").write_bytes((folder / "a" / "game.jsonl").read_bytes())
        shutil.copytree(friends.match, folder / "older")
        shutil.copy(folder / "b" / "host" / "heads.jsonl", folder / "older" / "host" / "heads.jsonl")
        (folder / "copied").mkdir()
        (folder / "copied" / "game.jsonl").write_bytes(friends.game_file)
        self.keeper = folder
        friends.root.joinpath("writer").mkdir()
        (friends.root / "writer" / "home").mkdir()
        (friends.root / "writer" / "home" / OWN_MAIL).write_text("")
        self._for_the_service()

    def _for_the_service(self) -> None:
        """Match folders that the service cannot take over."""
        plan = MatchPlan("wyatt-earp", ["anna", "burt"])
        for name, host, at in (
            ("stranger", Identity(b"TEST stranger".ljust(32)), "2026-11-21T18:00:00Z"),
            ("future", self.host, "2099-11-21T18:00:00Z"),
        ):
            FolderHost.create(self.folder / name, host, plan, lambda at=at: at, bytes)  # type: ignore[misc]

    def asked(self, work: Callable[[], object], answers: Sequence[str]) -> str:
        """What a dialog says to somebody who types these answers."""
        with streams("".join(f"{answer}\n" for answer in answers).encode()) as (_, err):
            work()
            err.seek(0)
            return err.read()

    def group(self, name: str) -> Iterator[Shown]:
        """Every line of a group, in its order."""
        return map(self.shown, GROUPS[name])

    def shown(self, row: Row) -> Shown:
        """What the line prints."""
        shown = self.stage.shown(row)
        printed = re.sub(r"\b[Pp]age \d+", "page 7", shown.printed)
        printed = re.sub(r"fingerprint [0-9A-Z-]{20,}", "fingerprint 7SAL0-00N00", printed)
        if row.stdin.count("\n") > 1:  # questions that nobody sees stand before each of these on its line
            printed = "\n".join(re.findall(r"(?:pbem|error|  done|  hint|  try): .*", printed))
        return shown._replace(printed=printed)

    def files(self) -> dict[str, str]:
        """Each golden file by its name."""
        return {f"{chapter.replace(' ', '-')}.txt": written(self.group(chapter)) for chapter in GROUPS}


def _rows(who: str, lines: str) -> list[Row]:
    """Lines; what stands behind one and ``<`` is typed when it asks."""
    rows = [line.strip().partition("  < ") for line in lines.strip().splitlines()]
    return [Row(who, typed, False, f"{answer}\n") for typed, _, answer in rows]


GROUPS: Final[dict[str, list[Row]]] = {
    "service at work": _rows(
        "house",
        """
        pbem host status zzzzzzzz
        pbem host export zzzzzzzz
        pbem host confirm MATCH anna 1
        pbem host confirm MATCH zoe 1
        pbem host confirm THIRD burt 2
        pbem host confirm THIRD burt 1
        pbem host confirm MATCH anna 1 --config still.toml
        pbem host invite OPEN anna=anna@players.test --config few.toml
        pbem host invite MATCH anna
        pbem host invite OPEN zoe=zoe@example.org
        pbem host invite OPEN anna=nobody
        pbem host invite OPEN anna=anna@example.org --substitute
        pbem host invite MATCH anna=anna@example.org
        pbem host invite notes.txt
        pbem host invite stranger
        pbem host invite future
        pbem host start OPEN
        pbem host default OPEN
        pbem host matches --state asleep
        pbem host matches --sort colour
        pbem host matches --page 9
        pbem host pause-all 2020-01-01T00:00:00Z
        pbem host pause-all tomorrow
        pbem host quarantine 99
        pbem host quarantine 1
        pbem host quarantine --release
        pbem host quarantine --release 99
        pbem host log nobody@example.org
        pbem host log MATCH/zoe
        pbem host log zzzzzzzz/anna
        pbem host forget anna@players.test
        pbem host word MATCH zoe
        pbem host links MATCH zoe
        pbem host links OPEN zoe --new
        pbem host links MATCH anna --new
        pbem host webhook MATCH --seat zoe --off
        pbem host webhook MATCH  < https://example.org/x
        pbem host webhook MATCH  < nothing
        pbem host many notes.txt
        pbem host many short.txt
        pbem host many seats.txt
        pbem host many none.txt
        pbem host open-seats zzzzzzzz
        pbem host go-on --new-database
        pbem host substitute MATCH anna
        pbem host substitute MATCH turn.eml
        pbem host default MATCH zoe
        pbem host again MATCH
        pbem host again MATCH folder
        pbem host recover zzzzzzzz notes.txt
        pbem host recover zzzzzzzz
        pbem host init
        """,
    ),
    "databases": _rows(
        "house",
        """
        pbem host matches --config gone.toml
        pbem host matches --config zero.toml
        pbem host matches --config cut.toml
        pbem host matches --config older.toml
        pbem host matches --config newer.toml
        pbem host matches --config tables.toml
        pbem host matches --config lines.toml
        pbem host matches --config bare.toml
        pbem host matches --config heads.toml
        pbem host matches --config foreign.toml
        pbem host matches --config player.toml
        pbem host matches --config moved.toml
        pbem host matches --config there.toml
        pbem host backup --config new.toml
        pbem host backup -o notes.txt
        pbem host restore nowhere
        pbem host restore notes.txt
        pbem host restore cut.db
        pbem host restore newer.db
        pbem host restore bare.db
        pbem host restore page.db
        pbem host restore notes.txt --config busy.toml
        pbem host pause-all +3d --config clock.toml
        pbem host --from notes.txt
        pbem host --from home
        """,
    ),
    "setting up": [
        Row("writer", "pbem host send", first=False),
        Row(
            "house",
            "pbem mail init --home set-up",
            False,
            "nobody\nanna@example.org\n\nlocalhost\ny\n99999\n9\nanna\nn\npaper\nnone\nfile\nempty.txt\nnowhere.pem\n\n",
        ),
        Row("house", "pbem mail init --home set-up", first=False),
        Row("house", "pbem host try --config new.toml", first=False),
        Row(
            "house",
            "pbem host init --config deep/service.toml --containers",
            False,
            "games@pbem.test\nSaturday\nboss@pbem.test\ny\nhost\n",
        ),
        Row(
            "house",
            "pbem host init --config made.toml",
            False,
            "games@pbem.test\nSaturday\nboss@pbem.test\nsqlite:///made.db\nn\nhost\nfile\nempty.txt\n"
            + "localhost\ny\n9\ngames\nn\nfile\nempty.txt\n\n" * 2,
        ),
    ],
    "histories": _rows(
        "keeper",
        """
        pbem host recover -o new one.jsonl other.jsonl
        pbem host recover -o new one.jsonl --take 5
        pbem host recover -o new empty.jsonl
        pbem host recover -o new a/game.jsonl b/game.jsonl
        pbem host recover -o new a/game.jsonl b/game.jsonl --take 5
        pbem host substitute a one.jsonl
        pbem host remind a anna 999
        pbem host substitute a join.json
        pbem host extend behind anna +24h
        pbem host extend older anna +24h
        pbem host status copied
        pbem host
        """,
    ),
}
