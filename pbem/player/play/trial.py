"""The tray: actions chosen so far, tried on positions that agree with the player's own view.

Until something is revealed one imagined position is exact: whatever is legal there is what the referee allows
(a seat's legal actions follow from its view). From the first draw, shot or roll on nobody here knows the position;
then an action is offered only if it is legal in every world tried in which this seat is still to act (``Foresight``).
It travels sealed, and where it does not happen the host hands it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from typing import Any

from pbem import game
from pbem.protocol.formats.strict_json import canon

MOST_ACTIONS = 64
"""A turn file takes no more (``turn.schema.json``)."""
_MOST_SHUFFLES = 4


class TrayState(Enum):
    """Where the tray has led to."""

    OPEN = "open"
    """The seat may go on; what it may do is known."""
    LOOK = "look"
    """Something new will be seen: send now and look, or say what then."""
    OTHERS = "others"
    """Somebody else is to act."""
    OVER = "over"
    """The epoch (a hand, a turn of the game) or the match ends here."""


class Trial:
    """Some actions, and the worlds they lead to. A value: ``add`` and ``without`` give another one."""

    def __init__(
        self,
        rules: game.AnyRules,
        seat: game.Seat,
        view: Any,
        actions: tuple[game.JsonObject, ...] = (),
        worlds: tuple[Any, ...] | None = None,
        *,
        revealed: bool = False,
        stopped: bool = False,
        known: Any = None,
    ) -> None:
        self.rules = rules
        self.seat = seat
        self.view = view
        self.actions = actions
        self.revealed = revealed
        self.stopped = stopped
        """Some of the worlds tried stop before this seat can go on."""
        self._known = view if known is None else known
        self.worlds = (rules.imagine(view),) if worlds is None else worlds
        """Where this seat may be after its actions; empty if it has nothing more to say in any."""

    # --- where it stands ----------------------------------------------------------------------------------

    @property
    def now(self) -> Any:
        """The view of the seat after the actions, or the last one that is known for certain."""
        if self.revealed or not self.actions:
            return self._known
        return self.rules.observe(self.worlds[0], self.seat)

    @property
    def node(self) -> game.Node:
        """Who or what answers next in the first world."""
        return self.rules.node(self.worlds[0])

    @cached_property
    def stage(self) -> TrayState:
        """What the player can do now."""
        if self.revealed:
            return TrayState.LOOK
        if self._elsewhere(self.worlds[0]):
            return TrayState.OVER
        node = self.node
        return (
            TrayState.OPEN if isinstance(node, game.Decision) and node.seat == self.seat else TrayState.OTHERS
        )

    @cached_property
    def options(self) -> tuple[game.JsonObject, ...]:
        """What may be added: short forms; after a look those that hold whatever was seen."""
        if len(self.actions) >= MOST_ACTIONS or self.stage in (TrayState.OTHERS, TrayState.OVER):
            return ()
        legal = [self._legal(world) for world in self.worlds]
        if not legal:
            return ()
        first, *others = legal
        return tuple(action for text, action in first.items() if all(text in other for other in others))

    def extras(self, action: game.JsonObject) -> list[game.JsonObject]:
        """``action`` with one thing more said in advance; nothing after a look."""
        rules = self.rules
        if self.revealed or not isinstance(rules, game.Foresight):
            return []
        extras = rules.extras(self.now, rules.action_from_json(action, bulk=True))
        return [rules.action_to_json(extra) for extra in extras]

    def allows(self, action: game.JsonObject) -> bool:
        """Whether ``action``, optional fields too, may be added."""
        try:
            parsed = self.rules.action_from_json(action, bulk=True)
            for world in self.worlds:
                self.rules.check(self.rules.observe(world, self.seat), parsed)
        except (game.IllegalAction, game.MalformedAction):
            return False
        return bool(self.worlds) and len(self.actions) < MOST_ACTIONS

    def _legal(self, world: Any) -> dict[str, game.JsonObject]:
        rules = self.rules
        actions = map(rules.action_to_json, rules.legal_actions(rules.observe(world, self.seat)))
        return {canonical(action): action for action in actions}

    def _elsewhere(self, state: Any) -> bool:
        """Whether the epoch that ``view`` belongs to is over in ``state``, or the match is."""
        rules = self.rules
        return isinstance(rules.node(state), game.Terminal) or rules.span(state) != self._span

    @cached_property
    def _span(self) -> int:
        return self.rules.span(self.rules.imagine(self.view))

    # --- choosing and taking back -------------------------------------------------------------------------

    def step(self, action: game.JsonObject) -> game.AnyStep:
        """The transition of ``action`` in the first world; its chance is only imagined."""
        return self.rules.apply(self.worlds[0], self.rules.action_from_json(action, bulk=True))

    def reveals(self, step: game.AnyStep) -> bool:
        """Whether ``step`` shows something that cannot be known here (schemas/README.md §8)."""
        chance = isinstance(self.rules.node(step.state), game.Chance)
        return chance or step.reveals or bool(step.deals) or bool(step.facts)

    def add(self, action: game.JsonObject) -> Trial:
        """The tray with ``action`` behind the others.

        Raises:
            IllegalAction, MalformedAction: it may not be played here.
        """
        actions = (*self.actions, action)
        if self.revealed:
            return self._blind(actions, [self._settled(world, action) for world in self.worlds])
        step = self.step(action)
        if not self.reveals(step):
            return Trial(self.rules, self.seat, self.view, actions, (step.state,))
        return self._blind(actions, [self._replayed(world, actions) for world in self._beginnings()])

    def without(self, index: int) -> Trial:
        """The tray without one action; later ones that do not fit any more leave it too."""
        trial = Trial(self.rules, self.seat, self.view)
        for action in (*self.actions[:index], *self.actions[index + 1 :]):
            if trial.allows(action) and trial.stage in (TrayState.OPEN, TrayState.LOOK):
                trial = trial.add(action)
        return trial

    def again(self, actions: Sequence[game.JsonObject]) -> Trial:
        """These actions from the beginning, as far as they fit."""
        trial = Trial(self.rules, self.seat, self.view)
        for action in actions:
            if not trial.allows(action):
                break
            trial = trial.add(action)
        return trial

    def _beginnings(self) -> tuple[Any, ...]:
        rules = self.rules
        return rules.worlds(self.view) if isinstance(rules, game.Foresight) else ()

    def _blind(self, actions: tuple[game.JsonObject, ...], worlds: Sequence[Any]) -> Trial:
        still = tuple(world for world in worlds if world is not None)
        return Trial(
            self.rules,
            self.seat,
            self.view,
            actions,
            still,
            revealed=True,
            stopped=self.stopped or len(still) < len(worlds),
            known=self.now,
        )

    def _replayed(self, world: Any, actions: Sequence[game.JsonObject]) -> Any:
        for action in actions:
            world = self._settled(world, action)
            if world is None:
                return None
        return world

    def _settled(self, world: Any, action: game.JsonObject) -> Any:
        """The world after ``action`` and the shuffles it needs; None if this seat is not to act there.

        Dice are not tried: what follows them is asked after the look.
        """
        rules = self.rules
        state = rules.apply(world, rules.action_from_json(action, bulk=True)).state
        for _ in range(_MOST_SHUFFLES):
            node = rules.node(state)
            if (
                self._elsewhere(state)
                or not isinstance(node, game.Chance)
                or not isinstance(node.draw, game.Shuffle)
            ):
                break
            state = rules.resolve(state, tuple(range(len(node.draw.cards)))).state
        node = rules.node(state)
        mine = isinstance(node, game.Decision) and node.seat == self.seat and not self._elsewhere(state)
        return state if mine else None


def canonical(action: game.JsonObject) -> str:
    """One text for one action."""
    return canon(action).decode()
