"""The aims for the size of ``pbem/`` that are reached stay reached (``python -m tests.size`` prints all of them)."""

from __future__ import annotations

import pytest

from tests.size import LONGEST, ROOT, figures, measured, modules, reached, record_kinds

HELD = ("modules over 600 lines", "imports inside functions", "words of docstrings a function")


def test_what_is_reached_stays_so() -> None:
    all_modules = modules(ROOT)
    now = figures(all_modules)
    lost = {name: now[name] for name in HELD if not reached(name, now[name])}
    assert not lost, [module.path for module in all_modules if module.lines > LONGEST]


SOURCE = '''"""Two words."""

from a import b

KIND = "turn"
"""What a turn is."""


def later() -> None:
    """Load it."""
    from c import d  # a comment

    import_module("e")
    print("""a text
    of two lines""", "turn", "close")


def __getattr__(name: str) -> None: ...


lazily("pbem", {"f": "g", "h": "i"})
'''


def test_the_counts_of_a_module() -> None:
    module = measured("a.py", SOURCE, frozenset({"turn", "close", "open"}))
    assert (module.lines, module.code) == (21, 9)
    assert module.kinds == {"turn", "close"}
    assert module.inner_imports == 5  # an import, a loader, a hook, a table of two
    assert (module.functions, module.words) == (2, 8)


@pytest.mark.parametrize("path", ["cli/lazy_group.py", "cli/other.py"])
def test_only_the_lazy_group_may_load_by_name(path: str) -> None:
    module = measured(path, "def load(name: str) -> None:\n    import_module(name)\n", frozenset())
    assert module.inner_imports == (path != "cli/lazy_group.py")


def test_the_kinds_are_those_of_the_schema() -> None:
    assert {"genesis", "turn", "end"} <= record_kinds(ROOT)
