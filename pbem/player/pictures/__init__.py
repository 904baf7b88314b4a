"""Pictures of the table: SVG from a game's templates, PNG without a browser.

``draw`` gives the open table as everybody sees it, or with ``viewer`` that seat's own hand beside it; a game's
``templates/<game>/picture.svg.jinja`` says how it looks, ``picture.alt.jinja`` says it in words. ``Picture.png`` is
made by resvg with our own fonts only, so one table looks the same on every machine, and is then brought down to a
palette, so that it can travel in an email. Templates divide their drawings into tiles: what did not change is not drawn
again.

No text is dropped silently: all lettering goes through ``text_element``, which knows what our fonts can draw and how
wide it is. Colours are never the only sign: every seat has a shape too.

In: templates into SVG, lettering, SVG into PNG. Out: what a table holds (``pbem.game``), where a picture is shown
(letters, report, terminal, page). Called by: cli, host, host.service, letters, lookback, play, seat, web.
"""

from typing import TYPE_CHECKING

from pbem.base.lazy import lazily

if TYPE_CHECKING:
    from pbem.player.pictures.picture import ZOOM as ZOOM
    from pbem.player.pictures.picture import Font as Font
    from pbem.player.pictures.picture import Picture as Picture
    from pbem.player.pictures.picture import draw as draw
    from pbem.player.pictures.picture import draw_chart as draw_chart
    from pbem.player.pictures.picture import draw_ending as draw_ending
    from pbem.player.pictures.picture import drawable as drawable
    from pbem.player.pictures.picture import fitted as fitted
    from pbem.player.pictures.picture import marks as marks
    from pbem.player.pictures.picture import shrink as shrink
    from pbem.player.pictures.picture import to_png as to_png
    from pbem.player.pictures.picture import width_of as width_of

__getattr__ = lazily(
    __name__,
    {"picture": "Font Picture ZOOM draw draw_chart draw_ending drawable fitted marks shrink to_png width_of"},
)
"""Loaded when first asked for: whoever wants the package alone does not wait for Jinja."""
