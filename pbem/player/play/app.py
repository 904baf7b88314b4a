"""The screen of ``pbem play``: turn, table, story; nothing is decided here that ``session`` could decide."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Final

from rich.terminal_theme import TerminalTheme
from rich.text import Text
from textual import events, on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.theme import Theme
from textual.widgets import ContentSwitcher, Static

from pbem.base.errors import PbemError
from pbem.game import JsonObject, Seat
from pbem.player.letters.layout import fill
from pbem.player.play.choices import Choices, Do
from pbem.player.play.first_look import SHORT, WIDE
from pbem.player.play.leaving import done_text
from pbem.player.play.matters import Leave, MattersScreen, SendScreen, Talk, TalkScreen, TextScreen
from pbem.player.play.panels import Choosing, Drawn, KeyLine, MomentPane, StoryPage, Tray
from pbem.player.play.proposing import matters_of
from pbem.player.play.session import Session
from pbem.player.play.standing import OrdersScreen
from pbem.player.play.words import label
from pbem.protocol.crypto.digest import short_id

# --- colours and measures of the client: two themes, one sheet of styles ----------------------------------

DARK: Final = Theme(
    name="pbem-dark",
    primary="#d9a441",
    secondary="#b5651d",
    accent="#e8c27a",
    foreground="#eee4d2",
    background="#17120d",
    surface="#211a12",
    panel="#33271a",
    success="#8fbf6a",
    warning="#e0a030",
    error="#e2725b",
    dark=True,
    variables={"footer-key-foreground": "#e8c27a", "block-cursor-text-style": "none"},
)
LIGHT: Final = Theme(
    name="pbem-light",
    primary="#7a3b12",
    secondary="#9a5a20",
    accent="#8a4510",
    foreground="#2b2118",
    background="#fbf5e6",
    surface="#f4ead2",
    panel="#e6d6b2",
    success="#2a6436",
    warning="#7a5200",
    error="#9b2226",
    dark=False,
    variables={"footer-key-foreground": "#7a3b12", "block-cursor-text-style": "none"},
)

# Black, red, green, yellow, blue, magenta, cyan, white: legible on either background, dimmed or not.
ANSI_DARK: Final = TerminalTheme(
    (23, 18, 13),
    (238, 228, 210),
    [(23, 18, 13), (240, 113, 103), (143, 191, 106), (224, 176, 64), (122, 170, 240), (208, 140, 220),
     (110, 195, 200), (238, 228, 210)],
)  # fmt: skip
ANSI_LIGHT: Final = TerminalTheme(
    (251, 245, 230),
    (43, 33, 24),
    [(43, 33, 24), (155, 34, 38), (42, 100, 54), (113, 86, 0), (31, 78, 140), (107, 45, 115), (20, 90, 96),
     (251, 245, 230)],
)  # fmt: skip

CSS: Final = """
* { scrollbar-color: $secondary; scrollbar-color-hover: $primary; scrollbar-color-active: $primary;
  scrollbar-background: $surface; scrollbar-background-hover: $surface; scrollbar-background-active: $surface; }
Screen { background: $background; color: $foreground; }
#top { height: 1; background: $panel; }
#nav, #moment-steps { link-style: none; link-background: transparent; link-color: $foreground;
  link-style-hover: underline; link-background-hover: transparent; link-color-hover: $foreground; }
#nav { width: auto; background: $panel; }
#top-text { width: 1fr; text-align: right; padding: 0 1; background: $panel; color: $accent; text-style: bold; }
ContentSwitcher { height: 1fr; }
#turn { layout: vertical; height: 100%; }
#table-pane { height: auto; max-height: 66%; padding: 0 1; scrollbar-size-vertical: 1; }
#choose-pane { height: 1fr; min-height: 6; }
#glance, #whole, #moment-table { width: 100%; height: auto; }
Choosing, Tray { border: none; border-top: solid $secondary; border-title-color: $accent; border-title-style: bold;
  border-subtitle-color: $foreground 80%; background: $background; padding: 0; scrollbar-size-vertical: 1; }
Choosing > .option-list--option, Tray > .option-list--option { padding: 0 1; }
#latest-title, #latest { display: none; width: 100%; height: auto; }
#latest-title { color: $accent; text-style: bold; margin-top: 1; }
.-wide #latest-title, .-wide #latest { display: block; }
Choosing { height: 1fr; min-height: 3; scrollbar-gutter: stable; }
Tray { height: auto; max-height: 5; color: $foreground; }
Choosing:focus, Tray:focus { border: none; border-top: solid $primary; background-tint: $foreground 0%; }
Choosing > .option-list--option-highlighted, Tray > .option-list--option-highlighted {
  background: $panel; color: $foreground; }
Choosing:focus > .option-list--option-highlighted, Tray:focus > .option-list--option-highlighted {
  background: $primary 45%; color: $foreground; text-style: bold; }
Choosing > .option-list--option-disabled, Tray > .option-list--option-disabled { color: $foreground 75%; }
Choosing:nocolor:focus > .option-list--option-highlighted, Tray:nocolor:focus > .option-list--option-highlighted,
.box OptionList:nocolor > .option-list--option-highlighted { text-style: reverse; }
#story { height: 100%; }
#moment-title { height: 1; padding: 0 1; color: $accent; text-style: bold; }
#moment-steps { height: 1; padding: 0 1; }
#moment-pane { height: 1fr; min-height: 4; padding: 0 1; scrollbar-size-vertical: 1; }
#moment-pane:focus { background-tint: $foreground 0%; }
#moment-text { width: 100%; height: auto; }
#moment-under { height: auto; max-height: 62%; padding: 0 1; border-top: solid $secondary; scrollbar-size-vertical: 1; }
#table { height: 100%; padding: 0 1; scrollbar-size-vertical: 1; }
.-short #table-pane { max-height: 35%; }
.-wide #turn { layout: horizontal; }
.-wide #table-pane { width: 1fr; height: 100%; max-height: 100%; }
.-wide #choose-pane { width: 42; height: 100%; border-left: solid $secondary; }
.-wide Tray { max-height: 14; }
ModalScreen { align: center middle; background: $background 70%; }
.box { width: 76; max-width: 100%; height: auto; max-height: 100%; border: round $primary; border-title-color: $accent;
  border-title-style: bold; background: $surface; padding: 0 1; }
.box VerticalScroll { height: auto; max-height: 15; scrollbar-size-vertical: 1; }
.box Static { width: 100%; height: auto; }
.box OptionList { border: none; border-top: solid $secondary; background: $surface; height: auto; max-height: 8;
  padding: 0; }
.box OptionList:focus { border: none; border-top: solid $primary; }
.box OptionList:focus > .option-list--option-highlighted { background: $primary 45%; color: $foreground; }
#orders-box { max-height: 100%; }
#orders-box OptionList { max-height: 12; }
#orders-answers-pane { max-height: 5; }
#text-scroll { max-height: 100%; }
.box Input { border: tall $secondary; height: 3; background: $background; }
.box Input:focus { border: tall $primary; }
.box Select { height: 3; }
.fault { color: $error; }
Footer { background: $panel; }
Toast { background: $panel; color: $foreground; }
"""


LOOK_EVERY = 15.0
"""Seconds between two looks into the mailbox while the screen is open."""
_PAGES = (("turn", "page-turn"), ("table", "page-table"), ("story", "page-story"))


class PlayApp(App[None]):
    """One session at one match."""

    CSS = CSS
    HELP: ClassVar[str] = "help"
    """Which text says what the keys do."""
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 - as the base class has it
    VERTICAL_BREAKPOINTS = [(0, "-short"), (SHORT, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "page('turn')", show=False),
        Binding("2", "page('table')", show=False),
        Binding("3", "page('story')", show=False),
        Binding("s", "send", label("key-send")),
        Binding("q", "leave", label("key-quit")),  # what comes first is not cut in a narrow window
        Binding("question_mark,h,f1", "help", label("key-help"), key_display="?"),
        Binding("t", "talk", label("key-talk")),
        Binding("o", "orders", label("key-orders")),
        Binding("e", "matters", label("key-matters"), show=False),
        Binding("p", "picture", label("key-picture"), show=False),
        Binding("backspace,u", "undo", label("key-undo"), key_display="⌫"),
        Binding("r", "refresh", label("key-refresh")),
        Binding("d", "light", label("key-light")),
        Binding("ctrl+c,ctrl+q", "leave_now", show=False, priority=True),
    ]

    def __init__(self, session: Session, *, light: bool = False, colour: bool = True) -> None:
        # With NO_COLOR: no colour codes at all, not greys.
        super().__init__(ansi_color=None if colour else True)
        self.session = session
        self._words = session.words
        self._words.in_language(self._bindings)
        self.choices = Choices(session)
        self._leaving = False
        self._touched = 0
        # Before the first style sheet is read: a theme chosen later would have it read twice.
        self.ansi_theme_dark = ANSI_DARK
        self.ansi_theme_light = ANSI_LIGHT
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = LIGHT.name if light else DARK.name

    def compose(self) -> ComposeResult:
        """Top line, one of three pages, footer."""
        with Horizontal(id="top"):
            yield Static("", id="nav")
            yield Static("", id="top-text")
        with ContentSwitcher(initial="turn"):
            with Container(id="turn"):
                with VerticalScroll(id="table-pane", can_focus=False):
                    yield Drawn(id="glance")
                    yield Static("", id="latest-title")
                    yield Static("", id="latest")
                with Vertical(id="choose-pane"):
                    yield Choosing(self._words)
                    yield Tray()
            with VerticalScroll(id="table"):
                yield Drawn(id="whole")
            yield StoryPage(self._words)
        yield KeyLine()

    def on_mount(self) -> None:
        """The first look: the own turn, under the news; the news alone while others are asked."""
        self.call_after_refresh(self._begin)
        if self.session.post.fetch is not None:
            self.set_interval(LOOK_EVERY, self._look_for_letters)

    def _begin(self) -> None:
        session = self.session
        story = session.news and session.trial is None
        if session.news and not story:
            self.choices.news = session.history.lines(session.looked)
        self.action_page("story" if story else "turn")  # keys go to their place before anything can be seen
        self.show_all()
        if not story:
            session.mark_looked()

    def show_all(self) -> None:
        """Everything as the session is now."""
        self._show_top()
        self._show_tables()
        self.show_choices()
        self.query_one(StoryPage).begin(self.session)

    def show_choices(self) -> None:
        """Choices and tray."""
        due = "" if self.size.width >= WIDE else self.choices.due  # it stands in the top line if that is long
        title = ", ".join(text for text in (self.choices.title, due) if text)
        self.query_one(Choosing).show(title, self.choices.rows())
        self.query_one(Tray).show(self.session)

    def _show_top(self) -> None:
        current = self.query_one(ContentSwitcher).current
        marked = [
            f"[@click=app.page('{name}')]{'[reverse]' if name == current else ''} {at} {self._words(key)} "
            f"{'[/reverse]' if name == current else ''}[/]"
            for at, (name, key) in enumerate(_PAGES, 1)
        ]
        self.query_one("#nav", Static).update("".join(marked))
        wide = self.size.width >= WIDE
        due = self.choices.due if wide and self.session.waiting.mine else ""
        text = "  ".join(part for part in (self.session.top(), due) if part)
        self.query_one("#top-text", Static).update(Text(text, no_wrap=True, overflow="ellipsis"))

    def _show_tables(self) -> None:
        drawing, view, now = self.session.drawing, self.session.shown, self.session.view_json
        compact_view, whole = self.query_one("#glance", Drawn), self.query_one("#whole", Drawn)
        if view is None or now is None:
            compact_view.show(lambda _: self._words("no-table"))
            whole.show(lambda _: self._words("no-table"))
            return
        fresh = self.session.fresh()
        compact_view.show(
            lambda width: drawing.compact_view(view, width, roomy=self.size.width >= WIDE, fresh=fresh)
        )
        if self.size.height < SHORT:  # the hand stands last; the whole table is on its own page
            self.call_after_refresh(self.query_one("#table-pane").scroll_end, animate=False)
        self.query_one("#latest-title", Static).update(self._words("latest"))
        self.query_one("#latest", Static).update(Text(self.session.history.latest()))
        text, hosted = self.session.waiting.described(), self.session.hosted
        whole.show(
            lambda width: drawing.whole(now, width) + "\n\n" + fill(f"{text}\n\n{hosted}", width).rstrip()
        )

    def action_page(self, name: str) -> None:
        """Turn to a page."""
        switcher = self.query_one(ContentSwitcher)
        if switcher.current == "story" and name != "story":
            self.session.mark_looked()
        switcher.current = name
        self._show_top()
        self.refresh_bindings()
        focus = {"turn": "#choices", "table": "#table", "story": "#moment-pane"}[name]
        self.query_one(focus).focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is taken back on a page that does not show the tray."""
        del parameters
        return action != "undo" or self.query_one(ContentSwitcher).current == "turn"

    def action_step(self, where: str) -> None:
        """Step through the story, by mouse."""
        self.query_one(StoryPage).step(where)

    @on(MomentPane.Step)
    def step(self, message: MomentPane.Step) -> None:
        """Step through the story, by key."""
        self.query_one(StoryPage).step(message.where)

    @on(Choosing.Taken)
    def take(self, message: Choosing.Taken) -> None:
        """Take a row, unless a key before this one has changed the choices."""
        if not self.query_one(Choosing).shows(message.row):
            return
        match self.choices.take(message.row):
            case Do.SEND:
                self.action_send()
            case Do.DELIVER:
                self.action_deliver()
            case Do.TALK:
                self.action_talk()
            case Do.ORDERS:
                self.action_orders()
            case Do.MATTERS:
                self.action_matters()
            case Do.AGAIN:
                self._again()
            case Do.STORY | Do.NEWS:
                self.action_page("story")
            case Do.TABLE:
                self.action_page("table")
            case _:
                self._changed()

    @on(Choosing.MoreWanted)
    def more(self, message: Choosing.MoreWanted) -> None:
        """Say more in advance."""
        if self.query_one(Choosing).shows(message.row):
            self.choices.more(message.row)
            self.show_choices()

    @on(Choosing.BackWanted)
    def back(self) -> None:
        """Up one layer of the choices."""
        self.choices.back()
        self.show_choices()

    def _changed(self) -> None:
        self._leaving = False
        self._show_tables()
        self.show_choices()

    @on(Tray.TakeBack)
    def take_back(self, message: Tray.TakeBack) -> None:
        """Take one action of the tray back."""
        self._undo(message.index)

    def action_undo(self) -> None:
        """Take the last action back; inside a menu go up first."""
        if not self.choices.back():
            self._undo(-1)
        self.show_choices()

    def _undo(self, index: int) -> None:
        undone = self.session.take_back(index)
        if undone is None:
            return
        action, more = undone
        text = self._words("undone", label=self.session.phrases.label(action))
        self.notify(
            text + ("\n" + self._words("undone-more", n=more) if more else ""), timeout=3, markup=False
        )
        self.choices.clear()
        self._changed()
        self.query_one(Choosing).focus()

    def action_talk(self) -> None:
        """Write something that travels with the file."""
        session = self.session
        if session.settled:
            return
        others = [(name, seat) for seat, name in session.record.names.items() if seat != session.seat]
        seq = self.query_one(StoryPage).seq
        callback = partial(self._talked, seq)
        self.push_screen(TalkScreen(session, _seated(others), seq), callback)

    def _talked(self, seq: int | None, talk: Talk | None) -> None:
        if talk is not None:
            self.session.speak(talk.say, talk.tell)
            if seq is not None and talk.react != self.session.react.get(seq, ""):
                self.session.gesture(seq, talk.react)
            self.session.call(off=not talk.nudge)
            self._changed()

    def action_orders(self) -> None:
        """Say in advance what is answered and done."""
        if not self.session.settled:
            self.push_screen(OrdersScreen(self.session), self._ordered)

    def _ordered(self, send: bool | None) -> None:
        self._changed()
        if send:
            self.action_send()

    def action_matters(self) -> None:
        """Propose what is not a move, or agree to it."""
        if self.session.timed and matters_of(self.session):
            self.push_screen(MattersScreen(self.session), self._agreed)

    def _agreed(self, terms: JsonObject | None) -> None:
        if terms is None:
            return
        try:
            entry = self.session.agree(terms)
        except PbemError as fault:
            self._trouble(fault)
            return
        self._changed()
        self.push_screen(SendScreen(self.session, entry), self._leave)

    def _again(self) -> None:
        """The host is asked for the next match, in words to send; who plays has no power to make it."""
        session, words = self.session, self._words
        record = session.record
        names = session.language.listed([record.names[seat] for seat in record.seats])
        text = words("again-ask", title=record.game_info.title, names=names)
        line = words("again-text", text=text, match=short_id(record.game))
        self.copy_to_clipboard(text)
        address = session.post.address
        parts = [
            session.waiting.described(),
            line,
            *([words("done-address", address=address)] if address else []),
        ]
        self.push_screen(TextScreen(words, words("again-title"), "\n\n".join(parts)))

    def action_send(self) -> None:
        """Show the whole file and ask how it is to leave."""
        self.push_screen(SendScreen(self.session), self._leave)

    def action_deliver(self) -> None:
        """Show the newest file that was signed and has no answer, and ask how it is to leave."""
        self.push_screen(SendScreen(self.session, self.session.unanswered[-1]), self._leave)

    def _leave(self, leave: Leave | None) -> None:
        if leave is None:
            return
        try:
            if leave.entry is not None:
                sent = self.session.deliver(leave.entry, leave.way)
            else:
                sent = self.session.leave(leave.way, again=leave.again)
        except PbemError as fault:
            self._changed()
            self._trouble(fault)
            return
        self.choices.clear()
        self._changed()
        self.push_screen(
            TextScreen(
                self._words,
                self._words("done-title"),
                done_text(
                    sent,
                    self._words,
                    fetches=self.session.post.fetch is not None,
                    address=self.session.post.address,
                ),
            )
        )

    def action_refresh(self) -> None:
        """Fetch emails if that is set up, and take in what is new."""
        if self.session.post.fetch is None:
            self._take_in(asked=self._touched)
        else:
            self._fetch(asked=self._touched)

    async def on_event(self, event: events.Event) -> None:
        """Count what a person presses: whoever does something else while emails are fetched keeps their page."""
        self._touched += isinstance(event, events.Key | events.MouseDown)
        await super().on_event(event)

    @work(thread=True, exclusive=True)
    def _fetch(self, *, asked: int | None) -> None:
        """Ask the mailbox beside the screen, so that keys are answered meanwhile.

        ``asked``: how much was pressed when the player asked for it; None if they did not.
        """
        try:
            came = self.session.fetch()
        except PbemError as fault:
            if asked is not None:
                self.call_from_thread(self._trouble, fault)
            return
        if came or asked is not None:
            self.call_from_thread(self._take_in, asked=asked)

    def _look_for_letters(self) -> None:
        """From time to time, while the match waits for others: an answer comes up by itself."""
        trying = self.session.trial is not None and bool(self.session.trial.actions)
        if not trying and len(self.screen_stack) == 1:
            self._fetch(asked=None)

    def _take_in(self, *, asked: int | None) -> None:
        try:
            known = {message.hash for message in self.session.proposed}
            count = self.session.refresh()
        except PbemError as fault:
            self._trouble(fault)
            return
        if not count and asked is None:
            return
        if count:
            news = self._words("refreshed", n=count)
        elif any(message.hash not in known for message in self.session.proposed):
            news = self._words("refreshed-proposal")
        else:
            news = self._words("refreshed-none")
        self.notify(news, timeout=3, markup=False)
        self.choices.clear()
        self.show_all()
        if count and asked == self._touched:  # what comes late never turns the page under somebody's hands
            self.action_page("story")

    def action_light(self) -> None:
        """Dark or light."""
        self.theme = DARK.name if self.theme == LIGHT.name else LIGHT.name

    def action_picture(self) -> None:
        """Write the table and the own hand as a picture."""
        try:
            place = self.session.export_picture()
        except PbemError as fault:
            self._trouble(fault)
            return
        self.notify(
            self._words("picture-done", place=place) if place else self._words("picture-none"),
            timeout=5,
            markup=False,
        )

    def _trouble(self, fault: PbemError) -> None:
        """Say what went wrong; nothing was lost."""
        self.notify(
            self._words("trouble", fault=self._words.language.fault(fault)),
            severity="error",
            timeout=12,
            markup=False,
        )

    def action_help(self) -> None:
        """The keys."""
        self.push_screen(TextScreen(self._words, self._words("help-title"), self._words(self.HELP)))

    def action_leave_now(self) -> None:
        """Leave at once and in order, from wherever; the tray is kept."""
        self.exit()

    def action_leave(self) -> None:
        """Leave; asked twice if the tray holds something."""
        waiting = self.session.trial is not None and self.session.trial.actions
        if waiting and not self._leaving:
            self._leaving = True
            self.notify(self._words("sure"), timeout=4, markup=False)
            return
        self.exit()


def _seated(others: list[tuple[str, Seat]]) -> list[tuple[str, Seat]]:
    """Names for the list of whom to talk to; two of one name are distinguished by their seats."""
    names = [name for name, _ in others]
    return [(name if names.count(name) == 1 else f"{name} ({seat})", seat) for name, seat in others]
