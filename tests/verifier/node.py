"""Running the JavaScript verifier from tests."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

from pbem.game import JsonObject
from tests.needed import program

HERE = Path(__file__).parent
VERIFIER = HERE.parents[1] / "examples" / "verifier"


def node(*arguments: str | Path, code: int | None = 0, stdin: str = "") -> str:
    """What node prints; ``code`` is the exit code it must have, None for any."""
    done = subprocess.run(
        [program("node"), *map(str, arguments)],
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


AT_ONCE: Final = 2000
"""Values that are in memory at once; all forms of records, as text, are a hundred megabytes."""


def said_of(
    cases: Iterator[tuple[str, JsonObject]], *arguments: str | Path
) -> Iterator[tuple[str, JsonObject, str]]:
    """Each named value with what node says of it, a line; empty if nothing is wrong with it."""
    while part := list(islice(cases, AT_ONCE)):
        text = "\n".join(json.dumps(value) for _, value in part)
        answers = node(*arguments, stdin=text).removesuffix("\n").split("\n")
        for (name, value), answer in zip(part, answers, strict=True):
            yield name, value, answer


def verify_all(files: Mapping[str, Sequence[bytes]]) -> dict[str, JsonObject]:
    """The JavaScript verifier's report on each of these files (their lines), by name."""
    with tempfile.TemporaryDirectory() as folder:
        names = {f"{number:05d}": name for number, name in enumerate(files)}
        for number, name in names.items():
            Path(folder, number).write_bytes(b"".join(line + b"\n" for line in files[name]))
        reports = list(map(json.loads, _answered(folder)))
    return {names[report["name"]]: report for report in reports}


def _answered(folder: str) -> Iterator[str]:
    """What the resident verifier says of the files in a folder."""
    process = _resident(os.getpid())
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{folder}\n")
    process.stdin.flush()
    for line in process.stdout:
        if line == "\n":
            return
        yield line
    _resident.cache_clear()
    raise AssertionError(f"node ended with {process.wait()} in the middle of its work")


@cache
def _resident(pid: int) -> subprocess.Popen[str]:
    """One node process for all files of the process ``pid``: starting it takes longer than auditing a short match."""
    assert pid == os.getpid()
    process = subprocess.Popen(
        [program("node"), HERE / "batch.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(_dismiss, process)
    return process


def _dismiss(process: subprocess.Popen[str]) -> None:
    process.communicate()  # its input is closed: it ends
