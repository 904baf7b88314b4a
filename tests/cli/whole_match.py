"""A whole match by commands alone: ``python -m tests.cli.whole_match way-out-west anna,burt,curt``.

Each player has a folder of their own with an identity and the emails they were sent; what they do is picked from what
``pbem legal`` prints. At the end ``pbem audit`` must find nothing, and every copy must be the host's.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.cli.seats import Friends, run

LIKED = (
    "place-cowboy",
    "lay",
    "photo",
    "bank-robbery",
    "stagecoach-robbery",
    "build",
    "cattle",
    "cowboys",
    "fire",
)


def pick(legal: list[dict[str, Any]], turn: int) -> list[str]:
    """One of the legal actions, as a person would type it: what is liked best, else some other."""
    for liked in LIKED:
        liked_actions = [action for action in legal if action["action"]["do"] == liked]
        if liked_actions:
            return str(liked_actions[-1]["words"]).split()
    return str(legal[turn % len(legal)]["words"]).split()


def play(friends: Friends, limit: int = 5000) -> int:
    """Play to the end; returns the number of files."""
    for files in range(limit):
        status = friends.status()
        if status.get("over"):
            return files
        if "waiting" not in status:
            sent = friends.send(friends.sign(status["unready"][0], "ready"))
        else:
            seat = status["waiting"]["seat"]
            legal = friends.play(seat, "legal", "--json")
            assert legal.code == 0, legal.err
            sent = friends.send(friends.sign(seat, "turn", *pick(legal.json["legal"], files)))
        assert sent.code == 0, sent.out + sent.err
        if files % 25 == 0:
            print(files, status.get("waiting"), flush=True)
    raise AssertionError(f"no end after {limit} files")


def main(game: str, seats: str) -> None:
    with tempfile.TemporaryDirectory(prefix="pbem-hand-") as folder:
        friends = Friends(Path(folder), tuple(seats.split(",")), game).begin().join_and_ready()
        files = play(friends)
        audited = run("audit", friends.match, "--json")
        assert audited.code == 0, audited.out
        for seat in friends.seats:
            home = friends.folder(seat) / "home"
            assert run("show", friends.folder(seat), "--home", home).code == 0
            assert (friends.folder(seat) / "game.jsonl").read_bytes() == friends.game_file
        report = audited.json
        print(
            f"{game}: {files} files by commands alone, {report['records']} records, {report['outcome']}, audit ok"
        )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
