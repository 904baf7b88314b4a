"""Many matches from one file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.host.service.many import make_many, read_many
from pbem.protocol.record import Deadlines
from tests.service.fakes import FakeClock, FakeMail, fake_service

FILE = """# the club's first round
round-1-a wyatt-earp anna=anna@players.test burt=burt@players.test

round-1-b way-out-west curt=curt@players.test dora=dora@players.test emil=emil@players.test  # late
"""


def test_every_line_is_a_match_and_everybody_is_invited(tmp_path: Path) -> None:
    mail = FakeMail()
    service = fake_service(tmp_path, mail, FakeClock())
    many = make_many(service, read_many(FILE, Deadlines(48)), "en")
    service.run_once()
    assert [title for title, _ in many] == ["round-1-a", "round-1-b"]
    everybody = ["anna", "burt", "curt", "dora", "emil"]
    assert sorted(to for to, _ in mail.delivered) == [f"{name}@players.test" for name in everybody]
    assert {row["name"] for row in service.matches.status()} == {"round-1-a", "round-1-b"}
    service.close()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (FILE + "round-2 wyatt-earp anna\n", "line 5"),
        (FILE + "round-2 chess anna=anna@players.test burt=burt@players.test\n", "line 5"),
        ("x wyatt-earp anna=anna@players.test anna=burt@players.test\n", "line 1"),
        ("x wyatt-earp anna=nobody burt=burt@players.test\n", "line 1"),
        ("# nothing\n", "no match"),
    ],
)
def test_one_wrong_line_makes_nothing(text: str, where: str) -> None:
    with pytest.raises(UsageProblem, match=where):
        read_many(text, Deadlines())
