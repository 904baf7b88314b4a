"""A season to be looked at: ``python -m tests.history.season`` writes ``examples/season.md`` and its pictures.

Three matches of each game by the same people, the first place turned by one each time, as ``pbem host again`` does it;
played by computer players, an hour between two files.
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from tests import one_time_keys
from tests.cli.seats import run
from tests.world import World

FOLDER = Path(__file__).resolve().parents[2] / "examples"
PEOPLE = ("anna", "burt", "curt")
TITLES = {"wyatt-earp": "Wyatt Earp", "way-out-west": "Way Out West"}
HEAD = """# A season

Three matches of each game by the same people, the first place turned by one each time (`pbem host again`), in one
folder. `pbem stats FOLDER` adds them up by the players' keys; `--png FILE` draws it. The letter at the end of a match
brings the table of its circle. Made by `python -m tests.golden season`; computer players, an hour between two files.
"""


def write_matches(game: str, folder: Path) -> None:
    """Three matches into a folder."""
    for turned in range(len(PEOPLE)):
        world = World(game, (*PEOPLE[turned:], *PEOPLE[:turned]), seed="season").start()
        world.tick(1)
        while world.move():
            world.tick(1)
        (folder / f"{game}-{turned + 1}.jsonl").write_bytes(b"".join(line + b"\n" for line in world.lines))


def main() -> None:
    """Play, add up, draw, write."""
    pieces = [HEAD]
    for game, title in TITLES.items():
        with tempfile.TemporaryDirectory() as name, one_time_keys.fixed(), contextlib.chdir(name):
            write_matches(game, Path(name))
            result = run("stats", ".", "--lang", "en")
            drawn = run("stats", ".", "--lang", "en", "--png", str(FOLDER / f"season-{game}.png"))
        assert result.code == drawn.code == 0, result.err + drawn.err
        table = f"```\n$ pbem stats .\n{result.out.rstrip()}\n```\n"
        pieces.append(f"\n## {title}\n\n![{title}](season-{game}.png)\n\n{table}")
    (FOLDER / "season.md").write_text("".join(pieces), encoding="utf-8")


if __name__ == "__main__":
    main()
