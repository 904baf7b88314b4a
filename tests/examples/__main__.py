"""Make the examples again: ``make examples`` plays a short match and writes the README with real output.

Nothing in ``examples/wyatt-earp`` is written by hand. The keys in it are TEST keys: they follow from a seed that
stands below, so never use them for a match.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from pbem.cli import main
from pbem.demo import Demo, SeededEntropy, StepClock

HERE = Path(__file__).resolve().parents[2] / "examples"
SEED = "TEST example"
START = "2026-11-21T18:00:00Z"
INTRODUCTION = """# The first hand of a match of Wyatt Earp

Two computer players, far from 25,000 dollars. `make examples` plays it and writes this page; a test runs every command
below in a copy of this folder and compares what it prints (of pictures, the lines above them). `game.jsonl` is the
match as everybody has it, `files/` what each player signed, `keys/` three TEST identities (their passphrase lies
beside them; they protect nothing)."""
KEYS = "--home keys --passphrase-file keys/passphrase"


def play(folder: Path) -> None:
    """The first hand of a match of two, and the deal of the second."""
    Demo("wyatt-earp", 2, folder, StepClock(START), lambda name: SeededEntropy(SEED, name), closes=1).run()


def collect(demo: Path, example: Path) -> None:
    """Keep the game file, the players' files and the TEST keys."""
    shutil.rmtree(example, ignore_errors=True)
    (example / "keys" / "identities").mkdir(parents=True)
    shutil.copy(demo / "game.jsonl", example / "game.jsonl")
    shutil.copy(demo / "home" / "passphrase", example / "keys" / "passphrase")
    shutil.copy(demo / "home" / "identities" / "host.json", example / "keys" / "identities")
    for player in sorted((demo / "players").iterdir()):
        shutil.copy(player / "home" / "identities" / f"{player.name}.json", example / "keys" / "identities")
        files = example / "files" / player.name
        files.mkdir(parents=True)
        for sent in sorted((player / "sent").glob("0*.json")):
            number, _, kind, _ = sent.name.split("-")
            shutil.copy(sent, files / f"{int(number):02}-{kind}.json")


def commands(first_shot: int, seat: str) -> list[tuple[str, str]]:
    """What the README shows: a sentence and a command each."""
    return [
        ("Does every record hold?", "pbem verify game.jsonl"),
        ("Is every card proven, and who was lucky?", "pbem audit game.jsonl"),
        ("How to check one shot by hand", f"pbem verify game.jsonl --card {first_shot}"),
        ("What everybody sees", "pbem show game.jsonl --public"),
        (
            f"What {seat} sees: the same table, and the opened hand",
            f"pbem show game.jsonl --id {seat} {KEYS}",
        ),
        (
            "A look back, at the record of that shot",
            f"pbem show game.jsonl --at {first_shot} --id anna {KEYS}",
        ),
        ("What may be done now", f"pbem legal game.jsonl --id {seat} {KEYS}"),
        ("Sign the next turn", f"pbem turn game.jsonl draw supply -o turn.json --id {seat} {KEYS}"),
        ("Check it as the host will", f"pbem check turn.json --game game.jsonl --id {seat} {KEYS}"),
        ("What is this file?", "pbem inspect files/anna/00-join.json"),
    ]


def output_of(command: str) -> tuple[int, str]:
    """Exit code and standard output of a command line."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            main(shlex.split(command)[1:])
        except SystemExit as ended:
            code = int(ended.code or 0)
    out.seek(0)
    return code, out.read()


def readme(example: Path) -> str:
    """The README, with what the commands print in a copy of the example."""
    first_shot, seat = _facts(example)
    parts = [INTRODUCTION]
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "example"
        shutil.copytree(example, copy)
        before = Path.cwd()
        os.chdir(copy)
        try:
            for sentence, command in commands(first_shot, seat):
                code, out = output_of(command)
                if code:
                    raise SystemExit(f"{command}: exit code {code}")
                parts.append(f"## {sentence}\n\n```console\n$ {command}\n{out}```")
        finally:
            os.chdir(before)
    return "\n\n".join(parts) + "\n"


def _facts(example: Path) -> tuple[int, str]:
    """The record of the first shot, and the seat that is awaited at the end."""
    from pbem.record import Record

    record = Record.load((example / "game.jsonl").read_bytes().splitlines())
    shots = [line.seq for line in record.lines if b'"event":"shot"' in line.raw]
    if record.waiting is None or not shots:
        raise SystemExit("this seed shows too little; choose another")
    return shots[0], str(record.waiting["seat"])


def run() -> None:
    """Play, collect, write."""
    example = HERE / "wyatt-earp"
    with tempfile.TemporaryDirectory() as scratch:
        play(Path(scratch) / "demo")
        collect(Path(scratch) / "demo", example)
    (example / "README.md").write_text(readme(example), encoding="utf-8")
    sys.stdout.write(f"wrote {example}\n")


if __name__ == "__main__":
    run()
