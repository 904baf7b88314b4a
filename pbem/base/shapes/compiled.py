"""A JSON Schema turned into Python predicates: the fast judge, for what is read by the thousand (records).

``compile_schema`` knows the keywords that our schemas use and nothing else; for any other it raises
``UnknownKeyword``. Only parsed strict JSON is judged (no floats). What people hand in is judged by ``jsonschema``
(``pbem.base.shapes.schema``), except in the browser page; ``tests/shapes/corpus.py`` compares the two with JavaScript.
References are followed while compiling, so they cost nothing later; a schema that refers to itself is not known here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from pbem.base.errors import PbemError
from pbem.game import Json, JsonObject

Check: TypeAlias = Callable[[Json], bool]

_SAYS_NOTHING: Final = frozenset({"$schema", "$id", "$defs", "$comment", "title", "description", "examples"})
_ENDLESS: Final = float("inf")


class UnknownKeyword(PbemError):
    """The schema uses something that this compiler does not know."""


def compile_schema(schema: Json) -> Check:
    """A predicate that is true of exactly the values that ``schema`` allows."""
    return Compiled(schema).check(schema)


def is_type(value: Json, name: str) -> bool:
    """Whether ``value`` is of the JSON Schema type ``name``."""
    return _TYPES[name](value)


def is_one_of(value: Json, values: Sequence[Json]) -> bool:
    """Whether ``value`` is one of these texts, integers and booleans (``true`` is not 1)."""
    return value in values and any(type(each) is type(value) and each == value for each in values)


def matches(schema: JsonObject, text: str) -> bool:
    """Whether ``text`` is of the form that ``pattern`` wants."""
    return "pattern" not in schema or ecma(schema["pattern"]).search(text) is not None


_ECMA_SPACE: Final = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_ECMA: Final = {
    "$": r"\Z",
    ".": r"[^\n\r\u2028\u2029]",
    r"\d": "[0-9]",
    r"\w": "[A-Za-z0-9_]",
    r"\s": f"[{_ECMA_SPACE}]",
    r"\S": f"[^{_ECMA_SPACE}]",
}
"""What Python would read in another way than ECMA-262 does, in Python's words."""
_PIECE: Final = re.compile(r"\[(?:[^\]\\]|\\[\\\]\-])*+(?:\]|(?P<opened>))|\\.|\(\?[:=!]|\(\?|.", re.DOTALL)
_SAME: Final = frozenset({*_ECMA, "(?:", "(?=", "(?!"})


@lru_cache
def ecma(pattern: str) -> re.Pattern[str]:
    r"""An expression of ECMA-262, which JSON Schema uses (2020-12, 6.4), as one of Python.

    ``$`` is the end of the text and never stands before a last line feed; digits are ASCII; ``.`` leaves out four line
    ends, ``\s`` is ECMA-262's white space.

    Raises:
        UnknownKeyword: a construct whose meaning differs and that none of our schemas uses.
    """
    pieces = []
    for match in _PIECE.finditer(pattern):
        piece = match[0]
        strange = piece == "(?" or match["opened"] is not None or (piece[0] == "\\" and piece[1:].isalnum())
        if strange and piece not in _SAME:
            raise UnknownKeyword(f"{piece} in the pattern {pattern}")
        pieces.append(piece)
    return re.compile("".join(_ECMA.get(piece, piece) for piece in pieces))


def _always(_value: Json) -> bool:
    return True


def _never(_value: Json) -> bool:
    return False


_TYPES: Final[dict[str, Check]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and value is not True and value is not False,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


class Compiled:
    """One document: the predicate of each of its parts, made when it is first asked for."""

    def __init__(self, document: Json) -> None:
        self.document = document
        self._checks: dict[int, Check] = {}
        self._open: set[str] = set()

    def check(self, schema: Json) -> Check:
        """The predicate of one part of the document."""
        if schema is True or schema == {}:
            return _always
        if schema is False:
            return _never
        compiled = self._checks.get(id(schema))  # the document keeps its parts alive
        if compiled is None:
            compiled = self._checks[id(schema)] = self._make(schema)
        return compiled

    def accepts(self, schema: Json, value: Json) -> bool:
        """Whether ``schema``, a part of ``document``, allows ``value``."""
        return self.check(schema)(value)

    def accept_all(self, values: Sequence[Json]) -> bool:
        """Whether ``document`` allows each of these values."""
        return all(map(self.check(self.document), values))

    def target(self, reference: str) -> Json:
        """The definition that ``$ref`` names."""
        name = reference.removeprefix("#/$defs/")
        if name == reference or name not in self.document.get("$defs", {}):
            raise UnknownKeyword(f"$ref {reference}")
        return self.document["$defs"][name]

    def _make(self, schema: JsonObject) -> Check:
        unknown = schema.keys() - _SAYS_NOTHING - _KNOWN
        if unknown:
            raise UnknownKeyword(", ".join(sorted(unknown)))
        wanted = schema.get("type")
        checks: list[Check] = []
        for name, (kind, keywords) in _FAMILIES.items():
            if any(keyword in schema for keyword in keywords):
                checks.append(getattr(self, name)(schema, kind != wanted))
                wanted = None if kind == wanted else wanted  # its family of checks has the type already
        if wanted is not None:
            checks.insert(0, _type(wanted))
        return _all(checks)

    # Each family of keywords; ``otherwise`` is the answer for values of another type than the family is about.

    def text(self, schema: JsonObject, otherwise: bool) -> Check:
        """``pattern``, ``minLength``, ``maxLength``."""
        low, high = schema.get("minLength", 0), schema.get("maxLength", _ENDLESS)
        if "pattern" not in schema:
            return lambda value: low <= len(value) <= high if isinstance(value, str) else otherwise
        search = ecma(schema["pattern"]).search
        if low == 0 and high == _ENDLESS:
            return lambda value: search(value) is not None if isinstance(value, str) else otherwise
        return lambda value: (
            low <= len(value) <= high and search(value) is not None if isinstance(value, str) else otherwise
        )

    def number(self, schema: JsonObject, otherwise: bool) -> Check:
        """``minimum`` and ``maximum``."""
        low, high = schema.get("minimum", -_ENDLESS), schema.get("maximum", _ENDLESS)
        return lambda value: low <= value <= high if type(value) is int else otherwise

    def array(self, schema: JsonObject, otherwise: bool) -> Check:
        """``items``, ``minItems``, ``maxItems``, ``uniqueItems``."""
        item = self.check(schema.get("items", True))
        low, high = schema.get("minItems", 0), schema.get("maxItems", _ENDLESS)
        unique = schema.get("uniqueItems", False)

        def check(value: Json) -> bool:
            if not isinstance(value, list):
                return otherwise
            return low <= len(value) <= high and all(map(item, value)) and not (unique and repeats(value))

        return check

    def object(self, schema: JsonObject, otherwise: bool) -> Check:
        """``properties``, ``required``, ``additionalProperties``, ``propertyNames``, sizes, dependencies."""
        known = {name: self.check(sub) for name, sub in schema.get("properties", {}).items()}
        required = frozenset(schema.get("required", ()))
        others = self.check(schema.get("additionalProperties", True))
        more = self._more_of_objects(schema)
        if others is _always:
            return _open_object(known, required, more, otherwise)

        def check(value: Json) -> bool:
            if not isinstance(value, dict):
                return otherwise
            if not required <= value.keys():
                return False
            for name, member in value.items():
                if not known.get(name, others)(member):
                    return False
            return more is None or more(value)

        return check

    def _more_of_objects(self, schema: JsonObject) -> Check | None:
        """The keywords about objects that few schemas have."""
        if not schema.keys() & {"propertyNames", "minProperties", "maxProperties", "dependentRequired"}:
            return None
        names = self.check(schema.get("propertyNames", True))
        low, high = schema.get("minProperties", 0), schema.get("maxProperties", _ENDLESS)
        needs = {name: frozenset(others) for name, others in schema.get("dependentRequired", {}).items()}
        return lambda value: (
            low <= len(value) <= high
            and all(map(names, value))
            and all(name not in value or others <= value.keys() for name, others in needs.items())
        )

    def values(self, schema: JsonObject, _otherwise: bool) -> Check:
        """``const`` and ``enum`` of texts, integers and booleans (``true`` is not 1)."""
        if "const" in schema and "enum" in schema:
            raise UnknownKeyword("const with enum")
        values = [schema["const"]] if "const" in schema else list(schema["enum"])
        if any(isinstance(value, (dict, list, float)) for value in values):
            raise UnknownKeyword("const or enum of anything but text, integers and booleans")
        if all(isinstance(value, str) for value in values):
            words = frozenset(values)
            return lambda value: isinstance(value, str) and value in words
        allowed = frozenset((type(value), value) for value in values)
        return lambda value: not isinstance(value, (dict, list)) and (type(value), value) in allowed

    def reference(self, schema: JsonObject, _otherwise: bool) -> Check:
        """``$ref`` to a definition of the same document."""
        name = schema["$ref"]
        if name in self._open:
            raise UnknownKeyword(f"$ref {name} inside itself")
        self._open.add(name)
        try:
            return self.check(self.target(name))
        finally:
            self._open.discard(name)

    def combine(self, schema: JsonObject, _otherwise: bool) -> Check:
        """``allOf``, ``anyOf``, ``oneOf``, ``not``."""
        checks: list[Check] = []
        if "allOf" in schema:
            cases = self._cases(schema["allOf"]) if schema.get("type") == "object" else None
            checks.append(cases or _all(map(self.check, schema["allOf"])))
        if "anyOf" in schema:
            some = tuple(map(self.check, schema["anyOf"]))
            checks.append(lambda value: any(choice(value) for choice in some))
        if "oneOf" in schema:
            choices = tuple(map(self.check, schema["oneOf"]))
            distinguished = self._distinguished(schema["oneOf"])
            checks.append(distinguished or (lambda value: sum(choice(value) for choice in choices) == 1))
        if "not" in schema:
            never = self.check(schema["not"])
            checks.append(lambda value: not never(value))
        return _all(checks)

    def condition(self, schema: JsonObject, _otherwise: bool) -> Check:
        """``if``, ``then``, ``else``."""
        test = self.check(schema["if"])
        then, otherwise = self.check(schema.get("then", True)), self.check(schema.get("else", True))
        return lambda value: then(value) if test(value) else otherwise(value)

    def _cases(self, branches: list[Json]) -> Check | None:
        """``allOf`` of "if member M is this word, then …" for one M: a look-up instead of a row of tests."""
        if any(branch.keys() != {"if", "then"} for branch in branches):
            return None
        tests = [branch["if"] for branch in branches]
        if any(test.keys() != {"properties", "required"} for test in tests):
            return None
        if any(list(test["properties"]) != test["required"] or len(test["required"]) > 1 for test in tests):
            return None
        return self._look_up(tests, [branch["then"] for branch in branches], otherwise=True)

    def _distinguished(self, branches: list[Json]) -> Check | None:
        """``oneOf`` of objects, each with its own word in one member: a look-up as well."""
        if any(branch is True or branch is False or branch.get("type") != "object" for branch in branches):
            return None
        return self._look_up(branches, branches, otherwise=False)

    def _look_up(self, tests: list[Json], then: list[Json], *, otherwise: bool) -> Check | None:
        """By the one member whose word is fixed by every one of ``tests``; None if there is no such member."""
        shared = set.intersection(*({*test.get("required", ())} for test in tests)) if tests else set()
        for member in sorted(shared):
            named = [words_of(test.get("properties", {}).get(member, {})) for test in tests]
            words = [word for some in named for word in some]
            if all(named) and len(set(words)) == len(words):
                cases = {
                    word: self.check(case) for some, case in zip(named, then, strict=True) for word in some
                }
                return _by_word(member, cases, otherwise)
        return None


_FAMILIES: Final = {
    "text": ("string", ("pattern", "minLength", "maxLength")),
    "number": ("integer", ("minimum", "maximum")),
    "array": ("array", ("items", "minItems", "maxItems", "uniqueItems")),
    "object": (
        "object",
        (
            *("properties", "required", "additionalProperties", "propertyNames"),
            *("minProperties", "maxProperties", "dependentRequired"),
        ),
    ),
    "values": ("", ("const", "enum")),
    "reference": ("", ("$ref",)),
    "combine": ("", ("allOf", "anyOf", "oneOf", "not")),
    "condition": ("", ("if", "then", "else")),
}
"""Families of keywords, and the type each is about."""
_KNOWN: Final = frozenset({"type"}.union(*(keywords for _, keywords in _FAMILIES.values())))


def _open_object(
    known: dict[str, Check], required: frozenset[str], more: Check | None, otherwise: bool
) -> Check:
    """An object whose other members are free: they are not even looked at."""

    def check(value: Json) -> bool:
        if not isinstance(value, dict):
            return otherwise
        if not required <= value.keys():
            return False
        for name, test in known.items():
            if name in value and not test(value[name]):
                return False
        return more is None or more(value)

    return check


def words_of(schema: Json) -> list[str]:
    """The words that ``schema`` allows, if it is nothing but such a list."""
    words = [schema["const"]] if schema.keys() == {"const"} else schema.get("enum", [])
    return (
        words if schema.keys() <= {"const", "enum"} and all(isinstance(word, str) for word in words) else []
    )


def _by_word(member: str, cases: dict[str, Check], otherwise: bool) -> Check:
    def check(value: Json) -> bool:
        word = value.get(member) if isinstance(value, dict) else None
        case = cases.get(word) if isinstance(word, str) else None
        return otherwise if case is None else case(value)

    return check


def repeats(items: list[Json]) -> bool:
    """Whether two of these are equal."""
    return len({json.dumps(item, sort_keys=True) for item in items}) != len(items)


def _type(names: str | list[str]) -> Check:
    if isinstance(names, str):
        return _TYPES[names]
    some = tuple(_TYPES[name] for name in names)
    return lambda value: any(check(value) for check in some)


def _all(checks: Iterable[Check]) -> Check:
    each = tuple(checks)
    if not each:
        return _always
    if len(each) == 1:
        return each[0]
    if len(each) == 2:
        first, second = each
        return lambda value: first(value) and second(value)

    def every(value: Json) -> bool:
        for check in each:  # noqa: SIM110 - every record goes through here, and a generator is slower
            if not check(value):
                return False
        return True

    return every
