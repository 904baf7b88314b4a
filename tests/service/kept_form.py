"""A database of today's form, kept for the programs to come: ``python -m tests.service.kept_form``.

Run it once when a step is added to ``pbem.store.schema``, with the program that has it, and never again: the file is
what somebody's database will look like when a later program opens it.
"""

from __future__ import annotations

import gzip
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Final

from pbem.store.schema import VERSION
from tests.service.table import Table

FORMS: Final = Path(__file__).parent / "forms"


def main() -> None:
    """Write the file of this form; one that is there stays."""
    target = FORMS / f"{VERSION}.sql.gz"
    if target.exists():
        raise SystemExit(f"{target} is there already")
    with tempfile.TemporaryDirectory() as name:
        table = Table(Path(name)).start()
        table.play(2)
        table.service.close()
        with closing(sqlite3.connect(Path(name) / "service.db")) as connection:
            connection.execute("UPDATE outbox SET raw = x''")  # letters would be most of the file
            connection.execute("UPDATE inbox SET raw = x''")
            connection.commit()
            lines = [line for line in connection.iterdump() if "sqlite_sequence" not in line]
    target.write_bytes(gzip.compress("\n".join(lines).encode(), 9, mtime=0))
    print(target)


if __name__ == "__main__":
    main()
