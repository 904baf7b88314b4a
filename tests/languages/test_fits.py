"""What is drawn fits 80 columns in every language: nothing torn apart, hardly more lines than in English."""

from __future__ import annotations

import pytest

from pbem.base.language import CODES, Language, language_of
from pbem.player.letters.layout import cells, grid
from pbem.player.lookback.screen import report_text
from pbem.player.lookback.summary import summarise
from pbem.player.play.history import Drawing
from tests.languages.speaking import GAMES, SEATS, played

WIDTH = 79


def compact_view(game: str, moves: int, language: Language) -> list[str]:
    """The small table of ``pbem play``, as each seat sees it."""
    from rich.text import Text

    world, _ = played(game, moves)
    record = world.copy()
    lines = []
    for seat in record.seats:
        drawing = Drawing(record.game_info, record.rules, record.names, seat, language)
        drawn = Text.from_ansi(drawing.compact_view(world.view(seat).view_json, WIDTH)).plain
        lines += drawn.rstrip("\n").split("\n")
    return lines


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_a_compact_view_fits_80_columns_in_about_as_many_lines_as_english(
    game: str, moves: int, code: str
) -> None:
    lines = compact_view(game, moves, language_of(code))
    assert max(map(cells, lines)) <= WIDTH
    assert len(lines) <= len(compact_view(game, moves, language_of("en"))) + 2 * len(SEATS)
    assert not [line for line in lines if line.lstrip().startswith("$ ") or line.strip() == "$"]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_the_intervals_of_statistics_are_not_broken(game: str, moves: int, code: str) -> None:
    text = report_text(summarise([played(game, moves)[0].copy()]), width=80, language=language_of(code))
    lines = text.splitlines()
    assert max(map(cells, lines)) <= 80
    (scale,) = (line for line in lines if "100%" in line and "0%" in line.replace("100%", ""))
    cell = scale.split("│")[6]
    assert cell.strip().startswith("0%")
    assert cell.strip().endswith("100%")


def test_a_head_is_not_broken_within_a_word_if_narrower_gaps_are_enough() -> None:
    head = ("Nome", "bestiame", "banca", "emporio")
    wide = grid([("Anna", 1, 2, 3)], "lrrr", head, width=30)
    narrow = grid([("Anna", 1, 2, 3)], "lrrr", head, width=28)
    assert wide.splitlines()[0] == "Nome  bestiame  banca  emporio"
    assert narrow.splitlines()[0] == "Nome bestiame banca emporio"
