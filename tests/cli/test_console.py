"""What commands print of untrusted bytes."""

from __future__ import annotations

from pbem.cli.console import shown

FOREIGN = "Subject: \x1b]0;x\x07\x9b2J\r\n\tthere\u202e, \u200bü".encode()


def test_foreign_bytes_cannot_steer_a_terminal_and_go_into_a_pipe_as_they_are() -> None:
    assert shown(FOREIGN, terminal=False) == FOREIGN
    assert shown(FOREIGN, terminal=True).decode() == "Subject:  ]0;x  2J\n    there ,  ü\n"
