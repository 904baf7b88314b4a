"""What can be said of a release without building it; ``python -m tests.release`` builds and tries it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

from tests.release.parts import ROOT, foreign, pythons, sums, supported, with_addresses


def test_the_pythons_that_are_named_begin_with_the_oldest_that_is_allowed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={supported()[0]}"
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert pythons().get(here) or here not in supported()


def test_a_licence_that_nobody_looked_at_is_found() -> None:
    known = [{"Name": "a", "License": "MIT"}, {"Name": "b", "License": "Secret; BSD License"}]
    assert foreign(known) == {}
    assert foreign([*known, {"Name": "c", "License": "AGPL-3.0"}]) == {"c": "AGPL-3.0"}


def test_sums_are_of_every_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert sums(tmp_path) == {"a": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}


def test_a_release_names_the_addresses_that_its_publisher_gives_and_the_repository_names_none(
    tmp_path: Path,
) -> None:
    ours = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert with_addresses(ours, []) == ours
    given = ["Source=https://example.org/pbem.git", "Issue tracker=https://example.org/pbem/issues"]
    (tmp_path / "pyproject.toml").write_text(with_addresses(ours, given), encoding="utf-8")
    metadata = ProjectMetadata(str(tmp_path), PluginManager())
    assert metadata.core.urls == dict(pair.split("=") for pair in given)
    for wrong in (
        "https://example.org",
        "Source=http://example.org",
        'Source=https://example.org/"',
        "=https://a.b",
    ):
        with pytest.raises(SystemExit, match="expected for example Source="):
            with_addresses(ours, [wrong])
    with pytest.raises(SystemExit, match="the same label"):
        with_addresses(ours, [given[0], given[0]])
    with pytest.raises(SystemExit, match="already"):
        with_addresses(with_addresses(ours, given), given)


def test_every_dependency_has_a_lower_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [dependency for dependency in project["dependencies"] if ">=" not in dependency] == []
