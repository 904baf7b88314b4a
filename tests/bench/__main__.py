"""Print every benchmark, or those named: engine host growth audit linear startup."""

from __future__ import annotations

import sys

from tests.bench import engine, host_step, startup

BENCHES = {
    "engine": engine.main,
    "host": host_step.main,
    "growth": host_step.growth,
    "audit": host_step.audits,
    "linear": host_step.linear,
    "startup": startup.main,
}

for name in sys.argv[1:] or BENCHES:
    BENCHES[name]()
    print()
