"""The optional wheel with compiled engines: built, laid over a copy of the checkout, and held to the same tests.

``python -m tests.games.compiled [COMMAND...]`` makes ``build/compiled`` (pip install '.[compiled]' first) and runs
there the tests of the engines, or a command (``-m tests.bench peers``). The pure modules are the reference:
the copy has them too, and whatever they say about a list, a refusal or an event the compiled ones must say.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
TREE = ROOT / "build" / "compiled"
TESTS = ("-m", "pytest", "-q", "tests/games", "tests/conformance", "tests/playthroughs", "tests/scenarios")


def tree() -> Path:
    """A copy of the checkout with the compiled modules beside the pure ones, which they go before on import."""
    shutil.rmtree(TREE, ignore_errors=True)
    listed = subprocess.run(("git", "ls-files", "-z"), cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        (TREE / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, TREE / name)
    environment = {**os.environ, "HATCH_BUILD_HOOK_ENABLE_MYPYC": "1"}
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--skip-dependency-check")
    subprocess.run(build, cwd=TREE, env=environment, check=True)
    (wheel,) = (TREE / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(TREE, [name for name in packed.namelist() if name.endswith((".so", ".pyd"))])
    return TREE


if __name__ == "__main__":
    command = (sys.executable, *(sys.argv[1:] or TESTS))
    sys.exit(
        subprocess.run(
            command, cwd=tree(), env={**os.environ, "PYTHONPATH": str(TREE)}, check=False
        ).returncode
    )
