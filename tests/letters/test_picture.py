"""The picture of the map: made alike everywhere, with its lettering, and said in words."""

from __future__ import annotations

import struct
from xml.etree import ElementTree

import pytest
import resvg_py

from pbem.game import JsonObject, Seat
from pbem.letters import Picture
from pbem.letters.environment import Style, environment, marks, speaker
from pbem.letters.picture import ZOOM, picture_of, to_png
from tests.letters.fakes import earp_source, town, west_source, west_view


def _context(view: JsonObject) -> dict[str, object]:
    source = west_source(names={"anna": '<Anna> & "co"'})
    figures = source.figures(view, source.setup) if source.figures else {}
    return {
        "view": view, "summary": figures, "seats": source.seats, "setup": source.setup,
        "marks": marks(source.seats), "who": speaker(Style.HTML, source.names),
    }  # fmt: skip


def _picture(view: JsonObject) -> Picture:
    picture = picture_of("way-out-west", "table@pbem.invalid", _context(view))
    assert picture is not None
    return picture


def _svg(view: JsonObject) -> str:
    return (
        environment(Style.HTML).get_template("way-out-west/picture.svg.jinja").render(_context(view)).strip()
    )


def test_the_same_map_gives_the_same_bytes_in_the_stated_size() -> None:
    picture = _picture(west_view())
    to_png.cache_clear()
    assert _picture(west_view()).png == picture.png
    assert picture.png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture.png[16:24]) == (picture.width * ZOOM, picture.height * ZOOM)
    assert len(picture.png) < 150_000


def test_the_lettering_is_drawn_with_our_own_font() -> None:
    svg = _svg(west_view())
    bare = bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=ZOOM, skip_system_fonts=True))
    assert to_png(svg) != bare, "without a font resvg drops text silently"


def test_the_picture_says_in_words_what_it_shows_and_where_more_is() -> None:
    alt = _picture(west_view()).alt
    assert "Kansas City: 4 of 5 corrals, 0 of 4 buildings." in alt
    assert "the same in words below" in alt


@pytest.mark.parametrize("crowded", [False, True])
def test_the_drawing_is_well_formed_and_holds_no_names(crowded: bool) -> None:
    counts = {"anna": 2, "burt": 2, "curt": 3}
    assets = dict.fromkeys(("stagecoach", "train", "bank", "jail", "store", "hotel"), "curt")
    full = town(cowboys=counts, cattle=counts, assets=assets)
    view = west_view(towns=dict.fromkeys(west_view()["towns"], full)) if crowded else west_view()
    svg = _svg(view)
    ElementTree.fromstring(svg)  # noqa: S314 - our own
    assert "Anna" not in svg


def test_a_corral_more_changes_the_picture() -> None:
    more = west_view()
    more["towns"]["deadwood"] = town(cattle={"anna": 1})
    assert _picture(more).png != _picture(west_view()).png


def test_a_game_without_a_picture_has_none() -> None:
    assert picture_of(earp_source().game_info.id, "x@y", {"seat": Seat("anna")}) is None
