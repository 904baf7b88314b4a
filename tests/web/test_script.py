"""The page's own scripts: types, what is linted, unit tests by node's runner; tools by the page's lock."""

from __future__ import annotations

import json
import re
import struct
import subprocess

import pytest

from pbem.web.build import PAGE_WORDS, SOURCES, WEB
from tests.pyodide.page import ROOT, node_or_skip

_TOOLS = WEB / "node_modules"
_TESTS = ROOT / "tests" / "web" / "node"
CHECKS = {
    "types": [str(_TOOLS / ".bin" / "tsc"), "-p", str(WEB)],
    "lint": [
        str(_TOOLS / ".bin" / "eslint"),
        "--config",
        str(WEB / "eslint.config.mjs"),
        str(WEB),
        str(_TESTS),
    ],
}
_SAID = re.compile(r"\bsay\(([^()]*(?:\([^()]*\)[^()]*)*)\)")


def run(command: list[str]) -> str:
    """What a command says; it must go well."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("check", CHECKS)
def test_the_scripts_are_typed_and_clean(check: str) -> None:
    node_or_skip()
    run(CHECKS[check])


def test_the_units_do_what_they_say() -> None:
    result = run(
        [node_or_skip(), "--test", "--test-reporter=tap", *map(str, sorted(_TESTS.glob("*.test.mjs")))]
    )
    counted = {
        key: int(number)
        for key, number in re.findall(r"^# (pass|fail|skipped|todo) (\d+)$", result, re.MULTILINE)
    }
    assert counted["pass"] >= len(re.findall(r"^test\(", _sources_of_tests(), re.MULTILINE)) > 20
    assert counted["fail"] == counted["skipped"] == counted["todo"] == 0


def _sources_of_tests() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(_TESTS.glob("*.test.mjs")))


def test_every_sentence_of_the_page_comes_to_its_screen_by_something_and_none_is_missing() -> None:
    """The page's own modules in a document of the tests: scenes, answers and taps, and what each of them brings."""
    node_or_skip()
    brings: dict[str, list[str]] = json.loads(run(["node", str(_TESTS / "sentences.mjs")]))
    by = {key: sorted(act for act, said in brings.items() if key in said) for key in PAGE_WORDS}
    assert not [key for key, act in by.items() if not act]
    assert not [act for act, said in brings.items() if not set(said) & set(PAGE_WORDS)]
    source = "\n".join(path.read_text(encoding="utf-8") for path in sorted(SOURCES.glob("*.mjs")))
    for inside in _SAID.findall(source):
        plain = re.findall(r'"([a-z]+(?:-[a-z]+)*)"', inside.partition(", {")[0])
        assert {key for key in plain if "===" not in inside} <= set(PAGE_WORDS) | {"match", "hand"}, inside


def test_the_installed_page_has_icons_for_every_mask_and_is_where_others_share_to() -> None:
    body = json.loads((SOURCES / "manifest.webmanifest").read_bytes())
    for icon in body["icons"]:
        raw = (SOURCES / icon["src"]).read_bytes()
        if icon["type"] == "image/png":
            width, height = struct.unpack(">II", raw[16:24])
            assert icon["sizes"] == f"{width}x{height}"
    assert {icon["sizes"] for icon in body["icons"] if icon["purpose"] == "maskable"} == {
        "192x192",
        "512x512",
    }
    share = body["share_target"]
    assert f'name === "{share["action"]}"' in (SOURCES / "service.js").read_text(encoding="utf-8")
    assert [file["name"] for file in share["params"]["files"]] == ["files"]


def test_tools_and_parts_have_exact_versions_by_the_lock() -> None:
    body = json.loads((WEB / "package.json").read_bytes())
    wanted = {**body["dependencies"], **body["devDependencies"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values()), wanted
    locked = json.loads((WEB / "package-lock.json").read_bytes())["packages"]
    for name, version in wanted.items():
        assert locked[f"node_modules/{name}"]["version"] == version
        assert locked[f"node_modules/{name}"]["integrity"].startswith("sha512-")
