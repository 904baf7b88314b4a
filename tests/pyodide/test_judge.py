"""What this Python accepts, the page's accepts, byte for byte; what it refuses is refused in the same words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.pyodide.asked import PARTS, Part
from tests.pyodide.page import Page, differences, node_or_skip
from tests.pyodide.questions import ask

MOST_SECONDS = 60
"""Processor time of the process in all; a wide limit on a busy machine."""


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """One process for all questions."""
    started = Page(node_or_skip())
    yield started
    started.close()


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_the_page_says_what_we_say(page: Page, part: Part) -> None:
    asked = 0
    for name, question, given in part(everything=False):
        assert differences(ask(question, *given), page.ask(question, *given)) == [], name
        asked += 1
    assert asked >= 5
    assert page.seconds < MOST_SECONDS * 3


def test_another_answer_would_be_noticed(page: Page) -> None:
    (difference, *_) = differences(ask("read", "line", ["e30"]), page.ask("read", "line", ["ezE"]))
    assert "not JSON" in difference
