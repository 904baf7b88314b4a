"""What every email keeps to: purity, width, subjects, HTML, attachments, and no hand in it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from html import escape
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.game import Seat
from pbem.games.rulebook import rows_text
from pbem.player.letters.compose import compose, invitation_letter, refusal_letter
from pbem.player.letters.layout import WIDTH, cells, clean, fill, grid, wrap
from pbem.player.letters.letter import Kind, Letter, Link, attachment_name
from pbem.player.letters.rendering import story_text
from pbem.protocol.crypto.digest import short_id
from tests.letters import walk
from tests.letters.batch import letters_for
from tests.letters.fakes import (
    KEY,
    FakeLine,
    FakeSource,
    earp_source,
    earp_view,
    event,
    step,
    town,
    toy_source,
    west_source,
    west_view,
)
from tests.letters.test_golden import LETTERS

ANNA, BURT, CURT = Seat("anna"), Seat("burt"), Seat("curt")
NASTY = {
    "anna": "<script>alert(1)</script> & \"Anna\"",
    "burt": "Burt\r\nBcc: everybody@example.org\u2028\u202egnp.exe",
    "curt": "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字 [red]{{ 7*7 }} PBEM1BEGIN AAAA" + "x" * 200,
}  # fmt: skip


@pytest.fixture(params=LETTERS, scope="module")
def letter(request: pytest.FixtureRequest) -> Letter:
    return LETTERS[request.param]()


NASTY_LETTERS = 16


@cache
def nasty_letters() -> list[Letter]:
    """``NASTY_LETTERS`` of them."""
    letters = []
    source = earp_source(names=NASTY)
    letters += [invitation_letter(source, seat) for seat in source.seats]
    source.start(earp_view(), [event("hand-started", hand=2, dealer="curt", starter="anna")])
    for maker in (walk.earp_look, walk.earp_hideout, walk.earp_pass, walk.earp_turn_end):
        seq = maker(source)
        sender = Seat(source.lines[seq].body["msg"]["body"]["seat"])
        letters += letters_for(source, seq, seq, sender)
    source.add(
        "turn", msg=source.message("curt", 9, actions=[], say="<img src=x onerror=alert(1)>\r\npbem 1 begin")
    )
    letters += letters_for(source, len(source.lines) - 1, len(source.lines) - 1, CURT)
    west = west_source(names=NASTY)
    west.start(west_view(phase="auction"), walk.WEST_EVENTS)
    seq = walk.west_fight(west)
    letters += letters_for(west, seq, seq, BURT)
    assert len(letters) == NASTY_LETTERS
    return letters


# --- every email -----------------------------------------------------------------------------------------


def test_text_keeps_to_76_columns(letter: Letter) -> None:
    assert max(cells(line) for line in letter.text.splitlines()) <= WIDTH


def test_the_subject_is_one_short_line_that_ends_with_the_title(letter: Letter) -> None:
    assert re.fullmatch(r"[^\n\r]{5,60}", letter.subject)
    assert letter.kind is Kind.INVITATION or letter.subject.endswith(("(Wyatt Earp)", "(Way Out West)", "…)"))


def test_html_is_well_formed_and_asks_for_nothing_from_outside(letter: Letter) -> None:
    faults = _faults(letter.html)
    assert faults == []


def test_html_stays_below_what_mail_programs_clip(letter: Letter) -> None:
    assert len(letter.html.encode()) < 90_000


def test_text_and_html_show_the_same(letter: Letter) -> None:
    shown = _plain(letter.html)
    for line in letter.text.partition("WHAT HAPPENED")[2].splitlines():
        if line.startswith("  - "):
            first_words = line[4:].split(" from ")[0]
            assert " ".join(first_words.split()) in shown


def test_a_letter_is_a_pure_function_of_the_record() -> None:
    for name, maker in LETTERS.items():
        assert maker() == maker(), name


def test_an_old_letter_can_be_made_again_when_the_match_has_gone_on() -> None:
    source = walk.earp_started()
    seq = walk.earp_look(source)
    (then,) = letters_for(source, seq, seq, ANNA)
    walk.earp_hideout(source)
    walk.earp_pass(source)
    (now,) = letters_for(source, seq, seq, ANNA)
    assert now == then


# --- nasty words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(NASTY_LETTERS))
def test_no_name_and_no_word_breaks_a_letter(number: int) -> None:
    nasty = nasty_letters()[number]
    assert "\n" not in nasty.subject
    assert "\r" not in nasty.subject
    assert max(cells(line) for line in nasty.text.splitlines()) <= WIDTH
    assert _faults(nasty.html) == []
    assert "<script" not in nasty.html
    assert "<img src=x" not in nasty.html
    assert "49" not in _plain(nasty.html).replace(nasty.subject, "").split("[red]")[-1][:12]
    for part in (nasty.subject, nasty.text, nasty.html):
        assert not re.search("[\u2028\u202e\x00-\x09\x0b-\x1f]", part)
        assert "PBEM1BEG1N" not in re.sub("[^0-9A-Z]", "", part.upper()).replace("I", "1").replace("L", "1")


@given(st.text(max_size=80))
def test_cleaned_words_are_one_line_without_control_characters(text: str) -> None:
    cleaned = clean(text)
    assert cleaned == " ".join(cleaned.split())
    assert len(cleaned.splitlines()) <= 1
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("[pbem 1mrz4qqp] your turn", "[pbem 1mrz4qqp] your turn"),
        ("run pbem id restore, then pbem legal", "run pbem id restore, then pbem legal"),
        ("PBEM1BEGIN AAAA", "AAAA"),
        ("p.b e m L b-e g i n AAAA", "AAAA"),
        ("pbPBEM1ENDem1end AAAA", "AAAA"),
    ],
)
def test_armour_markers_go_and_the_program_may_be_named(text: str, stays: str) -> None:
    assert clean(text) == stays


@given(st.text(st.characters(exclude_characters="\x02\x1f"), max_size=200), st.integers(5, 90))
def test_wrapped_text_fits_and_loses_no_character(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cells(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.lists(st.lists(st.text("abc 漢", max_size=60), min_size=3, max_size=3), min_size=1, max_size=5))
def test_a_grid_fits_whatever_its_cells(rows: list[list[str]]) -> None:
    assert all(cells(line) <= WIDTH for line in grid(rows, "lrl", ["one", "two", "three"]).splitlines())


def test_filled_text_hangs_behind_its_bullet() -> None:
    assert fill("  - one two three", 9) == "  - one\n    two\n    three\n"


# --- attachments ------------------------------------------------------------------------------------------


def test_the_attachment_holds_whole_lines_from_what_the_reader_signed_to_have_seen() -> None:
    source = walk.earp_started()
    walk.earp_look(source)
    seq = walk.earp_turn_end(source)
    letters = {letter.seat: letter for letter in letters_for(source, seq, seq, ANNA)}
    for seat, seen in ((ANNA, 10), (BURT, 5), (CURT, 6)):
        expected = b"".join(line.raw + b"\n" for line in source.lines[seen + 1 :])
        assert letters[seat].attachment == expected
        assert letters[seat].attachment_name == f"game-{short_id(source.game)}-{seen + 1}-{seq}.jsonl"
    assert invitation_letter(source, BURT).attachment == source.lines[0].raw + b"\n"


@pytest.mark.parametrize(("size", "end"), [(64 * 1024 - 1, ".jsonl"), (64 * 1024, ".jsonl.gz")])
def test_a_long_attachment_is_named_as_packed(size: int, end: str) -> None:
    assert attachment_name(bytes(32), 3, 40, size) == f"game-{short_id(bytes(32))}-3-40{end}"


@pytest.mark.parametrize("page", ["https://page.test/", ""])
def test_the_way_in_by_browser_is_a_button_where_the_release_has_a_page(page: str) -> None:
    link = Link(page, "https://games.test/api", "7q3kdw1x", "anna", "w" * 26)
    letter = invitation_letter(earp_source(), ANNA, link=link)
    button = f'href="{escape(page + link.fragment)}"'
    assert (button in letter.html, 'class="button"' in letter.html) == (bool(page), bool(page))
    assert escape(link.fragment) in letter.html
    assert page + link.fragment in letter.text.splitlines()
    assert ("open your web app and put this after its address" in " ".join(letter.text.split())) == (not page)


def test_a_refusal_carries_the_signed_reject_and_only_what_it_says() -> None:
    source = walk.earp_started()
    body = {"seat": "anna", "n": 7, "code": "stale", "at": "2026-11-22T08:00:00Z"}
    letter = refusal_letter(source, ANNA, {"body": body, "sig": {}}, reject_bytes=b"{}")
    assert letter.extra[0].data == b"{}"
    assert letter.extra[0].name == f"reject-{short_id(source.game)}-anna-7.json"
    assert "What you sent was refused, and nothing has changed: the match went on before it came" in " ".join(
        letter.text.split()
    )
    assert letter.subject == "Refused: the match went on before it came (Wyatt Earp)"
    assert "Rule" not in letter.text


# --- what must not be in it -------------------------------------------------------------------------------


def _with_secrets(source: FakeSource, word: str) -> FakeSource:
    """The same record with other hidden parts: packets, sealed parts, what a close opens, private facts."""
    lines = []
    for line in source.lines:
        body: dict[str, Any] = dict(line.body)
        if "packets" in body:
            body["packets"] = {seat: {"commit": word, "ct": word} for seat in source.seats}
        if "msg" in body:
            inner = dict(body["msg"]["body"])
            for member in ("sealed", "orders"):
                inner[member] = {"commit": word, "ct": word}
            body["msg"] = {**body["msg"], "body": inner}
        if body["kind"] in ("close", "end"):
            body["opened"] = [
                {"seat": "anna", "n": 3, "part": "sealed", "salt": word, "content": [{"do": word}]}
            ]
            body["facts"] = [{"seq": 10, "seat": "anna", "facts": [{"found": word}]}]
            body["seed"] = word
        lines.append(FakeLine(line.seq, line.kind, body, line.hash, line.raw))
    return replace(source, lines=lines)


def test_two_matches_that_differ_only_in_what_is_hidden_have_the_same_letters() -> None:
    source = walk.earp_started()
    walk.earp_look(source)
    walk.earp_hideout(source)
    walk.earp_pass(source)
    first, last = walk.earp_hand_end(source)
    left, other = _with_secrets(source, "jesse-james-1"), _with_secrets(source, "wyatt-earp-2")
    for seq_from, seq_to in ((0, 0), (7, 9), (10, 10), (11, 11), (12, 12), (first, last)):
        sender = CURT if seq_from in (7, first) else ANNA
        letters = letters_for(left, seq_from, seq_to, sender)
        assert letters == letters_for(other, seq_from, seq_to, sender)
        for letter in letters:
            assert "jesse-james-1" not in letter.subject + letter.text + letter.html


def test_a_draw_from_the_supply_names_no_card_and_a_stopped_file_no_rule() -> None:
    source = walk.earp_started()
    seq = walk.earp_look(source)
    (letter,) = letters_for(source, seq, seq, ANNA)
    assert "Anna draws 2 cards from the supply." in letter.text
    stopped = source.turn(
        "anna", 3, earp_view(), [step("sealed", [], "anna", {"do": "draw", "from": "supply"})],
        stopped={"at": 1, "why": "illegal"},
    )  # fmt: skip
    (letter,) = letters_for(source, stopped, stopped, ANNA)
    assert letter.kind is Kind.STOPPED
    assert "Only you may read which rule" in " ".join(letter.text.split())
    assert not re.search(r"\bRule [A-Z]\d", letter.text)


def test_where_nothing_is_hidden_the_rule_that_stopped_a_file_is_shown() -> None:
    source = walk.west_started()
    fire = step("file", [], "burt", {"do": "pass"})
    seq = source.turn("burt", 2, west_view(), [fire], stopped={"at": 1, "why": "illegal", "rules": ["C9"]})
    letter = next(letter for letter in letters_for(source, seq, seq, BURT) if letter.seat == BURT)
    text = " ".join(letter.text.split())
    assert rows_text("way-out-west", ["C9"], str) in text.replace("C9 ", "C9  ")


# --- odd matches ------------------------------------------------------------------------------------------


def test_a_game_without_templates_of_its_own_gets_plain_letters() -> None:
    source = toy_source()
    source.start(
        {"score": {"anna": 1}, "waiting": {"seat": "anna", "phase": "guess-a-number"}},
        [event("dealt", to="anna")],
    )
    letters = letters_for(source, 6, 7, BURT)
    assert [letter.seat for letter in letters] == ["anna", "burt"]
    assert "guess a number" in letters[0].subject
    assert "Dealt: to anna." in letters[0].text
    assert "score" in letters[0].text
    assert all(_faults(letter.html) == [] for letter in letters)


def test_a_very_long_absence_still_makes_a_letter_that_is_not_clipped() -> None:
    source = walk.west_started()
    for round_ in range(60):
        dice = [walk.die(2 + round_ * 12 + j, 5, "gunfight deadwood attack 1") for j in range(12)]
        events = [event("volley", side="attack", dice=[5] * 12, hits=12)] * 9
        source.turn(
            "burt",
            2 + round_,
            west_view(),
            [step("file", events, "burt", {"do": "fire"}, dice)],
            say="x" * 280,
        )
    last = len(source.lines) - 1
    letter = compose(source, ANNA, last, 0, Kind.ASKED)
    assert len(letter.html.encode()) < 90_000
    assert "earlier events are in the match file" in letter.text
    (sheet,) = letter.extra
    assert "earlier cards and dice are in the match file" in " ".join(sheet.data.decode().split())
    assert f"record {last}: " in sheet.data.decode()


def test_the_fullest_tables_of_both_games_are_not_clipped() -> None:
    everything = {
        "outlaws": 7,
        "photo": True,
        "bank-robbery": 4,
        "stagecoach-robbery": 2,
        "fastest-gun": 1,
        "hideout": True,
    }
    source = earp_source(names=NASTY)
    territories = {seat: dict.fromkeys(earp_view()["posters"], everything) for seat in source.seats}
    source.start(earp_view(territories=territories))
    seq = walk.earp_turn_end(source)
    west = west_source(names=NASTY)
    cattle = {"anna": 2, "burt": 2, "curt": 3}
    assets = dict.fromkeys(("stagecoach", "train", "bank", "jail", "store", "hotel"), "curt")
    full = town(cowboys=cattle, cattle=cattle, assets=assets)
    west.start(west_view(towns=dict.fromkeys(west_view()["towns"], full)))
    fought = walk.west_fight(west)
    for letter in [*letters_for(source, seq, seq, ANNA), *letters_for(west, fought, fought, BURT)]:
        assert len(letter.html.encode()) < 90_000
        assert max(cells(line) for line in letter.text.splitlines()) <= WIDTH


def test_an_order_and_a_default_are_named_as_such() -> None:
    source = walk.earp_started()
    seq = source.turn(
        "anna", 2, earp_view(), [step("order", [], "burt", {"do": "react", "with": "pass"}, n=5)]
    )
    assert "Burt lets the Hideout stand. (by a standing order)" in story_text(source, seq - 1, seq)
    played = step("default", [event("drew", seat="curt", from_="discard", count=1, card="hideout")], "curt",
                  {"do": "draw", "from": "discard"})  # fmt: skip
    seq = source.result("default", earp_view(), [played], seat="curt")
    text = story_text(source, seq - 1, seq)
    assert "Curt (timeout move)" in text
    assert "Curt takes the top card of the discard pile: Hideout. (timeout move)" in text


def test_each_die_and_card_stands_with_its_numbers_and_verdict() -> None:
    source = walk.earp_started(label="bound only")
    walk.earp_look(source)
    seq = walk.earp_hideout(source)
    letter = letters_for(source, seq, seq, ANNA)[0]
    text = letter.extra[0].data.decode()
    assert f"The proof of 1 card or die is in {letter.extra[0].name}." in " ".join(letter.text.split())
    assert "Bob Dalton (hit) - committed, not yet proven" in text
    assert f"deck main, generation 0, draw k=33, place 5; leaf in record 4\n  salt {walk.SALT}" in text
    west = walk.west_started()
    seq = walk.west_fight(west)
    text = letters_for(west, seq, seq, BURT)[1].extra[0].data.decode()
    assert "3, for the defence of Abilene, round 1 - proven now" in text
    assert f"dice sequence public, roll j=2, 6 sides; anchor in record 4\n  chain value {KEY}" in text


@settings(max_examples=30)
@given(
    st.integers(0, 14),
    st.sampled_from(["anna", "burt", "curt"]),
    st.sampled_from([k for k in Kind if not k.answers]),
)
def test_any_kind_can_be_written_at_any_record(upto: int, seat: str, kind: Kind) -> None:
    source = walk.earp_started()
    walk.earp_look(source)
    walk.earp_hideout(source)
    walk.earp_pass(source)
    walk.earp_hand_end(source)
    letter = compose(source, Seat(seat), min(upto, len(source.lines) - 1), 0, kind)
    assert letter.text.endswith("\n")
    assert _faults(letter.html) == []


# --- reading HTML -----------------------------------------------------------------------------------------

_VOID = {"meta", "br", "img", "link", "hr", "input"}
_ALLOWED_ADDRESSES = ("http://www.w3.org/1999/xhtml",)


class _Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stack: list[str] = []
        self.faults: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) < len(names):
            self.faults.append(f"{tag}: doubled attribute")
        values = dict(attrs)
        for name, value in attrs:
            self._attribute(tag, name, value or "")
        if tag == "img" and "alt" not in values:
            self.faults.append("img without alt")
        if tag == "table" and values.get("role") != "presentation" and "width" not in values:
            self.faults.append("data table without width")
        if tag == "th" and "scope" not in values:
            self.faults.append("th without scope")
        if tag in {"script", "iframe", "link", "form", "object", "svg"}:
            self.faults.append(f"{tag} in a mail")
        if tag not in _VOID:
            self.stack.append(tag)

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name.startswith("on") or (name in ("src", "href", "background") and not value.startswith("cid:")):
            self.faults.append(f"{tag}: {name}={value}")
        if name == "style" and ("url(" in value or "expression" in value):
            self.faults.append(f"{tag}: {value}")

    def handle_endtag(self, tag: str) -> None:
        if not self.stack or self.stack.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        if "style" not in self.stack:
            self.text.append(data)


def _faults(html: str) -> list[str]:
    checker = _Checker()
    checker.feed(html)
    checker.close()
    faults = checker.faults + [f"<{tag}> left open" for tag in checker.stack]
    bare = html
    for allowed in _ALLOWED_ADDRESSES:
        bare = bare.replace(allowed, "")
    faults += re.findall(r"https?://\S+|@import\S*|url\(\S*", bare)
    if 'role="article"' not in html or "<meta charset" not in html or 'lang="en"' not in html:
        faults.append("role, charset or lang is missing")
    return faults


def _plain(html: str) -> str:
    checker = _Checker()
    checker.feed(html)
    return " ".join("".join(checker.text).split())
