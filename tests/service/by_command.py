"""A host whose workers are started as operators start them: ``pbem host serve`` beside a ``service.toml``."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from pbem.player.store.keyring import Keyring
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import read_identity
from tests.mail.stack import PASSWORD
from tests.patience import nap, patiently
from tests.service.real import Place
from tests.service.test_commands import Person, new_host


def why_no_machines() -> str:
    """Why no process can have a machine's name of its own here; nothing if one can."""
    done = subprocess.run(["unshare", "--uts", "true"], capture_output=True, check=False)
    return "" if done.returncode == 0 else f"unshare --uts: {done.stderr.decode().strip()}"


def write_settings(person: Person, **values: object) -> None:
    """Change members of somebody's ``service.toml``, each of which stands there once."""
    path = person.folder / "service.toml"
    text = path.read_text()
    for name, value in values.items():
        text, count = re.subn(rf"(?m)^{name} = .*$", f"{name} = {json.dumps(value)}", text)
        assert count == 1, (name, count)
    path.write_text(text)


QUICKLY: dict[str, object] = {
    "per_minute": 1_000_000,
    "per_hour": 10_000_000,
    "per_match": 10_000_000,
    "per_sender": 1_000_000,
    "per_domain": 1_000_000,
    "open_matches": 1_000_000,
}
"""Limits that a load never meets."""


class HostSetup:
    """One host: an identity, a database, a mailbox, and the machines at which its workers run."""

    def __init__(self, place: Place, folder: Path, url: str, *, api: str = "", **settings: object) -> None:
        self.place = place
        self.folder = folder
        self.host = new_host(place, folder)
        """Where commands are typed."""
        write_settings(self.host, database=url, **settings)
        if api:
            path = self.host.folder / "service.toml"
            path.write_text(f"{path.read_text()}\n[api]\nurl = {json.dumps(api)}\n")

    @property
    def identity(self) -> Identity:
        """Who signs here."""
        return read_identity(Keyring(self.host.folder / "home").read("host"), "")[0]

    def newer(self) -> Path:
        """Another copy of this program, as an upgrade brings it: what a worker may be started from."""
        here, newer = Path.cwd(), self.folder / "newer"
        if not newer.exists():
            shutil.copytree(here / "pbem", newer / "pbem", ignore=shutil.ignore_patterns("node_modules"))
            for name in ("schemas", "templates"):
                (newer / name).symlink_to(here / name)
        return newer

    def machine(self, name: str, *, database: str = "", submission: int = 0, imap: int = 0) -> Person:
        """One more machine: a folder, a ``service.toml`` of its own, and maybe other ways to the servers."""
        person = Person(self.folder, name)
        # What is installed lies there compiled, its templates too, whatever the shell of the tests says.
        person.more = {"PBEM_HOME": str(self.host.folder / "home"), "PYTHONDONTWRITEBYTECODE": ""}
        (person.folder / "empty").write_text("\n")
        (person.folder / "empty").chmod(0o600)
        (person.folder / "password").write_text(PASSWORD + "\n")
        text = (self.host.folder / "service.toml").read_text()
        for kind, port in (("submission", submission), ("imaps", imap)):
            if port:
                here = f"port = {self.place.ports[kind]}"
                assert text.count(here) == 1
                text = text.replace(here, f"port = {port}")
        path = person.folder / "service.toml"
        path.write_text(text)
        path.chmod(0o600)
        if database:
            write_settings(person, database=database)
        return person


class Worker:
    """One process of ``pbem host serve``; ``machine`` is the name that its machine has, if it is to have its own."""

    def __init__(self, person: Person, *more: str, machine: str = "", source: Path | None = None) -> None:
        self.person = person
        command = [sys.executable, "-m", "pbem", "host", "serve", *more]
        if machine:
            command = ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', machine, *command]
        self.path = person.folder / f"serve-{time.monotonic_ns()}.log"
        with self.path.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=person.folder,
                env={**person.environment(), "PYTHONPATH": str(source or Path.cwd())},
                stdout=log,
                stderr=log,
            )
        self.pid = self._process.pid

    def until(self, words: str) -> Worker:
        """Wait until it has said this."""
        for _ in patiently(self.path.read_text):
            if words in self.path.read_text():
                break
            assert self._process.poll() is None, self.path.read_text()
            nap()
        return self

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def family(self) -> list[psutil.Process]:
        """It and the processes that it has started."""
        process = psutil.Process(self.pid)
        return [process, *process.children(recursive=True)]

    def stop(self) -> int:
        """SIGTERM, as a supervisor does; its exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait()

    def kill(self) -> None:
        """kill -9, in the middle of whatever it does."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """However it is: it ends."""
        if self.runs:
            self.kill()
