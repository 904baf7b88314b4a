"""Write the vectors again: ``python -m tests.vectors.generate``; a test compares them with what lies here.

Everything is made from fixed text, one-time keys too, so the files come out byte for byte the same. ``out`` of a case
is what our code answers, and the second verifier must answer the same; a ``fails`` was written down by hand.
"""

from __future__ import annotations

import json
from pathlib import Path

from pbem.game import JsonObject
from tests.vectors.cases import FILES
from tests.vectors.operations import answer

HERE = Path(__file__).parent


def text_of(name: str) -> str:
    """The file of this name, as it must lie in the folder."""
    about, cases = FILES[name]()
    done: list[JsonObject] = []
    for case in cases:
        out = answer(case["op"], case["in"])
        if "fails" in case and out != {"fails": case["fails"]}:
            raise AssertionError(f"{name}: {case['name']} must fail with {case['fails']}, found {out}")
        if "fails" not in case and "fails" in out:
            raise AssertionError(f"{name}: {case['name']} must hold, found {out}")
        done.append(case if "fails" in case else {**case, "out": out})
    return json.dumps({"about": about, "cases": done}, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write every file."""
    for name in FILES:
        (HERE / f"{name}.json").write_text(text_of(name), encoding="utf-8")


if __name__ == "__main__":
    main()
