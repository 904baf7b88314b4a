"""Pictures of the table: SVG from a game's templates, PNG without a browser.

``draw`` gives the open table as everybody sees it, or with ``viewer`` that seat's own hand beside it; a game's
``templates/<game>/picture.svg.jinja`` says how it looks, ``picture.alt.jinja`` says it in words. ``Picture.png`` is
made by resvg with our own fonts only, so one table looks the same on every machine, and is then brought down to a
palette, so that it can travel in a mail. Templates divide their drawings into tiles: what did not change is not drawn
again.

No text is dropped silently: all lettering goes through ``pbem.player.pictures.lettering``, which knows what our fonts
can draw and how wide it is. Colours are never the only sign: every seat has a shape too.

In: templates into SVG, lettering, SVG into PNG. Out: what a table holds (``pbem.game``), where a picture is shown
(letters, report, terminal, page). Called by: cli, history, host, host.service, letters, play, report, seat, web.
"""

from typing import TYPE_CHECKING

from pbem.base.lazy import lazily

if TYPE_CHECKING:
    from pbem.player.pictures.lettering import Font as Font
    from pbem.player.pictures.lettering import drawable as drawable
    from pbem.player.pictures.lettering import fitted as fitted
    from pbem.player.pictures.lettering import shrink as shrink
    from pbem.player.pictures.lettering import width_of as width_of
    from pbem.player.pictures.picture import Picture as Picture
    from pbem.player.pictures.picture import draw as draw
    from pbem.player.pictures.picture import draw_chart as draw_chart
    from pbem.player.pictures.picture import draw_ending as draw_ending
    from pbem.player.pictures.picture import marks as marks
    from pbem.player.pictures.picture import to_png as to_png
    from pbem.player.pictures.tiles import ZOOM as ZOOM

__getattr__ = lazily(
    __name__,
    {
        "lettering": "Font drawable fitted shrink width_of",
        "picture": "Picture draw draw_chart draw_ending marks to_png",
        "tiles": "ZOOM",
    },
)
"""Loaded when first asked for: a command that needs one of them does not wait for the others."""
