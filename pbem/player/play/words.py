"""Every sentence of the client in one table, so that it can be translated; what a game says is in its templates.

``words("key", name=value)`` fills in a sentence. A value with a plural has two forms, chosen by ``n``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pbem.base.language import ENGLISH, Language
from pbem.base.values import dataclass

if TYPE_CHECKING:
    from textual.binding import BindingsMap

WORDS: Final[dict[str, str | tuple[str, str]]] = {
    # pages and keys
    "page-turn": "Turn",
    "page-table": "Table",
    "page-story": "Story",
    "key-choose": "choose",
    "key-back": "back",
    "key-undo": "take back",
    "key-send": "send",
    "key-matters": "else",
    "key-talk": "talk",
    "key-orders": "orders",
    "key-picture": "picture",
    "key-refresh": "news",
    "key-more": "say more",
    "key-light": "light/dark",
    "key-help": "help",
    "key-quit": "quit",
    "key-lesson": "lesson",
    "lesson-title": "First lesson",
    "key-hint": "hint",
    "hint-title": "What I would do, and why",
    "key-review": "review",
    "review-title": "The moments that cost you most",
    "key-first": "first",
    "key-earlier": "earlier",
    "key-later": "later",
    "key-last": "last",
    "key-close": "close",
    "key-enter": "Enter",
    # the top line
    "you": "you",
    "top": "{title}  {chapter}  you are {name}",
    # what is asked
    "ask-act": "Your turn to {short}",
    "won": "{names} won.",
    # choices
    "back": "← back",
    "pick": "{label} …  ({count} ways)",
    "look": "shows something new",
    "look-title": "Then you see something new",
    "look-done": "There is nothing more to say",
    "look-send": "Send now and look",
    "look-effect": "the answer shows it, then you go on",
    "look-then": "Or say what then, whatever you see. It travels sealed; what cannot be done any more comes back:",
    "look-stop": "If somebody else is asked first, it comes back too.",
    "send": ("Send this action", "Send these {n} actions"),
    "send-others": "{name} is next",
    "send-over": "here it ends for now",
    "send-complete": "then it is up to the others",
    "send-partly": "you may go on with another file later",
    "be-ready": "Be ready",
    "be-ready-effect": "you have compared the fingerprints with your friends",
    "matters": "Pause, be away, end",
    "matters-effect": "what is not a move, and agreeing to what an email proposes",
    "matters-title": "What is not a move",
    "matter-pause": "Propose a pause",
    "matter-pause-type": "until when, or nothing: 2026-12-20, +3d",
    "matter-resume": "Propose to go on",
    "matter-away": "Be away for a while",
    "matter-away-type": "from and until: 2026-12-20 2027-01-03; or +3d",
    "matter-agree": "Agree to a proposal",
    "matter-agree-type": 'what the email says after "pbem consent .": pause until=2026-12-20',
    "matter-replace": "Get a replacement player",
    "matter-replace-told": (
        "The host invites the new player. Everyone then gets an email with the proposal, and agrees to it here."
    ),
    "matter-end": "Propose to end the match now",
    "matter-end-type": "why, or nothing",
    "matter-resign": "Give up your seat",
    "matter-object": "Keep this host",
    "matter-channel": "Announce your turns in a chat channel of your own",
    "matter-channel-type": "its address, like ntfys://…; or nothing, to stop",
    "matter-channel-on": "The host announces your turns in this channel too; its address is sealed to the host",
    "matter-channel-off": "The host announces your turns in no channel of your own any more",
    "matter-asked": "Agree: {what}",
    "proposed": "{name} proposes: {what}",
    "proposed-effect": "answer it; nothing is sent yet",
    "matter-odd": "The quotation marks do not match.",
    "matter-yes": "{what}. Enter again signs this; nothing has been sent yet.",
    "again": "Play again with the same people",
    "again-effect": "the same seats, first place moved on by one",
    "again-title": "Again with the same people?",
    "again-told": (
        "Send this to your host; it is copied:\n\n{text}\n\nThe host types: pbem host again {match}\nThen "
        "everyone gets an email that says rematch, with the last score."
    ),
    "again-ask": "Shall we play {title} again: {names}?",
    "say-something": "Say something",
    "say-something-effect": "to everybody, or to one player alone",
    "offers": "Say in advance what most people do ({keys}; once more takes it back):",
    "offers-plain": "Say in advance what most people do:",
    "say-orders": "Say in advance what you answer and do",
    "say-orders-effect": "your answer to a reaction, your bids, your next draw",
    "see-story": "See what happened",
    "see-table": "See the whole table",
    "deliver": "Send what you signed; it has not left",
    "deliver-again": "Send it once more, unchanged",
    # by touch
    "why-sent": "You have nothing more to choose now.",
    # what happened
    "chance": "{hits} of {of}",
    # the tray
    "tray": "Draft",
    "tray-empty": "Nothing chosen yet.",
    "tray-sealed": "sealed",
    "tray-say": "To all: {text}",
    "tray-react": "Your reaction: {word}",
    "tray-nudge": "A nudge for {name}",
    "tray-tell": "To {name} alone: {text}",
    "undone": "Taken back: {label}",
    "undone-more": (
        "{n} later action does not fit any more and left the draft.",
        "{n} later actions do not fit any more and left the draft.",
    ),
    "tray-orders": ("Standing orders, changed: {n} rule", "Standing orders, changed: {n} rules"),
    # standing orders
    "orders-title": "Standing orders, for your next file",
    "orders-keys": "Enter out or in · Tab type a rule · F1 what can be said · Esc close",
    "orders-rules": "The first rule that fits answers for you. Enter takes one out.",
    "orders-none": "You have none: you are asked everything.",
    "orders-withdraw": "Take all out",
    "orders-send": "Send them now, in a file of their own",
    "orders-send-effect": "or close: they leave with your next file",
    "orders-offered": "Offered to everybody, in every hand, whatever they hold:",
    "orders-presets": "Ready-made:",
    "orders-type": "when … do … if …",
    "orders-words": "What can be said",
    "orders-answers": "answers now",
    "orders-untrue": "not now: {why}",
    "orders-off": "off: {why}",
    "orders-past": "over: {why}",
    "orders-would": "If asked {asked}: {answer}",
    "orders-silent": "These may leave '{question}' open; then others see that they did not answer.",
    # pictures
    "picture-done": "The picture of the table, with your hand in it: {place}",
    "picture-none": "There is no picture before the first cards are on the table.",
    # story
    "news": ("One record since you last looked", "{n} records since you last looked"),
    "latest": "What happened last",
    "no-news": "Nothing has happened yet.",
    "moment": "{seq} of {last}, {at}",
    "moment-untimed": "{seq} of {last}",
    "got": "You got: {cards}",
    "private": "{name} to you alone: {text}",
    "no-table": "The table is still empty.",
    # talk
    "talk-title": "Words that travel with your file",
    "talk-say": "To everybody (280 characters at most; everybody can read it forever)",
    "talk-tell": "To one player alone (sealed: nobody else can read it)",
    "talk-to": "To",
    "talk-keep": "Keep",
    "talk-nobody": "nobody",
    "talk-long": "This has {n} characters; at most {most} are allowed.",
    "talk-odd": "No line breaks or control characters, please.",
    "talk-react": "React to this",
    "talk-nudge": "Nudge {name}: one email, at most one a day",
    # reactions, as words that a player says
    "react-clap": "Well played!",
    "react-laugh": "Ha ha!",
    "react-wow": "Wow!",
    "react-ouch": "Ouch!",
    "react-thanks": "Thanks!",
    "react-sorry": "Sorry!",
    "reacted": "{name}: {word}",
    # sending
    "send-title": "Your file",
    "send-same": "{told}\nYou have decided this already. Another file counts only if the host gets it first.",
    "send-nothing": "There is nothing in it yet: choose an action, or say something.",
    "send-ready": "Ready: your part of the next cut",
    "send-roster": "Compare these fingerprints with your friends, by phone if you can:",
    "send-open": "Open, for everybody:",
    "send-sealed": "Sealed, opened by the host after the look:",
    "send-new-orders": (
        "Sealed, for the host alone: your standing orders, {n} rule.",
        "Sealed, for the host alone: your standing orders, {n} rules.",
    ),
    "send-orders": "Your standing orders travel along unchanged.",
    "check-all": (
        "Checked with the host's own rules: it is allowed.",
        "Checked with the host's own rules: all {n} actions are allowed.",
    ),
    "check-part": "Checked with the host's own rules: {done} of {n} actions are allowed; the rest depends on {until}.",
    "check-fault": "The host would refuse this: {fault}",
    "check-talk": "Changes nothing on the table.",
    "check-reacts": "Reactions travel with your next file.",
    "way-write": "Write the file {name}",
    "way-armour": "Write it as text for any mail program, {name}",
    "way-mail": "Send it to the host by email",
    "way-again": "Sign another file for the same decision",
    "way-deliver": "Send that one instead, unchanged",
    "way-back": "Not yet",
    "done-title": "Done",
    "done-write": "Your file is {place}. Send it to the host as an attachment.",
    "done-address": "The host's address: mailto:{address}",
    "done-armour": "Your file is {place}. Paste its text into an email to the host.",
    "done-mail": "It is on its way to the host: {answer}",
    "done-then": "When the answer is in this folder, press r.",
    "done-then-mail": "The host's answer comes up here by itself; r looks at once.",
    "done-check": "The finished file was checked as the host checks it: nothing is wrong.",
    "done-fault": "The finished file was checked as the host checks it. The host would say: {fault}",
    "sure": "The draft is not sent. Press q again to leave; it will be here next time.",
    # news
    "refreshed": ("One new record.", "{n} new records."),
    "refreshed-proposal": "A player proposes something: press e.",
    "refreshed-none": "Nothing new.",
    "trouble": "That did not work: {fault}",
    "small": "This window is too small; 80 columns and 24 lines are enough.",
    # help
    "help-title": "Keys",
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


def label(key: str) -> str:
    """A key's label as it stands in the table: ``in_language`` puts it into the reader's language."""
    found = WORDS[key]
    return found if isinstance(found, str) else found[0]


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences in one language."""

    language: Language = ENGLISH

    def __call__(self, key: str, **values: object) -> str:
        """The sentence ``key``, filled in; ``n`` chooses between singular and plural."""
        found = WORDS[key]
        if isinstance(found, tuple):
            n = values.get("n")
            text = self.language.ngettext(*found, n if isinstance(n, int) else 2)
        else:
            text = self.language.gettext(found)
        told = {name: self.language.tell(value) for name, value in values.items()}
        return text.format(**told) if values else text

    def in_language(self, bindings: BindingsMap) -> None:
        """Put the labels of a widget's keys into this language; they were made with its class."""
        for key, bound in bindings.key_to_bindings.items():
            bindings.key_to_bindings[key] = [
                replace(binding, description=self.language.gettext(binding.description)) for binding in bound
            ]
