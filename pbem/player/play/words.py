"""Every sentence of the client in one table (``templates/play.json``); what a game says is in its templates.

``words("key", name=value)`` fills in a sentence. A value with a plural has two forms, chosen by ``n``.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pbem.base.language import ENGLISH, Language
from pbem.base.resources import data_dir
from pbem.base.sentences import filled
from pbem.base.values import dataclass

if TYPE_CHECKING:
    from textual.binding import BindingsMap

_HELP: Final = {
    "help": """\
Choose with the arrow keys and Enter, or with the mouse.

  1 2 3      turn, table, story
  Enter      take the choice
  → or m     say more in advance: a target, a box, a plan
  ← or Esc   back
  Backspace  take back the last action of the draft
  Tab        go to the draft; Enter there takes that action back
  s          send: see the whole file first, then decide how
  t          say something to everybody or to one player
  o          standing orders: say in advance what you answer and do
  e          what is not a move: pause, be away, end, agree to a proposal
  p          write the table, with your hand, as a picture
  r          look for news in the folder
  d          dark or light colours
  q          leave; the draft is kept (Ctrl-C does the same, from anywhere)

In the story: ← → one record back or on, Home End the first and the last.

Nothing leaves before you have seen the whole file and said how. Until then every choice can be \
taken back. What comes after a draw, a shot or a die is sealed.""",
    "help-practice": """\
Choose with the arrow keys and Enter, or with the mouse.

  1 2 3      turn, table, story
  Enter      take the choice
  → or m     say more in advance: a target, a box, a plan
  ← or Esc   back
  Backspace  take back the last action of the draft
  Tab        go to the draft; Enter there takes that action back
  s          play what is in the draft; the computer players answer at once
  i          a hint: what a strong player would do, and why
  v          the moments that cost you most
  l          in a lesson: show its words again
  o          standing orders: say in advance what you answer and do
  p          save the table, with your hand, as a picture
  d          dark or light colours
  q          leave; the draft is kept (Ctrl-C does the same, from anywhere)

In the story: ← → one record back or on, Home End the first and the last.

Until you press s, every choice can be taken back.""",
}
WORDS: Final[dict[str, str | list[str]]] = _HELP | json.loads(
    (data_dir("templates") / "play.json").read_text(encoding="utf-8")
)
"""By key; one with a plural has two forms."""


def label(key: str) -> str:
    """A key's label as it stands in the table: ``in_language`` puts it into the reader's language."""
    english = WORDS[key]
    return english if isinstance(english, str) else english[0]


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences in one language."""

    language: Language = ENGLISH

    def __call__(self, key: str, **values: object) -> str:
        """The sentence ``key``, filled in; ``n`` chooses between singular and plural."""
        english = WORDS[key]
        if isinstance(english, list):
            n = values.get("n")
            text = self.language.ngettext(english[0], english[1], n if isinstance(n, int) else 2)
        else:
            text = self.language.gettext(english)
        shown = {name: self.language.translate(value) for name, value in values.items()}
        return filled(text, shown)

    def in_language(self, bindings: BindingsMap) -> None:
        """Put the labels of a widget's keys into this language; they were made with its class."""
        for key, bound in bindings.key_to_bindings.items():
            bindings.key_to_bindings[key] = [
                replace(binding, description=self.language.gettext(binding.description)) for binding in bound
            ]
