"""Questions to a person at a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import typer

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.cli.console import fail, say, tell

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asking:
    """Questions to a person at a terminal, in his language."""

    language: Language

    def text(self, question: str, default: str = "") -> str:
        """What he types; ``default`` is what Enter says."""
        answer = typer.prompt(
            self.language.tell(question), default=default, show_default=bool(default), err=True
        )
        return str(answer).strip()

    def secret(self, question: str) -> str:
        """What he types unseen; it may be empty."""
        answer = typer.prompt(
            self.language.tell(question), default="", show_default=False, hide_input=True, err=True
        )
        return str(answer)

    def until_right(self, question: str, read: Callable[[str], T]) -> T:
        """What ``read`` makes of the answer; what it refuses is said, and asked again."""
        while True:
            try:
                return read(self.text(question))
            except UsageProblem as fault:
                fail(fault)

    def yes(self, question: str, *, default: bool = True) -> bool:
        """Yes or no."""
        return bool(typer.confirm(self.language.tell(question), default=default, err=True))

    def which(self, question: str, rows: Sequence[str]) -> int:
        """The number of the row that he chooses, from 0 on; one row is chosen by itself."""
        if len(rows) == 1:
            return 0
        for number, row in enumerate(rows, 1):
            say(f"  {number}  {self.language.tell(row)}")
        while True:
            answer = self.text(question, "1")
            if answer.isdecimal() and 1 <= int(answer) <= len(rows):
                return int(answer) - 1
            tell(sentence("type a number from 1 to {last}", last=len(rows)))
