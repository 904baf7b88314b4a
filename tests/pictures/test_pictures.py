"""The pictures of both games: whole, legible, small, the same everywhere, and without a hidden card."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pbem.base.language import CODES, language_of
from pbem.base.resources import data_dir
from pbem.game import PUBLIC, JsonObject, Seat, Setup
from pbem.games.way_out_west.board import read_board, standard_board
from pbem.player.letters.rendering import Style, environment, marks
from pbem.player.pictures import ZOOM, Font, Picture, draw, drawable, to_png, width_of
from pbem.player.pictures.picture import LEGIBLE, name_of
from pbem.player.pictures.picture import environment as pictures_environment
from tests.conformance.driver import Case, played, profile_cases
from tests.letters.fakes import (
    FakeSource,
    earp_source,
    earp_view,
    group,
    town,
    toy_source,
    west_source,
    west_view,
)
from tests.letters.golden import check
from tests.patience import PATIENCE
from tests.pictures.pixels import Pixels

HAND = ["hideout", "jesse-james", "jesse-james", "photo:wes-hardin", "wes-hardin", "wyatt-earp", "wyatt-earp"]
LARGEST = 84_000
SVG = "{http://www.w3.org/2000/svg}"


def wide(source: FakeSource, view: JsonObject, viewer: str | None = None) -> Picture:
    assert source.figures is not None
    seat = None if viewer is None else Seat(viewer)
    picture = draw(
        source.game_info.id,
        view,
        source.setup,
        source.names,
        source.figures(view, source.setup),
        viewer=seat,
        cid="table@pbem.invalid",
    )
    assert picture is not None
    return picture


def _own_view(**more: object) -> JsonObject:
    view = earp_view()
    return {**view, "hands": {**view["hands"], "anna": HAND}, **more}


def _full_table() -> JsonObject:
    """As much as can lie there: every seat has everything of every Outlaw."""
    most = group(7, photo=True, bank_robbery=2, stagecoach_robbery=2, fastest_gun=2)
    covered = {**most, "hideout": True}
    names = list(earp_view()["posters"])
    territories = {
        "anna": dict.fromkeys(names, most),
        "burt": dict.fromkeys(names, covered),
        "curt": dict.fromkeys(names, most),
    }
    money = dict.fromkeys(territories, 25_000)
    return earp_view(
        territories=territories,
        opened=names,
        money=money,
        posters=dict.fromkeys(names, 18_000),
        reshuffled=True,
    )


def _full_map() -> JsonObject:
    """As much as can stand there: no corral and no lot is free."""
    seats = ("anna", "burt", "curt")
    kinds = ("jail", "stagecoach", "train", "bank", "store", "hotel")
    towns = {}
    for plan in read_board(standard_board()).towns:
        cattle = Counter(islice(cycle(seats), plan.corrals - 1))
        assets = dict.fromkeys(kinds[: plan.buildings], "curt")
        towns[plan.id] = town(
            cowboys=dict.fromkeys(seats, 3),
            cattle=dict(cattle),
            assets=assets,
            farmer="anna",
            sheriff_down=True,
        )
    return west_view(towns=towns)


PICTURES = {
    "earp": lambda: wide(earp_source(), earp_view()),
    "earp-own": lambda: wide(earp_source(), _own_view(), "anna"),
    "earp-full": lambda: wide(earp_source(), _full_table()),
    "west": lambda: wide(west_source(), west_view()),
    "west-full": lambda: wide(west_source(), _full_map()),
}


# --- the same bytes everywhere ------------------------------------------------------------------------------


@pytest.mark.golden
@pytest.mark.parametrize("name", ["earp", "earp-own", "west"])
def test_the_drawing_is_as_it_was_looked_at(name: str) -> None:
    check(f"{name}.svg", PICTURES[name]().svg + "\n", Path(__file__).parent / "golden")


@pytest.mark.parametrize("name", PICTURES)
def test_the_same_table_gives_the_same_bytes_in_the_stated_size(name: str) -> None:
    picture = PICTURES[name]()
    png = picture.png
    to_png.cache_clear()
    assert PICTURES[name]().png == png
    assert struct.unpack(">II", png[16:24]) == (picture.width * ZOOM, picture.height * ZOOM)
    assert picture.width * ZOOM == 1200


def test_another_process_draws_the_same_bytes() -> None:
    code = (
        "from hashlib import sha256; from tests.pictures.test_pictures import PICTURES; "
        "print(*(sha256(PICTURES[name]().png).hexdigest() for name in ('earp', 'west')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout.split() == [sha256(PICTURES[name]().png).hexdigest() for name in ("earp", "west")]


@pytest.mark.parametrize("name", ["earp", "earp-full", "west", "west-full"])
def test_a_picture_for_a_mail_is_small(name: str) -> None:
    assert len(PICTURES[name]().png) < LARGEST


# --- what is to be seen -------------------------------------------------------------------------------------


def test_posters_captures_and_cards_are_where_they_belong() -> None:
    pixels = Pixels(PICTURES["earp-own"]().png)
    belle = (14, 54)
    assert pixels.at(belle[0] + 27, belle[1] + 35) == "#6b2d73", "Belle Starr's badge"
    assert pixels.at(belle[0], belle[1] + 60) == "#b3261e", "a frame in red: enough for a capture"
    assert pixels.share("#fffaf0", 18, 546, 96, 656) < 0.01, "a Hideout is a Sheriff card, not an Outlaw card"
    assert pixels.share("#c9a45c", 18, 546, 96, 656) > 0.2
    assert pixels.share("#9b2226", 104, 546, 193, 656) > 0.2, "two cards of Jesse James, in his colour"


def test_counters_have_their_owners_colour() -> None:
    pixels = Pixels(PICTURES["west"]().png)
    x, y = 18, 92 + 136 + 24
    for number, colour in enumerate(("#9b2226", "#9b2226", "#2a6436")):
        assert pixels.at(x + 9 + 24 * (number + 0.5), y + 43 + 6.5) == colour


def test_every_seat_has_a_shape_of_its_own() -> None:
    seats = tuple(map(Seat, ("anna", "burt", "curt", "dora", "emil")))
    macros = pictures_environment().get_template("pictures/seats.svg.jinja")
    module = macros.make_module({"seats": seats, "marks": marks(seats), "names": {}})
    shapes = [re.sub(r'fill="[^"]*"', "", str(module.outline(seat, 10, "")).strip()) for seat in seats]  # type: ignore[attr-defined]
    assert len(set(shapes)) == len(seats)
    words = environment(Style.HTML).get_template("way-out-west/words.jinja").make_module({})
    assert module.COLOURS == words.COLOURS, "letters and pictures use the same colours"  # type: ignore[attr-defined]


def test_every_outlaw_has_an_emblem_of_its_own() -> None:
    art = pictures_environment().get_template("wyatt-earp/art.svg.jinja").make_module({})
    outlaws = list(earp_view()["posters"])
    drawn = [str(art.emblem(outlaw, 0, 0, 10, "#fff", "#000")) for outlaw in outlaws]  # type: ignore[attr-defined]
    assert len(set(drawn)) == len(outlaws)


def test_every_card_of_a_hand_is_drawn_and_copies_are_counted() -> None:
    texts = _texts(PICTURES["earp-own"]())
    for words in ("Hideout", "Wyatt", "Earp", "Photo", "Your hand", "7 cards"):
        assert words in texts
    assert texts.count("×2") == 2
    assert texts.count("JJ") == 1, "of a copy behind nothing but its edge is seen"


def test_what_a_search_shows_its_seat_is_drawn_too() -> None:
    view = _own_view(found="hideout", stack=["fastest-gun", "belle-starr"] * 9)
    picture = wide(earp_source(), view, "anna")
    assert _texts(picture).count("Fastest") == 9
    assert picture.height > wide(earp_source(), _own_view(), "anna").height


def test_a_change_on_the_table_changes_the_picture() -> None:
    more = west_view()
    more["towns"]["deadwood"] = town(cattle={"anna": 1})
    assert wide(west_source(), more).svg != PICTURES["west"]().svg


def test_an_auction_and_a_gunfight_are_shown() -> None:
    assert "bids $3" in _texts(wide(west_source(), west_view(phase="auction")))
    fight = {"town": "abilene", "attacker": "anna", "defender": "farmer", "target": {"farmer": True}, "attack": 2,
             "defence": 1, "first": "both", "round": 1, "asks": "fire", "seat": "anna", "sheriff": "none"}  # fmt: skip
    assert "2:1" in _texts(wide(west_source(), west_view(phase="gunfight", fight=fight)))


def test_hidden_money_is_not_drawn() -> None:
    assert "$?" in _texts(wide(west_source(), west_view(cash={"burt": 9})))


def test_the_picture_says_in_words_what_it_shows_and_where_more_is() -> None:
    assert "Kansas City: 4 of 5 corrals, 0 of 4 buildings." in PICTURES["west"]().alt
    assert "Jesse James: $7,000, 12/8 CP." in PICTURES["earp"]().alt
    assert all("the same in words below" in PICTURES[name]().alt for name in ("earp", "west"))


def test_a_game_without_a_picture_has_none() -> None:
    source = toy_source()
    assert draw(source.game_info.id, {"score": 1}, source.setup, source.names, {}) is None


# --- lettering ----------------------------------------------------------------------------------------------


def _elements(picture: Picture) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture.svg).iter(f"{SVG}text"))  # noqa: S314 - our own


def _texts(picture: Picture) -> list[str]:
    return [element.text or "" for element in _elements(picture)]


@pytest.mark.parametrize(
    "path", sorted(data_dir("templates").rglob("*.svg.jinja")), ids=lambda path: path.parent.name
)
def test_no_template_writes_text_past_the_lettering(path: Path) -> None:
    assert "<text" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PICTURES)
def test_every_text_is_in_our_fonts_and_legible_at_the_letters_width(name: str) -> None:
    for element in _elements(PICTURES[name]()):
        font = Font(element.get("font-family"))
        text = element.text or ""
        assert drawable(text, font) == text
        assert "□" not in text
        assert float(element.get("font-size", 0)) >= 4


def test_a_name_is_no_markup_and_one_of_strange_letters_becomes_the_seats_id() -> None:
    source = west_source(names={"anna": '<Anna> & "co"', "burt": "王五", "curt": "Żółć\u202e"})
    texts = _texts(wide(source, west_view()))
    assert '<Anna> & "co"' in texts
    assert "burt" in texts
    assert "Żółć" in texts
    assert name_of({Seat("anna"): "  "}, Seat("anna")) == "anna"


def test_the_longest_names_stay_in_their_places() -> None:
    source = west_source(names=dict.fromkeys(("anna", "burt", "curt"), "W" * 60))
    for element in _elements(wide(source, west_view())):
        if (element.text or "").startswith("WW"):
            assert width_of(element.text or "", float(element.get("font-size", 0))) <= 572 / 3 - 40


# --- portraits ----------------------------------------------------------------------------------------------


def portrait(source: FakeSource, view: JsonObject, code: str, viewer: str | None = None) -> Picture:
    assert source.figures is not None
    picture = draw(
        source.game_info.id,
        view,
        source.setup,
        source.names,
        source.figures(view, source.setup),
        viewer=(viewer and Seat(viewer)) or None,
        language=language_of(code),
        portrait=True,
    )
    assert picture is not None
    return picture


def _sizes(element: ElementTree.Element, scale: float = 1.0) -> Iterator[tuple[str, float]]:
    """Every text with the size in which it comes out."""
    match = re.search(r"scale\(([\d.]+)\)", element.get("transform", ""))
    scale *= float(match[1]) if match else 1.0
    if element.tag == f"{SVG}text":
        yield element.text or "", scale * float(element.get("font-size", 0))
    for child in element:
        yield from _sizes(child, scale)


PORTRAITS = {
    "earp": (earp_source, earp_view, None),
    "earp-own": (earp_source, _own_view, "anna"),
    "earp-full": (earp_source, _full_table, None),
    "west": (west_source, west_view, None),
    "west-full": (west_source, _full_map, None),
}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("name", PORTRAITS)
def test_on_a_phone_every_word_of_a_portrait_is_whole_and_large_enough(name: str, code: str) -> None:
    source, view, viewer = PORTRAITS[name]
    picture = portrait(source(), view(), code, viewer)
    assert picture.width == 364
    said = [(text, size) for text, size in _sizes(ElementTree.fromstring(picture.svg)) if text != "$"]  # noqa: S314
    assert len(said) > 30
    assert [(text, size) for text, size in said if size < LEGIBLE or "…" in text] == []


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("game", ["earp", "west"])
def test_nothing_is_cut_in_a_wide_picture(game: str, code: str) -> None:
    source, view, _ = PORTRAITS[game]
    shown = source()
    assert shown.figures is not None
    figures = shown.figures(view(), shown.setup)
    picture = draw(shown.game_info.id, view(), shown.setup, shown.names, figures, language=language_of(code))
    assert picture is not None
    assert not any("…" in text for text in _texts(picture))


def test_a_portrait_of_the_open_table_is_as_small_as_a_wide_picture() -> None:
    assert len(portrait(west_source(), west_view(), "en").png) < LARGEST
    assert len(portrait(earp_source(), earp_view(), "en").png) < LARGEST


def test_the_small_signs_of_way_out_west_have_a_legend() -> None:
    texts = _texts(PICTURES["west"]())
    assert {"points", "wanted", "farmers", "actions left", "sheriff"} <= set(texts)


# --- whole matches ------------------------------------------------------------------------------------------

CASES = [case for case in profile_cases() if case.game_id in ("wyatt-earp", "way-out-west")]


@cache
def _public_pictures(case: Case) -> tuple[Picture, ...]:
    return tuple(_with(case, record.state, None) for record in played(case)[::6])


def _with(case: Case, state: object, viewer: Seat | None, shown_to: Seat | None = None) -> Picture:
    rules = case.rules()
    view = rules.view_to_json(rules.observe(state, viewer if viewer is not None else PUBLIC))
    public = rules.view_to_json(rules.observe(state, PUBLIC))
    picture = draw(
        case.game_id, view, rules.setup, _names(rules.setup), rules.summary(public), viewer=shown_to
    )
    assert picture is not None
    return picture


def _names(setup: Setup) -> dict[Seat, str]:
    return {seat: seat.capitalize() for seat in setup.seats}


def _moments(case: Case) -> Iterator[object]:
    for record in played(case)[::9]:
        yield record.state


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_table_of_a_match_can_be_drawn_and_nothing_runs_over_the_edge(case: Case) -> None:
    for picture in _public_pictures(case):
        root = ElementTree.fromstring(picture.svg)  # noqa: S314 - our own
        assert root.get("width") == "600"
        assert all("□" not in (element.text or "") for element in root.iter(f"{SVG}text"))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_public_pictures_of_a_match_are_small(case: Case) -> None:
    sizes = [len(picture.png) for picture in _public_pictures(case)[-3:]]
    assert max(sizes) < LARGEST, sizes


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_card_of_a_hand_is_in_a_public_picture(case: Case) -> None:
    """Even a seat's own view, drawn for nobody, gives the picture that everybody may see."""
    rules = case.rules()
    for state in _moments(case):
        public = _with(case, state, None).svg
        if not rules.setup.options.get("money_public", True):
            continue  # an own view then holds the own money, which is no card
        for seat in rules.setup.seats:
            assert _with(case, state, seat).svg == public


@pytest.mark.parametrize("case", [case for case in CASES if case.game_id == "wyatt-earp"], ids=str)
def test_a_hand_is_drawn_for_its_owner_and_nobody_else(case: Case) -> None:
    rules = case.rules()
    for state in _moments(case):
        for seat in rules.setup.seats:
            held = rules.view_to_json(rules.observe(state, seat))["hands"][seat]
            texts = _texts(_with(case, state, seat, seat))
            assert "Your hand" in texts
            assert texts.count("Photo") >= sum(card.startswith("photo:") for card in held)
            for other in rules.setup.seats:
                if other != seat:
                    assert "Your hand" not in _texts(_with(case, state, seat, other))
