"""The table in the hand: one screen, by touch alone, what happened meanwhile, words held, Back, large letters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from pbem.base.language import CODES, language_of
from pbem.games import find_game
from pbem.games.touching import touching_of
from pbem.player.letters.layout import capital
from pbem.player.letters.rendering import Style, macros, one_line
from tests.browsers import launched
from tests.fonts import FAMILIES, drawn, family_or_skip, only, set_family
from tests.play.walk import positions
from tests.web.conftest import FLAGS
from tests.web.device import Phone

_BOX = """(what) => {
  const { top, bottom, height } = document.querySelector(what).getBoundingClientRect();
  return [top, bottom, height];
}"""
_SIZE = "(what) => document.querySelector(what).getBoundingClientRect().toJSON()"
_LARGE = "(size) => { document.documentElement.style.fontSize = size; }"
_TOUCHED = """(part) => {
  const box = document.querySelector(`.board [data-part=${part}]`).getBoundingClientRect();
  const at = { bubbles: true, detail: 1, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
  const board = document.querySelector('.board');
  board.dispatchEvent(new PointerEvent('pointerdown', at));
  board.dispatchEvent(new PointerEvent('pointerup', at));
  board.dispatchEvent(new MouseEvent('click', at));
}"""
"""A finger on a part of the table; nothing scrolls there first."""
_AT_ONCE = f"""() => {{
  ({_TOUCHED})('supply');
  document.getElementById('yes').dispatchEvent(new MouseEvent('click', {{ bubbles: true, detail: 1 }}));
}}"""
"""A finger on the supply, and one on the yes before anybody can have read it."""
_SEATED = """async (names) => {
  const { breaking } = await import("./board.mjs");
  const place = document.querySelector('.players');
  const [person, ...others] = place.children;
  const computer = others[0].cloneNode(true);
  place.replaceChildren(...names.map((name) => {
    const made = (name.endsWith('*') ? computer : person).cloneNode(true);
    made.querySelector('.name').textContent = breaking(name.replace('*', ''));
    made.querySelector('.figure').textContent = '$12,300';
    return made;
  }));
  const faults = [];
  const hides = (box) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
  for (const row of place.querySelectorAll('.name')) {
    const [text, seat] = [row.firstChild, row.closest('.seat').getBoundingClientRect()];
    const letters = [...text.data].map((letter, at) => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + letter.length);
      return { letter, at, box: [...range.getClientRects()].at(-1) ?? { width: 0 } };
    });
    const seen = letters.filter(({ letter, box }) => box.width && letter !== '\\u00ad');
    const outside = ({ box }) => box.left < seat.left || box.right > seat.right + 1 || box.bottom > seat.bottom + 1;
    const first = seen.filter(({ box }, which) => which && box.top > seen[which - 1].box.top + 1);
    if (hides(row)) faults.push(`${text.data} is cut`);
    if (seen.some(outside)) faults.push(`${text.data} is outside`);
    if (first.some(({ at }) => !' -\\u00ad'.includes(letters[at - 1].letter))) faults.push(`${text.data} is torn`);
    if (first.length > 2) faults.push(`${text.data} has ${first.length + 1} lines`);
  }
  if (hides(place)) faults.push('they are scrolled');
  place.replaceChildren(person, ...others);
  return faults;
}"""
"""So many players in the line, each with much money, a star at a computer: what of their names cannot be read."""
_WATCH_SHEETS = """() => new MutationObserver(() => {
  if (document.querySelector('dialog:not([open])')) globalThis.unopened = true;
}).observe(document, { subtree: true, childList: true })"""
"""Observed before anything else happens: whether a sheet is drawn and a tap would still go to what lies under it."""
_CUT = """() => [...document.querySelectorAll('.card .name, .seat .name')].filter((one) =>
  one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.parentElement.clientHeight
).map((row) => row.innerText)"""


@pytest.fixture(scope="module")
def phone(browser: Any, served: str) -> Iterator[Phone]:
    """A practice match of Wyatt Earp on a small phone."""
    new_phone = Phone(browser, served, width=360, height=560, reduced_motion="no-preference")
    new_phone.open("#practice=wyatt-earp")
    new_phone.wait("table")
    yield new_phone
    assert new_phone.said == []
    new_phone.close()


@pytest.fixture(params=FAMILIES)
def written(phone: Phone, request: pytest.FixtureRequest) -> Iterator[Phone]:
    """The same phone in each family of letters."""
    set_family(phone.page, family_or_skip(request.param))
    yield phone
    set_family(phone.page, drawn())


def box(phone: Phone, selector: str) -> tuple[float, float, float]:
    """Top, bottom and height of something on the screen."""
    top, bottom, height = phone.page.evaluate(_BOX, selector)
    return top, bottom, height


def skipped(phone: Phone) -> None:
    """Until what happened meanwhile is shown, which is skipped then."""
    phone.page.locator(".game[data-news=yes]").wait_for()
    assert phone.page.locator(".now").inner_text()
    phone.page.locator("#yes").click()
    phone.page.locator(".game[data-news=no]").wait_for()
    phone.rest()


def test_turn_table_hand_and_yes_are_on_one_screen_and_no_name_is_cut(written: Phone) -> None:
    before = 0.0
    for selector in (".bar", ".turn", ".players", ".seen", ".held", ".actions"):
        top, bottom, _ = box(written, selector)
        assert before - 1 <= top < bottom <= 561, selector
        before = bottom
    assert box(written, ".board")[2] <= 210
    assert written.ask(_CUT) == []
    assert written.ask("() => document.documentElement.scrollWidth") <= 360


def test_names_in_the_line_of_players_are_whole_and_a_computer_has_its_sign(written: Phone) -> None:
    assert written.page.locator(".players .name").all_inner_texts() == ["Anna", "Burt", "Curt"]
    assert written.page.locator(".seat:has(.computer) .hidden", has_text="(bot)").count() == 2
    assert written.ask(_SEATED, ["Anna Maria", "Burt*", "Christopher"]) == []
    assert written.ask(_SEATED, ["Anna Wilhelmina", "Konstantinopoul*", "Schwarzschildts"]) == []
    assert written.ask(_SEATED, ["Anna", "Burt*", "Gustav", "Dora*", "Emil"]) == []
    assert (
        "is cut"
        in written.ask(
            _SEATED, ["Anna", "Burt*", "Somebody with a name for whom there is no " + 5 * "room "]
        )[0]
    )


def test_draw_and_discard_are_four_taps_and_no_dialog_comes(phone: Phone) -> None:
    assert sorted(phone.marked) == ["discard", "supply"]
    phone.touch("supply")  # one
    assert phone.offered.startswith("Draw two")
    assert phone.page.locator("section.choosing .tray").count() == 0
    phone.yes()  # two
    if phone.page.locator(".game[data-news=yes]").count():
        skipped(phone)
    phone.done(phone.page.locator(".card.can").first.tap)  # three
    assert phone.offered.startswith("Discard")
    assert "ends your turn" in phone.page.locator("#yes .effect").inner_text()
    phone.yes()  # four
    assert phone.page.locator("dialog").count() == 0
    skipped(phone)  # what the others did meanwhile comes first
    assert sorted(phone.marked) == ["discard", "supply"]


def test_the_yes_takes_no_tap_at_once_and_a_part_that_leads_nowhere_says_why(phone: Phone) -> None:
    phone.page.evaluate(_AT_ONCE)
    phone.rest()
    assert phone.offered.startswith("Draw two")
    assert phone.asked == "Your turn to draw"
    phone.press("Choose something else")
    phone.done(phone.page.locator(".card").first.tap)
    assert phone.page.locator(".hint").inner_text() not in (
        "",
        "Touch what is marked. Hold a card to read about it.",
    )
    assert sorted(phone.marked) == ["discard", "supply"]


def test_a_card_held_says_what_it_does_and_the_rules_are_searched(phone: Phone) -> None:
    phone.page.locator(".card").first.click(delay=700)
    phone.page.locator("dialog[open] dl.rules dd").first.wait_for()
    phone.page.go_back()  # closes what lies over the table, and nothing else
    phone.page.locator("dialog").wait_for(state="detached")
    assert phone.page.get_attribute("html", "data-screen") == "table"
    phone.press("More")
    phone.press("The rules")
    every = phone.page.locator("dialog[open] dl.rules > div").count()
    phone.page.fill("#find", "hideout")
    rules = phone.page.locator("dialog[open] dl.rules > div")
    assert 0 < rules.count() < every
    phone.page.fill("#find", "no such word")
    assert "No rule contains" in phone.page.locator("dialog[open] [role=status]").inner_text()
    phone.press("Close")


def test_what_was_unfolded_and_scrolled_stays_so(phone: Phone) -> None:
    unfolded = phone.page.locator("details.latest")
    unfolded.locator("summary").click()
    phone.page.evaluate("() => document.querySelector('details.latest').scrollIntoView()")
    before = phone.page.evaluate("() => scrollY")
    assert before > 0
    for _ in range(2):  # fingers that do not scroll
        phone.page.evaluate(_TOUCHED, "supply")
        phone.rest()
        assert phone.offered.startswith("Draw two")
        phone.page.evaluate("() => document.querySelector('.yes .clear').click()")
        phone.rest()
    assert unfolded.get_attribute("open") is not None
    assert phone.page.evaluate("() => scrollY") == before
    phone.page.evaluate("() => scrollTo(0, 0)")


def test_a_sheet_stands_as_soon_as_it_is_drawn_and_shows_a_part_from_near(phone: Phone) -> None:
    phone.ask(_WATCH_SHEETS)
    phone.press("More")
    phone.press("Close")
    phone.page.locator(".board").click(button="right", position={"x": 60, "y": 60})
    near = phone.page.locator("dialog[open] .near svg")
    near.wait_for()
    part, place = (phone.ask(_SIZE, f"dialog .near {selector}") for selector in ("svg > *", "svg"))
    assert max(part["width"] / place["width"], part["height"] / place["height"]) > 0.95
    phone.press("Close")
    assert not phone.ask("() => globalThis.unopened")


def test_lying_on_its_side_the_table_has_a_column_of_its_own(written: Phone) -> None:
    written.page.set_viewport_size({"width": 844, "height": 390})
    written.page.evaluate("() => scrollTo(0, 0)")
    left, right = (written.ask(_SIZE, selector) for selector in (".seen", ".held"))
    assert left["right"] <= right["left"]
    for selector in (".turn", ".seen", ".held", ".actions"):
        top, bottom, _ = box(written, selector)
        assert -1 <= top < bottom <= 391, selector
    written.page.set_viewport_size({"width": 360, "height": 560})


def test_letters_of_twice_the_size_leave_the_table_most_of_the_screen(written: Phone) -> None:
    written.page.evaluate(_LARGE, "200%")
    written.page.locator("html[data-large=yes]").wait_for()
    assert box(written, ".bar")[2] + box(written, ".actions")[2] <= 0.3 * 560
    assert written.page.locator(".held").is_hidden()
    written.done(written.page.get_by_role("tab", name="Your hand").tap)
    assert written.page.locator(".held").is_visible()
    assert written.page.locator(".seen").is_hidden()
    written.done(written.page.get_by_role("tab", name="The table").tap)
    written.page.evaluate(_LARGE, "")
    written.page.locator("html[data-large=no]").wait_for()


_CUT_OF = """(names) => {
  const model = document.querySelector('.hand li');
  const cut = [];
  for (const [lang, name] of names) {
    const made = model.cloneNode(true);
    made.lang = lang;
    made.querySelector('.count')?.remove();
    made.querySelector('.name').textContent = name;
    const count = Object.assign(document.createElement('span'), { className: 'count', textContent: '×5' });
    made.querySelector('.card').append(count);
    model.after(made);
    const one = made.querySelector('.name');
    const lines = Math.round(one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).lineHeight));
    const high = one.scrollHeight > one.parentElement.clientHeight || lines > 2;
    if (one.scrollWidth > one.clientWidth || high) cut.push(`${lang}: ${name}, ${lines} lines`);
    made.remove();
  }
  return cut;
}"""
"""Names as tiles of this hand, each with a count: those that are cut or need a third line."""


def test_no_name_of_a_tile_is_cut_in_any_language_on_the_smallest_phone(written: Phone) -> None:
    names = [[code, name] for game in ("wyatt-earp", "way-out-west") for code, name in tile_names(game)]
    assert len(names) > 100
    assert written.page.evaluate(_CUT_OF, names) == []
    assert written.page.evaluate(
        _CUT_OF, [["de", "Rechtsschutzversicherung"], ["fr", "un deux trois quatre cinq six"]]
    )


_BOXES = """() => [...document.querySelectorAll('.game *, .choosing *')]
  .filter((one) => !one.closest('svg, pre, .hidden, [aria-hidden=true]'))
  .map((one) => [one.className || one.tagName, ...Object.values(one.getBoundingClientRect().toJSON())])"""
"""Where everything stands that is written in the page's own family; signs that a family lacks come from others."""


def test_a_machine_that_has_one_family_alone_shows_what_the_style_shows(
    written: Phone, driver: Any, built: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    sheet = f"<style>{(built / 'page.css').read_text(encoding='utf-8')}</style>"
    shown = str(written.ask("() => document.documentElement.outerHTML"))
    still = re.sub("<(script|link)[^>]*>", "", shown).replace("</head>", f"{sheet}</head>")
    environ = only(request.node.callspec.params["written"], tmp_path)
    with launched(driver, *FLAGS, environ=environ) as alone:
        page = alone.new_page(viewport={"width": 360, "height": 560}, has_touch=True)
        page.set_content(f"<!doctype html>{still}")
        boxes = page.evaluate(_BOXES)
    assert len(boxes) > 50
    for (name, *box_here), (other, *box_alone) in zip(written.ask(_BOXES), boxes, strict=True):
        assert name == other
        assert box_here == pytest.approx(box_alone, abs=1), name


def tile_names(game: str) -> set[tuple[str, str]]:
    """What can lie in the hand's place in any position, by language, as the tile says it."""
    tile_texts = set()
    for table, seat in islice(positions(game, 3, 5), 150):
        rules = table.rules
        view = rules.view_to_json(rules.observe(table.state, seat))
        for part, _ in touching_of(find_game(game)).held(view, rules.summary(view)):
            tile_texts.add(tuple(part.split(":", 1)))
    names = set()
    for code in CODES:
        context = {"view": {}, "summary": {}, "me": "anna", "who": str, "seats": (), "setup": rules.setup}
        said = macros(Style.TEXT, game, "touch.jinja", context, language_of(code))
        names |= {(code, capital(one_line(said.short(kind, name)))) for kind, name in tile_texts}
    return names
