"""A look at foreign mail in a process of its own, under a limit of time and memory.

The second wall: whatever the gate overlooked, a mail costs its own process, never the service. The process is used
again for the next mail; one that died is replaced. ``python -m pbem.mail.confined`` is that process: it reads mails on
its standard input and answers each on its standard output, both as frames of a length and a pickled value.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import IO, Any, Final

from pbem.errors import StoreError
from pbem.mail.gate import MailRefused
from pbem.mail.look import Looked
from pbem.system import limit_memory, limit_time, why_ended

SECONDS: Final = 10.0
"""Of processor time for one mail; the dearest one that passes the gate takes a third of it."""
MEMORY: Final = 1024 * 1024 * 1024
LOOK: Final = "pbem.mail.look:look"
PATIENCE: Final = 50.0
"""Seconds of the clock, after which a process that only waits is ended, too."""
_OUT_OF_MEMORY: Final = 77
_LENGTH: Final = struct.Struct(">Q")


class Broke(MailRefused):
    """A mail that broke the process that looked at it; nothing is known of it."""

    def __init__(self, why: str) -> None:
        super().__init__("broke", f"this mail could not be read within the limits for one mail: {why}")


class Confined:
    """Looks at mails in another process; it is started when it is first needed."""

    def __init__(
        self,
        *,
        seconds: float = SECONDS,
        memory: int = MEMORY,
        patience: float = PATIENCE,
        task: str = LOOK,
    ) -> None:
        self._patience = patience
        self._arguments = (task, str(seconds), str(memory))
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process that looks at the next mail; 0 if there is none yet."""
        return self._process.pid if self._process is not None else 0

    def __call__(self, raw: bytes, own: str) -> Looked:
        """See ``look``.

        Raises:
            MailRefused: it does not pass the gate.
            Broke: looking at it took more than there is for one mail.
            StoreError: there is no such process to be had; that is not the mail's fault.
        """
        try:
            found = self._ask(raw, own)
        except _Killed:  # by somebody else, perhaps for the memory of the whole machine: once more
            try:
                found = self._ask(raw, own)
            except _Killed as fault:
                raise Broke(str(fault)) from None
        if isinstance(found, Looked):
            return found
        kind, told = found
        raise MailRefused(kind, told)

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _ask(self, raw: bytes, own: str) -> Any:
        process = self._running()
        assert process.stdin is not None  # noqa: S101 - pipes were asked for
        assert process.stdout is not None  # noqa: S101
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        watch = threading.Timer(self._patience, end)
        watch.start()
        try:
            with suppress(OSError):
                _write(process.stdin, (raw, own))
            answer = _read(process.stdout)
        finally:
            watch.cancel()
        if answer is not None:
            return answer[0]
        self._process = None
        process.communicate()
        if late.is_set():
            raise Broke("it took too long")
        if process.returncode == _OUT_OF_MEMORY:
            raise Broke("it took too much memory")
        if process.returncode == -getattr(signal, "SIGKILL", 9):
            raise _Killed(why_ended(process.returncode))
        raise Broke(why_ended(process.returncode))

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        command = [sys.executable, "-m", "pbem.mail.confined", *self._arguments]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        try:
            process = subprocess.Popen(  # noqa: S603 - this very program
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except OSError as fault:
            raise StoreError(f"cannot start a process to look at mail: {fault}") from fault
        assert process.stdout is not None  # noqa: S101
        if _read(process.stdout) is None:
            process.communicate()
            raise StoreError(
                f"the process that looks at mail does not start: {why_ended(process.returncode)}"
            )
        self._process = process
        return process


class _Killed(Exception):
    """The process was ended from outside."""


def _write(pipe: IO[bytes], value: object) -> None:
    data = pickle.dumps(value)
    pipe.write(_LENGTH.pack(len(data)) + data)
    pipe.flush()


def _read(pipe: IO[bytes]) -> tuple[Any] | None:
    """The next value, in a tuple; None if the other side is gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    return (pickle.loads(data),) if len(data) == length else None  # noqa: S301 - from our own process


# --- the other side -----------------------------------------------------------------------------------------


def main(task: str, seconds: str, memory: str) -> None:
    """Answer until the input ends."""
    module, _, name = task.partition(":")
    look: Callable[[bytes, str], Looked] = getattr(import_module(module), name)
    pipe, sys.stdout = sys.stdout.buffer, sys.stderr
    limit_memory(int(memory))
    _write(pipe, True)
    while (asked := _read(sys.stdin.buffer)) is not None:
        limit_time(float(seconds))
        try:
            _write(pipe, _answer(look, *asked[0]))
        except MemoryError:
            os._exit(_OUT_OF_MEMORY)


def _answer(look: Callable[[bytes, str], Looked], raw: bytes, own: str) -> Looked | tuple[str, str]:
    try:
        return look(raw, own)
    except MailRefused as fault:
        return fault.kind, str(fault)


if __name__ == "__main__":
    main(*sys.argv[1:])
