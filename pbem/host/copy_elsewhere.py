"""A copy of everything a host has, on another disk: when a computer dies, the host goes on elsewhere from it.

::

    FOLDER/service.toml            the configuration; no password is in it
    FOLDER/HOME/NAME.identity      the identity file, sealed under its passphrase as ever
    FOLDER/secrets.sealed          passwords of mail servers, sealed under the identity
    FOLDER/service.heads.jsonl     what was signed last
    FOLDER/service.backup          the database: matches, addresses, emails that wait

The copy is written whenever something was signed, and before anything leaves that shows it. A disk that is away does
not stop a match: the host hears of it, and the next record writes the copy again.
"""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from pbem.base.errors import PbemError, StoreError, UsageProblem, there_already
from pbem.base.sentences import Sentence, sentence
from pbem.host.config import Config, read_config
from pbem.host.database.backup import back_up, put_back
from pbem.player.store.durable import PRIVATE_FILE, disk, make_folder, read_file, write_file, write_private
from pbem.player.store.keyring import Keyring
from pbem.protocol.crypto.identity import NONCE_SIZE, Identity, open_own_box, seal_own

DATABASE: Final = "service.backup"
_SECRETS: Final = "secrets.sealed"
_LABEL: Final = "host secrets"


class Elsewhere:
    """The copy of one host's folder.

    Args:
        config: the configuration; its ``backup_folder`` is where the copy lies.
        host: the host's identity.
    """

    def __init__(self, config: Config, host: Identity) -> None:
        self._config = config
        self._host = host
        self._lock = threading.Lock()
        self._begun = False
        self.fault = ""
        """Why the copy is older than what was signed; empty if it is not."""

    @property
    def folder(self) -> Path:
        """Where the copy lies."""
        folder = self._config.backup_folder
        assert folder is not None  # noqa: S101 - who makes this has looked
        return folder

    def __call__(self) -> None:
        """Write what has changed; a fault is kept, and nobody's match waits for it."""
        with self._lock:
            try:
                self._write()
                self.fault = ""
            except (PbemError, OSError) as fault:
                self.fault = str(fault)

    def _write(self) -> None:
        config, folder = self._config, self.folder
        if not self._begun:
            make_folder(folder, private=True)
            self._write_identity()
            self._begun = True
        heads = read_file(config.heads) if config.heads.exists() else b""
        part = folder / f"{DATABASE}.new"
        part.unlink(missing_ok=True)
        back_up(config.database_url, part)
        with disk("write", folder / DATABASE):
            part.replace(folder / DATABASE)
        if heads:  # read before the database was: never ahead of it
            write_file(folder / config.heads.name, heads, mode=PRIVATE_FILE)

    def _write_identity(self) -> None:
        config, folder = self._config, self.folder
        if not config.home or Path(config.home).is_absolute():
            raise UsageProblem(sentence("the identity lies outside of {folder}", folder=config.folder))
        write_private(folder / config.file, read_file(config.folder / config.file), replace=True)
        keyring = Keyring(config.folder / config.home)
        name = keyring.pick(config.identity or None)
        home = folder / config.home
        make_folder(home, private=True)
        write_private(Keyring(home).path(name), keyring.read(name), replace=True)
        kept = {place: read_file(config.folder / place).decode() for place in _password_files(config)}
        box = seal_own(self._host, _LABEL, json.dumps(kept).encode(), os.urandom(NONCE_SIZE))
        write_private(folder / _SECRETS, box, replace=True)


def _password_files(config: Config) -> list[str]:
    """The files with passwords of mail servers, relative to the folder."""
    servers = [server for server in (config.imap, config.smtp) if server is not None]
    secrets = [server.password for server in servers]
    return sorted({str(secret.where) for secret in secrets if secret.how == "file"})


class CopiedIdentity(NamedTuple):
    """The configuration of a copy, and the identity file in it."""

    config: Config
    name: str
    raw: bytes


def copied_identity(source: Path) -> CopiedIdentity:
    """The identity of the host in a copy.

    Raises:
        UsageProblem: this is no copy of a host's folder.
    """
    paths = sorted(source.glob("*.toml"))
    if len(paths) != 1 or not (source / DATABASE).is_file():
        raise UsageProblem(
            sentence("{folder} is not a copy of a host's folder", folder=source),
            hint=sentence("It holds service.toml and {name}.", name=DATABASE),
        )
    config = read_config(paths[0])
    keyring = Keyring(source / config.home)
    name = keyring.pick(config.identity or None)
    return CopiedIdentity(config, name, keyring.read(name))


def bring_here(source: Path, folder: Path, host: Identity, passphrase: str) -> Path:
    """Set the host up in ``folder`` again from a copy; the configuration's file there.

    Args:
        source: the copy.
        folder: where the host goes on: no host may be there.
        host: the identity, opened with ``passphrase``.
        passphrase: kept in the new folder as in the old one.

    Raises:
        UsageProblem: there is a host in ``folder`` already.
        StoreError: the copy cannot be read, or the folder not be written.
    """
    config, name, raw = copied_identity(source)
    target = folder / config.file
    if target.exists():
        raise there_already(
            target, sentence("Go on in an empty folder, so that nothing of another host is lost.")
        )
    try:
        kept = json.loads(open_own_box(host, _LABEL, read_file(source / _SECRETS)))
    except (PbemError, ValueError) as fault:
        raise StoreError(
            sentence("{path} cannot be opened", path=source / _SECRETS),
            hint=sentence("It opens with the identity of the host who wrote it alone."),
        ) from fault
    make_folder(folder / config.home, private=True)
    with suppress(FileExistsError):
        write_private(Keyring(folder / config.home).path(name), raw)
    if config.passphrase is not None and config.passphrase.how == "file":
        kept[str(config.passphrase.where)] = f"{passphrase}\n"
    for place, text in kept.items():
        make_folder((folder / place).parent, private=True)
        write_private(folder / place, str(text).encode(), replace=True)
    here = read_config(source / config.file)
    heads = source / here.heads.name
    if heads.exists():
        write_private(folder / heads.name, read_file(heads), replace=True)
    put_back(_here(here, folder), source / DATABASE)
    write_private(target, read_file(source / config.file))  # last: without it nobody serves half of a host
    return target


def _here(config: Config, folder: Path) -> str:
    name = config.database.removeprefix("sqlite:///")
    return f"sqlite:///{folder / name}"


# A service that goes on elsewhere: its old folder says so, and serves nobody.
# The mark is written with the last backup (``pbem host backup --move``). It lies beside the configuration
# and is no part of the backup, so the new place does not have it; what would sign, fetch or send looks
# for it first. Where nobody left the mark, ``pbem.host.service.place`` finds out and leaves it.


def moved_mark(config: Config) -> Path:
    """The file that says that the service of this configuration goes on elsewhere."""
    return config.folder / f"{Path(config.file).stem}.moved.txt"


def mark_moved(config: Config, at: str, where: str = "") -> None:
    """From now on nothing is served here; ``where`` it goes on, if that is known."""
    write_file(moved_mark(config), f"{at}\n{where}\n".encode())


def goes_on_here(config: Config) -> None:
    """The service is put back here; nothing happens if it had never gone."""
    moved_mark(config).unlink(missing_ok=True)


ONE_PLACE: Final = sentence(
    "Two places that sign one match prove it against you. Only if that one is gone for good, type pbem host go-on"
    " --here."
)


def elsewhere_words(since: str, name: str) -> Sentence:
    """Where the host goes on."""
    return sentence(
        "since {since} this host goes on at {name}: nothing is signed or served here", since=since, name=name
    )


def refuse_moved(config: Config) -> None:
    """Return if the service is here.

    Raises:
        UsageProblem: it has moved.
    """
    mark = moved_mark(config)
    if not mark.is_file():
        return
    at, _, where = read_file(mark).decode(errors="replace").strip().partition("\n")
    if where:
        raise UsageProblem(elsewhere_words(at, where), hint=ONE_PLACE)
    raise UsageProblem(
        sentence("this service has moved at {at}: it goes on elsewhere, and nothing is served here", at=at),
        hint=sentence(
            "Two that sign one match prove it against you. If the other place was never started, remove {mark}.",
            mark=mark,
        ),
    )
