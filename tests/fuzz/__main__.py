"""``python -m tests.fuzz TARGET --seconds N``: a coverage-guided fuzzer (atheris) on one target, or on ``all``.

It starts from the public vectors and golden files (``seeds.py``) and keeps what it finds interesting in ``--corpus``.
Input that breaks something is written to ``tests/fuzz/cases`` and from then on is a test.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CASES = HERE / "cases"
_STAT = re.compile(rb"stat::number_of_executed_units: *(\d+)")
_COVER = re.compile(rb"cov: (\d+) ft: (\d+)")
_PRODUCT = [
    "pbem.protocol.formats",
    "pbem.player.mail",
    "pbem.protocol.record",
    "pbem.protocol.audit",
    "pbem.protocol.crypto",
    "pbem.protocol.draws",
    "pbem.games",
]


def child(target: str, corpus: Path, artifacts: Path, seconds: int, length: int) -> None:
    """The fuzzing process itself: never returns."""
    import atheris

    with atheris.instrument_imports(include=_PRODUCT):
        from tests.fuzz import seeds
        from tests.fuzz.targets import TARGETS

        for data in seeds.of(target)[
            :9
        ]:  # imports what is imported late, and plays the matches that are used
            TARGETS[target](data)
    for data in seeds.of(target):
        (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    arguments = [
        sys.argv[0],
        str(corpus),
        f"-artifact_prefix={artifacts}/",
        f"-max_total_time={seconds}",
        f"-max_len={length}",
        "-timeout=120",
        "-rss_limit_mb=2500",
        "-print_final_stats=1",
        "-verbosity=1",
        "-seed=1",
    ]
    atheris.Setup(arguments, TARGETS[target])
    atheris.Fuzz()


def fuzz(target: str, seconds: int, corpus: Path) -> str:
    """Run one target; a row of the table."""
    corpus.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as artifacts:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "tests.fuzz", target, "--child", artifacts),
                *("--seconds", str(seconds), "--corpus", str(corpus)),
            ],
            capture_output=True,
            check=False,
            cwd=HERE.parents[1],
        )
        kept = [
            keep(target, path.read_bytes()) for path in sorted(Path(artifacts).glob("[!s]*"))
        ]  # no slow-unit
    runs = _STAT.search(done.stderr)
    covers = _COVER.findall(done.stderr)
    first, last = (covers[0], covers[-1]) if covers else ((b"0", b"0"), (b"0", b"0"))
    if runs is None and not kept:
        raise RuntimeError(done.stderr.decode("utf-8", "replace")[-3000:])
    if kept:
        sys.stderr.write(
            done.stdout.decode("utf-8", "replace")[-3000:] + done.stderr.decode("utf-8", "replace")[-3000:]
        )
    count = int(runs[1]) if runs else 0
    edges = f"{int(first[0]):,} → {int(last[0]):,}"
    return f"| `{target}` | {seconds} | {count:,} | {edges} | {', '.join(kept) or 'nothing'} |"


def keep(target: str, data: bytes) -> str:
    """Write a case; its name."""
    CASES.mkdir(exist_ok=True)
    path = CASES / f"{target}.{hashlib.sha256(data).hexdigest()[:8]}"
    path.write_bytes(data)
    return path.name


def main() -> int:
    """Fuzz."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--length", type=int, default=4096)
    parser.add_argument("--child", type=Path)
    given = parser.parse_args()
    corpus = given.corpus or Path(tempfile.mkdtemp(prefix="pbem-fuzz-"))
    if given.child:
        child(given.target, corpus, given.child, given.seconds, given.length)
        return 0
    from tests.fuzz.targets import TARGETS

    rows = []
    for target in TARGETS if given.target == "all" else [given.target]:
        rows.append(fuzz(target, given.seconds, corpus / target))
        print(rows[-1], flush=True)
    return 1 if any("nothing" not in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
