"""``python -m tests.languages.look de [GAME]``: emails, tables, choices and refusals, to be read by a person."""

from __future__ import annotations

import sys

from pbem.base.language import language_of
from tests.languages.speaking import GAMES, choices, letters, refusals, tables


def main(code: str, only: str = "") -> None:
    """Print it all; each kind of email once."""
    language = language_of(code)
    for game, moves in GAMES:
        if only not in ("", game):
            continue
        seen = set()
        for letter in letters(game, moves, language):
            if letter.kind not in seen:
                seen.add(letter.kind)
                print(f"=== {letter.kind.value}\nSubject: {letter.subject}\n\n{letter.text}")
        print("=== tables\n" + "\n".join(dict.fromkeys(tables(game, moves, language))))
        print("=== choices\n" + "\n".join(dict.fromkeys(choices(game, moves, language))))
        print("=== refusals\n" + "\n".join(dict.fromkeys(refusals(game, moves, language))))


if __name__ == "__main__":
    main(*sys.argv[1:])
