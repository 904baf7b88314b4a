"""Sentences of the catalogues to be translated back by somebody who has not seen the English.

``python -m tests.languages.back --seed 32 --language de`` draws ``COUNT`` sentences of a language and prints them with
their numbers, without the English; ``--compare FILE`` prints each with its English and with what FILE (a line a
sentence, number and translation) makes of it. ``back.json`` keeps what was drawn so once, each sentence's
translation back, and what the comparison changed in the catalogue and why.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Final

from babel.messages.catalog import Message

from tests.languages.catalogues import LANGUAGES, catalogue

COUNT: Final = 100
SHORTEST: Final = 6
"""Words that a sentence has at least: labels are read on the screen they stand on."""


def drawn(code: str, seed: int, count: int = COUNT) -> list[Message]:
    """The sentences of the language ``code`` that the seed draws, other ones in each language."""
    whole = [message for message in catalogue(code) if message.id and len(shown(message).split()) >= SHORTEST]
    return random.Random(f"{seed} {code}").sample(whole, count)


def shown(message: Message) -> str:
    """A translation as it is read: of two forms the one for several."""
    text = message.string
    return text if isinstance(text, str) else (text or ("",))[-1]


def english(message: Message) -> str:
    """The sentence it was translated from."""
    return message.id if isinstance(message.id, str) else message.id[-1]


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(prog="python -m tests.languages.back")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--language", choices=LANGUAGES, required=True)
    parser.add_argument("--compare", type=Path)
    asked = parser.parse_args()
    back = {}
    if asked.compare is not None:
        for line in asked.compare.read_text(encoding="utf-8").splitlines():
            number, _, text = line.partition(" ")
            back[int(number)] = text
    for number, message in enumerate(drawn(asked.language, asked.seed), 1):
        sys.stdout.write(f"{number} {' '.join(shown(message).split())}\n")
        if back:
            sys.stdout.write(f"    {back.get(number, '')}\n    {' '.join(english(message).split())}\n")


if __name__ == "__main__":
    main()
