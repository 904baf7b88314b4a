"""Scenario files: found in folders, read strictly, run one after the other.

A file holds one scenario or a list of scenarios. A path that is not there, a folder without scenarios and a
file that is no JSON are failed results, so that nothing that was named goes unsaid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pbem.base.errors import FormatError
from pbem.games import find_game
from pbem.protocol.formats.strict_json import parse
from pbem.protocol.scenario.expect import Mismatch
from pbem.protocol.scenario.run import FindGame, ScenarioResult, run_scenario

MAX_SCENARIO_FILE: Final = 4 * 1024 * 1024
"""Bytes of a scenario file (a list of scenarios may be long)."""


def find_scenarios(paths: Sequence[Path]) -> Iterator[Path]:
    """The files named, and every ``*.json`` below the folders named, in order of their names."""
    for path in paths:
        if path.is_dir():
            yield from sorted(found for found in path.rglob("*.json") if found.is_file())
        else:
            yield path


def run_paths(paths: Sequence[Path], *, find: FindGame = find_game) -> Iterator[ScenarioResult]:
    """Run every scenario of these files and folders."""
    for path in paths:
        found = list(find_scenarios([path]))
        if not found:
            yield _fault(path, Mismatch("", "a folder with scenario files (*.json)", "none in it"))
        for file in found:
            yield from run_file(file, find=find)


def run_file(path: Path, *, find: FindGame = find_game) -> Iterator[ScenarioResult]:
    """Run the scenario, or the list of scenarios, of one file."""
    try:
        with path.open("rb") as file:
            content = parse(file.read(MAX_SCENARIO_FILE + 1), limit=MAX_SCENARIO_FILE, null=True)
    except OSError as fault:
        yield _fault(path, Mismatch("", "a file that can be read", fault.strerror or type(fault).__name__))
        return
    except FormatError as fault:
        yield _fault(path, Mismatch("", "strict JSON", str(fault)))
        return
    if not isinstance(content, list):
        yield run_scenario(content, place=str(path), find=find)
        return
    if not content:
        yield _fault(path, Mismatch("", "a scenario or a list of them", "an empty list"))
    for number, scenario in enumerate(content, 1):
        yield run_scenario(scenario, place=f"{path}#{number}", find=find)


def _fault(path: Path, difference: Mismatch) -> ScenarioResult:
    return ScenarioResult(title="", game="", rules=(), place=str(path), difference=difference)
