"""A whole practice match of each game in a real terminal; what lies in its folder; what a hint may know."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import process_time

import pytest

from pbem.base.errors import FormatError, PbemError, UsageProblem
from pbem.base.language import ENGLISH, language_of
from pbem.game import Decision, Foresight, IllegalAction
from pbem.games.rulebook import rulebook_of
from pbem.games.way_out_west.board import standard_board
from pbem.player.play.matters import TextScreen
from pbem.player.practice import Practice, PracticePlan, PracticeSession, lesson_plan
from pbem.player.practice.app import PracticeApp
from pbem.player.practice.match import Lesson, LessonStep, fresh, games_with_lessons, lesson_of, newest
from pbem.player.world import SeededEntropy
from pbem.protocol.audit import audit
from pbem.protocol.client import SeatView
from pbem.protocol.record import Record
from tests.cli.seats import run
from tests.patience import nap, patiently
from tests.play.screens import text_of
from tests.play.test_real_terminal import ROOT, Terminal, new_terminal
from tests.practice import deals
from tests.practice.lessons import begin as begin_lesson
from tests.practice.lessons import play_through
from tests.practice.words import speaks_of

NAMED = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][a-z]+(?: (?:the )?[A-Z][a-z]+)*")
"""Names inside a sentence."""
COMMON = ("Outlaw", "Outlaws", "Sheriff", "Wanted")
"""Kinds of cards and counters: the rules under the words say what they are."""
SIGNS = {"Photo": "P)", "Bank": "B)"}
"""Cards that the table shows by an email."""
MOST_REWARD = 3000
"""Dollars that one play puts on a poster; what is more lies there."""
AHEAD = 6
"""Keys that are typed before one looks again."""
START = "2026-11-21T18:00:00Z"
PLANS = [
    PracticePlan("wyatt-earp", 1, "easy"),
    PracticePlan("way-out-west", 2, "easy", options={"mutual_kill": "defender_wins"}),
]


def begin(folder: Path, plan: PracticePlan, seed: str = "1") -> Practice:
    return Practice.begin(folder, plan, SeededEntropy(seed, "practice"), lambda: START)


def again(folder: Path) -> Practice:
    return Practice(folder, SeededEntropy("2", "practice"), lambda: START)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board of one turn: three cowboys each, an auction, two actions, and the score."""
    board = standard_board()
    board["start_space"] = dict.fromkeys(board["start_space"], board["last_space"])
    file = tmp_path_factory.mktemp("board") / "short.json"
    file.write_text(json.dumps(board), "utf-8")
    return file


def answered(terminal: Terminal, records: Path, last: tuple[int, str]) -> tuple[int, str]:
    """Wait until the keys have changed something: the size of the records, what the terminal shows.

    The screen alone would not do: an opponent who takes the card that was discarded and discards it again leads back
    to the very same screen. The size is read first, so that a file that leaves meanwhile is seen at the next look.
    """
    for _ in patiently(lambda: f"waited for an answer to the keys:\n{terminal.screen}"):
        if (now := (records.stat().st_size, terminal.screen)) != last:
            break
        nap()
    return now


@pytest.fixture(scope="module", params=["wyatt-earp", "way-out-west"])
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, board: Path) -> Practice:
    """A whole match in a real terminal, by keys alone: a hint, then always the first choice, typed far ahead."""
    root = tmp_path_factory.mktemp("practice")
    more = {"wyatt-earp": ["--against", "1"], "way-out-west": ["--board", str(board)]}[request.param]
    words = [sys.executable, "-m", "pbem", "practice", request.param, "--level", "easy", *more]
    words += ["--folder", str(root / "match"), "--home", str(root / "home")]
    terminal = new_terminal(root.name)
    terminal.start(f"cd {shlex.quote(str(ROOT))} && {shlex.join(words)}")
    try:
        terminal.until("Your turn to", "Nothing chosen yet")
        terminal.press("i")
        terminal.until("this is what I would do")
        terminal.press("Escape")
        terminal.until("Nothing chosen yet", gone="this is what I would do")
        last = (0, "")
        while "The match is over" not in last[1]:
            terminal.press(*["Enter"] * AHEAD, "1")
            last = answered(terminal, root / "match" / "game.jsonl", last)
        terminal.press("v")
        terminal.until("After record")
        terminal.press("Enter")  # Escape and a letter would be one key to a terminal
        terminal.until("The match is over", gone="After record")
        terminal.press("q")
        terminal.wait(lambda _: not terminal.tmux("list-sessions"), "the end")
    finally:
        terminal.tmux("kill-server")
    return Practice(root / "match", SeededEntropy("2", "practice"), lambda: START)


def test_it_ends_and_everything_is_proven(played: Practice) -> None:
    assert played.record.over
    report = audit([line.raw for line in played.record.lines])
    assert report.ok
    assert report.ended
    assert report.counts["bound only"] == 0


def test_the_commands_read_its_folder(played: Practice) -> None:
    folder = played.folder.path
    home = folder / "people" / "anna"
    shown = run("show", folder, "--home", home, "--passphrase-file", home / "passphrase")
    assert "The match is over" in shown.out
    for command in ("stats", "audit", "verify"):
        done = run(command, folder)
        assert done.code == 0, done.err
    first = run("replay", folder, "--from", "8", "--to", "12", "--plain", "--public")
    assert first.code == 0, first.err
    assert "(bot)" in first.out
    report = folder / "report.html"
    assert run("audit", folder, "--html", report).code == 0
    assert "Burt (bot)" in report.read_text("utf-8")


def test_a_session_goes_on_where_the_last_one_stopped(tmp_path: Path) -> None:
    practice = begin(tmp_path / "wyatt-earp-1", PLANS[0])
    session = PracticeSession(practice)
    assert session.trial is not None
    session.add(session.trial.options[0])
    assert session.take_back() is not None
    session.add(session.trial.options[0])
    path = newest(tmp_path, "wyatt-earp")
    assert path == practice.folder.path
    assert fresh(tmp_path, "wyatt-earp").name == "wyatt-earp-2"
    later = PracticeSession(again(path))
    assert later.trial is not None
    assert later.trial.actions == session.trial.actions
    before = later.record.head.seq
    later.leave()
    assert later.record.head.seq > before


def test_a_poor_choice_is_found_again_in_the_review(tmp_path: Path) -> None:
    session = PracticeSession(begin(tmp_path / "match", PLANS[1]))
    assert "No choice of yours" in session.review()
    assert session.trial is not None
    rules = session.practice.record.rules
    while True:
        weighed = session.practice.adviser().weigh(session.trial.now)
        if weighed[0].value - weighed[-1].value > 1:
            break
        session.add(rules.action_to_json(weighed[0].action))
        session.leave()
    seq = session.record.head.seq
    worst = rules.action_to_json(weighed[-1].action)
    session.add(worst)
    session.leave()
    assert session.review().startswith(f"After record {seq}: {session.phrases.label(worst)}, worth ")


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.game)
def test_a_hint_is_shown_within_a_second_in_the_players_language(tmp_path: Path, plan: PracticePlan) -> None:
    practice = begin(tmp_path / "match", plan)
    members = {}
    for language in (ENGLISH, language_of("fr")):
        session = PracticeSession(practice, language)
        began = process_time()
        members[language.code] = session.hint()
        assert process_time() - began < 1
    assert "this is what I would do" in members["en"].splitlines()[0]
    assert members["en"] != members["fr"]


def test_a_hint_is_the_same_whatever_the_others_hold(tmp_path: Path) -> None:
    """The unseen cards are dealt again: what the seat sees stays, and so does every value."""
    practice = begin(tmp_path / "match", PLANS[0])
    record = Record(practice.record.ledger)
    view = SeatView(record, practice.people[practice.me]).view
    weighed = practice.adviser().weigh(view)
    hands = set()
    assert isinstance(record.rules, Foresight)
    for world in record.rules.worlds(view):
        hands.add(str(world))
        assert practice.adviser().weigh(practice.record.rules.observe(world, practice.me)) == weighed
    assert len(hands) > 5


@pytest.mark.parametrize(
    ("plan", "fault"),
    [
        (PracticePlan("wyatt-earp", 4), "1 to 3 others"),
        (PracticePlan("poker"), "no game 'poker'"),
        (PracticePlan("wyatt-earp", level="divine"), "no level 'divine'"),
        (PracticePlan("wyatt-earp", profile="martian"), "martian"),
        (PracticePlan("wyatt-earp", setup={"board": standard_board()}), "board"),
        (PracticePlan("way-out-west", setup={"board": {"towns": []}}), "board|towns"),
    ],
)
def test_what_cannot_be_played_is_refused_and_nothing_is_made(
    tmp_path: Path, plan: PracticePlan, fault: str
) -> None:
    with pytest.raises(UsageProblem, match=fault):
        begin(tmp_path / "match", plan)
    assert not (tmp_path / "match").exists()


def test_a_board_of_ones_own_is_played_on_and_remembered(tmp_path: Path) -> None:
    board = deepcopy(standard_board())
    board["towns"][0]["name"] = "Tombstone"
    begin(tmp_path / "match", PracticePlan("way-out-west", setup={"board": board}))
    replay = again(tmp_path / "match")
    assert replay.record.genesis["setup"]["board"]["towns"][0]["name"] == "Tombstone"
    assert replay.plan.setup["board"] == board


def test_a_damaged_folder_is_said_to_be_damaged(tmp_path: Path) -> None:
    folder = begin(tmp_path / "match", PLANS[0]).folder.path
    game, plan = folder / "game.jsonl", folder / "practice.json"
    records, wish = game.read_bytes(), json.loads(plan.read_bytes())
    wrongs: tuple[object, ...] = ("x", None, -1, 1.5, {})
    for wrong in wrongs:
        plan.write_text(json.dumps(wish | {"against": wrong}), "utf-8")
        with pytest.raises(FormatError, match=r"practice\.json is damaged"):
            again(folder)
    for text in ("", "[]", "{}", "[" * 100_000):
        plan.write_text(text, "utf-8")
        with pytest.raises(FormatError, match=r"practice\.json is damaged"):
            again(folder)
    plan.write_text(json.dumps(wish), "utf-8")
    for raw in (b"", bytes(100), records.partition(b"\n")[2]):
        game.write_bytes(raw)
        with pytest.raises(PbemError):
            again(folder)
    game.write_bytes(records)
    assert again(folder).record.lines[-1].raw in records


# --- lessons ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """What stands on the screen at a step of a lesson, or behind the last one."""

    text: str
    """The lesson's words."""
    dialog: str
    """The terminal while they lie over it, and what lies under them."""
    under: str
    until: str
    """The deadline that runs."""


@dataclass(frozen=True)
class Walked:
    """A lesson that was played through by keys."""

    session: PracticeSession
    lesson: Lesson
    seen: list[Seen]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Walked]:
    """Each lesson in each language, played once; at every step its promises are held."""

    @cache
    def walk(game: str, code: str) -> Walked:
        folder = tmp_path_factory.mktemp("lesson") / "lesson"
        seed = {"en": "1", "de": "another"}[code]
        session = begin_lesson(folder, game, seed=seed, language=language_of(code))
        lesson, seen = session.practice.lesson, list[Seen]()
        assert lesson is not None

        async def see(app: PracticeApp, at: int) -> None:
            assert isinstance(app.screen, TextScreen)
            assert app.screen._text == session.lesson()
            under = text_of(app, app.screen_stack[0])
            seen.append(Seen(app.screen._text, text_of(app), under, session.waiting.until()))
            if at < len(lesson.steps):
                what_it_says_is_true(session, lesson.steps[at])
                other_choices_are_answered(session, lesson.steps[at])

        asyncio.run(play_through(session, see))
        assert len(seen) == len(lesson.steps) + 1
        return Walked(session, lesson, seen)

    return walk


@pytest.mark.parametrize("game", games_with_lessons())
def test_a_lesson_goes_to_its_end_on_the_screen_whatever_the_machine(
    walked: Callable[[str, str], Walked], game: str
) -> None:
    """By keys, in German; then the match goes on freely, and all of it is proven."""
    walk = walked(game, "de")
    session, texts = walk.session, [screen.text for screen in walk.seen]
    if game == "wyatt-earp":
        assert session.record.public is not None
        won = session.record.public["money"]
        assert f"${won['anna']:,} for you, ${won['burt']:,} for Burt" in str(walk.lesson.end)
    assert len(set(texts)) == len(texts)
    assert all("Wähle: " in text for text in texts[:-1])
    assert not session.in_lesson
    assert session.trial is not None
    report = audit([line.raw for line in session.record.lines])
    assert report.ok


@pytest.mark.parametrize("code", ["en", "de"])
@pytest.mark.parametrize("game", games_with_lessons())
def test_no_step_of_a_lesson_has_a_word_of_time_or_of_mail(
    walked: Callable[[str, str], Walked], game: str, code: str
) -> None:
    for screen in walked(game, code).seen:
        assert speaks_of(screen.until)  # a deadline runs; it is not shown
        for shown in (screen.dialog, screen.under):
            assert not speaks_of(shown), shown


def test_the_script_of_wyatt_earps_lesson_fits_the_deal_of_its_seed() -> None:
    lesson = lesson_of("wyatt-earp")
    mine, others = [step.action for step in lesson.steps], list(lesson.others)
    state = deals.deal(lesson.seed)
    while mine:
        node = deals.RULES.node(state)
        assert isinstance(node, Decision)
        action = (mine if node.seat == deals.PLAN.seats[0] else others).pop(0)
        try:
            state = deals.RULES.apply(state, deals.RULES.action_from_json(action)).state
        except IllegalAction as fault:
            pytest.fail(f"{fault}: is it another deal? python -m tests.practice.deals finds a new one")
    assert others == []


@pytest.mark.parametrize("game", games_with_lessons())
def test_what_a_lesson_names_stands_on_the_screen_under_its_words(
    walked: Callable[[str, str], Walked], game: str
) -> None:
    """Each card and place in a terminal of 80 by 24, and each sum that is too great to be of one play: of a poster."""
    walk = walked(game, "en")
    for step, screen in zip(
        walk.lesson.steps, walk.seen, strict=False
    ):  # behind the last step there is one more
        text, flat = str(step.text), " ".join(screen.under.split())
        for name in NAMED.findall(text):
            assert name in COMMON or SIGNS.get(name, name) in flat, f"{name} is not there:\n{screen.under}"
        for amount in re.findall(r"\$\d+,\d+", text):
            assert int(amount[1:].replace(",", "")) <= MOST_REWARD or amount in flat, (
                f"{amount}:\n{screen.under}"
            )


def what_it_says_is_true(session: PracticeSession, step: LessonStep) -> None:
    """Each row that a step names is there, and each reaction is to something that can be chosen there."""
    assert session.trial is not None
    others = {option["do"] for option in session.trial.options if option != step.action}
    assert step.other.keys() <= others, step.action
    assert all(rulebook_of(session.record.game_info.id).find(row) for row in step.rows)


def other_choices_are_answered(session: PracticeSession, step: LessonStep) -> None:
    """They get a sentence and do not become part of the draft."""
    assert session.trial is not None
    assert session.offers() == []
    others = [
        option for option in session.trial.options if any(step.action.get(k) != v for k, v in option.items())
    ]
    for action in others[-2:]:
        session.add(action)
        assert session.trial.actions == ()
        assert session.answer
    session.answer = ""


def test_no_lesson_for_a_game_without_one() -> None:
    with pytest.raises(UsageProblem, match="no lesson for 'poker'"):
        lesson_plan("poker")
