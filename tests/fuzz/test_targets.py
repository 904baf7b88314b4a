"""Every target on its seeds, on seeds changed by hypothesis, on any bytes, and on what once broke something."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz import edits, seeds
from tests.fuzz.targets import NAME, TARGETS

CASES = sorted((Path(__file__).parent / "cases").iterdir())
EXAMPLES = {"signed": 60, "damaged": 60, "game": 40, "intake": 60, "identity": 60}
_settings = settings(deadline=None, suppress_health_check=list(HealthCheck))


@cache
def corpus(target: str) -> list[bytes]:
    return seeds.of(target)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_what_once_broke_something_does_not_any_more(path: Path) -> None:
    name = NAME.fullmatch(path.name)
    assert name is not None, "a case is called TARGET.HASH"
    TARGETS[name["target"]](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_the_seeds_break_nothing(target: str) -> None:
    assert corpus(target)
    for data in corpus(target):
        TARGETS[target](data)


@pytest.mark.parametrize("target", TARGETS)
def test_changed_seeds_break_nothing(target: str) -> None:
    """A seed with a few pieces replaced."""

    @settings(_settings, max_examples=EXAMPLES.get(target, 150))
    @given(st.sampled_from(corpus(target)), st.binary(min_size=5, max_size=40))
    def change(seed: bytes, data: bytes) -> None:
        TARGETS[target](edits.spliced(seed, data))

    change()


@pytest.mark.parametrize("target", TARGETS)
def test_any_bytes_break_nothing(target: str) -> None:
    @settings(_settings, max_examples=EXAMPLES.get(target, 150))
    @given(st.binary(max_size=300))
    def throw(data: bytes) -> None:
        TARGETS[target](data)

    throw()


@pytest.mark.slow
@pytest.mark.parametrize("target", ["intake"])
def test_a_slice_of_the_coverage_guided_campaign(target: str, tmp_path: Path) -> None:
    """Two seconds, at the reader of mail, of what ``python -m tests.fuzz all`` does for minutes."""
    pytest.importorskip("atheris", reason="atheris has no wheel for this Python: the tests above stand alone")
    from tests.fuzz.__main__ import fuzz

    row = fuzz(target, 2, tmp_path)
    assert row.endswith("| nothing |"), row
