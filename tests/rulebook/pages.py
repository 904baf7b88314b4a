"""The rules of each game as a page to be read before anything is installed: ``python -m tests.rulebook.pages``.

Writes ``examples/rules``: for each game what ``pbem rules GAME`` prints, as Markdown, and the board where it has one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pbem.base.language import ENGLISH
from pbem.game import JsonObject
from pbem.games.rulebook import games_with_rules, rulebook_of
from pbem.player.pictures.rules import board_picture, explained

FOLDER: Final = Path(__file__).resolve().parents[2] / "examples/rules"


def pages() -> dict[str, str]:
    """Every file of the folder, by name."""
    files: dict[str, str] = {}
    for game in games_with_rules():
        rules = rulebook_of(game)
        picture = board_picture(rules, ENGLISH)
        if picture is not None:
            files[f"{game}-board.svg"] = picture.svg
        shown = f"![{picture.alt}]({game}-board.svg)" if picture is not None else ""
        files[f"{game}.md"] = _page(game, explained(rules, ENGLISH), shown)
    return files


def _page(game: str, rules: JsonObject, picture: str) -> str:
    parts = [
        f"# {rules['title']}: the rules in our own words",
        f"In a terminal: `pbem rules {game}`. `python -m tests.rulebook.pages` writes this page.",
    ]
    for part in rules["opening"]:
        marks = [f"{n}. " if part["numbered"] else "" for n in range(1, len(part["lines"]) + 1)]
        lines = [mark + line for mark, line in zip(marks, part["lines"], strict=True)]
        parts += [f"## {part['title']}", ("\n" if part["numbered"] else "\n\n").join(lines)]
    if rules["board"]:
        parts += ["## The board", picture, *map(_table, rules["board"])]
    for section in rules["sections"]:
        rows = [f"* **{row['id']}** {row['text']}" for row in section["rows"]]
        parts += [f"## {section['title']}", "\n".join(rows)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(table: JsonObject) -> str:
    rules = ["--:" if at in table["right"] else "---" for at in range(len(table["head"]))]
    return "\n".join("| " + " | ".join(row) + " |" for row in (table["head"], rules, *table["rows"]))


def main() -> None:
    """Write them."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
