"""Regular expressions that may back-track more than linearly: found in their parse trees, then tried.

A search is an automaton with a loop over every character in front. It may take quadratic time or worse only if two
different ways through it read the same text again and again:

* *exponential*: from a place on a loop back to itself in two ways;
* *polynomial*: from a loop to itself, to a second loop, and from that one to itself, all over one word.

Both are searched for in the positions of the parse tree (counted repeats above ``_COPIES`` are taken as endless,
lookarounds and anchors as nothing, so more is suspected than is true). Each suspicion gives a word to repeat; the
pattern is then run over it and counts as guilty if it takes ``TOO_SLOW`` times what a plain loop takes.
"""

from __future__ import annotations

import importlib
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

sre: Final[Any] = importlib.import_module("re._constants")
parser: Final[Any] = importlib.import_module("re._parser")

TOO_SLOW: Final = 150.0
"""Times a plain loop over the same text; a repeat counted up to 64 may cost 64 steps a byte and no more."""
LENGTH: Final = 30_000
_COPIES: Final = 3
_SAMPLES: Final = "aZz09 \t\n\r!\"'\\/<>{}[]()-_.,:;=@|+*#%&~^$?\x00\x1b\x7fé—\u2028"
_REPEATS: Final = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_CATEGORIES: Final[dict[Any, Callable[[str], bool]]] = {
    sre.CATEGORY_DIGIT: str.isdigit,
    sre.CATEGORY_NOT_DIGIT: lambda c: not c.isdigit(),
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    sre.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    sre.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}


@dataclass(frozen=True, slots=True)
class Guilty:
    """A pattern that takes too long over a text, and how often it took what a plain loop takes."""

    pattern: str
    text: str
    times: float


@dataclass
class _Automaton:
    """Positions with the characters they read, and the ways from each to the next (2 means: two or more)."""

    flags: int
    letters: str
    reads: list[frozenset[str]] = field(default_factory=list)
    follow: list[dict[int, int]] = field(default_factory=list)
    stop: list[frozenset[str]] = field(default_factory=list)

    def position(self, reads: frozenset[str]) -> int:
        """A new place that reads one of these characters."""
        self.reads.append(reads)
        self.follow.append({})
        return len(self.reads) - 1

    def join(
        self, ends: dict[int, int], starts: dict[int, int], *, unless: frozenset[str] = frozenset()
    ) -> None:
        """Ways from each end to each start; ``unless``: what a possessive loop would have read instead."""
        for end, branch in ends.items():
            for start, two in starts.items():
                if not self.reads[start] <= unless:
                    self.follow[end][start] = min(2, self.follow[end].get(start, 0) + branch * two)


@dataclass
class _Piece:
    """A part of a pattern: where it begins, where it ends, whether it may be empty, what a greedy end refuses."""

    first: dict[int, int]
    last: dict[int, int]
    empty: bool
    held: frozenset[str] = frozenset()


def suspicions(pattern: re.Pattern[Any], *, anchored: bool) -> Iterator[tuple[str, str]]:
    """Beginnings and words to repeat over which two ways of reading exist; ``anchored`` for match and fullmatch."""
    source = pattern.pattern
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    flags = pattern.flags & ~re.UNICODE if isinstance(source, bytes) else pattern.flags
    tree = parser.parse(source, flags)
    letters = "".join(
        dict.fromkeys(c for c in text + text.swapcase() + _SAMPLES if c.isprintable() or c in _SAMPLES)
    )
    if isinstance(source, bytes):
        letters = "".join(c for c in letters if ord(c) < 256)
    automaton = _Automaton(flags, letters)
    any_letter = automaton.position(frozenset(letters))
    whole = _sequence(automaton, list(tree))
    inside = list(tree)
    starts_line = bool(inside) and inside[0] == (sre.AT, sre.AT_BEGINNING)
    tied = (
        anchored
        or (starts_line and not flags & re.MULTILINE)
        or inside[:1] == [(sre.AT, sre.AT_BEGINNING_STRING)]
    )
    if not tied:
        automaton.follow[any_letter][any_letter] = 1
    if starts_line and flags & re.MULTILINE:
        newline = automaton.position(frozenset("\n"))
        automaton.follow[any_letter][newline] = 1
        automaton.join({newline: 1}, whole.first)
    automaton.join({any_letter: 1}, whole.first)
    yield from _ambiguities(automaton)


# --- from the parse tree to an automaton --------------------------------------------------------------------


def _sequence(automaton: _Automaton, nodes: list[Any]) -> _Piece:
    whole = _Piece({}, {}, empty=True)
    for node in nodes:
        piece = _piece(automaton, node)
        automaton.join(whole.last, piece.first, unless=whole.held)
        first = whole.first | (piece.first if whole.empty else {})
        last = piece.last | (whole.last if piece.empty else {})
        held = piece.held if not piece.empty else whole.held & piece.held if whole.held else piece.held
        whole = _Piece(first, last, whole.empty and piece.empty, held)
    return whole


def _piece(automaton: _Automaton, node: Any) -> _Piece:
    opcode, given = node
    if opcode in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
        at = automaton.position(_characters(automaton, opcode, given))
        return _Piece({at: 1}, {at: 1}, empty=False)
    if opcode is sre.SUBPATTERN:
        return _sequence(automaton, list(given[3]))
    if opcode is sre.ATOMIC_GROUP:
        return _sequence(automaton, list(given))
    if opcode is sre.BRANCH:
        pieces = [_sequence(automaton, list(branch)) for branch in given[1]]
        first = {k: v for piece in pieces for k, v in piece.first.items()}
        last = {k: v for piece in pieces for k, v in piece.last.items()}
        return _Piece(first, last, any(piece.empty for piece in pieces))
    if opcode in _REPEATS:
        return _repeat(automaton, opcode, *given)
    if opcode in (sre.AT, sre.ASSERT, sre.ASSERT_NOT, sre.GROUPREF):
        return _Piece({}, {}, empty=True)
    raise NotImplementedError(f"{opcode} is not known here: teach the check what it reads")


def _repeat(automaton: _Automaton, opcode: Any, least: int, most: int, inside: Any) -> _Piece:
    nodes = list(inside)
    endless = most > _COPIES
    whole = _Piece({}, {}, empty=True)
    for number in range(min(max(least, 1), _COPIES) if endless else most):
        piece = _sequence(automaton, nodes)
        piece.empty = piece.empty or number >= least
        automaton.join(whole.last, piece.first)
        first = whole.first | (piece.first if whole.empty else {})
        whole = _Piece(first, piece.last | (whole.last if piece.empty else {}), whole.empty and piece.empty)
    if endless:
        automaton.join(piece.last, piece.first)
        if opcode is sre.POSSESSIVE_REPEAT and len(nodes) == 1 and len(piece.first) == 1:
            whole.held = automaton.reads[next(iter(piece.first))]
    return whole


def _characters(automaton: _Automaton, opcode: Any, given: Any) -> frozenset[str]:
    def has(character: str) -> bool:
        spellings = (
            {character, character.lower(), character.upper()}
            if automaton.flags & re.IGNORECASE
            else {character}
        )
        return any(_is_in(spelling, opcode, given) for spelling in spellings if len(spelling) == 1)

    if opcode is sre.ANY:
        return frozenset(c for c in automaton.letters if c != "\n" or automaton.flags & re.DOTALL)
    if opcode is sre.NOT_LITERAL:
        return frozenset(c for c in automaton.letters if ord(c) != given)
    if opcode is sre.IN and given[0][0] is sre.NEGATE:
        return frozenset(
            c for c in automaton.letters if not any(_is_in(c, *interval) for interval in given[1:])
        )
    return frozenset(c for c in automaton.letters if has(c))


def _is_in(character: str, opcode: Any, given: Any) -> bool:
    if opcode is sre.LITERAL:
        return bool(ord(character) == given)
    if opcode is sre.RANGE:
        return bool(given[0] <= ord(character) <= given[1])
    if opcode is sre.CATEGORY:
        return _CATEGORIES[given](character)
    return any(_is_in(character, *interval) for interval in given)


# --- two ways over one word ---------------------------------------------------------------------------------


def _ambiguities(automaton: _Automaton) -> Iterator[tuple[str, str]]:
    looping = [at for at in range(len(automaton.reads)) if _word(automaton, (at,), (at,)) is not None]
    for loop in looping:
        for at, ways in automaton.follow[loop].items():
            back = "" if at == loop else _word(automaton, (at,), (loop,))
            if ways > 1 and back is not None and automaton.reads[at]:
                yield _way_to(automaton, loop), min(automaton.reads[at]) + back
        if (word := _split(automaton, loop)) is not None:
            yield _way_to(automaton, loop), word
        for two in looping:
            if loop != two and (word := _word(automaton, (loop, loop, two), (loop, two, two))) is not None:
                yield _way_to(automaton, loop), word


def _way_to(automaton: _Automaton, at: int) -> str:
    return (_word(automaton, (0,), (at,)) or "") if at else ""


def _split(automaton: _Automaton, at: int) -> str | None:
    """A word that leads from a place to itself in two ways that part in between."""
    for step in automaton.follow[at]:
        for two in automaton.follow[at]:
            both = automaton.reads[step] & automaton.reads[two]
            if step < two and both:
                rest = _word(automaton, (step, two), (at, at))
                if rest is not None:
                    return min(both) + rest
    return None


def _word(automaton: _Automaton, start: tuple[int, ...], goal: tuple[int, ...]) -> str | None:
    """The shortest word, not empty, over which all these places go to those at once."""
    seen: dict[tuple[int, ...], str] = {}
    queue = deque([(start, "")])
    while queue:
        places, word = queue.popleft()
        for following in _together(automaton, places):
            common = frozenset.intersection(*(automaton.reads[at] for at in following))
            if not common or following in seen:
                continue
            seen[following] = word + min(common, key=lambda c: (not c.isspace(), not c.isalnum(), c))
            if following == goal:
                return seen[following]
            queue.append((following, seen[following]))
    return None


def _together(automaton: _Automaton, places: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not places:
        yield ()
        return
    for rest in _together(automaton, places[1:]):
        for first in automaton.follow[places[0]]:
            yield (first, *rest)


# --- trying -------------------------------------------------------------------------------------------------


def guilty(pattern: re.Pattern[Any], *, anchored: bool) -> Guilty | None:
    """The worst text found for a pattern, if it takes too long over it."""
    worst = Guilty("", "", 0.0)
    for begin, word in dict.fromkeys(suspicions(pattern, anchored=anchored)):
        for end in ("", "\x00", "!", "\n\x00"):
            times = _times(pattern, (begin, word, end), anchored=anchored)
            if times > worst.times:
                worst = Guilty(str(pattern.pattern), f"{begin!r} + {word!r} * N + {end!r}", times)
            if times > TOO_SLOW:
                return worst
    return None


def _times(pattern: re.Pattern[Any], repeat: tuple[str, str, str], *, anchored: bool) -> float:
    """How often the time of a plain loop; texts grow by a quarter while they are quick, so that nothing hangs here."""
    begin, word, end = repeat
    length, times = 16.0, 0.0
    while length < LENGTH * 1.25:
        text = begin + word * max(1, round(length) // len(word)) + end
        subject: Any = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
        spent = _spent(pattern, subject, anchored=anchored)
        if spent > TOO_SLOW * _plain(
            LENGTH
        ):  # once more, beside a plain loop of now: a machine may be held up
            spent = min(spent, *(_spent(pattern, subject, anchored=anchored) for _ in range(2)))
            _plain_times.clear()
        times = max(times, spent / _plain(LENGTH))
        if times > TOO_SLOW:
            return times
        length *= 1.25
    return times


def _spent(pattern: re.Pattern[Any], subject: Any, *, anchored: bool) -> float:
    begin = time.process_time()
    if anchored:
        pattern.match(subject)
        pattern.fullmatch(subject)
    else:
        deque(pattern.finditer(subject), maxlen=0)
    return time.process_time() - begin


_reference: Final = re.compile("(?:a|b)*c")
_plain_times: dict[int, float] = {}


def _plain(length: int) -> float:
    """What one plain loop over so many characters takes here."""
    if length not in _plain_times:
        text = "ab" * (length // 2)
        _plain_times[length] = max(1e-4, min(_spent(_reference, text, anchored=True) for _ in range(5)) / 2)
    return _plain_times[length]
