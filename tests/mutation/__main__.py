"""``python -m tests.mutation draws|record|wyatt-earp|way-out-west``: which faults does no test notice?

First the area's tests run once, to learn which test runs which line. Then each mutant is tried with the tests that run
its line, quickest first, until one fails. ``--minutes`` tries as many as fit, drawn at random by ``--seed``; without it
all are tried. Needs ``pip install -e ".[mutation]"``. Results are appended to ``--out`` as JSON lines; what stands
there is not tried again, so a run can be continued; ``--again`` tries what survived, with the tests of more folders
and more time for them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.mutation.baseline import measure
from tests.mutation.mutants import ROOT, Mutant, mutants_of, plain
from tests.mutation.trial import Trials, line_of

OF_RECORD: tuple[str, ...] = (
    *("agreed", "back_before_deal", "beginning", "checkpoint", "early_close", "folded", "gestures", "golden"),
    *("host_page", "host_seat", "kinds", "labels", "log", "nothing_leaks", "openings", "other_ways"),
    *("private_words", "referee", "replay_lies", "who_could_aim"),
)
"""Modules of ``tests/record`` that take few seconds."""
AREAS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "draws": (
        ("pbem/protocol/draws/",),
        ("tests/draws", "tests/vectors", "tests/record/test_golden.py"),
    ),
    "record": (
        ("pbem/protocol/record/",),
        (
            "tests/verifier/test_cheats.py",
            "tests/verifier/test_form.py",
            "tests/verifier/test_genesis.py",
            "tests/verifier/test_left_open.py",
            *(f"tests/record/test_{name}.py" for name in OF_RECORD),
            "tests/time/test_arithmetic.py",
            "tests/time/test_between.py",
            "tests/time/test_match.py",
            "tests/hostile/test_retake.py",
            "tests/hostile/test_thief.py",
            "tests/letters/test_recipients.py",
            "tests/vectors",
        ),
    ),
    "wyatt-earp": (("pbem/games/wyatt_earp/",), ("tests/games/wyatt_earp", "tests/playthroughs")),
    "way-out-west": (("pbem/games/way_out_west/",), ("tests/games/way_out_west", "tests/playthroughs")),
}
"""Sources and tests. Conformance, playthroughs and random matches would notice more, but make each trial long."""
WIDER: dict[str, tuple[str, ...]] = {
    "wyatt-earp": (
        "tests/conformance/test_filling.py",
        "tests/conformance/test_knowledge.py",
        "tests/bots/test_players.py",
    ),
    "record": (
        "tests/verifier/test_agreement.py",
        "tests/record/test_whole_matches.py",
        "tests/time",
        "tests/history",
        "tests/report/test_document.py",
        "tests/player",
        "tests/attacks",
        "tests/ordering/test_attacks.py",
        "tests/ordering/test_turns.py",
    ),
}
"""Other folders' tests, for what survived those of its own."""
ALWAYS = {"wyatt-earp": ["tests/games/wyatt_earp/test_scenarios.py"]}
"""Scenarios are answered while their module is read, in no test of their own, so no line is known to be theirs."""
SKIPPED = {"words.py", "order_words.py", "groups.py", "player.py", "worth.py"}
"""Words for people, the computer player and their guesses: no rules."""
FIRST_SECONDS = 4.0
MOST_SECONDS = 15.0
AGAIN_SECONDS = 15.0
"""Tests of one mutant, in two rounds: the quickest, then what else fits, in seconds of their own time."""


def tests_of(area: str, *, wider: bool) -> tuple[str, ...]:
    """Folders and modules of tests."""
    return (*AREAS[area][1], *(WIDER.get(area, ()) if wider else ()))


def baseline(area: str, folder: Path, *, wider: bool) -> dict[str, Any]:
    """Lines and times, measured in a process of its own unless that was done before."""
    path = folder / f"{area}.{'wider.' if wider else ''}baseline.json"
    if not path.exists():
        sources, tests = AREAS[area][0], tests_of(area, wider=wider)
        child = os.fork()
        if child == 0:
            measure(sources, [test for test in tests if (ROOT / test).exists()], path)
            os._exit(0)
        os.waitpid(child, 0)
    measured: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return measured


def tests_for(
    mutant: Mutant, known: dict[str, Any], always: Sequence[str], kills: Counter[str], most: float
) -> Iterator[tuple[list[str], float]]:
    """The tests that run the line (for what runs on import: the module), and the processor time they may take.

    First the quickest and those that noticed the most so far, up to ``FIRST_SECONDS`` together; then, if it survived
    them, the others up to ``most``.
    """
    lines = known["lines"].get(mutant.path, {})
    names = lines.get(str(mutant.line)) or sorted({name for by in lines.values() for name in by})
    seconds = known["seconds"]
    ordered = sorted(
        {*names} - {name for name in names if name.split("::")[0] in always},
        key=lambda name: (seconds[name] + 0.01) / (1 + kills[name]),
    )
    total, at = 0.0, 0
    first: list[str] = [*always]
    for limit in (FIRST_SECONDS, most):
        chosen = first
        first = []
        spent = 0.0
        while at < len(ordered) and (total + seconds[ordered[at]] <= limit or not chosen):
            chosen.append(ordered[at])
            spent += seconds[ordered[at]]
            total += seconds[ordered[at]]
            at += 1
        if chosen:
            yield chosen, 12 + 3 * spent


def main() -> int:
    """Try mutants and report the result of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("area", choices=AREAS)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("mutation"))
    parser.add_argument("--only", default="", help="mutants whose name begins so")
    parser.add_argument(
        "--part", default="1/1", help="2/3: the second of three parts, for three processes at once"
    )
    parser.add_argument("--again", action="store_true", help="try once more what survived, with more tests")
    parser.add_argument("--cold", action="store_true", help="import the product again for every mutant")
    given = parser.parse_args()
    given.out.mkdir(exist_ok=True)
    known = baseline(given.area, given.out, wider=given.again)
    modules = sorted(
        str(path.relative_to(ROOT))
        for source in AREAS[given.area][0]
        for path in (ROOT / source).rglob("*.py")
        if path.name not in SKIPPED
    )
    everything = [mutant for module in modules for mutant in mutants_of(module)]
    if not everything:
        parser.error(f"{given.area}: no mutants; its sources are not at {AREAS[given.area][0]}")
    random.Random(given.seed).shuffle(everything)
    part, parts = map(int, given.part.split("/"))
    results = given.out / f"{given.area}.jsonl"
    fates = fates_in(results)
    done = {name for name, fate in fates.items() if not (given.again and fate in ("survived", "not run"))}
    if given.again:
        everything = [mutant for mutant in everything if mutant.name in fates]
    until = time.monotonic() + 60 * given.minutes if given.minutes else float("inf")
    print(f"{given.area}: {len(everything)} mutants of {len(modules)} modules", flush=True)
    played = "tests.mutation.matches:play" if given.again and given.area == "record" else ""
    run = Run(results, Trials(tests_of(given.area, wider=given.again), played), known)
    for mutant in everything[part - 1 :: parts]:
        if time.monotonic() > until:
            break
        if mutant.name not in done and mutant.name.startswith(given.only):
            most = AGAIN_SECONDS if given.again else MOST_SECONDS
            run.record(mutant, ALWAYS.get(given.area, ()), cold=given.cold, most=most)
    run.trials.close()
    report(results, len(everything))
    return 0


class Run:
    """Tries mutants and writes down what became of each."""

    def __init__(self, results: Path, trials: Trials, known: dict[str, Any]) -> None:
        self.results, self.trials, self.known = results, trials, known
        self.kills: Counter[str] = Counter()
        self.forms: dict[str, dict[str, str]] = {}

    def record(self, mutant: Mutant, always: Sequence[str], *, cold: bool, most: float) -> None:
        """Try one."""
        started = time.monotonic()
        fate, killer, tried = self._idle(mutant), "", 0
        for tests, patience in () if fate else tests_for(mutant, self.known, always, self.kills, most):
            tried += len(tests)
            trial = (mutant.path, mutant.source(), tests, patience)
            fate, killer = self.trials.fate_from_cold(*trial) if cold else self.trials.fate(*trial)
            if fate != "survived":
                self.kills[killer] += 1
                break
        line = line_of(mutant.path, mutant.line)
        spent = round(time.monotonic() - started, 1)
        entry = {"name": mutant.name, "fate": fate or "not run", "tests": tried, "by": killer}
        with self.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**entry, "line": line, "seconds": spent}) + "\n")
        if fate in ("survived", "not run"):
            print(f"{fate}: {mutant.name}\n    {line}", flush=True)

    def _idle(self, mutant: Mutant) -> str:
        """``invalid``, ``same`` (as the honest source, or as a mutant tried before), or nothing."""
        forms = self.forms.setdefault(mutant.path, {})
        if not forms:
            forms[plain((ROOT / mutant.path).read_text(encoding="utf-8"))] = "same"
        try:
            source = mutant.source()
            compile(source, mutant.path, "exec")
        except (
            SyntaxError,
            AttributeError,
        ):  # the latter: cosmic-ray replaces no exception with a dotted name
            return "invalid"
        form = plain(source)
        text = forms.get(form, "")
        forms[form] = "same"
        return text


def fates_in(results: Path) -> dict[str, str]:
    """What became of each mutant, the last time it was tried."""
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    return {entry["name"]: entry["fate"] for entry in map(json.loads, lines)}


def report(results: Path, of: int) -> None:
    """Count."""
    fates = Counter(fates_in(results).values())
    tried = sum(fates.values()) - fates["invalid"]
    tried -= fates["same"]
    dead = fates["killed"] + fates["time"]
    print(f"tried {tried} of {of}; noticed {dead} ({dead / max(1, tried):.1%}); {dict(fates)}")


if __name__ == "__main__":
    sys.exit(main())
