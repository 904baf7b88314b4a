"""Make the examples again (``make golden KIND=examples``): two short matches, and their READMEs with real output.

Nothing in ``examples/wyatt-earp`` and ``examples/way-out-west`` is written by hand. The keys in them are TEST keys:
they follow from a seed that stands below, so never use them for a match.
"""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pbem.cli import main
from pbem.host.demo import Demo
from pbem.player.world import SeededEntropy, StepClock
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import awaited_in
from tests import one_time_keys

HERE: Final = Path(__file__).resolve().parents[2] / "examples"
SEED: Final = "TEST example"
START: Final = "2026-11-21T18:00:00Z"
INTRODUCTION: Final = """# {heading}

{players}, far from the end. `make golden` plays it and writes this page; a test runs every command
below in a copy of this folder and compares what it prints (of pictures, the lines above them). `game.jsonl` is the
match as everybody has it, `files/` what each player signed, `keys/` the TEST identities (their passphrase lies
beside them; they protect nothing)."""
KEYS: Final = "--home keys --passphrase-file keys/passphrase"


@dataclass(frozen=True)
class Example:
    """One short match: which game, for how many, until so many epochs are closed, and what is shown of it."""

    game: str
    seats: int
    closes: int
    heading: str
    players: str
    draw: bytes
    """What a record holds that is worth checking by hand; the last one is shown."""
    draws: str
    luck: str

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return HERE / self.game


EXAMPLES: Final = (
    Example(
        "wyatt-earp",
        seats=2,
        closes=1,
        heading="The first hand of a match of Wyatt Earp",
        players="Two computer players",
        draw=b'"event":"shot"',
        draws="How to check one shot by hand",
        luck="Is every card proven, and who was lucky?",
    ),
    Example(
        "way-out-west",
        seats=3,
        closes=2,
        heading="Two game turns of a match of Way Out West",
        players="Three computer players",
        draw=b'"for":"gunfight',
        draws="How to check the dice of a gunfight by hand",
        luck="Is every die proven, and who was lucky?",
    ),
)


def play(example: Example, folder: Path) -> None:
    """Play until enough epochs are closed."""

    def entropy(name: str) -> SeededEntropy:
        return SeededEntropy(SEED, name)

    with one_time_keys.fixed():
        demo = Demo(
            example.game,
            example.seats,
            folder,
            StepClock(START),
            entropy,
            closes=example.closes,
            labelled=False,
        )
        gesture(demo, demo.run().record)


def gesture(demo: Demo, record: Record) -> None:
    """Somebody who is not asked puts a word under the last turn, and nudges who is."""
    asked = next(iter(awaited_in(record.standing)))
    other = next(seat for seat in record.seats if seat != asked)
    turn = max(line.seq for line in record.lines if line.kind == "turn")
    demo.send(demo.people[other].sit_down().turn([], react={turn: "wow"}, nudge=asked).raw)


def collect(demo: Path, folder: Path) -> None:
    """Keep the game file, the players' files and the TEST keys."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "keys" / "identities").mkdir(parents=True)
    shutil.copy(demo / "game.jsonl", folder / "game.jsonl")
    shutil.copy(demo / "home" / "passphrase", folder / "keys" / "passphrase")
    shutil.copy(demo / "home" / "identities" / "host.json", folder / "keys" / "identities")
    for player in sorted((demo / "players").iterdir()):
        shutil.copy(player / "home" / "identities" / f"{player.name}.json", folder / "keys" / "identities")
        files = folder / "files" / player.name
        files.mkdir(parents=True)
        for sent in sorted((player / "sent").glob("0*.json")):
            number, _, kind, _ = sent.name.split("-")
            shutil.copy(sent, files / f"{int(number):02}-{kind}.json")


def commands(example: Example, shown: int, seat: str, turn: str) -> list[tuple[str, str]]:
    """What the README shows: a sentence and a command each."""
    hand = "the same table, and the opened hand" if example.game == "wyatt-earp" else "the table"
    return [
        ("Does every record hold?", "pbem verify game.jsonl"),
        (example.luck, "pbem audit game.jsonl"),
        (example.draws, f"pbem verify game.jsonl --record {shown}"),
        ("What everybody sees", "pbem show game.jsonl --public"),
        (f"What {seat} sees: {hand}", f"pbem show game.jsonl --id {seat} {KEYS}"),
        ("A look back, at that record", f"pbem show game.jsonl --at {shown} --id anna {KEYS}"),
        ("What may be done now", f"pbem legal game.jsonl --id {seat} {KEYS}"),
        ("Sign the next turn", f"pbem turn game.jsonl {turn} -o turn.json --id {seat} {KEYS}"),
        ("Check it as the host will", f"pbem check turn.json --copy game.jsonl --id {seat} {KEYS}"),
        ("What is this file?", "pbem inspect files/anna/00-join.json"),
    ]


def output_of(command: str) -> str:
    """Standard output of a command line that must succeed."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            main(shlex.split(command)[1:])
        except SystemExit as ended:
            if ended.code:
                raise SystemExit(f"{command}: exit code {ended.code}") from None
    out.seek(0)
    return out.read()


def readme(example: Example) -> str:
    """The README, with what the commands print in a copy of the example."""
    shown, seat = _facts(example)
    parts = [INTRODUCTION.format(heading=example.heading, players=example.players)]
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "example"
        shutil.copytree(example.folder, copy)
        with contextlib.chdir(copy):
            turn = json.loads(output_of(f"pbem legal game.jsonl --id {seat} {KEYS} --json"))["legal"][-1][
                "words"
            ]
            for sentence, command in commands(example, shown, seat, turn):
                parts.append(f"## {sentence}\n\n```console\n$ {command}\n{output_of(command)}```")
    return "\n\n".join(parts) + "\n"


def _facts(example: Example) -> tuple[int, str]:
    """The last record with a draw worth showing, and the seat that is awaited at the end."""
    record = Record.load((example.folder / "game.jsonl").read_bytes().splitlines())
    seqs = [line.seq for line in record.lines if example.draw in line.raw]
    if record.waiting is None or not seqs:
        raise SystemExit("this seed shows too little; choose another")
    return seqs[-1], str(record.waiting["seat"])


def run(games: list[str]) -> None:
    """Play, collect, write; all examples unless some are named."""
    for example in EXAMPLES:
        if games and example.game not in games:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            play(example, Path(scratch) / "demo")
            collect(Path(scratch) / "demo", example.folder)
        (example.folder / "README.md").write_text(readme(example), encoding="utf-8")
        sys.stdout.write(f"wrote {example.folder}\n")


if __name__ == "__main__":
    run(sys.argv[1:])
