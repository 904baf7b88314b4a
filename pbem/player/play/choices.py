"""The list of choices of this moment: what stands in each row, and what taking it does.

Three layers lie over one another: the menu of legal actions (with its parts), the question what to say in advance
for one action, and what can be done besides (send, say something, look). The screen only shows rows.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.player.letters.layout import capital
from pbem.player.play.menu import Menu, MenuEntry
from pbem.player.play.proposing import matters_of, proposed_words
from pbem.player.play.session import Session
from pbem.player.play.trial import TrayState, Trial


class Do(Enum):
    """What taking a row does."""

    ACTION = "action"
    OPEN = "open"
    BACK = "back"
    SEND = "send"
    DELIVER = "deliver"
    TALK = "talk"
    STORY = "story"
    TABLE = "table"
    ORDERS = "orders"
    MATTERS = "matters"
    """What is not a move."""
    AGAIN = "again"
    """The same people once more."""
    OFFER = "offer"
    """Take an offered order, or take it back."""
    NEWS = "news"
    """What happened: the story has all of it."""
    NOTE = "note"
    """Nothing: it is only there to be read."""


OFFER_KEYS: Final = ("a", "b", "c")
"""The keys of the offered orders."""


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """One row: what it says, what would follow, and what it does."""

    do: Do
    label: str
    effect: str = ""
    entry: MenuEntry | None = None
    more: bool = False
    """The action can name something in advance."""
    offer: str = ""
    """The name of an offered order."""

    @property
    def action(self) -> JsonObject | None:
        """The action of the row, if it is one."""
        return self.entry.action if self.entry is not None else None


class Choices:
    """The rows over one session, and how deep the player has gone into them; ``keyed`` if there are keys to press."""

    def __init__(self, session: Session, *, keyed: bool = True) -> None:
        self.session = session
        self._keyed = keyed
        self._menus: list[Menu] = []
        self._asking: JsonObject | None = None
        self._field = ""
        self.news: list[str] = []
        """What happened since the player looked, a line a turn; it stands above the choices until one is taken."""

    # --- what is shown ------------------------------------------------------------------------------------

    @property
    def due(self) -> str:
        """By when the match waits; empty if nothing is due."""
        return self.session.waiting.until() if self.session.timed else ""

    @property
    def title(self) -> str:
        """What is asked, for the frame."""
        if self._asking is not None:
            return self._question(self._asking)
        trial = self.session.trial
        if trial is not None and trial.stage is TrayState.LOOK:
            return self.session.words("look-title" if trial.worlds else "look-done")
        if trial is not None and trial.stage is TrayState.OPEN:
            return self.session.words("ask-act", short=self._short())
        if trial is not None:
            after = self._after(trial)
            return capital(after)
        return self.session.waiting.line()

    def _after(self, trial: Trial) -> str:
        """What comes once the tray has left, where this seat is asked no more."""
        if trial.stage is TrayState.OVER:
            return self.session.words("send-over")
        return self.session.words("send-others", name=self.session.next_seat())

    def _short(self) -> str:
        """What is asked once the tray is done."""
        shown = self.session.shown or {}
        waiting = shown.get("waiting") or self.session.record.waiting
        return self.session.drawing.short(shown, waiting["phase"]) if waiting else ""

    def rows(self) -> list[ChoiceRow]:
        """The rows, top first."""
        session, trial = self.session, self.session.trial
        if self._asking is not None and trial is not None:
            return self._question_rows(trial, self._asking)
        rows = [*self._proposed_rows(), *self._sent_rows()]
        if trial is not None:
            news = (
                [] if self._menus or trial.actions else [ChoiceRow(Do.NEWS, "", line) for line in self.news]
            )
            return news + rows + self._turn_rows(trial)
        if session.waiting.must_be_ready:
            rows.append(
                ChoiceRow(Do.SEND, self.session.words("be-ready"), self.session.words("be-ready-effect"))
            )
        if session.preview().words:
            rows.append(ChoiceRow(Do.SEND, self.session.words("key-send").capitalize(), ""))
        offers = self._offer_rows() if session.waiting.must_be_ready else []
        return rows + offers + self._besides()

    def _proposed_rows(self) -> list[ChoiceRow]:
        """What others propose, above the choices of a turn; inside a menu nothing stands in its way."""
        session = self.session
        return [
            ChoiceRow(Do.MATTERS, proposed_words(session, consent), session.words("proposed-effect"))
            for consent in ([] if self._menus else session.proposed)
        ]

    def _sent_rows(self) -> list[ChoiceRow]:
        """What was signed and is not answered, and the way to let the newest of it leave (again)."""
        session = self.session
        rows = [ChoiceRow(Do.NOTE, "", session.told(entry)) for entry in session.unanswered]
        if rows:
            key = "deliver-again" if session.unanswered[-1].left else "deliver"
            rows.append(ChoiceRow(Do.DELIVER, session.words(key)))
        return rows

    def _turn_rows(self, trial: Trial) -> list[ChoiceRow]:
        if self._menus:
            return [ChoiceRow(Do.BACK, self.session.words("back")), *self._menu_rows(trial, self._menus[-1])]
        send = self._send_row(trial)
        offers = self._offer_rows() if trial.actions else []
        match trial.stage:
            case TrayState.OPEN:
                return self._menu_rows(trial, self._menu(trial)) + ([send] if trial.actions else []) + offers
            case TrayState.LOOK:
                return [send, *offers, *self._blind_rows(trial)]
            case TrayState.OTHERS | TrayState.OVER:
                return [send, *offers]

    def _offer_rows(self) -> list[ChoiceRow]:
        """What most people say in advance, a key for each; it is the same in every hand."""
        session = self.session
        rows = [
            ChoiceRow(
                Do.OFFER,
                f"{key} {'[x]' if taken else '[ ]'}",
                session.language.translate(offer.sentence),
                offer=offer.name,
            )
            for key, (offer, taken) in zip(OFFER_KEYS, session.offers(), strict=False)
        ]
        return [ChoiceRow(Do.NOTE, "", self._offer_note(len(rows))), *rows] if rows else []

    def _offer_note(self, count: int) -> str:
        words = self.session.words
        return words("offers", keys=" ".join(OFFER_KEYS[:count])) if self._keyed else words("offers-plain")

    def _send_row(self, trial: Trial) -> ChoiceRow:
        if trial.stage is TrayState.LOOK and trial.worlds:
            return ChoiceRow(Do.SEND, self.session.words("look-send"), self.session.words("look-effect"))
        going_on = {TrayState.OPEN: "send-partly", TrayState.LOOK: "send-complete"}
        effect = self.session.words(going_on[trial.stage]) if trial.stage in going_on else self._after(trial)
        return ChoiceRow(Do.SEND, self.session.words("send", n=len(trial.actions)), effect)

    def _blind_rows(self, trial: Trial) -> list[ChoiceRow]:
        rows = self._menu_rows(trial, self._menu(trial)) if trial.options else []
        if not rows:
            return []
        note = self.session.words("look-then") + (
            " " + self.session.words("look-stop") if trial.stopped else ""
        )
        return [ChoiceRow(Do.NOTE, "", note), *rows]

    def _menu_rows(self, trial: Trial, menu: Menu) -> list[ChoiceRow]:
        do = next((str(action["do"]) for action, _ in menu.left), "")
        return [self._menu_row(trial, entry, do) for entry in menu.entries]

    def _menu(self, trial: Trial) -> Menu:
        return Menu(self.session.phrases.ordered(trial.options))

    def _menu_row(self, trial: Trial, entry: MenuEntry, do: str) -> ChoiceRow:
        phrases = self.session.phrases
        label = phrases.entry(entry, do)
        if entry.action is None:
            return ChoiceRow(Do.OPEN, self.session.words("pick", label=label, count=entry.count), "", entry)
        more = bool(trial.extras(entry.action))
        return ChoiceRow(Do.ACTION, label, phrases.effect(trial, entry.action), entry, more)

    def _question(self, action: JsonObject) -> str:
        asked = self.session.phrases.question(action)
        return asked or self.session.phrases.label(action)

    def _question_rows(self, trial: Trial, action: JsonObject) -> list[ChoiceRow]:
        phrases = self.session.phrases
        extras = self._extras(trial, action)
        rows = [
            ChoiceRow(Do.BACK, self.session.words("back")),
            ChoiceRow(Do.ACTION, phrases.label(action), phrases.enough(action), MenuEntry(action)),
        ]
        return rows + [ChoiceRow(Do.ACTION, phrases.label(extra), "", MenuEntry(extra)) for extra in extras]

    def _extras(self, trial: Trial, action: JsonObject) -> list[JsonObject]:
        """What may be said in advance now: of one member at a time."""
        extras = trial.extras(action)
        if self._field:
            return [extra for extra in extras if _added(action, extra) == self._field]
        return extras

    # --- what happens -------------------------------------------------------------------------------------

    def take(self, row: ChoiceRow) -> Do:
        """Take a row; what is left for the screen to do (``NOTE``: nothing)."""
        if row.do is Do.BACK:
            self.back()
        elif row.do is Do.OPEN and row.entry is not None and row.entry.part is not None:
            trial = self.session.trial
            menu = self._menus[-1] if self._menus or trial is None else self._menu(trial)
            self._menus.append(menu.open(row.entry.part))
        elif row.do is Do.ACTION and row.action is not None:
            self._take_action(row.action)
        elif row.do is Do.OFFER:
            self.session.toggle_offer(row.offer)
        else:
            return row.do
        return Do.NOTE

    def _take_action(self, action: JsonObject) -> None:
        trial = self.session.trial
        asked = self._asking
        if trial is None:
            return
        if asked is None and self.session.phrases.question(action) and self._ask(trial, action):
            return
        if asked is not None and asked != action and self._ask(trial, action):
            return
        self.clear()
        self.session.add(action)

    def _ask(self, trial: Trial, action: JsonObject, *, everything: bool = False) -> bool:
        """Ask what to say in advance, if there is anything."""
        extras = trial.extras(action)
        if not everything:
            self._field = self._field or (_added(action, extras[0]) if extras else "")
            extras = [extra for extra in extras if _added(action, extra) == self._field]
        if extras:
            self._asking = action
        return bool(extras)

    def behind(self, row: ChoiceRow) -> list[JsonObject]:
        """The actions that a row which asks for a part leads to; none for any other row."""
        trial = self.session.trial
        if row.entry is None or row.entry.part is None or trial is None:
            return []
        menu = self._menus[-1] if self._menus else self._menu(trial)
        return [action for action, _ in menu.open(row.entry.part).left]

    def more(self, row: ChoiceRow) -> None:
        """Ask what ``row``'s action can name in advance, everything there is."""
        if self.session.trial is not None and row.action is not None and row.more:
            self._ask(self.session.trial, row.action, everything=True)

    def back(self) -> bool:
        """Go up one layer; False at the top."""
        if self._asking is not None:
            self._asking, self._field = None, ""
        elif self._menus:
            self._menus.pop()
        else:
            return False
        return True

    def clear(self) -> None:
        """Go to the top; the news have been seen."""
        self._menus, self._asking, self._field, self.news = [], None, "", []

    def _besides(self) -> list[ChoiceRow]:
        session, say = self.session, self.session.words
        again = self._keyed and session.timed and session.record.over
        matters = session.timed and matters_of(session)
        rows = [ChoiceRow(Do.AGAIN, say("again"), say("again-effect"))] if again else []
        return [
            *rows,
            ChoiceRow(Do.ORDERS, say("say-orders"), say("say-orders-effect")),
            ChoiceRow(Do.STORY, say("see-story")),
            ChoiceRow(Do.TABLE, say("see-table")),
            ChoiceRow(Do.TALK, say("say-something"), say("say-something-effect")),
            *([ChoiceRow(Do.MATTERS, say("matters"), say("matters-effect"))] if matters else []),
        ]


def _added(action: JsonObject, extra: JsonObject) -> str:
    """The member that ``extra`` says more in."""
    return next((name for name, value in extra.items() if action.get(name) != value), "")
