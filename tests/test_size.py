"""No total of ``tests.size`` grows beyond what is held; what has reached its aim stays there."""

from __future__ import annotations

import pytest

from tests.bench.way import walked
from tests.size import (
    LIMITS,
    ROOT,
    WAY,
    WORDS,
    Limit,
    commands,
    in_a_circle,
    measured,
    modules,
    record_kinds,
    totals,
    words_a_function,
)

RISES: dict[str, dict[str, int]] = {
    "one store, until what looks after an older database is one answer": {
        "modules of a file's way": 5,
        "calls into another module on a file's way": 1_000,
    }
}
"""What a step may add while it runs, by the step's name, since the same step takes it out again."""

HELD = totals(ROOT)


def allowed(name: str) -> float:
    """Return what a total may be now."""
    return {**LIMITS, **WAY}[name].most + sum(step.get(name, 0) for step in RISES.values())


@pytest.mark.parametrize("name", LIMITS)
def test_no_total_grows(name: str) -> None:
    assert HELD[name] <= allowed(name), f"python -m tests.size shows where the {name} are"


def test_docstrings_say_as_much_as_they_did() -> None:
    assert words_a_function(modules(ROOT)) >= WORDS


def test_one_files_way_at_a_service_gets_no_longer() -> None:
    counts = walked().counts()
    assert counts["modules"] <= allowed("modules of a file's way")
    assert counts["calls into another module"] <= allowed("calls into another module on a file's way")


def test_every_total_is_limited() -> None:
    assert HELD.keys() == LIMITS.keys()


def test_a_total_goes_down_to_its_aim_and_stays_there() -> None:
    assert Limit(before=9, held=7, aim=5).most == 7
    assert Limit(before=9, held=4, aim=5).most == 5


SOURCE = '''"""Two words."""

from a import b

# --- a part of it

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
    module = measured("a.py", SOURCE)
    assert (module.lines, module.code, module.banners) == (23, 9, 1)
    assert module.tokens == 4 + 3 + 7 + 4 + 4 + 8 + 11 + 14
    assert module.inner_imports == 5  # an import, a loader, a hook, a table of two
    assert (module.functions, module.words) == (2, 8)


@pytest.mark.parametrize("path", ["cli/lazy_group.py", "cli/other.py"])
def test_only_the_lazy_group_may_load_by_name(path: str) -> None:
    module = measured(path, "def load(name: str) -> None:\n    import_module(name)\n")
    assert module.inner_imports == (path != "cli/lazy_group.py")


def test_the_commands_are_counted_with_their_groups() -> None:
    assert {"play", "host new", "id backup"} <= set(commands())
    assert "host" not in commands()


def test_the_kinds_are_those_of_the_schema() -> None:
    assert {"genesis", "turn", "end"} <= record_kinds(ROOT)


def test_scripts_in_a_circle_are_found() -> None:
    texts = {
        "a.mjs": 'import { b } from "./b.mjs";',
        "b.mjs": 'import {\n  c,\n  d,\n} from "./c.mjs";',
        "c.mjs": 'export { a } from "./a.mjs";',
        "d.mjs": 'import "./a.mjs";\nimport { e } from "./e.mjs";',
        "e.mjs": "",
    }
    assert in_a_circle(texts) == {"a.mjs", "b.mjs", "c.mjs"}
    assert in_a_circle(texts | {"c.mjs": ""}) == set()
