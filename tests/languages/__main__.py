"""``python -m tests.languages extract update compile``."""

import sys

from tests.languages.catalogues import run

run(sys.argv[1:] or ["extract", "update", "compile"])
