"""What people and hosts wait for, against another copy of this repository: ``python -m tests.bench.against TREE``.

TREE is a checkout of an older commit, for instance ``git worktree add ../before 6c868bd0``; the same Python runs both.
Each tree writes its own match and identity, each row is measured in turns, and the least processor time of the rounds
counts, children with it. Commands are whole processes, as they are typed; so is a match that is opened in the web app
(``page``, ``page-first``), by its worker in this Python: imports, records, table, board, rows. Emails, a host's step
and an audit are the rows that ``tests.bench`` of each tree prints. The exit code is 1 if an aim is missed::

    python -m tests.bench.against ../before                     # every row
    python -m tests.bench.against ../before show play --rounds 9
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from tests.bench.measure import ROWS, aimed
from tests.bench.startup import in_terminal

HERE: Final = Path(__file__).resolve().parents[2]
AIMS: Final = {
    "help": 1.0,
    "show": 1.15,
    "check": 1.2,
    "verify": 1.2,
    "audit": 1.15,
    "play": 1.2,
    "letters": 1.2,
    "mails": 1.2,
    "host": 1.2,
    "page": 1.2,
    "page-first": 1.2,
}
"""The greatest ratio of now to before."""
BENCHES: Final = {
    "letters": ("letters", r"^\s+letters\s+([\d.]+) ms"),
    "mails": ("letters", r"^\s+mails\s+([\d.]+) ms"),
    "host": ("host", r"^\s+whole step\s+([\d.]+) "),
    "audit": ("audit", r"^\s+audit\s+([\d.]+) ms"),
}
"""A bench of the tree and its row."""
PREPARE: Final = """
import itertools, json, sys
from pathlib import Path
from pbem.game import Seat
try:
    from pbem.player.seat.keeping_open import Settings, write_settings
    from pbem.player.store.keyring import Keyring
    from pbem.protocol.crypto.digest import b64
    from pbem.protocol.formats.identity_file import write_identity
    from pbem.protocol.formats.strict_json import canon
except ImportError:  # before the packages were eight
    from pbem.crypto.digest import b64
    from pbem.formats.identity_file import write_identity
    from pbem.formats.strict_json import canon
    from pbem.player.settings import Settings, write_settings
    from pbem.store.keyring import Keyring
from tests.world import World
folder = Path(sys.argv[1])
world = World("wyatt-earp", ("anna", "burt"), seed="startup").start()
(folder / "game.jsonl").write_bytes(b"".join(raw + b"\\n" for raw in world.lines))
(folder / "turn.json").write_bytes(canon(world.turn_file("anna", {"do": "draw", "from": "supply"})))
for number in itertools.count():  # the trees deal differently: each its first match that stands in mid-hand
    played = World("wyatt-earp", ("anna", "burt", "curt", "dora"), seed=f"startup {number}").start()
    while len(played.lines) < 150 and played.move():
        pass
    if len(played.lines) == 150 and 22 <= len(played.record.ledger.running.results) <= 26:
        break
for place in (folder / "match", folder / "page" / "matches" / "one"):
    place.mkdir(parents=True)
    (place / "game.jsonl").write_bytes(b"".join(raw + b"\\n" for raw in played.lines))
anna = played.people[Seat("anna")]
Keyring(folder / "home").add("anna", write_identity(anna, "Anna", "horse", b"0" * 16))
write_settings(folder / "home" / "identities", Settings("always"))
entry = {f"pbem/{b64(anna.sign_public)}": json.dumps({"until": "", "secret": b64(anna.secret)})}
(folder / "keyring.json").write_text(json.dumps(entry))
(folder / "secret").write_bytes(anna.secret)
"""
"""A match of 150 records, about 24 of them in the hand that is played (they are what a sitting reads again), a turn of
another one, and a player's identity that the keyring holds open."""

OPEN: Final = """
import json, os, sys
from pathlib import Path
from pbem.web.worker import Worker
folder = Path(sys.argv[1])
known = folder / "known"
before = {"one": known.read_bytes()} if sys.argv[2] == "again" and known.exists() else {}
worker = Worker(folder / "page", {"one": (folder / "secret").read_bytes()}, os.urandom, known=before)
for question in ({"do": "hello", "lang": "en"}, {"do": "open", "match": "one"}):
    answer = json.loads(worker.ask(json.dumps(question)))
    assert answer["ok"], answer
assert answer["scene"]["rows"] and answer["scene"]["table"], answer
fresh = worker.verified()
assert bool(fresh.get("one")) != bool(before), "what was verified is kept, and taken the next time"
if not before:
    known.write_bytes(fresh["one"])
"""
"""A match is opened in the web app: for the first time, or "again", with what the browser kept of its records."""
BENCH: Final = """
import sys, time
from functools import partial
from tests.bench import host_step
host_step.interleaved = partial(host_step.interleaved, clock=time.process_time)
sys.argv[0] = "tests.bench"
import tests.bench.__main__
"""
"""A bench whose clock is processor time in every row: older trees read wall-clock time for a host's step."""


class Tree:
    """One checkout with what its commands are tried on."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root, self._folder = root, folder
        folder.mkdir()
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self._environ = kept | {
            "PYTHONPATH": str(root),
            "PYTHONSAFEPATH": "1",  # a terminal begins in this folder, whose modules are not those of the tree
            "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
            "PYTHON_KEYRING_BACKEND": "tests.evening.kept.FileKeyring",
            "PBEM_TEST_KEYRING": str(folder / "keyring.json"),
        }
        self._run("-c", PREPARE, str(folder))
        help_text = self._run("-m", "pbem", "check", "--help")
        self._copy = "--copy" if "--copy" in help_text else "--game"

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self._root,
            env=self._environ,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{self._root}: {' '.join(words[:3])}: {done.stderr[-2000:]}")
        return done.stdout

    def _command(self, *words: str) -> float:
        before = _children()
        self._run("-m", "pbem", *words)
        return _children() - before

    def _play(self, home: tuple[str, str]) -> float:
        before = _children()
        words = ("play", str(self._folder / "match"), *home)
        status, text = in_terminal("Your hand", "from pbem.cli import run\nrun()", words, self._environ)
        if status:
            raise SystemExit(f"{self._root}: {text[-2000:]}")
        return _children() - before

    def _page(self, when: str) -> float:
        before = _children()
        self._run("-c", OPEN, str(self._folder), when)
        return _children() - before

    def _bench(self, name: str) -> float:
        bench, row = BENCHES[name]
        match = re.search(row, self._run("-c", BENCH, bench), re.MULTILINE)
        if match is None:
            raise SystemExit(f"{self._root}: its bench {bench} prints no row of {name}")
        return float(match[1])

    def parts(self) -> dict[str, Callable[[], float]]:
        """What each row measures: seconds, or whatever the tree's own bench prints."""
        match, home = str(self._folder / "match"), ("--home", str(self._folder / "home"))
        turn, copy = str(self._folder / "turn.json"), str(self._folder / "game.jsonl")
        return {
            "help": partial(self._command, "--help"),
            "show": partial(self._command, "show", match, *home),
            "check": partial(self._command, "check", turn, self._copy, copy, *home),
            "verify": partial(self._command, "verify", match),
            "play": partial(self._play, home),
            "page": partial(self._page, "again"),
            "page-first": partial(self._page, "first"),
            **{name: partial(self._bench, name) for name in BENCHES},
        }


def _children() -> float:
    """Seconds of processor time that finished child processes took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Print a row for each name; 1 if an aim is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path, help="a checkout of the commit to compare with")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(AIMS)}; all if none is given"
    )
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    if unknown := set(given.names) - set(AIMS):
        parser.error(f"no row of this name: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory(prefix="pbem-against-") as folder:
        before = Tree(given.tree.resolve(), Path(folder) / "before").parts()
        now = Tree(HERE, Path(folder) / "now").parts()
        for name in given.names or AIMS:
            before[name](), now[name]()  # bytecode is written, caches are filled
            taken = [(now[name](), before[name]()) for _ in range(given.rounds)]
            least = [min(times) for times in zip(*taken, strict=True)]
            ratios = [new / old for new, old in taken]
            aimed(f"{name} / before", least[0] / least[1], min(ratios), max(ratios), AIMS[name])
    return 0 if all(row["met"] for row in ROWS) else 1


if __name__ == "__main__":
    sys.exit(main())
