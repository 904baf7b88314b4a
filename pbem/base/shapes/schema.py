"""Judging a parsed value by one of ``schemas/``, the only statement of what a value may look like.

``validate("turn", obj)`` reads ``schemas/turn.schema.json``, ``validate("wyatt-earp/action", obj)``
``schemas/wyatt-earp/action.schema.json``; each is read once per process. No name comes from a file that is read.

Two judges say yes or no, and mean the same: ``jsonschema`` for what people hand in, compiled predicates for what is
read in bulk (``bulk=True``: records and what is in them) and for everything in the browser page, which has no
``jsonschema`` (198 KB packed).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any, Final

from pbem.base.errors import FormatError
from pbem.base.lazy import put_off
from pbem.base.resources import data_dir, game_dir
from pbem.base.sentences import sentence
from pbem.base.shapes.compiled import Compiled, ecma, is_one_of, is_type, repeats
from pbem.base.shapes.explain import Complaint, Explaining, Path, every_fault, explain
from pbem.game import BadSetup, Json, JsonObject, Words


def validate(name: str, obj: Json, *, bulk: bool = False) -> None:
    """Return if ``obj`` is what the schema ``name`` allows.

    Raises:
        FormatError: the first fault, ``where`` it is (JSON Pointer), what was expected and found.
    """
    form(name).validate(obj, bulk=bulk)


class Form:
    """One schema, ready to judge values."""

    def __init__(self, schema: JsonObject) -> None:
        self._compiled = Compiled(schema)

    def validate(self, obj: Json, where: Path = (), *, bulk: bool = False) -> None:
        """Return if ``obj``, which stands at ``where``, is what the schema allows; ``FormatError`` as ``validate``."""
        if not self._accepts(obj, bulk):
            fault = explain(*self._explaining(bulk), obj, where)
            raise FormatError(fault.sentence, where=pointer(*fault.path))

    def accept_all(self, values: Sequence[Json]) -> bool:
        """Whether the schema allows every one of these values, which are read in bulk."""
        return self._compiled.accept_all(values)

    def fault(self, obj: Json, *, bulk: bool = False) -> Complaint | None:
        """The first thing that is wrong with ``obj``, to be put in somebody's own words; None if nothing is."""
        return None if self._accepts(obj, bulk) else explain(*self._explaining(bulk), obj)

    def faults(self, obj: Json, *, bulk: bool = False) -> list[Complaint]:
        """What is wrong with ``obj``, for a file that somebody mends by hand; empty if nothing is."""
        return [] if self._accepts(obj, bulk) else list(every_fault(*self._explaining(bulk), obj))

    def _accepts(self, obj: Json, bulk: bool) -> bool:
        judge = self._compiled if bulk else self._judge
        return judge.accepts(judge.document, obj)

    def _explaining(self, bulk: bool) -> tuple[Explaining, JsonObject]:
        judge = self._compiled if bulk else self._judge
        return Explaining(judge), judge.document

    @cached_property
    def _judge(self) -> LibraryJudge | Compiled:
        try:
            return LibraryJudge(self._compiled.document)
        except ModuleNotFoundError:  # the browser page
            return self._compiled


@lru_cache(maxsize=256)
def narrowed(name: str, words: Words, part: str = "", *, public: bool = False) -> Form:
    """A game's schema in one match: these of its definitions (``seat``, ``town``) allow these words and no others.

    ``every-seat`` (``every-town`` …) then says of an object by seat, or of a list, that none is missing. ``part``
    names a definition that is meant instead of the whole; ``public`` takes also how a value stands in a record
    without its secret part, if there is such a definition.
    """
    schema = load(name)
    definitions = dict(schema.get("$defs", {}))
    for which, allowed in words:
        definitions[which] = {"enum": list(allowed)}
        definitions[f"every-{which}"] = {"required": list(allowed), "minItems": len(allowed)}
    if public and "public" in definitions:
        schema = {"anyOf": [schema, {"$ref": "#/$defs/public"}]}
    return Form({**({"$ref": f"#/$defs/{part}"} if part else schema), "$defs": definitions})


@lru_cache(maxsize=64)
def load(name: str) -> JsonObject:
    """The schema itself, as JSON; do not change what you are given."""
    game, _, form = name.rpartition("/")
    path = (game_dir(game, "schemas") if game else data_dir("schemas")) / f"{form}.schema.json"
    schema: JsonObject = json.loads(path.read_bytes())
    return schema


@lru_cache(maxsize=64)
def form(name: str) -> Form:
    """The schema ``name``, compiled once in a process."""
    return Form(load(name))


def pointer(*steps: str | int) -> str:
    """The JSON Pointer (RFC 6901) of a path of member names and indices."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


# Yes or no by ``jsonschema``, for values that people hand in: messages, actions, orders, boards, options, identities,
# scenarios.
#
# One validator, extended where the library and the standard part, or where a hostile value would cost too
# much: ``pattern`` is ECMA-262's (``ecma``); an integer is no ``1.0``; entries are compared by the hash of
# their canonical bytes; what lies inside, and a word among others, is judged without errors that nobody
# reads; in each schema, limits on type, size and number are looked at before what lies inside. No reference
# is followed out of the schema. What the library raises is a no.

_FIRST: Final = (
    *("type", "const", "enum", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"),
    *("minProperties", "maxProperties", "uniqueItems", "pattern"),
)
_OF_SCHEMAS: Final = frozenset({"properties", "$defs"})
"""Keywords whose members are named schemas."""


class LibraryJudge:
    """One schema; ``document`` is the same schema with its limits first.

    Raises:
        ModuleNotFoundError: there is no ``jsonschema``.
    """

    def __init__(self, schema: JsonObject) -> None:
        new_validator = _library()
        # With "$schema" the library would go on with its own validator instead of this one.
        self.document: JsonObject = {}
        self.document.update(
            _limits_first({name: schema[name] for name in schema if name != "$schema"}, self.document)
        )
        self._validator = new_validator(self.document)

    def accepts(self, schema: Json, value: Json) -> bool:
        """Whether ``schema``, a part of ``document``, allows ``value``."""
        try:
            return _fits(self._validator, schema, value)
        except Exception:  # noqa: BLE001 - whatever it is: what cannot be judged is not accepted
            return False

    def target(self, reference: str) -> Json:
        """The definition that ``$ref`` names."""
        return _Reference(reference, self.document).definition


class _Reference(str):
    """What ``$ref`` says in ``document``; the definition is looked up once, not for each value that it judges."""

    def __new__(cls, name: str, document: JsonObject) -> _Reference:
        reference = super().__new__(cls, name)
        reference._document = document
        return reference

    _document: JsonObject

    @cached_property
    def definition(self) -> Json:
        """What it names; no reference leads out of the definitions of its document."""
        definitions: JsonObject = self._document["$defs"]
        return definitions[self.removeprefix("#/$defs/")]


def _limits_first(schema: Json, document: JsonObject) -> Any:
    if isinstance(schema, list):
        return [_limits_first(part, document) for part in schema]
    if not isinstance(schema, dict):
        return schema
    names = [name for name in _FIRST if name in schema]
    names += [name for name in schema if name not in _FIRST]
    return {
        name: {key: _limits_first(part, document) for key, part in schema[name].items()}
        if name in _OF_SCHEMAS
        else _Reference(schema[name], document)
        if name == "$ref"
        else schema[name]
        if name in ("const", "enum", "required")
        else _limits_first(schema[name], document)
        for name in names
    }


def _fits(validator: Any, schema: Any, value: Json) -> bool:
    """Whether a part of the schema allows a part of the value.

    By the same validator: the library makes a new one for each part, though none of our schemas changes its base.
    """
    if isinstance(schema, bool):
        return schema
    for keyword, meant in schema.items():
        if keyword in _EXTENDED:
            if not _EXTENDED[keyword](validator, meant, value, schema):
                return False
            continue
        errors = validator.VALIDATORS.get(keyword)
        if errors is not None and next(iter(errors(validator, meant, value, schema) or ()), None) is not None:
            return False
    return True


def _type(_: Any, types: str | list[str], value: Json, __: Json) -> bool:
    return is_type(value, types) if isinstance(types, str) else any(is_type(value, name) for name in types)


def _pattern(_: Any, pattern: str, value: Json, __: Json) -> bool:
    return not isinstance(value, str) or ecma(pattern).search(value) is not None


def _unique(_: Any, unique: bool, value: Json, __: Json) -> bool:
    return not (unique and isinstance(value, list) and repeats(value))


def _properties(validator: Any, properties: JsonObject, value: Json, _: Json) -> bool:
    return not isinstance(value, dict) or all(
        _fits(validator, form, value[name]) for name, form in properties.items() if name in value
    )


def _items(validator: Any, form: Json, value: Json, schema: JsonObject) -> bool:
    return not isinstance(value, list) or all(
        _fits(validator, form, entry) for entry in value[len(schema.get("prefixItems", ())) :]
    )


def _if(validator: Any, condition: Json, value: Json, schema: JsonObject) -> bool:
    branch = "then" if _fits(validator, condition, value) else "else"
    return _fits(validator, schema.get(branch, True), value)


def _all_of(validator: Any, forms: list[Json], value: Json, _: Json) -> bool:
    return all(_fits(validator, form, value) for form in forms)


def _any_of(validator: Any, forms: list[Json], value: Json, _: Json) -> bool:
    return any(_fits(validator, form, value) for form in forms)


def _one_of(validator: Any, forms: list[Json], value: Json, _: Json) -> bool:
    fitting = (True for form in forms if _fits(validator, form, value))
    return next(fitting, False) and not next(fitting, False)


def _ref(validator: Any, reference: _Reference, value: Json, _: Json) -> bool:
    return _fits(validator, reference.definition, value)


_EXTENDED: Final[dict[str, Callable[[Any, Any, Json, Any], bool]]] = {
    "type": _type,
    "enum": lambda _, values, value, __: is_one_of(value, values),
    "const": lambda _, constant, value, __: is_one_of(value, (constant,)),
    "pattern": _pattern,
    "uniqueItems": _unique,
    "properties": _properties,
    "items": _items,
    "$ref": _ref,
    "if": _if,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
}
"""Keywords that are judged here, asked with the validator, what the keyword says, the value, and its schema."""


_UNUSED: Final = (
    "attrs.converters",
    "attrs.validators",
    "attr.converters",
    "attr.validators",
    "zipfile",
    "tempfile",
)
"""What the libraries of ``jsonschema`` import and it does not use."""


@lru_cache(maxsize=1)
def _library() -> Callable[[JsonObject], Any]:
    """The validator of ``jsonschema``, imported when it first judges, with our keywords; it reads no other document."""
    put_off(*_UNUSED)
    from jsonschema import ValidationError, validators
    from referencing import Registry

    def errors_of(keyword: str, fits: Callable[[Any, Any, Json, Any], bool]) -> Callable[..., Iterator[Any]]:
        def errors(validator: Any, meant: Any, value: Json, schema: Any) -> Iterator[Any]:
            if not fits(validator, meant, value, schema):
                yield ValidationError(keyword)

        return errors

    library: Any = validators  # has no types
    ours = {keyword: errors_of(keyword, fits) for keyword, fits in _EXTENDED.items()}
    extended = library.extend(library.Draft202012Validator, ours)
    return partial(extended, registry=Registry())


# The options of a match: ``schemas/<game>/options.schema.json`` names every key and enumerates its
# values.
#
# The first value of each is the default. What is no enumeration there (``board``) is for scenarios and no
# option.


@lru_cache(maxsize=16)
def options_of(game: str) -> Mapping[str, tuple[Json, ...]]:
    """Every option of ``game`` with its values, the default first."""
    return {name: tuple(values["enum"]) for name, values in _enumerations(game).items()}


def resolve_options(
    game: str, profiles: Mapping[str, JsonObject], profile: str, given: JsonObject
) -> JsonObject:
    """All options: the defaults, what ``profile`` sets, and what is ``given`` on top.

    Raises:
        BadSetup: naming the profile, key or value that does not exist.
    """
    if profile not in profiles:
        raise BadSetup(
            sentence("no profile {profile!r}; there are: {known}", profile=profile, known=", ".join(profiles))
        )
    defaults = {name: values[0] for name, values in options_of(game).items()}
    return _judged(game, {**defaults, **profiles[profile], **given}, bulk=False)


def whole_options(game: str, options: JsonObject) -> JsonObject:
    """``options`` as a genesis record has them: every key of the game, each with a value that it can have.

    Raises:
        BadSetup: for a missing or unknown key, or a value that the key cannot have.
    """
    return _judged(game, options, bulk=True)


def _judged(game: str, options: JsonObject, *, bulk: bool) -> JsonObject:
    fault = _whole(game).fault(options, bulk=bulk)
    if fault is not None:
        raise BadSetup(fault.describe("options"))
    return options


def _enumerations(game: str) -> dict[str, JsonObject]:
    return {name: form for name, form in load(f"{game}/options")["properties"].items() if "enum" in form}


@lru_cache(maxsize=16)
def _whole(game: str) -> Form:
    keys = _enumerations(game)
    return Form({"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False})
