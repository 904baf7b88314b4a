"""What a host is answered: every word of it is a message, and says what the facts say."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.language import language_of
from pbem.base.sentences import Sentence
from pbem.game import JsonObject, Seat
from pbem.host import answers
from pbem.host.archive import Archived
from pbem.host.store import Outcome
from pbem.protocol.referee import Held, Quarantined, Refused
from tests.languages.brackets import unmarked

NAMES = {
    "anna",
    "burt",
    "Anna",
    "Burt",
    "match",
    "game",
    "jsonl",
    "eml",
    "outbox",
    "pbem",
    "host",
    "carry",
    "out",
}
NAMES |= {"withdraw", "out-of-turn", "resign", "turn", "of", "substitute", "tar", "gz", "TZ"}
"""Seats, files and commands of the facts below."""

RULINGS: dict[str, JsonObject] = {
    "accepted": {"seat": "anna", "records": [7]},
    "several records": {
        "ruling": "accepted",
        "seat": "",
        "records": [7, 8],
        "stopped": {"at": 1, "why": "turn"},
    },
    "refused": {"code": "turn", "text": "of", "rules": []},
    "repeated": {"record": 7},
    "unchanged": {"text": "of", "record": 7},
    "held": {"seat": "anna", "what": {"kind": "resign"}, "missing": ["burt"]},
    "held by all": {"ruling": "held", "seat": "anna", "what": {"kind": "resign"}, "missing": []},
    "departed": {"seat": "anna", "seen": {"seq": 9}, "forked": False},
    "departed, forked": {"ruling": "departed", "seat": "anna", "seen": {"seq": 9}, "forked": True},
    "put-aside": {"text": "of"},
    "ignored": {"text": "of"},
}


@pytest.mark.parametrize("name", RULINGS)
def test_a_ruling_is_shown_in_messages_only(name: str) -> None:
    facts = {"file": "a.eml", "ruling": name} | RULINGS[name]
    words = answers.ruling_words(facts)
    assert words.startswith("a.eml: ")
    assert not unmarked(words, NAMES)
    assert answers.is_bad(facts) == (facts["ruling"] in ("refused", "departed", "ignored"))


def test_what_came_of_a_file_holds_what_a_program_needs() -> None:
    refused = Refused("not-your-turn", "it is not your turn", Seat("anna"), ("E1",), 2, None)
    facts = answers.ruling_facts("a.json", Outcome(refused, ("x.eml",)))
    assert facts["code"] == "not-your-turn"
    assert facts["rules"] == ["E1"]
    assert facts["action"] == 2
    assert facts["letters"] == ["x.eml"]
    held = answers.ruling_facts("a.json", Outcome(Held(Seat("anna"), {"kind": "end"}, (Seat("burt"),)), ()))
    assert (held["ruling"], held["missing"]) == ("held", ["burt"])
    aside = answers.ruling_facts("a.json", Outcome(Quarantined(Seat("anna"), "a fault"), ()))
    assert (aside["ruling"], aside["text"]) == ("put-aside", "a fault")


STATUS: JsonObject = {
    "title": "Wyatt Earp",
    "match": "abcd1234",
    "profile": "default",
    "phase": "playing",
    "head": {"seq": 9, "at": "2026-12-01T18:00:00Z", "fingerprint": "0-0"},
    "seats": [
        {"seat": "anna", "name": "Anna", "silent": True, "excused": 1, "heard": "2026-12-01T18:00:00Z"},
        {"seat": "burt"},
    ],
    "awaited": ["burt"],
    "since": "2026-12-01T18:00:00Z",
    "due": "2026-12-04T18:00:00Z",
    "says": "",
    "may": {
        "default": {"seat": "burt", "now": True, "from": ""},
        "burn": {"epoch": 2, "missing": ["burt"], "now": True},
    },
    "consents": [{"what": {"kind": "resign"}, "seats": ["anna"]}],
    "proposals": [
        {"record": 8, "what": "rekey", "seat": "burt", "until": "2026-12-08T18:00:00Z", "by_hand": True}
    ],
    "mail": {"last": "2026-12-01T18:00:00Z", "files": 3},
    "outbox": {"folder": "outbox", "unsent": ["a.eml"]},
}


def test_a_status_is_shown_in_messages_only() -> None:
    words = answers.status_words(STATUS)
    assert "1 email in outbox is not marked as sent" in words
    assert "(pbem host carry-out, pbem host withdraw)" in words
    names = {"Wyatt", "Earp", "abcd", "default", "kind", "rekey"}
    assert not unmarked(words, NAMES | names)
    german = language_of("de").translate(words)
    assert "(frei)" in german
    assert "\nPlatz  Spieler  wartet seit" in german


@pytest.mark.parametrize(
    "text",
    [
        answers.created_words({"match": "abcd", "folder": "match", "invitations": ["outbox"]}),
        answers.roster_words(
            {
                "seats": [{"seat": "anna", "name": "Anna", "fingerprint": "0-0"}],
                "phase": "getting ready",
                "says": "",
                "letters": ["outbox"],
            }
        ),
        answers.roster_words({"seats": [], "phase": "playing", "head": {"seq": 4}}),
        answers.archived_words(answers.archived_facts(Archived(Path("match.tar.gz"), 3, 9, sound=True))),
        answers.archived_words(answers.archived_facts(Archived(Path("match.tar.gz"), 3, 9, sound=False))),
        answers.recovered_words(
            {
                "notes": ["of"],
                "records": 3,
                "source": "match",
                "folder": "match",
                "lost": [{"kind": "turn", "n": 1, "seat": "anna", "record": 9}],
            }
        ),
        answers.recovered_served_words({"match": "abcd", "reported": [], "goes_on": True, "records": 3}),
        answers.recovered_served_words(
            {
                "match": "abcd",
                "reported": [],
                "goes_on": False,
                "records": 3,
                "parts": 2,
                "histories": [
                    {"number": 1, "head": {"seq": 2, "at": "2026", "fingerprint": "0"}, "lost": []},
                    {
                        "number": 2,
                        "head": {"seq": 2, "at": "2026", "fingerprint": "0"},
                        "lost": [{"kind": "turn", "n": 1, "seat": "anna", "record": 9}],
                    },
                ],
            }
        ),
    ],
)
def test_what_was_made_or_brought_back_is_shown_in_messages_only(text: Sentence) -> None:
    assert text
    assert not unmarked(text, NAMES)
