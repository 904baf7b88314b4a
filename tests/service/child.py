"""A service in a process of its own that kills itself with SIGKILL at a named point; for the crash table.

``python -m tests.service.child '{"ports": …, "ca_file": …, "url": …, "kill": "taken", "nth": 1}'``
"""

from __future__ import annotations

import json
import os
import signal
import sys
from datetime import timedelta

from pbem.host.service.context import utc_now
from pbem.host.service.readers import Readers
from pbem.host.service.service import Service
from pbem.player.mail.ports import WaitingMail
from tests.service.real import Place, real_service


class KillAt:
    """Steps that end in SIGKILL at the nth visit of one of them."""

    def __init__(self, name: str, nth: int) -> None:
        self.name = name
        self.left = nth

    def __call__(self, step: str) -> None:
        if step == self.name:
            self.left -= 1
            if self.left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)


def read_from(service: Service, address: str) -> None:
    """Among those who read already, be the one whose mail from this address is: a reader's name is drawn by lot."""
    while True:
        with service.context.database.transaction() as transaction:
            service.readers.look(transaction)
        if service.readers.several and service.readers.mine(WaitingMail("", 0, address)):
            return
        service.readers.leave()
        service.readers = Readers(service.context)


def main(arguments: str) -> None:
    """Work until there is nothing left to do."""
    given = json.loads(arguments)
    place = Place(given["ports"], given["ca_file"])
    ahead = timedelta(hours=given.get("hours", 0))
    steps = KillAt(given.get("kill", ""), given.get("nth", 1))
    service = real_service(place, given["url"], steps=steps, clock=lambda: utc_now() + ahead)
    if "reads" in given:
        read_from(service, given["reads"])
    quiet = 0
    while quiet < given.get("quiet", 2):
        done = service.run_once()
        if done.troubles:
            sys.stderr.write("\n".join(done.troubles) + "\n")
        quiet = 0 if done.anything or done.troubles else quiet + 1
        if quiet and "pending" in given:
            break
    service.close()


if __name__ == "__main__":
    main(sys.argv[1])
