"""Words that the style guide has given up stand nowhere but where a row says why; a row that nothing needs goes."""

from __future__ import annotations

import re

import pytest

from pbem.player.letters.by_hand import LABELS
from tests.languages import words
from tests.languages.catalogues import ROOT

MOST_ROWS = 40
MOST_LONG = 0
"""Sentences over ``words.LONGEST`` words that are left: none."""


def test_a_word_that_was_given_up_stands_only_where_a_row_says_why() -> None:
    rows = words.data()["allowed"]
    assert len(rows) <= MOST_ROWS
    assert all(len(row["reason"]) > 10 for row in rows)
    used = set()
    for hit in words.hits():
        number = words.allowed(hit)
        assert number is not None, f"{hit.place}: {hit.word!r} in {hit.text!r}"
        used.add(number)
    assert [rows[number] for number in range(len(rows)) if number not in used] == []


def test_every_pattern_finds_the_word_it_is_for() -> None:
    rows = words.data()["patterns"]
    assert len(rows) >= 30
    samples = {
        "he": "his turn",
        "is no": "is no file",
        "link of the shuffle": "the link of anna",
        "mend": "mend it",
        "anew": "begun",
        "door": "the door",
        "until a deadline": "until {due}",
        "trust only so far": "the own group",
        "please be ready": "your ready",
        "captured": "would be captured now",
        "head": "the latest head",
        "stack": "the stack",
        "fixed default": "a fixed default",
        "close": "at the close",
        "paper": "your paper",
        "word": "the word of your invitation",
        "who drops out": "Who drops out pays",
        "house": "a map of the house",
        "line": "the attached lines",
        "actions": "what you may do",
        "measure": "the measures",
        "page": "About this page",
    }
    for row in rows:
        sample = samples.get(row["not"], row["not"])
        assert re.search(row["pattern"], sample), row["not"]
        assert not re.search(row["pattern"], "Your email brings your hand: play by Friday."), row["not"]


def test_words_and_long_sentences_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    words.main()
    last = capsys.readouterr().out.splitlines()[-1]
    match = re.fullmatch(r"(\d+) texts, (\d+) words, (\d+) sentences over 25 words", last)
    assert match is not None
    assert int(match[1]) > 3_000
    assert int(match[3]) == len(words.long_sentences()) <= MOST_LONG


def test_the_specifications_table_shown_as_is_what_people_are_shown() -> None:
    """A label stands in it as it is shown, here and by the second verifier; any other word has a pattern of its own."""
    prose = (ROOT / "schemas/README.md").read_text(encoding="utf-8")
    text = (ROOT / "examples/verifier/audit.mjs").read_text(encoding="utf-8")
    (table,) = re.findall(
        r"^\| here and in JSON \| shown as \|\n\|---\|---\|\n((?:\|.*\n)+)", prose, re.MULTILINE
    )
    rows = dict(re.findall(r"^\| (.+?) \| (.+?) \|$", table.replace("`", ""), re.MULTILINE))
    assert {here: shown for here, shown in rows.items() if here in LABELS} == LABELS
    assert re.search(r"LABELS = \{ (.*), refuted", text)[1] == ", ".join(  # type: ignore[index]
        (f'"{here}"' if " " in here else here) + f': "{shown}"' for here, shown in LABELS.items()
    )
    for here in rows.keys() - LABELS.keys():
        word, shown = here.split(",")[0], rows[here]
        spoken = (word, f"the {word}", f"at the {word}", f"the {word} of", f"your {word}", f"fixed {word}")
        uses = [
            row["use"]
            for row in words.data()["patterns"]
            if any(re.search(row["pattern"], text) for text in spoken)
        ]
        assert any(token in use for use in uses for token in re.findall(r"\w{3,}", shown)), f"{here}: {uses}"


def test_what_players_read_names_no_record_or_file_by_its_number() -> None:
    """But where a row says why; a row that nothing needs goes."""
    data = words.data()["players"]
    pattern, used = re.compile(data["pattern"]), set()
    for place, text in words.texts():
        if place.startswith(tuple(data["places"])) and pattern.search(text):
            row = next(
                (at for at, exception in enumerate(data["allowed"]) if re.search(exception["text"], text)),
                None,
            )
            assert row is not None, f"{place}: {text}"
            used.add(row)
    assert used == set(range(len(data["allowed"])))
    assert len(data["allowed"]) + len(words.data()["allowed"]) <= MOST_ROWS
    assert pattern.search("Reaction to record {seq}")
