"""Running the JavaScript verifier from tests."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from pbem.game import JsonObject

HERE = Path(__file__).parent
VERIFIER = HERE.parents[1] / "examples" / "verifier"


def node(*arguments: str | Path, code: int | None = 0, stdin: str = "") -> str:
    """What node prints; ``code`` is the exit code it must have, None for any."""
    program = shutil.which("node")
    if program is None:
        raise FileNotFoundError("node is not installed: the second verifier needs node 20 or newer")
    done = subprocess.run(
        [program, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        input=stdin,
        timeout=3600,
    )
    if code is not None and done.returncode != code:
        raise AssertionError(
            f"node ended with {done.returncode}, not {code}:\n{done.stdout[-2000:]}{done.stderr}"
        )
    return done.stdout


def verify_all(files: Mapping[str, Sequence[bytes]]) -> dict[str, JsonObject]:
    """The JavaScript verifier's report on each of these files (their lines), by name."""
    with tempfile.TemporaryDirectory() as folder:
        names = {f"{number:05d}": name for number, name in enumerate(files)}
        for number, name in names.items():
            Path(folder, number).write_bytes(b"".join(line + b"\n" for line in files[name]))
        reports = map(json.loads, node(HERE / "batch.mjs", folder).splitlines())
        return {names[report["name"]]: report for report in reports}
