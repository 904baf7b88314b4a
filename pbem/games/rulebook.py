"""The rules of the games for people: every numbered row in our own words (``templates/GAME/rules.json``).

A row is what a refusal names (``D4``). Each text is a ``Sentence``, so it can be shown in every language of the
catalogues. The last section holds the options of a match, by their keys.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pbem.base.resources import data_dir, game_dir, installed_games
from pbem.base.sentences import Sentence, phrase
from pbem.base.values import dataclass

OPTIONS = "options"
"""The id of the section that holds the options."""


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One row: its id, what it says, and the keys of the options that change it.

    ``played`` of an option says what is played with each value that is not its default, by that value in JSON.
    """

    id: str
    text: Sentence
    options: tuple[str, ...]
    played: Mapping[str, Sentence]


@dataclass(frozen=True, slots=True)
class Section:
    """Rows that belong together; ``id`` is their letter."""

    id: str
    title: Sentence
    rows: tuple[RuleRow, ...]


@dataclass(frozen=True, slots=True)
class Opening:
    """A part of what one reads first, without numbers: the goal, a turn, an example."""

    title: Sentence
    lines: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All rows of one game, in the order in which one reads them."""

    game: str
    sections: tuple[Section, ...]
    opening: tuple[Opening, ...] = ()

    def rows(self) -> Iterator[RuleRow]:
        """Every row and every option."""
        for section in self.sections:
            yield from section.rows

    def find(self, name: str) -> tuple[Section, ...]:
        """The section, row or option with this name; a single row comes in its section. Empty if there is none."""
        wanted = name.casefold()
        return tuple(
            section if section.id.casefold() == wanted else Section(section.id, section.title, rows)
            for section in self.sections
            if (rows := tuple(row for row in section.rows if row.id.casefold() == wanted))
            or section.id.casefold() == wanted
        )


@cache
def games_with_rules() -> tuple[str, ...]:
    """The ids of the games that have a rulebook."""
    ours = {path.parent.name for path in data_dir("templates").glob("*/rules.json")}
    others = {game for game in installed_games() if (game_dir(game, "templates") / "rules.json").is_file()}
    return tuple(sorted(ours | others))


@cache
def rulebook_of(game: str) -> Rulebook:
    """The rules of a game; ``KeyError`` if it has no rulebook."""
    if game not in games_with_rules():
        raise KeyError(game)
    data = json.loads((game_dir(game, "templates") / "rules.json").read_text(encoding="utf-8"))
    opening = (
        Opening(_rule_text(part["title"]), tuple(map(_rule_text, part["lines"])))
        for part in data.get("opening", ())
    )
    sections = (_section(section["id"], section["title"], section["rows"]) for section in data["sections"])
    return Rulebook(game, tuple(sections), tuple(opening))


def rows_text(game: str, names: Sequence[str], translate: Callable[[str], str]) -> str:
    """The rows of these names, a line for each, as a refusal shows them; empty where there is no rulebook or row.

    ``translate`` gives a sentence in the reader's language.
    """
    if game not in games_with_rules():
        return ""
    groups = (section.rows for name in names for section in rulebook_of(game).find(name))
    return "\n".join(f"{row.id}  {translate(row.text)}" for rows in groups for row in rows)


def option_words(game: str, key: str, value: object) -> str:
    """What is played where the option ``key`` is ``value``; empty where the rulebook has no words for it."""
    rows = (row for row in rulebook_of(game).rows() if row.id == key) if game in games_with_rules() else ()
    name = value if isinstance(value, str) else json.dumps(value)
    return next((row.played.get(name, "") for row in rows), "")


def _section(name: str, title: str, rows: Sequence[dict[str, Any]]) -> Section:
    rule_rows = (
        RuleRow(
            row["id"],
            _rule_text(row["text"]),
            tuple(row.get("options", ())),
            {value: _rule_text(text) for value, text in row.get("played", {}).items()},
        )
        for row in rows
    )
    return Section(name, _rule_text(title), tuple(rule_rows))


def _rule_text(text: str) -> Sentence:
    return phrase(text, "rule")
