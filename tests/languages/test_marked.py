"""Nothing that a person reads is written in one language only.

A language that puts every message into ‹brackets› goes through everything; what is left outside must be names,
numbers and what is the same in all languages (ids, file names, commands, proofs).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pbem
from pbem.base.errors import PbemError
from pbem.base.language import language_of
from pbem.base.resources import INSTALL
from pbem.game import Seat
from pbem.player.letters.layout import fill
from pbem.player.lookback.picture import chart_of
from pbem.player.lookback.screen import report_text
from pbem.player.lookback.summary import summarise
from pbem.player.lookback.timeline import OPEN_VIEWPOINT, PUBLIC_VIEWPOINT, Timeline, page_of
from tests.languages.brackets import BRACKETED, outside
from tests.languages.speaking import GAMES, SEATS, choices, letters, played, refusals, tables

SAME = {
    *(seat.title() for seat in SEATS),
    *SEATS,
    *("Wyatt", "Earp", "Way", "Out", "West", "Belle", "Starr", "Billy", "the", "Kid", "Bob", "Dalton", "Butch"),
    *("Cassidy", "Jesse", "James", "Sundance", "Wes", "Hardin", "San", "Antonia", "Kansas", "City", "Abilene"),
    *("Dodge", "Deadwood", "pbem", "default", "all", "others", "fA", "fB", "fC"),
    *("absence", "end", "pause", "rekey", "resign", "rewind", "substitute"),
    *("BS", "BK", "BD", "BC", "JJ", "SK", "WH", "BSP", "BKP", "BDP", "BCP", "JJP", "SKP", "WHP"),
}  # fmt: skip
"""What stands outside of messages and is the same for everybody."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_BOX_IDS = re.compile(
    r"\b(?:cattle|cowboys|build|move-cowboys|move-cattle|gunfight|farmer|stagecoach|train|bank|jail|store|hotel)-?\w*\b"
)


def words(text: str) -> Iterator[str]:
    """The words outside that are not the same in all languages."""
    for line in outside(text).splitlines():
        for word in _WORD.findall(_BOX_IDS.sub("", line)):
            if word not in SAME:
                yield f"{word}: {line.strip()}"


def _no_attachment(text: str) -> str:
    """Without proofs and file names, which follow from the bytes of the match, and without commands to paste."""
    text = re.sub("[ \t]+", " ", text)  # in HTML each word of a command is an element of its own
    for command in INSTALL:
        text = text.replace(command, "")
    text = re.sub(
        r"pbem play|pbem id new \w+|pbem join \S+ --seat \w+|pbem (?:legal|ready|audit) COPY", "", text
    )
    text = text.replace("pbem turn COPY ACTION… -o turn.json", "")
    return re.sub(
        r"\b[A-Za-z0-9_-]{20,}\b|\bgame-\w+-[\d-]+\.jsonl|\[pbem \w+\]|\b[A-Z0-9]{4}(-[A-Z0-9]{4})+\b",
        "",
        text,
    )


@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_a_letter_says_nothing_that_is_not_a_message(game: str, moves: int) -> None:
    unmarked: dict[str, None] = {}
    for letter in letters(game, moves, BRACKETED, every=2):
        for text in (letter.subject, letter.text, _shown(letter.html)):
            unmarked |= dict.fromkeys(words(_no_attachment(text)))
    assert not unmarked, "\n".join(unmarked)


def _shown(html: str) -> str:
    """The text of a page, and what its pictures are called."""
    body = html[html.index("<body") :]
    alts = " ".join(re.findall(r'\b(?:alt|aria-label)="([^"]*)"', body))
    return re.sub(r"&[#\w]+;", " ", re.sub(r"<!--.*?-->|<[^<>]*>", " ", body, flags=re.DOTALL) + alts)


@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_show_and_play_say_nothing_that_is_not_a_message(game: str, moves: int) -> None:
    unmarked = dict.fromkeys(
        word for text in tables(game, moves, BRACKETED) for word in words(_unboxed(text))
    )
    assert not unmarked, "\n".join(unmarked)


def _unboxed(text: str) -> str:
    return re.sub(r"[│╭╮╰╯├┤┬┴┼─┏┓┗┛┃━]", " ", text)


@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_what_play_offers_says_nothing_that_is_not_a_message(game: str, moves: int) -> None:
    unmarked = dict.fromkeys(word for text in choices(game, moves // 3, BRACKETED) for word in words(text))
    assert not unmarked, "\n".join(unmarked)


@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_a_refusal_says_nothing_that_is_not_a_message(game: str, moves: int) -> None:
    unmarked = dict.fromkeys(word for text in refusals(game, moves // 3, BRACKETED) for word in words(text))
    assert not unmarked, "\n".join(unmarked)


@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_statistics_say_nothing_that_is_not_a_message(game: str, moves: int) -> None:
    summaries = summarise([played(game, moves)[0].copy()])
    text = _unboxed(report_text(summaries, width=200, language=BRACKETED))
    unmarked = dict.fromkeys(words(_no_attachment(_no_durations(text))))
    (picture,) = (chart_of(summary, BRACKETED).svg for summary in summaries)
    lettering = " ".join(re.findall(r"<text[^>]*>([^<]*)", picture))
    drawn = re.sub(r"\?[^?]*\?", "", lettering)  # our fonts have no such brackets
    unmarked |= dict.fromkeys(words(_no_durations(drawn)))
    assert not unmarked, "\n".join(unmarked)


def _no_durations(text: str) -> str:
    """Without ``1d1h``, which is as in the deadlines that are typed, and the emails of seats."""
    return re.sub(r"\b(?:\d+[dhms])+\b", "", text)


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_a_page_of_replay_says_nothing_that_is_not_a_message(game: str, moves: int, public: bool) -> None:
    timeline = Timeline(played(game, moves)[0].copy())
    viewpoint = PUBLIC_VIEWPOINT if public else OPEN_VIEWPOINT
    unmarked: dict[str, None] = {}
    for seq in range(0, timeline.last + 1, 7):
        page = page_of(timeline.frame(seq, viewpoint), timeline.last, width=100, language=BRACKETED)
        unmarked |= dict.fromkeys(words(_unboxed(_no_attachment(page))))
    assert not unmarked, "\n".join(unmarked)


@pytest.mark.parametrize("code", ["fr", "it", "de"])
def test_each_seat_is_written_to_in_its_own_language(code: str) -> None:
    from tests.letters.batch import letters_for
    from tests.world import World

    world = World("wyatt-earp", SEATS)
    for seat, tag in zip(SEATS, ("en", code, f"{code}-CH"), strict=True):
        world.join(seat, lang=tag)
    for letter in letters_for(world.record, world.head.seq, world.head.seq, Seat("curt")):
        language = language_of(code if letter.seat != "anna" else "en")
        assert language.gettext("Everyone has joined") in letter.text
        assert f'lang="{language.code}"' in letter.html


_WORDS = re.compile(r"[A-Za-z]{3,} [a-z]{2,}")
_NO_PERSON = {"web.py"}
"""What builds and serves the page addresses who makes a release, in English."""


_FOR_PROGRAMS = {"MailRefused", "NotTaken"}
"""Why a mail or a post was not taken is shown to logs and programs, by a kind and in English."""


def test_no_fault_of_a_command_or_a_host_is_said_in_english_only() -> None:
    plain: list[str] = []
    faults, spoken = _faults() - _FOR_PROGRAMS, {"answer", "say", "tell"}
    for package in ("cli", "host", "store"):
        for path in sorted(Path(pbem.__file__).parent.joinpath(package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call) or path.name in _NO_PERSON:
                    continue
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                texts = [keyword.value for keyword in node.keywords if keyword.arg == "hint"]
                if name in faults or name in spoken:
                    texts += node.args[:2]
                plain += [
                    f"{path.name}:{text.lineno}: {ast.unparse(text)}"
                    for text in texts
                    if isinstance(text, ast.Constant | ast.JoinedStr) and _WORDS.search(ast.unparse(text))
                ]
    assert not plain


def _faults() -> set[str]:
    """Every kind of fault that the package defines, whether or not it is loaded."""
    bases: dict[str, set[str]] = {}
    for path in Path(pbem.__file__).parent.rglob("*.py"):
        if "node_modules" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                named = {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases}
                bases[node.name] = bases.get(node.name, set()) | named
    names = {PbemError.__name__}
    while more := {name for name, of in bases.items() if of & names} - names:
        names |= more
    return names


def test_a_fixed_blank_is_not_broken_by_wrapping() -> None:
    text = "x" * 70 + " 4.000\u00a0$"
    assert fill(text).splitlines()[1] == "4.000\u00a0$"
