"""The list of packages in ARCHITECTURE.md, from the import contracts: ``python -m tests.docs.layers`` writes it.

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


def layers() -> list[list[str]]:
    """The layers from the top, each with its packages: a package that has layers of its own stands as these."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    inner = {
        contract["containers"][0]: contract["layers"]
        for contract in contracts
        if contract["type"] == "layers" and contract.get("exhaustive")
    }
    layers: list[list[str]] = []
    for layer in inner["pbem"]:
        packages = [package.strip() for package in re.split("[|:]", layer)]
        whole = [package for package in packages if f"pbem.{package}" not in inner]
        layers += [
            [f"{package}.{part.strip()}" for part in re.split("[|:]", below)]
            for package in packages
            for below in inner.get(f"pbem.{package}", ())
        ]
        layers += [whole] if whole else []
    return layers


def source_of(package: str) -> Path:
    """The file whose docstring describes ``package``."""
    folder = ROOT / "pbem" / package.replace(".", "/")
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


def says(package: str) -> str:
    """The first sentence of a package's docstring, without the sections it cites."""
    text = ast.get_docstring(ast.parse(source_of(package).read_text(encoding="utf-8"))) or ""
    first = re.sub(r"\s*\([^)]*\u00a7[^)]*\)", "", " ".join(text.split("\n\n")[0].split()))
    return re.split(r"(?<=[.])\s", first.replace("``", ""))[0]


def drawing() -> str:
    """A line for each package, the top layer first, with the number of its layer from below."""
    rows = layers()
    assert rows
    lines = []
    for number, layer in zip(range(len(rows), 0, -1), rows, strict=True):
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
