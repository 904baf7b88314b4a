"""Tests lie where what they test lies: a folder is called like a package, or the tests' own page explains it."""

from __future__ import annotations

import re

from tests.docs.layers import ROOT
from tests.docs.packages import CONTAINERS, packages

PAGE = (ROOT / "tests/README.md").read_text(encoding="utf-8")
OTHERS = re.search(r"<!-- no package -->\n(.*?)<!-- /no package -->", PAGE, re.DOTALL)


def test_a_folder_of_tests_is_a_package_or_is_explained() -> None:
    assert OTHERS is not None
    matches = re.findall(r"^\| `(\w+)/` \| .{20,} \|$", OTHERS[1], re.MULTILINE)
    tests = ROOT / "tests"
    files = [path.relative_to(tests) for kind in ("py", "json") for path in tests.rglob(f"*.{kind}")]
    folders = {path.parts[0] for path in files if len(path.parts) > 1}
    named = {package.rpartition(".")[2] for package in packages()} - {"service"} | set(CONTAINERS)
    modules = {path.stem for kind in ("*.py", "games/*.py") for path in (ROOT / "pbem").glob(kind)}
    assert sorted(folders - named - modules) == sorted(matches)
