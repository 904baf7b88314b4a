"""A first lesson: a guided part of a real match. The deal is fixed, everybody's actions are laid down.

The person chooses and sends as ever. Another choice than the lesson's is legal too; it is answered with a sentence and
not put into the tray, so that the hand stays the one that the words speak of. Behind the last step the match goes on
freely, against computer players. What is played and said stands in ``templates/GAME/lesson.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.resources import data_dir
from pbem.base.sentences import Sentence, phrase, sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.games.rulebook import rows_told


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One action of the person: what is said before it, the rule rows it stands on, what another choice gets.

    ``other`` is by the ``do`` of the action that was chosen instead.
    """

    action: JsonObject
    text: Sentence
    rows: Sequence[str]
    other: Mapping[str, Sentence]

    def reaction(self, action: JsonObject) -> Sentence:
        """What is said to another action than this step's."""
        told = self.other.get(str(action["do"]))
        return told or sentence(
            "That is allowed. In this lesson take the other choice; you can always try it later."
        )


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson for one game: the seed of its deal, the person's steps, what the others do, how it ends."""

    game: str
    seed: str
    against: int
    steps: Sequence[LessonStep]
    others: Sequence[JsonObject]
    end: Sentence

    def told(self, at: int, label: str, language: Language) -> str:
        """What is said before step ``at``, then its rules; behind the last step the end. ``label``: what to do."""
        if at >= len(self.steps):
            return language.tell(self.end)
        step = self.steps[at]
        todo = sentence("Choose: {label}. Enter takes it, s sends it.", label=label)
        rules = rows_told(self.game, step.rows, language.tell)
        return "\n\n".join(filter(None, [language.tell(step.text), language.tell(todo), rules]))


@cache
def games_with_lessons() -> tuple[str, ...]:
    """The ids of the games that have a first lesson."""
    return tuple(sorted(path.parent.name for path in data_dir("templates").glob("*/lesson.json")))


@cache
def lesson_of(game: str) -> Lesson:
    """The first lesson of a game.

    Raises:
        UsageProblem: there is none for it.
    """
    if game not in games_with_lessons():
        raise UsageProblem(
            sentence("there is no lesson for {game!r}", game=game),
            hint=sentence("There are: {levels}.", levels=", ".join(games_with_lessons())),
        )
    read = json.loads((data_dir("templates") / game / "lesson.json").read_text(encoding="utf-8"))
    steps = tuple(_step(step) for step in read["steps"])
    return Lesson(game, read["seed"], read["against"], steps, read["others"], phrase(read["end"], "lesson"))


def _step(one: JsonObject) -> LessonStep:
    other = {do: phrase(text, "lesson") for do, text in one["other"].items()}
    return LessonStep(one["action"], phrase(one["text"], "lesson"), tuple(one["rows"]), other)
