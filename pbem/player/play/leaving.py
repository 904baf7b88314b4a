"""A file before and after it leaves, and the tray it comes from, in words: for every screen there is."""

from __future__ import annotations

from typing import Final

from pbem.base.sentences import joined
from pbem.game import Seat
from pbem.player.letters.layout import clean
from pbem.player.play.session import Preview, Sent, Session
from pbem.player.play.words import Words
from pbem.protocol.record.check_messages import reactions

MOST_PRIVATE: Final = 280
"""Of a word to one player alone (schemas/README.md §6)."""


def travels(text: str) -> bool:
    """Whether talk can travel: one line, no control characters, not too long."""
    return clean(text, MOST_PRIVATE) == " ".join(text.split())


def tray_actions(session: Session) -> list[str]:
    """The actions of the tray, in order; those that travel sealed say so."""
    actions = session.trial.actions if session.trial is not None else ()
    openly = len(actions) - len(session.preview().sealed)
    return [
        session.phrases.label(action) + (f"  ({session.words('tray-sealed')})" if at >= openly else "")
        for at, action in enumerate(actions)
    ]


def tray_words(session: Session) -> list[str]:
    """What travels beside them: talk, and changed orders."""
    lines = _said(session, session.preview())
    if session.orders_changed:
        lines.append(session.words("tray-orders", n=len((session.orders or {"rules": ()})["rules"])))
    return lines


def reaction_lines(session: Session, seq: int) -> list[str]:
    """What stands under record ``seq``, a line for each player who reacted."""
    words, names = session.words, session.record.names
    under = reactions(session.record.lines).get(seq, {})
    return [words("reacted", name=names[seat], word=words(f"react-{mark}")) for seat, mark in under.items()]


def _said(session: Session, preview: Preview) -> list[str]:
    words, names = session.words, session.record.names
    lines = [words("tray-say", text=preview.say)] if preview.say else []
    lines += [words("tray-tell", name=names[seat], text=text) for seat, text in preview.tell.items()]
    lines += [words("tray-react", word=words(f"react-{reaction}")) for reaction in preview.react.values()]
    return lines + ([words("tray-nudge", name=names[Seat(preview.nudge)])] if preview.nudge else [])


def summary_of(session: Session, preview: Preview) -> str:
    """What is in the file, line by line."""
    if preview.empty:
        return session.words("send-nothing")
    named = session.phrases.label
    lines: list[str] = []
    if preview.ready:
        lines += [session.words("send-ready"), session.words("send-roster")]
        lines += [f"  {print_}  {name}" for name, print_ in session.roster()]
    if preview.openly:
        lines += [session.words("send-open"), *(f"  {named(action)}" for action in preview.openly)]
    if preview.sealed:
        lines += [session.words("send-sealed"), *(f"  {named(action)}" for action in preview.sealed)]
    lines += _said(session, preview)
    if preview.orders is not None:
        lines.append(session.words("send-new-orders", n=preview.orders))
    elif session.has_orders:
        lines.append(session.words("send-orders"))
    return "\n".join(lines)


def verdict_of(preview: Preview, words: Words) -> str:
    """What the host's own checker says before anything is signed."""
    if preview.fault:
        return "\n".join(filter(None, (words("check-fault", fault=preview.fault), preview.rows)))
    if not preview.count:
        waits = words("check-reacts") if preview.reacts else words("check-talk")
        return "" if preview.ready or preview.empty else waits
    if preview.checked < preview.count:
        return words("check-part", done=preview.checked, n=preview.count, until=preview.until)
    return words("check-all", n=preview.count)


def done_text(sent: Sent, words: Words, *, fetches: bool = False, address: str = "") -> str:
    """What became of a file that left; ``fetches`` if emails come by themselves; ``address``: the host's, if known."""
    check = (
        words("done-check")
        if sent.check.ok
        else words("done-fault", fault=joined((sent.check.code, sent.check.sentence), ": "))
    )
    where = {
        "write": lambda: words("done-write", place=sent.place),
        "armour": lambda: words("done-armour", place=sent.place),
        "mail": lambda: words("done-mail", answer=sent.place),
    }[sent.way]()
    return "\n\n".join(
        [
            where,
            *([words("done-address", address=address)] if address and sent.way != "mail" else []),
            check,
            *map(words.language.translate, sent.signed.warnings),
            words("done-then-mail" if fetches else "done-then"),
        ]
    )
