"""How long ``pbem host serve`` takes to end after SIGTERM: ``python -m tests.service.stopping``.

A host's service as ``pbem host init`` leaves it, with API and health, between Postfix and Dovecot, asked to end while
it waits for mail. The figures belong to the machine, and are printed with its load. What holds on any machine is in
``test_ending``: no mail is fetched any more, and one thing at most is finished.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from tests.mail.stack import MailStack, free_port
from tests.service.real import Place
from tests.service.test_commands import Person, new_host


def ended(host: Person, place: Place) -> tuple[float, int]:
    """Serve, ask it to end, and wait: how many seconds that took, and its exit code."""
    where = [f"--http=127.0.0.1:{free_port()}", f"--health=127.0.0.1:{free_port()}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pbem", "host", "serve", *where],
        cwd=host.folder,
        env={**host.environment(), "PYTHONPATH": str(Path.cwd())},
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    while b"serving" not in (line := process.stderr.readline()):
        assert line, "it ended by itself"
    time.sleep(3)  # it has looked at its mailbox, and waits there
    begin = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.communicate()
    return time.monotonic() - begin, process.returncode


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10)
    times = parser.parse_args().times
    with MailStack(("games", "boss", "anna")) as stack, tempfile.TemporaryDirectory() as folder:
        place = Place(stack.ports, str(stack.ca_file))
        host = new_host(place, Path(folder))
        rows = [(ended(host, place), os.getloadavg()[0]) for _ in range(times)]
        took = [seconds for (seconds, _), _ in rows]
        loads = [load for _, load in rows]
        print(f"waiting: {times} times, {min(took):.2f} to {max(took):.2f} s, median {median(took):.2f} s")
        print(f"ended with {sorted({code for (_, code), _ in rows})}")
        print(f"load of the machine {min(loads):.1f} to {max(loads):.1f}, {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
