"""``python -m pbem``."""

from __future__ import annotations

from pbem.cli import run

if __name__ == "__main__":
    run()
