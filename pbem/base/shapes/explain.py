"""What is wrong with a value, by the schema that refuses it: the place, what was expected, what was found.

The way down asks the judge of the value about one part after the other and follows the first that it refuses: errors
are found one by one and never collected. After ``MOST_PARTS`` parts the sentence names the place that was reached.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Protocol

from pbem.base.sentences import Sentence, counted, joined, place_of, sentence
from pbem.base.shapes.compiled import is_one_of, is_type, matches, repeats, words_of
from pbem.base.values import dataclass
from pbem.game import Json, JsonObject

_TYPES: Final = {
    "object": sentence("an object"),
    "array": sentence("a list"),
    "string": sentence("text"),
    "integer": sentence("an integer"),
    "boolean": sentence("true or false"),
    "null": joined(["null"]),
}
_LIMITS: Final[dict[str, Callable[[int], Sentence]]] = {
    "minimum": lambda n: sentence("at least {least}", least=n),
    "maximum": lambda n: sentence("at most {most}", most=n),
    "minLength": lambda n: counted("at least {n} character", "at least {n} characters", n),
    "maxLength": lambda n: counted("at most {n} character", "at most {n} characters", n),
    "minItems": lambda n: counted("at least {n} entry", "at least {n} entries", n),
    "maxItems": lambda n: counted("at most {n} entry", "at most {n} entries", n),
    "minProperties": lambda n: counted("at least {n} member", "at least {n} members", n),
    "maxProperties": lambda n: counted("at most {n} member", "at most {n} members", n),
}
"""Keywords that set a limit, in words."""
_SIZES: Final = {
    str: ("minLength", "maxLength"),
    list: ("minItems", "maxItems"),
    int: ("minimum", "maximum"),
    dict: ("minProperties", "maxProperties"),
}

Path = tuple[str | int, ...]
MOST_PARTS: Final = 4000
"""How many parts of a value the judge is asked about until its first fault is found (or all are, in a board)."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """One fault: where it is and what to say."""

    path: Path
    sentence: Sentence

    @property
    def names(self) -> tuple[str, ...]:
        """The members on the way to it."""
        return tuple(step for step in self.path if isinstance(step, str))

    def describe(self, subject: str = "") -> Sentence:
        """For a person: ``bid, amount: …``, ``moves 2, count: …``; ``subject`` names the whole value."""
        place = place_of(self.path, subject)
        return joined((place, self.sentence), ": ") if place else self.sentence


class Accepting(Protocol):
    """Who says yes or no: ``pbem.base.shapes.schema`` or ``pbem.base.shapes.compiled``, of one schema."""

    def accepts(self, schema: Json, value: Json) -> bool:
        """Whether a part of the schema allows ``value``."""

    def target(self, reference: str) -> Json:
        """The definition that ``$ref`` names."""


class Explaining:
    """A judge who is asked about at most ``MOST_PARTS`` parts."""

    def __init__(self, judge: Accepting) -> None:
        self._judge = judge
        self.left = MOST_PARTS
        self.stopped = False
        """Whether it has been said that no more is looked at."""
        self.target = judge.target

    def accepts(self, schema: Json, value: Json) -> bool:
        """See ``Accepting``."""
        self.left -= 1
        return self._judge.accepts(schema, value)

    def stop(self, value: Json, path: Path) -> Complaint:
        """What is said at the place that was reached when no part was left."""
        self.stopped = True
        return Complaint(path, sentence("not as expected somewhere in {found}", found=_description(value)))


def explain(judge: Explaining, schema: Json, value: Json, path: Path = ()) -> Complaint:
    """The first fault of ``value``, which ``schema`` refuses: what is wrong with it, then inside it."""
    if schema is False:
        return Complaint(path, sentence("not allowed here: {found}", found=_description(value)))
    wrong = _wrong_here(schema, value)
    if wrong:
        return Complaint(path, wrong)
    for part, inner, step in _parts(schema, judge, value):
        if not judge.accepts(part, inner):
            return explain(judge, part, inner, (*path, *step))
        if judge.left <= 0:
            return judge.stop(value, path)
    return _choice(judge, schema, value, path)


def every_fault(judge: Explaining, schema: Json, value: Json, path: Path = ()) -> Iterator[Complaint]:
    """What ``explain`` says of every part of ``value`` that ``schema`` refuses, from the outside inwards.

    For files that a person types and mends; each place is reported once.
    """
    wrong = explain(judge, schema, value, path).sentence if schema is False else _wrong_here(schema, value)
    if wrong:
        yield Complaint(path, wrong)
    inside = False
    for part, inner, step in () if schema is False else _parts(schema, judge, value):
        if judge.stopped:
            return
        if judge.left <= 0:
            yield judge.stop(value, path)
            return
        if part is not False and not judge.accepts(part, inner):  # a member too many has been reported
            inside = True
            yield from every_fault(judge, part, inner, (*path, *step))
    if not wrong and not inside:
        yield _choice(judge, schema, value, path)


def _expected(wanted: Sentence | str, value: Json) -> Sentence:
    return sentence("expected {what}, found {found}", what=wanted, found=_description(value))


def _expected_one_of(choices: Sequence[str], value: Json) -> Sentence:
    if len(choices) == 1:
        return _expected(choices[0], value)
    return sentence(
        "expected one of {names}; found {found}", names=joined(choices, ", "), found=_description(value)
    )


def _wrong_here(schema: JsonObject, value: Json) -> Sentence | None:
    """What this value itself violates, leaving out what it holds; None if it violates nothing."""
    if "type" in schema and not _of_type(schema, value):
        names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        return _expected_one_of([_TYPES[name] for name in names], value)
    choices = [schema["const"]] if "const" in schema else schema.get("enum", [value])
    if not is_one_of(value, choices):
        return _expected_one_of(list(map(_shown, choices)), value)
    return _wrong_size(schema, value) or _wrong_members(schema, value)


def _of_type(schema: JsonObject, value: Json) -> bool:
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    return any(is_type(value, name) for name in names)


def _wrong_size(schema: JsonObject, value: Json) -> Sentence | None:
    """Which limit the value passes."""
    limits = _SIZES.get(type(value), ())
    size = value if isinstance(value, int) else len(value) if limits else 0
    for keyword in limits:
        limit = schema.get(keyword)
        if limit is not None and (size < limit if keyword.startswith("min") else size > limit):
            return _expected(_LIMITS[keyword](limit), value)
    return None


def _wrong_members(schema: JsonObject, value: Json) -> Sentence | None:
    """Which member is missing or unexpected; which entry stands there twice; which text has another form."""
    if isinstance(value, dict):
        return _wrong_names(schema, value)
    if isinstance(value, list) and schema.get("uniqueItems") and repeats(value):
        twice = sentence("{found} with one of them twice", found=_description(value))
        return sentence("expected every entry only once, found {found}", found=twice)
    if isinstance(value, str) and not matches(schema, value):
        return _expected(schema.get("description") or sentence("other text"), value)
    return None


def _wrong_names(schema: JsonObject, value: JsonObject) -> Sentence | None:
    needed = [name for name in schema.get("required", ()) if name not in value]
    for name, others in schema.get("dependentRequired", {}).items():
        needed += [other for other in others if name in value and other not in value]
    if needed:
        return sentence("member {name!r} is missing", name=needed[0])
    known = schema.get("properties", {})
    unknown = value.keys() - known.keys() if schema.get("additionalProperties") is False else None
    if unknown:
        return sentence(
            "unexpected member {name}; known here: {names}", name=_shown(min(unknown)), names=", ".join(known)
        )
    return None


def _parts(schema: JsonObject, judge: Explaining, value: Json) -> Iterator[tuple[Json, Json, Path]]:
    """What must be fulfilled: a part of the schema, the part of ``value`` it is about, and the way there."""
    if "$ref" in schema:
        yield judge.target(schema["$ref"]), value, ()
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
        holds = judge.accepts(schema["if"], value)
        yield schema.get("then" if holds else "else", True), value, ()


def _choice(judge: Explaining, schema: JsonObject, value: Json, path: Path) -> Complaint:
    """Of several forms the value has none, or too many, or one that it must not have: what the nearest form misses."""
    for keyword in ("anyOf", "oneOf"):
        choices = schema.get(keyword, [])
        if choices and not any(judge.accepts(choice, value) for choice in choices):
            return _nearest([_resolved(judge, choice) for choice in choices], judge, value, path)
    if "not" in schema:
        return Complaint(path, sentence("not allowed here: {found}", found=_description(value)))
    return Complaint(path, sentence("{found} is of more than one form", found=_description(value)))


def _resolved(judge: Explaining, schema: Json) -> Json:
    while isinstance(schema, dict) and "$ref" in schema:
        schema = judge.target(schema["$ref"])
    return schema


def _nearest(choices: list[Json], judge: Explaining, value: Json, path: Path) -> Complaint:
    """By the words that distinguish the forms (``do``, ``when``), then by the members that fit."""
    for member in _distinguishing(choices) if isinstance(value, dict) else ():
        words = [words_of(choice["properties"][member]) for choice in choices]
        actual = value.get(member)
        kept = [choice for choice, some in zip(choices, words, strict=True) if actual in some]
        if not kept and member in value:
            each = dict.fromkeys(_shown(word) for some in words for word in some)
            return Complaint((*path, member), _expected_one_of(list(each), actual))
        choices = kept or choices
    return explain(judge, max(choices, key=lambda choice: _nearness(judge, choice, value)), value, path)


def _distinguishing(choices: Iterable[Json]) -> list[str]:
    """Members that every one of these forms must have, each with words of its own."""
    some = [choice if isinstance(choice, dict) else {} for choice in choices]
    shared = set.intersection(*(set(choice.get("required", ())) for choice in some))
    return sorted(
        name
        for name in shared
        if all(words_of(choice.get("properties", {}).get(name, {})) for choice in some)
    )


def _nearness(judge: Explaining, schema: Json, value: Json) -> tuple[bool, int, int]:
    """How near a value is to this form: the same type; how many of its members fit; how many it has at all."""
    if not isinstance(schema, dict):
        return False, 0, 0
    fits = "type" not in schema or _of_type(schema, value)
    members = schema.get("properties", {})
    held = [(members[name], item) for name, item in _items(value) if name in members]
    return fits, sum(judge.accepts(member, item) for member, item in held), len(held)


def _items(value: Json) -> Iterable[tuple[str, Json]]:
    return value.items() if isinstance(value, dict) else ()


def _description(value: Json) -> Sentence:
    if isinstance(value, dict):
        return sentence("an object of {n}", n=len(value))
    if isinstance(value, list):
        return sentence("a list of {n}", n=len(value))
    if isinstance(value, str):
        if len(value) > 60:
            return sentence("text of {n} characters", n=len(value))
        return sentence("text {value}", value=_shown(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return sentence("a number {value}", value=_shown(value))
    return joined([_shown(value)])


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:80] + "…"
