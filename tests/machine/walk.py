"""The machine: hypothesis chooses a match and what happens in it; after every step the match must be playable.

``run`` walks so many times and raises the shortest walk that breaks something. What each walk left is handed to
``left``, so that the second verifier can judge it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.machine.agreements import AGREEMENTS
from tests.machine.exits import check_exits
from tests.machine.fate import Drawn
from tests.machine.host_lies import LYING
from tests.machine.match import Broken, Match
from tests.machine.moves import HOSTILE, PLAYING, SEATED, Move, twisted
from tests.machine.settings import BEGUN, SETTINGS, begun
from tests.one_time_keys import fixed


class _Enough(BaseException):
    """As many walks as were asked for."""


Left = Callable[[str, list[bytes]], None]


def _nobody(_: str, __: list[bytes]) -> None:
    """Nobody wants to see it."""


@dataclass
class Plan:
    """What walks may do, and who wants to see the files they leave."""

    without: Collection[str] = ()
    """Moves, twists and agreements that are left out."""
    likely: Collection[str] = ()
    """Moves, and what belongs to them, that are taken three times of four wherever they are offered."""
    in_turn: bool = False
    """After a step one of the exits is tried, and the next one after the next step; else all of them each time."""
    begun: Sequence[str] = BEGUN
    match: type[Match] = Match
    """Where the match is: in memory, tried for its exits after each step; or at a service."""
    left: Left = _nobody
    walks: int = 0
    steps: int = 0
    rulings: dict[str, int] = field(default_factory=dict)


def machine(plan: Plan, most: int) -> type[RuleBasedStateMachine]:
    """The machine of this plan; it ends after ``most`` walks.

    Hypothesis walks a quarter more often than it is asked to: those that it cuts short are none of its examples.
    """
    moves: dict[str, Move] = {**PLAYING, **HOSTILE, **SEATED, **AGREEMENTS, **LYING, "twisted": twisted}

    favoured = [name for name in moves if name in plan.likely]

    def among(names: Iterable[str], fate: Drawn) -> str:
        if favoured and fate.number(0, 3):
            return fate.pick(favoured)
        return fate.pick([name for name in names if name not in plan.without])

    class Walk(RuleBasedStateMachine):
        """One walk."""

        match: Match

        @initialize(data=st.data())
        def begin(self, data: st.DataObject) -> None:
            fate = Drawn(data)
            setting, how = fate.pick(SETTINGS), fate.pick(plan.begun)
            self.match = plan.match(begun(setting, how), plan.without, plan.likely)
            self.match.tell(f"{setting}, {how}")
            self.checked: tuple[int, str] | None = None
            self.checks = 0
            plan.walks += 1

        def _step(self, name: str, data: st.DataObject) -> None:
            plan.steps += 1
            try:
                moves[name](self.match, Drawn(data))
            except Broken as error:
                error.add_note("\n".join(self.match.story))
                raise

        @rule(data=st.data())
        def people_play(self, data: st.DataObject) -> None:
            self._step(among(PLAYING, Drawn(data)), data)

        @rule(data=st.data())
        def people_send_anything(self, data: st.DataObject) -> None:
            self._step(among(HOSTILE, Drawn(data)), data)

        @rule(data=st.data())
        def a_turn_is_twisted(self, data: st.DataObject) -> None:
            self._step("twisted", data)

        @rule(data=st.data())
        def seats_change(self, data: st.DataObject) -> None:
            self._step(among(SEATED, Drawn(data)), data)

        @rule(data=st.data())
        def the_host_lies(self, data: st.DataObject) -> None:
            self._step(among(LYING, Drawn(data)), data)

        @rule(data=st.data())
        def people_agree(self, data: st.DataObject) -> None:
            self._step(among(AGREEMENTS, Drawn(data)), data)

        @invariant()
        def the_match_lives(self) -> None:
            now = (len(self.match.lines), self.match.world.now)
            if now == self.checked or not self.match.exits:
                return
            self.checked = now
            self.checks += 1
            try:
                check_exits(self.match, self.checks if plan.in_turn else None)
            except Broken as error:
                error.add_note("\n".join(self.match.story))
                raise

        def teardown(self) -> None:
            if hasattr(self, "match"):
                plan.left(self.match.story[0], self.match.lines)
                self.match.close()
            broken = isinstance(
                sys.exc_info()[1], Exception
            )  # this end must not hide what the last walk has found
            if plan.walks >= most and not broken:
                raise _Enough

    return Walk


def run(plan: Plan, walks: int, *, steps: int = 10, seed: int | None = None, shrink: bool = False) -> Plan:
    """Walk so many times; raises what broke, in its shortest form. Without ``seed`` they are always the same.

    So they are as long as the same modules are loaded: Hypothesis draws the constants that stand in them, too.
    """
    phases = [Phase.generate, *([Phase.shrink] if shrink else [])]
    chosen = settings(
        max_examples=walks,
        stateful_step_count=steps,
        derandomize=seed is None,
        deadline=None,
        database=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )
    state_machine = machine(plan, walks)
    with fixed() if seed is None or not plan.match.exits else nullcontext(), suppress(_Enough):
        run_state_machine_as_test(
            state_machine if seed is None else seeded(seed)(state_machine), settings=chosen
        )
    return plan
