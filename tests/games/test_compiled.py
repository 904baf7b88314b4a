"""What the optional wheel compiles: modules that are there, and none that the compiler would break."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from pbem.base import values
from tests.games.compiled import ROOT


def test_no_module_with_a_protocol_of_run_time_is_compiled() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hook = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"]
    assert hook["enable-by-default"] is False
    for name in hook["include"]:
        text = (ROOT / name.lstrip("/")).read_text(encoding="utf-8")
        assert not re.search(r"^@runtime_checkable", text, re.MULTILINE), name  # none when compiled


def test_a_class_that_is_compiled_already_keeps_its_slots_and_is_carried_like_ours() -> None:
    class Native:
        """Stands for a compiled class: it is marked, and says itself where its members are."""

        __slots__ = ("name", "size")
        __mypyc_attrs__ = ("name", "size")
        __annotations__ = {"name": "str", "size": "int"}

    native: Any = Native
    made: Any = values.dataclass(frozen=True, slots=True, order=True)(native)
    assert made is native  # another class would not be the one that compiled code makes
    value = made("card", 2)
    assert value == made("card", 2) < made("card", 3)
    other = made.__new__(made)
    other.__setstate__(value.__getstate__())
    assert hash(other) == hash(value)
