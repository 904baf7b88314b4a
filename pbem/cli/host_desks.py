"""The host's desk for commands, and what came of the files it took. Imported only by the bodies of commands."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pbem.cli.console import answer, read_input, say, tell
from pbem.cli.desks import Keys, clock
from pbem.crypto.digest import unb64
from pbem.errors import FormatError, UsageProblem
from pbem.game import JsonObject
from pbem.host import HostDesk, Outcome
from pbem.host.config import CONFIG_NAME
from pbem.mail import MAX_INPUT, content_of
from pbem.record.judge import placed
from pbem.record.line import read_line
from pbem.referee import Accepted, Departed, Held, PutAside, Refused, Repeated, Unchanged
from pbem.store import find_match_folder

if TYPE_CHECKING:
    from pbem.host.service.desk import ServiceDesk

AnyDesk: TypeAlias = "HostDesk | ServiceDesk"
"""A match folder's desk, or that of a match in the service's database."""


def match_and_rest(match: Path | None, arguments: Sequence[str]) -> tuple[Path, list[str]]:
    """The match folder and the other arguments: the folder may stand first among them."""
    if match is not None:
        return match, list(arguments)
    if arguments and (_is_match(Path(arguments[0])) or is_served(Path(arguments[0]))):
        return Path(arguments[0]), list(arguments[1:])
    return Path(), list(arguments)


def match_alone(match: Path | None, arguments: Sequence[str] | None) -> Path:
    """The match folder of a command that takes nothing else."""
    if arguments and (match is not None or len(arguments) > 1):
        raise UsageProblem(f"expected one match folder; found {' '.join(arguments)} too")
    return match if match is not None else Path(arguments[0] if arguments else ".")


def _is_match(path: Path) -> bool:
    return (path / "game.jsonl").is_file() or path.name == "game.jsonl"


def service_config() -> Path:
    """Where the configuration of the service in this folder would be."""
    return Path(os.environ.get("PBEM_SERVICE") or CONFIG_NAME)


def is_served(path: Path) -> bool:
    """Whether this is the short name of a match of the service in this folder, and no file."""
    named = re.fullmatch(r"[0-9a-z]{8}", str(path)) is not None
    return named and not path.exists() and service_config().is_file()


def host_desk(path: Path, keys: Keys) -> AnyDesk:
    """The host's desk on the match in ``path``: a folder, or the short name of a match of the service here."""
    if is_served(path):
        return served_desk(path)
    folder = find_match_folder(path)
    lines = folder.game.read().lines
    if not lines:
        raise UsageProblem(f"{folder.game.path} is empty", hint="Make a match with: pbem host new")
    key = unb64(read_line(lines[0]).body["host"]["sign"], 32)
    name, raw = keys.find([key], "the host")
    return HostDesk(path, keys.open(raw, name), clock)


def served_desk(path: Path) -> ServiceDesk:
    """The desk of a match of the service in this folder."""
    from pbem.cli.service_run import build_service, configuration
    from pbem.host.service.desk import ServiceDesk

    desk = ServiceDesk(build_service(configuration(service_config())), str(path))
    desk.status()  # there is such a match
    return desk


def told(desk: AnyDesk) -> None:
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
    if isinstance(ruling, Unchanged):
        told = {"ruling": "unchanged", "seat": ruling.seat, "record": ruling.line.seq}
        return head | told | {"text": ruling.sentence}
    if isinstance(ruling, Held):
        return head | {
            "ruling": "held",
            "seat": ruling.seat,
            "what": ruling.what,
            "missing": list(ruling.missing),
        }
    if isinstance(ruling, Departed):
        return head | {
            "ruling": "departed",
            "seat": ruling.seat,
            "seen": ruling.seen,
            "forked": ruling.forked,
        }
    if isinstance(ruling, PutAside):
        return head | {"ruling": "put-aside", "seat": ruling.seat, "text": ruling.fault}
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
        return f"{name}: refused, {told['code']}: {placed(told['text'], told['rules'], told.get('action'))}"
    if kind == "repeated":
        return f"{name}: the same file as record {told['record']}; its receipt is written again"
    if kind == "unchanged":
        return f"{name}: {told['text']} (record {told['record']}); its sender is told so"
    if kind == "held":
        missing = ", ".join(told["missing"]) or "nobody; the host may go on"
        return f"{name}: consent of {told['seat']} to {told['what']['kind']} kept; missing: {missing}"
    if kind == "departed":
        seq = told["seen"]["seq"]
        how = "holds another record of that number" if told["forked"] else "ends before it"
        return (
            f"{name}: {told['seat']} has seen record {seq} with your signature on it, and this folder {how}: it is not"
            " the newest.\nNothing was signed. Take in the players' copies: pbem host recover -o FOLDER GAME..."
        )
    if kind == "put-aside":
        return f"{name}: put aside: {told['text']}"
    return f"{name}: ignored: {told['text']}"


def take_all(desk: AnyDesk, files: Sequence[tuple[str, bytes]], *, as_json: bool) -> int:
    """Rule on these files one by one; the exit code is 5 if any was refused or ignored."""
    results = []
    for source, raw in files:
        result = ruling_json(source, desk.take(raw))
        told(desk)
        results.append(result)
        if not as_json:
            say(ruling_text(result))
            for letter in result["letters"]:
                say(f"  letter  {desk.where(letter)}")
    if as_json:
        answer("", results, as_json=True)
    return 5 if any(r["ruling"] in ("refused", "ignored", "departed") for r in results) else 0
