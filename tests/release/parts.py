"""What ``tests.release`` is made of and can be tried without building anything."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]

LICENCES: Final = frozenset(
    {
        "Apache Software License",
        "Apache-2.0",
        "BSD",
        "BSD License",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CNRI-Python",
        "GNU Lesser General Public License v3 or later (LGPLv3+)",
        "HPND",
        "ISC",
        "ISC License (ISCL)",
        "LGPL-3.0-or-later",
        "MIT",
        "MIT License",
        "MIT-0",
        "MIT-CMU",
        "MPL-2.0",
        "Mozilla Public License 2.0 (MPL 2.0)",
        "PSF-2.0",
        "Python Software Foundation License",
        "Python-2.0",
        "Unlicense",
    }
)
"""Licences of libraries that a program under MIT may be installed with; each was looked at."""

READ: Final = {"resvg_py": "MIT"}
"""Packages that only say it in a file, which was read."""


def with_addresses(pyproject: str, addresses: Sequence[str]) -> str:
    """``pyproject.toml`` of a release: with what its publisher says of where the project is, ``Source=https://…`` each.

    The file of the repository names no address, since none would be true for everybody who publishes it.

    Raises:
        SystemExit: one is not LABEL=https://…, a label comes twice, or the file has addresses already.
    """
    if "urls" in tomllib.loads(pyproject)["project"]:
        raise SystemExit("pyproject.toml has [project.urls] already; give them with --url instead")
    if not addresses:
        return pyproject
    matches = [
        re.fullmatch(r"([A-Za-z][A-Za-z ]{0,31})=(https://[^\s\"\\\\]+)", address) for address in addresses
    ]
    for current, given in zip(matches, addresses, strict=True):
        if current is None:
            raise SystemExit(
                f"{given!r} is not an address of the project; expected for example Source=https://…"
            )
    rows = {part[1]: part[2] for part in matches if part is not None}
    if len(rows) < len(addresses):
        raise SystemExit("two addresses of the project have the same label")
    lines = [f'"{label}" = "{address}"' for label, address in rows.items()]
    return pyproject.rstrip("\n") + "\n\n" + "\n".join(["[project.urls]", *lines]) + "\n"


def supported() -> list[str]:
    """The versions of Python that ``pyproject.toml`` names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = (
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", classifier)
        for classifier in project["classifiers"]
    )
    return [match[1] for match in named if match]


def pythons() -> Mapping[str, str | None]:
    """Each of them with its program here, None where there is none that runs."""
    return {version: _runs(f"python{version}") for version in supported()}


def _runs(name: str) -> str | None:
    for folder in (None, *sorted(Path.home().glob(f".pyenv/versions/{name.removeprefix('python')}*/bin"))):
        program = shutil.which(name, path=None if folder is None else str(folder))
        if program and subprocess.run([program, "-c", ""], capture_output=True, check=False).returncode == 0:
            return program
    return None


def foreign(licences: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Packages with a licence that is not on the list; where one of several may be chosen, one is enough."""
    return {
        licence["Name"]: licence["License"]
        for licence in licences
        if not LICENCES.intersection(_choices(licence["License"]))
        and READ.get(licence["Name"]) not in LICENCES
    }


def _choices(text: str) -> set[str]:
    parts = [part.strip() for part in re.split(r";| OR | AND ", text)]
    return {*parts, *(part.strip("()") for part in parts)}


def sums(folder: Path) -> dict[str, str]:
    """SHA-256 of each file of a folder, by name."""
    return {
        path.name: sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.is_file()
    }
