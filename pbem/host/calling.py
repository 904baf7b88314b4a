"""A channel where friends talk, as far as the service knows it: an address that is checked and used by a child process.

The library for channels (apprise) and what guards its connections are in ``pbem.host.call_out``, which runs by itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.protocol.client import channel_address, no_channel

CallOut: TypeAlias = Callable[[str, str, str], None]
"""Send a channel a title and a text; ``StoreError`` if it was not taken."""
CheckChannel: TypeAlias = Callable[[str], str]
"""The same address; ``UsageProblem`` if it is none of a service that is reached over TLS."""

TAKEN: Final = 0
NOT_TAKEN: Final = 1
NOT_PUBLIC: Final = 3
NO_CHANNEL: Final = 4
NOT_SECURE: Final = 5
TOO_SLOW: Final = 6
"""Exit codes of ``pbem.host.call_out``; the last stands for none in time."""
_PATIENCE: Final = 30
"""Seconds for one channel."""


def in_a_child(given: dict[str, object], patience: float = _PATIENCE) -> int:
    """What ``pbem.host.call_out`` answers, as an exit code; ``TOO_SLOW`` after so many seconds."""
    command = [sys.executable, "-m", "pbem.host.call_out"]
    with suppress(subprocess.TimeoutExpired):
        return subprocess.run(  # noqa: S603 - our own module; the address goes by standard input
            command, input=json.dumps(given), capture_output=True, text=True, timeout=patience, check=False
        ).returncode
    return TOO_SLOW


def checked_channel(url: str, look: Callable[[dict[str, object]], int] = in_a_child) -> str:
    """The same address, if it is one of a service that is reached over TLS.

    Args:
        url: what was typed.
        look: asks ``pbem.host.call_out``; its exit code.

    Raises:
        UsageProblem: it is none, or could not be looked at in time. What was typed is not said again, for its token.
    """
    url = channel_address(url)
    code = look({"url": url, "check": True})
    if code == NO_CHANNEL:
        raise no_channel()
    if code == TOO_SLOW:
        raise UsageProblem(
            sentence("the host could not look at the channel in time"), hint=sentence("Send it again later.")
        )
    if code != TAKEN:
        raise UsageProblem(
            sentence("a channel is a service that is reached over TLS"),
            hint=sentence("Of two spellings take the one with s at its end: ntfys://, matrixs://, jsons://."),
        )
    return url


def call_out(url: str, title: str, text: str, also: Sequence[str] = (), patience: float = _PATIENCE) -> None:
    """Send it to a channel, in so many seconds; ``also`` are addresses that count as public (a channel of the tests).

    Raises:
        StoreError: it was not taken.
    """
    code = in_a_child({"url": url, "title": title, "text": text, "also": list(also)}, patience)
    if code == NOT_PUBLIC:
        raise StoreError(sentence("the channel's address is not public"))
    if code != TAKEN:
        raise StoreError(sentence("the channel does not take it"))
