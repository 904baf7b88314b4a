"""A JSON Schema turned into one Python predicate: the fast yes, and a plain no.

``compile_schema`` knows the keywords that our schemas use and nothing else; for any other it raises
``UnknownKeyword`` and the caller lets ``jsonschema`` decide. Only parsed strict JSON is judged (no floats),
and only true or false is answered: what exactly is wrong is the business of ``pbem.formats.schema``, once,
for people. References are followed while compiling, so they cost nothing later; a schema that refers to
itself is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from pbem.errors import PbemError
from pbem.formats.strict_json import canon
from pbem.game import Json, JsonObject

Check: TypeAlias = Callable[[Json], bool]

_SAYS_NOTHING: Final = frozenset({"$schema", "$id", "$defs", "$comment", "title", "description", "examples"})


class UnknownKeyword(PbemError):
    """The schema uses something that this compiler does not know."""


def compile_schema(schema: Json) -> Check:
    """A predicate that is true of exactly the values that ``schema`` allows."""
    return _Compiler(schema).check(schema)


def _always(_value: Json) -> bool:
    return True


def _never(_value: Json) -> bool:
    return False


def _is_integer(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_TYPES: Final[dict[str, Check]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


class _Compiler:
    """Compiles one document; remembers what its definitions compiled to."""

    def __init__(self, document: Json) -> None:
        self._document = document
        self._refs: dict[str, Check] = {}
        self._open: set[str] = set()

    def check(self, schema: Json) -> Check:
        """The predicate of one subschema."""
        if schema is True or schema == {}:
            return _always
        if schema is False:
            return _never
        checks = [
            getattr(self, name)(schema)
            for name, keywords in _FAMILIES.items()
            if any(keyword in schema for keyword in keywords)
        ]
        unknown = schema.keys() - _SAYS_NOTHING - _KNOWN
        if unknown:
            raise UnknownKeyword(", ".join(sorted(unknown)))
        return _all(checks)

    def ref(self, schema: JsonObject) -> Check:
        """``$ref`` to a definition of the same document."""
        name = schema["$ref"]
        if name not in self._refs:
            if not name.startswith("#/$defs/") or name in self._open:
                raise UnknownKeyword(f"$ref {name}")
            self._open.add(name)
            self._refs[name] = self.check(self._document["$defs"][name.removeprefix("#/$defs/")])
            self._open.discard(name)
        return self._refs[name]

    def type(self, schema: JsonObject) -> Check:
        """``type``: one name or a list of names."""
        names = schema["type"]
        if isinstance(names, str):
            return _TYPES[names]
        return _any([_TYPES[name] for name in names])

    def values(self, schema: JsonObject) -> Check:
        """``const`` and ``enum`` of texts, integers and booleans (``true`` is not 1)."""
        allowed = frozenset(
            (type(value), value) for key in ("const", "enum") for value in _listed(schema.get(key, []), key)
        )
        if "const" in schema and "enum" in schema:
            raise UnknownKeyword("const with enum")
        return lambda value: (
            not isinstance(value, (dict, list)) and (type(value), value) in allowed  # those are unhashable
        )

    def number(self, schema: JsonObject) -> Check:
        """``minimum`` and ``maximum``."""
        low, high = schema.get("minimum"), schema.get("maximum")

        def check(value: Json) -> bool:
            if not _is_integer(value):
                return True
            return (low is None or value >= low) and (high is None or value <= high)

        return check

    def text(self, schema: JsonObject) -> Check:
        """``pattern``, ``minLength``, ``maxLength``."""
        pattern = re.compile(schema.get("pattern", "")).search
        low, high = schema.get("minLength", 0), schema.get("maxLength", float("inf"))
        return lambda value: (
            not isinstance(value, str) or (low <= len(value) <= high and pattern(value) is not None)
        )

    def array(self, schema: JsonObject) -> Check:
        """``items``, ``minItems``, ``maxItems``, ``uniqueItems``."""
        item = self.check(schema.get("items", True))
        low, high = schema.get("minItems", 0), schema.get("maxItems", float("inf"))
        unique = schema.get("uniqueItems", False)

        def check(value: Json) -> bool:
            if not isinstance(value, list):
                return True
            if not low <= len(value) <= high:
                return False
            return all(map(item, value)) and not (unique and _repeats(value))

        return check

    def object(self, schema: JsonObject) -> Check:
        """``properties``, ``required``, ``additionalProperties``, ``propertyNames``, sizes, dependencies."""
        known = {name: self.check(sub) for name, sub in schema.get("properties", {}).items()}
        required = frozenset(schema.get("required", ()))
        others = self.check(schema.get("additionalProperties", True))
        names = self.check(schema["propertyNames"]) if "propertyNames" in schema else None
        low, high = schema.get("minProperties", 0), schema.get("maxProperties", float("inf"))
        needs = {name: frozenset(more) for name, more in schema.get("dependentRequired", {}).items()}

        def check(value: Json) -> bool:
            if not isinstance(value, dict):
                return True
            present = value.keys()
            if not required <= present or not low <= len(value) <= high:
                return False
            for name, member in value.items():
                if not known.get(name, others)(member):
                    return False
            if names is not None and not all(map(names, value)):
                return False
            return all(name not in value or more <= present for name, more in needs.items())

        return check

    def combine(self, schema: JsonObject) -> Check:
        """``allOf``, ``anyOf``, ``oneOf``, ``not``."""
        checks: list[Check] = []
        if "allOf" in schema:
            checks.append(self._dispatch(schema["allOf"]) or _all(map(self.check, schema["allOf"])))
        if "anyOf" in schema:
            checks.append(_any([self.check(sub) for sub in schema["anyOf"]]))
        if "oneOf" in schema:
            choices = [self.check(sub) for sub in schema["oneOf"]]
            checks.append(lambda value: sum(choice(value) for choice in choices) == 1)
        if "not" in schema:
            never = self.check(schema["not"])
            checks.append(lambda value: not never(value))
        return _all(checks)

    def condition(self, schema: JsonObject) -> Check:
        """``if``, ``then``, ``else``."""
        test = self.check(schema["if"])
        then, otherwise = self.check(schema.get("then", True)), self.check(schema.get("else", True))
        return lambda value: then(value) if test(value) else otherwise(value)

    def _dispatch(self, branches: list[Json]) -> Check | None:
        """``allOf`` of "if member M is this word, then …" for one M: a look-up instead of a row of tests."""
        cases: dict[str, Check] = {}
        members = set()
        for branch in branches:
            test = branch.get("if") if branch.keys() == {"if", "then"} else None
            if not (test and test.keys() == {"properties", "required"} and len(test["required"]) == 1):
                return None
            (name,) = test["required"]
            case = test["properties"].get(name, {})
            if test["properties"].keys() != {name} or case.keys() != {"const"} or case["const"] in cases:
                return None
            members.add(name)
            cases[case["const"]] = self.check(branch["then"])
        if len(members) != 1:
            return None
        (member,) = members

        def check(value: Json) -> bool:
            if not isinstance(value, dict):
                return True
            word = value.get(member)
            case = cases.get(word) if isinstance(word, str) else None
            return case is None or case(value)

        return check


_FAMILIES: Final = {
    "type": ("type",),
    "ref": ("$ref",),
    "values": ("const", "enum"),
    "number": ("minimum", "maximum"),
    "text": ("pattern", "minLength", "maxLength"),
    "array": ("items", "minItems", "maxItems", "uniqueItems"),
    "object": (
        "properties",
        "required",
        "additionalProperties",
        "propertyNames",
        "minProperties",
        "maxProperties",
        "dependentRequired",
    ),
    "combine": ("allOf", "anyOf", "oneOf", "not"),
    "condition": ("if", "then", "else"),
}
_KNOWN: Final = frozenset(keyword for keywords in _FAMILIES.values() for keyword in keywords)


def _listed(value: Json, keyword: str) -> list[Json]:
    """The values of ``const`` or ``enum``, which must be hashable to be compared quickly."""
    values = value if keyword == "enum" or value == [] else [value]
    if any(isinstance(item, (dict, list, float)) for item in values):
        raise UnknownKeyword(f"{keyword} of anything but text, integers and booleans")
    return list(values)


def _repeats(items: list[Json]) -> bool:
    return len({canon(item) for item in items}) != len(items)


def _all(checks: Iterable[Check]) -> Check:
    each = tuple(checks)
    if not each:
        return _always
    if len(each) == 1:
        return each[0]
    if len(each) == 2:
        first, second = each
        return lambda value: first(value) and second(value)
    return lambda value: all(check(value) for check in each)


def _any(checks: Iterable[Check]) -> Check:
    each = tuple(checks)
    return lambda value: any(check(value) for check in each)
