"""Drawings in tiles: each tile alone gives what the whole gives there, and only what changed is drawn."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageChops

from pbem.base.language import ENGLISH
from pbem.player.letters.rendering import LetterContext
from pbem.player.pictures import ZOOM, Picture, picture
from pbem.player.pictures.picture import assembled, in_colours, raster, tile, to_png
from tests.letters.fakes import earp_source, earp_view, west_source, west_view
from tests.pictures.test_pictures import PICTURES, PORTRAITS, portrait, wide
from tests.world import World

DRAWINGS = (*PICTURES, *(f"{name}-portrait" for name in PORTRAITS))
ROUNDED = 48
"""Of 256: edges are blended a little differently where a path is cut off by its tile, in a few pixels."""


def drawing(name: str) -> Picture:
    """One of the pictures and portraits that others test, in English."""
    if name in PICTURES:
        return PICTURES[name]()
    source, view, viewer = PORTRAITS[name.removesuffix("-portrait")]
    return portrait(source(), view(), "en", viewer)


def places(svg: str) -> list[tuple[int, int, int, int]]:
    """Left, top, right and bottom of each tile, in pixels."""
    marks = [tuple(map(int, mark)) for mark in picture._MARK.findall(svg)]
    return [(left, top, left + width, top + height) for left, top, width, height in marks]


def redrawn(svg: str) -> int:
    """How many rectangles had to be drawn for this one."""
    before = picture._kept.cache_info().misses
    assert assembled(svg) is not None
    return picture._kept.cache_info().misses - before


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_tiles_together_are_the_drawing(name: str) -> None:
    svg = drawing(name).svg
    whole, joined = in_colours(raster(svg)), assembled(svg)
    assert joined is not None
    assert joined.size == whole.size
    apart = ImageChops.difference(whole, joined).convert("L")
    assert max(apart.tobytes()) < ROUNDED
    assert sum(map(bool, apart.tobytes())) < 100


@pytest.mark.parametrize("name", DRAWINGS)
def test_no_tile_lies_on_another_or_over_the_edge(name: str) -> None:
    picture = drawing(name)
    tiles = places(picture.svg)
    assert len(tiles) > 9
    for left, top, right, bottom in tiles:
        assert 0 <= left < right <= picture.width * ZOOM
        assert 0 <= top < bottom <= picture.height * ZOOM
    for first, other in combinations(tiles, 2):
        assert first[2] <= other[0] or other[2] <= first[0] or first[3] <= other[1] or other[3] <= first[1]


EDGES = st.floats(0, 600, width=32)


@given(EDGES, EDGES, EDGES)
def test_rectangles_that_touch_share_no_pixel_and_leave_none_out(x: float, wide: float, wider: float) -> None:
    (first, other) = (places(str(mark))[0] for mark in (tile(x, 0, wide, 9), tile(x + wide, 0, wider, 9)))
    assert first[2] == other[0]


def test_a_table_of_which_little_changed_costs_little() -> None:
    assembled(PICTURES["earp"]().svg)
    assert redrawn(PICTURES["earp"]().svg) == 0
    posters = earp_view()["posters"]
    changed = wide(earp_source(), earp_view(posters={**posters, "jesse-james": 9000}))
    assert redrawn(changed.svg) == 1
    assembled(PICTURES["west"]().svg)
    assert redrawn(wide(west_source(), west_view(space=west_view()["space"] + 1)).svg) == 2, "head and track"


@pytest.mark.parametrize(("game", "seats"), [("wyatt-earp", 3), ("way-out-west", 3)])
def test_a_turn_draws_a_part_of_the_table(game: str, seats: int) -> None:
    world = World(game, ("anna", "burt", "curt")[:seats], seed="tiles").start().play(6)
    svgs = []
    for _ in range(4):
        letter_context = LetterContext(world.record, world.record.head.seq, ENGLISH)
        assert letter_context.picture is not None
        svgs.append(letter_context.picture.svg)
        world.play(1)
    redrawn(svgs[0])
    for svg in svgs[1:]:
        assert redrawn(svg) <= len(places(svg)) / 2


def test_words_of_people_mark_no_tile() -> None:
    names = dict.fromkeys(("anna", "burt", "curt"), "<!--tile 0 0 9 9-->")
    assert places(wide(earp_source(names=names), earp_view()).svg) == places(PICTURES["earp"]().svg)


def test_a_drawing_without_tiles_is_drawn_whole() -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>'
    )
    assert assembled(svg) is None
    assert to_png(svg)[16:24] == bytes([0, 0, 0, 80, 0, 0, 0, 40])
