"""Errors of a host that nobody can type: what is called instead, by group, at the host of ``tests.errors.host_setup``.

A copy on another disk, PostgreSQL and its programs, what a service refuses by itself, the questions of a first start.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final
from unittest import mock

from pbem.base.errors import PbemError
from pbem.base.language import ENGLISH
from pbem.cli import host_here, host_watch, service_serve
from pbem.cli.first_start import Asking
from pbem.host.acts import MOST, admitted
from pbem.host.config import ApiPlace, Config, zone_offsets
from pbem.host.config_file import NoMail
from pbem.host.copy_elsewhere import Elsewhere, bring_here
from pbem.host.database.backup import back_up, put_back
from pbem.host.database.database import Database
from pbem.host.database.heads import Head
from pbem.host.database.matches import Matches
from pbem.host.demo import Demo, free_folder
from pbem.host.deploy import check_for_containers, write_set
from pbem.host.folder_database import database_at, lines_in
from pbem.host.placing import check_place
from pbem.host.recover import recover
from pbem.host.service.answers import extended_words
from pbem.host.service.http import ApiApp, Rates
from pbem.host.service.matches import MOST_INVITATIONS
from pbem.host.service.place import InMailbox, Whereabouts
from pbem.host.service.public_post import PublicPost
from pbem.host.service.push import read_subscription, service_of
from pbem.host.service.service import Service
from pbem.host.service.sidecar import bound
from pbem.host.store import opened
from pbem.player.mail.servers import Secret
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.referee import MatchPlan
from tests.errors.calls import entry
from tests.errors.host_setup import HostSetup
from tests.errors.stage import written  # noqa: F401 - one form for all groups
from tests.service.api_people import InMemory
from tests.service.fakes import FakeClock, FakeMail, fake_service

Call = Callable[[HostSetup, Path], object]
"""What is called, with an empty folder of its own; what it returns as text is what was said without an error."""

NOBODY: Final = "postgresql://pbem:secret@127.0.0.1:9/pbem"
"""Nothing listens there."""


def _elsewhere(setup: HostSetup, folder: Path, **changes: Any) -> Elsewhere:
    elsewhere = Elsewhere(replace(setup.config(), backup=str(folder / "copy"), **changes), setup.host)
    elsewhere()
    return elsewhere


def _opened_by_another(setup: HostSetup, folder: Path) -> object:
    copy = _elsewhere(setup, folder).folder
    return bring_here(copy, folder / "new", Identity(b"x" * 32), "")


def _over_another_host(setup: HostSetup, folder: Path) -> object:
    copy = _elsewhere(setup, folder).folder
    (folder / "service.toml").write_text("")
    return bring_here(copy, folder, setup.host, "")


def _without(module: str, work: Callable[[], object]) -> object:
    """Nobody can import the module, though somebody may have before: then its package has it, too."""
    package, _, name = module.rpartition(".")
    with mock.patch.dict(sys.modules, {module: None}), ExitStack() as kept:
        if hasattr(sys.modules.get(package), name):
            kept.enter_context(mock.patch.object(sys.modules[package], name))
            delattr(sys.modules[package], name)
        return work()


def _with_programs(folder: Path, work: Callable[[], object]) -> object:
    """Nothing can be started but what lies in the folder."""
    with mock.patch.dict(os.environ, {"PATH": str(folder)}):
        return work()


def _dump_that_fails(_: HostSetup, folder: Path) -> object:
    program = folder / "pg_dump"
    program.write_text("#!/bin/sh\necho 'pg_dump: error: no such database' >&2\nexit 1\n")
    program.chmod(0o755)
    return _with_programs(folder, lambda: back_up(NOBODY, folder / "x.backup"))


def _two_workers(setup: HostSetup, _: Path) -> object:
    with closing(Database(setup.config().database_url)) as database, database.reading() as transaction:
        matches = Matches(transaction)
        row = matches.required(setup.names["OPEN"])
        matches.append(replace(row, seq=row.seq + 1), [(b"{}", "00")], over=False)
        return None


def _removed_meanwhile(setup: HostSetup, folder: Path) -> object:
    path = folder / "service.db"
    path.write_bytes((setup.folder / "service.db").read_bytes())
    with closing(Database(f"sqlite:///{path}")) as database:
        database.check()
        path.unlink()
        with database.transaction():
            raise AssertionError("the file was removed")


def _upgraded_meanwhile(setup: HostSetup, folder: Path) -> object:
    with _copied(setup, folder) as service:
        database = service.context.database
        with database.transaction() as transaction:
            transaction.run("UPDATE alembic_version SET version_num = '77'")
        with database.transaction():
            raise AssertionError("a newer program has been here")


def _gone_back(setup: HostSetup, folder: Path) -> object:
    with _copied(setup, folder) as service:
        record = service.matches.record(setup.names["MATCH"])
        service.context.heads.note(b64(record.game), Head(0, 99, "00"))
        return service.matches.record(setup.names["MATCH"])


def _more_time(setup: HostSetup, folder: Path) -> object:
    with _copied(setup, folder) as service:
        return extended_words(24, *service.matches.extend_all(24))


def _too_often(setup: HostSetup, folder: Path) -> object:
    with _copied(setup, folder) as service:
        for _ in range(MOST_INVITATIONS + 1):
            service.matches.invite(setup.names["OPEN"], {"anna": "zoe@example.org"})
        return None


def _too_many(setup: HostSetup, folder: Path) -> object:
    with _copied(setup, folder) as service:
        service.context.limits = replace(service.context.limits, open_matches=2)
        for number in range(3):
            short = service.matches.create(MatchPlan("wyatt-earp", ["anna", "burt"]), bytes([number]) * 16)
            service.matches.invite(short, {"anna": "zoe@example.org"})
        return None


def _place(setup: HostSetup, folder: Path, fate: str) -> object:
    """Where the host runs is looked for in a mailbox."""
    mail, clock = FakeMail(), FakeClock()
    clock.time = datetime.now(UTC).replace(microsecond=0)
    with _copied(setup, folder, mail, clock) as service:
        inside = InMailbox(mail, "Processed")

        def at(name: str, *, looks: bool = True) -> Whereabouts:
            return Whereabouts(service.context, name, [inside], inside, looks=looks)

        first = at("cellar: /hosts/saturday")
        first.look()
        clock.tick(3 * 3600)
        if fate == "not looked":
            return at("cellar: /hosts/saturday", looks=False).look()
        mail.down = fate == "not seen"
        return (first if mail.down else at("attic: /hosts/saturday")).look()


URL: Final = "https://games.pbem.test/api"


def _api(
    method: str, path: str, body: bytes = b"", *, code: bool = True, times: int = 1, **rates: float
) -> Call:
    """A request at the HTTP API, ``times`` over, with Anna's access code or with a wrong one."""

    def call(setup: HostSetup, folder: Path) -> object:
        with _copied(setup, folder, api=URL) as service, ExitStack() as beside:
            app = beside.enter_context(closing(ApiApp(service.context, lambda: None, rates=Rates(**rates))))  # type: ignore[arg-type]
            client = beside.enter_context(closing(InMemory(app.asgi, URL)))
            word = service.matches.access_code(setup.names["MATCH"], "anna")[1] if code else "nothing"
            asked = {"headers": {"Authorization": f"Bearer {word}"}, "content": body}
            for _ in range(times):
                answer = client.request(method, URL + path.replace("MATCH", setup.names["MATCH"]), **asked)
        assert answer.status_code >= 400
        return f"{answer.status_code} {answer.text}"

    return call


@contextmanager
def _copied(
    setup: HostSetup,
    folder: Path,
    mail: FakeMail | None = None,
    clock: FakeClock | None = None,
    api: str = "",
) -> Iterator[Service]:
    """The service on a copy of its database."""
    (folder / "service.db").write_bytes((setup.folder / "service.db").read_bytes())
    if clock is None:
        clock = FakeClock()
        clock.time = datetime.now(UTC).replace(microsecond=0)
    with closing(fake_service(folder, mail or FakeMail(), clock, host=setup.host, api=api)) as service:
        yield service


def _busy_port(*_: object) -> object:
    with closing(bound("127.0.0.1:0")) as first:
        port = first.getsockname()[1]
        try:
            return bound(f"127.0.0.1:{port}")
        except PbemError as fault:
            raise type(fault)(str(fault).replace(str(port), "8080"), hint=fault.hint) from fault


def _taken_names(_: HostSetup, folder: Path) -> object:
    for number in range(1, 1000):
        (folder / (f"demo-{number}" if number > 1 else "demo")).write_text("")
    return free_folder(folder / "demo")


def _without_a_match(_: HostSetup, folder: Path) -> object:
    with closing(Database(f"sqlite:///{database_at(folder)}")) as database, database.reading():
        pass
    return lines_in(folder)


def _contained(setup: HostSetup, **changes: Any) -> Config:
    config = setup.config()
    assert config.smtp is not None
    return replace(config, smtp=replace(config.smtp, **changes))


def _asked(work: Callable[[Asking], object], *answers: str) -> Call:
    """A dialog at these answers; what it says at a wrong one stands in the answer."""

    def call(setup: HostSetup, _: Path) -> object:
        return setup.asked(lambda: work(Asking(ENGLISH)), answers)

    return call


def _wanted() -> host_watch.WantedMatch:
    return host_watch.WantedMatch("wyatt-earp", (host_watch.Invitee("burt"),), None)


def _first_place(
    listen: str = "", page: str = "packed", *, mailed: bool = False
) -> Callable[[Asking], object]:
    return lambda ask: host_here._api(ask, listen, page, mailed=mailed)


def _without_sockets() -> object:
    with mock.patch.object(socket, "AF_UNIX", None):
        return bound("unix:x")


def _beside(setup: HostSetup, part: Callable[..., Any]) -> object:
    with ExitStack() as beside:
        if part is service_serve._health:
            return beside.enter_context(part(setup.config(), "127.0.0.1:0", None))
        return beside.enter_context(part(setup.config(), None, "127.0.0.1:0", None, setup.host))


def _twice(setup: HostSetup, folder: Path) -> object:
    config = replace(setup.config(), folder=folder, api=ApiPlace())
    write_set(config, folder / "service.toml")
    return write_set(config, folder / "service.toml")


CALLS: Final[dict[str, dict[str, Call]]] = {
    "copies elsewhere": {
        "an identity outside of the folder": lambda setup, folder: _elsewhere(setup, folder, home="").fault,
        "another identity": _opened_by_another,
        "a folder with a host": _over_another_host,
        "a database on a network drive": lambda _, folder: check_place(
            folder / "host" / "match.db", lambda: f"1 0 0:1 / {folder} rw - nfs4 server:/home rw"
        ),
        "a database with no match": _without_a_match,
        "no copies": lambda setup, folder: recover(folder / "new", setup.host, [("burt.jsonl", [])], str),
        "a copy of another host's": lambda setup, folder: recover(
            folder / "new",
            Identity(b"x" * 32),
            [("burt.jsonl", setup.stage.friends.game_file.splitlines())],
            str,
        ),
        "another host's match": lambda setup, _: opened(
            setup.stage.friends.game_file.splitlines(), Identity(b"x" * 32)
        ),
    },
    "other databases": {
        "PostgreSQL is not there": lambda *_: Database(NOBODY).check(),
        "its package is not there": lambda *_: _without("psycopg", Database(NOBODY).check),
        "its programs are not there": lambda _, folder: _with_programs(
            folder, lambda: back_up(NOBODY, folder / "x.backup")
        ),
        "its program fails": _dump_that_fails,
        "a backup of another kind": lambda setup, _: put_back(NOBODY, setup.folder / "service.db"),
        "two that write": _two_workers,
        "the file is removed": _removed_meanwhile,
        "another worker has upgraded it": _upgraded_meanwhile,
        "it goes back while the service runs": _gone_back,
    },
    "a service by itself": {
        "more time, and nobody is asked": _more_time,
        "invited too often": _too_often,
        "in too many matches": _too_many,
        "nobody has looked where the host is": lambda setup, folder: _place(setup, folder, "not looked"),
        "nobody can look where the host is": lambda setup, folder: _place(setup, folder, "not seen"),
        "a folder begun on another computer": lambda setup, folder: _place(setup, folder, "begun"),
        "no address to listen at": lambda *_: bound("nonsense"),
        "an address in use": _busy_port,
        "a system without sockets in files": lambda *_: _without_sockets(),
        "no package for the API": lambda setup, _: _without(
            "pbem.host.service.sidecar", lambda: _beside(setup, service_serve._api)
        ),
        "no package for health": lambda setup, _: _without(
            "pbem.host.service.probes", lambda: _beside(setup, service_serve._health)
        ),
        "a webhook inside the house": lambda *_: PublicPost()("https://127.0.0.1:9/x", {}, b""),
        "a webhook that does not answer": lambda *_: PublicPost(["127.0.0.1:9"])(
            "https://127.0.0.1:9/x", {}, b""
        ),
        "no way out for email": lambda *_: NoMail().send("", [], b"", ""),
        "too many spectators": lambda *_: admitted("zoe@example.org", [str(n) for n in range(MOST)]),
        "no registration": lambda *_: read_subscription(b"{}"),
        "an unknown push service": lambda *_: service_of("https://push.example.org/x"),
        "a zone of seconds": lambda *_: zone_offsets("Africa/Monrovia", datetime(1971, 1, 1, tzinfo=UTC)),
        "a container with a keyring": lambda setup, _: check_for_containers(
            _contained(setup, password=Secret("keyring", "mail/games"))
        ),
        "a container with a file outside": lambda setup, _: check_for_containers(
            _contained(setup, ca_file="/etc/ca.pem")
        ),
        "files for containers twice": _twice,
        "a demo of nine": lambda _, folder: Demo("wyatt-earp", 9, folder, str, lambda _: bytes),
        "a thousand demos": _taken_names,
    },
    "the HTTP API": {
        "a wrong access code": _api("GET", "/match/MATCH/lines", code=False),
        "too many wrong access codes": _api("GET", "/match/MATCH/lines", code=False, times=2, wrong=1),
        "the keys of another seat": _api("POST", "/match/MATCH/word", b"{}", code=False),
        "a number that is none": _api("GET", "/match/MATCH/lines?after=x"),
        "too many questions": _api("GET", "/match/MATCH/lines", times=2, reading=1),
        "a receipt that was never given": _api("GET", f"/match/MATCH/files/{'0' * 64}"),
        "no file": _api("POST", "/match/MATCH/files", b"{"),
        "a file that is too large": _api("POST", "/match/MATCH/files", b" " * 200_000),
        "no registration of a browser": _api("POST", "/match/MATCH/push", b"{}"),
        "no address of a webhook": _api("POST", "/match/MATCH/webhook", b"nothing"),
        "a code that is over": _api("GET", "/pair/AA/1"),
    },
    "a first start": {
        "nobody": _asked(lambda ask: ask.until_right("Who?", host_watch.read_people), ",", "Burt"),
        "no name": _asked(lambda ask: ask.until_right("Who?", host_watch.read_people), "<Burt", "Burt"),
        "one name twice": _asked(
            lambda ask: ask.until_right("Who?", host_watch.read_people), "Burt, burt", "Burt"
        ),
        "the host's own address": _asked(
            lambda ask: host_watch.ask_addresses(ask, _wanted(), "games@pbem.test"),
            "games@pbem.test",
            "burt@example.org",
        ),
        "no address and no emails": _asked(_first_place(), "", "http://localhost:8080"),
        "no address": _asked(_first_place(), "ftp://example.org", "http://localhost:8080"),
        "the copy in the folder itself": lambda setup, folder: setup.asked(
            lambda: host_here._elsewhere(Asking(ENGLISH), folder),
            [str(folder), str(folder.parent / "disk")],
        ),
        "no web app": _asked(_first_place(page="", mailed=True), "https://example.org", ""),
    },
}


def said(setup: HostSetup, chapter: str) -> str:
    """A group as its golden file has it; each call must fail, or say what is wrong."""
    parts = []
    for number, (name, call) in enumerate(CALLS[chapter].items()):
        folder = setup.stage.root / "calls" / chapter.replace(" ", "-") / str(number)
        folder.mkdir(parents=True)
        parts.append(entry(name, partial(call, setup, folder), "no exit"))
    return setup.stage.steady("\n\n".join(parts)) + "\n"
