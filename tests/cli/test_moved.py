"""A service that has moved: its old folder says so, and serves nobody, until it is moved back there."""

from __future__ import annotations

from pathlib import Path

from pbem.host.config import Config
from pbem.host.config_file import write_config
from pbem.host.copy_elsewhere import moved_mark
from pbem.player.mail.servers import Secret, Server
from tests.cli.seats import make_identity, run


def test_the_old_folder_serves_nobody_after_the_last_backup(tmp_path: Path) -> None:
    make_identity(tmp_path / "home", "host", "host")
    word = tmp_path / "word"
    word.write_text("")
    word.chmod(0o600)
    server = Server("mail.example.org", 465, "games", Secret("file", "word"))
    config = Config(
        folder=tmp_path,
        address="games@example.org",
        operator="boss@example.org",
        database="sqlite:///service.db",
        identity="host",
        home="home",
        passphrase=Secret("file", "word"),
        imap=server,
        smtp=server,
    )
    path = tmp_path / "service.toml"
    write_config(path, config)
    here = ("--config", path)
    assert run("host", "matches", *here).code == 0
    last = tmp_path / "last.backup"
    done = run("host", "backup", "--move", "-o", last, *here)
    assert done.code == 0, done.err
    for command in ("matches", "run-once", "serve"):
        shut = run("host", command, *here)
        assert shut.code != 0, command
        assert "has moved" in shut.err, shut.err
    gone = run("host", "backup", "--move", "-o", tmp_path / "no-folder" / "x.backup", *here)
    assert gone.code != 0
    assert moved_mark(config).exists(), "a copy that failed brings nothing back"
    moved_mark(config).unlink()
    failed = run("host", "backup", "--move", "-o", tmp_path / "no-folder" / "x.backup", *here)
    assert failed.code != 0
    assert not moved_mark(config).exists(), "what was not copied has not moved"
    assert run("host", "matches", *here).code == 0
