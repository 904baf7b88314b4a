"""The table of rows names only what there is."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent


def test_every_test_that_the_table_names_is_there() -> None:
    named = re.findall(r"`((?:\.\./)?[\w/]+\.py)::(\w+)`", (HERE / "README.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    for module, name in named:
        assert re.search(rf"\b{name}\b", (HERE / module).read_text(encoding="utf-8")), (module, name)
