"""A host who plays does not see by accident: no command, log, metric, list of a copy or error says what is hidden."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from pbem.cli.app import COMMANDS
from pbem.cli.lazy_group import Group
from pbem.cli.service_run import build_service
from pbem.host.config import read_config
from pbem.host.database.database import Database
from pbem.host.service.context import utc_now
from pbem.host.service.health import health_of, numbers_of
from pbem.host.service.links import SeatLinks
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.referee import MatchPlan
from tests.cli.seats import make_identity, run
from tests.cli.test_host_plays import leaks
from tests.service.people import Player
from tests.service.test_links import code_of
from tests.world import secret

CONFIG = """name = "Anna"
[operator]
[identity]
name = "host"
home = "home"
passphrase_file = "empty"
[api]
url = "https://anna.test"
[backup]
folder = "../elsewhere"
"""
ELSEWHERE = {
    *("new", "again", "add", "advance", "start", "default", "extend", "burn", "reseal", "substitute"),
    *("carry-out", "withdraw", "recover", "end", "send"),
}
"""Commands on a match folder: ``tests/cli/test_host_plays.py`` walks them; ``send`` prints names of emails."""
NO_ANSWER = frozenset(["here", "init", "try", "serve", "deliver", "restore", "archive", "many", "go-on"])
"""They ask, serve, set up, or write a file and its name."""


class Hosted:
    """A match of the service in which Anna hosts and plays, begun."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "host"
        self.folder.mkdir()
        self.host: Identity = make_identity(self.folder / "home", "host", "host")
        (self.folder / "empty").write_text("\n")
        (self.folder / "empty").chmod(0o600)
        self.config = self.folder / "service.toml"
        self.config.write_text(CONFIG)
        self.config.chmod(0o600)
        config = read_config(self.config)
        service = build_service(config, host=self.host)
        plan = MatchPlan("wyatt-earp", ["anna", "burt"], plays="anna")
        self.short = service.matches.create(plan, secret("walk")[:16])
        links = {link.seat: link for link in SeatLinks(service.context).give(self.short, ["anna", "burt"])}
        self.players = {seat: Player(seat) for seat in links}
        for seat, player in self.players.items():
            player.lines = list(service.matches.lines(self.short))
            service.deliver(player.mail(player.join(code_of(links[seat]), contact=False)))
            service.run_once()
        burt = self.players["burt"]
        burt.lines = list(service.matches.lines(self.short))
        service.deliver(burt.mail(burt.ready()))
        service.run_once()
        self.lines = list(service.matches.lines(self.short))
        burt.lines = list(self.lines)
        service.close()

    def hidden(self) -> frozenset[str]:
        """Names of cards that nobody but their owner or the host could know; seeds."""
        record = Record.load(self.lines)
        shown = json.dumps(
            [[line.body.get("public", {}), line.body.get("steps", [])] for line in record.lines]
        )
        kinds = {card for deck in record.game_info.decks.values() for card in deck}
        hidden = {kind for kind in kinds if kind not in shown} - {record.game_info.id}
        seeds = [HostOpenings(self.host, record.lines[0]).seed(epoch) for epoch in record.ledger.epochs]
        return frozenset({*hidden, *(kind.replace("-", " ") for kind in hidden), *map(b64, seeds)})

    def seen_by_burt(self) -> str:
        """Their own view, as they have it opened."""
        burt = self.players["burt"]
        return json.dumps(burt.record.rules.view_to_json(burt.view.view))


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Hosted:
    """A deal that gives burt a card whose name stands nowhere in public, as nearly every deal does."""
    while True:
        hosted = Hosted(tmp_path_factory.mktemp("walk"))
        if leaks(hosted.seen_by_burt(), hosted.hidden()):
            return hosted


def walk(hosted: Hosted) -> dict[str, list[tuple[object, ...]]]:
    """Every command of a service's host that answers, with what it takes and with what it refuses."""
    short = hosted.short
    return {
        "status": [(short,), (short, "--json")],
        "run-once": [(), ("--json",)],
        "invite": [(short, "burt=burt@example.org"), (short, "zoe=zoe@example.org")],
        "confirm": [(short, "burt", "1")],
        "matches": [(), ("--json",), ("--state", "odd")],
        "extend-all": [("24",)],
        "pause-all": [("+1d",), ("now",)],
        "quarantine": [(), ("99",), ("--release", "99")],
        "log": [(), ("--json",), (f"{short}/burt",), (f"{short}/burt", "--json"), ("<nobody@example.org>",)],
        "forget": [("burt@example.org",)],
        "export": [("nothing1",)],
        "word": [(short, "burt"), (short, "zoe")],
        "links": [(short,), (short, "--json"), (short, "burt", "--new")],
        "webhook": [(short, "--show"), (short, "--off")],
        "open-seats": [(), (short,), (short, "--shut", "--json"), ("nothing1",)],
        "health": [(), ("--json",)],
        "backup": [("-o", hosted.folder / "one.backup")],
        "remind": [(short,)],
        "results": [(short,), (short, "burt", "hide")],
        "observe": [(short,)],
        "tick": [(short,)],
        "outage": [(short,)],
    }


def test_no_command_of_the_service_shows_what_is_hidden(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = hosted.hidden()
    assert len(words) > 10
    assert leaks(hosted.seen_by_burt(), words), "what burt sees of his hand is not found, so nothing would be"
    monkeypatch.chdir(hosted.folder)
    for name, calls in walk(hosted).items():
        for call in calls:
            done = run("host", name, *call)
            output = done.out + done.err
            assert "Traceback" not in output, (name, call, output)
            assert not leaks(output, words), (name, call, output)


def test_the_walk_leaves_no_command_out(hosted: Hosted) -> None:
    group = COMMANDS["host"]
    assert isinstance(group, Group)
    assert set(group.commands) == set(walk(hosted)) | ELSEWHERE | NO_ANSWER


def test_no_metric_and_no_name_of_the_copy_shows_it(hosted: Hosted) -> None:
    words = hosted.hidden()
    with closing(Database(read_config(hosted.config).database_url)) as database:
        numbers = numbers_of(health_of(database, utc_now()))
    assert "pbem_healthy" in numbers
    assert not leaks(numbers, words)
    copy = hosted.folder.parent / "elsewhere"
    assert not leaks(" ".join(str(path) for path in copy.rglob("*")), words)
