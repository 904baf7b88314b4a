"""What the commits under each number did to the size of ``pbem/``: ``python -m tests.own_size [SINCE]``.

A commit's number stands in the trailer at its end. Each changed module is measured before and after it,
as ``tests.size`` measures, so that a module that only moves counts for nothing. What a merge decided is its own row.
The last line counts what is written elsewhere: templates, JSON, JavaScript, and Python outside ``pbem/``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache

from tests.size import AIMS, BEFORE, ROOT, measured, record_kinds

FIRST = "6c868bd0"
OURS = "27"
"""The number whose aims ``tests.size`` names."""
NOBODY = "no number"
ELSEWHERE = re.compile(r"(?!pbem/.*\.py$)(templates/(?!.*\.pot?$).+|.+\.(py|json|m?js|ts|css|html|j2))")
GROWTH = 1_000
"""By how many lines everything elsewhere may grow for the sake of fewer in ``pbem/``."""
_COMMIT = "@%(trailers:key=Issue,valueonly,separator=%x2C)"
_MOVED = re.compile(r"\{[^{}]* => ([^{}]*)\}|.* => (.*)")
_NO_BLOB = "0" * 40
_KINDS = record_kinds(ROOT)


def git(*words: str) -> str:
    """What git prints."""
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


@cache
def counts(blob: str, path: str) -> Counter[str]:
    """The counts of one version of a module, by the names of ``AIMS``."""
    if blob == _NO_BLOB:
        return Counter()
    source = git("cat-file", "blob", blob)
    try:
        measures = measured(path.removeprefix("pbem/"), source, _KINDS)
    except SyntaxError:  # committed with the marks of a conflict, and fixed by the next commit
        print(f"not counted: {path} of {blob[:8]} is no Python", file=sys.stderr)
        return Counter({"lines": source.count("\n"), "modules": 1})
    return Counter(
        {
            "lines": measures.lines,
            "lines of code": measures.code,
            "modules": 1,
            "modules naming two kinds of record": int(len(measures.kinds) > 1),
            "imports inside functions": measures.inner_imports,
        }
    )


def change(raw: str) -> Counter[str]:
    """The difference that a raw diff makes."""
    changes: Counter[str] = Counter()
    for line in raw.splitlines():
        meta, path = line.split("\t", 1)
        _, _, before, after, _ = meta.split()
        changes.update(counts(after, path))
        changes.subtract(counts(before, path))
    return changes


def elsewhere(since: str) -> Counter[str]:
    """How many lines each number's commits added to what is not ``pbem/*.py``; a file that moves counts for nothing."""
    grown: Counter[str] = Counter()
    issue = NOBODY
    for line in git(
        "log", "--no-merges", "-M", "--numstat", f"--format={_COMMIT}", f"{since}..HEAD"
    ).splitlines():
        if line.startswith("@"):
            issue = line[1:].strip() or NOBODY
        elif line and not line.startswith("-"):
            more, fewer, path = line.split("\t", 2)
            if ELSEWHERE.fullmatch(_MOVED.sub(r"\1\2", path).replace("//", "/")):
                grown[issue] += int(more) - int(fewer)
    return grown


def main(since: str) -> None:
    """Print the table."""
    files = ("--raw", "--no-renames", "--no-abbrev", "--", "pbem/*.py")
    by_issue: dict[str, Counter[str]] = defaultdict(Counter)
    whole = change(git("diff", since, "HEAD", *files))
    for line in git(
        "log", "--no-merges", "--format=%H %(trailers:key=Issue,valueonly,separator=%x2C)", f"{since}..HEAD"
    ).splitlines():
        commit, _, issue = line.partition(" ")
        change_counts = change(git("diff-tree", "-r", "--no-commit-id", *files[:3], commit, *files[3:]))
        by_issue[issue or NOBODY].update(change_counts)
    for change_counts in list(by_issue.values()):
        whole.subtract(change_counts)
    by_issue[NOBODY].update(whole)
    names = list(by_issue[OURS] or AIMS)
    print(f"{'':38}{since:>10}" + "".join(f"{issue[:10]:>11}" for issue in sorted(by_issue)) + f"{'aim':>9}")
    for name in names:
        own = BEFORE[name] + by_issue[OURS][name]
        cells = "".join(f"{by_issue[issue][name]:>+11}" for issue in sorted(by_issue))
        print(f"{name:38}{BEFORE[name]:>10}{cells}{AIMS[name]:>9}   by {OURS} alone: {own}")
    others = elsewhere(since)
    cells = "".join(f"{others[issue]:>+11}" for issue in sorted(by_issue))
    print(f"{'lines elsewhere':38}{'':>10}{cells}{GROWTH:>+9}   by {OURS} alone: {others[OURS]:+}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else FIRST)
