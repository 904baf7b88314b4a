"""An API in a process of its own that kills itself with SIGKILL at a named point, once it is asked to.

It writes its port into the file ``port`` of a folder and serves until it is killed. The point is what stands in the
file ``kill`` at that moment.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path

from pbem.host.service.service import Service
from pbem.host.service.sidecar import RunningApi
from tests.service.worker import sink_service


class KillAtStep:
    """Steps that end in SIGKILL at the one that a file names."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __call__(self, step: str) -> None:
        if self._file.exists() and self._file.read_text() == step:
            self._file.unlink()
            os.kill(os.getpid(), signal.SIGKILL)


def main(arguments: str) -> None:
    """Serve for ever; ``arguments`` are a database's URL and a folder, as JSON."""
    url, name = json.loads(arguments)
    folder = Path(name)
    steps = KillAtStep(folder / "kill")

    def make() -> Service:
        return sink_service(url, folder / "letters", "http://localhost", steps)

    api = RunningApi(make, "127.0.0.1:0", (), lambda words: sys.stderr.write(words + "\n"))
    api.start()
    (folder / "port.new").write_text(str(api.server.port))
    (folder / "port.new").rename(folder / "port")
    threading.Event().wait()
