"""The table that one touches, as the page sees it: what may be done as a tree, what is held, who plays, why not.

The tree is shown as far as it is small (``MOST_BRANCHES``); what lies deeper is asked for by the parts that lead there.
"""

from __future__ import annotations

import pyexpat
from collections import deque
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, TypeAlias

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.bots.labels import parted
from pbem.game import IllegalAction, JsonObject, MalformedAction
from pbem.games.rulebook import games_with_rules, rulebook_of
from pbem.games.touching import Touching, touching_of
from pbem.player.letters.layout import capital
from pbem.player.letters.rendering import Style, macros, one_line
from pbem.player.pictures import Picture
from pbem.player.play import Session
from pbem.player.play.touching import TouchNode, TouchTree
from pbem.player.play.trial import TrayState, Trial

MOST_BRANCHES: Final = 200
"""Branches of the tree that are shown with the table, beside those of its root."""
_NUMBERED: Final = frozenset({"count", "bid", "cattle", "below"})
"""Kinds of parts whose names are numbers to step through, in every game."""


class Touched:
    """One scene by touch: of one session, its draft as it is now. ``view``: another table, only to be shown."""

    def __init__(self, session: Session, view: JsonObject | None = None) -> None:
        self._session = session
        self._view = view
        self._touching: Touching = touching_of(session.game)
        self._words: dict[str, str] = {}

    @cached_property
    def shown(self) -> JsonObject:
        """The own view as the draft would leave it; empty before anything is dealt."""
        return self._view or self._session.shown or {}

    @cached_property
    def _summary(self) -> JsonObject:
        return self._session.record.rules.summary(self.shown)

    @cached_property
    def _macros(self) -> Any:
        session = self._session
        setup = session.record.rules.setup
        context = {
            "view": self.shown,
            "summary": self._summary,
            "me": session.seat,
            "who": session.phrases.who,
            "seats": setup.seats,
            "setup": setup,
        }
        return macros(Style.TEXT, session.record.game_info.id, "touch.jinja", context, session.language)

    @cached_property
    def tree(self) -> TouchTree | None:
        """What may be done; None if nothing may."""
        trial = self._session.trial
        if trial is None or not trial.options or not self.shown:
            return None
        ordered = self._session.phrases.ordered(trial.options)
        return TouchTree(self._touching, self.shown, trial, ordered)

    def place(self, part: str) -> str:
        """A part in words."""
        if part not in self._words:
            kind, _, name = part.partition(":")
            self._words[part] = capital(one_line(self._macros.place(kind, name)))
        return self._words[part]

    def short(self, part: str) -> str:
        """The same with soft hyphens, for a small tile."""
        kind, _, name = part.partition(":")
        return capital(one_line(self._macros.short(kind, name)))

    def thing(self, name: str) -> str:
        """What moved, in words; empty for what nobody sees."""
        return capital(one_line(self._macros.thing(name))) if name else ""

    def figure(self, seat: str) -> tuple[str, int]:
        """What a player has, in a few signs and as a number; nothing before anything is dealt."""
        return self._counted("figure", "amount", seat)

    def score(self, seat: str) -> tuple[str, int]:
        """What decides the match, of a player."""
        return self._counted("scored", "score", seat)

    def _counted(self, words: str, number: str, seat: str) -> tuple[str, int]:
        if not self.shown:
            return "", 0
        said = one_line(getattr(self._macros, words)(seat))
        return said, int(one_line(getattr(self._macros, number)(seat)) or 0)

    def to_json(self) -> JsonObject:
        """The whole tree as far as it is small."""
        return self._branch_json(self.tree.root, ()) if self.tree is not None else _EMPTY

    def branch(self, parts: Sequence[str]) -> JsonObject:
        """The tree from where these touches lead."""
        return self._branch_json(self.node(parts), tuple(parts))

    def node(self, parts: Sequence[str]) -> TouchNode:
        """Where these touches lead; ``UsageProblem`` if they cannot be made."""
        node = self.tree.at(parts) if self.tree is not None else None
        if node is None:
            raise UsageProblem(sentence("there is no such choice"))
        return node

    def action(self, parts: Sequence[str]) -> JsonObject:
        """The action whose parts these are; ``UsageProblem`` if none is."""
        action = self.node(parts).action
        if action is None:
            raise UsageProblem(sentence("there is no such choice"))
        return action

    def _branch_json(self, start: TouchNode, parts: tuple[str, ...]) -> JsonObject:
        """Breadth first, so that what is near is shown; a node is shown with all that may follow, or not at all."""
        assert self.tree is not None  # noqa: S101 - there is a node
        top = self._line(start)
        waiting = deque([(start, parts, top)])
        left = MOST_BRANCHES
        while waiting:
            node, way, line = waiting.popleft()
            for branch in line["next"]:
                deeper = self.tree.deeper(node, further := (*way, branch["part"])) if left > 0 else None
                if deeper is not None and len(deeper.next) <= left:
                    left -= len(deeper.next)
                    branch["node"] = self._line(deeper)
                    waiting.append((deeper, further, branch["node"]))
        return top

    def _line(self, node: TouchNode) -> JsonObject:
        """A node, what follows not shown yet."""
        label = None if node.action is None else {"label": self._session.phrases.label(node.action)}
        return {"next": [self._branch(part) for part in node.next], "row": label}

    def _branch(self, part: str) -> JsonObject:
        kind, _, name = part.partition(":")
        number = int(name) if kind in _NUMBERED else None
        return {"part": part, "words": self.place(part), "number": number, "node": None}

    def weigh(self, parts: Sequence[str]) -> JsonObject:
        """The action of these touches in words, what follows from it, and whether its yes lets the draft leave."""
        action, trial = self.action(parts), self._session.trial
        assert trial is not None  # noqa: S101 - there is a tree
        after, phrases = trial.add(action), self._session.phrases
        return {
            "label": phrases.label(action),
            "effect": phrases.effect(trial, action),
            "sends": sends(after),
            "question": phrases.question(action),
        }

    def lead(self, actions: Sequence[JsonObject]) -> tuple[str, ...]:
        """The parts with which all of these actions begin."""
        if self.tree is None or not actions:
            return ()
        ways = [self.tree.touch(action).parts for action in actions]
        same = 0
        while all(len(way) > same and way[same] == ways[0][same] for way in ways):
            same += 1
        return ways[0][:same]

    def card(self, part: str) -> JsonObject:
        """A part by its name, and the rows of the rules about it."""
        session = self._session
        game, translate = session.record.game_info.id, session.language.translate
        rules_by_id = {row.id: row for row in rulebook_of(game).rows()} if game in games_with_rules() else {}
        rows = [rules_by_id[name] for name in self._touching.rows_about(part) if name in rules_by_id]
        return {
            "name": self.place(part),
            "rows": [{"id": row.id, "text": translate(row.text)} for row in rows],
        }

    def held(self) -> list[JsonObject]:
        """What lies under the own thumb, by kind."""
        if not self.shown:
            return []
        fresh = self._session.fresh()
        return [
            {
                "part": part,
                "name": self.place(part),
                "short": self.short(part),
                "count": count,
                "fresh": part.partition(":")[2] in fresh,
            }
            for part, count in self._touching.held(self.shown, self._summary)
        ]

    def purse(self) -> list[JsonObject]:
        """What oneself has beside that."""
        lines = str(self._macros.purse()).strip().split("\n") if self.shown else []
        return [
            dict(zip(("label", "value"), line.split("\t"), strict=True)) for line in lines if "\t" in line
        ]

    def players(self) -> list[JsonObject]:
        """Everybody, as they sit."""
        session, view = self._session, self.shown
        held: JsonObject = view.get("hands", {})
        waiting = view.get("waiting", {}).get("seat")
        seats = session.record.rules.setup.seats
        names = {seat: parted(session.record.names[seat]) for seat in seats}
        return [
            {
                "part": f"seat:{seat}",
                "seat": seat,
                "name": names[seat][0],
                "computer": names[seat][1],
                "figure": self.figure(seat)[0],
                "cards": len(cards) if isinstance(cards := held.get(seat), list) else cards,
                "active": view.get("active") == seat,
                "waiting": waiting == seat,
                "me": seat == session.seat,
            }
            for seat in seats
        ]

    def why(self, parts: Sequence[str]) -> dict[str, str]:
        """For each of these parts that cannot be touched first: why not, in one line."""
        first = frozenset(self.tree.root.next) if self.tree is not None else frozenset()
        return {part: self._why(part) for part in parts if part not in first}

    @cached_property
    def _firsts(self) -> dict[str, str]:
        return dict(self.tree.firsts()) if self.tree is not None else {}

    def _why(self, part: str) -> str:
        session, trial = self._session, self._session.trial
        if trial is None or trial.stage is TrayState.OTHERS or trial.stage is TrayState.OVER:
            line = session.waiting.line() if trial is None else session.words("why-sent")
            return capital(line)
        if part in self._firsts:
            begin = self._firsts[part]
            return one_line(self._macros.first(self.place(begin), self.place(part)))
        meant = self._touching.meant(self.shown, part)
        if meant is not None:
            try:
                trial.rules.check(trial.now, trial.rules.action_from_json(meant, bulk=True))
            except (IllegalAction, MalformedAction) as fault:
                return capital(session.language.translate(fault))
        kind, _, name = part.partition(":")
        return one_line(self._macros.idle(kind, name))


_EMPTY: Final[JsonObject] = {"next": [], "row": None}


def sends(after: Trial) -> bool:
    """Whether a draft at this point is done: somebody else answers, or something new will be seen."""
    return after.stage is not TrayState.OPEN


# A drawing as the page builds it: a tree of elements from an allow list, instead of text that a browser
# would parse.
#
# ``["g", {"data-part": "supply"}, …]``: the name, the attributes, then children, each a tree or a text.
# The page has the same list and makes each element by ``createElementNS``; what is on neither list cannot
# be in a table, whatever a name in it says. Parts that can be touched carry ``data-part``
# (``pbem.games.touching``).

Tree: TypeAlias = list[Any]
"""``[name, attributes, *children]``."""

PART: Final = "data-part"
ELEMENTS: Final = frozenset(
    (
        *("svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan"),
        *("title", "desc"),
    )
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
        NotAllowed: it has an element or attribute that is not on the list: a template to be repaired.
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
    parts: dict[str, list[Tree]] = {}
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        part = node[1].get(PART)
        if part is not None:
            parts.setdefault(part, []).append(node)
        waiting += [child for child in reversed(node[2:]) if isinstance(child, list)]
    return parts


def picture_json(picture: Picture) -> JsonObject:
    """A picture as the page gets it."""
    return {
        "tree": tree_of(picture.svg),
        "width": picture.width,
        "height": picture.height,
        "alt": picture.alt,
    }
