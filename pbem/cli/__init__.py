"""The commands: parse, call, print, exit code. No logic lives here.

``run`` is the console script, ``main`` what it runs and the only place that catches a ``PbemError``: it prints
``error:``, what is wrong, and on lines of their own what was done before, what helps and a command to paste, to stderr,
and exits with the code of that kind of fault. What the parser refuses (``usage``) and what the system does is shown in
the same form::

    0  done        3  bytes that are not what they claim     5  a turn that was refused
    1  other       4  something that does not verify         6  disk or mail; trying again may help
    2  a wrong file, key or option (a wrong command line too)

Start-up is most of a short command. ``app`` has a table of all commands and imports the module of the one that is
called (``lazy_group``), so command modules import what they need at their top. What ``app`` itself imports may import
nothing but Typer, light parts of the standard library, ``pbem.base.errors`` and their like here; a test says so.

In: options, the identity that is meant, questions at a terminal, printing, exit codes. Out: whatever decides or
composes an answer: it stands in its own package (``pbem.player.seat``, ``pbem.host``, ``pbem.player.lookback``,
``pbem.player.play``). Called by: __main__.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from pbem.base.errors import PbemError
from pbem.base.lazy import put_off


def run() -> NoReturn:
    """``main`` for a process of its own, which ends with it.

    Python would take every object apart before it ends, the command's and those of every import: a fifth of a short
    command, for memory that the system takes back anyway. What was to be done at the end is done, and what was written
    is written; a process that has threads left, or an end that is no exit code, is left to Python.
    """
    try:
        main()
    except SystemExit as end:
        code = end.code
        if not isinstance(code, int) or len(sys._current_frames()) > 1 or sys.flags.dev_mode:  # noqa: SLF001
            raise
    atexit._run_exitfuncs()  # noqa: SLF001 - whoever registered something is served, as ever
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (OSError, ValueError, AttributeError):  # full, closed or not there: Python says so its way
        sys.exit(code)
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run ``pbem`` with these arguments (those of the process if None) and exit."""
    # Importing makes many objects and no garbage: looking for it took a tenth of the time.
    gc.set_threshold(200_000)
    # Libraries import these, and most commands need none of them.
    put_off(
        "subprocess", "ipaddress", "bz2", "lzma", "tomllib", "signal", "shlex", "getpass", "random", "zlib"
    )
    from pbem.cli import app, console, speech, usage

    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a letter is no reason to stop
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    words = sys.argv[1:] if arguments is None else list(arguments)
    speech.ASKED.set(speech.asked_for(words))
    speech.PEOPLE.set({})
    try:
        try:
            ended = app.command()(
                args=None if arguments is None else words, prog_name="pbem", standalone_mode=False
            )
        finally:
            sys.stdout.flush()
    except PbemError as fault:
        console.fail(fault)
        sys.exit(fault.exit_code)
    except BrokenPipeError:  # the reader (``| head``) has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except usage.FAULTS as odd:
        known = usage.problem_of(odd)
        console.fail(known)
        sys.exit(known.exit_code)
    sys.exit(ended if isinstance(ended, int) else 0)
