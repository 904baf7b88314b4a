"""Faults that this program once had, planted again: each takes one function's sense away while its block lasts."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

from pbem.base.shapes.schema import validate
from pbem.game import Json, JsonObject, Seat
from pbem.protocol.formats import envelopes, strict_json
from pbem.protocol.record import Epoch, Fault, HostOpenings, Line, SealedPart, check_messages, takeover
from pbem.protocol.record.kinds import burn, rekey
from pbem.protocol.record.ledger import Ledger
from tests.machine.walk import Plan

_RESERVED = frozenset({"table", "public", "farmer", "both", "nobody", "supply"})


@contextmanager
def _everywhere(name: str, instead: Callable[..., Any], *modules: str) -> Iterator[None]:
    with ExitStack() as stack:
        for module in modules:
            stack.enter_context(patch(f"pbem.{module}.{name}", instead))
        yield


def deep_content() -> AbstractContextManager[Any]:
    """What is sealed may have any form, and be nested as deep as a file may."""

    def proper(part: str, content: Json, *, bulk: bool = True) -> bool:
        return isinstance(content, list if part == "sealed" else dict)

    return patch.object(envelopes, "proper_content", proper)


def no_budget() -> AbstractContextManager[Any]:
    """Nobody counts what a close will have to open."""

    def enough(ledger: Ledger, body: JsonObject, *, result: bool) -> str:
        return ""

    return _everywhere(
        "over_budget",
        enough,
        "protocol.record.check_messages",
        "protocol.client.compose",
    )


@contextmanager
def small_world() -> Iterator[None]:
    """Lines and the budget have an eighth of their size: so much is sealed sooner."""
    with (
        patch.object(strict_json, "MAX_LINE", strict_json.MAX_LINE // 8),
        patch.object(check_messages, "BUDGET", check_messages.BUDGET // 8),
    ):
        yield


@contextmanager
def no_budget_in_a_small_world() -> Iterator[None]:
    """Both."""
    with small_world(), no_budget():
        yield


def no_budget_for_choices() -> AbstractContextManager[Any]:
    """The last quarter is for nobody."""

    def space(seats: int, body: JsonObject, *, result: bool) -> int:
        return check_messages.BUDGET // seats // 4 * 3

    return patch.object(check_messages, "sealed_budget", space)


def budget_for_everything() -> AbstractContextManager[Any]:
    """The last quarter is for whatever comes."""

    def space(seats: int, body: JsonObject, *, result: bool) -> int:
        return check_messages.BUDGET // seats

    return patch.object(check_messages, "sealed_budget", space)


def one_cache() -> AbstractContextManager[Any]:
    """What the host has opened is cached by seat, number and commitment: not by what it was sealed as."""
    honest = HostOpenings.open

    def remembered(self: HostOpenings, part: SealedPart) -> tuple[bytes, Json]:
        cache = vars(self).setdefault("_opened", {})
        key = (part.seat, part.n, part.sealed["commit"])
        if key not in cache:
            cache[key] = honest(self, part)
        value: tuple[bytes, Json] = cache[key]
        return value

    return patch.object(HostOpenings, "open", remembered)


def no_hold() -> AbstractContextManager[Any]:
    """What the others propose about a seat may be carried out at once."""

    def at_once(ledger: Ledger, seat: Seat, at: str) -> str:
        return at

    return _everywhere("hold_until", at_once, "protocol.record.takeover", "protocol.record.kinds.consent")


def no_first_turn() -> AbstractContextManager[Any]:
    """An invitation takes its seat again for ever."""
    return _everywhere("retake_fault", lambda *_: "", "protocol.record.kinds.retake")


def recovery_at_once() -> AbstractContextManager[Any]:
    """Another recovery key counts as soon as it is named."""

    def at_once(ledger: Ledger, seat: Seat, at: str) -> str:
        return at

    return patch.object(rekey, "takeover", SimpleNamespace(**{**vars(takeover), "hold_until": at_once}))


@contextmanager
def word_to_nobody() -> Iterator[None]:
    """A private word may go to anything that looks like a seat."""

    def lenient(kind: str, file: JsonObject, *more: Any) -> None:
        body = file["body"] if isinstance(file.get("body"), dict) else {}
        if any(isinstance(item, dict) and item.get("to") in _RESERVED for item in body.get("tell", ())):
            file = copy.deepcopy(file)
            del file["body"]["tell"]
        validate(kind, file, *more)

    with (
        patch("pbem.protocol.formats.messages.validate", lenient),
        patch("pbem.protocol.record.check_messages.private_message_fault", lambda *_: ""),
    ):
        yield


def believed_views() -> AbstractContextManager[Any]:
    """What a host says of the table is believed until the close."""
    return patch("pbem.protocol.record.verifier.check_open_play", lambda *_: [])


def closed_in_play() -> AbstractContextManager[Any]:
    """A hand may be closed at any moment, by the host alone."""

    def anything(ledger: Ledger, line: Line) -> Iterator[Fault]:
        return iter(())

    return patch("pbem.protocol.record.kinds.close._check_agreed_end", anything)


def overdue_for_good() -> AbstractContextManager[Any]:
    """A seat that missed its time once counts as overdue for the whole epoch."""
    honest = burn._link_overdue

    def overdue(ledger: Ledger, epoch: Epoch, seat: Seat, at: str) -> bool:
        running = ledger.running
        if running is not None and not ledger.between_epochs and ledger.paused is None:
            return seat in running.defaulted
        return honest(ledger, epoch, seat, at)

    return patch.object(burn, "_link_overdue", overdue)


def left_out_for_good() -> AbstractContextManager[Any]:
    """A deck that was laid without somebody is dealt, whatever they write before."""
    return _everywhere(
        "back_before_deal", lambda _: (), "protocol.record.kinds.burn", "protocol.record.verifier"
    )


@dataclass(frozen=True)
class Planted:
    """One fault: how it is planted, what the machine says of it, and what its walks prefer to do.

    A walk that chooses evenly meets some of these once in a hundred walks. Whether the machine *notices* such a
    fault is what is asked here; so its walks begin and go where the fault shows.
    """

    plant: Callable[[], AbstractContextManager[Any]]
    says: str
    likely: Collection[str]
    begun: Sequence[str] = ("dealt",)
    in_turn: bool = True
    """Whether one exit after each step shows it, as ``test_walks`` has them; else it takes all of them each time."""

    @property
    def plan(self) -> Plan:
        """Its walks."""
        return Plan(likely=self.likely, begun=self.begun, in_turn=self.in_turn)


UNREADABLE = "quarantined|reads record"
PLANTED: Final = {
    "deep sealed content": Planted(deep_content, UNREADABLE, ("sealed", "deep", "deeper")),
    "no budget": Planted(
        no_budget_in_a_small_world, UNREADABLE, ("flood",), ("dealt", "middle"), in_turn=False
    ),
    "no room for choices": Planted(no_budget_for_choices, "must choose under seal", ("reserve",), ("full",)),
    "room for everything": Planted(budget_for_everything, "more than it may", ("reserve",), ("full",)),
    "one cache for two things": Planted(one_cache, "rule differently", ("crossed",)),
    "a seat without its owner": Planted(no_hold, "was not heard", ("agree to a new player", "proposed")),
    "a resignation at once": Planted(no_hold, "was not heard", ("leaves",)),
    "an invitation for ever": Planted(no_first_turn, "was not heard", ("taken again",), ("middle", "dealt")),
    "a recovery key at once": Planted(
        recovery_at_once, "recovery key too early", ("rekey",), ("middle", "dealt")
    ),
    "a false number in a view": Planted(
        believed_views, "a false number", ("false number", "play"), ("dealt", "middle")
    ),
    "a hand closed in play": Planted(
        closed_in_play, "by the host alone", ("early close", "play"), ("dealt", "middle")
    ),
    "overdue for good": Planted(
        overdue_for_good,
        "was burned although",
        ("burned returner", "play"),
        ("dealt", "middle"),
        in_turn=False,
    ),
    "left out for good": Planted(
        left_out_for_good,
        "wrote before the deal",
        ("left out returner", "play"),
        ("dealt", "middle"),
        in_turn=False,
    ),
    "a word to nobody": Planted(word_to_nobody, UNREADABLE, ("twisted", "private word to nobody")),
}
"""Every fault, by name."""
