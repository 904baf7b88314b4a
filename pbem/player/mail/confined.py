"""A look at untrusted mail in a process of its own, under a limit of time and memory.

The second wall: whatever the gate overlooked, an email costs its own process, never the service.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pbem.base.errors import StoreError
from pbem.base.sentences import sentence
from pbem.base.system.helper import Ended, Helper, task_named
from pbem.player.mail.gate import MailRefused
from pbem.player.mail.look import Looked

SECONDS: Final = 10.0
"""Of processor time for one mail; the slowest one that passes the gate takes a third of it."""
MEMORY: Final = 1024 * 1024 * 1024
LOOK: Final = "pbem.player.mail.look:look"
PATIENCE: Final = 50.0
"""Seconds of the clock, after which a process that only waits is ended, too."""


class Broke(MailRefused):
    """An email that broke the process that looked at it; nothing is known of it."""

    def __init__(self, why: str) -> None:
        super().__init__(
            "broke", sentence("this email could not be read within the limits for one email: {why}", why=why)
        )


class Confined:
    """Looks at emails in another process; it is started when it is first needed."""

    def __init__(
        self,
        *,
        seconds: float = SECONDS,
        memory: int = MEMORY,
        patience: float = PATIENCE,
        task: str = LOOK,
    ) -> None:
        self._helper = Helper(
            f"{__name__}:answering:{task}", patience=patience, seconds=seconds, memory=memory
        )

    @property
    def pid(self) -> int:
        """The process that looks at the next mail; 0 if there is none yet."""
        return self._helper.pid

    def __call__(self, raw: bytes, own: str) -> Looked:
        """See ``look``.

        Raises:
            MailRefused: it does not pass the gate.
            Broke: looking at it took more than there is for one mail.
            StoreError: there is no such process to be had; that is not the mail's fault.
        """
        try:
            result = self._asked(raw, own)
        except OSError as fault:
            raise StoreError(sentence("no process to look at email: {fault}", fault=fault)) from fault
        if isinstance(result, Looked):
            return result
        kind, text = result
        raise MailRefused(kind, text)

    def close(self) -> None:
        """End the process."""
        self._helper.close()

    def _asked(self, raw: bytes, own: str) -> Looked | tuple[str, str]:
        for again in (True, False):
            try:
                looked: Looked | tuple[str, str] = self._helper.ask(raw, own)
            except Ended as fault:
                if not (fault.killed and again):
                    raise Broke(str(fault)) from None
            else:
                return looked
        raise AssertionError


def answering(task: str) -> Callable[[bytes, str], Looked | tuple[str, str]]:
    """In the other process: what gives what a look finds, or why the mail is refused."""
    look = task_named(task)

    def answer(raw: bytes, own: str) -> Looked | tuple[str, str]:
        try:
            looked: Looked = look(raw, own)
        except MailRefused as fault:
            return fault.kind, str(fault)
        return looked

    return answer
