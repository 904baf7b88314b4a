"""Write one email: gather what the record says up to a given line, and let the templates speak.

Nothing but public members of the lines is read: steps, public views, signed messages without their sealed parts.
A hand, a drawn card, a seat's legal actions or the rule that stopped a sealed action cannot be written, because
they are never looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from pbem.base.language import ENGLISH, Clock, Language, language_of
from pbem.base.resources import INSTALL, SYSTEMS
from pbem.game import JsonObject, Seat
from pbem.games.rulebook import option_words, rows_text
from pbem.player.letters.hosting import invitation_holds
from pbem.player.letters.layout import LONGEST_NAME, clean, clean_name, fill, shortened, stopped, subject_line
from pbem.player.letters.letter import (
    NO_EXTRAS,
    Attachment,
    Deadline,
    Kind,
    Letter,
    LetterExtras,
    Line,
    Link,
    Source,
    asks_nothing,
    attachment_name,
    defaulted,
    last_own_turn,
    last_seen,
    messages,
    open_proposals,
    tag_of,
    undone,
)
from pbem.player.letters.rendering import (
    MOST_SENTENCES,
    LetterContext,
    LetterContexts,
    Style,
    environment,
    macros,
    one_line,
    speaker,
    story_of,
)
from pbem.player.letters.standing import deadline_at, deadline_change, waiting_at
from pbem.protocol.crypto.digest import b64, fingerprint, short_id, unb64
from pbem.protocol.record.deadlines import Links, Over, ReadyFiles
from pbem.protocol.record.kinds import KINDS

if TYPE_CHECKING:
    from css_inline import CSSInliner


MOST_PROOFS = 40
LARGEST_HTML = 88_000
"""Bytes; Gmail clips what is longer than about 102 kB."""
_KEYED = tuple(name for name, kind in KINDS.items() if kind.keys)
_NOT_SAID = {"host": "", "word": "", "joined": (), "install": INSTALL, "last": None}
"""What an invitation says of host and match where nothing is known but the record."""


def compose(
    source: Source,
    seat: Seat,
    upto_seq: int,
    since_seq: int,
    kind: Kind | str,
    *,
    now: str | None = None,
    details: Mapping[str, Any] | None = None,
    extra: tuple[Attachment, ...] = (),
    letter_context: LetterContext | None = None,
    link: Link | None = None,
    extras: LetterExtras = NO_EXTRAS,
    deadline: Deadline | None = None,
    brief: bool = False,
) -> Letter:
    """The email of ``kind`` to ``seat`` after record ``upto_seq``, in the seat's own language.

    ``since_seq`` is the last record that the seat surely has: the lines after it are attached. ``now`` is the time that
    the email states, by default that of record ``upto_seq``: what is left is counted from it. ``details`` are further
    values for the templates (a refusal's code); ``letter_context`` spares the work that emails of one batch share, and
    brings its language; ``link`` is the seat's way in by browser, ``extras`` what the host adds, ``deadline`` what the
    reader's calendar needs. ``brief``: a receipt of a turn that asks nothing of anybody is one line.
    """
    kind = Kind(kind)
    letter_context = letter_context or LetterContext(source, upto_seq, spoken(source, seat, upto_seq))
    gathered = _gather(letter_context, seat, since_seq, kind, now)
    gathered["refusal"], gathered["link"] = None, link
    gathered["match_title"], gathered["season"] = clean(extras.title, 100), extras.season
    gathered["discreet"] = extras.discreet
    gathered["brief"] = brief and gathered["receipt"] is not None and gathered["receipt"]["acts"]
    gathered.update(details or {})
    lines = source.lines[gathered["story_since"] + 1 : upto_seq + 1]
    gathered |= _highlights(letter_context, seat, gathered["story_since"], gathered["clock"], gathered["now"])
    subject = _subject(letter_context, gathered)
    gathered["subject"] = subject
    gathered["proofs"] = letter_context.proofs(lines)
    parts = _parts(Style.TEXT, letter_context, gathered, lines)
    attached = b"".join(line.raw + b"\n" for line in source.lines[since_seq + 1 : upto_seq + 1])
    return Letter(
        seat=seat,
        kind=kind,
        subject=subject,
        text=_text(letter_context, "letter.txt.jinja", parts),
        html=_html(letter_context, gathered, lines),
        attachment_name=gathered["attachment"] if attached else "",
        attachment=attached,
        upto=upto_seq,
        extra=extra + _proof_sheet(letter_context, parts),
        pictures=(letter_context.portrait,) if gathered["pictured"] and letter_context.portrait else (),
        deadline=deadline,
    )


def spoken(source: Source, seat: Seat, upto_seq: int) -> Language:
    """The language that the player of this seat has asked for."""
    return language_of(tag_of(source, seat, upto_seq))


def invitation_letter(
    source: Source,
    seat: Seat,
    language: Language = ENGLISH,
    *,
    host: str = "",
    title: str = "",
    word: str = "",
    joined: Sequence[str] = (),
    upto: int = 0,
    link: Link | None = None,
    last: JsonObject | None = None,
) -> Letter:
    """The invitation to ``seat``: the records up to ``upto`` are attached; it shows what is played and what to do now.

    ``host`` is what the host is called, ``title`` what the host calls the match; no record holds them. ``word`` is the
    one-time word of a mailed invitation, ``joined`` the names of who has joined so far. ``last``: it is a rematch, and
    how the match before ended (``people`` with ``name``, ``score`` and ``won``, and the ``unit`` of the score).
    """
    details = {
        "host": clean(host, 140),
        "word": word,
        "last": last,
        "joined": [clean_name(name) for name in joined],
    }
    letter_context = LetterContext(source, upto, language)
    extras = LetterExtras(title)
    return compose(
        source,
        seat,
        upto,
        -1,
        Kind.INVITATION,
        details=details,
        letter_context=letter_context,
        link=link,
        extras=extras,
    )


def refusal_letter(
    source: Source,
    seat: Seat,
    reject_file: JsonObject,
    sentence: str = "",
    hint: str = "",
    reject_bytes: bytes = b"",
    *,
    language: Language | None = None,
    link: Link | None = None,
    extras: LetterExtras = NO_EXTRAS,
    upto: int | None = None,
) -> Letter:
    """The answer to a refused file: code and reason, where the match stands, and the signed ``reject``.

    ``sentence`` must follow from what everybody may know: it goes by mail in clear. ``reject_bytes`` is the canonical
    file; it is attached, since it proves the refusal. Without a ``language`` it is the seat's own. ``upto`` is the
    record that it was written after, the newest if it is not named.
    """
    body = reject_file["body"]
    upto = source.lines[-1].seq if upto is None else upto
    language = language or spoken(source, seat, upto)
    refusal = {
        "code": body["code"],
        "n": body["n"],
        "action": body.get("action"),
        "rules": body.get("rules", []),
        "sentence": stopped(clean(language.translate(sentence), 400)),
        "hint": stopped(clean(language.translate(hint), 400)),
        "at": body["at"],
    }
    name = f"reject-{short_id(source.game)}-{seat}-{body['n']}.json"
    extra = (Attachment(name, reject_bytes),) if reject_bytes else ()
    letter_context = LetterContext(source, upto, language)
    details = {"refusal": refusal}
    return compose(
        source,
        seat,
        upto,
        _attached_since(source, seat, Kind.REFUSED, upto),
        Kind.REFUSED,
        details=details,
        extra=extra,
        letter_context=letter_context,
        link=link,
        extras=extras,
    )


# --- the emails of a batch -------------------------------------------------------------------------------

NOBODY = Seat("")
"""In the place of a seat: the reader has none."""


def letter_for(
    source: Source,
    seq_from: int,
    seq_to: int,
    seat: Seat,
    kind: Kind,
    *,
    pictures: bool,
    link: Link | None,
    extras: LetterExtras,
    letter_contexts: LetterContexts,
) -> Letter:
    """The email that records ``seq_from`` to ``seq_to`` cause for ``seat``, of the kind that ``who_hears`` gives.

    Attached is everything after the newest record that the reader has signed to have seen, so that a lost email
    costs nothing. ``letter_contexts`` is what the emails of a batch share.
    """
    letter_context = letter_contexts.of(source, seq_to, spoken(source, seat, seq_to), pictures=pictures)
    return compose(
        source,
        seat,
        seq_to,
        _attached_since(source, seat, kind, seq_to),
        kind,
        letter_context=letter_context,
        link=link,
        extras=extras,
        deadline=deadline_change(letter_context, seat, seq_from - 1, extras.title),
        brief=kind is Kind.ACCEPTED and asks_nothing(source, seq_from, seq_to, seat),
    )


def reminder_letter(
    source: Source,
    seat: Seat,
    now: str,
    *,
    pictures: bool = True,
    link: Link | None = None,
    extras: LetterExtras = NO_EXTRAS,
    upto: int | None = None,
) -> Letter:
    """A seat is reminded what record ``upto`` (the newest) waits for, and how much is left at ``now``."""
    head = source.lines[-1].seq if upto is None else upto
    letter_context = LetterContext(source, head, spoken(source, seat, head), pictures=pictures)
    return compose(
        source,
        seat,
        head,
        _attached_since(source, seat, Kind.REMINDER, head),
        Kind.REMINDER,
        now=now,
        letter_context=letter_context,
        link=link,
        extras=extras,
        deadline=deadline_at(letter_context, seat, extras.title),
    )


def public_letter(
    source: Source,
    seq_to: int,
    since: int,
    kind: Kind,
    language: Language = ENGLISH,
    *,
    pictures: bool = True,
    title: str = "",
) -> Letter:
    """The email to somebody who reads along: written for nobody's seat, with the lines after ``since``."""
    letter_context = LetterContext(source, seq_to, language, pictures=pictures)
    return compose(
        source, NOBODY, seq_to, since, kind, letter_context=letter_context, extras=LetterExtras(title)
    )


def _attached_since(source: Source, seat: Seat, kind: Kind, upto: int) -> int:
    return -1 if kind is Kind.INVITATION else max(last_seen(source, seat, upto), 0)


# --- gathering ---------------------------------------------------------------------------------------------


def _gather(
    letter_context: LetterContext, seat: Seat, since: int, kind: Kind, now: str | None
) -> dict[str, Any]:
    source, upto = letter_context.source, letter_context.upto
    language = letter_context.language
    waiting = waiting_at(source, seat or None, upto, language, now=now, letter_context=letter_context)
    head, over = source.lines[upto], waiting.standing if isinstance(waiting.standing, Over) else None
    own = last_own_turn(source, seat, upto)
    news = source.lines[since + 1 : upto + 1]
    fresh = tuple(line.kind for line in news)
    story_since = since if kind.answers or kind is Kind.INVITATION else max(since, own)
    return {
        "kind": kind.value,
        "seat": seat,
        "me": clean_name(letter_context.names.get(seat, "")),
        "game": source.game_info,
        "short": short_id(source.game),
        "genesis": source.genesis,
        "seats": source.seats,
        "waiting": waiting,
        "clock": waiting.clock,
        "now": waiting.now,
        "asked": waiting.asked,
        "must_ready": waiting.must_be_ready,
        "over": over is not None,
        "linking": isinstance(waiting.standing, ReadyFiles | Links),
        "defaulted": defaulted(source, seat, upto),
        "proposals": open_proposals(source, upto),
        "undone": undone(source, since, upto),
        "view": letter_context.view,
        "summary": letter_context.summary,
        "setup": source.rules.setup,
        "has_packets": source.rules.has_secrets,
        "hosted": letter_context.hosted,
        "receipt": _receipt(source, seat, since, upto),
        "story_since": story_since,
        "fresh": fresh,
        "pictured": kind.pictured
        or (
            kind is Kind.ACCEPTED
            and any(KINDS[name].letter in (Kind.STARTED, Kind.MATCH_END) for name in fresh)
        ),
        "outcome": None if over is None else over.outcome,
        "roster": partial(_roster, source, letter_context.names, upto),
        "invitation_holds": lambda: language.translate(invitation_holds()),
        "odd_options": partial(_odd_options, source),
        "head": {"seq": upto, "fingerprint": fingerprint(head.hash), "hash": b64(head.hash)},
        "proof_file": f"proofs-{short_id(source.game)}-{story_since + 1}-{upto}.txt",
        "attachment": attachment_name(source.game, since + 1, upto, sum(len(line.raw) + 1 for line in news)),
        "since": since,
        "lang": language.code,
        "words": None,
        "rows_of": partial(rows_text, source.game_info.id, translate=language.translate),
        "systems": language.translate(SYSTEMS),
        **_NOT_SAID,
    }


def _receipt(source: Source, seat: Seat, since: int, upto: int) -> JsonObject | None:
    """What became of the seat's newest message after ``since``."""
    newest = next(source.index.files_of(seat, upto), -1)
    if newest <= since:
        return None
    line = source.lines[newest]
    body = line.body["msg"]["body"]
    return {
        "seq": line.seq,
        "at": line.body["at"],
        "kind": line.kind,
        "acts": _acts(line),
        "n": body["n"],
        "result": "steps" in line.body,
        "open": len(body.get("actions", ())),
        "sealed": "sealed" in body,
        "orders": "orders" in body,
        "link": body.get("link"),
        "applied": line.body.get("applied", 0),
        "stopped": line.body.get("stopped"),
    }


def _acts(line: Line) -> bool:
    file = KINDS[line.kind].file
    return file is not None and file.acts


def _roster(source: Source, names: Mapping[Seat, str], upto: int) -> list[JsonObject]:
    """Who sits where, with the fingerprint of the signing key that the newest record gives the seat."""
    keys: dict[str, str] = {}
    keyed = source.index.of_kinds(_KEYED, upto)
    for _, body in messages([source.lines[seq] for seq in keyed]):
        if "sign" in body:
            keys[body["seat"]] = fingerprint(unb64(body["sign"]))
    return [
        {"seat": seat, "name": clean_name(name), "fingerprint": keys.get(seat, "")}
        for seat, name in names.items()
    ]


def _odd_options(source: Source) -> list[JsonObject]:
    """The options that differ from the default."""
    odd, offered = [], source.game_info.options
    for key, value in sorted(source.genesis.get("options", {}).items()):
        values = offered.get(key, (value,))
        if value != values[0]:
            words = option_words(source.game_info.id, key, value)
            odd.append({"key": key, "value": value, "default": values[0], "words": words})
    return odd


# --- rendering ---------------------------------------------------------------------------------------------


def _subject(letter_context: LetterContext, gathered: Mapping[str, Any]) -> str:
    """One short line without anything that could end a header (``pbem.player.letters.compose``)."""
    context = dict(gathered) | letter_context.speaking(Style.TEXT)
    names = {seat: shortened(clean_name(name), LONGEST_NAME) for seat, name in letter_context.names.items()}
    context["who"] = speaker(Style.TEXT, names)
    context["phases"] = macros(
        Style.TEXT, letter_context.source.game_info.id, "phases.jinja", context, letter_context.language
    )
    context["proofs"] = context["played"] = ()
    subject = (
        environment(Style.TEXT, letter_context.language).get_template("letter.subject.jinja").render(context)
    )
    refused = gathered["kind"] == Kind.REFUSED
    title = gathered["match_title"] or (
        "" if gathered["kind"] == Kind.INVITATION else letter_context.source.game_info.title
    )
    return subject_line(one_line(subject), "" if refused else gathered["waiting"].brief(), title)


def _highlights(
    letter_context: LetterContext, seat: Seat, since: int, clock: Clock, now: str
) -> dict[str, Any]:
    """What stands out of the records after ``since`` for this reader, in a line; public members only."""
    source, view = letter_context.source, letter_context.view
    was = (source.moment(since).public or {}) if since >= 0 else {}
    news = source.lines[since + 1 : letter_context.upto + 1]
    context = letter_context.speaking(Style.TEXT) | {
        "reader": seat,
        "clock": clock,
        "now": now,
        "view": view,
        "was": was,
        "summary": letter_context.summary,
        "summary_was": source.rules.summary(was) if was else {},
        "steps": [step for line in news for step in line.body.get("steps", ())],
    }
    said = macros(Style.TEXT, source.game_info.id, "headline.jinja", context, letter_context.language)
    signed = [body for _, body in messages(news)]
    return {
        "headline": one_line(said.headline()) if view else "",
        "result": one_line(said.standing_line()) if view else "",
        "speakers": [
            body["seat"]
            for body in signed
            if body["seat"] != seat
            and ("say" in body or any(tell["to"] == seat for tell in body.get("tell", ())))
        ],
        "nudgers": [body["seat"] for body in signed if body.get("nudge") == seat],
        "notice": _notice(letter_context, seat, news, context),
        "turn_of": next(
            (
                event["seat"]
                for line in reversed(news)
                for step in line.body.get("steps", ())
                for event in step["events"]
                if event["event"] == "turn-ended" and "seat" in event
            ),
            "",
        ),
    }


def _notice(
    letter_context: LetterContext, seat: Seat, news: Sequence[Line], context: Mapping[str, Any]
) -> str:
    """The newest record that is nobody's move and concerns this reader, in a few words; empty if there is none."""
    said = (
        environment(Style.TEXT, letter_context.language)
        .get_template("records.jinja")
        .make_module(dict(context))
    )
    for line in reversed(news):
        kind = KINDS[line.kind]
        macro = getattr(said, f"news_{kind.text}", None)
        if macro is not None and (not seat or seat in kind.audience(line, letter_context.source.seats)):
            return one_line(macro(line.body))
    return ""


def _proof_sheet(letter_context: LetterContext, parts: Mapping[str, Any]) -> tuple[Attachment, ...]:
    """The proofs of what an email shows, as a text to be read beside it; nothing if there are none."""
    if not parts["proofs"]:
        return ()
    text = _text(letter_context, "proofs.txt.jinja", parts)
    return (Attachment(parts["proof_file"], text.encode()),)


def _parts(
    style: Style,
    letter_context: LetterContext,
    gathered: Mapping[str, Any],
    lines: Sequence[Line],
    share: int = 1,
) -> dict[str, Any]:
    """What the templates are given; ``share`` 2 leaves space for half of the story and half of the proofs."""
    context = dict(gathered) | letter_context.speaking(style)
    context["waiting"] = (
        gathered["waiting"] if style is Style.TEXT else replace(gathered["waiting"], style=style)
    )
    proofs = gathered["proofs"]
    played = [line for line in lines if line.seq == gathered["defaulted"]]
    rest = [line for line in lines if line not in played]
    clock, now, most = gathered["clock"], gathered["now"], MOST_SENTENCES // share
    context["story"] = story_of(letter_context.renderer(style, clock, now), rest, most)
    alone = letter_context.renderer(style, clock, now, played=True) if played else None
    context["played"] = story_of(alone, played, most).entries if alone else ()
    context["proofs"] = proofs[-(MOST_PROOFS // share) :]
    context["proofs_omitted"] = len(proofs) - len(context["proofs"])
    context["phases"] = letter_context.macros(style, "phases.jinja")
    context["words"] = letter_context.macros(style, "words.jinja")
    pictured = style is Style.HTML and gathered["pictured"]
    context["table"] = letter_context.table(style, pictured=pictured)
    return context


def _text(letter_context: LetterContext, template: str, parts: Mapping[str, Any]) -> str:
    return fill(environment(Style.TEXT, letter_context.language).get_template(template).render(parts))


def _html(letter_context: LetterContext, gathered: Mapping[str, Any], lines: Sequence[Line]) -> str:
    """As much as mail programs show; what is left out is in the attached lines, and the email says so."""
    html = ""
    for share in (1, 2, 4, 8):
        context = _parts(Style.HTML, letter_context, gathered, lines, share)
        context["table"] = Markup(context["table"])  # noqa: S704 - rendered with escaping on
        template = environment(Style.HTML, letter_context.language).get_template("letter.html.jinja")
        html = _inliner().inline(template.render(context))
        if len(html.encode()) <= LARGEST_HTML:
            break
    return html


@lru_cache(maxsize=1)
def _inliner() -> CSSInliner:
    """Compiled, and only an email needs it: whoever reads a story in a browser page does without."""
    from css_inline import CSSInliner

    return CSSInliner(
        keep_style_tags=False,
        keep_at_rules=True,
        load_remote_stylesheets=False,
        apply_width_attributes=True,
        apply_height_attributes=True,
    )
