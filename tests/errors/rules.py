"""What the rules refuse and what they say then: every refused action of every scenario, each sentence once."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, Final
from unittest import mock

from pbem.base.language import ENGLISH
from pbem.game import IllegalAction, MalformedAction
from pbem.games import find_game
from pbem.games.wyatt_earp.actions import Choose, Discard, Draw, React
from pbem.games.wyatt_earp.conditions import faults, out_of_turn
from pbem.games.wyatt_earp.deck import BANK, EARP, HIDEOUT, NONE
from pbem.games.wyatt_earp.options import bind_options
from pbem.games.wyatt_earp.state import CHANCE, CHOOSE, DRAW, PLAY, REACT, Match, Pending, Sight
from pbem.protocol.scenario import find_scenarios, run_file
from tests.errors.missing import ROOT

SCENARIOS: Final = ROOT / "tests" / "scenarios"


def sentences_of(game: str) -> str:
    """The sentences of one game with their rows, in the order of the scenarios, as a golden file has them."""
    sentences: dict[str, None] = {}

    def noted(kind: type[IllegalAction | MalformedAction]) -> Any:
        original = kind.__init__

        def note(self: Exception, *words: Any, **more: Any) -> None:
            original(self, *words, **more)  # type: ignore[arg-type]
            rows = " ".join(getattr(self, "rules", ()))
            sentences.setdefault(ENGLISH.translate(str(self)) + (f" [{rows}]" if rows else ""))

        return mock.patch.object(kind, "__init__", note)

    with ExitStack() as noting:
        for kind in (IllegalAction, MalformedAction):
            noting.enter_context(noted(kind))
        for path in find_scenarios([SCENARIOS / game]):
            assert all(result.ok for result in run_file(path)), path
    if game == "wyatt-earp":
        sentences |= dict.fromkeys(_moments())
    return "\n".join(sentences) + "\n"


def _moments() -> list[str]:
    """What no scenario reaches: moments that a table passes over at once, and answers of another kind."""
    match = Match(
        ("anna", "burt"), bind_options(find_game("wyatt-earp").resolve_options("default", {})), 0, (0, 1)
    )
    sight = Sight(0, DRAW, (), NONE, False, False, frozenset(), frozenset(), 50, 0, 0, (), None, None)
    asks = sight._replace(phase=CHOOSE)
    refusals = [
        *faults(match, sight, Draw(supply=False)),
        *faults(match, sight._replace(phase=PLAY), React(earp=False)),
        *faults(match, sight._replace(phase=REACT), Discard(EARP)),
        *faults(match, asks._replace(pending=Pending(card=HIDEOUT)), Choose(take=0)),
        *faults(match, asks._replace(pending=Pending(card=BANK)), Choose(on=0, seat=1)),
        out_of_turn(sight._replace(phase=CHANCE), Draw(supply=True)),
    ]
    return [f"{ENGLISH.translate(refusal.sentence)} [{' '.join(refusal.rows)}]" for refusal in refusals]
