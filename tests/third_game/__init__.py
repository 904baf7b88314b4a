"""``examples/third-game``: where it lies, and what an installation says of it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parents[2] / "examples/third-game"


def installed_in(site: Path) -> None:
    """Let ``site``, a folder for the module path, say of the package what an installation says."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = project["entry-points"]["pbem.games"]
    (info / "entry_points.txt").write_text(
        "[pbem.games]\n" + "".join(f"{k} = {v}\n" for k, v in points.items())
    )
