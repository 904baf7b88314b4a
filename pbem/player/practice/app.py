"""The screen of ``pbem practice``: that of ``pbem play``, with a hint; files leave at once, and no time runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType

from pbem.base.errors import PbemError
from pbem.player.play.app import PlayApp
from pbem.player.play.matters import TextScreen
from pbem.player.play.session import Sent
from pbem.player.play.words import label
from pbem.player.practice.interactive import PracticeSession


class PracticeApp(PlayApp):
    """One session at a practice match."""

    HELP: ClassVar[str] = "help-practice"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "hint", label("key-hint")),
        Binding("l", "lesson", label("key-lesson")),
        Binding("v", "review", label("key-review")),
        Binding("t", "talk", label("key-talk"), show=False),  # nobody listens
        Binding("o", "orders", label("key-orders"), show=False),  # nobody waits; in the help as ever
        Binding("r", "refresh", label("key-refresh"), show=False),  # nothing comes by mail
        Binding("d", "light", label("key-light"), show=False),
    ]

    def __init__(self, session: PracticeSession, *, light: bool = False, colour: bool = True) -> None:
        super().__init__(session, light=light, colour=colour)
        self._practice = session

    def _begin(self) -> None:
        super()._begin()
        self.action_lesson()

    def _changed(self) -> None:
        super()._changed()
        if self._practice.answer:
            text, self._practice.answer = self._practice.answer, ""
            self.push_screen(TextScreen(self._words, self._words("lesson-title"), text))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key of the lesson is there in a lesson only; nobody is there to talk to."""
        if action == "lesson":
            return self._practice.in_lesson
        if action == "talk":
            return False
        return super().check_action(action, parameters)

    def action_lesson(self) -> None:
        """What the lesson says to where the match is now."""
        if text := self._practice.lesson():
            self.push_screen(TextScreen(self._words, self._words("lesson-title"), text))

    def action_hint(self) -> None:
        """What a strong player would do, and why."""
        try:
            text = self._practice.hint()
        except PbemError as fault:
            self._trouble(fault)
            return
        self.push_screen(TextScreen(self._words, self._words("hint-title"), text))

    def action_review(self) -> None:
        """The moments that cost most."""
        self.push_screen(TextScreen(self._words, self._words("review-title"), self._practice.review()))

    def action_send(self) -> None:
        """The file leaves at once, and the others answer; what the rules do not allow is shown as ever."""
        preview = self.session.preview()
        if preview.empty:
            self.notify(self._words("tray-empty"), timeout=3, markup=False)
        elif preview.fault:
            super().action_send()
        else:
            self._go_on(self._practice.leave)

    def action_deliver(self) -> None:
        """What was signed before and did not get to the host, as after a full disk, leaves at once too."""
        self._go_on(lambda: self._practice.deliver(self._practice.unanswered[-1], "mail"))

    def _go_on(self, leave: Callable[[], Sent]) -> None:
        """Let a file leave, and show what the others answered."""
        led = self._practice.in_lesson
        try:
            leave()
        except PbemError as fault:
            self._trouble(fault)
            return
        self.choices.clear()
        self.show_all()
        self.action_page("turn")
        if led:
            self.action_lesson()
