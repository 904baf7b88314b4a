"""A public class name says one thing, a name says what it holds, and code and prose use the field's words."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tests.docs.layers import ROOT

GAMES: Final = "pbem/games/"

ALIKE: Final = {
    "Choosing": "the list of choices, in a terminal and in the page",
    "Decision": "whose turn it is, as rules say it and as a match waits for it",
    "Kind": "a kind of record, and a kind of email",
    "Line": "a record of the file, and what letters ask of it",
    "Table": "where a drawn card goes, as rules say it; the position in play",
    "Trial": "a chance with two ends, and actions that are tried out before they are sent",
}
"""Two places outside the games."""
RULES_WORDS: Final = {"Draft", "Draw", "Fault", "Group", "Moment", "Score"}
"""A word of a game's own rules that the service uses, too."""

SAYS_NOTHING: Final = {"found", "one", "told", "there", "made", "what"}
"""No name of a value: it says how it came, not what it is."""
METAPHORS: Final = {
    "house",
    "room",
    "rooms",
    "floor",
    "desk",
    "books",
    "door",
    "doors",
    "told",
    "tell",
    "tells",
    "dear",
}
"""No part of a name, and no word of a docstring or comment: the field says host, package, layer, client, database, API,
shown, notified, expensive."""
OF_A_PERSON: Final = {"he", "his", "him", "himself"}
"""Nobody knows whether a player or a host is a man; in tests Burt and Curt are."""
OLD: Final = {"anew", "shunted"}
"""The word is again, or quarantined."""
FIELD: Final = {
    "found": ("pbem/games/wyatt_earp/", "tests/falsified/effects.py"),
    "tell": (
        "pbem/cli/seat.py:turn.tell",
        "pbem/player/letters/",
        "pbem/player/play/matters.py:Talk",
        "pbem/player/play/session.py:Preview.tell",
        "pbem/player/play/session.py:Session.",
        "pbem/player/seat/client.py:PlayerClient.turn.tell",
        "pbem/protocol/client/compose.py:compose_turn.tell",
        "pbem/protocol/formats/envelopes.py:",
        "pbem/protocol/formats/messages.py:build_turn.tell",
        "pbem/web/worker.py:Choosing._talk.tell",
        "tests/machine/match.py:Match.tell",
    ),
    "tells": ("pbem/player/letters/rendering.py:", "pbem/protocol/record/line.py:Index.tells"),
    "what": (
        "pbem/games/way_out_west/actions.py:Captured.what",
        "pbem/games/way_out_west/actions.py:Killed.what",
        "pbem/games/way_out_west/actions.py:Moved.what",
        "pbem/games/way_out_west/actions.py:Placed.what",
        "pbem/games/way_out_west/actions.py:Removed.what",
        "pbem/games/way_out_west/actions.py:Returned.what",
        "pbem/host/letter_mail.py:LetterName.what",
        "pbem/protocol/record/ledger.py:Proposal.what",
        "tests/machine/agreements.py:What",
    ),
}
"""Files, or names in files with the classes and functions around them.

Fields that mirror a member of signed files or of JSON (``what``); what a search found, as the rules of Wyatt Earp
and their records say; the member of a turn with private messages. The walks of ``tests/machine`` hang on the text of
their class, so what it calls keeps its name."""
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_GIVING: Final = (
    *(*_SCOPES, ast.ExceptHandler, ast.MatchAs, ast.MatchStar),
    *(ast.arg, ast.alias, ast.Name, ast.Attribute),
)
"""Whatever ``_given_by`` takes a name from; most nodes are none of these."""
_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ANY: Final = re.compile(rf"(?<![a-z])(?:{'|'.join(sorted(METAPHORS | OLD | OF_A_PERSON))})(?![a-z])")
_LITERAL: Final = re.compile(r"``.*?``|`[^`]+`", re.DOTALL)


@cache
def modules() -> dict[str, str]:
    """The source of every module of the package, its tests and the examples, by its path."""
    paths = (path for root in ("pbem", "tests", "examples") for path in sorted((ROOT / root).rglob("*.py")))
    return {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for path in paths
        if "node_modules" not in path.parts
    }


def given(source: str) -> Iterator[tuple[str, str]]:
    """Every name that a module gives: to functions, classes, parameters, variables, attributes, imports.

    Before each stand the classes and functions around it: ``Line.fault.`` of a parameter of that method.
    """
    nodes: list[tuple[ast.AST, str]] = [(ast.parse(source), "")]
    while nodes:
        node, scope = nodes.pop()
        inner = f"{scope}{node.name}." if isinstance(node, _SCOPES) else scope
        for field in node._fields:
            child = getattr(node, field, None)
            if isinstance(child, list):
                nodes += [(each, inner) for each in child if isinstance(each, ast.AST)]
            elif isinstance(child, ast.AST) and not isinstance(child, ast.expr_context):
                nodes.append((child, inner))
        if isinstance(node, _GIVING):
            for name in _given_by(node):
                yield scope, name


def _given_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=str(name)) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.arg(arg=name) | ast.alias(asname=str(name)):
            yield name
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            yield name
        case _:
            pass


@cache
def bad_names(source: str) -> set[tuple[str, str]]:
    """Names that say nothing or are metaphors, with the scopes around them, each with the word that is wrong."""
    wrong = set()
    for scope, name in given(source):
        if name.strip("_").lower() in SAYS_NOTHING:
            wrong.add((scope + name, name.strip("_").lower()))
        wrong |= {(scope + name, part) for part in map(str.lower, _PARTS.findall(name)) if part in METAPHORS}
    return wrong


def is_of_field(path: str, word: str, name: str = "") -> bool:
    """Whether the word is the field's own in this name of the file; without a name, in its prose."""
    places = FIELD.get(word, ())
    return any(
        f"{path}:{name}".startswith(place) or (not name and place.startswith(f"{path}:")) for place in places
    )


def prose(source: str) -> Iterator[str]:
    """Docstrings and comments without what is quoted; not those of commands, which are translated.

    None of a module without any wrong word: to find comments costs more than all else.
    """
    if not _ANY.search(source.lower()):
        return
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        is_command = any("command(" in ast.unparse(item) for item in getattr(node, "decorator_list", ()))
        for part in body if isinstance(body, list) and not is_command else ():
            if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
                yield _LITERAL.sub("", str(part.value.value))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield _LITERAL.sub("", token.string)


def wrong_words(text: str, *, of_product: bool) -> set[str]:
    """The words of a docstring or comment that are no word of the field."""
    words = METAPHORS | OLD | (OF_A_PERSON if of_product else set())
    return words.intersection(re.findall(r"[a-z]+", text.lower()))


@cache
def places() -> dict[str, list[str]]:
    """Where each public class stands."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "pbem").rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path.relative_to(ROOT).as_posix())
    return places


def outside(where: list[str]) -> list[str]:
    """Those that are no game's."""
    return [place for place in where if not place.startswith(GAMES)]


def test_a_class_name_means_one_thing() -> None:
    twice = {name for name, where in places().items() if len(outside(where)) > 1}
    assert twice == set(ALIKE)


def test_a_word_of_the_rules_is_shared_knowingly() -> None:
    shared = {name for name, where in places().items() if len(outside(where)) == 1 and len(where) > 1}
    assert shared == RULES_WORDS


def test_a_game_says_a_word_in_one_place() -> None:
    for name, where in places().items():
        folders = [Path(place).parent for place in where if place.startswith(GAMES)]
        assert len(folders) == len(set(folders)), (name, where)


def test_a_name_says_what_it_holds_in_the_fields_words() -> None:
    wrong = {
        (path, name)
        for path, source in modules().items()
        for name, word in bad_names(source)
        if not is_of_field(path, word, name)
    }
    assert not wrong


def test_each_exception_is_needed() -> None:
    used = {
        (word, place)
        for path, source in modules().items()
        for name, word in bad_names(source)
        for place in FIELD.get(word, ())
        if f"{path}:{name}".startswith(place)
    }
    assert used == {(word, place) for word, places in FIELD.items() for place in places}


def test_docstrings_and_comments_use_the_fields_words() -> None:
    wrong = {
        (path, word)
        for path, source in modules().items()
        for text in prose(source)
        for word in wrong_words(text, of_product=path.startswith("pbem/"))
        if not is_of_field(path, word)
    }
    assert not wrong


def test_a_metaphor_is_noticed_wherever_it_stands() -> None:
    source = '''
from os import path as door
class OldHouse:
    def tell(self, room, /):  # behind his desk
        """Told anew."""
        self._found = [one for one in room]
        try:
            pass
        except OSError as made:
            there: int
            what = 1
        match room:
            case [floor, *dear]:
                """``books``"""
'''
    named = {word for _, word in bad_names(source)}
    assert named == {
        "door",
        "house",
        "tell",
        "room",
        "found",
        "one",
        "made",
        "there",
        "what",
        "floor",
        "dear",
    }
    assert wrong_words(" ".join(prose(source)), of_product=False) == {"told", "desk", "anew"}
    assert wrong_words(" ".join(prose(source)), of_product=True) == {"told", "desk", "anew", "his"}
