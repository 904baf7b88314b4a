"""Which game files a folder holds: each match once, by its longest copy."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.player.seat import read_lines
from pbem.player.seat.copy import verified
from pbem.player.store import GAME_FILE, Vouched
from pbem.protocol.record import Record


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that was not counted, and why."""

    path: Path
    why: str


def match_files(path: Path, checkpoints: Vouched | None = None) -> tuple[list[Record], list[LeftOut]]:
    """The verified matches in ``path``: a game file, a match's folder, an email, or a folder of many.

    Of two copies of one match the longer one counts. A file that does not verify is left out, and said so. What the
    user has verified before, as ``checkpoints`` say, is not verified again.

    Raises:
        UsageProblem: there is no match at all.
    """
    if not path.is_dir() or (path / GAME_FILE).is_file():
        return [verified(read_lines(path), checkpoints)[0]], []
    records: dict[bytes, tuple[Path, Record]] = {}
    left: list[LeftOut] = []
    for file in _game_files(path):
        try:
            record, _ = verified(read_lines(file), checkpoints)
        except PbemError as fault:
            left.append(LeftOut(file, str(fault)))
            continue
        known = records.get(record.game)
        if known is None or len(known[1].lines) < len(record.lines):
            records[record.game] = (file, record)
    if not records:
        said = sentence("there is no match file in {path} that could be counted", path=path)
        raise UsageProblem(
            joined((said, left[0].path.name, left[0].why), ": ") if left else said,
            hint=sentence(
                "Name a match file (game.jsonl), a match's folder, or a folder with several of them."
            ),
        )
    pairs = sorted(records.values(), key=lambda pair: (pair[1].lines[0].at, pair[1].game))
    return [record for _, record in pairs], left


def _game_files(folder: Path) -> Iterable[Path]:
    """Every file that begins with a genesis, whatever folder below it lies in."""
    for file in sorted(folder.rglob("*.jsonl")):
        if file.is_file():
            with file.open("rb") as opened:
                if b'"kind":"genesis"' in opened.readline(1 << 20):
                    yield file
