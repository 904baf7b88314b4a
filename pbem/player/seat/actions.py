"""Actions as a person types them on a command line, one or several.

::

    draw supply                                   one action in words
    "draw supply" "lay 3 jesse-james"             several: each in quotes
    draw supply + lay 3 jesse-james               or with + (or a lone comma) between them
    '{"do":"draw","from":"supply"}'               as JSON, one object or a list of them
    -                                             one action a line, from standard input
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from pbem.base.errors import FormatError, UsageProblem
from pbem.base.sentences import sentence
from pbem.game import Game, Json, JsonObject, MalformedAction
from pbem.protocol.formats.strict_json import MAX_FILE, parse

SEPARATORS = ("+", ",")


def parse_actions(
    game: Game, arguments: Sequence[str], read_stdin: Callable[[], str] = lambda: ""
) -> list[JsonObject]:
    """The action objects of these command-line arguments.

    Raises:
        UsageProblem: an action that is none; the message says what may be typed.
    """
    actions: list[JsonObject] = []
    words: list[str] = []
    for argument in arguments:
        single = argument not in SEPARATORS and argument != "-" and not _is_whole(argument)
        if single:
            words.append(argument)
            continue
        actions += _in_words(game, words)
        words = []
        if argument == "-":
            actions += [
                action for line in read_stdin().splitlines() for action in _actions_in(game, line.strip())
            ]
        elif argument not in SEPARATORS:
            actions += _actions_in(game, argument.strip())
    return actions + _in_words(game, words)


def _is_whole(argument: str) -> bool:
    """Whether this argument is whole actions by itself: JSON, or words that were quoted together."""
    return argument.lstrip()[:1] in ("{", "[") or len(argument.split()) > 1


def _actions_in(game: Game, text: str) -> list[JsonObject]:
    if not text or text.startswith("#"):
        return []
    if text[0] in "{[":
        return _from_json(text)
    return _in_words(game, text.split())


def _from_json(text: str) -> list[JsonObject]:
    try:
        value: Json = parse(text.encode("utf-8", "surrogateescape"), limit=MAX_FILE)
    except FormatError as fault:
        raise UsageProblem(sentence("this action is not JSON: {fault}", fault=fault)) from fault
    actions = value if isinstance(value, list) else [value]
    if not all(isinstance(item, dict) for item in actions):
        raise UsageProblem(sentence("an action in JSON is an object, or a list of objects"))
    return actions


def _in_words(game: Game, words: Sequence[str]) -> list[JsonObject]:
    """One action in words: capitals count as small letters, and a name may have blanks for its hyphens."""
    if not words:
        return []
    words = [word.lower() for word in words]
    try:
        return [game.action_from_words(words)]
    except MalformedAction as fault:
        if len(words) > 2:
            with suppress(MalformedAction):
                return [game.action_from_words([words[0], "-".join(words[1:])])]
        raise UsageProblem(
            sentence("{names!r} is not an action: {fault}", names=" ".join(words), fault=fault),
            hint=sentence(
                "Put each of several actions in quotes, or a + between them. 'pbem legal COPY' lists yours."
            ),
        ) from fault
