"""The list of packages in ARCHITECTURE.md, from the import contracts: ``python -m tests.docs.house`` writes it.

A layer is one of the contracts of ``pyproject.toml`` that cover a whole package, one within the other; what is said of
a package is the first sentence of its docstring.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
MAP: Final = ROOT / "ARCHITECTURE.md"
WIDTH: Final = 120
BEGIN, END = "<!-- layers -->", "<!-- /layers -->"


def floors() -> list[list[str]]:
    """The floors from the top, each with its rooms: a package that has floors of its own stands as these."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    inner = {
        contract["containers"][0]: contract["layers"]
        for contract in contracts
        if contract["type"] == "layers" and contract.get("exhaustive")
    }
    found: list[list[str]] = []
    for layer in inner["pbem"]:
        rooms = [room.strip() for room in re.split("[|:]", layer)]
        whole = [room for room in rooms if f"pbem.{room}" not in inner]
        found += [
            [f"{room}.{part.strip()}" for part in re.split("[|:]", below)]
            for room in rooms
            for below in inner.get(f"pbem.{room}", ())
        ]
        found += [whole] if whole else []
    return found


def source_of(room: str) -> Path:
    """The file whose docstring speaks for ``room``."""
    folder = ROOT / "pbem" / room.replace(".", "/")
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


def says(room: str) -> str:
    """The first sentence of a room's docstring, without the sections it cites."""
    text = ast.get_docstring(ast.parse(source_of(room).read_text(encoding="utf-8"))) or ""
    first = re.sub(r"\s*\([^)]*\u00a7[^)]*\)", "", " ".join(text.split("\n\n")[0].split()))
    return re.split(r"(?<=[.])\s", first.replace("``", ""))[0]


def drawing() -> str:
    """A line for each package, the top layer first, with the number of its layer from below."""
    layers = floors()
    assert layers
    lines = []
    for number, layer in zip(range(len(layers), 0, -1), layers, strict=True):
        for package in layer:
            text = says(package)
            space = WIDTH - 22
            lines.append(
                f"{number:2} {package:18} {text if len(text) <= space else text[: space - 1].rstrip() + '…'}"
            )
    return "\n".join(lines)


def with_drawing(text: str) -> str:
    """The text of the map with the drawing as it is now."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n```\n{drawing()}\n```\n{END}{after}"


if __name__ == "__main__":
    MAP.write_text(with_drawing(MAP.read_text(encoding="utf-8")), encoding="utf-8")
