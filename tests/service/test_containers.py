"""What ``pbem host init`` leaves works as it lies: a set of containers (run by namespaces), and a unit for systemd."""

from __future__ import annotations

import configparser
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.host.config import Config
from pbem.host.deploy import check_for_containers, write_set, write_unit
from pbem.player.mail.servers import Secret, Server
from tests.needed import program, require
from tests.patience import PATIENCE
from tests.service.configs import config_in
from tests.service.containers import why_missing
from tests.service.test_commands import quick

ASK_API = """
import json, ssl, sys, urllib.request as web
short, word = sys.argv[1:]
trusted = ssl.create_default_context(cafile="/data/caddy/pki/authorities/local/root.crt")
asked = web.Request(f"https://localhost/match/{short}/lines?after=0", headers={"Authorization": f"Bearer {word}"})
print(len(web.urlopen(asked, context=trusted).read().splitlines()))
"""


class Engine:
    """``docker compose``, as far as the README says it."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.service.containers", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def up(self) -> None:
        """``docker compose up --detach --wait``."""
        assert self._answer() == (0, "up")

    def exec(self, service: str, *command: str) -> str:
        """``docker compose exec``."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([service, *command]) + "\n")
        self._process.stdin.flush()
        code, output = self._answer()
        assert code == 0, (command, output)
        return output

    def _answer(self) -> tuple[int, str]:
        assert self._process.stdout is not None
        code, output = json.loads(self._process.stdout.readline())
        return code, output

    def down(self) -> None:
        """Everything ends with its standard input."""
        self._process.communicate(timeout=PATIENCE)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    require(why_missing())
    done = subprocess.run(
        [sys.executable, "-m", "pbem", "host", "init", "--trying"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "docker compose up --detach --wait" in done.stdout
    toml = tmp_path / "service.toml"
    toml.write_text(quick(toml.read_text()))
    engine = Engine(tmp_path)
    yield engine
    engine.down()


@pytest.mark.slow
def test_from_an_empty_folder_to_a_finished_match(engine: Engine, tmp_path: Path) -> None:
    """Five services from their compose file, with nothing but the README's commands."""
    engine.up()
    host = ("pbem", "pbem", "host")
    tried = engine.exec(*host, "try")
    for name in ("folder", "database", "imap", "smtp", "test email", "identity and passphrase"):
        assert f"{name}: works" in tried
    engine.exec(*host, "new", "saturday", "--game", "wyatt-earp", "--seats", "anna,burt")
    output = engine.exec(*host, "invite", "saturday", "anna=anna@try.test", "burt=burt@try.test", "--json")
    invited = json.loads(output)
    given = {
        "password": (tmp_path / "secrets" / "mailbox").read_text().strip(),
        "turns": 3,
        "invited": invited["invited"],
    }
    played = engine.exec("pbem", "python", "-m", "tests.service.set_people", json.dumps(given))
    records, letters = map(int, played.split()[-2:])
    assert records > 8 < letters
    assert json.loads(engine.exec(*host, "health", "--json"))["matches"] == {
        "running": 0,
        "over": 1,
        "stopped": 0,
    }
    word = json.loads(engine.exec(*host, "word", invited["match"], "anna", "--json"))["word"]
    assert int(engine.exec("proxy", "python", "-c", ASK_API, invited["match"], word)) == records - 1
    kept = engine.exec(*host, "backup", "-o", "kept.backup")
    assert f"1 match, {records} records" in kept


def contained(folder: Path, word: str = "mailbox") -> Config:
    server = Server("mail.example.org", 993, "games", Secret("file", word))
    passphrase = Secret("file", "passphrase")
    return config_in(
        folder, name="100% “Saturday”", identity="", passphrase=passphrase, imap=server, smtp=server
    )


def test_the_unit_is_one_and_starts_the_service_of_its_folder(tmp_path: Path) -> None:
    """``systemd-analyze verify`` finds nothing in it; its command, as it stands, finds its configuration."""
    folder = tmp_path / "a 50% folder"
    folder.mkdir()
    unit = write_unit(contained(folder), folder / "service.toml", folder / "home")
    text = configparser.RawConfigParser(strict=False)
    text.optionxform = str  # type: ignore[assignment,method-assign]
    text.read(unit)
    service = text["Service"]
    assert service["WorkingDirectory"] == str(folder).replace("%", "%%")
    assert service["Type"] == "notify"
    command = [word.replace("%%", "%") for word in shlex.split(service["ExecStart"])]
    (pair,) = shlex.split(service["Environment"])
    name, _, value = pair.replace("%%", "%").partition("=")
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd()), name: value}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert str(folder / "service.toml") in done.stderr
    analyze = program("systemd-analyze")
    done = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False)
    assert "pbem.service" not in done.stderr, done.stderr


def test_the_units_let_the_service_do_little_else(tmp_path: Path) -> None:
    """``systemd-analyze security`` rates their exposure 3.0 at most; a worker has no address of its own."""
    config = contained(tmp_path)
    unit = write_unit(config, tmp_path / "service.toml", tmp_path / "home")
    worker = tmp_path / "pbem-worker@.service"
    assert "host serve --http none --health none" in worker.read_text()
    assert f"ReadWritePaths=-{tmp_path}\n" in unit.read_text()
    analyze = program("systemd-analyze")
    for place in (unit, worker):
        command = [analyze, "security", "--offline=true", "--threshold=30", "--no-pager", str(place)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-300:] + done.stderr


def test_the_set_follows_the_rules_of_compose_and_sees_only_its_folder(tmp_path: Path) -> None:
    check_for_containers(contained(tmp_path))
    write_set(contained(tmp_path), tmp_path / "service.toml")
    checker = Path(sys.executable).parent / "check-jsonschema"
    command = [str(checker)] if checker.exists() else [sys.executable, "-m", "check_jsonschema"]
    rules = [*command, "--builtin-schema", "vendor.compose-spec", str(tmp_path / "compose.yaml")]
    done = subprocess.run(rules, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "imap" not in (tmp_path / "compose.yaml").read_text()
    with pytest.raises(UsageProblem, match="/etc/word is seen by no container"):
        check_for_containers(contained(tmp_path, "/etc/word"))
    with pytest.raises(UsageProblem, match=r"database\.env is there already"):
        write_set(contained(tmp_path), tmp_path / "service.toml")
