"""What the page marks leads on, at random positions: ``python -m tests.web.marked 2000``.

``tests.play.touching`` walks the tree of touches; this draws it with the page's own modules and touches what is marked
there, on a narrow screen and on a wide one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from types import SimpleNamespace
from typing import Any

from pbem.base.language import ENGLISH
from pbem.game import JsonObject
from pbem.games import find_game
from pbem.player.pictures import draw
from pbem.player.play.phrases import Phrases
from pbem.player.play.trial import Trial
from pbem.web.touch import Touched, picture_json
from tests.play.touching import boards
from tests.pyodide.page import ROOT, node_or_skip

_WALKER = ROOT / "tests" / "web" / "node" / "marked.mjs"


def scene(game: str, trial: Trial) -> JsonObject:
    """As much of the page's scene as is touched; nobody's record is behind it."""
    rules_of, rules, seat = find_game(game), trial.rules, trial.seat
    names = {seat: str(seat) for seat in rules.setup.seats}
    view = rules.view_to_json(trial.now)
    session: Any = SimpleNamespace(
        game=rules_of,
        seat=seat,
        trial=trial,
        shown=view,
        language=ENGLISH,
        phrases=Phrases(rules_of, rules.setup, seat, names),
        record=SimpleNamespace(rules=rules, game_info=rules_of.info, names=names),
        fresh=frozenset,
    )
    by_touch = Touched(session)
    picture = draw(game, view, rules.setup, names, rules.summary(view), viewer=seat, form="board")
    return {
        "board": None if picture is None else picture_json(picture),
        "held": by_touch.held(),
        "players": by_touch.players(),
        "purse": by_touch.purse(),
        "tree": by_touch.to_json(),
        "rows": [],
        "tray": [],
        "words": [],
        "tell": {},
        "react": {},
        "why": {},
        "practice": True,
    }


def _lines(count: int, seed: int) -> Iterator[bytes]:
    for game, trial in islice(boards(seed), count):
        yield json.dumps(scene(game, trial)).encode() + b"\n"


def run(count: int, seed: int) -> dict[str, int]:
    """So many positions; how often each kind of part was touched, by the width of the screen."""
    done = subprocess.run(
        [node_or_skip(), str(_WALKER)], input=b"".join(_lines(count, seed)), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    touched: dict[str, int] = json.loads(done.stdout)
    return touched


if __name__ == "__main__":
    print(run(int(sys.argv[1]) if sys.argv[1:] else 2000, 1))
