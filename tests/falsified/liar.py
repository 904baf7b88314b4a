"""A host whose engine lies once and then plays on from the lie, and all that their people then send."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from pbem.base.values import dataclass, replace
from pbem.game import AnyRules, AnyStep, JsonObject, Step, Viewer


@dataclass(frozen=True, slots=True)
class ShownEvent:
    """An event of which these words are shown."""

    body: JsonObject


@dataclass(frozen=True, slots=True)
class Lie:
    """What the engine says after ``before`` instead of the truth."""

    before: Any
    falsified: Callable[[AnyStep, Callable[[Any], AnyStep]], AnyStep]
    """From the true step, and from a way to take the same step from another state."""


class _Lying:
    """Added to the rules of a game."""

    filled = None  # the liar's own second reader is switched off
    lie: Lie | None
    seen: list[tuple[Any, AnyStep]] | None

    def apply(self, state: Any, action: Any) -> AnyStep:
        again = super().apply  # type: ignore[misc]
        return self._step(state, lambda other: again(other, action))

    def resolve(self, state: Any, outcome: Any) -> AnyStep:
        again = super().resolve  # type: ignore[misc]
        return self._step(state, lambda other: again(other, outcome))

    def _step(self, state: Any, take: Callable[[Any], AnyStep]) -> AnyStep:
        step = take(state)
        if self.seen is not None:
            self.seen.append((state, step))
        return self.lie.falsified(step, take) if self.lie is not None and state == self.lie.before else step

    def event_to_json(self, event: Any, viewer: Viewer) -> JsonObject:
        if isinstance(event, ShownEvent):
            return event.body
        shown: JsonObject = super().event_to_json(event, viewer)  # type: ignore[misc]
        return shown


def lying(rules: AnyRules, lie: Lie | None = None, seen: list[tuple[Any, AnyStep]] | None = None) -> Any:
    """These rules, with a lie in them."""
    liar = copy.copy(rules)
    liar.__class__ = type("Lying", (_Lying, type(rules)), {})
    liar.lie, liar.seen = lie, seen  # type: ignore[attr-defined]
    return liar


def plain(value: Any) -> Any:
    """As JSON holds it."""
    return json.loads(json.dumps(value))


def with_event(step: AnyStep, at: int, body: JsonObject, state: Any) -> AnyStep:
    """The step with other words for one event, and another state after it."""
    events = (*step.events[:at], ShownEvent(body), *step.events[at + 1 :])
    return Step(state, events, step.deals, step.facts, step.reveals)


def of_liar(record: Any, rules: Any) -> Any:
    """The host's record with these rules in it."""
    fork = record.fork()
    fork.ledger.rules = rules
    fork.replay.table = replace(fork.replay.table, rules=rules)
    return fork
