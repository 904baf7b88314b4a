"""A service that has moved: its old folder says so, and serves nobody, until it is moved back there."""

from __future__ import annotations

from pathlib import Path

from pbem.host.config_file import write_config
from pbem.host.copy_elsewhere import moved_mark
from tests.cli.seats import make_identity, run
from tests.service.configs import config_in


def test_the_old_folder_serves_nobody_after_the_last_backup(tmp_path: Path) -> None:
    make_identity(tmp_path / "home", "host", "host")
    word = tmp_path / "word"
    word.write_text("")
    word.chmod(0o600)
    config = config_in(tmp_path)
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
