"""README's "Try it now" in a clean place: the wheel of this tree and nothing else of ours, the lines as they stand.

The libraries are this environment's; ``python -m tests.release`` installs them again, too. What pip is given is the
wheel where the line says the folder: uv and pipx would ask an index for the libraries.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.base.resources import INSTALL
from pbem.player.practice.match import games_with_lessons
from tests.play.test_real_terminal import Terminal, new_terminal
from tests.release.parts import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = re.findall(r"## Try it now\n.*?```\n(.*?)```", README, re.DOTALL)[0].splitlines()
SHOWN = {"pbem practice wyatt-earp --lesson": "Choose: ", "pbem practice way-out-west": "Your turn to "}
"""What stands on the first screen of each line but the first, which installs."""
_WALK = """
import asyncio, sys
from pathlib import Path
import pbem
from tests.practice.lessons import begin, play_through

async def see(app, at):
    seen.append(at)

for game in sys.argv[1:]:
    seen = []
    session = begin(Path(game), game)
    asyncio.run(play_through(session, see))
    print(Path(pbem.__file__).parent, game, len(seen) - len(session.practice.lesson.steps))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with an environment in which only the wheel is ours."""
    home = tmp_path_factory.mktemp("try-it")
    python = [sys.executable, "-m"]
    _run(*python, "build", "--wheel", "--no-isolation", "--outdir", str(home / "dist"), str(ROOT))
    _run(*python, "venv", "--without-pip", str(home / "venv"))
    (wheel,) = (home / "dist").glob("*.whl")
    inside = str(home / "venv/bin/python")
    pip = (*python, "pip", "--disable-pip-version-check", "--python", inside, "install", "--quiet")
    _run(*pip, "--no-deps", "--no-index", str(wheel))
    return home


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = new_terminal(tmp_path.name)
    yield terminal
    terminal.tmux("kill-server")


def test_the_first_line_installs_and_the_others_play() -> None:
    assert LINES[0] == INSTALL[0]
    assert LINES[1:] == list(SHOWN)


@pytest.mark.parametrize("line", SHOWN)
def test_a_line_of_the_readme_shows_a_table_and_q_quits(
    installed: Path, terminal: Terminal, line: str
) -> None:
    settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in _environ(installed).items())
    terminal.start(
        f"cd {shlex.quote(str(installed))} && env -i TERM=$TERM {settings} {line}; echo ended $?; cat"
    )
    terminal.until(SHOWN[line])
    if "--lesson" in line:
        terminal.press("Escape")
        terminal.until("Your turn to ", gone=SHOWN[line])
    terminal.press("q")
    terminal.until("ended 0")


def test_both_lessons_are_walked_with_the_wheel(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")  # how a lesson is walked; the program is the wheel's
    (tmp_path / "walk.py").write_text(_WALK, encoding="utf-8")
    output = _run(
        str(installed / "venv/bin/python"),
        "walk.py",
        *games_with_lessons(),
        cwd=tmp_path,
        env=_environ(installed),
    )
    wheel = installed / "venv/lib" / f"python{sysconfig.get_python_version()}" / "site-packages/pbem"
    assert output.splitlines() == [f"{wheel} {game} 1" for game in games_with_lessons()]


def _environ(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": f"{home / 'venv/bin'}:{os.environ['PATH']}",
        "PYTHONPATH": sysconfig.get_path(
            "purelib"
        ),  # libraries; what is installed editable is not found by it
        "LANG": "C.UTF-8",
        "PBEM_LANG": "en",
    }


def _run(*command: str, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
