"""Judging a parsed value by one of ``schemas/``: a fast predicate for yes, ``jsonschema`` to explain a no.

``validate("turn", obj)`` reads ``schemas/turn.schema.json``, ``validate("wyatt-earp/action", obj)``
``schemas/wyatt-earp/action.schema.json``; each is read and compiled once per process. ``jsonschema`` costs
more to import than a whole start of the program and more to run than a signature, so it is imported only
when there is a fault to describe (or a keyword that our compiler does not know).
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pbem.errors import FormatError
from pbem.formats.compiled import Check, UnknownKeyword, compile_schema
from pbem.formats.strict_json import pointer
from pbem.game import Json, JsonObject
from pbem.resources import data_dir

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

_TYPE_NAMES: Final = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    type(None): "null",
}
_ARTICLES: Final = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "integer": "an integer",
    "boolean": "true or false",
    "null": "null",
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


def validate(name: str, obj: Json) -> None:
    """Return if ``obj`` is what the schema ``name`` allows.

    Raises:
        FormatError: the most telling fault, ``where`` it is (JSON Pointer), what was expected and found.
    """
    if _check(name)(obj):
        return
    from jsonschema.exceptions import best_match

    fault = best_match(_validator(name).iter_errors(obj))
    if fault is None:  # the two disagree: refuse, since one of them does
        raise FormatError(f"refused by the schema {name}")
    raise FormatError(_sentence(fault), where=pointer(*fault.absolute_path))


@lru_cache(maxsize=64)
def load(name: str) -> JsonObject:
    """The schema itself, as JSON; do not change what you are given."""
    path = data_dir("schemas").joinpath(*name.split("/")).with_suffix(".schema.json")
    schema: JsonObject = json.loads(path.read_bytes())
    return schema


@lru_cache(maxsize=64)
def _check(name: str) -> Check:
    try:
        return compile_schema(load(name))
    except UnknownKeyword:
        return _validator(name).is_valid


@lru_cache(maxsize=64)
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    schema = load(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def _sentence(fault: ValidationError) -> str:
    """What was expected and what was found, without the schema's own jargon."""
    keyword, found, wanted, schema = _parts(fault)
    match keyword:
        case "required" | "dependentRequired":
            missing = [name for name in _names(wanted) if name not in found]
            return f"member {missing[0]!r} is missing" if missing else "a member is missing"
        case "additionalProperties":
            extra = sorted(found.keys() - schema.get("properties", {}).keys())
            return (
                f"unexpected member {_shown(extra[0])}; known here: {', '.join(schema.get('properties', {}))}"
            )
        case "type":
            names = [wanted] if isinstance(wanted, str) else wanted
            expected = " or ".join(_ARTICLES.get(name, name) for name in names)
            return f"expected {expected}, found {_found(found)}"
        case "const" | "enum":
            choices = [wanted] if keyword == "const" else wanted
            return f"expected {' or '.join(_shown(choice) for choice in choices)}, found {_found(found)}"
        case "pattern" if "description" in schema:
            return f"expected {schema['description']}, found {_found(found)}"
        case "uniqueItems":
            return f"expected every entry only once, found {_found(found)} with one of them twice"
        case str() if keyword in _LIMITS:
            return f"expected {_LIMITS[keyword][wanted != 1].format(wanted)}, found {_found(found)}"
        case None:  # the schema is `false`: nothing may stand here
            return f"not allowed here: {_found(found)}"
        case _:
            return f"expected {keyword} {_shown(wanted)}, found {_found(found)}"


def _parts(fault: ValidationError) -> tuple[str | None, Json, Json, JsonObject]:
    """Keyword, value found, the keyword's value, the schema around it; any of them may be unset."""
    values: tuple[Json, ...] = (fault.validator, fault.instance, fault.validator_value, fault.schema)
    keyword, found, wanted, schema = values
    return keyword, found, wanted, schema if isinstance(schema, dict) else {}


def _names(wanted: Json) -> list[str]:
    """Member names that ``required`` or ``dependentRequired`` ask for."""
    if isinstance(wanted, dict):
        return [name for names in wanted.values() for name in names]
    return list(wanted)


def _found(value: Json) -> str:
    kind = _TYPE_NAMES[type(value)]
    if isinstance(value, (dict, list)):
        return f"{kind} of {len(value)}"
    if isinstance(value, str) and len(value) > 60:
        return f"{kind} of {len(value)} characters"
    return f"{kind} {_shown(value)}" if isinstance(value, (str, int)) else kind


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:80] + "…"
