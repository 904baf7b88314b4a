"""What a service says of its work while it works: one stream of events. ``Meter`` counts nothing, others put theirs in.

====================  =======================================================================================
``received``          an email came (``mail``, ``message_id``), or a file by the API (``match``, ``seat``, ``receipt``)
``sorted``            an email was looked at (``mail``, ``message_id``, ``match``, ``state``, ``reason``)
``ruled``             a file was ruled on (``mail``, ``message_id``, ``match``, ``seat``, ``code``)
``sent``              an email left (``letter``, ``message_id``, ``match``, ``seat``)
``not-sent``          an email was refused (the same, and ``text``)
``alarm``             a line of the service's log (``kind``, ``match``, ``text``)
``trouble``           something did not work, and the service goes on (``text``)
====================  =======================================================================================

``match`` is the short name. A fact that an event does not have is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pbem.protocol.crypto.digest import short_id, unb64


class Meter:
    """Notified of everything that happens; what it does must not fail."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """A stage of a round: fetch, sort, time, rule, settle, send, file or let-go."""
        assert name  # noqa: S101 - every stage has one
        yield

    def event(self, name: str, **facts: object) -> None:
        """One thing that happened, with what is known of it."""


def known(**facts: object) -> dict[str, object]:
    """The facts that there are; ``game``, the id of a match, becomes ``match``, its short name."""
    game = facts.pop("game", "")
    match = {"match": short_id(unb64(str(game), 32))} if game else {}
    return match | {name: value for name, value in facts.items() if value != ""}
