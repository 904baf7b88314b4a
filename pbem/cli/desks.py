"""Desks for commands: which identity, which folder, what clock. Imported only by the bodies of commands."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pbem.cli.console import answer, read_input, say, tell, write_output
from pbem.cli.keys import keyring_at
from pbem.cli.passphrase import old_passphrase
from pbem.crypto.digest import unb64
from pbem.crypto.identity import Identity
from pbem.errors import FormatError, PbemError, UsageProblem, VerificationError
from pbem.formats.armour import armour
from pbem.formats.identity_file import Header, read_header, read_identity
from pbem.game import JsonObject
from pbem.host import HostDesk, Outcome
from pbem.mail import MAX_INPUT, content_of
from pbem.player import PlayerDesk, Signed, find_copy
from pbem.record import Record
from pbem.record.line import read_line
from pbem.referee import Accepted, Held, Refused, Repeated
from pbem.store import find_match_folder


def clock() -> str:
    """Now, as records write it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Keys:
    """How the user says which identity: ``--home``, ``--id``, ``--passphrase-file``."""

    home: Path | None = None
    who: str | None = None
    passphrase_file: Path | None = None

    def open(self, raw: bytes, name: str) -> Identity:
        """Open an identity file. Without a terminal and a passphrase file the empty passphrase is tried."""
        if self.passphrase_file is None and not sys.stdin.isatty():
            try:
                return read_identity(raw, "")[0]
            except VerificationError as fault:
                if fault.code != "passphrase":
                    raise
        return read_identity(raw, old_passphrase(self.passphrase_file, name))[0]

    def named(self) -> tuple[str, bytes] | None:
        """The identity that ``--id`` names, by a name or a file."""
        if self.who is None:
            return None
        if "/" in self.who or self.who.endswith(".json"):
            return self.who, read_input(Path(self.who), limit=64 * 1024)
        return self.who, keyring_at(self.home).read(self.who)

    def find(self, wanted: Iterable[bytes], role: str) -> tuple[str, bytes]:
        """The identity with one of these signing keys, or the one that was named."""
        named = self.named()
        if named is not None:
            return named
        keyring, keys = keyring_at(self.home), set(wanted)
        every = [(name, keyring.read(name)) for name in keyring.names()]
        fitting = [(name, raw) for name, raw in every if read_header(raw).sign_public in keys]
        if len(fitting) == 1:
            return self._warned(fitting[0])
        if not fitting:
            raise UsageProblem(
                f"no identity in {keyring.folder} is {role} of this match",
                hint="Name another place with --home, or the identity with --id NAME or --id FILE.",
            )
        names = ", ".join(name for name, _ in fitting)
        raise UsageProblem(f"several identities are {role} here: {names}", hint="Say which: --id NAME")

    def any_of(self, kind: str) -> tuple[str, bytes, Header]:
        """The identity to begin something with: the one named, or the only one of this kind."""
        named = self.named()
        if named is None:
            keyring = keyring_at(self.home)
            every = [(name, keyring.read(name)) for name in keyring.names()]
            fitting = [(name, raw) for name, raw in every if read_header(raw).kind == kind]
            if len(fitting) != 1:
                self._none_or_many(kind, [name for name, _ in fitting], keyring.folder)
            named = self._warned(fitting[0])
        return (*named, read_header(named[1]))

    def _none_or_many(self, kind: str, names: Sequence[str], folder: Path) -> None:
        flag = " --host" if kind == "host" else ""
        if names:
            raise UsageProblem(
                f"there are several identities of a {kind}: {', '.join(names)}", hint="Say which: --id NAME"
            )
        raise UsageProblem(
            f"there is no identity of a {kind} in {folder}", hint=f"Make one: pbem id new{flag} PERSON"
        )

    def _warned(self, found: tuple[str, bytes]) -> tuple[str, bytes]:
        if warning := keyring_at(self.home).warning(found[0]):
            tell(warning)
        return found


# --- the host -----------------------------------------------------------------------------------------------


def match_and_rest(match: Path | None, arguments: Sequence[str]) -> tuple[Path, list[str]]:
    """The match folder and the other arguments: the folder may stand first among them."""
    if match is not None:
        return match, list(arguments)
    if arguments and _is_match(Path(arguments[0])):
        return Path(arguments[0]), list(arguments[1:])
    return Path(), list(arguments)


def match_alone(match: Path | None, arguments: Sequence[str] | None) -> Path:
    """The match folder of a command that takes nothing else."""
    if arguments and (match is not None or len(arguments) > 1):
        raise UsageProblem(f"expected one match folder; found {' '.join(arguments)} too")
    return match if match is not None else Path(arguments[0] if arguments else ".")


def _is_match(path: Path) -> bool:
    return (path / "game.jsonl").is_file() or path.name == "game.jsonl"


def host_desk(path: Path, keys: Keys) -> HostDesk:
    """The host's desk on the match in ``path``."""
    folder = find_match_folder(path)
    lines = folder.game.read().lines
    if not lines:
        raise UsageProblem(f"{folder.game.path} is empty", hint="Make a match with: pbem host new")
    key = unb64(read_line(lines[0]).body["host"]["sign"], 32)
    name, raw = keys.find([key], "the host")
    return HostDesk(path, keys.open(raw, name), clock)


def told(desk: HostDesk) -> None:
    """Print what the desk has to say for the host."""
    for sentence in desk.told:
        tell(sentence)
    desk.told.clear()


def incoming(paths: Sequence[str]) -> list[tuple[str, bytes]]:
    """The players' files in these files and folders: name and bytes; ``-`` is standard input."""
    found: list[tuple[str, bytes]] = []
    for text in paths:
        path = Path(text)
        inside = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
        for one in inside:
            found += [(str(one), raw) for raw in _files_in(one)]
    if not found:
        raise UsageProblem(
            "no file was named", hint="Name the files that the players sent, or - to read one."
        )
    return found


def _files_in(path: Path) -> list[bytes]:
    raw = read_input(path, limit=MAX_INPUT)
    content = content_of(raw)
    for damage in content.damages:
        tell(f"{path}: {damage}")
    if content.damages and not content.files:
        raise content.damages[0]
    if not content.files:
        raise FormatError(
            f"{path} holds no signed file of a player", hint="'pbem inspect FILE' says what it is."
        )
    return list(content.files)


def ruling_json(source: str, outcome: Outcome) -> JsonObject:
    """What came of one file, for programs."""
    ruling = outcome.ruling
    head: JsonObject = {"file": source, "letters": list(outcome.letters)}
    if isinstance(ruling, Accepted):
        head |= {"ruling": "accepted", "seat": ruling.sender, "records": [line.seq for line in ruling.lines]}
        return head | ({"stopped": ruling.stopped} if ruling.stopped else {})
    if isinstance(ruling, Refused):
        told: JsonObject = {
            "ruling": "refused",
            "seat": ruling.seat,
            "code": ruling.code,
            "text": ruling.sentence,
        }
        told["rules"] = list(ruling.rules)
        return head | told | ({} if ruling.action is None else {"action": ruling.action})
    if isinstance(ruling, Repeated):
        return head | {"ruling": "repeated", "seat": ruling.seat, "record": ruling.line.seq}
    if isinstance(ruling, Held):
        return head | {
            "ruling": "held",
            "seat": ruling.seat,
            "what": ruling.what,
            "missing": list(ruling.missing),
        }
    return head | {"ruling": "ignored", "text": ruling.reason}


def ruling_text(told: JsonObject) -> str:
    """What came of one file, as a line for the host."""
    name, kind = told["file"], told["ruling"]
    if kind == "accepted":
        records = told["records"]
        span = f"record {records[0]}" if len(records) == 1 else f"records {records[0]} to {records[-1]}"
        stopped = told.get("stopped")
        tail = f", stopped at action {stopped['at'] + 1} ({stopped['why']})" if stopped else ""
        return f"{name}: accepted, {told['seat'] or 'host'}, {span}{tail}"
    if kind == "refused":
        rows = f" [{', '.join(told['rules'])}]" if told["rules"] else ""
        return f"{name}: refused, {told['code']}: {told['text']}{rows}"
    if kind == "repeated":
        return f"{name}: the same file as record {told['record']}; its receipt is written again"
    if kind == "held":
        missing = ", ".join(told["missing"]) or "nobody; the host may go on"
        return f"{name}: consent of {told['seat']} to {told['what']['kind']} kept; missing: {missing}"
    return f"{name}: ignored: {told['text']}"


def take_all(desk: HostDesk, files: Sequence[tuple[str, bytes]], *, as_json: bool) -> int:
    """Rule on these files one by one; the exit code is 5 if any was refused or ignored."""
    results = []
    for source, raw in files:
        result = ruling_json(source, desk.take(raw))
        told(desk)
        results.append(result)
        if not as_json:
            say(ruling_text(result))
            for letter in result["letters"]:
                say(f"  letter  {desk.folder.outbox.folder / letter}")
    if as_json:
        answer("", results, as_json=True)
    return 5 if any(r["ruling"] in ("refused", "ignored") for r in results) else 0


# --- the player ---------------------------------------------------------------------------------------------


def player_desk(game: Path, keys: Keys) -> PlayerDesk:
    """The player's desk for the argument GAME, with the identity that holds a seat there."""
    copy = find_copy(game)
    record = copy.record
    for note in copy.notes:
        tell(note)
    copy.notes.clear()
    name, raw = keys.find([player.sign for player in record.ledger.players.values()], "a player")
    desk = PlayerDesk(copy, keys.open(raw, name), secrets.token_bytes)
    for misuse in desk.misused_orders():
        tell(f"the host did not keep to your orders; {misuse}\nkeep this file and tell the others")
    return desk


def lone_record(game: Path) -> Record:
    """The verified copy, for who needs no key."""
    copy = find_copy(game)
    record = copy.record
    for note in copy.notes:
        tell(note)
    return record


@dataclass(frozen=True, slots=True)
class Post:
    """``--send`` and ``--to``: whether and where a file is mailed, and the folder that remembers it."""

    wanted: bool
    to: str | None
    folder: Path
    home: Path | None


def hand_over(
    signed: Signed, output: Path | None, *, as_armour: bool, as_json: bool, post: Post | None = None
) -> None:
    """Let a signed file leave: to a file or to standard output, or by mail, and say what to do with it."""
    if post is not None and post.wanted:
        from pbem.cli.posting import post_file

        for sentence in (*signed.warnings, *signed.notes):
            tell(sentence)
        post_file(signed, post, as_json=as_json)
        if output is None:
            return
    raw = armour(signed.file).encode() if as_armour else signed.raw + b"\n"
    for sentence in (*signed.warnings, *signed.notes):
        tell(sentence)
    place = output
    if place is None and not as_json and not as_armour and sys.stdout.isatty():
        place = Path(signed.name)
    if place is not None or not as_json:
        write_output(place, raw, replace=True)
    if as_json:
        facts = {"kind": signed.kind, "seat": signed.seat, "n": signed.n, "notes": list(signed.notes)}
        facts |= {"output": None if place is None else str(place), "message": signed.file}
        answer("", facts, as_json=True)
        return
    where = "" if place is None or str(place) == "-" else f" in {place}"
    tell(f"signed {signed.kind} {signed.n} of {signed.seat}{where}; send it to the host")


def load_json(path: Path) -> JsonObject:
    """A JSON object from a file that the user named."""
    from pbem.formats.strict_json import parse

    value = parse(read_input(path, limit=4 * 1024 * 1024), limit=4 * 1024 * 1024)
    if not isinstance(value, dict):
        raise FormatError(f"{path} holds no JSON object")
    return value


def raw_lines(path: Path) -> tuple[bytes, ...]:
    """The lines of a game file that the user named, unverified."""
    from pbem.player import read_lines

    return read_lines(path)


def bytes_of(path: Path) -> bytes:
    """The bytes of a file that the user named."""
    return read_input(path, limit=MAX_INPUT)


def first_fault(lines: Sequence[bytes]) -> tuple[Record | None, int, PbemError | None]:
    """The record as far as it holds, the number of the first line that does not, and why."""
    if not lines:
        return None, 0, FormatError("the game file has no records")
    try:
        record = Record.begin(lines[0])
    except PbemError as fault:
        return None, 0, fault
    for index, raw in enumerate(lines[1:], 1):
        try:
            record.extend([raw])
        except PbemError as fault:
            return record, index, fault
    return record, len(lines), None
