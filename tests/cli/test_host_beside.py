"""``pbem host new`` beside ``service.toml``: identity and passphrase stand there, and are not asked for again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from pbem.host.config_file import write_config
from tests.service.configs import config_in


def pbem(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
    return subprocess.run(
        [sys.executable, "-m", "pbem", *words],
        cwd=folder,
        env=kept | {"PYTHONPATH": os.environ.get("PYTHONPATH") or str(Path.cwd())},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_match_is_made_by_the_identity_of_the_service_beside_it(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("a good word\n")
    (tmp_path / "word").chmod(0o600)
    for name in ("Host", "Other"):
        done = pbem(tmp_path, "id", "new", name, "--host", "--home", "home", "--passphrase-file", "word")
        assert done.returncode == 0, done.stderr
    plan = ("--game", "wyatt-earp", "--seats", "anna,burt")
    assert pbem(tmp_path, "host", "new", "before", *plan).returncode != 0
    write_config(tmp_path / "service.toml", config_in(tmp_path))
    done = pbem(tmp_path, "host", "new", "table", *plan)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "table" / "game.jsonl").is_file()
    other = pbem(tmp_path, "host", "new", "more", *plan, "--id", "nobody")
    assert other.returncode != 0  # what the command names counts
