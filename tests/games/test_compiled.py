"""What the optional wheel compiles: modules that are there, and none that the compiler would break."""

from __future__ import annotations

import re
import tomllib

from tests.games.compiled import ROOT


def test_only_modules_without_a_dataclass_of_ours_are_compiled() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hook = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"]
    assert hook["enable-by-default"] is False
    for name in hook["include"]:
        text = (ROOT / name.lstrip("/")).read_text(encoding="utf-8")
        assert not re.search(r"^@dataclass", text, re.MULTILINE), name
