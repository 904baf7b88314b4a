"""Keys, and the terminal they are pressed on."""

from __future__ import annotations

import os
import pty
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.player.lookback.stepper import HELP, HistoryScreen, Stepper, keys_from, keys_in, step_through

KEYS = ["n", "p", "right", "left", " ", "enter", "backspace", "up", "down", "page-up", "page-down", "home", "end",
        "g", "1", "2", "9", "[", "]", "v", "?", "x", "é", "escape"]  # fmt: skip


def pressed(*keys: str, at: int = 0) -> Stepper:
    stepper = Stepper(50, (8, 20, 35), 3, at=at)
    for key in keys:
        assert stepper.press(key)
    return stepper


@pytest.mark.parametrize(
    ("keys", "at"),
    [
        (["n"], 11), (["right", "n", " "], 13), (["p"], 9), (["left", "backspace"], 8), (["home"], 0), (["end"], 50),
        (["g", "4", "2", "enter"], 42), (["g", "4", "2", "backspace", "enter"], 4), (["g", "enter"], 10),
        (["g", "7", "escape", "n"], 11), (["g", "9", "9", "9", "enter"], 50), (["]"], 20), (["]", "]", "]"], 50),
        (["["], 8), (["[", "["], 0), (["x"], 10),
    ],
)  # fmt: skip
def test_keys_lead_where_they_say(keys: list[str], at: int) -> None:
    assert pressed(*keys, at=10).at == at


@pytest.mark.parametrize("key", ["q", "escape", "ctrl-c", "ctrl-d"])
def test_a_key_to_go(key: str) -> None:
    assert not Stepper(5).press(key)


def test_the_last_line_shows_what_can_be_done_and_what_was_not() -> None:
    assert pressed("n").prompt == HELP
    assert pressed("x").prompt == HELP
    assert pressed("p").prompt == "That is the first record."
    assert pressed("n", at=50).prompt == "That is the last record."
    assert pressed("g", "1").prompt == "go to record: 1"
    assert Stepper(5).press("v")


def test_other_viewpoints_come_in_turn_and_the_place_stays() -> None:
    stepper = pressed("v", at=9)
    assert (stepper.viewpoint, stepper.at) == (1, 9)
    assert pressed("v", "v", "v").viewpoint == 0
    alone = Stepper(5)
    alone.press("v")
    assert "no other eyes" in alone.prompt


def test_the_help_fits_a_terminal_of_eighty_columns_behind_the_number_of_lines_below() -> None:
    assert len("1234 more ↓  " + HELP) < 80


def test_a_new_record_is_read_from_its_top() -> None:
    assert pressed("down", "down").scroll == 2
    assert pressed("down", "down", "n").scroll == 0
    assert pressed("page-down", "up", "up", "page-up").scroll == 0


@settings(deadline=None)
@given(st.lists(st.sampled_from(KEYS)))
def test_no_keys_lead_out_of_the_match(keys: list[str]) -> None:
    stepper = Stepper(50, (8, 20, 35), 3, at=25)
    for key in keys:
        if not stepper.press(key):
            break
        assert 0 <= stepper.at <= 50
        assert 0 <= stepper.viewpoint < 3
        assert stepper.scroll >= 0


# --- the screen ---------------------------------------------------------------------------------------------


class Paper:
    """A screen that keeps what was written."""

    def __init__(self, columns: int = 40, lines: int = 6) -> None:
        self.sheets: list[str] = []
        self.screen = HistoryScreen(self.sheets.append, lambda: (columns, lines))

    def last(self) -> list[str]:
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.sheets[-2]).split("\r\n")


def page(seq: int, viewpoint: int, columns: int) -> str:
    return (
        "\n".join([f"record {seq} eyes {viewpoint} width {columns}", *(f"line {n}" for n in range(9))]) + "\n"
    )


def test_the_page_is_cut_to_the_screen_and_scrolled() -> None:
    paper = Paper()
    step_through(Stepper(9, many_viewpoints=2), page, ["n", "v", "down", "down"], paper.screen)
    assert paper.last()[:5] == ["line 1", "line 2", "line 3", "line 4", "line 5"]
    assert paper.last()[5].startswith("3 more ↓  n next")
    assert all(len(line) < 40 for line in paper.last())


def test_one_cannot_scroll_past_the_end() -> None:
    paper = Paper()
    step_through(Stepper(9), page, ["page-down"] * 5, paper.screen)
    assert paper.last()[4] == "line 8"


def test_the_terminal_gets_back_what_was_on_it_even_after_a_fault() -> None:
    paper = Paper()

    def broken(seq: int, viewpoint: int, columns: int) -> str:
        if seq:
            raise RuntimeError("a fault")
        return "first"

    with pytest.raises(RuntimeError, match="a fault"):
        step_through(Stepper(9), broken, ["n"], paper.screen)
    assert paper.sheets[0] == "\x1b[?1049h\x1b[?25l"
    assert paper.sheets[-1] == "\x1b[?25h\x1b[?1049l"


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ("n", ["n"]), ("\x1b[C\x1b[D", ["right", "left"]), ("\x1bOA\x1bOB", ["up", "down"]), ("\x1b", ["escape"]),
        ("\x1b[5~\x1b[6~", ["page-up", "page-down"]), ("\x1b[1~\x1b[H\x1b[4~\x1b[F", ["home", "home", "end", "end"]),
        ("g12\r", ["g", "1", "2", "enter"]), ("\x7f\x03", ["backspace", "ctrl-c"]), ("\x1b[99Z\x1b[15~", ["?", "?"]),
        ("\x1b[1;5C", ["right"]),
    ],
)  # fmt: skip
def test_what_terminals_send_becomes_keys(sent: str, keys: list[str]) -> None:
    assert list(keys_in(sent)) == keys


def test_a_real_terminal_is_read_key_by_key_and_put_back() -> None:
    import termios

    master, slave = pty.openpty()
    try:
        before = termios.tcgetattr(slave)
        keys: Iterator[str] = keys_from(slave)
        os.write(master, b"n\x1b[Cq")
        assert [next(keys) for _ in range(3)] == ["n", "right", "q"]
        assert termios.tcgetattr(slave)[3] != before[3]
        keys.close()  # type: ignore[attr-defined]
        assert termios.tcgetattr(slave) == before
    finally:
        os.close(master)
        os.close(slave)
