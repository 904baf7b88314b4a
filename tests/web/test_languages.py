"""What the page brings along for a language: formats as Babel's whole data has them, catalogues in two parts."""

from __future__ import annotations

import json
import subprocess
import sys
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import pytest

from pbem.base.language import CODES
from pbem.base.language.catalogue import compiled_catalogue
from pbem.web.build import app_files
from pbem.web.languages import language_files

OTHERS = [code for code in CODES if code != "en"]
_WRITTEN = """
import json
import sys
from itertools import product
sys.path[:0] = sys.argv[2:]
import babel
from pbem.base.language.language import clock_of
from pbem.base.language.language import language_of
language, texts = language_of(sys.argv[1]), [babel.__file__]
times = [f"2026-{month:02}-{month + 9:02}T0{month % 10}:05:00Z" for month in range(1, 13)]
for amount in (0, 1, 999, 1000, 4000, 1234567, -4000):
    texts += [language.dollars(amount), language.amount(amount, "$"), language.amount(amount, "")]
    texts += [language.number(amount / 7, places) for places in range(4)]
for time, now in product(times, ("2026-01-09T00:00:00Z", "2026-06-14T12:00:00Z")):
    for zone in ("UTC", "Europe/Berlin", "America/New_York"):
        clock = clock_of(zone)
        forms = (language.moment, language.until, language.day_hour, language.brief)
        texts += [form(time, now, clock) for form in forms]
    texts += [language.when(time), language.soon(time), language.day(time[:10]), language.left(now, time)]
texts += [language.weekday(day) for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")]
texts += [language.listed(list("abcd"[:size])) for size in range(5)]
print(json.dumps(texts))
"""


@pytest.mark.parametrize("code", OTHERS)
def test_formats_are_those_of_the_whole_data(code: str, tmp_path: Path) -> None:
    for name, data in language_files(code).items():
        if name.startswith("babel/"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(data)

    def written(*first: str) -> tuple[str, list[str]]:
        run = [sys.executable, "-c", _WRITTEN, code, *first]
        place, *lines = json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
        return place, lines

    place, brought = written(str(tmp_path))
    assert Path(place).is_relative_to(tmp_path)
    whole_place, whole = written()
    assert not Path(whole_place).is_relative_to(tmp_path)
    assert brought == whole


@pytest.mark.parametrize("code", OTHERS)
def test_a_catalogue_of_some_files_has_their_messages_and_no_others(code: str) -> None:
    source = Path("templates", "locale", code, "LC_MESSAGES", "pbem.po").read_bytes()

    def messages(places: frozenset[str] | None) -> dict[str, str]:
        catalogue = GNUTranslations(BytesIO(compiled_catalogue(source, places)))
        return {str(key): text for key, text in vars(catalogue)["_catalog"].items() if key}

    whole, some = messages(None), messages(frozenset({"pbem/web/worker.py", "templates/records.jinja"}))
    assert some.items() < whole.items()
    assert "there is no such choice" in some
    assert not messages(frozenset())
    assert (
        messages(frozenset(name.removeprefix("pbem/_data/") for name in app_files())).items() < whole.items()
    )
