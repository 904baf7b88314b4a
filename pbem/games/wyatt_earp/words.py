"""Actions as a person types and reads them: ``lay 3 jesse-james``, ``hideout on wes-hardin of burt``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject, MalformedAction
from pbem.games.wyatt_earp.deck import NAMES, OUTLAW_NAMES

FORMS: Final = {
    "draw": "draw supply | draw discard",
    "lay": "lay NUMBER OUTLAW",
    "photo": "photo OUTLAW",
    "bank-robbery": "bank-robbery [on OUTLAW]",
    "stagecoach-robbery": "stagecoach-robbery [on OUTLAW]",
    "fastest-gun": "fastest-gun [on OUTLAW]",
    "most-wanted": "most-wanted ask OUTLAW [clockwise | counterclockwise] [order SEAT …]"
    " | most-wanted steal [OUTLAW from SEAT]",
    "hideout": "hideout [on OUTLAW of SEAT]",
    "wyatt-earp": "wyatt-earp draw | wyatt-earp search [take CARD …] | wyatt-earp remove-hideout [on OUTLAW]",
    "choose": "choose on OUTLAW [of SEAT] | choose take CARD | choose decline",
    "react": "react wyatt-earp | react pass",
    "discard": "discard CARD",
}
"""What may be typed, by the first word."""


def action_from_words(words: Sequence[str]) -> JsonObject:
    """The action object that these words mean.

    Raises:
        MalformedAction: with what may be typed instead.
    """
    if not words or words[0] not in _READERS:
        text = repr(words[0]) if words else sentence("nothing")
        raise MalformedAction(
            sentence(
                "an action begins with one of {names}; found {found}", names=", ".join(_READERS), found=text
            )
        )
    do, *others = words
    line = _Line(do, others)
    body = {"do": do, **_READERS[do](line)}
    line.close()
    return body


class _Line:
    """The words behind the first one, taken from the left."""

    def __init__(self, do: str, words: Sequence[str]) -> None:
        self._do = do
        self._words = list(words)

    def fail(self, fault: str) -> MalformedAction:
        return MalformedAction(sentence("{found}; type: {form}", found=fault, form=FORMS[self._do]))

    def close(self) -> None:
        if self._words:
            raise self.fail(sentence("too many words: {names}", names=" ".join(self._words)))

    def take(self, part: str) -> str:
        if not self._words:
            raise self.fail(sentence("{what} is missing", what=part))
        return self._words.pop(0)

    def one_of(self, part: str, allowed: Sequence[str]) -> str:
        word = self.take(part)
        if word not in allowed:
            raise self.fail(
                sentence(
                    "{what} is one of {names}, found {word!r}", what=part, names=", ".join(allowed), word=word
                )
            )
        return word

    def outlaw(self) -> str:
        return self.one_of(sentence("the Outlaw"), OUTLAW_NAMES)

    def card(self) -> str:
        return self.one_of(sentence("the card"), NAMES)

    def number(self) -> int:
        word = self.take(sentence("the number"))
        if not (word.isascii() and word.isdigit() and int(word[:4]) >= 1):
            raise self.fail(sentence("the number is a whole number from 1, found {word!r}", word=word))
        return int(word[:4])

    def skip(self, word: str) -> bool:
        """Take ``word`` if it stands here."""
        fits = self._words[:1] == [word]
        if fits:
            self._words.pop(0)
        return fits

    def needs(self, word: str) -> None:
        if not self.skip(word):
            raise self.fail(sentence("{word!r} is missing", word=word))

    def rest(self, part: str) -> list[str]:
        if not self._words:
            raise self.fail(sentence("{what} is missing", what=part))
        words, self._words = self._words, []
        return words

    @property
    def empty(self) -> bool:
        return not self._words


def _read_draw(line: _Line) -> JsonObject:
    return {"from": line.one_of(sentence("where to draw"), ("supply", "discard"))}


def _read_lay(line: _Line) -> JsonObject:
    count = line.number()
    return {"outlaw": line.outlaw(), "count": count}


def _read_photo(line: _Line) -> JsonObject:
    return {"outlaw": line.outlaw()}


def _read_on(line: _Line) -> JsonObject:
    return {"on": line.outlaw()} if line.skip("on") else {}


def _read_hideout(line: _Line) -> JsonObject:
    body = _read_on(line)
    if body:
        line.needs("of")
        body["seat"] = line.take(sentence("the seat"))
    return body


def _read_most_wanted(line: _Line) -> JsonObject:
    if line.one_of(sentence("what to do"), ("ask", "steal")) == "steal":
        body: JsonObject = {"steal": True}
        if not line.empty:
            body["outlaw"] = line.outlaw()
            line.needs("from")
            body["seat"] = line.take(sentence("the seat"))
        return body
    body = {"ask": line.outlaw(), "direction": "clockwise"}
    if line.skip("counterclockwise"):
        body["direction"] = "counterclockwise"
    else:
        line.skip("clockwise")
    if line.skip("order"):
        body["order"] = line.rest(sentence("the first seat to ask"))
    return body


def _read_earp(line: _Line) -> JsonObject:
    mode = line.one_of(sentence("what to do"), ("draw", "search", "remove-hideout"))
    facts: JsonObject = {"mode": mode}
    if mode == "remove-hideout":
        facts |= _read_on(line)
    elif mode == "search" and line.skip("take"):
        facts["take"] = [line.card()]
        while not line.empty:
            facts["take"].append(line.card())
    return facts


def _read_choose(line: _Line) -> JsonObject:
    match line.one_of(sentence("the answer"), ("on", "take", "decline")):
        case "take":
            return {"take": line.card()}
        case "decline":
            return {"decline": True}
        case _:
            facts: JsonObject = {"on": line.outlaw()}
            return {**facts, "seat": line.take(sentence("the seat"))} if line.skip("of") else facts


def _read_react(line: _Line) -> JsonObject:
    return {"with": line.one_of(sentence("the answer"), ("wyatt-earp", "pass"))}


def _read_discard(line: _Line) -> JsonObject:
    return {"card": line.card()}


_READERS: Final[dict[str, Callable[[_Line], JsonObject]]] = {
    "draw": _read_draw,
    "lay": _read_lay,
    "photo": _read_photo,
    "bank-robbery": _read_on,
    "stagecoach-robbery": _read_on,
    "fastest-gun": _read_on,
    "most-wanted": _read_most_wanted,
    "hideout": _read_hideout,
    "wyatt-earp": _read_earp,
    "choose": _read_choose,
    "react": _read_react,
    "discard": _read_discard,
}


def action_to_words(obj: JsonObject) -> str:
    """The words that ``action_from_words`` reads back; a public form without its secret part stays short."""
    words = [str(obj["do"])]
    if "ask" in obj:
        words += ["ask", obj["ask"], obj["direction"]]
        words += ["order", *obj["order"]] if "order" in obj else []
    elif "steal" in obj:
        words += ["steal", *([obj["outlaw"], "from", obj["seat"]] if "outlaw" in obj else [])]
    else:
        words += [
            str(obj[name]) for name in ("from", "count", "outlaw", "mode", "with", "card") if name in obj
        ]
        words += ["on", obj["on"]] if "on" in obj else []
        words += ["of", obj["seat"]] if "seat" in obj else []
        words += _taken(obj.get("take"))
        words += ["decline"] if "decline" in obj else []
    return " ".join(words)


def _taken(take: str | list[str] | None) -> list[str]:
    if take is None:
        return []
    return ["take", take] if isinstance(take, str) else ["take", *take]
