"""One look at a match: the table, the own hand, who is awaited, what was said; as text, as data, as a picture."""

from __future__ import annotations

from pbem.base.errors import UsageProblem
from pbem.base.language import Language, moment_of
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.letters.hosting import host_plays
from pbem.player.letters.layout import fill
from pbem.player.letters.letter import clock_at
from pbem.player.letters.rendering import story_text
from pbem.player.letters.standing import waiting_at
from pbem.player.letters.terminal import render_table
from pbem.player.pictures import draw
from pbem.player.seat.client import PlayerClient
from pbem.player.seat.order_answers import orders_said
from pbem.protocol.client import SeatView
from pbem.protocol.crypto.digest import fingerprint, short_id
from pbem.protocol.record import Record
from pbem.protocol.record.takeover import open_proposals


@dataclass(frozen=True, slots=True)
class Look:
    """A match at one record: through a seat's ``view``, or without one what everybody sees."""

    record: Record
    view: SeatView | None = None
    said: tuple[str, ...] = ()
    """What is to be said of the own orders."""


def look_of(client: PlayerClient, language: Language, at: int | None = None) -> Look:
    """What the client's seat sees, now or after record ``at``; only now something is said of its orders.

    Raises:
        UsageProblem: there is no such record.
    """
    view = client.view if at is None else client.view_at(at)
    return Look(view.record, view, () if at is not None else orders_said(client, language))


def public_look(record: Record, at: int | None = None) -> Look:
    """What everybody sees, now or after record ``at``.

    Raises:
        UsageProblem: there is no such record.
    """
    if at is None:
        return Look(record)
    if not 0 <= at < len(record.lines):
        raise UsageProblem(
            sentence("there is no record {seq}; the last one is {last}", seq=at, last=record.head.seq)
        )
    return Look(Record.load([line.raw for line in record.lines[: at + 1]]))


def drawing_of(look: Look, language: Language, *, portrait: bool = False) -> bytes:
    """The table, with the hand of a view, as PNG; ``portrait`` for a phone.

    Raises:
        UsageProblem: nothing is dealt, or the game has no picture.
    """
    record, view = look.record, look.view
    if record.public is None:
        raise UsageProblem(
            sentence("nothing has been dealt yet"),
            hint=sentence("The match waits for players to join or to press Ready."),
        )
    shown = record.public if view is None else view.view_json
    rules, name = record.rules, record.game_info.id
    seat = None if view is None else view.seat
    summary = rules.summary(record.public)
    drawn = draw(
        name, shown, rules.setup, record.names, summary, viewer=seat, language=language, portrait=portrait
    )
    if drawn is None:
        raise UsageProblem(sentence("there is no picture of {title}", title=record.game_info.title))
    return drawn.png


def text_and_facts(
    look: Look, language: Language, now: str, *, width: int, colour: bool
) -> tuple[str, JsonObject]:
    """The look as text for ``width`` columns, as of ``now``, and the same as data."""
    record, view = look.record.as_of(now), look.view
    seat = None if view is None else view.seat
    shown = record.public if view is None or record.public is None else view.view_json
    facts: JsonObject = {
        "match": short_id(record.game),
        "rules": record.game_info.id,
        "head": {"seq": record.head.seq, "fingerprint": fingerprint(record.head.hash)},
        "over": record.over,
    }
    optional = {"seat": seat, "view": shown, "waiting": record.waiting, "due": record.due}
    facts |= {name: value for name, value in optional.items() if value is not None}
    if record.ledger.host_seat is not None:
        facts["hidden_from"] = record.ledger.hidden_from
    if record.ledger.proposals:
        facts["proposals"] = open_proposals(record.ledger)
    facts["words"] = [] if view is None else [list(word) for word in view.private_messages()]
    parts = [
        _heading(record, seat, language, now),
        proposals_text(record, seat, language),
        _story(record, seat, language),
    ]
    if shown is not None:
        parts.append(_table(record, shown, seat, language, width, colour=colour))
    parts += [
        standing_text(record, seat, language, now),
        hosted_text(record, language),
        *look.said,
        *(
            language.translate(sentence("{name} to you: {text}", name=who, text=text))
            for _, who, text in facts["words"]
        ),
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()), facts


def _heading(record: Record, seat: Seat | None, language: Language, now: str) -> str:
    title, short = record.game_info.title, short_id(record.game)
    first = sentence("{title}, match {short}", title=title, short=short)
    if seat is not None:
        name = record.names[seat]
        first = sentence(
            "{title}, match {short}, you are {name} ({seat})", title=title, short=short, name=name, seat=seat
        )
    newest = moment_of(record.head.at, now, clock_at(record, seat, record.head.seq))
    state = sentence(
        "as of {when}, record hash {fingerprint}", when=newest, fingerprint=fingerprint(record.head.hash)
    )
    return f"{language.translate(first)}\n{language.translate(state)}"


def proposals_text(record: Record, seat: Seat | None, language: Language) -> str:
    """What is proposed about whose seat; to its player how to undo it."""
    lines = []
    for other, proposal in sorted(record.ledger.proposals.items()):
        until = language.moment(proposal.until, record.head.at, clock_at(record, seat, record.head.seq))
        name = record.names[other]
        text = sentence(
            "Your seat is to be taken over from {time} on. Any file of yours undoes it:"
            ' pbem turn COPY --say "I am here"',
            time=until,
        )
        if proposal.counts:
            text = (
                sentence(
                    "You have resigned; that counts from {time} on. Any file of yours undoes it:"
                    ' pbem turn COPY --say "I am here"',
                    time=until,
                )
                if other == seat
                else sentence(
                    "{name} has resigned; that counts from {time} on, unless that seat writes before.",
                    name=name,
                    time=until,
                )
            )
        elif other != seat:
            text = sentence(
                "The seat of {name} is to be taken over from {time} on, unless that seat writes before.",
                name=name,
                time=until,
            )
        lines.append(language.translate(text))
    return "\n".join(lines)


def _story(record: Record, seat: Seat | None, language: Language) -> str:
    """What happened since the own last file, or in the last record."""
    mine = -1 if seat is None else next(record.index.files_of(seat, record.head.seq), -1)
    since = (record.head.seq if mine < 0 else mine) - 1
    return story_text(record, max(since, 0), record.head.seq, language)


def _table(
    record: Record, shown: JsonObject, seat: Seat | None, language: Language, width: int, *, colour: bool
) -> str:
    summary = record.rules.summary(record.public or shown)
    game, setup = record.game_info.id, record.rules.setup
    return render_table(
        game,
        shown,
        setup,
        record.names,
        summary,
        width=width,
        colour=colour,
        viewer=seat,
        language=language,
    )


def hosted_text(record: Record, language: Language) -> str:
    """What is to be known of a host who plays; empty if the host does not."""
    notice = host_plays(record, record.names)
    return "" if notice is None else fill(language.translate(notice)).rstrip()


def standing_text(record: Record, seat: Seat | None, language: Language, now: str) -> str:
    """Who is to do what, and until when."""
    words = waiting_at(record, seat, record.head.seq, language, now=now)
    return "\n".join(fill(part).rstrip() for part in (words.described(), words.by()) if part)
