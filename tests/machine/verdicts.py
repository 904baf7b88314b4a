"""What walks left, judged as files: the second verifier and the audit must both find nothing, and say the same."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.verifier.node import verify_all
from tests.verifier.side_by_side import BATCH, Row

WHOLE = 8
"""Of so many files one is compared in all that both say of it; of the others the second verifier's verdict is enough,
since a stranger has read them line by line while they were walked."""


@dataclass
class Judged:
    """Collects the files of walks, and puts many at once to one node process."""

    row: Row = field(default_factory=lambda: Row("walks", True))
    waiting: dict[str, list[bytes]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    size: int = 0
    count: int = 0

    def take(self, name: str, lines: list[bytes]) -> None:
        """One walk's file; it is judged when enough have come, or at the end."""
        self.waiting[f"{self.count}: {name}"] = lines
        self.count += 1
        self.size += sum(map(len, lines))
        if self.size > BATCH:
            self.judge()

    def judge(self) -> list[str]:
        """Judge what has come; everything that was found, since all files are an honest host's."""
        reports = verify_all(self.waiting) if self.waiting else {}
        for number, (name, lines) in enumerate(self.waiting.items()):
            report = reports[name]
            if not report["ok"] or report["records"] != len(lines):
                self.faults.append(f"{name}: the second verifier finds {report['faults'][:2]}")
            if number % WHOLE == 0:
                self.row.judge(name, lines, report)
        self.waiting, self.size = {}, 0
        return [*self.faults, *self.row.apart, *self.row.only_engine]
