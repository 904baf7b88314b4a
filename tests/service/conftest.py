"""No database of a service stays open behind a module."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.service.fakes import SERVICES


@pytest.fixture(scope="module", autouse=True)
def databases_closed() -> Iterator[None]:
    """Whatever still refers to a service, the next module finds its database closed; it connects again when used."""
    yield
    for service in list(SERVICES):
        with suppress(sqlite3.ProgrammingError):  # another thread has it open
            service.context.database.close()
