"""Errors of players, of hosts by hand and of the web app that need more than one line: a question, a damaged copy."""

from __future__ import annotations

import contextlib
import errno
import gzip
import itertools
import os
import random
import shutil
import socket
import ssl
import sys
import threading
import types
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from unittest import mock

import trustme
import typer

from pbem.base.language import ENGLISH
from pbem.bots.labels import level_named
from pbem.cli.first_start import ask_servers
from pbem.cli.host_here import Wishes, first_start
from pbem.cli.host_watch import Invitee, WantedMatch, ask_addresses, read_people
from pbem.cli.kept import matches_of
from pbem.games import find_game
from pbem.player.lookback.timeline import Timeline
from pbem.player.mail.confined import Confined
from pbem.player.mail.outgoing import MailHead, write_mail
from pbem.player.mail.own import read_own_mail
from pbem.player.mail.pieces import MOST_PIECES, pack
from pbem.player.mail.ports import OWN_MAIL, Account
from pbem.player.mail.servers import Secret
from pbem.player.mail.smtp import SmtpOutgoing, verified_context
from pbem.player.practice.match import Practice, PracticePlan
from pbem.player.seat.copy import new_lines
from pbem.player.seat.joining import seat_to_join
from pbem.player.seat.keeping_open import SETTINGS, keep_open, read_settings
from pbem.player.seat.orders import order_words, rule_from_words
from pbem.player.seat.pairing import new_code
from pbem.player.seat.posting import host_address
from pbem.player.seat.sent_files import SentFiles
from pbem.player.seat.show import Look, drawing_of
from pbem.player.store import MatchFolder
from pbem.player.store.durable import refuse_link
from pbem.player.store.game_file import GameFile, Intent, Mark
from pbem.player.store.match_folder import Sealed
from pbem.player.world import SeededEntropy
from pbem.protocol.audit.pieces import KeptRecords
from pbem.protocol.crypto.identity import Identity, from_paper, recovery_to_paper, to_paper
from pbem.protocol.formats.strict_json import MAX_FILE
from pbem.protocol.record import Record
from pbem.web.build import HASHES
from tests.cli.seats import Done, Friends, make_identity, run
from tests.cli.test_host_asks import answers
from tests.errors.calls import Call
from tests.errors.stage import Stage
from tests.errors.typed import at_terminal, typed
from tests.toy.standoff import StandoffGame
from tests.world import START, World, accepted, secret


def _anna(line: str, *answered: str) -> Call:
    """Anna types it in her folder; with answers, at a terminal."""

    def call(stage: Stage, _: Path) -> Done:
        folder = stage.root / "anna"
        return at_terminal(folder, line, *answered) if answered else typed(folder, line)

    return call


def _host(line: str, where: str = "") -> Call:
    """The host types it in the own folder, or in one below."""

    def call(stage: Stage, _: Path) -> Done:
        folder = stage.root / "host"
        return typed(folder / where, line, home=folder / "home")

    return call


def _other(stage: Stage) -> Path:
    """Anna's folder in the other match."""
    return stage.root / "other" / "anna"


def _same_matches(stage: Stage, folder: Path) -> Done:
    """Two places that hold the same two matches."""
    other = World("wyatt-earp", ("anna", "burt")).start()
    lines = [line.raw for line in _record(stage).lines]
    for place in (folder / "first", folder / "second"):
        place.mkdir()
        for name, held in (("one", lines), ("other", other.lines)):
            (place / f"{name}.jsonl").write_bytes(b"".join(line + b"\n" for line in held))
    return typed(folder, "pbem compare first second")


def _record(stage: Stage) -> Record:
    return Record.load(stage.friends.game_file.splitlines())


def _first_evening(stage: Stage, folder: Path) -> object:
    """Wrong answers to what ``pbem host`` asks; each is asked again."""
    (folder / "page").mkdir()
    (folder / "page" / HASHES).write_text("{}")
    (folder / "full" / "pbem-friends").mkdir(parents=True)
    (folder / "full" / "pbem-friends" / "service.toml").write_text("")
    friends = folder / "friends"
    ask = answers(
        *("", "Anna", "3", "1", "", "Burt, Burt", "Burt", "y", "1"),
        *("", "http://anna.example.org", "anna.example.org"),
        *(str(friends), str(folder / "full"), str(folder / "stick"), "six", "seven", "six", "six"),
    )
    first_start(friends, ask, Wishes(page=folder / "page"))
    return None


def _no_page(_: Stage, folder: Path) -> object:
    """Where pbem came without the web app, nobody can be given a link."""
    with mock.patch("pbem.cli.host_here.BROUGHT", folder / "none"), contextlib.suppress(typer.Abort):
        first_start(folder / "friends", answers("Anna", "1", "Burt", "y", "1"), Wishes())
    return None


def _altered(stage: Stage, folder: Path) -> Done:
    """Two equal copies, in whose last record a sign of the signature is another."""
    lines = stage.friends.game_file.splitlines(keepends=True)
    last = lines[-1].replace(b'"value":"A', b'"value":"B') if b'"value":"A' in lines[-1] else b""
    at = lines[-1].rindex(b'"value":"') + 9
    last = lines[-1][:at] + (b"B" if lines[-1][at : at + 1] == b"A" else b"A") + lines[-1][at + 1 :]
    for name in ("one.jsonl", "two.jsonl"):
        (folder / name).write_bytes(b"".join([*lines[:-1], last]))
    return typed(folder, "pbem compare one.jsonl two.jsonl")


def _several(stage: Stage, folder: Path) -> Done:
    """Both players of the match have their keys in one place."""
    for seat in ("anna", "burt"):
        make_identity(folder / "home", seat)
    (folder / "game.jsonl").write_bytes(stage.friends.game_file)
    return typed(folder, "pbem show .")


def _inspected(raw: bytes) -> Call:
    def call(_: Stage, folder: Path) -> Done:
        (folder / "it").write_bytes(raw)
        return typed(folder, "pbem inspect it")

    return call


def _unreadable(stage: Stage, folder: Path) -> Done:
    """The first record has lost a colon."""
    (folder / "it").write_bytes(stage.friends.game_file.splitlines()[0].replace(b'"at":', b'"at"') + b"\n")
    return typed(folder, "pbem inspect it")


def _join_again(seat: str, more: str) -> Call:
    def call(stage: Stage, _: Path) -> Done:
        folder = stage.root / seat
        invitation = next(folder.glob("*invitation.eml")).name
        return typed(folder, f"pbem join {invitation} {more} --id {seat}")

    return call


def _joined(stage: Stage, seat: str) -> Friends:
    """In the other match this seat joins, if it has not; the host takes it."""
    friends = stage.other
    folder = friends.folder(seat)
    if not list(folder.glob("sent/*join*")):
        invitation = next(folder.glob("*invitation.eml")).name
        assert typed(folder, f"pbem join {invitation} -o join.json").code == 0
    return friends


def _no_picture(stage: Stage, _: Path) -> object:
    """A match of a game that brings no picture."""
    record = _record(stage)
    record.game_info = StandoffGame().info
    return drawing_of(Look(record), ENGLISH)


def _late(stage: Stage, _: Path) -> Done:
    return typed(_joined(stage, "anna").folder("anna"), "pbem show .")


def _ready_twice(stage: Stage, _: Path) -> Done:
    for seat in ("anna", "burt"):
        friends = _joined(stage, seat)
        assert friends.send(friends.folder(seat) / "join.json").code == 0
    assert friends.send(friends.sign("anna", "ready")).code == 0
    return typed(friends.folder("anna"), "pbem ready .")


def _second_device(stage: Stage, folder: Path) -> Done:
    """Both devices sign a file of one number, and the host takes that of the other."""
    friends, twin = stage.other, folder / "twin"
    shutil.copytree(friends.folder("anna"), twin)
    assert typed(friends.folder("anna"), "pbem say . Howdy -o here.json").code == 0
    assert typed(twin, "pbem say . 'Good evening' -o there.json").code == 0
    assert friends.send(twin / "there.json").code == 0
    return typed(friends.folder("anna"), "pbem say . 'Anybody there?'")


def _words_for_all(stage: Stage, folder: Path) -> Done:
    (folder / "words.txt").write_text(recovery_to_paper(secret("anna")))
    return typed(stage.root / "anna", f"pbem consent . end --recovery {folder / 'words.txt'}")


def _part(first: int, last: int) -> Call:
    """Some records of a match that the copy does not continue with."""

    def call(stage: Stage, folder: Path) -> Done:
        lines = stage.friends.game_file.splitlines(keepends=True)
        (folder / "game.jsonl").write_bytes(b"".join(lines[:3]))
        (folder / "part.jsonl").write_bytes(b"".join(lines[5:]))
        return typed(folder, "pbem update . part.jsonl")

    return call


def _forked(stage: Stage, folder: Path) -> object:
    """The same match with another record 1."""
    world, again = (World("wyatt-earp", ["anna", "burt"]) for _ in range(2))
    world.join("anna")
    again.join("burt")
    return new_lines(world.record, again.lines, "saved.eml")


def _alone(stage: Stage, folder: Path) -> Done:
    lines = stage.friends.game_file.splitlines(keepends=True)
    (folder / "part.jsonl").write_bytes(b"".join(lines[5:]))
    return typed(folder, "pbem show part.jsonl")


def _two_matches(stage: Stage, folder: Path) -> Done:
    for name, friends in (("one", stage.friends), ("two", stage.other)):
        (folder / f"{name}.jsonl").write_bytes(friends.game_file)
    return typed(folder, "pbem show .")


def _packed(_: Stage, folder: Path) -> Done:
    (folder / "records.jsonl.gz").write_bytes(gzip.compress(b"{}")[:12])
    return typed(folder, "pbem verify records.jsonl.gz")


def _stranger_rekeys(*_: object) -> object:
    world = World("wyatt-earp", ["anna", "burt"]).start()
    return world.rekey_file("anna", Identity(secret("nobody")).sign_key, Identity(secret("new")))


def _too_long(_: Stage, folder: Path) -> object:
    return SentFiles(MatchFolder(folder), lambda: "2026-11-23T18:00:00Z").keep({"body": "x" * MAX_FILE})


def _account(text: str) -> Call:
    def call(_: Stage, folder: Path) -> object:
        (folder / OWN_MAIL).write_text(text, encoding="utf-8")
        return read_own_mail(folder, None, {})

    return call


def _keyring(module: object) -> Call:
    """What a system answers that has this for a keyring."""

    def call(_: Stage, folder: Path) -> object:
        with mock.patch.dict(sys.modules, {"keyring": module}):
            return Secret("keyring", "pbem/anna").read(folder, {})

    return call


def _without_processes(confined: Confined) -> object:
    with mock.patch("subprocess.Popen", side_effect=OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))):
        return confined(b"", "host@example.org")


def _keep_open(_: Stage, folder: Path) -> object:
    with mock.patch.dict(sys.modules, {"keyring": None}):
        return keep_open(folder, Identity(secret("anna")), 60, lambda _: None)


def _kept(text: str) -> Call:
    def call(_: Stage, folder: Path) -> object:
        (folder / SETTINGS).write_text(text, encoding="utf-8")
        return read_settings(folder)

    return call


def _refused(_: object) -> os.stat_result:
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _full(*_: object) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _linked(_: Stage, folder: Path) -> object:
    (folder / "there").mkdir()
    (folder / "here").symlink_to(folder / "there")
    refuse_link(folder / "here")
    return None


def _in_use(_: Stage, folder: Path) -> object:
    with GameFile(folder / "game.jsonl").lock(), GameFile(folder / "game.jsonl").lock(0):
        return None


def _written(raw: bytes, then: Callable[[Path], object]) -> Call:
    def call(_: Stage, folder: Path) -> object:
        (folder / "game.jsonl").write_bytes(raw)
        return then(folder / "game.jsonl")

    return call


def _gone(_: Stage, folder: Path) -> object:
    """The disk is full, and takes nothing back either."""
    path = folder / "game.jsonl"
    path.write_bytes(b"")
    cut, calls = os.ftruncate, itertools.count()

    def once(handle: int, size: int) -> None:
        if next(calls) == 1:  # the others are the lock's
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        cut(handle, size)

    with mock.patch("os.ftruncate", once):
        return GameFile(path, write=_full).append([b"{}"], expected=Mark.EMPTY)


def _pending(_: Stage, folder: Path) -> object:
    (folder / "game.jsonl").write_bytes(b'{"a":1}\n')
    (folder / "game.jsonl.pending").write_bytes(Intent(99, bytes(32), b"{}\n").to_bytes())
    return GameFile(folder / "game.jsonl").repair()


def _lost(stage: Stage, folder: Path) -> object:
    """The host's folder, whose match file was restored to where it was three records ago."""
    shutil.copytree(stage.friends.match, folder / "match")
    path = folder / "match" / "game.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-3]))
    return MatchFolder(folder / "match").repair()


def _edited(_: Stage, folder: Path) -> object:
    (folder / "000001-anna-order-abc.json").write_text("{}")
    return list(Sealed(folder).all())


def _plan(folder: Path, against: int = 1) -> Practice:
    world = SeededEntropy("errors", "practice")
    return Practice.begin(folder, PracticePlan("wyatt-earp", against), world, lambda: START)


def _practised(against: int = 1) -> Call:
    def call(_: Stage, folder: Path) -> object:
        if against == 1:
            _plan(folder)
        return _plan(folder, against)

    return call


def _headless(_: Stage, folder: Path) -> object:
    """A practice match whose file has lost its first record."""
    _plan(folder)
    path = folder / "game.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    return Practice(folder, SeededEntropy("errors", "practice"), lambda: START)


def _removed(_: Stage, folder: Path) -> Done:
    """The folder in which somebody stands is gone."""
    (folder / "home").mkdir()
    here = folder / "here"
    here.mkdir()
    with contextlib.chdir(here):
        here.rmdir()
        return run("host")


_NOON: Final = datetime(2026, 11, 23, 12, tzinfo=UTC)


class _Server:
    """A mail server that says these words, one for each line that it reads, over TLS; then it hangs up."""

    def __init__(self, greeting: str, *said: str) -> None:
        authority = trustme.CA()
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert("localhost").configure_cert(context)
        self.pem = authority.cert_pem.bytes()
        self._words = (greeting, *said)
        self._listening = context.wrap_socket(socket.create_server(("localhost", 0)), server_side=True)
        self.port: int = self._listening.getsockname()[1]

    def __enter__(self) -> _Server:
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()
        self._listening.close()

    def _serve(self) -> None:
        connection, _ = self._listening.accept()
        tag = ""
        with connection, connection.makefile("rb") as lines:
            for word in self._words:
                connection.sendall(word.replace("TAG", tag).encode())
                tag = lines.readline().partition(b" ")[0].decode()


def _wrong_password(_: Stage, folder: Path) -> object:
    known = "* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\nTAG OK done\r\n"
    no = "TAG NO [AUTHENTICATIONFAILED] no\r\n"
    with _Server("* OK hello\r\n", known, no) as server:
        (folder / "ca.pem").write_bytes(server.pem)
        with mock.patch.dict("os.environ", SSL_CERT_FILE=str(folder / "ca.pem")):
            return ask_servers("anna@example.org", answers(f"localhost:{server.port}", "x", "wrong", "n"))


def _hangs_up(_: Stage, folder: Path) -> object:
    with _Server(
        "220 hello\r\n", "250-hello\r\n250 AUTH PLAIN\r\n", "235 come in\r\n", "250 yes\r\n"
    ) as server:
        (folder / "ca.pem").write_bytes(server.pem)
        account = Account("localhost", server.port, "anna", "x", ca_file=str(folder / "ca.pem"))
        SmtpOutgoing(lambda: account).send("anna@example.org", ["host@example.org"], b"Howdy", "1")
    return None


PLAYERS: Final[dict[str, dict[str, Call]]] = {
    "questions": {
        "a passphrase that is not the same again": _anna("pbem id new Carl", "one", "two"),
        "an empty passphrase": _anna("pbem id new Carl", ""),
        "no passphrase": _anna("pbem id new Carl", "one"),
        "a question that nobody answers": _anna("pbem mail init"),
        "no second file after all": _anna("pbem turn . 'draw supply'", "", "n"),
        "the first evening of a host": _first_evening,
        "no web app with it": _no_page,
        "the host's own address": lambda *_: ask_addresses(
            answers("games@example.org", "anna@example.org"),
            WantedMatch("wyatt-earp", (Invitee("anna"),), "anna"),
            "games@example.org",
        ),
        "no match to play": _anna("pbem play folder", ""),
        "the address of a server": lambda *_: ask_servers("anna@example.org", answers("a:b", "", "x", "n")),
        "a password that the server does not take": _wrong_password,
        "a name of two": lambda *_: read_people("<Burt>"),
        "no names": lambda *_: read_people(" , "),
        "two of one name": lambda *_: read_people("Burt, Burt"),
    },
    "hosting": {
        "a match by a player": _anna("pbem host new sunday --game wyatt-earp --seats anna,burt --id anna"),
        "a piece that is missing": _host("pbem host recover -o taken piece"),
        "a folder for a match of the service": _host("pbem host again abcdefgh sunday", "served"),
        "no match folder": _host("pbem host send --sent", "folder"),
        "no terminal": _host("pbem host", "folder"),
    },
    "own copy": {
        "a record that is not there": _anna("pbem verify . --card 999"),
        "a time that is not there": _anna("pbem show . --at 999"),
        "a public time that is not there": _anna("pbem show . --public --at 999"),
        "a frame that is not there": lambda stage, _: Timeline(_record(stage)).at(999),
        "a copy that was altered": _altered,
        "orders that are a list": _anna("pbem orders --set list.json"),
        "a misread sign": lambda *_: from_paper(to_paper(Identity(secret("anna"))).replace("A", "B")),
        "the words of another kind": lambda *_: from_paper(recovery_to_paper(secret("anna"))),
        "no new key": _anna("pbem rekey . --new ''"),
        "recovery words for what concerns everybody": _words_for_all,
        "a new key without recovery words": _anna("pbem rekey . --new anna --new-paper"),
        "a new key for no seat": _anna("pbem rekey . --new anna --ask"),
        "several players here": _several,
        "a reaction alone": _anna("pbem turn . --react 3=clap"),
        "an offer that is none": _anna("pbem turn . 'draw supply' --then moon"),
        "a record in words": _anna("pbem consent . rewind to=soon"),
        "a record that is not in the copy": _anna("pbem consent . rewind to=999"),
        "emails without the first record": lambda stage, _: matches_of(
            [KeptRecords("email", tuple(line.raw for line in _record(stage).lines[3:]))]
        ),
        "two mailboxes with the same two matches": _same_matches,
        "a board for a game without one": _anna("pbem check --board wyatt-earp thing.json"),
        "something else in JSON": _anna("pbem inspect thing.json"),
        "a match file without a record": _unreadable,
        "a text": _inspected(b"Reach for the sky\n"),
        "what breaks off": _inspected(b'{"body": {'),
        "a join that is taken in": _join_again("anna", "--name Annie"),
        "a seat that is taken": _join_again("burt", "--seat anna"),
        "a copy that ends before the join": _late,
        "Ready twice": _ready_twice,
        "a file from another device": _second_device,
        "records that do not follow": _part(9, 11),
        "no records": lambda *_: new_lines(None, (), "an email"),
        "another record": _forked,
        "new records alone": _alone,
        "two matches in a folder": _two_matches,
        "records that cannot be unpacked": _packed,
        "no seat": lambda stage, _: seat_to_join(_record(stage), Path("invitation.eml"), "", "Zoe", None),
        "no picture": _no_picture,
        "nothing to see": lambda *_: drawing_of(Look(World("wyatt-earp", ["anna", "burt"]).record), ENGLISH),
        "a key of nobody": _stranger_rekeys,
        "a level that is none": lambda *_: level_named("wizard"),
        "orders in JSON alone": lambda *_: order_words(StandoffGame()),
        "one fact twice": lambda *_: rule_from_words(
            find_game("wyatt-earp"), "when react do pass if holding hideout and holding hideout", None
        ),
        "a channel of one sign": lambda *_: new_code("A", bytes),
        "no address of the host": lambda _, folder: host_address(folder, "7saloon7"),
        "more than a file holds": _too_long,
    },
    "mailboxes": {
        "a server that hangs up": _hangs_up,
        "certificates that are none": lambda _, folder: verified_context(str(folder / "ca.pem")),
        "a header of two lines": lambda *_: write_mail(
            MailHead("anna@example.org", "burt@example.org", "Howdy\nBurt", "<1@example.org>", _NOON), ""
        ),
        "an account that is not TOML": _account("address"),
        "an account without a server": _account('address = "anna@example.org"'),
        "a sealed password": _account(
            'address = "anna@example.org"\n[smtp]\nhost = "x"\nuser = "x"\npassword_sealed = "x"'
        ),
        "no keyring": _keyring(None),
        "nothing in the keyring": _keyring(types.SimpleNamespace(get_password=lambda *_: None)),
        "more pieces than are taken": lambda *_: pack(
            bytes(32), [random.Random(1).randbytes(MOST_PIECES + 300).hex().encode()], 1
        ),
        "no process": lambda *_: _without_processes(Confined()),
        "a keyring to keep it open": _keep_open,
        "settings that are none": _kept('keyring = "never"\nminutes = "x"'),
        "settings without an end": _kept('keyring = "session"\nminutes = inf'),
        "settings for a thousand years": _kept('keyring = "session"\nminutes = 525600000'),
        "a keyring that is none": _kept('keyring = "often"'),
    },
    "disk": {
        "a folder that cannot be looked at": lambda _, folder: refuse_link(folder, looked=_refused),
        "a folder that is a link": _linked,
        "a folder in use": _in_use,
        "no match file": lambda _, folder: GameFile(folder / "game.jsonl").read(),
        "a match file that was replaced": _written(
            b'{"a":1}\n', lambda path: GameFile(path).read(Mark(8, bytes(32)))
        ),
        "a full disk": _written(
            b"", lambda path: GameFile(path, write=_full).append([b"{}"], expected=Mark.EMPTY)
        ),
        "a disk that goes away": _gone,
        "an append that does not fit": _pending,
        "an end that nobody wrote": _written(b'{"a":1}x', lambda path: GameFile(path).repair()),
        "records that are lost": _lost,
        "a sealed copy that was edited": _edited,
        "a file that the host does not take": lambda *_: accepted(
            World("wyatt-earp", ["anna", "burt"]).judge(b"{}")
        ),
        "a practice match already": _practised(),
        "too many others": _practised(against=9),
        "a practice match without a beginning": _headless,
        "a folder that was removed": _removed,
    },
}
