"""What is no move: a pause, being away, the end, giving up the seat, agreeing to what an email proposes.

The answer of the dialog is what the seat agrees to (schemas/README.md §6); the screen signs it and asks how it leaves.
"""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from pbem.base.errors import PbemError, UsageProblem
from pbem.game import JsonObject
from pbem.player.letters.agreements import agreed_words
from pbem.player.play.proposing import TYPED, matters_of, meant
from pbem.player.play.session import Session
from pbem.player.play.words import label


class MattersDialog(ModalScreen[JsonObject | None]):
    """The list, a line to type what is asked for, and what the proposal says before it is signed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", label("key-close"))]

    def __init__(self, session: Session) -> None:
        super().__init__()
        session.words.in_language(self._bindings)
        self._session, self._words = session, session.words
        self._matter = ""
        self._what: JsonObject | None = None

    def compose(self) -> ComposeResult:
        """List, line, and a place for the sentence."""
        with Vertical(classes="box") as box:
            box.border_title = self._words("matters-title")
            yield OptionList(
                *(Option(self._words(f"matter-{matter}"), id=matter) for matter in matters_of(self._session)),
                id="matters",
            )
            yield Input(id="matter-typed", disabled=True)
            yield Static("", id="matter-told")

    def on_mount(self) -> None:
        """Choose at once."""
        self.query_one("#matters").focus()

    @on(OptionList.OptionSelected, "#matters")
    def choose(self, event: OptionList.OptionSelected) -> None:
        """Ask for what is missing, or say at once what would be signed; the same again says yes."""
        matter, line = str(event.option_id), self.query_one("#matter-typed", Input)
        if self._what is not None and matter == self._matter:
            self.dismiss(self._what)
            return
        self._matter, self._what = matter, None
        line.disabled = matter not in TYPED
        line.value = ""
        line.placeholder = self._words(f"matter-{matter}-type") if matter in TYPED else ""
        self._tell(self._words("matter-replace-told") if matter == "replace" else "")
        if matter in TYPED:
            line.focus()
        elif matter != "replace":
            self._look("")

    @on(Input.Submitted, "#matter-typed")
    def typed(self, event: Input.Submitted) -> None:
        """What was typed is read; the same once more says yes."""
        if self._what is not None:
            self.dismiss(self._what)
        else:
            self._look(event.value)

    @on(Input.Changed, "#matter-typed")
    def other(self) -> None:
        """Something else is meant now."""
        self._what = None

    def _look(self, typed: str) -> None:
        session = self._session
        try:
            self._what = meant(session, self._matter, typed)
        except (PbemError, ValueError) as fault:
            pbem_error = fault if isinstance(fault, PbemError) else UsageProblem(self._words("matter-odd"))
            self._tell(session.language.fault(pbem_error), fault=True)
            return
        waiting = session.waiting
        asked = agreed_words(self._what, session.record.names, waiting.now, waiting.clock)
        self._tell(self._words("matter-yes", what=asked))

    def _tell(self, text: str, *, fault: bool = False) -> None:
        static = self.query_one("#matter-told", Static)
        static.set_class(fault, "fault")
        static.update(Text(text))

    def action_leave(self) -> None:
        """Nothing is proposed."""
        self.dismiss(None)
