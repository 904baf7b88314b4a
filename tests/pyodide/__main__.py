"""``python -m tests.pyodide [--all] [--log FILE]``: what is asked of both Pythons, and what each took for it."""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections import Counter
from pathlib import Path

from tests.pyodide.asked import questions
from tests.pyodide.page import Page, differences, node_or_skip
from tests.pyodide.questions import ask


def main() -> int:
    """Ask, compare, say."""
    parser = argparse.ArgumentParser(prog="python -m tests.pyodide")
    parser.add_argument("--all", action="store_true", help="everything, not the part of the test command")
    parser.add_argument("--log", type=Path, help="write what is printed here, too")
    options = parser.parse_args()
    page = Page(node_or_skip())
    said = [f"Python {platform.python_version()} here, Pyodide {page.version} in node"]
    said.append(f"{page.seconds:.1f} s of processor time until it answers")
    wrong: list[str] = []
    kinds: Counter[str] = Counter()
    here = there = 0.0
    for name, question, given in questions(everything=options.all):
        begin, before = time.process_time(), page.seconds
        ours = ask(question, *given)
        here += time.process_time() - begin
        found = differences(ours, page.ask(question, *given))
        there += page.seconds - before
        kinds[name.partition(":")[0].partition(" ")[0]] += 1
        wrong += [f"{name}{one}" for one in found[:3]]
        print(sum(kinds.values()), name, file=sys.stderr)
    said.append(
        f"{sum(kinds.values())} questions: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    )
    said.append(f"processor time for the answers: {here:.1f} s here, {there:.1f} s there")
    said += [f"{len(wrong)} differences", *wrong]
    page.close()
    text = "\n".join(said)
    print("\n" + text)
    if options.log:
        options.log.write_text(text + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
