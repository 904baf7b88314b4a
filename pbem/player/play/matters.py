"""What is no move: a pause, being away, the end, giving up the seat, agreeing to what an email proposes.

The answer of the dialog is what the seat agrees to (schemas/README.md §6); the screen signs it and asks how it leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Checkbox, Input, OptionList, Select, Static
from textual.widgets.option_list import Option

from pbem.base.errors import PbemError
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.play.leaving import MOST_PRIVATE, summary_of, travels, verdict_of
from pbem.player.play.proposing import OWN_WEBHOOK, TYPED, agreed_text, matters_of, meant, said_of, signs
from pbem.player.play.session import MOST_LETTERS, Session
from pbem.player.play.words import Words, label
from pbem.player.seat import SentEntry
from pbem.player.seat.show import proposals_text
from pbem.protocol.record.check_messages import REACTIONS


class MattersScreen(ModalScreen[JsonObject | None]):
    """The list, a line to type what is asked for, and what the proposal says before it is signed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", label("key-close"))]

    def __init__(self, session: Session) -> None:
        super().__init__()
        session.words.in_language(self._bindings)
        self._session, self._words = session, session.words
        self._matter = ""
        self._proposal: JsonObject | None = None

    def compose(self) -> ComposeResult:
        """List, line, and a place for the sentence."""
        with Vertical(classes="box") as box:
            box.border_title = self._words("matters-title")
            yield OptionList(
                *(
                    Option(Text(said_of(self._session, matter)), id=matter)
                    for matter in (*matters_of(self._session), OWN_WEBHOOK)
                ),
                id="matters",
            )
            yield Input(id="matter-typed", disabled=True)
            yield Static("", id="matter-text")

    def on_mount(self) -> None:
        """Choose at once; what is held already stands there to be read."""
        self.query_one("#matters").focus()
        session = self._session
        self._show(proposals_text(session.record, session.seat, session.language))

    @on(OptionList.OptionSelected, "#matters")
    def choose(self, event: OptionList.OptionSelected) -> None:
        """Ask for what is missing, or say at once what would be signed; the same again says yes."""
        matter, line = str(event.option_id), self.query_one("#matter-typed", Input)
        if self._proposal is not None and matter == self._matter:
            self.dismiss(self._proposal)
            return
        self._matter, self._proposal = matter, None
        line.disabled = matter not in TYPED
        line.password = matter == OWN_WEBHOOK  # it holds a token
        line.value = ""
        line.placeholder = self._words(f"matter-{matter}-type") if matter in TYPED else ""
        self._show("" if signs(matter) else self._words("matter-replace-text"))
        if matter in TYPED:
            line.focus()
        elif signs(matter):
            self._look("")

    @on(Input.Submitted, "#matter-typed")
    def typed(self, event: Input.Submitted) -> None:
        """What was typed is read; the same once more says yes."""
        if self._proposal is not None:
            self.dismiss(self._proposal)
        else:
            self._look(event.value)

    @on(Input.Changed, "#matter-typed")
    def other(self) -> None:
        """Something else is meant now."""
        self._proposal = None

    def _look(self, typed: str) -> None:
        session = self._session
        try:
            self._proposal = meant(session, self._matter, typed)
        except PbemError as fault:
            self._show(session.language.fault(fault), fault=True)
            return
        self._show(self._words("matter-yes", what=agreed_text(session, self._proposal)))

    def _show(self, text: str, *, fault: bool = False) -> None:
        static = self.query_one("#matter-text", Static)
        static.set_class(fault, "fault")
        static.update(Text(text))

    def action_leave(self) -> None:
        """Nothing is proposed."""
        self.dismiss(None)


# --- dialogs ----------------------------------------------------------------------------------------------
#
# What lies over the screen for a moment: words that travel along, the file before it leaves, what came of
# it, keys.


@dataclass(frozen=True, slots=True)
class Talk:
    """What is said: to all, to single ones, as a reaction (empty: none), and whether who is waited for is nudged."""

    say: str
    tell: Mapping[Seat, str]
    react: str
    nudge: bool


class TalkScreen(ModalScreen[Talk | None]):
    """Table talk for everybody, one private word, a reaction to record ``seq`` and a nudge."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", label("key-close"))]

    def __init__(self, session: Session, others: Sequence[tuple[str, Seat]], seq: int | None) -> None:
        super().__init__()
        session.words.in_language(self._bindings)
        self._words = session.words
        self._session = session
        self._tell = dict(session.tell)
        self._others = list(others)
        self._seq = seq

    def compose(self) -> ComposeResult:
        """Two lines to write in."""
        seat, word = next(iter(self._tell.items()), (None, ""))
        with Vertical(classes="box") as box:
            box.border_title = self._words("talk-title")
            yield Static(self._words("talk-say"))
            yield Input(self._session.say, id="talk-say", max_length=MOST_LETTERS)
            yield Static(self._words("talk-tell"))
            yield Select(
                self._others,
                prompt=self._words("talk-nobody"),
                id="talk-to",
                value=seat if seat is not None else Select.NULL,
            )
            yield Input(word, id="talk-tell", max_length=MOST_PRIVATE)
            yield from self._gestures()
            yield Static("", id="talk-fault", classes="fault")
            yield Button(self._words("talk-keep"), id="talk-keep", variant="primary")

    def _gestures(self) -> ComposeResult:
        session, words = self._session, self._words
        if self._seq is not None:
            yield Select(
                [(words(f"react-{reaction}"), reaction) for reaction in REACTIONS],
                prompt=words("talk-react"),
                id="talk-react",
                value=session.react.get(self._seq, Select.NULL),
                compact=True,
            )
        seat = session.nudgeable
        if seat is not None:
            label = words("talk-nudge", name=session.record.names[seat])
            yield Checkbox(Text(label), bool(session.nudge), id="talk-nudge", compact=True)

    def action_leave(self) -> None:
        """Close without keeping anything."""
        self.dismiss(None)

    @on(Input.Submitted)
    @on(Button.Pressed, "#talk-keep")
    def keep(self) -> None:
        """Keep the words, if they can travel."""
        text = self.query_one("#talk-say", Input).value.strip()
        word = self.query_one("#talk-tell", Input).value.strip()
        seat = self.query_one("#talk-to", Select).value
        if not all(map(travels, (text, word))):
            self.query_one("#talk-fault", Static).update(Text(self._words("talk-odd")))
            return
        tell = dict(self._tell)
        if isinstance(seat, str):
            tell.pop(Seat(seat), None)
            tell |= {Seat(seat): word} if word else {}
        react = next((field.value for field in self.query("#talk-react").results(Select)), "")
        nudge = any(box.value for box in self.query("#talk-nudge").results(Checkbox))
        self.dismiss(Talk(text, tell, react if isinstance(react, str) else "", nudge))


@dataclass(frozen=True, slots=True)
class Leave:
    """How a file is to leave: ``entry`` is one that was signed before; else ``again`` is the yes to a second one."""

    way: str
    again: bool = False
    entry: SentEntry | None = None


class SendScreen(ModalScreen[Leave | None]):
    """The whole file before it is signed, or one that was signed before; the answer is how it leaves, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,left", "leave", label("key-back"))]

    def __init__(self, session: Session, entry: SentEntry | None = None) -> None:
        super().__init__()
        session.words.in_language(self._bindings)
        self._words = session.words
        self._session = session
        self._preview = session.preview()
        self._entry = entry
        self._same = session.same if entry is None else None
        self._again = False

    def compose(self) -> ComposeResult:
        """What is in the file, what the checker says, and the ways to send it."""
        with Vertical(classes="box") as box:
            box.border_title = self._words("send-title")
            with VerticalScroll(can_focus=False):
                yield Static(Text(self._summary()), id="send-summary")
            verdict = "" if self._entry is not None else verdict_of(self._preview, self._words)
            fault = bool(self._preview.fault) and self._entry is None
            yield Static(Text(verdict), id="send-check", classes="fault" if fault else "")
            yield OptionList(*self._options(), id="send-ways")

    def _summary(self) -> str:
        if self._entry is not None:
            return self._session.describe(self._entry)
        text = summary_of(self._session, self._preview)
        if self._same is None:
            return text
        return self._words("send-same", text=self._session.describe(self._same)) + "\n\n" + text

    def _options(self) -> list[Option]:
        return [Option(text, id=way) for way, text in self._ways()]

    def _ways(self) -> list[tuple[str, str]]:
        back = [("back", self._words("way-back"))]
        if self._entry is not None:
            return self._ways_out(self._entry.message.kind) + back
        if self._preview.empty or self._preview.fault or self._preview.reacts:
            return back
        if self._same is not None and not self._again:
            named = self._words("way-deliver")
            return [*back, ("deliver", named), ("again", self._words("way-again"))]
        words = self._preview.words or self._preview.react
        return self._ways_out("ready" if self._preview.ready and not words else "turn") + back

    def _ways_out(self, name: str) -> list[tuple[str, str]]:
        mail = [("mail", self._words("way-mail"))] if self._session.post.send is not None else []
        folder = self._session.post.folder
        return [
            *mail,
            ("write", self._words("way-write", name=folder / f"{name}-….json")),
            ("armour", self._words("way-armour", name=folder / f"{name}-….txt")),
        ]

    def action_leave(self) -> None:
        """Not yet."""
        self.dismiss(None)

    def on_mount(self) -> None:
        """Choose at once."""
        self.query_one("#send-ways").focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A way was chosen; or first that another file is meant, or the old one."""
        way = str(event.option_id)
        if way in ("again", "deliver"):
            self._again = way == "again"
            self._entry = self._same if way == "deliver" else None
            self._show_ways()
        else:
            self.dismiss(None if way == "back" else Leave(way, self._again, self._entry))

    def _show_ways(self) -> None:
        self.query_one("#send-summary", Static).update(Text(self._summary()))
        ways = self.query_one("#send-ways", OptionList)
        ways.clear_options()
        ways.add_options(self._options())
        ways.highlighted = 0


class TextScreen(ModalScreen[None]):
    """Something to read; any of the closing keys ends it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q,space", "leave", label("key-close"))]

    def __init__(self, words: Words, title: str, text: str) -> None:
        super().__init__()
        words.in_language(self._bindings)
        self._words = words
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        """The text."""
        with Vertical(classes="box") as box:
            box.border_title = self._title
            box.border_subtitle = f"{self._words('key-enter')} {self._words('key-close')}"
            with VerticalScroll(id="text-scroll"):
                yield Static(Text(self._text), id="text")

    def on_click(self) -> None:
        """A click closes it too."""
        self.dismiss(None)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
