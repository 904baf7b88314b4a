"""A second process of this program that answers questions, one after the other, under limits if need be.

It is started when it is first needed and used again; one that died is replaced. ``python -m pbem.base.system.helper``
is that process: it reads what it is given on its standard input and answers on its standard output, both as frames of
a length and a pickled value, and ends when its input does, so that it never outlives who started it.
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

from pbem.base.system import limit_memory, limit_time, why_ended

_OUT_OF_MEMORY: Final = 77
_LENGTH: Final = struct.Struct(">Q")


class Ended(Exception):
    """The process ended over a question; ``killed``: by somebody else, perhaps for the memory of the whole machine."""

    def __init__(self, why: str, *, killed: bool = False) -> None:
        super().__init__(why)
        self.killed = killed


class Helper:
    """The other process, seen from here.

    Args:
        task: ``module:function``; what it gives for what it is asked is the answer. Of ``module:function:words`` the
            function makes that from the words, when the process starts.
        patience: seconds of the clock, after which it is ended.
        seconds: of processor time for one question; 0 sets no limit.
        memory: bytes for the whole process; 0 sets no limit.
    """

    def __init__(self, task: str, *, patience: float, seconds: float = 0, memory: int = 0) -> None:
        self._patience = patience
        self._arguments = (task, str(seconds), str(memory))
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process that answers the next question; 0 if there is none yet."""
        return self._process.pid if self._process is not None else 0

    def ask(self, *given: object) -> Any:
        """What the task gives for this.

        Raises:
            Ended: there was no answer; the next question gets a new process.
            OSError: there is no such process to be had.
        """
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
                _write(process.stdin, given)
            answer = _read(process.stdout)
        finally:
            watch.cancel()
        if answer is not None:
            return answer[0]
        self._process = None
        process.communicate()
        if late.is_set():
            raise Ended("it took too long")
        if process.returncode == _OUT_OF_MEMORY:
            raise Ended("it took too much memory")
        killed = process.returncode == -getattr(signal, "SIGKILL", 9)
        raise Ended(why_ended(process.returncode), killed=killed)

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        process = subprocess.Popen(  # noqa: S603 - this very program
            [sys.executable, "-m", "pbem.base.system.helper", *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            start_new_session=True,
        )
        assert process.stdout is not None  # noqa: S101
        if _read(process.stdout) is None:
            process.communicate()
            raise OSError(f"it does not start: {why_ended(process.returncode)}")
        self._process = process
        return process


def _framed(value: object) -> bytes:
    data = pickle.dumps(value)
    return _LENGTH.pack(len(data)) + data


def _write(pipe: IO[bytes], value: object) -> None:
    pipe.write(_framed(value))
    pipe.flush()


def _read(pipe: IO[bytes]) -> tuple[Any] | None:
    """The next value, in a tuple; None if the other side is gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    return (pickle.loads(data),) if len(data) == length else None  # noqa: S301 - from our own process


def task_named(name: str) -> Callable[..., Any]:
    """The function that ``module:function`` names, or that it makes of the rest of a longer name."""
    module, function, *made_of = name.split(":", 2)
    task: Callable[..., Any] = getattr(import_module(module), function)
    return task(*made_of) if made_of else task


def main(task: str, seconds: str, memory: str) -> None:
    """Answer until the input ends."""
    work = task_named(task)
    pipe, sys.stdout = sys.stdout.buffer, sys.stderr
    if int(memory):
        limit_memory(int(memory))
    _write(pipe, True)
    while (asked := _read(sys.stdin.buffer)) is not None:
        if float(seconds):
            limit_time(float(seconds))
        try:
            answered = _framed(work(*asked[0]))
        except MemoryError:
            os._exit(_OUT_OF_MEMORY)
        try:
            pipe.write(answered)
            pipe.flush()
        except OSError:
            os._exit(0)  # who asked is gone: there is nobody to report it to


if __name__ == "__main__":
    main(*sys.argv[1:])
