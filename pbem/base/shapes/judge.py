"""Yes or no by ``jsonschema``, for values that people hand in: messages, boards, options, identities, scenarios.

One validator, extended where the library and the standard part, or where a hostile value would cost too much:
``pattern`` is ECMA-262's (``ecma``); an integer is no ``1.0``; entries are compared by the hash of their canonical
bytes; what lies inside is judged without collecting errors; in each schema, limits on type, size and number are looked
at before what lies inside. No reference is followed out of the schema. What the library raises is a no.

The browser page has no ``jsonschema`` (198 KB packed); there ``pbem.base.shapes.compiled`` judges all values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from jsonschema.exceptions import ValidationError
from jsonschema.validators import Draft202012Validator, extend
from referencing import Registry

from pbem.base.shapes.compiled import ecma, is_type, repeats
from pbem.game import Json, JsonObject

_FIRST: Final = (
    *("type", "const", "enum", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"),
    *("minProperties", "maxProperties", "required", "additionalProperties", "uniqueItems", "pattern"),
)
_OF_SCHEMAS: Final = frozenset({"properties", "$defs"})
"""Keywords whose members are named schemas."""

_Errors = Iterator[ValidationError]


def _type(_validator: Any, types: str | list[str], instance: Json, _schema: Json) -> _Errors:
    allowed = is_type(instance, types) if isinstance(types, str) else any(is_type(instance, n) for n in types)
    if not allowed:
        yield ValidationError("type")


def _pattern(_validator: Any, pattern: str, instance: Json, _schema: Json) -> _Errors:
    if isinstance(instance, str) and ecma(pattern).search(instance) is None:
        yield ValidationError("pattern")


def _unique(_validator: Any, unique: bool, instance: Json, _schema: Json) -> _Errors:
    if unique and isinstance(instance, list) and repeats(instance):
        yield ValidationError("uniqueItems")


def _fits(validator: Any, schema: Any, instance: Json) -> bool:
    """Whether a part of the schema allows a part of the value.

    By the same validator: the library makes a new one for each part, though none of our schemas changes its base.
    """
    if isinstance(schema, bool):
        return schema
    checks = validator.VALIDATORS
    for keyword, meant in schema.items():
        check = checks.get(keyword)
        if (
            check is not None
            and next(iter(check(validator, meant, instance, schema) or ()), None) is not None
        ):
            return False
    return True


def _properties(validator: Any, properties: JsonObject, instance: Json, _schema: Json) -> _Errors:
    if isinstance(instance, dict):
        for name, form in properties.items():
            if name in instance and not _fits(validator, form, instance[name]):
                yield ValidationError("properties")


def _items(validator: Any, form: Json, instance: Json, schema: JsonObject) -> _Errors:
    if isinstance(instance, list) and not all(
        _fits(validator, form, entry) for entry in instance[len(schema.get("prefixItems", ())) :]
    ):
        yield ValidationError("items")


def _any_of(validator: Any, forms: list[Json], instance: Json, _schema: Json) -> _Errors:
    if not any(_fits(validator, form, instance) for form in forms):
        yield ValidationError("anyOf")


def _one_of(validator: Any, forms: list[Json], instance: Json, _schema: Json) -> _Errors:
    fitting = 0
    for form in forms:
        fitting += _fits(validator, form, instance)
        if fitting > 1:
            break
    if fitting != 1:
        yield ValidationError("oneOf")


_extended: Any = extend  # has no types
_Validator: Any = _extended(
    Draft202012Validator,
    {
        "type": _type,
        "pattern": _pattern,
        "uniqueItems": _unique,
        "properties": _properties,
        "items": _items,
        "anyOf": _any_of,
        "oneOf": _one_of,
    },
)


class LibraryJudge:
    """One schema; ``document`` is the same schema with its limits first."""

    def __init__(self, schema: JsonObject) -> None:
        # With "$schema" the library would go on with its own validator instead of this one.
        self.document: JsonObject = _limits_first(
            {name: schema[name] for name in schema if name != "$schema"}
        )
        self._validator = _Validator(self.document, registry=Registry())

    def accepts(self, schema: Json, value: Json) -> bool:
        """Whether ``schema``, a part of ``document``, allows ``value``."""
        try:
            return _fits(self._validator, schema, value)
        except Exception:  # noqa: BLE001 - whatever it is: what cannot be judged is not accepted
            return False

    def target(self, reference: str) -> Json:
        """The definition that ``$ref`` names."""
        return self.document["$defs"][reference.removeprefix("#/$defs/")]


def _limits_first(schema: Json) -> Any:
    if isinstance(schema, list):
        return [_limits_first(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    names = [name for name in _FIRST if name in schema]
    names += [name for name in schema if name not in _FIRST]
    return {
        name: {key: _limits_first(part) for key, part in schema[name].items()}
        if name in _OF_SCHEMAS
        else schema[name]
        if name in ("const", "enum", "required")
        else _limits_first(schema[name])
        for name in names
    }
