"""The parts of the screen: a drawn table, the list of choices, the tray, the story."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from pbem.game import Seat
from pbem.player.play.choices import OFFER_KEYS, ChoiceRow, Do
from pbem.player.play.history import History
from pbem.player.play.leaving import reaction_lines, tray_actions, tray_words
from pbem.player.play.session import Session
from pbem.player.play.words import Words, label


class Drawn(Static):
    """Something drawn for a width; drawn again when the width changes."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - as every widget calls it
        super().__init__(id=id)
        self._draw: Callable[[int], str] | None = None
        self._width = 0

    def show(self, draw: Callable[[int], str]) -> None:
        """Draw this from now on."""
        self._draw = draw
        self._redraw()

    def on_resize(self, event: events.Resize) -> None:
        """Draw again if there are more or fewer columns."""
        if event.size.width != self._width:
            self._redraw()

    def _redraw(self) -> None:
        self._width = self.size.width
        if self._draw is not None and self._width:
            self.update(Text.from_ansi(self._draw(self._width), no_wrap=True))


class KeyLine(Footer):
    """The keys that can be pressed: composed again only if there are others, not whenever the focus moves."""

    def __init__(self) -> None:
        super().__init__(compact=True)
        self._composed: list[tuple[Binding, bool]] | None = None

    def bindings_changed(self, screen: Screen[Any]) -> None:
        """Compose the footer again if it would be another one."""
        shown = [(key.binding, key.enabled) for key in screen.active_bindings.values() if key.binding.show]
        if shown != self._composed and screen.app.app_focus:
            self._composed = shown
            super().bindings_changed(screen)


class Choosing(OptionList):
    """The choices of this moment."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,m", "more", label("key-more")),
        Binding("left,escape", "back", label("key-back"), show=False),
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
        *(Binding(key, f"offer({at})", show=False) for at, key in enumerate(OFFER_KEYS)),
    ]

    class Taken(Message):
        """The player took a row."""

        def __init__(self, row: ChoiceRow) -> None:
            super().__init__()
            self.row = row

    class MoreWanted(Message):
        """The player wants to say more of a row in advance."""

        def __init__(self, row: ChoiceRow) -> None:
            super().__init__()
            self.row = row

    class BackWanted(Message):
        """The player wants to go up."""

    def __init__(self, words: Words) -> None:
        super().__init__(id="choices")
        words.in_language(self._bindings)
        self._rows: list[ChoiceRow] = []

    def show(self, title: str, rows: list[ChoiceRow]) -> None:
        """Show these rows; the first that can be taken is highlighted."""
        self.border_title = title
        self._rows = rows
        self.clear_options()
        self.add_options([Option(_row_text(row), disabled=row.do is Do.NOTE) for row in rows])
        first = next((at for at, row in enumerate(rows) if row.do not in (Do.NOTE, Do.BACK, Do.NEWS)), None)
        self.highlighted = first
        self.scroll_home(animate=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click; not on a list that an earlier key has changed meanwhile."""
        event.stop()
        at = event.option_index
        if at < len(self._rows) and self.get_option_at_index(at) is event.option:
            self.post_message(self.Taken(self._rows[at]))

    def shows(self, row: ChoiceRow) -> bool:
        """Whether this very row is still there: whoever types ahead means what they saw."""
        return any(row is choice_row for choice_row in self._rows)

    def action_offer(self, at: int) -> None:
        """Take an offered order by its key, or take it back; the cursor stays."""
        offers = [row for row in self._rows if row.do is Do.OFFER]
        if at < len(offers):
            self.post_message(self.Taken(offers[at]))

    def action_more(self) -> None:
        """Say more in advance."""
        if self.highlighted is not None:
            self.post_message(self.MoreWanted(self._rows[self.highlighted]))

    def action_back(self) -> None:
        """Up one layer."""
        self.post_message(self.BackWanted())


def _row_text(row: ChoiceRow) -> Text:
    text = Text(row.label, style="bold" if row.label and row.do is not Do.NOTE else "")
    if row.more:
        text.append(" →", style="dim")
    if row.effect:
        text.append(("  " if row.label else "") + row.effect, style="not bold")
    return text


class Tray(OptionList):
    """What goes into the file; Enter on an action takes it back."""

    class TakeBack(Message):
        """The player takes an action back."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self) -> None:
        super().__init__(id="tray")

    def show(self, session: Session) -> None:
        """Show the session's tray."""
        rows = [Option(Text(f"{at}. {text}")) for at, text in enumerate(tray_actions(session), 1)]
        rows += [Option(Text(text), disabled=True) for text in tray_words(session)]
        self.border_title = session.words("tray")
        self.clear_options()
        self.add_options(rows or [Option(Text(session.words("tray-empty")), disabled=True)])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click takes the action back."""
        event.stop()
        self.post_message(self.TakeBack(event.option_index))


class MomentPane(VerticalScroll):
    """The text of a moment; the arrow keys step from one to the next."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("home", "step('first')", show=False, priority=True),
        Binding("left", "step('earlier')", label("key-earlier"), priority=True),
        Binding("right", "step('later')", label("key-later"), priority=True),
        Binding("end", "step('last')", show=False, priority=True),
    ]

    def __init__(self, words: Words) -> None:
        super().__init__(id="moment-pane")
        words.in_language(self._bindings)

    class Step(Message):
        """The player steps."""

        def __init__(self, where: str) -> None:
            super().__init__()
            self.where = where

    def action_step(self, where: str) -> None:
        """Step to ``where``."""
        self.post_message(self.Step(where))


class StoryPage(Vertical):
    """What happened: first all news together, then record by record with the table as it was."""

    def __init__(self, words: Words) -> None:
        super().__init__(id="story")
        self._words = words

    def compose(self) -> ComposeResult:
        """Title, buttons, text, table."""
        yield Static("", id="moment-title")
        steps = " ".join(
            f"[@click=app.step('{where}')]\\[{sign} {self._words('key-' + where)}][/]"
            for where, sign in (("first", "|◀"), ("earlier", "◀"), ("later", "▶"), ("last", "▶|"))
        )
        yield Static(steps, id="moment-steps")
        with MomentPane(self._words):
            yield Static("", id="moment-text", markup=False)
        with VerticalScroll(id="moment-under", can_focus=False):
            yield Drawn(id="moment-table")

    def begin(self, session: Session) -> None:
        """Show the news of this session, or its last moment."""
        self._session = session
        seqs = self._history.seqs
        self._at = len(seqs) - 1
        news = self._history.since(session.looked)
        if news and session.looked >= 0:
            self._show(
                self._words("news", n=len(news)), self._history.story(session.looked, seqs[-1]), seqs[-1]
            )
        else:
            self._moment()

    @property
    def _history(self) -> History:
        return self._session.history

    @property
    def seq(self) -> int | None:
        """The record that is shown; None before anything is shown."""
        return self._history.seqs[self._at] if self._history.seqs else None

    def step(self, where: str) -> None:
        """Go to another moment."""
        last = len(self._history.seqs) - 1
        target = {"first": 0, "earlier": self._at - 1, "later": self._at + 1, "last": last}[where]
        self._at = max(0, min(last, target))
        self._moment()

    def _moment(self) -> None:
        seqs = self._history.seqs
        if not seqs:
            self._show(self._words("no-news"), "", self._session.record.head.seq)
            return
        moment = self._history.at(seqs[self._at])
        names = self._session.record.names
        lines = [moment.story.split("\n", 1)[-1] if "\n" in moment.story else moment.story]
        if moment.cards:
            lines.append(self._words("got", cards=self._session.drawing.cards(moment.cards)))
        lines += [self._words("private", name=names[Seat(who)], text=text) for who, text in moment.words]
        lines += reaction_lines(self._session, moment.seq)
        title = self._session.moment_title(moment)
        head = moment.story.split("\n", 1)[0].rsplit(" - ", 1)[0]
        self._show(f"{title}: {head}", "\n".join(lines), moment.seq)

    def _show(self, title: str, text: str, seq: int) -> None:
        self.query_one("#moment-title", Static).update(Text(title, no_wrap=True, overflow="ellipsis"))
        self.query_one("#moment-text", Static).update(Text(text))
        self.query_one("#moment-pane", MomentPane).scroll_home(animate=False)
        view = self._history.view(seq)
        drawing = self._session.drawing
        table = self.query_one("#moment-table", Drawn)
        table.show(
            (lambda width: drawing.compact_view(view, width)) if view else lambda _: self._words("no-table")
        )
