"""A module that was put off loads itself when it is used, and only then."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.base.lazy import put_off

NAMES = ("later_alone", "later_package", "later_package.inner")


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A module and a package that note when they are run."""
    (tmp_path / "later_alone.py").write_text(
        "from later_seen import SEEN\nSEEN.append(__name__)\nVALUE = 3\n"
    )
    (tmp_path / "later_seen.py").write_text("SEEN = []\n")
    (tmp_path / "later_package").mkdir()
    (tmp_path / "later_package" / "__init__.py").write_text("")
    (tmp_path / "later_package" / "inner.py").write_text(
        "from later_seen import SEEN\nSEEN.append(__name__)\nVALUE = 4\n"
    )
    (tmp_path / "later_taking.py").write_text("from later_alone import VALUE as VALUE\n")
    (tmp_path / "later_using.py").write_text("from later_package import inner as inner\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in (*NAMES, "later_seen", "later_taking", "later_using"):
        sys.modules.pop(name, None)


def seen() -> list[str]:
    """What was run until now."""
    modules: list[str] = importlib.import_module("later_seen").SEEN
    return modules


def test_it_is_run_when_it_is_used_and_once() -> None:
    package = importlib.import_module("later_package")
    put_off("later_alone", "later_package.inner")
    alone = importlib.import_module("later_alone")
    inner = importlib.import_module("later_package.inner")
    assert seen() == []
    assert (alone.VALUE, package.inner.VALUE, inner.VALUE) == (3, 4, 4)
    assert seen() == ["later_alone", "later_package.inner"]
    assert importlib.import_module("later_alone").VALUE == 3
    assert alone.VALUE == 3
    assert seen() == ["later_alone", "later_package.inner"]


def test_its_package_need_not_be_loaded() -> None:
    put_off("later_package.inner", "later_package.nothing", "later_alone.inner")
    assert NAMES[1] not in sys.modules
    inner = importlib.import_module("later_using").inner
    assert seen() == []
    assert inner.VALUE == 4
    assert seen() == ["later_package.inner"]
    assert {"later_package.nothing", "later_alone.inner"}.isdisjoint(sys.modules)


def test_a_name_can_be_taken_from_it() -> None:
    put_off("later_alone")
    assert importlib.import_module("later_taking").VALUE == 3
    assert seen() == ["later_alone"]


def test_what_it_does_not_have_is_missing() -> None:
    put_off("later_alone")
    with pytest.raises(AttributeError, match="nothing"):
        _ = importlib.import_module("later_alone").nothing


def test_what_is_loaded_or_not_there_is_left_alone() -> None:
    loaded = importlib.import_module("later_alone")
    put_off("later_alone", "later_nowhere", "later_nowhere.inner")
    assert sys.modules["later_alone"] is loaded
    assert "later_nowhere" not in sys.modules
