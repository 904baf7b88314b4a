"""The configuration: read, written, checked; never a password in it; secrets from file, environment or command."""

from __future__ import annotations

import sys
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend

from pbem.base.errors import UsageProblem
from pbem.host.config import Config, read_config
from pbem.host.config_file import render, write_config
from pbem.player.mail.servers import Secret

GOOD = """
address = "games@example.org"

[operator]
address = "me@example.org"
language = "de"

[identity]
name = "host"
passphrase_file = "passphrase"

[imap]
host = "imap.example.org"
user = "games"
password_file = "imap"

[smtp]
host = "smtp.example.org"
port = 587
tls = "starttls"
user = "games"
auth = "xoauth2"
password_command = ["token", "games"]
"""


def read(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "service.toml"
    path.write_text(text)
    return read_config(path)


def test_a_configuration_is_read(tmp_path: Path) -> None:
    config = read(tmp_path, GOOD)
    assert config.imap is not None
    assert config.smtp is not None
    assert (config.imap.port, config.imap.tls, config.smtp.port, config.smtp.auth) == (
        993,
        "implicit",
        587,
        "xoauth2",
    )
    assert config.database_url == f"sqlite:///{tmp_path / 'service.db'}"
    assert config.witness
    assert config.plus


def test_what_is_written_reads_back_the_same(tmp_path: Path) -> None:
    config = read(tmp_path, GOOD)
    other = tmp_path / "other.toml"
    write_config(other, config)
    assert read_config(other) == config
    assert other.stat().st_mode & 0o777 == 0o600
    assert "token" in render(config)
    with pytest.raises(UsageProblem):
        write_config(other, config)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("password_file", "password"), "never stands in the configuration"),
        (('host = "imap.example.org"', ""), "imap.host is missing"),
        (("port = 587", 'port = "587"'), "smtp.port must be a whole number"),
        (('tls = "starttls"', 'tls = "none"'), "implicit or starttls"),
        (
            ('user = "games"\npassword_file', 'user = "games"\nfoo = 1\npassword_file'),
            "imap.foo is unknown; known here: auth, .*password_file, .*user",
        ),
        (("[smtp]", "[door]\n[smtp]"), r"door is unknown; known here: \[api\], .*\[smtp\], address"),
        (("games@example.org", "not an address"), "is not an email address"),
        (('name = "host"', 'name = "host"\npassphrase = "x"'), "never stands in the configuration"),
        (("[smtp]", "[smtp"), "not TOML"),
        (('password_command = ["token", "games"]', "password_command = []"), "list of words"),
        (('language = "de"', 'language = "nl"'), "en or fr or it or de"),
        (("[imap]", "[keep]\nmail = -1\n[imap]"), "at least 0"),
        (("[imap]", "[limits]\nper_minute = 0\n[imap]"), "at least 1"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    with pytest.raises(UsageProblem, match=message):
        read(tmp_path, GOOD.replace(*change, 1))


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("[apis]", "Did you mean [api]?"),
        ("[limits]\nper_minut = 1", "Did you mean per_minute?"),
        ("[door]", "Correct the name, or remove it from the file."),
    ],
)
def test_an_unknown_name_comes_with_the_likely_one(tmp_path: Path, line: str, hint: str) -> None:
    with pytest.raises(UsageProblem) as fault:
        read(tmp_path, GOOD.replace("[imap]", f"{line}\n[imap]", 1))
    assert str(fault.value.hint) == hint


def test_secrets_come_from_a_file_the_environment_or_a_command(tmp_path: Path) -> None:
    (tmp_path / "pw").write_text("from file\nsecond line\n")
    assert Secret("file", "pw").read(tmp_path, {}) == "from file"
    assert Secret("env", "MAIL_PW").read(tmp_path, {"MAIL_PW": "from env"}) == "from env"
    command = (sys.executable, "-c", "print('from command')")
    assert Secret("command", command).read(tmp_path, {}) == "from command"
    for missing in (Secret("file", "no"), Secret("env", "NO")):
        with pytest.raises(UsageProblem):
            missing.read(tmp_path, {})


def test_a_password_is_in_no_repr(tmp_path: Path) -> None:
    (tmp_path / "imap").write_text("very secret\n")
    config = read(tmp_path, GOOD)
    assert config.imap is not None
    assert "very secret" not in repr(config.imap.account(tmp_path, {}))


class Drawer(KeyringBackend):
    """A keyring in memory."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


def test_a_secret_comes_from_the_keyring_and_one_that_is_not_there_is_said(tmp_path: Path) -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(Drawer())
    try:
        keyring.set_password("pbem", "games", "from the drawer")
        assert Secret("keyring", "pbem/games").read(tmp_path, {}) == "from the drawer"
        with pytest.raises(UsageProblem, match="no password for pbem/nobody"):
            Secret("keyring", "pbem/nobody").read(tmp_path, {})
    finally:
        keyring.set_keyring(before)
