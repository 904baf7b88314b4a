"""``examples/third-game`` as somebody has it who installed the package: all of it works, nothing of ours changed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from types import MappingProxyType

import pytest

from pbem.base import resources
from pbem.games import GAMES, find_game, game_ids
from pbem.games.rulebook import games_with_rules
from pbem.web.build import app_files
from pbem.web.languages import language_files
from tests.attacks import ATTACKS, run_attack
from tests.third_game import PACKAGE, installed_in
from tests.verifier.node import VERIFIER, node
from tests.verifier.test_genesis import judged
from tests.web.worker import Device, touched

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the module path that says of the package what an installation says."""
    site = tmp_path_factory.mktemp("site")
    installed_in(site)
    return site


def run(site: Path, *arguments: str, code: int = 0, more: Mapping[str, str] = MappingProxyType({})) -> str:
    """What ``pbem`` prints where the package is installed; ``more`` of the environment."""
    paths = os.pathsep.join(map(str, (site, PACKAGE, ROOT)))
    done = subprocess.run(
        [sys.executable, "-m", "pbem", *arguments],
        env={**os.environ, "PYTHONPATH": paths, "COLUMNS": "100", "PBEM_LANG": "en", **more},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def match(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole match through the real path: files, letters, record."""
    folder = tmp_path_factory.mktemp("demo") / "match"
    result = run(
        installed, "demo", "--game", "german-whist", "--seats", "2", "--seed", "3", "--out", str(folder)
    )
    assert "104 proven now. Audit (open): Everything is proven" in result
    assert "tries" not in result  # nothing is shot or rolled, so there is no table of luck
    return folder


def test_the_audit_proves_every_card(installed: Path, match: Path) -> None:
    assert "Everything is proven" in run(installed, "audit", str(match))


def test_the_second_verifier_checks_it_once_it_learns_of_the_game(match: Path) -> None:
    game = match / "game.jsonl"
    output = node(VERIFIER / "verify.mjs", game, "--game", PACKAGE / "german_whist.mjs")
    assert "Nothing wrong was found.\nDraws: 104 proven now" in output
    lines = game.read_bytes().splitlines(keepends=True)
    spoiled = match / "spoiled.jsonl"
    spoiled.write_bytes(b"".join([*lines[:40], *lines[41:]]))
    node(VERIFIER / "verify.mjs", spoiled, "--game", PACKAGE / "german_whist.mjs", code=4)
    unknown = node(VERIFIER / "verify.mjs", game, code=4)
    assert "this verifier does not know the game german-whist" in unknown


def test_without_its_package_the_match_is_refused_and_says_which_games_there_are(
    match: Path, tmp_path: Path
) -> None:
    result = run(tmp_path, "audit", str(match), code=4)
    assert "no game 'german-whist'; there are: wyatt-earp, way-out-west" in result


def test_a_seat_sees_its_table_in_its_language(installed: Path, match: Path) -> None:
    player = match / "players/anna"
    keys = ["--home", str(player / "home"), "--passphrase-file", str(player / "home/passphrase")]
    result = run(installed, "show", str(player), *keys, "--lang", "de")
    assert "Der Tisch, Runde 2" in result
    assert "Stiche" in result


def test_letters_are_in_its_own_words(match: Path) -> None:
    letters = ""
    for path in (match / "outbox").glob("*-anna-*.eml"):
        part = message_from_bytes(path.read_bytes(), policy=default).get_body(("plain",))
        letters += " ".join(part.get_content().split()) if part is not None else ""
    assert "must be followed by whoever has one" in letters
    assert "wins the trick with" in letters


def test_its_rules_can_be_read_and_a_refusal_names_one(installed: Path) -> None:
    assert "Due giocatori ricevono tredici carte" in run(installed, "rules", "german-whist", "--lang", "it")
    assert "W4" in run(installed, "rules", "W4")


@pytest.fixture
def in_this_process(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package is installed for this test's own process."""
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.syspath_prepend(str(PACKAGE))
    for known in (resources.installed_games, games_with_rules):
        known.cache_clear()
    yield
    for known in (resources.installed_games, games_with_rules):
        known.cache_clear()


def test_it_is_found_by_its_id_and_our_own_stay_two(in_this_process: None) -> None:
    assert find_game("german-whist").info.title == "German Whist"
    assert game_ids() == ("wyatt-earp", "way-out-west", "german-whist")
    assert [game.info.id for game in GAMES] == ["wyatt-earp", "way-out-west"]


def test_both_verifiers_refuse_the_same_options_and_setups_of_it(in_this_process: None) -> None:
    count, fine = judged(["german-whist"], PACKAGE / "german_whist.mjs")
    assert 0 < fine < count // 2, "both answers are tried"


@pytest.mark.parametrize(
    "title", ["host forges a shot", "host lies about a dealt card", "player makes an illegal move"]
)
def test_cheats_are_noticed_in_it_as_in_ours(in_this_process: None, title: str) -> None:
    attack = next(row for row in ATTACKS if row.title == title)
    row = run_attack(attack, ["german-whist"], seats=2)
    assert row.game == "german-whist"
    assert row.kept, row.notices


def test_what_is_compiled_of_it_lies_with_it_and_nothing_of_it_with_ours(
    installed: Path, match: Path, tmp_path: Path
) -> None:
    kept = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    run(installed, "show", str(match / "players/anna"), "--public", more=kept)
    lies = tmp_path / PACKAGE.relative_to("/") / "german_whist/templates"
    assert {path.name.partition(".")[0] for path in lies.iterdir()} >= {"words", "phases"}
    ours = tmp_path / (ROOT / "templates").relative_to("/")
    assert [path.name for path in ours.iterdir() if path.name == "german-whist"] == []


def test_the_page_plays_it_by_touch_as_it_is(in_this_process: None, tmp_path: Path) -> None:
    del in_this_process
    device = Device(tmp_path)
    entry = next(game for game in device("matches")["games"] if game["id"] == "german-whist")
    assert (entry["title"], entry["seats"], entry["practice"]) == ("German Whist", [2], True)
    scene = device("practice", game="german-whist", against=1)["scene"]
    for _ in range(20):  # a hand has 26 cards for each: it goes on
        held = {card["part"]: card["name"] for card in scene["held"]}
        first = {branch["part"] for branch in scene["tree"]["next"]}
        assert first <= set(held)
        assert all("must be followed" in scene["why"][part] for part in set(held) - first)
        scene = touched(device, scene)["scene"]
    assert scene["news"]
    steps = device("news")["news"]["steps"]
    assert any(step["moves"] for step in steps)
    assert device("card", part=scene["held"][0]["part"])["card"]["rows"][0]["id"] == "W2"


def test_the_page_brings_it_along_where_it_is_installed(in_this_process: None) -> None:
    del in_this_process
    files = app_files()
    assert {
        "german_whist/rules.py",
        "german_whist/templates/touch.jinja",
        "german_whist/schemas/view.schema.json",
    } <= set(files)
    assert b"german-whist = german_whist:GAME" in files["german_whist-0.dist-info/entry_points.txt"]
    assert not any(name.startswith("pbem/host/") for name in files)
    assert "german_whist/templates/locale/de/LC_MESSAGES/pbem.mo" in language_files("de")
