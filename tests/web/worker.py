"""The page's worker without a browser: a device that asks it, and what a player does there."""

from __future__ import annotations

import base64
import itertools
import json
from pathlib import Path
from typing import Any

from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.messages import invitation_proof
from pbem.web import later
from pbem.web.worker import Worker
from tests.web.api import CODE
from tests.web.friends import Friends
from tests.world import START, secret

GAMES = ("wyatt-earp", "way-out-west")


class Device:
    """A browser with its storage: closed and opened again it keeps what it was asked to keep."""

    def __init__(self, root: Path, drawn: int = 0) -> None:
        """``drawn``: so often it has made a secret before; two that begin alike make the same."""
        self.root = root
        self.secrets: dict[str, bytes] = {}
        self.known: dict[str, bytes] = {}
        self._count = itertools.count(drawn)
        self.now = START
        self.open()

    def open(self) -> None:
        """The page is opened again: nothing is left of what only memory held."""
        self.worker = Worker(self.root, self.secrets, self._entropy, lambda: self.now, known=self.known)
        self.worker.add(later.answers)

    def _entropy(self, size: int) -> bytes:
        return b"".join(secret(f"page {next(self._count)}") for _ in range(0, size, 32))[:size]

    def __call__(self, do: str, **given: Any) -> Any:
        """What the worker answers; a fault is raised."""
        answer = json.loads(self.worker.ask(json.dumps({"do": do, **given})))
        for name, kept in answer.pop("keep", {}).items():
            self.secrets.pop(name, None)
            if kept is not None:
                self.secrets[name] = base64.b64decode(kept)
        self.verified = self.worker.verified()
        self.known = {name: raw for name, raw in (self.known | self.verified).items() if raw is not None}
        if not answer["ok"]:
            raise AssertionError(answer["fault"])
        return answer

    def bring(self, raw: bytes) -> Any:
        """A file is accepted."""
        return self("bring", data=base64.b64encode(raw).decode())


def play_to_the_end(device: Device, friends: Friends, name: str, *, reopen: bool) -> int:
    """Be ready and act, file by file, until a hand or game turn is closed; how many files left."""
    files = 0
    scene = device("open", match=name)["scene"]
    while not friends.closed:
        if reopen:
            device.open()
            scene = device("open", match=name)["scene"]
        file = next_file(device, scene)
        device("left", text=file["text"], way="write", place=file["name"])
        files += 1
        friends.take(file["text"].encode())
        scene = device.bring(friends.lines(scene["head"]))["scene"]
        assert files < 200
    return files


def next_file(device: Device, scene: Any, *, again: bool = False) -> Any:
    """What a player does who always takes the last choice: draw, discard, pass."""
    while not any(row["do"] == "send" for row in scene["rows"]):
        rows = [row for row in scene["rows"] if row["do"] in ("action", "open")]
        scene = device("take", row=rows[-1]["row"], at=scene["at"])["scene"]
    preview = device("file")["preview"]
    assert not preview["fault"]
    assert preview["summary"]
    return device("sign", at=scene["at"], again=again)["file"]


def next_file_or_ready(device: Device, name: str) -> str:
    """The seat's own part of the shuffle."""
    file = device("ready", match=name)["file"]
    assert file["ok"]
    return str(file["text"])


def joined(device: Device, friends: Friends) -> tuple[str, str]:
    """From the invitation to the first answer of the host; the match's name here, and the words for paper."""
    invited = device.bring(friends.lines())["invitation"]
    assert [seat["seat"] for seat in invited["seats"] if seat["free"]] == ["anna", *friends.others]
    answer = device("join", seat="anna", name="Änne", zone="Europe/Berlin")
    assert answer["scene"]["joining"]
    file = answer["file"]
    assert (file["kind"], file["ok"]) == ("join", True)
    device("left", text=file["text"], way="write", place=file["name"])
    friends.take(file["text"].encode())
    name = answer["scene"]["match"]
    device.bring(friends.lines(0))
    return name, answer["paper"]


def by_link(device: Device, friends: Friends, name: str) -> Any:
    """A seat is taken with the code of a link; what the worker says to the yes."""
    data = base64.b64encode(friends.lines()).decode()
    invited = device("invited", data=data, seat="anna")["invitation"]
    assert (invited["seat"], invited["retake"]) == ("anna", not invited["seats"][0]["free"])
    api = {"url": "https://anna.example.org", "word": CODE}
    answer = device("join", seat="anna", name=name, code=CODE, api=api)
    body = json.loads(answer["file"]["text"])["body"]
    sign = unb64(body["sign"], 32)
    assert body["proof"] == invitation_proof(CODE, friends.world.record.game, "anna", sign)
    assert CODE not in answer["file"]["text"]
    assert answer["file"]["ok"], answer["file"]["said"]
    return answer


def touched(device: Device, scene: Any) -> Any:
    """One decision by touch: the first way down the tree to an action, and its yes; what the worker says to it."""
    node, parts = scene["tree"], []
    while node["row"] is None:
        branch = node["next"][-1]
        parts.append(branch["part"])
        node = branch["node"] or device("branch", at=scene["at"], parts=parts)["node"]
    offer = device("weigh", at=scene["at"], parts=parts)["offer"]
    assert offer["label"] == node["row"]["label"]
    answer = device("act", at=scene["at"], parts=parts)
    assert (answer["acted"] == "added") == (not offer["sends"])
    return answer
