"""Both verifiers' verdicts, side by side: ``python -m tests.verifier.side_by_side [--matches 500] [--damaged 2000]``.

Golden matches, random matches of both games with all numbers of seats, what every attack of ``tests.attacks`` and every
cheat of ``tests/verifier/cheats`` leaves, and damaged files. Two verdicts agree if both find nothing, or both find
something. Of an honest file they must moreover say the same of its head, people, draws, burns, defaults and outcome.
The table goes to ``examples/verifier/agreement.md``; the command fails if there is a disagreement.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from pbem.game import JsonObject
from pbem.games import GAMES
from pbem.protocol.audit import Report, audit
from tests.attacks import ATTACKS, stage_of
from tests.record.golden import WALKS
from tests.verifier.damage import byte_damage, in_action, rolled, small, some_values
from tests.verifier.matches import MATCHES, PAPER, match
from tests.verifier.node import VERIFIER, verify_all
from tests.verifier.random_files import random_match
from tests.verifier.tampering import CHEATED, tampered
from tests.verifier.verdicts import FaultPlace, found_by_js, found_by_python, rules_by_js, same_place
from tests.world import World

Named = tuple[str, list[bytes]]
PAGE = VERIFIER / "agreement.md"
BATCH = 24 * 1024 * 1024
"""Bytes of game files that are put to one node process."""
SAME = ("records", "head", "fingerprint", "game", "game_id", "names", "ended", "outcome", "burns", "defaults")


@dataclass
class Row:
    """One group of files and how the verdicts compare."""

    title: str
    honest: bool | None
    """Whether nothing may be found; None where that is not known beforehand."""
    engine: bool = True
    count: Counter[str] = field(default_factory=Counter)
    apart: list[str] = field(default_factory=list)
    """Where the verdicts differ, in words: there must be none."""
    elsewhere: list[str] = field(default_factory=list)
    """Both refuse, but the first fault stands at another place."""
    only_engine: list[str] = field(default_factory=list)
    """Nothing to be found without the rules; with them pbem finds it, and JavaScript does not."""

    def judge(self, name: str, lines: list[bytes], js: JsonObject) -> None:
        """Hold both verdicts on one file against each other."""
        ours = audit(lines, engine=False)
        self.count["files"] += 1
        self.count["records"] += len(lines)
        theirs = found_by_js(js)
        if ours.ok == bool(theirs):
            verdicts = [*found_by_python(ours)[:2], *theirs[:2]]
            self.apart.append(f"{name}: {'pbem finds nothing' if ours.ok else 'pbem refuses'}, {verdicts}")
            return
        self.count["fine" if ours.ok else "refused"] += 1
        if ours.ok:
            self._alike(name, ours, js)
            self._rules(name, lines, rules_by_js(js))
        elif same_place(found_by_python(ours), theirs, in_action=in_action(name)):
            self.count["same place"] += 1
        else:
            self.elsewhere.append(f"{name}: {found_by_python(ours)[:1]} {theirs[:1]}")
        if self.honest is not None and ours.ok != self.honest:
            self.apart.append(f"{name}: both say {'fine' if ours.ok else found_by_python(ours)[:2]}")

    def _rules(self, name: str, lines: list[bytes], theirs: Sequence[FaultPlace]) -> None:
        """What JavaScript finds by the rules, ours must find too; the other way round sealed orders decide."""
        if not self.engine and not theirs:
            return
        ours = audit(lines)
        if theirs and ours.ok:
            self.apart.append(f"{name}: by the rules pbem finds nothing, {theirs[:2]}")
        elif not ours.ok and not theirs:
            self.only_engine.append(name)

    def _alike(self, name: str, ours: Report, js: JsonObject) -> None:
        for member in SAME:
            if js[member] != getattr(ours, member):
                self.apart.append(f"{name}: {member} is {getattr(ours, member)} and {js[member]}")
        labels = Counter(label.label for label in ours.labels)
        if {label: count for label, count in js["draws"].items() if count} != labels:
            self.apart.append(f"{name}: the draws are labelled {dict(labels)} and {js['draws']}")

    def add(self, other: Row) -> None:
        """Take another piece of the same group in."""
        self.count += other.count
        self.apart += other.apart
        self.elsewhere += other.elsewhere
        self.only_engine += other.only_engine

    def cells(self) -> list[str]:
        """The row of the table."""
        count = self.count
        return [
            self.title,
            f"{count['files']:,}",
            f"{count['records']:,}",
            f"{count['fine']:,}",
            f"{count['refused']:,}",
            f"{count['same place']:,}" if count["refused"] else "",
            f"{len(self.apart):,}",
            f"{len(self.only_engine):,}" if self.engine else "",
        ]


def run(row: Row, files: Iterable[Named]) -> Row:
    """Put these files to both verifiers, many to one node process."""
    batch: dict[str, list[bytes]] = {}
    size = 0
    for name, lines in chain(files, [("", [])]):
        if size > BATCH or (not name and batch):
            theirs = verify_all(batch)
            for each, held in batch.items():
                row.judge(each, held, theirs[each])
            batch, size = {}, 0
        batch[name] = lines
        size += sum(map(len, lines))
    return row


# --- the files -----------------------------------------------------------------------------------------------


def golden() -> Iterator[Named]:
    """The walks of the protocol, every way to play on, and the matches that attacks are made on."""
    for name, walk in WALKS.items():
        yield f"walk {name}", walk().lines
    for name in MATCHES:
        yield name, match(name).lines
    for game in GAMES:
        yield f"stage of {game.info.id}", stage_of(game.info.id).lines


def randoms(first: int, count: int) -> Iterator[Named]:
    """Random matches, by number."""
    for number in range(first, first + count):
        world = random_match(number)
        yield f"match {number} ({world.game}, {len(world.seats)} seats)", world.lines


def attacked() -> Iterator[Named]:
    """What every attack leaves as a game file: the cheat's, and the other copy if there is one."""
    for attack in ATTACKS:
        for game in GAMES:
            scene = attack.make(stage_of(game.info.id))
            if scene is None:
                continue
            title = f"{attack.title} ({game.info.id})"
            if scene.lines:
                yield title, list(scene.lines)
            if scene.lines and 0 < scene.upto < len(scene.lines):
                yield f"{title}, at once", list(scene.lines[: scene.upto])
            if scene.others:
                yield f"{title}, the other copy", list(scene.others)


def cheated(name: str) -> Iterator[Named]:
    """Every falsified file that this match can be turned into."""
    for cheat in tampered(match(name), [PAPER]):
        yield f"{name}: {cheat.name}", cheat.lines


def damaged(world: World, first: int, count: int) -> Iterator[Named]:
    """Bits, bytes and pieces of a match changed."""
    yield from (
        (f"{world.game} {k}", lines) for k, lines in byte_damage(world, range(first, first + count)).items()
    )


def signed_again(world: World, first: int, count: int) -> Iterator[Named]:
    """One value changed, then signed by everybody who would have signed it."""
    files = some_values(world, count, f"side by side {first}")
    yield from ((f"{world.game} {name}", lines) for name, lines in files.items())


def page(rows: list[Row], command: str) -> str:
    """The table and what is to be said about it."""
    head = [
        "what",
        "files",
        "records",
        "both find nothing",
        "both refuse",
        "… at the same place",
        "they disagree",
    ]
    head.append("only the rules engine finds it")
    table = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    table += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    apart = [f"* {row.title}: {difference}" for row in rows for difference in row.apart]
    engine = [f"* {row.title}: {name}" for row in rows for name in row.only_engine]
    parts = {"command": command, "table": "\n".join(table), "engine": "\n".join(engine or ["* nothing"])}
    return _PAGE.format(**parts, apart="\n".join(["Where they disagree:", "", *apart]) if apart else _NOWHERE)


_NOWHERE = "They disagree nowhere."
_PAGE = """# Two verifiers, one verdict

Written by `{command}`.
`pbem audit` without the rules engine and steps (1) to (10) of the program in this folder judge the same files. *At the
same place* means that the first fault that each names is in the same record and step (`schemas/README.md`, section
11). A damaged line may be broken in several ways at once; which of them is named first is free. Where neither finds
anything, both then play the files on by the rules; what this program finds so, `pbem audit` must find too.

{table}

{apart}

This program plays on what everybody can see. What a sealed order should have answered only `pbem audit` finds, once it
is open:

{engine}
"""


# --- the whole -----------------------------------------------------------------------------------------------

Task = tuple[Row, Callable[..., Iterator[Named]], tuple[object, ...]]
PIECE = 25
"""Matches of one task."""


def tasks(matches: int, hurt: int) -> list[Task]:
    """Pieces of work, each with the row that it belongs to."""
    pieces_of_work: list[Task] = [(Row("golden matches", True), golden, ())]
    pieces = [(first, min(PIECE, matches - first)) for first in range(0, matches, PIECE)]
    pieces_of_work += [(Row("random matches", True), randoms, piece) for piece in pieces]
    pieces_of_work.append((Row("attacks of `python -m tests.attacks`", None), attacked, ()))
    pieces_of_work += [(Row("cheats of the tests", False), cheated, (name,)) for name in CHEATED]
    for first in range(0, hurt // 2, 250):
        for world in (small, rolled):
            many = (first, min(250, hurt // 2 - first))
            pieces_of_work.append((Row("damaged bytes", False, engine=False), _of(world, damaged), many))
            signed = Row("values changed and signed again", None, engine=False)
            pieces_of_work.append((signed, _of(world, signed_again), many))
    return pieces_of_work


def _of(world: Callable[[], World], files: Callable[[World, int, int], Iterator[Named]]) -> _Damage:
    return _Damage(world, files)


@dataclass(frozen=True)
class _Damage:
    """Damage to a match that is played where the work is done."""

    world: Callable[[], World]
    files: Callable[[World, int, int], Iterator[Named]]

    def __call__(self, first: int, count: int) -> Iterator[Named]:
        return self.files(self.world(), first, count)


def done(task: Task) -> Row:
    """The row of one piece of work."""
    row, files, arguments = task
    return run(row, files(*arguments))


def rows_of(matches: int, hurt: int, jobs: int) -> list[Row]:
    """Every group, judged."""
    rows: dict[str, Row] = {}
    with ProcessPoolExecutor(jobs) as pool:
        for row in pool.map(done, tasks(matches, hurt)):
            print(f"{row.title}: {row.count['files']:,} files", file=sys.stderr, flush=True)
            if row.title in rows:
                rows[row.title].add(row)
            else:
                rows[row.title] = row
    return list(rows.values())


def main() -> int:
    """Judge everything, write the page, and say whether there was a disagreement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--damaged", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=PAGE)
    given = parser.parse_args()
    rows = rows_of(given.matches, given.damaged, given.jobs)
    command = f"python -m tests.verifier.side_by_side --matches {given.matches} --damaged {given.damaged}"
    text = page(rows, command)
    given.out.write_text(text, encoding="utf-8")
    print(text)
    for row in rows:
        for place in row.elsewhere:
            print(f"elsewhere: {row.title}: {place}", file=sys.stderr)
    return 1 if any(row.apart for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
