"""The workflow for the three systems, as far as it can be tried where only one is: its tests can be read on Windows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "player.yml"
ELSEWHERE = "tests/system/test_elsewhere.py"
READ = """
import importlib, sys
import pytest, hypothesis, _pytest.tmpdir, xdist
from tests.system.elsewhere import become
become("windows")
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def command() -> str:
    """The last step's."""
    steps: Any = YAML(typ="safe").load(WORKFLOW)["jobs"]["play"]["steps"]
    return str(steps[-1]["run"])


def test_its_tests_are_there_and_need_no_posix_to_be_read() -> None:
    assert f"--ignore {ELSEWHERE}" in command(), "that one is about Windows on Linux"
    places = [ROOT / word for word in command().replace("'", " ").split() if word.startswith("tests/")]
    assert len(places) > 8
    assert [place for place in places if not place.exists()] == []
    files = [
        file for place in places for file in ([place] if place.suffix else sorted(place.rglob("test_*.py")))
    ]
    names = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files if file != ROOT / ELSEWHERE
    ]
    done = subprocess.run(
        [sys.executable, "-c", READ, *names], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
