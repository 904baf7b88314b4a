"""The host's client for commands: which match, which files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pbem.base.errors import UsageProblem
from pbem.base.sentences import joined, named, sentence
from pbem.base.values import dataclass
from pbem.cli.clients import clock, no_signed_file
from pbem.cli.console import answer, print_notice, read_input, say
from pbem.cli.options import Keys
from pbem.cli.speech import PEOPLE
from pbem.cli.which import identity_in, unlocked
from pbem.game import JsonObject, Seat
from pbem.host import FolderHost, Outcome
from pbem.host.answers import copy_facts, is_bad, letters_words, ruling_facts, ruling_words
from pbem.host.arguments import seat_named
from pbem.host.config import CONFIG_NAME
from pbem.host.folder_database import is_host_folder, lines_in
from pbem.player.mail import MAX_INPUT, content_of
from pbem.player.store import GAME_FILE
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.record.line import read_line

if TYPE_CHECKING:
    from pbem.host.service.client import ServiceClient

AnyHostClient: TypeAlias = "FolderHost | ServiceClient"
"""A match in a folder, or in the service's database."""


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
        raise UsageProblem(
            sentence("expected one match folder; found {arguments} too", arguments=" ".join(arguments))
        )
    return match if match is not None else Path(arguments[0] if arguments else ".")


def _is_match(path: Path) -> bool:
    return is_host_folder(match_folder(path)) or (path / GAME_FILE).is_file() or path.name == GAME_FILE


def match_folder(path: Path) -> Path:
    """The folder that a person means who names the folder of a match, its game file, or a part of it."""
    inside = path.resolve()
    if path.name == GAME_FILE or (inside.name in ("host", "outbox") and is_host_folder(inside.parent)):
        return path.parent if path.name not in ("", ".", "..") else inside.parent
    return path


def service_config() -> Path:
    """Where the configuration of the service in this folder would be."""
    return Path(os.environ.get("PBEM_SERVICE") or CONFIG_NAME)


def is_served(path: Path) -> bool:
    """Whether this is the short name of a match of the service in this folder, and no file."""
    named = re.fullmatch(r"[0-9a-z]{8}", str(path)) is not None
    return named and not path.exists() and service_config().is_file()


def host_client(path: Path, keys: Keys) -> AnyHostClient:
    """The host's client on the match in ``path``: a folder, or the short name of a match of the service here."""
    return served_client(path) if is_served(path) else folder_client(path, keys)


def folder_client(path: Path, keys: Keys) -> FolderHost:
    """The host's client on the match in this folder."""
    folder = match_folder(path)
    name, raw = host_identity(lines_in(folder), keys)
    client = FolderHost(folder, unlocked(keys, raw, name), clock)
    PEOPLE.set(client.names)
    return client


def host_identity(lines: Sequence[bytes], keys: Keys) -> tuple[str, bytes]:
    """The identity of the host of the match with these lines."""
    return identity_in(keys, [unb64(read_line(lines[0]).body["host"]["sign"], 32)], sentence("the host"))


def client_and_seat(match: Path | None, rest: Sequence[str], keys: Keys) -> tuple[AnyHostClient, Seat]:
    """What ``[FOLDER] SEAT`` names: the host at this match, and the seat."""
    path, arguments = match_and_rest(match, rest)
    client = host_client(path, keys)
    return client, seat_named(client, arguments)


def served_client(path: Path) -> ServiceClient:
    """The client of a match of the service in this folder."""
    from pbem.cli.service_run import build_service, configuration
    from pbem.host.service.client import ServiceClient

    client = ServiceClient(build_service(configuration(service_config())), str(path))
    seats = client.status()["seats"]  # there is such a match
    PEOPLE.set({row["seat"]: row.get("name", row["seat"]) for row in seats})
    return client


def print_notices(client: AnyHostClient) -> None:
    """Print what the client has to say for the host."""
    for words in client.notices:
        print_notice(words)
    client.notices.clear()


@dataclass(frozen=True, slots=True)
class HandedIn:
    """Something that was handed in: a player's file, or a copy of the record."""

    source: str
    raw: bytes = b""
    lines: tuple[bytes, ...] = ()


def incoming(paths: Sequence[str]) -> list[HandedIn]:
    """What players sent, in these files and folders; ``-`` is standard input."""
    files: list[HandedIn] = []
    for text in paths:
        path = Path(text)
        inside = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
        for place in inside:
            files += _handed_in(place)
    if not files:
        raise UsageProblem(
            sentence("no file was named"),
            hint=sentence("Name the files that the players sent, or - to read one."),
        )
    return files


def _handed_in(path: Path) -> list[HandedIn]:
    raw = read_input(path, limit=MAX_INPUT)
    content = content_of(raw)
    for damage in content.damages:
        print_notice(joined((str(path), str(damage)), ": "))
    if content.damages and not content.files:
        raise content.damages[0]
    if not content.files and not content.lines:
        raise no_signed_file(path)
    files = [HandedIn(str(path), file) for file in content.files]
    return files or [HandedIn(str(path), lines=tuple(content.lines))]


def newcomer(client: AnyHostClient, arguments: Sequence[str]) -> bytes:
    """The join of a substitute: a file, or the one that has come to the service for this seat."""
    if not isinstance(client, FolderHost) and arguments[0] in client.seats:
        return client.pending(Seat(arguments[0]), *arguments[1:2])
    given = incoming(arguments)[0]
    if content_of(given.raw).kind == "nothing":
        raise no_signed_file(Path(given.source))
    return given.raw


def take_all(client: AnyHostClient, files: Sequence[HandedIn], *, due: bool = False, as_json: bool) -> int:
    """Rule on these files one by one; the exit code is 5 if one did not do what its sender wanted.

    ``due``: then record what is due by the clock, for which every file that has come must be handed in before.
    """
    results = []

    def done(result: JsonObject) -> None:
        print_notices(client)
        results.append(result)
        if not as_json:
            for line in _ruling_lines(client, result):
                say(line)

    for file in files:
        done(
            copy_facts(file.source, client.offer(file.lines))
            if file.lines
            else ruling_facts(file.source, client.take(file.raw))
        )
    for outcome in client.on_time() if due and isinstance(client, FolderHost) else ():
        done(ruling_facts(sentence("due"), outcome))
    if as_json:
        answer("", results, as_json=True)
    elif not results:
        say(sentence("Nothing is due now."))
    return 5 if any(map(is_bad, results)) else 0


def act(client: AnyHostClient, do: Callable[[], Outcome], name: str, *, as_json: bool) -> None:
    """Do it and say what was recorded; ``name`` is what it is called in the answer."""
    result = ruling_facts(name, do())
    print_notices(client)
    answer(joined(_ruling_lines(client, result), "\n"), result, as_json=as_json)


def _ruling_lines(client: AnyHostClient, result: JsonObject) -> tuple[str, ...]:
    return (named(ruling_words(result), PEOPLE.get()), *letters_words(map(client.where, result["letters"])))
