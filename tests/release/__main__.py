"""``python -m tests.release [--out DIR] [--url LABEL=ADDRESS]…``: builds the release, twice, and tries it.

1. sdist and wheel are built two times, with the time of the last commit; both times must give the same bytes.
   The browser page is built from its locked parts into both, with the licences of what it ships. The address that
   emails link to is said; one that is no page's address stops it. Where the project is, the publisher says
   (``--url``): the packages name these addresses, and none without them.
2. The wheel goes into an empty environment for every Python that ``pyproject.toml`` names and that is here, and plays
   a whole match there, by mail, with audit; its page is served and checked, without node. A Python that is not here
   is said, not passed over.
3. The same with the oldest libraries that the lower bounds allow (``uv --resolution lowest-direct``).
4. All licences of what a player installs are looked at; what is not on the list stops it.
5. A bill of materials (CycloneDX), the licences and the checksums of all files are written beside the packages.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pbem.base.resources import PAGE
from pbem.web.check import address_of
from tests.release.parts import LICENCES, ROOT, foreign, pythons, sums, with_addresses

_BIN = Path(sys.executable).parent


def run(*command: str | Path, cwd: Path = ROOT, **more: str) -> str:
    """A program that must succeed; what it printed."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd, env={**os.environ, **more}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(folder: Path, addresses: Sequence[str]) -> dict[str, str]:
    """Packages of the last commit, from a clean copy of it with the project's addresses; their checksums by name."""
    epoch = run("git", "log", "-1", "--format=%ct").strip()
    copy = folder / "source"
    copy.mkdir(parents=True)
    archive = folder / "source.tar"
    run("git", "archive", "--output", archive, "HEAD")
    run("tar", "-xf", archive, "-C", copy)
    project = copy / "pyproject.toml"
    project.write_text(with_addresses(project.read_text(encoding="utf-8"), addresses), encoding="utf-8")
    web = copy / "pbem/web"
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", cwd=web)
    (web / "built").mkdir()
    page_file = web / "built/page.zip"
    run(sys.executable, "-m", "pbem", "web", "build", folder / "page", "--archive", page_file, cwd=copy)
    shutil.copy(folder / "page/LICENSES.txt", web / "built")
    out = folder / "dist"
    run(
        sys.executable, "-m", "build", "--no-isolation", "--outdir", out, copy,
        SOURCE_DATE_EPOCH=epoch,
    )  # fmt: skip
    return sums(out)


def play(python: Path, folder: Path) -> str:
    """A whole match with what is installed for this Python; the sentence that its audit ends with."""
    result = run(
        python, "-I", "-m", "pbem", "demo", "--game", "wyatt-earp", "--seats", "2", "--seed", "1",
        "--out", folder / "match", cwd=folder,
    )  # fmt: skip
    return next(line for line in result.splitlines() if line.startswith("Draws:"))


def page(python: Path, folder: Path) -> str:
    """Serves the page that came with what is installed, and checks it there; what the check said."""
    served = subprocess.Popen(
        [python, "-I", "-m", "pbem", "web", "serve", "--port", "0"],
        cwd=folder, stderr=subprocess.PIPE, text=True, env={"HOME": str(folder)},
    )  # fmt: skip
    try:
        assert served.stderr is not None
        line = served.stderr.readline()
        url = line.split()[-1] if line else ""
        return (
            run(python, "-I", "-m", "pbem", "web", "check", url, cwd=folder).replace("\n", ", ").strip(", ")
        )
    finally:
        served.terminate()
        served.communicate()


def environment(folder: Path, python: str, wheel: Path, *more: str) -> Path:
    """An empty environment with the wheel and what it needs; its Python."""
    run(_BIN / "uv", "venv", "--quiet", "--python", python, folder)
    inside = folder / "bin/python"
    run(_BIN / "uv", "pip", "install", "--quiet", "--python", inside, *more, wheel)
    return inside


def address() -> str:
    """What is to be said of the address that emails of this release link to."""
    if not PAGE:
        return "none: letters carry the link's end only (CONTRIBUTING.md, The page's address)"
    if not PAGE.startswith("https://") or address_of(PAGE) != PAGE:
        raise SystemExit(
            f"PAGE in pbem/base/resources.py is {PAGE!r}, expected https://…/ with a slash at its end"
        )
    return f"{PAGE}; try it: pbem web check {PAGE}"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Build the release twice, try it, and say what is in it.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--url", action="append", default=[], help="where the project is: Source=https://…")
    asked = parser.parse_args()
    out: Path = asked.out
    with_addresses(
        (ROOT / "pyproject.toml").read_text(encoding="utf-8"), asked.url
    )  # a false one ends it here
    print(f"the page's address: {address()}")
    print(f"the project's addresses: {', '.join(asked.url) or 'none'}")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        first, second = build(work / "one", asked.url), build(work / "two", asked.url)
        if first != second:
            raise SystemExit(f"two builds differ:\n{first}\n{second}")
        for package, digest in first.items():
            print(f"{digest}  {package}   (twice the same)")
        (wheel,) = (work / "one/dist").glob("*.whl")
        for version, python in pythons().items():
            if python is None:
                print(f"Python {version}: not here, not tried")
                continue
            inside = environment(work / f"py{version}", python, wheel)
            print(f"Python {version}: {play(inside, work / f'py{version}')}")
            print(f"Python {version}, its page: {page(inside, work / f'py{version}')}")
        oldest = environment(work / "oldest", sys.executable, wheel, "--resolution", "lowest-direct")
        print(f"oldest libraries: {play(oldest, work / 'oldest')}")
        newest = environment(work / "newest", sys.executable, wheel)
        licences = json.loads(
            run(_BIN / "pip-licenses", "--python", newest, "--format", "json", "--with-system", "--with-urls")
        )
        strange = foreign(licences)
        if strange:
            raise SystemExit(f"licences that nobody has looked at: {strange}; known are {sorted(LICENCES)}")
        print(f"licences: {len(licences)} packages, each known")
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(work / "one/dist", out)
        bill = out / f"{wheel.name.rsplit('-', 3)[0]}.cdx.json"
        run(_BIN / "cyclonedx-py", "environment", newest, "--output-reproducible", "--output-file", bill)
        (out / "LICENCES.json").write_text(json.dumps(licences, indent=1) + "\n", encoding="utf-8")
        lines = [f"{digest}  {package}\n" for package, digest in sums(out).items()]
        (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    print(f"{len(lines)} files and SHA256SUMS in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
