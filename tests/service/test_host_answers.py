"""What the host of a service is answered: every word of it is a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.sentences import Sentence
from pbem.game import JsonObject
from pbem.host.database.backup import Backup
from pbem.host.service import answers
from pbem.host.service.matches import Invited
from pbem.host.service.restore import Restored
from pbem.host.service.retention import Forgotten
from pbem.host.service.service import Done
from tests.languages.brackets import unmarked

NAMES = {"anna", "example", "org", "abcd", "Wyatt", "Earp", "running", "over", "sent", "held", "saturday"}
NAMES |= {"queued", "done", "backup", "refused", "reported", "TZ"}
"""Names, addresses and what programs call things."""

JOIN = {"number": 1, "key": "7Q3KD-W1XNB-0HT5E-RM2C9", "sender": "`reboot`@evil.test"}
MATCH: JsonObject = {
    "match": "abcd",
    "title": "Wyatt Earp",
    "name": "saturday",
    "phase": "playing",
    "awaited": ["anna"],
    "waiting": {},
    "since": "2026-12-01T18:00:00Z",
    "mail": [
        {"seat": "anna", "address": "anna@example.org", "heard": "", "suspended": "", "waiting": [JOIN]},
    ],
}
PAGE: JsonObject = {
    "matches": [MATCH, MATCH | {"stopped": {"state": "forked", "since": ""}, "awaited": [], "mail": []}],
    "counts": {"running": 1, "over": 0},
    "outbox": {"sent": 3, "held": 1},
    "pages": 2,
    "page": 1,
    "found": 2,
    "rest": {"until": "2026-12-01T18:00:00Z"},
}
HEALTH: JsonObject = {
    "healthy": False,
    "faults": ["reported"],
    "at": "2026-12-01T18:00:00Z",
    "matches": {"running": 1},
    "inbox": {"done": 1},
    "outbox": {"queued": 1},
    "last_round": None,
    "last_sent": "",
    "readers": 2,
    "database": {"bytes": 1_500_000},
}
INVITED = (Invited("anna", "anna@example.org", "abcd"),)
RESTORED = Restored(3, ["abcd"], ["abcd"], ["abcd"], ["abcd"], 1)


@pytest.mark.parametrize(
    "answer",
    [
        answers.matches_words(PAGE),
        answers.quarantine_reasons({"mails": [], "letters": [], "count": 0}),
        answers.quarantine_reasons({"mails": [], "letters": [], "count": 3}),
        answers.notes_words([]),
        answers.invited_words("abcd", INVITED),
        answers.api_words({"seat": "anna", "word": "abcd", "link": ""}, new=True),
        answers.forgotten_words("anna@example.org", Forgotten(2, {"held": 1}, ("abcd",))),
        answers.round_words(Done(fetched=1, ruled=2, timed=3, sent=4)),
        answers.extended_words(24, [], [("abcd", "reported")]),
        answers.pause_words("2026-12-01T18:00:00Z"),
        answers.health_words(HEALTH),
        answers.backup_words(Backup(Path("backup"), 1_000_000, 2, 30)),
        answers.restored_words(Path("backup"), Path("abcd"), RESTORED),
    ],
)
def test_an_answer_is_shown_in_messages_only(answer: Sentence) -> None:
    assert answer
    assert not unmarked(answer, NAMES)


def test_a_page_of_matches_says_who_waits_and_how_many_there_are() -> None:
    lines = answers.matches_words(PAGE).splitlines()
    assert lines[0].split() == ["match", "game", "phase", "waiting", "for", "until", "last", "email"]
    assert "Wyatt Earp: saturday" in lines[2]
    assert "stopped: forked" in lines[3]
    assert lines[4] == (
        "abcd: anna <anna@example.org>: a join with key 7Q3KD-W1XNB-0HT5E-RM2C9, from `reboot`@evil.test, waits:"
        " pbem host confirm abcd anna 7Q3KD-W1XNB-0HT5E-RM2C9"
    )
    assert lines[5:] == [
        "page 1 of 2, 2 found; matches: 1 running, 0 over",
        "emails: 1 held, 3 sent",
        "nobody's time runs until 2026-12-01T18:00:00Z",
    ]
