"""``python -m tests.pyodide [--all] [--log FILE] [PART ...]``: what is asked of both Pythons, and what it took."""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path

from tests.pyodide.asked import PARTS, Part
from tests.pyodide.page import Page, differences, node_or_skip
from tests.pyodide.questions import ask


def ask_part(part: Part, page: Page, *, everything: bool) -> tuple[str, list[str]]:
    """A line about one part, and where the answers differ."""
    asked, here, wrong, before = 0, 0.0, [], page.seconds
    for name, question, given in part(everything=everything):
        begin = time.process_time()
        ours = ask(question, *given)
        here += time.process_time() - begin
        apart = differences(ours, page.ask(question, *given))
        wrong += [f"{name}{difference}" for difference in apart[:3]]
        asked += 1
        print(asked, name, *apart[:1], file=sys.stderr)
    in_page = page.seconds - before
    line = f"{part.__name__}: {asked} questions, {len(wrong)} differences; {here:.1f} s here, {in_page:.1f} s there"
    return line, wrong


def main() -> int:
    """Ask, compare, say."""
    parser = argparse.ArgumentParser(prog="python -m tests.pyodide")
    parser.add_argument("--all", action="store_true", help="everything, not the part of the test command")
    parser.add_argument("--log", type=Path, help="write what is printed behind what stands there")
    parser.add_argument("part", nargs="*", help=", ".join(part.__name__ for part in PARTS))
    options = parser.parse_args()
    page = Page(node_or_skip())
    said = [
        f"Python {platform.python_version()} here, Pyodide {page.version} in node: {page.seconds:.1f} s to begin"
    ]
    failed = False
    for part in PARTS:
        if options.part and part.__name__ not in options.part:
            continue
        line, wrong = ask_part(part, page, everything=options.all)
        said += [line, *wrong]
        failed = failed or bool(wrong)
    page.close()
    text = "\n".join(said) + "\n"
    print(text, end="")
    if options.log:
        with options.log.open("a", encoding="utf-8") as log:
            log.write(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
