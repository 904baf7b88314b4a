"""``python -m tests.errors`` writes the golden files, and the page of what a newcomer meets, ``examples/errors.md``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pbem.games import game_ids
from tests import one_time_keys
from tests.errors import findings, host_calls
from tests.errors.browser import BROWSER
from tests.errors.calls import CALLS, said
from tests.errors.foreign import FOREIGN
from tests.errors.host_acts import HOST_ACTS
from tests.errors.host_setup import HostSetup
from tests.errors.judge import refusals
from tests.errors.players import PLAYERS
from tests.errors.refusals import REFUSALS
from tests.errors.rows import GROUPS
from tests.errors.rules import sentences_of
from tests.errors.signing import SIGNING
from tests.errors.stage import Shown, Stage, written

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).parent
PAGE = ROOT / "examples" / "errors.md"
FINDINGS = GOLDEN / "findings.txt"
"""Of the audits of every cheat, which ``tests/verifier/test_cheats.py`` does anyway and compares."""
HEAD = """# Errors that a newcomer meets

What pbem says when a command cannot do what was typed. `error:` is what is wrong, `done:` what was signed or kept
before, `hint:` what helps, `try:` a command to paste. Exit code 2 is a wrong command, file or option, and 3 a
file of another form. 4 is something that does not verify, 5 a move that the rules or the host refuse. 6 is trouble with
the disk or with email. `python -m tests.errors` writes this page by typing every line of it.
"""
GROUPS_OF_CALLS = {**CALLS, **PLAYERS, **BROWSER, **REFUSALS, **HOST_ACTS, **SIGNING, **FOREIGN}
MOST = 8
"""Lines of an answer that the page shows."""


def everything(root: Path) -> dict[str, str]:
    """Each golden file but ``FINDINGS`` by its name, and the page by its path."""
    stage = Stage(root)
    shown = {chapter: list(stage.group(chapter)) for chapter in GROUPS}
    files = {f"{chapter.replace(' ', '-')}.txt": written(iter(rows)) for chapter, rows in shown.items()}
    files["judge.txt"] = refusals(stage)
    files |= {
        f"{chapter.replace(' ', '-')}.txt": said(stage, chapter, calls)
        for chapter, calls in GROUPS_OF_CALLS.items()
    }
    setup = HostSetup(stage)
    files |= setup.files()
    files |= {
        f"{chapter.replace(' ', '-')}.txt": host_calls.said(setup, chapter) for chapter in host_calls.CALLS
    }
    files |= {f"rules-{game}.txt": sentences_of(game) for game in game_ids()}
    files[PAGE.name] = _page(shown)
    return files


def _page(shown: dict[str, list[Shown]]) -> str:
    parts = [HEAD]
    for chapter, rows in shown.items():
        first = [row for row in rows if row.row.first]
        if first:
            parts += [f"## {chapter.capitalize()}\n", "```", "\n\n".join(map(_lines, first)), "```\n"]
    return "\n".join(parts)


def _lines(shown: Shown) -> str:
    said = [line for line in shown.printed.splitlines() if not line.startswith("pbem: ")]
    if any(line.startswith("  try: ") for line in said):  # the command says it in fewer words
        said = [line for line in said if not line.startswith("  hint: ")]
    return "\n".join([shown.row.typed, *said[:MOST]])


def main() -> None:
    """Write them."""
    with tempfile.TemporaryDirectory() as folder, one_time_keys.fixed():
        files = everything(Path(folder).resolve()) | {FINDINGS.name: findings.everything()}
    for name, text in files.items():
        (PAGE if name == PAGE.name else GOLDEN / name).write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(files)} files, {len(files[PAGE.name].split())} words on the page\n")


if __name__ == "__main__":
    main()
