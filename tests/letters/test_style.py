"""The palette: every pair of text and ground that occurs has a contrast of at least 4.5:1 (WCAG 2.2, 1.4.3)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pbem.base.resources import data_dir
from pbem.player.letters.rendering import Style, environment

CSS = (data_dir("templates") / "style.css").read_text(encoding="utf-8")
LIGHT, DARK = CSS.split("@media (prefers-color-scheme: dark)")

# class of the text → classes of the grounds it stands on
PAIRS = [
    ("body", ["body", ".box"]), ("h1", [".box"]), ("h2", [".box"]), ("h3", [".box"]), (".due", [".call"]),
    ("body", [".call"]), (".when", [".box"]), (".cmd", [".cmd"]), (".mono", [".box"]), (".cell", [".box"]),
    (".num", [".box"]), (".head", [".box"]), (".caption", [".box"]), (".tag", [".box"]), (".foot", [".box"]),
    (".band", [".band"]), (".caught", [".box"]), (".more-line", [".box"]),
]  # fmt: skip


def _colours(css: str) -> dict[tuple[str, str], str]:
    colours: dict[tuple[str, str], str] = {}
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        for selector in (part.strip() for part in selectors.split(",")):
            for name, value in re.findall(r"(?<![a-z-])(color|background-color): (#[0-9a-f]{6})", body):
                colours[selector, name] = value
    return colours


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(colour: str, other: str) -> float:
    bright, dim = sorted((_luminance(colour), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_its_ground(scheme: str) -> None:
    light, dark = _colours(LIGHT), _colours(DARK)
    for text, grounds in PAIRS:
        for ground in grounds:
            if scheme == "light":
                pair = (light[text, "color"], light[ground, "background-color"])
            else:
                colour = dark.get((text, "color")) or dark.get((ground, "color")) or light[text, "color"]
                pair = (colour, dark[ground, "background-color"])
            assert contrast(*pair) >= 4.5, (scheme, text, ground, pair, round(contrast(*pair), 2))


def test_white_can_be_read_on_every_colour_of_the_games_and_no_two_marks_are_alike() -> None:
    env = environment(Style.TEXT)
    earp: Any = env.get_template("wyatt-earp/words.jinja").make_module({})
    west: Any = env.get_template("way-out-west/words.jinja").make_module(
        {"setup": None, "seats": (), "who": str}
    )
    colours = [outlaw["colour"] for outlaw in earp.OUTLAWS.values()] + west.COLOURS
    assert min(contrast("#ffffff", colour) for colour in colours) >= 5
    marks = [outlaw["mark"] for outlaw in earp.OUTLAWS.values()]
    assert len(set(marks)) == len(marks) == 7
    assert len(set(west.COLOURS)) == 5


def test_a_dark_scheme_and_narrow_screens_survive_inlining() -> None:
    from tests.letters.test_golden import LETTERS

    html = LETTERS["earp_turn_end"]().html
    assert "@media (prefers-color-scheme: dark)" in html
    assert "@media (max-width: 480px)" in html
    assert ".caught {" not in html.split("@media")[0]
