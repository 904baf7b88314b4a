"""What is wrong with a value, by the schema that refuses it: the place, what was expected, what was found.

The way down asks the compiled predicates (``pbem.formats.compiled``) of one level after the other and follows the first
part that says no, so a refusal costs what the check costs, times the depth; a general validator lists every fault of
a foreign file first, which takes it minutes for a line of 1 MiB.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pbem.formats.compiled import Compiled, is_type, matches, repeats
from pbem.game import Json, JsonObject

_ARTICLES: Final = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "integer": "an integer",
    "boolean": "true or false",
    "null": "null",
}
_TYPE_NAMES: Final = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    type(None): "null",
}
_LIMITS: Final = {
    "minimum": ("at least {}", "at least {}"),
    "maximum": ("at most {}", "at most {}"),
    "minLength": ("at least {} character", "at least {} characters"),
    "maxLength": ("at most {} character", "at most {} characters"),
    "minItems": ("at least {} entry", "at least {} entries"),
    "maxItems": ("at most {} entry", "at most {} entries"),
    "minProperties": ("at least {} member", "at least {} members"),
    "maxProperties": ("at most {} member", "at most {} members"),
}
"""Keywords that set a limit, in words for one and for more."""
_SIZES: Final = {
    str: ("minLength", "maxLength"),
    list: ("minItems", "maxItems"),
    int: ("minimum", "maximum"),
    dict: ("minProperties", "maxProperties"),
}

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Complaint:
    """One fault: where it is and what to say."""

    path: Path
    sentence: str


def explain(compiled: Compiled, schema: Json, value: Json, path: Path = ()) -> Complaint:
    """The first fault of ``value``, which ``schema`` refuses: what is wrong with it, then inside it."""
    if schema is False:
        return Complaint(path, f"not allowed here: {_found(value)}")
    sentence = _wrong_here(schema, value)
    if sentence:
        return Complaint(path, sentence)
    for part, inner, step in _parts(schema, compiled, value):
        if not compiled.check(part)(inner):
            return explain(compiled, part, inner, (*path, *step))
    return _choice(compiled, schema, value, path)


def _wrong_here(schema: JsonObject, value: Json) -> str:
    """What this value itself violates, leaving out what it holds; empty if it violates nothing."""
    if "type" in schema and _wrong_type(schema, value):
        return _wrong_type(schema, value)
    choices = [schema["const"]] if "const" in schema else schema.get("enum", [value])
    if not any(type(choice) is type(value) and choice == value for choice in choices):
        return f"expected {' or '.join(map(_shown, choices))}, found {_found(value)}"
    return _wrong_size(schema, value) or _wrong_members(schema, value)


def _wrong_type(schema: JsonObject, value: Json) -> str:
    """Which type was expected."""
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if any(is_type(value, name) for name in names):
        return ""
    return f"expected {' or '.join(_ARTICLES[name] for name in names)}, found {_found(value)}"


def _wrong_size(schema: JsonObject, value: Json) -> str:
    """Which limit the value passes."""
    limits = _SIZES.get(type(value), ())
    size = value if isinstance(value, int) else len(value) if limits else 0
    for keyword in limits:
        limit = schema.get(keyword)
        if limit is not None and (size < limit if keyword.startswith("min") else size > limit):
            return f"expected {_LIMITS[keyword][limit != 1].format(limit)}, found {_found(value)}"
    return ""


def _wrong_members(schema: JsonObject, value: Json) -> str:
    """Which member is missing or unexpected; which entry stands there twice; which text has another form."""
    if isinstance(value, dict):
        needed = [name for name in schema.get("required", ()) if name not in value]
        for name, others in schema.get("dependentRequired", {}).items():
            needed += [other for other in others if name in value and other not in value]
        if needed:
            return f"member {needed[0]!r} is missing"
        known = schema.get("properties", {})
        if schema.get("additionalProperties") is False and value.keys() - known.keys():
            return f"unexpected member {_shown(min(value.keys() - known.keys()))}; known here: {', '.join(known)}"
    if isinstance(value, list) and schema.get("uniqueItems") and repeats(value):
        return f"expected every entry only once, found {_found(value)} with one of them twice"
    if isinstance(value, str) and not matches(schema, value):
        return f"expected {schema.get('description', 'other text')}, found {_found(value)}"
    return ""


def _parts(schema: JsonObject, compiled: Compiled, value: Json) -> Iterator[tuple[Json, Json, Path]]:
    """What must be fulfilled: a part of the schema, the part of ``value`` it is about, and the way there."""
    if "$ref" in schema:
        yield compiled.target(schema["$ref"]), value, ()
    if isinstance(value, list):
        for index, item in enumerate(value if "items" in schema else ()):
            yield schema["items"], item, (index,)
    if isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name, member in value.items():
            yield schema.get("propertyNames", True), name, (name,)
            yield known.get(name, others), member, (name,)
    for part in schema.get("allOf", ()):
        yield part, value, ()
    if "if" in schema:
        holds = compiled.check(schema["if"])(value)
        yield schema.get("then" if holds else "else", True), value, ()


def _choice(compiled: Compiled, schema: JsonObject, value: Json, path: Path) -> Complaint:
    """Of several forms the value has none, or too many, or one that it must not have: what the nearest form misses."""
    for keyword in ("anyOf", "oneOf"):
        choices = schema.get(keyword, [])
        if choices and not any(compiled.check(choice)(value) for choice in choices):
            return explain(
                compiled, max(choices, key=lambda choice: _nearness(compiled, choice, value)), value, path
            )
    if "not" in schema:
        return Complaint(path, f"not allowed here: {_found(value)}")
    return Complaint(path, f"{_found(value)} is of more than one form")


def _nearness(compiled: Compiled, schema: Json, value: Json) -> tuple[bool, int]:
    """How near a value is to this form: the same type; how many of its members fit."""
    while isinstance(schema, dict) and "$ref" in schema:
        schema = compiled.target(schema["$ref"])
    if not isinstance(schema, dict):
        return False, 0
    fits = "type" not in schema or not _wrong_type(schema, value)
    members = schema.get("properties", {})
    held = value.items() if isinstance(value, dict) else ()
    return fits, sum(compiled.check(members[name])(item) for name, item in held if name in members)


def _found(value: Json) -> str:
    kind = _TYPE_NAMES.get(type(value), type(value).__name__)
    if isinstance(value, (dict, list)):
        return f"{kind} of {len(value)}"
    if isinstance(value, str) and len(value) > 60:
        return f"{kind} of {len(value)} characters"
    return f"{kind} {_shown(value)}" if isinstance(value, (str, int)) else kind


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:80] + "…"
