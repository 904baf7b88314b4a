"""A wheel built from the tree works in a bare environment, away from the checkout: it plays a turn."""

from __future__ import annotations

import subprocess
import sys
import venv
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Run a program that must succeed; returns what it printed."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that holds the wheel and what it needs, nothing else.

    What it needs is what its metadata says, and lies here already: ``python -m tests.release`` installs it again.
    """
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
            *("--wheel-dir", str(folder), str(ROOT)),
        ],
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("pbem-*.whl")
    venv.create(folder / "env", with_pip=False)  # pip of this environment installs, and what runs is compiled
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "env/bin/python")]
    subprocess.run(
        [*pip, "install", "--quiet", "--no-compile", "--no-deps", "--no-index", str(wheel)],
        check=True,
        capture_output=True,
    )
    (packages,) = (folder / "env" / "lib").glob("python*/site-packages")
    (wheel_itself,) = distributions(name="pbem", path=[str(packages)])
    _link_needed(wheel_itself, packages, {"pbem"})
    return folder / "env" / "bin"


def _link_needed(package: Distribution, packages: Path, linked: set[str]) -> None:
    """Link to what this package needs, and to what that needs, each in a version that will do."""
    for needed in map(Requirement, package.requires or ()):
        if needed.name in linked or (needed.marker and not needed.marker.evaluate({"extra": ""})):
            continue
        linked.add(needed.name)
        library = distribution(needed.name)
        assert needed.specifier.contains(library.version, prereleases=True), (package.name, str(needed))
        for name in {file.parts[0] for file in library.files or ()} - {"..", "__pycache__"}:
            if not (packages / name).exists():
                (packages / name).symlink_to(Path(str(library.locate_file(name))))
        _link_needed(library, packages, linked)


@pytest.mark.slow
def test_the_wheel_carries_schemas_and_templates_and_plays_a_turn(installed: Path, tmp_path: Path) -> None:
    pbem = installed / "pbem"
    for name in ("host", "anna", "burt"):
        folder = tmp_path / name
        folder.mkdir()
        extra = ("--host",) if name == "host" else ()
        new = ("id", "new", name.title(), "--no-passphrase", *extra)
        run(pbem, *new, cwd=folder, PBEM_HOME=str(folder / "home"))
    host, anna, burt = (tmp_path / name for name in ("host", "anna", "burt"))

    def by(who: Path, *command: str) -> str:
        return run(pbem, *command, cwd=who, PBEM_HOME=str(who / "home"))

    by(host, "host", "new", "match", "--game", "wyatt-earp", "--seats", "anna,burt")
    for who in (anna, burt):
        (who / "game.jsonl").write_bytes((host / "match/game.jsonl").read_bytes())
        by(who, "join", ".", "--seat", who.name, "-o", "join.json")
    by(host, "host", "add", "match", str(anna / "join.json"), str(burt / "join.json"))
    for who in (anna, burt):
        by(who, "update", ".", str(host / "match/game.jsonl"))
        by(who, "ready", ".", "-o", "ready.json")
        by(host, "host", "advance", "match", str(who / "ready.json"))
    for who in (anna, burt):
        by(who, "update", ".", str(host / "match/game.jsonl"))
    by(anna, "turn", ".", "draw supply", "-o", "turn.json")
    said = by(host, "host", "advance", "match", str(anna / "turn.json"))
    assert "accepted" in said.lower()
    by(anna, "update", ".", str(host / "match/game.jsonl"))
    assert "Wyatt Earp" in by(anna, "show", ".")
    by(burt, "verify", str(host / "match/game.jsonl"))
    assert list((host / "match/outbox").glob("*.eml"))
    by(burt, "audit", str(host / "match/game.jsonl"), "--html", "report.html")
    assert "No findings so far" in (burt / "report.html").read_text(encoding="utf-8")
