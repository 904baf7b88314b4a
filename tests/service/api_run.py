"""The HTTP API over a real socket, with the worker that it triggers: a hand of three, and a flood.

``python -m tests.service.api_run [--posts 10000]`` plays a hand by HTTP alone and prints how long a turn takes from
the tap to everybody's copy; then one seat posts files and rubbish without end, while the others play on.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from pbem.game import JsonObject
from pbem.host.service.service import Service
from pbem.host.service.sidecar import RunningApi
from pbem.protocol.audit import audit
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.referee import MatchPlan
from tests.patience import PATIENCE
from tests.service.api_people import Visitor
from tests.service.people import Player
from tests.service.worker import sink_service
from tests.world import secret


@dataclass
class Party:
    """A match whose players are all at the API, on one machine."""

    url: str
    folder: Path
    api: RunningApi
    people: list[Visitor]
    short: str
    taps: list[float] = field(default_factory=list)
    """Seconds from a post to the moment when everybody's copy had what it caused."""
    troubles: list[str] = field(default_factory=list)

    def everybody(self, upto: int) -> None:
        """Everybody waits at the API until their copy has record ``upto``."""
        threads = [threading.Thread(target=self._fetch, args=(person, upto)) for person in self.people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @staticmethod
    def _fetch(visitor: Visitor, upto: int) -> None:
        while len(visitor.player.lines) <= upto:
            visitor.fetch(wait=20)

    def send(self, visitor: Visitor, file: JsonObject) -> None:
        """Post a file, and wait until it stands in everybody's copy."""
        head, begin = len(visitor.player.lines), time.monotonic()
        answer = visitor.post(file)
        assert answer.status_code == 202, answer.text
        self.everybody(head)
        self.taps.append(time.monotonic() - begin)
        while (state := visitor.state())["state"] == "waiting":
            time.sleep(0.02)
        assert visitor.recorded(file), state
        self.everybody(state["record"])

    def start(self) -> None:
        """Everybody joins and is ready."""
        for person in self.people:
            person.fetch()
        for person in self.people:
            self.send(person, person.player.join(person.way["code"]))
        for person in self.people:
            self.send(person, person.player.ready())

    def play(self, turns: int = 1_000) -> None:
        """Computer players until the hand has ended."""
        for _ in range(turns):
            lines = self.people[0].player.lines
            if any(b'"kind":"close"' in line for line in lines):
                return
            while not (asked := [person for person in self.people if person.player.asked]):
                self.everybody(len(lines))
            self.send(asked[0], asked[0].player.move())

    def close(self) -> None:
        """End all clients, then the API."""
        for person in self.people:
            assert isinstance(person.client, httpx.Client)
            person.client.close()
        self.api.close()


@contextmanager
def party(
    folder: Path, seats: tuple[str, ...] = ("anna", "burt", "curt"), game: str = "wyatt-earp"
) -> Iterator[Party]:
    """A match whose invitations went out, and its API at a port of this machine."""
    url, letters = f"sqlite:///{folder / 'service.db'}", folder / "letters"
    letters.mkdir()
    troubles: list[str] = []
    place = "http://localhost"

    def make() -> Service:
        return sink_service(url, letters, place)

    service = make()
    players = [Player(seat) for seat in seats]
    short = service.matches.create(MatchPlan(game, list(seats)), secret("nonce door")[:16])
    service.matches.invite(short, {player.seat: player.address for player in players})
    service.run_once()
    service.close()
    api = RunningApi(make, "127.0.0.1:0", (), troubles.append)
    api.start()
    people = []
    for player in players:
        (letter,) = (raw for raw in letters_to(letters, player.address))
        client = httpx.Client(base_url=f"http://127.0.0.1:{api.server.port}", timeout=PATIENCE)
        people.append(Visitor(player, client, letter))
    guests = Party(url, folder, api, people, short, troubles=troubles)
    try:
        yield guests
    finally:
        guests.close()


def letters_to(folder: Path, address: str) -> list[bytes]:
    """What was sent to somebody, oldest first."""
    raws = [
        path.read_bytes().partition(b"\n")
        for path in sorted(folder.glob("[!.]*"), key=lambda p: p.stat().st_mtime)
    ]
    return [raw for to, _, raw in raws if to == address.encode()]


def lines_of(party: Party) -> list[bytes]:
    """The match as the database has it."""
    service = sink_service(party.url, party.folder / "letters")
    try:
        return service.matches.lines(party.short)
    finally:
        service.close()


def flood(guests: Party, posts: int) -> Counter[str]:
    """One seat posts rubbish, files with fitting signatures and wrong codes in turn; what was answered, and counted."""
    visitor = guests.people[0]
    answers: Counter[str] = Counter()
    number, begin, slowest = visitor.player.number, time.monotonic(), 0.0
    for count in range(posts):
        kind = ("rubbish", "file", "wrong code")[count % 3]
        if kind == "file":
            visitor.player.number = number
            raw = canon(visitor.player.turn(say=f"{count}"))
        else:
            raw = b"rubbish"
        at = time.monotonic()
        answer = visitor.ask(
            "POST", f"{visitor.path}/files", "0" * 26 if kind == "wrong code" else "", content=raw
        )
        slowest = max(slowest, time.monotonic() - at)
        answers[f"{kind}: {answer.status_code}"] += 1
    answers["seconds"] = round(time.monotonic() - begin)
    answers["slowest answer, milliseconds"] = round(slowest * 1000)
    return answers


def main() -> None:
    """Play, flood, play on; print what was measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--posts", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, party(Path(name)) as guests:
        guests.start()
        guests.play()
        taps = sorted(guests.taps)
        print(f"one hand of three by HTTP alone: {len(taps)} files, {len(lines_of(guests))} records")
        print(
            f"from tap to everybody's copy, seconds: median {taps[len(taps) // 2]:.2f}, slowest {taps[-1]:.2f}"
        )
        print(f"audit clean: {audit(lines_of(guests)).ok}")
        done: list[Counter[str]] = []
        thread = threading.Thread(target=lambda: done.append(flood(guests, given.posts)))
        others = guests.people[1:]
        guests.taps.clear()
        thread.start()
        count, became = 0, Counter[str]()
        while thread.is_alive():
            visitor = others[count % 2]
            visitor.fetch()
            begin = time.monotonic()
            answer = visitor.post(visitor.player.turn(say=f"beside the flood {count}"))
            if answer.status_code != 202:
                visitor.player.number -= 1
                time.sleep(5)
                continue
            while visitor.state()["state"] == "waiting":
                time.sleep(0.05)
            guests.taps.append(time.monotonic() - begin)
            became[visitor.state()["state"]] += 1
            count += 1
            time.sleep(1)
        thread.join()
        print(json.dumps(dict(sorted(done[0].items())), indent=1))
        taps = sorted(guests.taps)
        print(
            f"meanwhile the others posted {len(taps)} files, {became['recorded']} recorded, {became['refused']} refused"
            f" (too much talk): answered after {taps[len(taps) // 2]:.2f} s (median), {taps[-1]:.2f} s (slowest)"
        )
        print(f"troubles: {guests.troubles}; audit clean: {audit(lines_of(guests)).ok}")


if __name__ == "__main__":
    main()
