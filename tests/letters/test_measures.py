"""How much stands in the text of an email before one knows what to do, and in all; where its button is on a phone."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from pbem.player.letters.letter import Letter
from tests.browsers import launched
from tests.fonts import LETTER, families, set_family
from tests.letters.kinds import shown
from tests.letters.ten import ten

GOLDEN = Path(__file__).parent / "golden"
ASKS = [
    path
    for kind in ("asked", "accepted", "hand_end")
    for path in sorted(GOLDEN.glob(f"*_{kind}.txt"))
    if path.read_text(encoding="utf-8").startswith("Subject: Your turn: ")
]
MOST = {"earp": 436 // 2, "west": 586 // 2}
"""Words beside table and events: half of what stood in an email before they were written again."""
_EVENTS = re.compile(r"^WHAT HAPPENED\n.*?(?=^[A-Z][A-Z, 0-9]+$)", re.MULTILINE | re.DOTALL)
_SHOWN = re.compile(
    r"^(?:WHAT HAPPENED|THE TABLE[^\n]*)\n-+\n.*?(?=^[A-Z][A-Z, 0-9]+\n-+$|^Attached: |^The proofs? of |^-- $)",
    re.MULTILINE | re.DOTALL,
)
"""Events, and a table with its legend, up to what comes behind them."""
_COLUMNS = re.compile(r"^\S.*\S {2,}\S", re.MULTILINE)
"""A line of a table, in a paragraph that is then one."""


def _body(path: Path) -> list[str]:
    """The lines of the text part, behind subject and attachments."""
    head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    assert head.startswith("Subject: ")
    return body.splitlines()


@pytest.mark.parametrize("path", ASKS, ids=lambda path: path.stem)
def test_what_to_do_and_how_to_answer_come_first(path: Path) -> None:
    lines = _body(path)
    todo = next(at for at, line in enumerate(lines) if line.startswith("Your turn to "))
    way = next(at for at, line in enumerate(lines) if line.strip() == "pbem play")
    assert todo <= 4
    assert way <= 14


def test_there_are_such_emails_of_both_games() -> None:
    assert {path.stem.partition("_")[0] for path in ASKS} == set(MOST)
    assert len(ASKS) >= 4


@pytest.mark.parametrize("path", ASKS, ids=lambda path: path.stem)
def test_what_is_neither_table_nor_event_is_short(path: Path) -> None:
    beside = _EVENTS.sub("", "\n".join(_body(path)))
    words = sum(len(part.split()) for part in re.split(r"\n\n+", beside) if not _COLUMNS.search(part))
    assert 20 < words <= MOST[path.stem.partition("_")[0]], words


# --- the ten emails of each game that matter most, of every kind --------------------------------------------

PHONE, LOWEST = 390, 520
"""A phone's width, and where the lower edge of the button may be, in pixels."""
TODO = re.compile(
    r"Your turn to |Press Ready: |Waiting for |The match waits |The match is over\.|This was played "
)
WAY = re.compile(r"   pbem (play|audit \.)$|Nothing for you to do|https://play\.")
"""A command, a link, or that there is nothing to do."""
WORDS = {
    "press Ready": 234 // 2,
    "receipt": 320 // 2,
    "refused": 381 // 2,
    "a day left": 518 // 2,
    "time is up": 427 // 2,
    "your time ran out": 389 // 2,
    "the end": 389 // 2,
    "invitation": 376 // 2,
}
"""Half of what an email of the kind had in all at 6c868bd0 (``tests.letters.kinds``)."""


@pytest.fixture(scope="module", params=["wyatt-earp", "way-out-west"])
def emails(request: pytest.FixtureRequest) -> dict[str, Letter]:
    """By name; their host has a web app."""
    return ten(request.param, "https://play.example.org/")


def test_every_kind_says_early_what_to_do_and_is_short(emails: dict[str, Letter]) -> None:
    for name, letter in emails.items():
        lines = letter.text.splitlines()
        todo = next(at for at, line in enumerate(lines) if TODO.match(line))
        assert sum(map(bool, lines[:todo])) <= 4, name
        assert next(at for at, line in enumerate(lines) if WAY.match(line)) <= 14, name
        beside = re.split(r"\n\n+", _SHOWN.sub("", letter.text))
        words = sum(len(part.split()) for part in beside if not _COLUMNS.search(part))
        most = WORDS.get(name, MOST["west"] if "Way Out West" in letter.subject else MOST["earp"])
        assert words <= most + BY_BROWSER, (name, words)


BY_BROWSER = 40
"""Words about the link, where a host has a web app."""


def test_the_button_is_on_the_first_screen_of_a_phone(emails: dict[str, Letter], driver: Playwright) -> None:
    with launched(driver) as browser:
        page = browser.new_page(viewport={"width": PHONE, "height": 844})
        for name, letter in emails.items():
            page.set_content(shown(letter))
            for family in families():
                set_family(page, family, LETTER)
                box = page.locator("a.button").bounding_box()
                assert box is not None, name
                assert 30 < box["y"] + box["height"] <= LOWEST, (name, family, box)
                assert box["x"] + box["width"] <= PHONE, (name, family, box)
                assert page.evaluate("document.documentElement.scrollWidth") <= PHONE, (name, family)


def test_a_later_emails_button_holds_no_secret_and_an_invitations_holds_its_code(
    emails: dict[str, Letter],
) -> None:
    code = "k" * 26
    for name, letter in emails.items():
        (target,) = re.findall(r'class="button" href="([^"]+)"', letter.html)
        address, _, fragment = unescape(target).partition("#")
        names = {member.partition("=")[0] for member in fragment.split("&")}
        assert code not in address
        assert names == (
            {"join", "seat", "api", "code"} if name == "invitation" else {"match", "seat", "api"}
        )
        assert (code in letter.text + letter.html) is (name == "invitation")
