"""Errors that no single line on the stage provokes: what is called instead, by group, and what it says then.

The settings of a service, files that were damaged on their way or on the disk, passwords that are not there.
"""

from __future__ import annotations

import contextlib
import io
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.language import ENGLISH
from pbem.base.sentences import named
from pbem.cli.console import fault_page
from pbem.cli.speech import PEOPLE
from pbem.game import BadSetup, MalformedAction
from pbem.games import find_game
from pbem.host.arguments import checked_contacts, checked_title, moment_behind
from pbem.host.config import read_config, zone_named
from pbem.host.database.backup import put_back
from pbem.host.database.database import Database
from pbem.player.mail.imap import ImapMailbox
from pbem.player.mail.pieces import MAGIC, read_piece, unpack
from pbem.player.mail.servers import Secret
from pbem.player.practice.match import Practice, lesson_plan
from pbem.player.seat.actions import parse_actions
from pbem.player.seat.copy import find_copy
from pbem.player.seat.orders import checked, rule_from_words, with_preset, with_rule
from pbem.player.seat.pairing import read_code
from pbem.player.seat.sent_log import SentLog
from pbem.player.store import Keyring, MatchFolder, Outbox, find_match_folder
from pbem.player.store.game_file import GameFile, Mark, check_line_ends
from pbem.protocol.record import Record
from pbem.protocol.referee import Ignored, Refused
from tests.cli.seats import Done
from tests.errors.stage import Stage

Call = Callable[[Stage, Path], object]
"""What is called: on the stage, with an empty folder of its own."""


def _settings(text: str) -> Call:
    def call(_: Stage, folder: Path) -> object:
        path = folder / "service.toml"
        path.write_text('address = "host@example.org"\n' + text, encoding="utf-8")
        return read_config(path)

    return call


def _piece(head: str, data: bytes = b"") -> Call:
    return lambda *_: read_piece(MAGIC + head.encode() + b"\n" + data)


def _unpacked(data: bytes) -> Call:
    return lambda *_: unpack({1: data})


def _written(name: str, data: bytes, then: Callable[[Path], object]) -> Call:
    def call(_: Stage, folder: Path) -> object:
        path = folder / name
        path.write_bytes(data)
        return then(path)

    return call


def _record(stage: Stage) -> Record:
    return Record.load(stage.friends.game_file.splitlines())


NAMES: Final = {"anna": "Anna", "burt": "Burt", "curt": "Curt"}
"""How the table calls the seats of a match in memory."""
CALLS: Final[dict[str, dict[str, Call]]] = {
    "settings": {
        "a whole number as a yes": _settings("plus = 1"),
        "a word that is not one of the list": _settings('[club]\nfor = "all"'),
        "a password in the file": _settings('[imap]\npassword = "x"'),
        "no password": _settings('[imap]\nhost = "imap.example.org"'),
        "a command that is none": _settings("[imap]\npassword_command = []"),
        "a setting that is not there": _settings("colour = 1"),
        "a server without a name": _settings('[imap]\npassword_env = "P"'),
        "folders.sent": _settings("[folders]\nsent = [1]"),
        "api.proxies": _settings("[api]\nproxies = [1]"),
        "api.url": _settings('[api]\nurl = "ftp://example.org"'),
        "push.services": _settings("[push]\nservices = [1]"),
        "limits": _settings("[limits]\nlease = 0"),
        "keep": _settings("[keep]\nmail = -1"),
        "club.list": _settings("[club]\nlist = [1]"),
        "an address": _settings('[operator]\naddress = "nobody"'),
        "a copy of a PostgreSQL database": _settings(
            'database = "postgresql://db/pbem"\n[backup]\nfolder = "/media/stick"'
        ),
        "a folder": lambda _, folder: read_config(folder),
        "a time zone": lambda *_: zone_named("Mars/Olympus"),
        "a variable without a password": lambda _, folder: Secret("env", "PBEM_NOT_SET").read(folder, {}),
        "a file without a password": lambda _, folder: Secret("file", "nowhere").read(folder, {}),
        "a command without a password": lambda _, folder: Secret("command", ("false",)).read(folder, {}),
        "an address of a database": lambda *_: Database("chess:///board").check(),
        "a folder of a mailbox": lambda *_: ImapMailbox(_nobody, "Sheriff\n"),
    },
    "emails": {
        "a piece without a head": lambda *_: read_piece(MAGIC + b"{" * 10),
        "a piece that says something else": _piece("{}"),
        "a piece of none": _piece('{"game":"x","piece":1,"pieces":[]}'),
        "a piece beyond the last": _piece('{"game":"x","piece":2,"pieces":["y"]}'),
        "an altered piece": _piece('{"game":"x","piece":1,"pieces":["y"]}', b"altered"),
        "pieces that are not packed": _unpacked(b"Reach for the sky"),
        "pieces cut off": _unpacked(zlib.compress(b"x" * 500)[:-4]),
        "pieces of short lines": _unpacked(zlib.compress(b"\n" * 500)),
    },
    "files": {
        "an identity's name": lambda _, folder: Keyring(folder).path("Reach for the sky"),
        "no identity": lambda _, folder: Keyring(folder).pick(),
        "several identities": lambda stage, _: Keyring(stage.root / "anna" / "home").pick(),
        "a name that is taken": lambda stage, _: Keyring(stage.root / "anna" / "home").check_free("anna"),
        "a folder without a match": lambda _, folder: find_match_folder(folder),
        "a file as a folder": _written("notes.txt", b"x", MatchFolder.create),
        "two match files": lambda _, folder: find_match_folder(_two(folder)),
        "a copy without a match": lambda _, folder: find_copy(folder),
        "line ends of another system": lambda _, folder: check_line_ends(b"{}\r\n", folder / "game.jsonl"),
        "a last line without an end": _written(
            "game.jsonl", b'{"a":1}\n{"b', lambda path: GameFile(path).append([b"{}"], expected=Mark.EMPTY)
        ),
        "somebody else appended": _written(
            "game.jsonl", b'{"a":1}\n', lambda path: GameFile(path).append([b"{}"], expected=Mark.EMPTY)
        ),
        "a book of files that was edited": lambda _, folder: _sent_log(folder).page(b""),
        "an email that is not there": lambda _, folder: Outbox(folder).mark_sent("000001-anna-asked.eml"),
        "a backup that is none": lambda stage, folder: put_back(
            f"sqlite:///{folder}/copy.db", stage.root / "anna" / "notes.txt"
        ),
        "practice that is not there": lambda _, folder: Practice(folder, bytes, _never),
    },
    "own words": {
        "an action that is not JSON": lambda *_: parse_actions(find_game("wyatt-earp"), ['{"do":']),
        "actions as a number": lambda *_: parse_actions(find_game("wyatt-earp"), ["[1]"]),
        "an order of no question": lambda stage, _: with_rule(_record(stage), {}, "when dance do pass"),
        "an order without a form": lambda stage, _: with_rule(_record(stage), {}, "react"),
        "an order with one word twice": lambda stage, _: with_rule(
            _record(stage), {}, "when react do pass do pass"
        ),
        "a condition that is none": lambda stage, _: with_rule(
            _record(stage), {}, "when react do pass if moon"
        ),
        "an order in JSON": lambda stage, _: checked(_record(stage), {"rules": 1}),
        "a preset that is not offered": lambda stage, _: with_preset(_record(stage), {}, "moon"),
        "a rule for no turn": lambda *_: rule_from_words(
            find_game("wyatt-earp"), "this turn when react do pass", None
        ),
        "a code of signs": lambda *_: read_code("A?"),
    },
    "addresses and times": {
        "a title of two lines": lambda *_: checked_title("Saturday\nnight"),
        "a lesson of another game": lambda *_: lesson_plan("chess"),
        "an address without a seat": lambda *_: checked_contacts(
            "Helga", None, "", "en", ["carla"], ("anna", "burt")
        ),
        "a time in words": lambda *_: moment_behind("tomorrow", lambda: "2026-11-23T18:00:00Z"),
    },
}


def _sent_log(folder: Path) -> SentLog:
    (folder / "sent").mkdir()
    (folder / "sent" / "book.json").write_text("[]")
    return SentLog.at(MatchFolder(folder))


def _nobody() -> Any:
    raise LookupError("no server is asked")


def _never() -> str:
    raise LookupError("no clock is asked")


def _two(folder: Path) -> Path:
    for name in ("one", "two"):
        (folder / f"{name}.jsonl").write_bytes(b'{"body":{"kind":"genesis"}}\n')
    return folder


def said(stage: Stage, chapter: str, calls: Mapping[str, Call]) -> str:
    """A group as its golden file has it; each call must fail, or say an error and ask again."""
    parts = []
    for number, (name, call) in enumerate(calls.items()):
        folder = stage.root / "calls" / chapter.replace(" ", "-") / str(number)
        folder.mkdir(parents=True)
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(io.StringIO()):
            text = _outcome(call, stage, folder) or f"{printed.getvalue().rstrip()}\n(asked again)"
        assert len(text) > len("(asked again)\n"), f"{chapter}: {name}: nothing is wrong"
        parts.append(f"# {name}\n{text}")
    return stage.steady("\n\n".join(parts)) + "\n"


def refused(fault: PbemError) -> str:
    """What a person reads of it, and the exit code."""
    return f"{fault_page(fault, ENGLISH)}\n(exit {fault.exit_code})"


def entry(title: str, call: Callable[[], object], otherwise: str) -> str:
    """A call as a golden file has it: it fails, or returns a sentence about what is wrong, which ``otherwise`` ends."""
    try:
        result = call()
    except PbemError as fault:
        return f"# {title}\n{refused(fault)}"
    assert isinstance(result, str), f"{title}: nothing is wrong"
    assert result, f"{title}: nothing is said"
    return f"# {title}\n{ENGLISH.translate(result)}\n({otherwise})"


def _outcome(call: Call, stage: Stage, folder: Path) -> str:
    """What a person reads when it fails; empty if a question is asked again."""
    names = PEOPLE.set(NAMES)
    try:
        outcome = call(stage, folder)
    except (PbemError, BadSetup, MalformedAction) as fault:
        return refused(fault if isinstance(fault, PbemError) else UsageProblem(fault.args[0]))
    finally:
        PEOPLE.reset(names)
    match outcome:
        case Done():
            assert outcome.code, outcome
            return f"{(outcome.out + outcome.err).strip()}\n(exit {outcome.code})"
        case Refused():
            return f"refused ({outcome.code}): {ENGLISH.translate(named(outcome.sentence, NAMES))}\n(exit 5)"
        case Ignored():
            return f"ignored: {ENGLISH.translate(named(outcome.reason, NAMES))}\n(exit 5)"
        case str() if outcome:
            return f"refused: {ENGLISH.translate(named(outcome, NAMES))}\n(exit 5)"
        case _:
            pass
    return ""
