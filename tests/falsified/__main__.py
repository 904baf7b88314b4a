"""The command: see the package."""

from __future__ import annotations

from tests.falsified.table import main

if __name__ == "__main__":
    main()
