"""The process that answers questions, when who asked has gone."""

from __future__ import annotations

import pickle
import struct
import subprocess
import sys

import pytest


@pytest.mark.parametrize("begun", [True, False], ids=["in the middle of an answer", "before it"])
def test_whose_asker_is_gone_ends_without_a_word(begun: bool) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "pbem.base.system.helper", "builtins:bytes", "0", "0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(8 + len(pickle.dumps(True)))
        question = pickle.dumps((2_000_000,))  # the answer is longer than any pipe
        if begun:
            process.stdin.write(struct.pack(">Q", len(question)) + question)
            process.stdin.flush()
            process.stdout.read(8)
            process.stdout.close()
        else:
            process.stdout.close()
            process.stdin.write(struct.pack(">Q", len(question)) + question)
        process.stdin.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""
