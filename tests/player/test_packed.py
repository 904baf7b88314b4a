"""A copy of the game file that is begun and fed by records as long emails bring them: packed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.player.seat import find_copy, read_lines
from pbem.protocol.record.line import pack_lines

LINES = (
    (Path(__file__).parents[2] / "examples" / "wyatt-earp" / "game.jsonl")
    .read_bytes()
    .splitlines(keepends=True)
)


def put(folder: Path, first: int, last: int) -> tuple[Path, bytes]:
    """Records ``first`` to ``last`` as their owner saved them from an email."""
    packed = pack_lines(b"".join(LINES[first : last + 1]))
    path = folder / f"game-x-{first}-{last}.jsonl.gz"
    path.write_bytes(packed)
    return path, packed


def test_packed_records_begin_a_copy_and_stay_as_they_are(tmp_path: Path) -> None:
    path, packed = put(tmp_path, 0, 9)
    copy = find_copy(path)
    assert len(copy.record.lines) == 10
    assert (tmp_path / "game.jsonl").read_bytes() == b"".join(LINES[:10])
    assert path.read_bytes() == packed


def test_packed_records_continue_the_copy_beside_them(tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_bytes(b"".join(LINES[:5]))
    path, _ = put(tmp_path, 3, 12)
    put(tmp_path, 13, 20)
    assert len(find_copy(path).record.lines) == 13
    assert len(find_copy(tmp_path).record.lines) == 21


def test_packed_records_are_read_whole_or_refused(tmp_path: Path) -> None:
    path, packed = put(tmp_path, 0, 9)
    assert read_lines(path) == tuple(line.rstrip(b"\n") for line in LINES[:10])
    path.write_bytes(packed[:-5])
    with pytest.raises(UsageProblem, match="cannot be unpacked"):
        read_lines(path)
