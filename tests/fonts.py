"""The families of letters in which the page, emails and reports are looked at, whatever this machine's own are.

No phone has the fonts of the machine on which a page was made. Tests of the layout take each family in turn, within the
open page; all other tests of pages take one that a seed draws: ``--font SEED`` draws the same again.
"""

from __future__ import annotations

import json
import os
import random
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.needed import require

FILES: Final = {
    "Noto Sans": "NotoSans-Regular.ttf",
    "DejaVu Sans": "DejaVuSans.ttf",
    "Liberation Sans": "LiberationSans-Regular.ttf",
    "Roboto": "Roboto-Regular.ttf",
}
FAMILIES: Final = tuple(FILES)
PAGE: Final = ":root"
"""What has the page's own family, for ``SET``; drawings and what is to be copied have others."""
LETTER: Final = "body, .mark"
REPORT: Final = "body, .mark, .chip, .plot, .face"
_PLACES: Final = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path.home() / ".local/share/fonts",
)
_SET: Final = """([family, selector]) => {
  const sheet = (globalThis.familyOfTests ??= new CSSStyleSheet());
  sheet.replaceSync(family && `${selector} { font-family: "${family}", sans-serif !important; }`);
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
}"""
_DRAWN: list[str] = []
"""The family of this run; none outside of tests."""


@cache
def folder_of(family: str) -> Path | None:
    """Where the family lies on this machine, with its bold letters."""
    for place in _PLACES:
        file = next(place.rglob(FILES[family]), None)
        if file:
            return file.parent
    return None


def family_or_skip(family: str) -> str:
    """The family, if it is installed; else see ``require``."""
    require("" if folder_of(family) else f"the font {family} is not installed")
    return family


_ALONE: Final = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{folder}</dir>
  <cachedir>{folder}/cache</cachedir>
  <match target="pattern"><edit name="hinting" mode="assign"><bool>false</bool></edit></match>
  <alias binding="same"><family>system-ui</family><prefer><family>{family}</family></prefer></alias>
</fontconfig>
"""


def only(family: str, folder: Path) -> dict[str, str]:
    """The environment of a machine that has no other family; its letters are linked into the folder.

    They have the widths that the fonts say: hinted ones, as some machines have them, are as wide as whole pixels.
    """
    name = FILES[family].removesuffix(".ttf").removesuffix("-Regular")
    place = folder_of(family)
    assert place is not None
    for file in (*place.glob(f"{name}.ttf"), *place.glob(f"{name}-*.ttf")):
        (folder / file.name).symlink_to(file)
    (folder / "fonts.conf").write_text(_ALONE.format(folder=folder, family=family), encoding="utf-8")
    return {**os.environ, "FONTCONFIG_FILE": str(folder / "fonts.conf")}


def drawn() -> str:
    """The family of this run; empty where none is installed, and outside of tests."""
    return "".join(_DRAWN)


def families() -> tuple[str, ...]:
    """Those that are installed here; without any, see ``require``."""
    installed = tuple(filter(folder_of, FAMILIES))
    require("" if installed else f"none of the fonts {', '.join(FAMILIES)} is installed")
    return installed


def set_family(page: Any, family: str, selector: str = PAGE) -> None:
    """From now on the open page is written in this family, or in its own if it is empty."""
    page.evaluate(_SET, [family, selector])


def drawn_script() -> str:
    """What writes every page of a browser in the family of this run, from its beginning."""
    return f"({_SET})({json.dumps([drawn(), PAGE])})"


class Draw:
    """A plugin of pytest: one family for each run."""

    def __init__(self, config: pytest.Config) -> None:
        """The seed of a worker is its controller's."""
        given: Any = getattr(config, "workerinput", {}).get("font", config.getoption("--font"))
        self._seed: int = random.SystemRandom().randrange(10_000) if given is None else given
        here = list(filter(folder_of, FAMILIES))
        _DRAWN[:] = random.Random(self._seed).sample(here, min(1, len(here)))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Hand the seed to a worker."""
        node.workerinput["font"] = self._seed

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the family, where pages were looked at."""
        reports = [report for name in ("passed", "failed") for report in terminalreporter.stats.get(name, ())]
        if any(
            report.nodeid.startswith(("tests/web/", "tests/letters/", "tests/report/")) for report in reports
        ):
            terminalreporter.write_line(f"pages in {drawn() or 'no known font'}: --font {self._seed}")
