"""What the page brings along is what its worker asks for: checked on the sources, before any browser starts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from confusable_homoglyphs.confusables import confusables_data

from pbem.player.pictures.picture import Font, metrics
from pbem.web.build import LEFT_OUT, app_files
from pbem.web.modules import imports_of, needed

COMPILED = {
    "cryptography",
    "orjson",
    "rich",
    "textual",
    "PIL",
    "resvg_py",
    "css_inline",
    "jsonschema",
    "referencing",
    "zoneinfo",
    "icalendar",
}
"""Asked for in functions that the page never calls, or has something else for."""


def test_nothing_is_asked_for_that_is_left_out() -> None:
    modules = needed()
    for name, path in modules.items():
        asked = {
            name_of_import.partition(".")[0] for name_of_import in imports_of(name, path) if name_of_import
        }
        assert not asked & LEFT_OUT, name
        if name.startswith("pbem"):
            foreign = asked - sys.stdlib_module_names - {"pbem", "jinja2", "markupsafe", "babel"}
            assert foreign <= COMPILED | {"confusable_homoglyphs"}, name


def test_the_host_stays_at_home() -> None:
    packages = {name.split(".")[1] for name in needed() if name.count(".")}
    assert not packages & {"cli", "host", "attacks", "report", "history", "scenario", "tally"}


def test_the_widths_that_the_page_brings_are_those_of_the_fonts() -> None:
    files = app_files()
    assert not any(name.endswith(".ttf") for name in files)
    for font in Font:
        brought = json.loads(files[f"pbem/_data/templates/fonts/{font.path.stem}.json"])
        assert brought == metrics(font).advances


_WITHOUT_THE_REST = """
import subprocess
import sys
class Elsewhere:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("pbem.") and name not in brought:
            raise ModuleNotFoundError(name)
brought = set(sys.argv[1].split())
sys.meta_path.insert(0, Elsewhere())
import pbem.web.browser
"""


def test_the_worker_begins_with_nothing_but_what_is_brought_along() -> None:
    subprocess.run([sys.executable, "-c", _WITHOUT_THE_REST, " ".join(needed())], check=True)


def test_letters_that_look_alike_are_those_of_the_library(tmp_path: Path) -> None:
    """Names in ASCII ask for a table of their own, which comes with the first files of the page."""
    for name, data in app_files().items():
        if name.startswith("confusable_homoglyphs/"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(data)
    asked = [*map(chr, range(0x300)), *confusables_data]
    output = subprocess.run(
        [sys.executable, "-c", _LOOKED_UP],
        input=json.dumps(asked), capture_output=True, text=True, check=True, cwd=tmp_path,
    ).stdout  # fmt: skip
    plain, alike_there = json.loads(output)
    assert plain == ["plain.json"]
    alike = {letter: [other["c"] for other in confusables_data.get(letter, ())] for letter in asked}
    assert alike_there == {letter: others if len(others) == 1 else [] for letter, others in alike.items()}


_LOOKED_UP = """
import json
import sys
from confusable_homoglyphs.confusables import confusables_data, table
asked, read, whole = json.load(sys.stdin), [], table.__wrapped__
import confusable_homoglyphs.confusables as library
library.table = lambda name: read.append(name) or whole(name)
def answered(letter):
    return [other["c"] for other in confusables_data.get(letter, ())]
for letter in filter(str.isascii, asked):
    for other in answered(letter):
        answered(other)
plain = sorted(set(read))
library.table = table
print(json.dumps([plain, {letter: answered(letter) for letter in asked}]))
"""
