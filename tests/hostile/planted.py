"""Planted faults for the process that looks at mail: what a vulnerable parser would do, shown by a mail's subject."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

from pbem.player.mail.look import Looked, look


def planted(raw: bytes, own: str) -> Looked:
    """``look``, but a mail with one of these subjects breaks it."""
    if b"Subject: endless\r\n" in raw:
        while True:
            pass
    if b"Subject: great\r\n" in raw:
        kept = [bytes(64 * 1024 * 1024) for _ in range(1000)]
        return Looked(subject=str(len(kept)))
    if b"Subject: stuck\r\n" in raw:
        threading.Event().wait()
    if b"Subject: dead\r\n" in raw:
        os.kill(os.getpid(), signal.SIGKILL)
    if b"Subject: dead once " in raw:
        mark = Path(raw.partition(b"Subject: dead once ")[2].partition(b"\r\n")[0].decode())
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    if b"Subject: raises\r\n" in raw:
        raise ZeroDivisionError
    return look(raw, own)
