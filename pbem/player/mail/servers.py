"""Mail servers as configurations name them: the host's ``service.toml`` and a player's ``mail.toml`` alike.

::

    host = "imap.example.org"
    port = 993
    tls = "implicit"                       # or "starttls"; there is no third
    user = "games@example.org"
    password_file = "imap-password"        # or password_env, password_keyring = "service/user", password_command
    auth = "password"                      # or "xoauth2": what password_… gives is then an access token

A password never stands in a configuration, only where it is found.
"""

from __future__ import annotations

import importlib
import subprocess
from collections.abc import Mapping
from dataclasses import field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, cast

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.mail.ports import Account, Auth, Tls

_SECRETS: Final = ("file", "env", "keyring", "command")
_COMMAND_TIME: Final = 30
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a password is found: ``how`` is file, env, keyring or command.

    ``given`` is one that is at hand already (``where``); it stands in no configuration.
    """

    how: str
    where: str | tuple[str, ...] = field(repr=False)

    def read(self, folder: Path, environ: Mapping[str, str]) -> str:
        """The secret itself, read again each time: an access token is good for an hour only.

        Raises:
            UsageProblem: it is not there.
        """
        if isinstance(self.where, tuple):
            return _from_command(self.where)
        if self.how == "given":
            return self.where
        if self.how == "env":
            if self.where not in environ:
                raise UsageProblem(sentence("the environment variable {where} is not set", where=self.where))
            return environ[self.where]
        if self.how == "keyring":
            return _from_keyring(self.where)
        path = folder / Path(self.where).expanduser()
        try:
            return path.read_text("utf-8").partition("\n")[0].removesuffix("\r")
        except (OSError, UnicodeDecodeError) as fault:
            raise UsageProblem(
                sentence("cannot read the password in {path}: {fault}", path=path, fault=fault)
            ) from fault


def _from_command(command: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the host's own configuration names it, and no shell is asked
            list(command), check=True, capture_output=True, timeout=_COMMAND_TIME
        )
    except subprocess.CalledProcessError as fault:
        why = sentence("it ended with exit code {code}", code=fault.returncode)
        raise StoreError(
            sentence("{command} gave no password: {fault}", command=command[0], fault=why)
        ) from None
    except subprocess.TimeoutExpired:
        why = sentence("it did not end in {seconds} seconds", seconds=_COMMAND_TIME)
        raise StoreError(
            sentence("{command} gave no password: {fault}", command=command[0], fault=why)
        ) from None
    except OSError as fault:
        raise StoreError(
            sentence("{command} gave no password: {fault}", command=command[0], fault=fault)
        ) from fault
    return done.stdout.decode("utf-8", "replace").partition("\n")[0].strip()


def _from_keyring(entry: str) -> str:
    try:
        keyring = importlib.import_module("keyring")
    except ImportError:
        raise UsageProblem(
            sentence("the keyring needs the package keyring"),
            hint=sentence('Install it: pip install "pbem[service]"'),
        ) from None
    service, _, user = entry.partition("/")
    password = keyring.get_password(service, user)
    if not password:
        raise UsageProblem(sentence("the keyring has no password for {entry}", entry=entry))
    return str(password)


@dataclass(frozen=True, slots=True)
class Server:
    """One mail server and how to log in."""

    host: str
    port: int
    user: str
    password: Secret
    tls: Tls = "implicit"
    auth: Auth = "password"
    ca_file: str = ""

    def account(self, folder: Path, environ: Mapping[str, str]) -> Account:
        """With the password read."""
        ca_file = str(folder / Path(self.ca_file).expanduser()) if self.ca_file else ""
        secret = self.password.read(folder, environ)
        return Account(self.host, self.port, self.user, secret, self.tls, self.auth, ca_file)


class TomlTable:
    """A table of TOML that is taken apart member by member.

    Raises:
        UsageProblem: from every method: a member is missing, of the wrong kind, or unknown.
    """

    def __init__(self, data: dict[str, Any], where: str) -> None:
        self._data = dict(data)
        self._where = where
        self._known: dict[str, str] = {}

    def take(self, name: str, kind: type, *default: Any) -> Any:
        """The member ``name``, of this kind; the default if it is not there."""
        self._known[name] = f"[{name}]" if kind is dict else name
        if name not in self._data:
            if default:
                return default[0]
            raise UsageProblem(sentence("{where}{name} is missing", where=self._where, name=name))
        value = self._data.pop(name)
        if type(value) is not kind:
            raise UsageProblem(
                sentence(
                    "{where}{name} must be {kinds}, found {value!r}",
                    where=self._where,
                    name=name,
                    kinds=_KINDS[kind],
                    value=value,
                )
            )
        return value

    def one_of(self, name: str, *allowed: str) -> str:
        """A member that is one of these words; the first if it is not there."""
        value: str = self.take(name, str, allowed[0])
        if value not in allowed:
            raise UsageProblem(
                sentence(
                    "{where}{name} must be {allowed}, found {value!r}",
                    where=self._where,
                    name=name,
                    allowed=" or ".join(allowed),
                    value=value,
                )
            )
        return value

    def secret(self, name: str, *, required: bool = True) -> Secret | None:
        """Where a password is found: ``name_file``, ``name_env``, ``name_keyring`` or ``name_command``."""
        if name in self._data:
            raise UsageProblem(
                sentence(
                    "{where}{name}: a password never stands in the configuration",
                    where=self._where,
                    name=name,
                ),
                hint=sentence(
                    "Name where it is instead: {name}_file, {name}_env, {name}_keyring or {name}_command.",
                    name=name,
                ),
            )
        self._known |= {f"{name}_{how}": f"{name}_{how}" for how in _SECRETS}
        ways = [how for how in _SECRETS if f"{name}_{how}" in self._data]
        if not ways and not required:
            return None
        if len(ways) != 1:
            raise UsageProblem(
                sentence(
                    "{where}{name}_file (or _env, _keyring, _command) must be given, one of them",
                    where=self._where,
                    name=name,
                )
            )
        how = ways[0]
        where = self.take(f"{name}_{how}", list if how == "command" else str)
        if isinstance(where, list) and not (where and all(type(word) is str for word in where)):
            raise UsageProblem(
                sentence("{where}{name}_command must be a list of words", where=self._where, name=name)
            )
        return Secret(how, tuple(where) if isinstance(where, list) else where)

    def finish(self) -> None:
        """Nothing may be left that nobody took; the fault names all that may stand here, and what is likely meant."""
        if not self._data:
            return
        name, names = min(self._data), ", ".join(sorted(self._known.values()))
        likely = get_close_matches(name, self._known, 1)
        raise UsageProblem(
            sentence(
                "{where}{name} is unknown; known here: {names}", where=self._where, name=name, names=names
            ),
            hint=sentence("Did you mean {meant}?", meant=self._known[likely[0]])
            if likely
            else sentence("Correct the name, or remove it from the file."),
        )


_KINDS: Final = {str: "text", int: "a whole number", bool: "true or false", dict: "a table", list: "a list"}


def server_of(table: TomlTable, port: int) -> Server:
    """One server; whatever else the table holds is refused."""
    password = table.secret("password")
    assert password is not None  # noqa: S101 - it is required
    server = Server(
        host=table.take("host", str),
        port=table.take("port", int, port),
        user=table.take("user", str),
        password=password,
        tls=cast("Tls", table.one_of("tls", "implicit", "starttls")),
        auth=cast("Auth", table.one_of("auth", "password", "xoauth2")),
        ca_file=table.take("ca_file", str, ""),
    )
    table.finish()
    return server


def read_server(data: dict[str, Any], where: str, port: int) -> Server:
    """One server out of a table of TOML; ``where`` is what its members' names begin with in faults, ``imap.``."""
    return server_of(TomlTable(data, where), port)
