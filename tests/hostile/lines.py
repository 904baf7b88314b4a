"""``python -m tests.hostile.lines COMMIT...``: lines of gate, ruling, shapes and readers at these commits, as a table.

Every line of the files counts, comments and blank ones too. A file that a commit does not have counts nothing, so a
row names the files of all times.
"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Final

FILES: Final = {
    "gate": r"pbem/(\w+/)?(mail/(gate|intake|content|markup|mending|look|boxes)|audit/pieces)\.py",
    "ruling": r"pbem/(\w+/)?(record/(judge|verifier)|referee/(receive|turn)|(player|seat)/check)\.py",
    "shapes": r"pbem/(\w+/)?(shapes/\w+|record/(game_form|kinds|shape)|formats/(compiled|schema))\.py",
    "games": (
        r"pbem/games/\w+/(action_json|position_json|actions|table_json|view_json|position|orders|order_facts)\.py"
    ),
    "options and board": r"pbem/games/(\w+/options|way_out_west/board(_check)?)\.py",
    "deadlines": r"pbem/(\w+/)?record/deadlines/(__init__|calendar)\.py",
}
"""What a row counts: a pattern of whole paths."""


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def lines(commit: str) -> dict[str, int]:
    """Lines of every row at a commit."""
    names = _git("ls-tree", "-r", "--name-only", commit, "--", "pbem").splitlines()
    return {
        row: sum(
            _git("show", f"{commit}:{name}").count("\n") for name in names if re.fullmatch(pattern, name)
        )
        for row, pattern in FILES.items()
    }


def main() -> None:
    """Print the table."""
    commits = sys.argv[1:] or ["HEAD"]
    columns = [lines(commit) for commit in commits]
    print("\n".join([f"| | {' | '.join(commits)} |", "|---|" + "--:|" * len(commits)]))
    for row in FILES:
        print(f"| {row} | {' | '.join(f'{column[row]:,}' for column in columns)} |")


if __name__ == "__main__":
    main()
