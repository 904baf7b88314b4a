"""The commands as people type them, against real mail servers: init, invite, run-once, deliver, serve; join --send.

One match, played from invitation to the first cards, is then used by several tests.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from email import message_from_bytes
from hashlib import shake_256
from pathlib import Path

import httpx
import pytest

from pbem.base.system.notify import notify
from pbem.game import Seat
from pbem.player.mail.imap import ImapMailbox
from pbem.player.store.keyring import Keyring
from pbem.protocol.crypto.digest import b64, lp, u32
from pbem.protocol.crypto.identity import pad, seal
from pbem.protocol.formats.envelopes import make_file, part_commit
from pbem.protocol.formats.identity_file import read_identity
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from tests.forked import command
from tests.mail.stack import HOST, PASSWORD, MailStack, free_port, why_missing
from tests.needed import require
from tests.patience import PATIENCE, nap, patiently, until
from tests.service.people import Player, parse
from tests.service.real import Place, Postbox

LONG = 22_528
"""Bytes of plaintext in the longest sealed part that fits into a file, with its owner's copy."""


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    require(why_missing())
    with MailStack(("games", "boss", "anna", "burt")) as stack:
        yield Place(stack.ports, str(stack.ca_file))


def brings_records(raw: bytes) -> bool:
    """Whether something is attached to the email; one that only names a file is no email of the match."""
    parts = message_from_bytes(raw).walk()
    return any(".json" in (part.get_filename() or "") for part in parts)


class Person:
    """Somebody with a folder, a home for identities, and the command ``pbem``."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder / name
        self.folder.mkdir()
        self.name = name
        self.more: dict[str, str] = {}
        """Variables of the environment besides."""
        (self.folder / "password").write_text(PASSWORD + "\n")
        (self.folder / "password").chmod(0o600)

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PBEM_HOME": str(self.folder / "home"), "NO_COLOR": "1", **self.more}

    def run(self, *arguments: str, answers: str | bytes = "", expect: int = 0) -> str:
        return self._done(arguments, answers, expect).stdout.decode()

    def run_stderr(self, *arguments: str, expect: int = 0) -> str:
        return self._done(arguments, "", expect).stderr.decode()

    def _done(
        self, arguments: tuple[str, ...], answers: str | bytes, expect: int
    ) -> subprocess.CompletedProcess[bytes]:
        given = answers.encode() if isinstance(answers, str) else answers
        done = self._start(arguments, given)
        assert done.returncode == expect, (arguments, done.stdout.decode(), done.stderr.decode())
        return done

    def _start(self, arguments: tuple[str, ...], given: bytes) -> subprocess.CompletedProcess[bytes]:
        return command(*arguments, folder=self.folder, environment=self.environment(), stdin=given)

    def server_answers(self, place: Place, kind: str) -> list[str]:
        starttls = kind in ("imap", "submission")
        return [
            "localhost",
            "n" if starttls else "y",
            str(place.ports[kind]),
            self.name,
            "n",
            "file",
            str(self.folder / "password"),
            place.ca_file,
        ]

    def one_round(self, place: Place) -> None:
        """As the host: wait for a mail and take in what is there."""
        box = ImapMailbox(lambda: place.account("imaps", self.name))
        until(box.waiting, "no mail came", lambda: box.wait(2))
        box.close()
        assert json.loads(self.run("host", "run-once", "--json"))["troubles"] == []

    def letters(self, place: Place, number: int) -> list[Path]:
        """Save the mailbox as .eml files, once so many are there."""
        box = ImapMailbox(lambda: place.account("imaps", self.name))
        until(
            lambda: len(box.waiting()) >= number, f"{self.name} has not {number} letters", lambda: box.wait(2)
        )
        waiting = box.waiting()
        raws = box.fetch([mail.uid for mail in waiting])
        box.close()
        paths = []
        for index, mail in enumerate(waiting):
            path = self.folder / f"letter-{index}.eml"
            path.write_bytes(raws[mail.uid])
            paths.append(path)
        return paths

    def read_letters(self, place: Place) -> str:
        """Take in what lies in the mailbox; mail may overtake mail, so that one in between is still on its way.

        What the command said of that gap, else nothing.
        """
        files = [path.name for path in self.letters(place, 1) if brings_records(path.read_bytes())]
        done = self._start(("update", ".", *files), b"")
        printed = done.stderr.decode()
        assert done.returncode in (0, 2), (files, printed)
        assert done.returncode == 0 or "are not in your copy" in printed, (files, printed)
        return printed if done.returncode else ""


def new_host(place: Place, folder: Path) -> Person:
    """A host with identity and configuration, as ``pbem host init`` makes them."""
    person = Person(folder, "games")
    person.run("id", "new", "Host", "--host", "--no-passphrase")
    (person.folder / "empty").write_text("\n")
    (person.folder / "empty").chmod(0o600)
    answers = [HOST, "Saturday table", "boss@pbem.test", "sqlite:///service.db", "y", "", "file", "empty"]
    answers += person.server_answers(place, "imaps") + person.server_answers(place, "submission")
    person.run("host", "init", answers="\n".join(answers) + "\n")
    path = person.folder / "service.toml"
    path.write_text(quick(path.read_text()))
    return person


def quick(config: str) -> str:
    """Without pictures, which take a second each; and a receipt that asks nothing of anybody leaves at once, too."""
    assert "pictures = true" in config
    assert "receipts = 600" in config
    return config.replace("pictures = true", "pictures = false").replace("receipts = 600", "receipts = 0")


@pytest.fixture(scope="module")
def host(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Person:
    return new_host(place, tmp_path_factory.mktemp("commands"))


def test_init_tries_both_connections_and_keeps_the_answers_if_one_fails(place: Place, tmp_path: Path) -> None:
    person = Person(tmp_path, "games")
    answers = ["no address", HOST, "t", "boss@pbem.test", "localhost", "y", "", "file", "no-such-file"]
    bad = person.server_answers(place, "submission")
    bad[2] = "1"
    text = "\n".join(answers + person.server_answers(place, "imaps") + bad) + "\n"
    printed = person._done(("host", "init"), text, 6).stderr.decode()
    for words in (
        "folder: works",
        "imap: works",
        "database: 'localhost' is not the address of a database",
        "smtp: cannot send",
    ):
        assert words in printed
    assert "no-such-file" in printed or "identity" in printed
    assert "your answers are kept in service.toml" in printed
    kept = (person.folder / "service.toml").read_text()
    assert HOST in kept
    assert "no-such-file" in kept
    assert kept.count("password_file") == 2


def test_the_written_configuration_holds_no_password(host: Person) -> None:
    path = host.folder / "service.toml"
    assert path.stat().st_mode & 0o777 == 0o600
    assert PASSWORD not in path.read_text()


@dataclass(frozen=True)
class Served:
    """A match that is served no more for the moment, and what the service's process left behind."""

    short: str
    players: list[Person]
    code: int
    output: bytes
    took: float
    heard: list[str]


@pytest.fixture(scope="module")
def served(place: Place, host: Person) -> Served:
    """From invitation to first cards, by commands alone."""
    players = [Person(host.folder.parent, name) for name in ("anna", "burt")]
    host.run("host", "new", "saturday", "--game", "wyatt-earp", "--seats", "anna,burt")
    invited = json.loads(
        host.run("host", "invite", "saturday", "anna=anna@players.test", "burt=burt@players.test", "--json")
    )
    short = invited["match"]
    host.run("host", "status", "saturday", expect=2)  # the match lives in the database now, and nowhere else
    assert json.loads(host.run("host", "run-once", "--json"))["sent"] == 2
    for player, invitation in zip(players, invited["invited"], strict=True):
        player.run("id", "new", player.name.title(), "--no-passphrase")
        answers = [f"{player.name}@players.test", *player.server_answers(place, "submission")]
        player.run("mail", "init", answers="\n".join(answers) + "\n")
        (letter,) = player.letters(place, 1)
        address = f"{player.name}@players.test"
        player.run("join", letter.name, "--word", invitation["word"], "--mail", address, "--send")
    ears = Ears(host.folder / "notify")
    api, health = free_port(), free_port()
    where = ["--http", f"127.0.0.1:{api}", "--health", f"127.0.0.1:{health}"]
    service = subprocess.Popen(
        [sys.executable, "-m", "pbem", "host", "serve", *where],
        cwd=host.folder,
        env={**host.environment(), "PYTHONPATH": str(Path.cwd()), **ears.environment},
        stderr=subprocess.PIPE,
    )
    try:
        for player in players:
            letters = player.letters(place, 2)
            player.run("update", ".", *(letter.name for letter in letters))
            player.letters(place, 2)
        for player in players:
            paths = player.letters(place, 3 if player is players[0] else 2)
            player.run("update", ".", *(path.name for path in paths))
            player.run("ready", ".", "--send", "--to", HOST)
        for player in players:
            for _ in patiently("no hand was dealt"):
                if b"hand 1" in b"".join(path.read_bytes() for path in player.letters(place, 3)):
                    break
                nap()
        check_health(host, short, api, health)
        ears.wait("WATCHDOG=1", 2)
    finally:
        begin = time.monotonic()
        service.send_signal(signal.SIGTERM)
        _, printed = service.communicate()
        took = time.monotonic() - begin
    return Served(short, players, service.returncode, printed, took, ears.heard())


def test_a_match_from_invitation_to_first_cards_by_commands_alone(host: Person, served: Served) -> None:
    short, heard, printed = served.short, served.heard, served.output
    assert served.code == 0, printed.decode()
    assert served.took < PATIENCE, "two seconds where nothing else runs"
    assert (heard[0], heard.count("READY=1"), heard.count("STOPPING=1")) == ("READY=1", 1, 1)
    assert heard.count("WATCHDOG=1") > 1
    assert [line.partition(" at ")[0] for line in printed.decode().splitlines()] == [
        "pbem: health is served",
        "pbem: the HTTP API listens",
        "pbem: serving; stop with Ctrl-C",
    ], "nothing went wrong"
    table = json.loads(host.run("host", "matches", "--json"))
    assert [match["match"] for match in table["matches"]] == [short]
    assert "waiting" in table["matches"][0]
    assert "games" in host.run("host", "matches") or short in host.run("host", "matches")
    check_commands_on_a_served_match(host, short, table["matches"][0]["waiting"]["seat"])
    game = host.folder / "game.jsonl"
    host.run("host", "export", short, "-o", str(game))
    host.run("verify", str(game))
    check_that_it_can_be_handed_over(host, short, game)


def check_that_it_can_be_handed_over(host: Person, short: str, game: Path) -> None:
    """Another database of the same host goes on from the exported file alone: records, seats, addresses."""
    config = (host.folder / "service.toml").read_text()
    (host.folder / "house.toml").write_text(config.replace("sqlite:///service.db", "sqlite:///house.db"))
    other = copy(host)
    other.more = {"PBEM_SERVICE": "house.toml"}
    body = json.loads(other.run("host", "recover", short, str(game), "--json"))
    assert (body["match"], body["goes_on"]) == (short, True)
    assert other.run("host", "export", short) == game.read_text()
    (here,), (handed_over,) = (
        json.loads(machine.run("host", "matches", "--json"))["matches"] for machine in (host, other)
    )
    assert handed_over["waiting"] == here["waiting"]
    assert {row["seat"]: row["address"] for row in handed_over["mail"]} == {
        row["seat"]: row["address"] for row in here["mail"]
    }


def test_a_restored_backup_is_whole_again_by_the_copies_in_the_mailbox(
    place: Place, host: Person, served: Served
) -> None:
    """The match went on after the backup; its emails' copies say how, and nobody gets one twice."""
    host.run("host", "run-once")
    saved = json.loads(host.run("host", "backup", "-o", "before.backup", "--json"))
    take_turn(place, host, served)
    host.one_round(place)
    newest = host.run("host", "export", served.short)
    assert len(newest.splitlines()) > saved["records"]

    body = json.loads(host.run("host", "restore", "before.backup", "--json"))
    assert Path(host.folder / body["aside"]).exists(), "what was there is put aside, not away"
    assert (body["healed"], body["asked"], body["lost"]) == ([served.short], [], [])
    assert host.run("host", "export", served.short) == newest
    assert json.loads(host.run("host", "run-once", "--json"))["troubles"] == []
    host.run("host", "run-once")
    later = host.run("host", "export", served.short)
    assert later.startswith(newest)
    since = [json.loads(line)["body"]["kind"] for line in later.removeprefix(newest).splitlines()]
    assert set(since) <= {"extend"}, "nothing but time that is given back"
    for player in served.players:
        ids = [parse(letter.read_bytes())["Message-ID"] for letter in player.letters(place, 1)]
        assert len(set(ids)) == len(ids), "a letter came twice"
    (match,) = json.loads(host.run("host", "matches", "--json"))["matches"]
    assert "stopped" not in match


@pytest.fixture
def no_copies(host: Person) -> Iterator[None]:
    """For this test the host sends itself no copies of its letters, which would repair what the test damages."""
    config = host.folder / "service.toml"
    text = config.read_text()
    assert "witness = true" in text
    config.write_text(text.replace("witness = true", "witness = false"))
    yield
    config.write_text(text)


@pytest.mark.usefixtures("no_copies")
def test_an_older_backup_is_noticed_in_a_players_file_and_repaired_by_the_lines_he_mails(
    place: Place, host: Person, served: Served
) -> None:
    """Disk and notes of the host are lost, a backup is put in their place; a file and a command repair the match."""
    host.run("host", "run-once")
    host.run("host", "backup", "-o", "older.backup")
    heads = host.folder / "service.heads.jsonl"
    shutil.copy(heads, host.folder / "older.heads")
    seen = say_long_things(place, host, served)
    take_turn(place, host, served, seen)
    host.one_round(place)
    mover = take_turn(place, host, served)
    newest = (mover.folder / "game.jsonl").read_bytes().splitlines()

    shutil.copy(host.folder / "older.backup", host.folder / "service.db")
    for name in ("service.db-wal", "service.db-shm"):
        (host.folder / name).unlink(missing_ok=True)
    shutil.copy(host.folder / "older.heads", heads)
    (before,) = json.loads(host.run("host", "matches", "--json"))["matches"]
    assert "stopped" not in before
    count = len(mover.letters(place, 0))
    host.one_round(place)
    (match,) = json.loads(host.run("host", "matches", "--json"))["matches"]
    assert match["stopped"]["state"] == "older"
    assert "stands still" in host.run_stderr("host", "extend", served.short, "+24h", expect=5)
    asked = mover.letters(place, count + 1)[-1].read_text("utf-8")
    assert "Your records are needed" in asked
    hit = re.search(r"pbem update \S+ --for-host (\d+)", asked)
    assert hit is not None, asked
    assert int(hit[1]) < len(newest)

    sent = json.loads(mover.run("update", ".", "--for-host", hit[1], "--send", "--json"))
    assert sent["to"].startswith(HOST.partition("@")[0])
    assert [Path(name).name[-12:] for name in sent["files"]] == ["-1-of-2.pbem", "-2-of-2.pbem"]
    while "stopped" in match:  # the pieces come in two mails, in whatever order, perhaps not in one round
        host.one_round(place)
        (match,) = json.loads(host.run("host", "matches", "--json"))["matches"]
    host.run("host", "export", served.short, "-o", "healed.jsonl")
    healed = (host.folder / "healed.jsonl").read_bytes().splitlines()
    assert healed[: len(newest)] == newest
    assert len(healed) > len(newest), "the file that waited was ruled on"
    assert host.run("verify", "healed.jsonl")
    words = [path.read_text("utf-8") for path in mover.letters(place, count + 2)[count:]]
    assert any("Your records came" in word for word in words)


def take_turn(place: Place, host: Person, served: Served, head: int = 0) -> Person:
    """Whoever is awaited reads their emails up to ``head`` or the newest, signs something legal and mails it."""
    seat = json.loads(host.run("host", "status", served.short, "--json"))["waiting"]["seat"]
    (mover,) = [player for player in served.players if player.name == seat]
    head = head or len(host.run("host", "export", served.short).splitlines())
    for _ in patiently(f"{seat} has not the newest record"):
        mover.read_letters(place)
        if len((mover.folder / "game.jsonl").read_bytes().splitlines()) == head:
            break
        nap()
    words = json.loads(mover.run("legal", ".", "--json"))["legal"][0]["words"].split()
    mover.run("turn", ".", *words, "--send", "--to", HOST)
    return mover


def say_long_things(place: Place, host: Person, served: Served) -> int:
    """Talk with as much sealed in it as a file holds, five times: these records do not fit into one mail.

    How many records there were before; talk is shown with the next email.
    """
    before = len(host.run("host", "export", served.short).splitlines())
    seat = json.loads(host.run("host", "status", served.short, "--json"))["waiting"]["seat"]
    (talker,) = [player for player in served.players if player.name != seat]
    host.run("host", "export", served.short, "-o", str(talker.folder / "whole.jsonl"))
    # Their files will say that they have seen it all, and their emails leave out what others merely drew.
    talker.run("update", ".", "whole.jsonl")
    raw = Keyring(talker.folder / "home").read(talker.name)
    who, _ = read_identity(raw, "")
    record = Record.load(host.run("host", "export", served.short).encode().splitlines())
    post = Postbox(place, Player(talker.name))
    newest = record.ledger.players[Seat(talker.name)].n
    for n in range(newest + 1, newest + 6):
        head = {"game": b64(record.game), "seat": talker.name, "n": n, "seen": record.head.seen}
        key = record.ledger.host_seal
        plain = pad(canon({"salt": b64(bytes(16)), "actions": []}), LONG)
        ct = seal(plain, key, lp("pbem/1 sealed", record.game, talker.name, u32(n), key))
        commit = part_commit("sealed", record.game, talker.name, n, bytes(16), [])
        own = shake_256(b"%d" % n).digest(len(ct))  # nobody packs it smaller, and only its owner opens it
        sealed = {"commit": b64(commit), "ct": b64(ct), "own": b64(own)}
        file = make_file("turn", {**head, "actions": [], "sealed": sealed}, who.sign_key, who.sign_public)
        post.send(post.player.mail(file))
        while len(host.run("host", "export", served.short).splitlines()) <= before + n - newest - 1:
            host.one_round(place)  # one by one: mail may overtake mail, and the lower number is stale then
    post.close()
    return before


class Ears:
    """What a supervisor receives from the process that it has started."""

    def __init__(self, path: Path) -> None:
        self.environment = {"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "4000000"}
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._heard: list[str] = []
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while (word := self._socket.recv(100).decode()) != "enough":
            with self._news:
                self._heard.append(word)
                self._news.notify_all()

    def wait(self, word: str, times: int) -> None:
        """Until this was received so often; whoever waits too long for it finds it missing in what was received."""
        with self._news:
            self._news.wait_for(lambda: self._heard.count(word) >= times, PATIENCE)

    def heard(self) -> list[str]:
        """Everything, oldest first."""
        notify("enough", self.environment)
        self._thread.join()
        self._socket.close()
        return self._heard


def check_health(host: Person, short: str, api: int, health: int) -> None:
    """A running service answers probes and Prometheus at one address, players at another."""
    probes, players = (f"http://127.0.0.1:{port}" for port in (health, api))
    with httpx.Client(timeout=PATIENCE) as client:
        state = client.get(f"{probes}/health").json()
        assert state["healthy"], state
        assert state["matches"] == {"running": 1, "over": 0, "stopped": 0}
        assert client.get(f"{probes}/live").status_code == 200
        numbers = client.get(f"{probes}/metrics").text
        for line in ("pbem_healthy 1\n", 'pbem_matches{state="running"} 1\n', "pbem_database_bytes "):
            assert line in numbers, numbers
        assert client.get(f"{probes}/match/{short}/lines").status_code == 404
        word = json.loads(host.run("host", "word", short, "anna", "--json"))["word"]
        asked = {"Authorization": f"Bearer {word}"}
        lines = client.get(f"{players}/match/{short}/lines?after=0", headers=asked)
        assert len(lines.content.splitlines()) == int(lines.headers["pbem-head"])
        assert client.get(f"{players}/metrics").status_code == 404
    body = json.loads(host.run("host", "health", "--json"))
    assert body["healthy"], body
    assert host.run("host", "health").startswith("healthy\n")


def check_commands_on_a_served_match(host: Person, short: str, awaited: str) -> None:
    """What works on a match folder works on the short name of a match of the service in this folder."""
    status = json.loads(host.run("host", "status", short, "--json"))
    assert status["waiting"]["seat"] == awaited
    text = host.run("host", "status", short)
    assert "last file handed in" in text
    assert awaited in text
    extended = json.loads(host.run("host", "extend", short, "+24h", "--json"))
    assert extended["ruling"] == "accepted"
    assert json.loads(host.run("host", "status", short, "--json"))["due"] > status["due"]
    host.run("host", "default", short, expect=5)
    host.run("host", "reseal", short, awaited)
    assert f"{awaited}: 12 h before" in host.run("host", "remind", short, awaited, "12")
    assert host.run("host", "observe", short, "boss@pbem.test") == "boss@pbem.test\n"
    assert host.run("host", "observe", short, "boss@pbem.test", "--remove") == "There are no spectators.\n"
    host.run("host", "substitute", short, awaited, expect=2)
    body = json.loads(host.run("host", "archive", short, "--json"))
    assert (body["sound"], body["file"]) == (True, f"{short}.tar.gz")
    assert "not a file that pbem has signed" in host.run("host", "add", short, "service.toml", expect=5)
    assert "serve" in host.run_stderr("host", "tick", short)
    assert host.run("host", "go-on", "--clock-is-right") == "There was no outage.\n"
    assert json.loads(host.run("host", "run-once", "--json"))["troubles"] == []


def test_deliver_takes_a_mail_from_a_pipe_and_asks_the_server_to_try_again(
    host: Person, tmp_path: Path
) -> None:
    raw = b"From: stranger@example.org\r\nMessage-ID: <s@x>\r\n\r\nhello\r\n"
    host.run("host", "deliver", answers=raw)
    quarantined = json.loads(host.run("host", "quarantine", "--json"))["mails"]
    assert quarantined[0]["reason"].startswith("nothing")
    assert host.run("host", "quarantine", str(quarantined[0]["number"])).replace(
        "\r\n", "\n"
    ).encode() == raw.replace(b"\r\n", b"\n")
    assert quarantined[0]["sender"] == "stranger@example.org"
    assert "1 email is looked at again" in host.run(
        "host", "quarantine", "--release", str(quarantined[0]["number"])
    )
    host.run("host", "quarantine", "--release", expect=2)
    assert "goes on" not in host.run("host", "forget", "stranger@example.org")
    host.run("host", "deliver", "--config", str(tmp_path / "none.toml"), answers=raw, expect=75)


def test_unknown_matches_and_seats_are_said(host: Person) -> None:
    host.run("host", "invite", "nomatch0", "anna=anna@players.test", expect=2)
    host.run("host", "confirm", "nomatch0", "anna", "1", expect=2)
    host.run("host", "export", "nomatch0", expect=2)
    assert parse(b"Subject: x\r\n\r\n")["Subject"] == "x"
