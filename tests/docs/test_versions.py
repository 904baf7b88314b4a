"""One name for the format, everywhere; the version of the package is the first of the changelog."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from pbem.protocol.formats.armour import armour

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    *(path for path in (ROOT / "pbem").rglob("*.py") if "node_modules" not in path.parts),
    *(ROOT / "examples/verifier").glob("*.mjs"),
    ROOT / "schemas/README.md",
]


def test_every_label_names_the_one_format() -> None:
    formats: dict[str, set[str]] = {}
    for path in SOURCES:
        for name in re.findall(r"\bpbem/\d+(?= |\b[^.\w])", path.read_text(encoding="utf-8")):
            formats.setdefault(name, set()).add(path.name)
    about = formats.pop("pbem/2")  # only where its name is shown
    assert about == {"README.md"}
    assert set(formats) == {"pbem/1"}
    assert {"identity.py", "__init__.py", "draws.mjs", "README.md"} <= formats["pbem/1"]


def test_schemas_genesis_and_text_blocks_name_it_too() -> None:
    schemas = [
        json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "schemas").rglob("*.schema.json")
    ]
    assert len(schemas) > 20
    assert all(schema["$id"].startswith("urn:pbem:1:") for schema in schemas)
    (record,) = (schema for schema in schemas if schema["$id"] == "urn:pbem:1:record")
    genesis = record["$defs"]["record-genesis"]["properties"]
    assert genesis["pbem"] == {"const": 1}
    assert genesis["draw"]["properties"]["alg"] == {"const": "pbem-draw-1"}
    assert armour({}).startswith("PBEM1BEGIN")


def test_what_programs_print_is_named_as_the_page_says() -> None:
    section = (ROOT / "schemas/README.md").read_text(encoding="utf-8").partition("## 17 ")[2]
    for name in ("audit", "scenario"):
        schema = json.loads(next((ROOT / "schemas").glob(f"{name}*.schema.json")).read_text(encoding="utf-8"))
        assert f"`{schema['properties']['pbem']['const']}`" in section


def test_the_changelog_begins_with_this_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    first = re.search(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert first is not None
    assert first[1] == version
