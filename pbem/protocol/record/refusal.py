"""Why a file is not taken, as values and words that host and player share.

Actions are counted from 0 in ``Refusal.action`` as in ``reject`` files, and from 1 in every sentence (``placed``).
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.protocol.record.line import Line


class Refusal(Exception):
    """A file that must be refused: ``str()`` is the sentence, ``action`` the place of the fault, counted from 0.

    ``sealed``: the sentence speaks of what only the file's sender and the host can read.
    """

    def __init__(
        self,
        code: str,
        sentence: str,
        *,
        rules: Sequence[str] = (),
        action: int | None = None,
        sealed: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.code = code
        self.rules = tuple(rules)
        self.action = action
        self.sealed = sealed


@dataclass(frozen=True, slots=True)
class NothingNew:
    """A file that would change nothing: what it says stands in ``line`` already; answered and not recorded."""

    line: Line
    sentence: str


def refuse_if(code: str, reason: str) -> None:
    """Raise ``Refusal`` with this code if there is a reason."""
    if reason:
        raise Refusal(code, reason)


def placed(told: str, rules: Sequence[str] = (), action: int | None = None) -> str:
    """A refusal's sentence with the place of the fault, for people: actions are counted from 1.

    Where rows are broken it ends with the command that tells them.
    """
    if action is None:
        return told
    rows = f" [pbem rule {' '.join(rules)}]" if rules else ""
    return sentence("action {checked}: {fault}{rows}", checked=action + 1, fault=told, rows=rows)
