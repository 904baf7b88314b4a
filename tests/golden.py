"""Write everything again that is kept and can be made again: ``make golden`` or ``python -m tests.golden [KIND…]``.

Prints how long each kind took and every file that came out differently, with the lines that came and went. Look at
the difference before it is committed. A kind whose program is not on this machine is named and left as it is;
``tested`` names the kinds that a test compares with what is made (the others are there to be looked at).
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PYTHON: Final = sys.executable


@dataclass(frozen=True)
class Kind:
    """Files that are made together: by which commands, where they lie, and what must be installed for it."""

    name: str
    about: str
    files: Sequence[str]
    commands: Sequence[Sequence[str]]
    needs: Sequence[str] = ()
    tested: bool = True
    first: bool = False
    """Made before all others, which read it."""
    alone: bool = False
    """Photographs and terminals: one after the other."""


@dataclass(frozen=True)
class Done:
    """The result of one kind."""

    kind: Kind
    seconds: float
    missing: str
    """A program that is not there; then nothing was made."""
    failed: str
    """What a command printed that ended with an error."""


def _compared(*places: str) -> list[str]:
    """The tests with the mark ``golden``, which write instead of compare when they are asked to."""
    return [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "golden", *places]


def _module(name: str, *arguments: str) -> list[str]:
    return [PYTHON, "-m", name, *arguments]


def write_attack_table() -> None:
    """What ``pbem attack --markdown`` prints, into its page."""
    table = subprocess.run(
        _module("tests.attacks", "--markdown"), cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    path = ROOT / "examples/cheats.md"
    text = path.read_text(encoding="utf-8")
    begin, end = "<!-- attacks -->\n", "\n<!-- /attacks -->"
    head, rest = text.split(begin)
    path.write_text(head + begin + table + end + rest.split(end)[1], encoding="utf-8")


KINDS: Final = (  # what takes longest first
    Kind(
        "catalogues",
        "the template of all messages, every language's catalogue, compiled",
        ["templates/locale/**/*"],
        [_module("tests.languages", "extract", "update", "compile")],
        first=True,
    ),
    Kind(
        "examples",
        "the example matches with their READMEs",
        ["examples/wyatt-earp/**/*", "examples/way-out-west/**/*"],
        [_module("tests.examples")],
    ),
    Kind(
        "screens",
        "pictures of pbem play",
        ["examples/screens/*.svg"],
        [_module("tests.play.screens")],
        tested=False,
    ),
    Kind(
        "letters",
        "golden letters, tables, pictures, statistics",
        ["tests/letters/golden/*", "tests/pictures/golden/*", "tests/history/golden/*"],
        [_compared("tests/letters", "tests/pictures", "tests/history/test_summary.py")],
    ),
    Kind(
        "attacks",
        "the table of cheats",
        ["examples/cheats.md"],
        [_module("tests.golden", "--attack-table")],
    ),
    Kind(
        "playthroughs",
        "transcripts and perft counts of each game",
        ["tests/playthroughs/*.txt", "tests/playthroughs/*.perft"],
        [_module("tests.playthroughs")],
    ),
    Kind(
        "occasions",
        "the shortest matches in which each cheat is tried",
        ["tests/verifier/occasions.json"],
        [_module("tests.verifier.tampering")],
    ),
    Kind("records", "golden matches", ["tests/record/golden/*"], [_module("tests.record.golden")]),
    Kind(
        "vectors",
        "the public vectors",
        ["tests/vectors/*.json"],
        [_module("tests.vectors.generate"), _module("tests.time.vectors")],
    ),
    Kind(
        "verifier",
        "the schemas that the second verifier holds, and the page with all its modules",
        ["examples/verifier/schemas.mjs", "examples/verifier/verifier.html"],
        [["node", "examples/verifier/build.mjs"]],
        needs=["node"],
    ),
    Kind(
        "report",
        "the example reports and pictures of them",
        ["examples/report/*.html", "examples/report/*.png"],
        [_module("tests.report")],
        needs=["chromium"],
        tested=False,
        alone=True,
    ),
    Kind(
        "rules",
        "the rules of each game as a page, with the board",
        ["examples/rules/*"],
        [_module("tests.rulebook.pages")],
    ),
    Kind(
        "languages",
        "a letter and the turn page in each language",
        ["examples/languages/*.txt", "examples/languages/*.png", "examples/languages/*.svg"],
        [_module("tests.languages.examples")],
        needs=["chromium"],
        tested=False,
        alone=True,
    ),
    Kind(
        "photographs",
        "letters as a browser shows them",
        ["examples/letters/*.png"],
        [
            _module("tests.service.screenshots", "examples/letters"),
            _module("tests.letters.kinds", "examples/letters", "--kept"),
        ],
        needs=["chromium"],
        tested=False,
        alone=True,
    ),
    Kind(
        "season",
        "three matches of each game added up, as a table and a picture",
        ["examples/season.md", "examples/season-*.png"],
        [_module("tests.history.season")],
        tested=False,
    ),
    Kind(
        "evening",
        "a new player's evening, counted",
        ["examples/evening.md"],
        [_module("tests.evening.play")],
        needs=["tmux", "postfix", "dovecot"],
        tested=False,
        alone=True,
    ),
    Kind(
        "first-mile",
        "what newcomers met, row by row, and what is printed now",
        ["examples/first-mile.md", "examples/ten-points.md"],
        [_module("tests.first_mile"), _module("tests.first_mile.evening_again")],
        needs=["tmux", "chromium"],
        tested=False,
        alone=True,
    ),
    Kind(
        "errors",
        "every error of the commands, by room, and the page of those that a newcomer meets",
        ["tests/errors/*.txt", "examples/errors.md"],
        [_module("tests.errors")],
    ),
    Kind(
        "mutt",
        "a letter and its answer in mutt",
        ["examples/letters/mutt-*.txt"],
        [[PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/service/test_mutt.py"]],
        needs=["mutt", "tmux", "postfix", "dovecot"],
        tested=False,
        alone=True,
    ),
)


def chosen(names: Sequence[str]) -> list[Kind]:
    """The kinds of these names; all of them without a name.

    Raises:
        SystemExit: a name that no kind has.
    """
    known = {kind.name: [kind] for kind in KINDS}
    known["tested"] = [kind for kind in KINDS if kind.tested]
    wrong = [name for name in names if name not in known]
    if wrong:
        raise SystemExit(f"there is no kind {wrong[0]}; there are {', '.join(known)}")
    named = {kind.name for name in names for kind in known[name]}
    return [kind for kind in KINDS if not names or kind.name in named]


def make(kind: Kind) -> Done:
    """Run the commands of one kind."""
    missing = next((program for program in kind.needs if not _installed(program)), "")
    begun = time.monotonic()
    failed = ""
    environ = {**os.environ, "PBEM_GOLDEN": "write", "PBEM_KEEP_SCREENS": str(ROOT / "examples/letters")}
    for command in () if missing else kind.commands:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            failed = f"{' '.join(command)}\n{done.stdout}"
            break
    return Done(kind, time.monotonic() - begun, missing, failed)


def _installed(program: str) -> bool:
    return bool(shutil.which(program) or shutil.which(program, path="/usr/sbin"))


def contents(kinds: Iterable[Kind]) -> dict[str, bytes]:
    """Every file of these kinds, by its path from the root."""
    paths = {
        path for kind in kinds for pattern in kind.files for path in ROOT.glob(pattern) if path.is_file()
    }
    return {str(path.relative_to(ROOT)): path.read_bytes() for path in sorted(paths)}


def changes(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    """A line for every file that came, went or is different."""
    lines = []
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old != new:
            change = "new" if old is None else "gone" if new is None else _counted(old, new)
            lines.append(f"{name}: {change}")
    return lines


def _counted(old: bytes, new: bytes) -> str:
    try:
        texts = old.decode().splitlines(), new.decode().splitlines()
    except UnicodeDecodeError:
        return f"{len(old)} bytes, now {len(new)}"
    signs = [
        line[0]
        for line in difflib.unified_diff(*texts, n=0, lineterm="")
        if not re.match(r"---|\+\+\+|@@", line)
    ]
    return f"+{signs.count('+')} -{signs.count('-')}"


def run(kinds: Sequence[Kind]) -> int:
    """Make these kinds, two at a time where they do not stand in each other's way; the exit code."""
    before = contents(kinds)
    with ThreadPoolExecutor(2) as pool:
        done = list(map(make, (kind for kind in kinds if kind.first)))
        together = [kind for kind in kinds if not kind.first and not kind.alone]
        done += pool.map(make, together)
        done += map(make, (kind for kind in kinds if kind.alone))
    for kind in done:
        state = f"left as it is: no {kind.missing} here" if kind.missing else "FAILED" if kind.failed else ""
        print(f"{kind.kind.name:14}{kind.seconds:7.1f} s  {state}".rstrip())
    changed = changes(before, contents(kinds))
    print("\n".join(changed) or "nothing changed")
    for kind in done:
        if kind.failed:
            print(f"\n{kind.kind.name} FAILED: {kind.failed}", file=sys.stderr)
    return int(any(kind.failed for kind in done))


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--list", action="store_true", help="name the kinds")
    parser.add_argument("--attack-table", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.attack_table:
        write_attack_table()
        return 0
    if options.list:
        for kind in KINDS:
            print(f"{kind.name:14}{'tested' if kind.tested else '      '}  {kind.about}")
        return 0
    return run(chosen(options.kinds))


if __name__ == "__main__":
    sys.exit(main())
