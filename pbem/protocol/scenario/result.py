"""What came of a scenario, for a person (one line) and for a program (JSON)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.protocol.scenario.mismatch import Mismatch, one_line


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """One scenario's answer; ``difference`` is the first one, None if there is none."""

    title: str
    game: str
    rules: tuple[str, ...]
    place: str
    """Its file, with ``#2`` behind it for the second of a list; empty if it came from no file."""
    difference: Mismatch | None

    @property
    def ok(self) -> bool:
        """Whether the engine did all that the scenario says."""
        return self.difference is None

    def line(self) -> str:
        """``ok   place: title`` or ``FAIL place: title: where: expected …, got …``."""
        name = one_line(": ".join(part for part in (self.place, self.title) if part)) or "scenario"
        return f"ok   {name}" if self.difference is None else f"FAIL {name}: {one_line(str(self.difference))}"

    def to_json(self) -> JsonObject:
        """The result as JSON; ``difference`` only if there is one."""
        told: JsonObject = {
            "ok": self.ok,
            "title": self.title,
            "game": self.game,
            "rules": list(self.rules),
            "place": self.place,
        }
        if self.difference is not None:
            difference = self.difference
            told["difference"] = {
                "where": difference.where,
                "expected": difference.expected,
                "got": difference.got,
            }
        return told


def summary(results: Sequence[ScenarioResult]) -> str:
    """The plain last line."""
    passed = sum(result.ok for result in results)
    return f"{passed} passed, {len(results) - passed} failed"


def results_to_json(results: Sequence[ScenarioResult]) -> JsonObject:
    """What ``pbem scenario run --json`` prints."""
    passed = sum(result.ok for result in results)
    listed = [result.to_json() for result in results]
    return {"passed": passed, "failed": len(results) - passed, "results": listed}
