"""What the page brings along for one language: its catalogue, and the formats of the Unicode CLDR through Babel.

Money, dates, numbers and lists are written with them, nothing else: names of countries, currencies, zones and units
stay outside. The catalogue comes in two parts, what the first practice table can say and all of the page.
"""

from __future__ import annotations

import pickle
from collections.abc import Container
from pathlib import Path
from typing import Final

from pbem.base.language.catalogue import compiled_catalogue, mo_bytes
from pbem.base.resources import data_dir, installed_games
from pbem.web.modules import folder_of, package_of

_BABEL: Final = ("__init__", "core", "dates", "languages", "lists", "localedata", "numbers", "plural", "util")
_NOT_WRITTEN: Final = frozenset(
    {
        "all_currencies", "compact_currency_formats", "compact_decimal_formats", "compound_unit_patterns",
        "currency_names", "currency_names_plural", "currency_symbols", "date_fields", "interval_formats", "languages",
        "likely_subtags", "meta_zones", "scripts", "territories", "territory_aliases", "territory_currencies",
        "territory_languages", "territory_zones", "time_zones", "unit_display_names", "unit_patterns", "variants",
        "windows_zone_mapping", "zone_aliases", "zone_territories",
    }
)  # fmt: skip
"""Tables of Babel's data that no format of ``pbem.base.language`` asks for."""


def language_files(code: str) -> dict[str, bytes]:
    """Our catalogue and the formats of one language."""
    home = folder_of("babel")
    files = {f"babel/{name}.py": (home / f"{name}.py").read_bytes() for name in _BABEL}
    for path in sorted((home / "localtime").glob("*.py")):
        files[f"babel/localtime/{path.name}"] = path.read_bytes()
    for name in ("global", "locale-data/root", f"locale-data/{code}"):
        files[f"babel/{name}.dat"] = _written((home / f"{name}.dat").read_bytes())
    files[f"pbem/_data/templates/{_place(code)}.mo"] = mo_bytes(_po(code))
    for folder in map(package_of, sorted(installed_games())):
        if (source := folder / "templates" / f"{_place(code)}.po").is_file():
            files[f"{folder.name}/templates/{_place(code)}.mo"] = mo_bytes(source)
    return files


def catalogue_of(code: str, places: Container[str]) -> dict[str, bytes]:
    """Our catalogue, as far as its messages stand in files of the repository that are in ``places``."""
    compiled = compiled_catalogue(_po(code).read_bytes(), places)
    return {f"pbem/_data/templates/{_place(code)}.mo": compiled}


def _place(code: str) -> str:
    return f"locale/{code}/LC_MESSAGES/pbem"


def _po(code: str) -> Path:
    return data_dir("templates") / f"{_place(code)}.po"


def _written(raw: bytes) -> bytes:
    """A file of Babel's data with the tables emptied that nothing is written with."""
    tables = pickle.loads(raw)  # noqa: S301 - of the installed library
    return pickle.dumps({name: {} if name in _NOT_WRITTEN else table for name, table in tables.items()}, 4)
