"""An API in a process of its own that kills itself with SIGKILL at a named point, once it is asked to.

``python -m tests.service.api_child URL FOLDER`` prints its port and serves until it is killed. The point is what
stands in the file ``kill`` in FOLDER at that moment.
"""

from __future__ import annotations

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


def main(url: str, folder: Path) -> None:
    """Serve for ever."""
    steps = KillAtStep(folder / "kill")

    def make() -> Service:
        return sink_service(url, folder / "letters", "http://localhost", steps)

    api = RunningApi(make, "127.0.0.1:0", (), lambda words: sys.stderr.write(words + "\n"))
    api.start()
    print(api.server.port, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
