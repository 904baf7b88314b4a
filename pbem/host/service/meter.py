"""What a service says of its work while it works: ``Meter`` counts nothing, others put theirs in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Meter:
    """Told of everything that can be counted; what it does must not fail."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """A stage of a round: fetch, sort, time, rule, settle, send, file or let-go."""
        assert name  # noqa: S101 - every stage has one
        yield

    def received(self, count: int) -> None:
        """So many mails came, or files by the door."""

    def sent(self, count: int) -> None:
        """So many letters left."""

    def ruled(self, code: str) -> None:
        """A file was ruled on: ``accepted``, ``held`` …, or the code of its refusal."""

    def trouble(self, words: str) -> None:
        """Something did not work; the service goes on."""
