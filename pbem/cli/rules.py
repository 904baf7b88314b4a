"""``pbem rules``: the rules of the games, in the reader's language."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pbem.base.errors import UsageProblem
from pbem.base.sentences import command, joined, sentence
from pbem.cli.console import answer, write_output
from pbem.cli.options import AsJson, Lang
from pbem.cli.speech import spoken
from pbem.games import find_game
from pbem.games.rulebook import OPTIONS, Rulebook, games_with_rules, rulebook_of
from pbem.player.pictures.picture import environment
from pbem.player.pictures.rules import board_picture, board_tables, explained

if TYPE_CHECKING:
    from pbem.base.language import Language
    from pbem.game import JsonObject
    from pbem.games.rulebook import Rulebook, Section

app = typer.Typer()

_WIDTH: Final = 80


@app.command()
def rules(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME] [ROW...]",
            help="A game; rows (D6), sections (D) or options (tie_payment). Without any of these the games are listed.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write them as a page, with a picture of the board if there is one."
        ),
    ] = None,
    lang: Lang = None,
    as_json: AsJson = False,
) -> None:
    """Show all rules of a game, or some by number, for example D6."""
    games = games_with_rules()
    if not names:
        titles = {name: find_game(name).info.title for name in games}
        rows = (f"{title}: {command('pbem rules {name}', name=name)}" for name, title in titles.items())
        return answer("\n".join(rows), dict(titles), as_json=as_json)
    wanted = [name for name in names if name not in games]
    rulebooks = [rulebook_of(game) for game in [name for name in names if name in games] or games]
    for name in wanted:
        if not any(each.find(name) for each in rulebooks):
            raise _unknown(name, rulebooks)
    if html is not None:
        if wanted or len(rulebooks) != 1:
            raise UsageProblem(
                sentence("--html writes all rules of one game"),
                hint=sentence(
                    "See: {command}",
                    command=command("pbem rules {game} --html {html}", game=games[0], html=html),
                ),
            )
        write_output(html, _page(rulebooks[0], spoken(lang)).encode())
        return answer(sentence("Written: {file}", file=html), {"file": str(html)}, as_json=as_json)
    if wanted:
        parts = [
            Rulebook(each.game, tuple(chain.from_iterable(map(each.find, wanted)))) for each in rulebooks
        ]
        rulebooks = [part for part in parts if part.sections]
    return _print(rulebooks, spoken(lang), as_json=as_json)


def _unknown(name: str, rulebooks: Iterable[Rulebook]) -> UsageProblem:
    titles = "; ".join(
        f"{each.game} {' '.join(section.id for section in each.sections)}" for each in rulebooks
    )
    return UsageProblem(
        sentence("there is no game, and no row, section or option of the rules, {name!r}", name=name),
        hint=sentence(
            "The games and their sections are: {sections}. pbem rules GAME shows all.", sections=titles
        ),
    )


def _print(rulebooks: Sequence[Rulebook], language: Language, *, as_json: bool) -> None:
    """The rulebooks, or the rows found in them."""
    facts: JsonObject = {
        rulebook.game: {
            row.id: {"text": language.translate(row.text), "options": list(row.options)}
            for row in rulebook.rows()
        }
        for rulebook in rulebooks
    }
    answer("\n\n".join(_rules_text(rulebook, language) for rulebook in rulebooks), facts, as_json=as_json)


def _rules_text(rulebook: Rulebook, language: Language) -> str:
    title = find_game(rulebook.game).info.title
    parts = [*_opening(rulebook, language), *_sections(rulebook.sections, language)]
    return "\n\n".join([f"{title}\n{'=' * len(title)}", *parts])


def _opening(rulebook: Rulebook, language: Language) -> Iterable[str]:
    """The goal, a turn and examples; a turn's lines are numbered. Then the board, where the game has one."""
    for number, part in enumerate(rulebook.opening):
        marks = [f"{at}. " if number == 1 else "" for at in range(1, len(part.lines) + 1)]
        lines = [
            textwrap.fill(mark + language.translate(line), _WIDTH, subsequent_indent=" " * len(mark))
            for mark, line in zip(marks, part.lines, strict=True)
        ]
        yield "\n".join([language.translate(part.title), "", *lines])
    if rulebook.opening and (tables := board_tables(rulebook)):
        yield language.translate(joined(tables, "\n\n"))


def _page(rulebook: Rulebook, language: Language) -> str:
    """The same as ``pbem rules`` prints, as HTML for any browser: no script, nothing from elsewhere."""
    given = explained(rulebook, language) | {
        "lang": language.code,
        "picture": board_picture(rulebook, language),
    }
    return environment(language).get_template("rules.html.jinja").render(given).lstrip() + "\n"


def _sections(sections: Iterable[Section], language: Language) -> Iterable[str]:
    for section in sections:
        wide = max(len(row.id) for row in section.rows) + 2
        title = language.translate(section.title)
        lines = [title if section.id == OPTIONS else f"{section.id}. {title}", ""]
        for row in section.rows:
            text = language.translate(row.text)
            if row.options:
                other = sentence("(otherwise by option: {keys})", keys=", ".join(row.options))
                text += " " + language.translate(other)
            if section.id == OPTIONS:
                lines += [row.id, textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")]
            else:
                indent = " " * wide
                lines.append(
                    textwrap.fill(text, _WIDTH, initial_indent=row.id.ljust(wide), subsequent_indent=indent)
                )
        yield "\n".join(lines)
