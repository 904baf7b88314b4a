"""A drawing as the page builds it: a tree of elements from an allow list, instead of text that a browser would parse.

``["g", {"data-part": "supply"}, …]``: the name, the attributes, then children, each a tree or a text. The page has the
same list and makes each element by ``createElementNS``; what is on neither list cannot be in a table, whatever a name
in it says. Parts that can be touched carry ``data-part`` (``pbem.games.touching``).
"""

from __future__ import annotations

import pyexpat
from typing import Any, Final, TypeAlias

from pbem.game import JsonObject
from pbem.player.pictures import Picture

Tree: TypeAlias = list[Any]
"""``[name, attributes, *children]``."""

PART: Final = "data-part"
ELEMENTS: Final = frozenset(
    [
        "svg",
        "g",
        "path",
        "rect",
        "circle",
        "ellipse",
        "line",
        "polyline",
        "polygon",
        "text",
        "tspan",
        "title",
        "desc",
    ]
)
ATTRIBUTES: Final = frozenset(
    (
        "width height viewBox transform d x y x1 y1 x2 y2 dx dy cx cy r rx ry points fill fill-opacity fill-rule "
        "stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-dasharray opacity color "
        f"font-family font-size font-weight text-anchor {PART}"
    ).split()
)
_NAMESPACE: Final = "xmlns"


class NotAllowed(ValueError):
    """A drawing has an element or an attribute that the page does not build."""


def tree_of(svg: str) -> Tree:
    """The drawing of one of our templates.

    Raises:
        NotAllowed: it has an element or attribute that is not on the list: a template to be mended.
    """
    root: Tree = []
    open_ = [root]

    def begin(name: str, given: dict[str, str]) -> None:
        attributes = {key: value for key, value in given.items() if key != _NAMESPACE}
        wrong = [name] * (name not in ELEMENTS) + [key for key in attributes if key not in ATTRIBUTES]
        if wrong:
            raise NotAllowed(f"<{name}>: {', '.join(wrong)}")
        tree: Tree = [name, attributes]
        open_[-1].append(tree)
        open_.append(tree)

    def end(_: str) -> None:
        open_.pop()

    def text(data: str) -> None:
        if data.strip():
            open_[-1].append(data)

    parser = pyexpat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.Parse(svg, True)
    tree: Tree = root[0]
    return tree


def parts_of(tree: Tree) -> dict[str, list[Tree]]:
    """The drawing of each part; a part may be drawn in several places."""
    found: dict[str, list[Tree]] = {}
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        part = one[1].get(PART)
        if part is not None:
            found.setdefault(part, []).append(one)
        waiting += [child for child in reversed(one[2:]) if isinstance(child, list)]
    return found


def told(picture: Picture) -> JsonObject:
    """A picture as the page is told of it."""
    return {
        "tree": tree_of(picture.svg),
        "width": picture.width,
        "height": picture.height,
        "alt": picture.alt,
    }
