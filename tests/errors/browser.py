"""What the web app says when something is brought or asked that it cannot take: its worker without a browser."""

from __future__ import annotations

import base64
import http.server
import itertools
import json
import threading
from pathlib import Path
from typing import Any, Final

from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity, to_paper
from pbem.web import later, pairing
from pbem.web.worker import Worker
from tests.cli.seats import Done
from tests.errors.calls import Call
from tests.errors.stage import Stage
from tests.errors.typed import typed
from tests.world import START, World, secret


class _Refused(Exception):
    """What the app says."""


class _App:
    """The app on one device; Anna is invited, and joins if something is asked of a match."""

    def __init__(self, root: Path) -> None:
        count = itertools.count()
        self.worker = Worker(root, {}, lambda size: secret(f"errors {next(count)}")[:size], lambda: START)
        self.worker.add(later.answers)
        self.worker.add(pairing.answers)
        self.world = World("wyatt-earp", ["anna", "burt"])

    def __call__(self, do: str, **given: Any) -> Any:
        answer = json.loads(self.worker.ask(json.dumps({"do": do, **given})))
        if not answer["ok"]:
            raise _Refused("\n".join(filter(None, (f"error: {answer['fault']}", _hint(answer["hint"])))))
        return answer

    def bring(self, do: str, raw: bytes) -> Any:
        return self(do, data=base64.b64encode(raw).decode())

    @property
    def invitation(self) -> bytes:
        return b"".join(line + b"\n" for line in self.world.lines)

    def join(self) -> str:
        """The name of the match that Anna has joined."""
        self.bring("invited", self.invitation)
        answer = self("join", seat="anna", name="Anna")
        return str(answer["scene"]["match"])

    def practise(self) -> Any:
        return self("practice", game="wyatt-earp", against=1)["scene"]


def _hint(text: str) -> str:
    return f"  hint: {text}" if text else ""


def _app(*does: Any) -> Call:
    """What it says to the last of these; the others go before."""

    def call(_: Stage, folder: Path) -> Done:
        app = _App(folder)
        try:
            for do in does:
                do(app)
        except _Refused as refused:
            return Done(1, str(refused), "")
        raise AssertionError("nothing is wrong")

    return call


def _host(app: _App) -> None:
    """It is another host's."""
    other = Identity(secret("another host"))
    app("served", host={"name": "Helga", "sign": b64(other.sign_public), "api": "https://example.org"})


def _twice(app: _App) -> None:
    name = app.join()
    app("restore", data=app("backup", match=name)["data"])


def _choice(app: _App) -> None:
    app("take", at=app.practise()["at"], row=99)


def _talk(app: _App) -> None:
    app.practise()
    app("talk", say="one\x07two")


def _code(app: _App) -> str:
    name = app.join()
    app("pair-give", match=name, channel="K7")
    return name


class _Busy(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(503)

    def log_message(self, *_: object) -> None:
        pass


def _busy(_: Stage, folder: Path) -> Done:
    with http.server.HTTPServer(("127.0.0.1", 0), _Busy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        done = typed(folder, f"pbem web check http://127.0.0.1:{server.server_port}/")
        server.shutdown()
    return Done(done.code, done.out, done.err.replace(str(server.server_port), "8080"))


BROWSER: Final[dict[str, dict[str, Call]]] = {
    "web app": {
        "no invitation": _app(lambda app: app.bring("invited", b"Reach for the sky")),
        "nothing of a match": _app(lambda app: app.bring("bring", b"Reach for the sky\n")),
        "records of no match here": _app(
            lambda app: app.world.join("anna"),
            lambda app: app.bring("bring", app.world.lines[-1] + b"\n"),
        ),
        "no match is open": _app(lambda app: app("file")),
        "another host's web app": _app(_host, lambda app: app.bring("invited", app.invitation)),
        "a file that has its answer": _app(_App.practise, lambda app: app("again")),
        "an end that is not there": _app(_App.practise, lambda app: app("ending")),
        "no choice": _app(_choice),
        "half of the bytes": _app(lambda app: app("bring", data="%")),
        "words of other keys": _app(
            lambda app: app("paper", match=app.join(), words=to_paper(Identity(secret("other"))))
        ),
        "a backup that is none": _app(lambda app: app.bring("restore", b"PK\x03\x04 Reach for the sky")),
        "a match that is here": _app(_twice),
        "a seat that is here": _app(_App.join, _App.join),
        "a match that is not here": _app(lambda app: app("open", match="moon")),
        "control characters": _app(_talk),
        "no other device": _app(_code, lambda app: app("pair-yes")),
        "a code that is over": _app(lambda app: app("pair-yes")),
        "a busy web server": _busy,
        "no web server": lambda _, folder: typed(folder, "pbem web check http://127.0.0.1:9/"),
    },
}
