"""A public class name says one thing, a name says what it holds, and code and prose use the field's words."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from tests.docs.layers import ROOT

GAMES: Final = "pbem/games/"

ALIKE: Final = {
    "Choosing": "the list of choices, in a terminal and in the page",
    "Decision": "whose turn it is, as rules say it and as a match waits for it",
    "Client": "what a kind of record, and who asks about time, need of whoever hosts a match",
    "Judge": "the judgement of a computer player, one for each game",
    "Kind": "a kind of record, and a kind of email",
    "Line": "a record of the file, and what letters ask of it",
    "Table": "where a drawn card goes, as rules say it; the position in play",
    "Trial": "a chance with two ends, and actions that are tried out before they are sent",
}
"""Two places outside the games."""
RULES_WORDS: Final = {"Draft", "Draw", "Fault", "Moment", "Score"}
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
        "pbem/cli/seat.py",
        "pbem/player/letters/",
        "pbem/player/play/matters.py",
        "pbem/player/play/session.py",
        "pbem/player/seat/client.py",
        "pbem/protocol/client/compose.py",
        "pbem/protocol/formats/",
        "pbem/web/worker.py",
        "tests/machine/match.py",
    ),
    "tells": ("pbem/player/letters/rendering.py", "pbem/protocol/record/line.py"),
    "what": (
        "pbem/games/way_out_west/actions.py",
        "pbem/host/letter_mail.py",
        "pbem/player/history/summary.py",
        "pbem/protocol/audit/luck.py",
        "pbem/protocol/formats/strict_json.py",
        "pbem/protocol/record/kind.py",
        "pbem/protocol/record/ledger.py",
        "pbem/protocol/referee/ruling.py",
        "tests/errors/host_calls.py",
        "tests/falsified/values.py",
        "tests/machine/agreements.py",
        "tests/service/chaos.py",
        "tests/web/figures.py",
    ),
}
"""Fields that mirror a member of signed files or of JSON (``what``); what a search found, as the rules of Wyatt Earp
and their records say; the member of a turn with private messages. The walks of ``tests/machine`` hang on the text of
their class, so what it calls keeps its name."""
_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ANY: Final = re.compile(rf"(?<![a-z])(?:{'|'.join(sorted(METAPHORS | OLD | OF_A_PERSON))})(?![a-z])")
_LITERAL: Final = re.compile(r"``.*?``|`[^`]+`", re.DOTALL)


class Module(NamedTuple):
    """What one pass over a module's tree and words takes: to parse them all is the greatest part of each look."""

    classes: tuple[str, ...]
    bad_names: set[tuple[str, str]]
    prose: tuple[str, ...]


@cache
def modules() -> dict[str, Module]:
    """Every module of the package, its tests and the examples, by its path; each read and parsed once."""
    paths = (path for root in ("pbem", "tests", "examples") for path in sorted((ROOT / root).rglob("*.py")))
    return {
        path.relative_to(ROOT).as_posix(): module_of(path.read_text("utf-8"))
        for path in paths
        if "node_modules" not in path.parts
    }


def module_of(source: str) -> Module:
    """What is looked at in this source."""
    tree = ast.parse(source)
    classes = (node.name for node in tree.body if isinstance(node, ast.ClassDef))
    nodes = list(ast.walk(tree))
    # where no word of it is a wrong one, its comments need not be looked for
    words = tuple(prose(nodes, source)) if _ANY.search(source.lower()) else ()
    return Module(tuple(classes), bad_names(nodes), words)


def given(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Every name that a module gives: to functions, classes, parameters, variables, attributes, imports."""
    for node in nodes:
        match node:
            case ast.FunctionDef(name=str(name)) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield name
            case ast.arg(arg=name) | ast.alias(asname=str(name)):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case _:
                pass


def bad_names(nodes: Iterable[ast.AST]) -> set[tuple[str, str]]:
    """Names that say nothing or are metaphors, each with the word that is wrong."""
    wrong = set()
    for name in given(nodes):
        if name.strip("_").lower() in SAYS_NOTHING:
            wrong.add((name, name.strip("_").lower()))
        wrong |= {(name, part) for part in map(str.lower, _PARTS.findall(name)) if part in METAPHORS}
    return wrong


def prose(nodes: Iterable[ast.AST], source: str) -> Iterator[str]:
    """Docstrings and comments without what is quoted; not those of commands, which are translated."""
    for node in nodes:
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


def places() -> dict[str, list[str]]:
    """Where each public class stands."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path, module in modules().items():
        for name in module.classes if path.startswith("pbem/") else ():
            if not name.startswith("_"):
                places[name].append(path)
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
        for path, module in modules().items()
        for name, word in module.bad_names
        if not path.startswith(FIELD.get(word, ("no such path",)))
    }
    assert not wrong


def test_each_exception_is_needed() -> None:
    used = {
        (word, prefix)
        for path, module in modules().items()
        for _, word in module.bad_names
        for prefix in FIELD.get(word, ())
        if path.startswith(prefix)
    }
    assert used == {(word, prefix) for word, prefixes in FIELD.items() for prefix in prefixes}


def test_docstrings_and_comments_use_the_fields_words() -> None:
    wrong = {
        (path, word)
        for path, module in modules().items()
        for text in module.prose
        for word in wrong_words(text, of_product=path.startswith("pbem/"))
        if not path.startswith(FIELD.get(word, ("no such path",)))
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
    module = module_of(source)
    named = {word for _, word in module.bad_names}
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
    assert wrong_words(" ".join(module.prose), of_product=False) == {"told", "desk", "anew"}
    assert wrong_words(" ".join(module.prose), of_product=True) == {"told", "desk", "anew", "his"}
