"""The rules in our own words: a text for every row, in every language, and nothing besides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.base.language import CODES, language_of
from pbem.games import find_game
from pbem.games.rulebook import OPTIONS, games_with_rules, rows_text, rulebook_of
from pbem.games.way_out_west.board import standard_board
from pbem.games.wyatt_earp.options import bind_options
from pbem.games.wyatt_earp.scoring import score_poster
from tests.cli.seats import run
from tests.languages.speaking import GAMES as _PLAYED
from tests.rule_coverage import rows_of
from tests.rulebook import pages

GAMES = sorted({game for game, _ in _PLAYED})
EXAMPLES = re.compile(r"(T|ER|FAQ)[0-9]+[a-z]?$")
"""Rows that show other rows at work: examples of the sources, and their errata."""
PACKAGE = Path(__file__).parents[2] / "pbem" / "games"


@pytest.mark.parametrize("game", GAMES)
def test_every_row_and_every_option_has_its_text_and_nothing_else_has(game: str) -> None:
    known = {row.id for row in rows_of(game) if not EXAMPLES.match(row.id)}
    rows = {name for name in known if "=" not in name}
    options = set(find_game(game).info.options) - {"board"}
    rules = rulebook_of(game)
    ids = [row.id for row in rules.rows()]
    assert len(ids) == len(set(ids))
    assert set(ids) == rows | options
    assert {key for row in rules.rows() for key in row.options} == options
    for section in rules.sections:
        if section.id != OPTIONS:
            assert {row.id.rstrip("0123456789") for row in section.rows} == {section.id}


@pytest.mark.parametrize("game", GAMES)
def test_every_row_that_a_refusal_can_name_is_there(game: str) -> None:
    sources = (PACKAGE / game.replace("-", "_")).glob("*.py")
    named = {row for source in sources for row in re.findall(r'"([A-Q][0-9]+)"', source.read_text("utf-8"))}
    assert named
    assert named <= {row.id for row in rulebook_of(game).rows()}


@pytest.mark.parametrize("code", [code for code in CODES if code != "en"])
@pytest.mark.parametrize("game", GAMES)
def test_the_rules_are_shown_in_every_language(game: str, code: str) -> None:
    """Words may be the same in two languages; sentences are not."""
    language = language_of(code)
    for section in rulebook_of(game).sections:
        for row in section.rows:
            assert language.translate(row.text) != row.text, row.id
            assert re.findall(
                r"\d+", language.translate(row.text).replace("\u00a0", "").replace(".", "")
            ) == (re.findall(r"\d+", row.text.replace(",", "")) or []), row.id


def test_what_a_refusal_names_is_shown_with_it() -> None:
    german = language_of("de")
    lines = rows_text("wyatt-earp", ["D4", "D6"], german.translate).splitlines()
    assert [line[:4] for line in lines] == ["D4  ", "D6  "]
    assert "eröffneter Bandit" in lines[1]
    assert (
        rows_text("wyatt-earp", ["I99"], german.translate)
        == rows_text("poker", ["D4"], german.translate)
        == ""
    )


def test_a_name_finds_a_section_a_row_or_an_option() -> None:
    rules = rulebook_of("wyatt-earp")
    assert [row.id for section in rules.find("d") for row in section.rows][:2] == ["D1", "D2"]
    (entry,) = rules.find("d6")
    assert [row.id for row in entry.rows] == ["D6"]
    assert entry.rows[0].options == ("opened_test",)
    assert [row.id for section in rules.find("tie_payment") for row in section.rows] == ["tie_payment"]
    assert not rules.find("Z1")
    assert set(games_with_rules()) == set(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_open_with_the_goal_a_turn_in_five_lines_and_two_examples(game: str) -> None:
    text = pbem_rules(game)
    goal, turn, *examples = rulebook_of(game).opening
    assert (goal.title, turn.title, len(turn.lines)) == ("The goal", "A turn", 5)
    assert [str(example.title).partition(":")[0] for example in examples] == ["Example", "Example"]
    places = [text.index(example.title) for example in rulebook_of(game).opening]
    assert places == sorted(places)
    assert places[-1] < text.index("A. ")


def test_the_example_of_a_poster_is_what_the_rules_pay() -> None:
    options = bind_options(find_game("wyatt-earp").resolve_options("default", {}))
    assert score_poster(options, (8, 5, 2), 7000) == (True, (4000, 3000, 0))
    assert score_poster(options, (10, 5, 2), 7000) == (True, (7000, 0, 0))


def test_the_rules_are_a_page_with_a_picture_of_the_board(tmp_path: Path) -> None:
    for game, drawn in (("way-out-west", True), ("wyatt-earp", False)):
        page = tmp_path / f"{game}.html"
        assert run("rules", game, "--html", str(page), "--lang", "de").out.startswith(
            ("Written", "Geschrieben")
        )
        text = page.read_text(encoding="utf-8")
        assert ("<svg" in text) is drawn
        assert ("Kansas City" in text) is drawn
        rows = [row.id for row in rulebook_of(game).rows()]
        assert all(f'<dt id="{row}">' in text for row in rows)
        assert "<script" not in text
    again = run("rules", "way-out-west", "--html", str(page))
    assert again.code == 2
    assert str(page) in again.err


def test_the_pages_of_the_rules_are_those_that_the_program_shows() -> None:
    files = pages.pages()
    assert sorted(files) == sorted(path.name for path in pages.FOLDER.iterdir())
    assert [name for name in files if name.endswith(".svg")] == ["way-out-west-board.svg"]
    for name, text in files.items():
        assert (pages.FOLDER / name).read_text(encoding="utf-8") == text, "make golden KIND=rules"


def test_the_rules_of_way_out_west_show_the_board() -> None:
    text = pbem_rules("way-out-west")
    board = standard_board()
    for town in board["towns"]:
        assert re.search(rf"^{town['name']} +{town['corrals']} +{town['buildings']}$", text, re.MULTILINE)
    for box in board["action_boxes"]:
        if "asset" in box:
            assert re.search(rf"^{box['asset']} +\${box['price']} +1 +1$", text, re.MULTILINE)
    assert re.search(r"^cattle +\$1 each +2 +3$", text, re.MULTILINE)
    assert re.search(r"^gunfight +free +2 +3$", text, re.MULTILINE)


def pbem_rules(game: str) -> str:
    return run("rules", game, "--lang", "en").out
