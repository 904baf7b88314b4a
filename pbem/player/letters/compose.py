"""Write one letter: gather what the record says up to a given line, and let the templates speak.

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
from pbem.games.rulebook import option_words, rows_told
from pbem.player.letters import letter
from pbem.player.letters.environment import Style, environment, macros, one_line, speaker
from pbem.player.letters.hosting import host_plays, invitation_holds
from pbem.player.letters.layout import clean, clean_name, fill, stopped
from pbem.player.letters.letter_context import LetterContext, open_proposals, undone
from pbem.player.letters.source import Line, Source, last_own_turn, last_seen, messages, tag_of
from pbem.player.letters.standing import waiting_at
from pbem.player.letters.story import MOST_SENTENCES, proofs_of, story_of
from pbem.protocol.crypto.digest import b64, fingerprint, short_id, unb64
from pbem.protocol.record.deadlines import Links, Over, ReadyFiles
from pbem.protocol.record.kinds import KINDS

if TYPE_CHECKING:
    from css_inline import CSSInliner


from typing import Final

MOST_PROOFS = 40
LARGEST_HTML = 88_000
"""Bytes; Gmail clips what is longer than about 102 kB."""
_KEYED = tuple(name for name, kind in KINDS.items() if kind.keys)
_NOT_SAID = {"host": "", "word": "", "joined": (), "asker": "", "install": INSTALL, "last": None}
"""What an invitation says of host and match where nothing is known but the record."""


def compose(
    source: Source,
    seat: Seat,
    upto_seq: int,
    since_seq: int,
    kind: letter.Kind | str,
    *,
    now: str | None = None,
    details: Mapping[str, Any] | None = None,
    extra: tuple[letter.Attachment, ...] = (),
    letter_context: LetterContext | None = None,
    link: letter.Link | None = None,
    beside: letter.LetterExtras = letter.NOTHING_BESIDE,
    deadline: letter.Deadline | None = None,
    brief: bool = False,
) -> letter.Letter:
    """The letter of ``kind`` to ``seat`` after record ``upto_seq``, in the seat's own language.

    ``since_seq`` is the last record that the seat surely has: the lines after it are attached. ``now`` is the time that
    the letter states, by default that of record ``upto_seq``: what is left is counted from it. ``details`` are further
    values for the templates (a refusal's code); ``face`` spares the work that letters of one batch share, and brings
    its language; ``link`` is the seat's way in by browser, ``beside`` what the host adds, ``deadline`` what the
    reader's calendar needs. ``brief``: a receipt of a turn that asks nothing of anybody is one line.
    """
    kind = letter.Kind(kind)
    letter_context = letter_context or LetterContext(source, upto_seq, spoken(source, seat, upto_seq))
    gathered = _gather(letter_context, seat, since_seq, kind, now)
    gathered["refusal"], gathered["link"] = None, link
    gathered["match_title"], gathered["season"] = clean(beside.title, 100), beside.season
    gathered["discreet"] = beside.discreet
    gathered["brief"] = brief and gathered["receipt"] is not None and gathered["receipt"]["acts"]
    gathered.update(details or {})
    lines = source.lines[gathered["story_since"] + 1 : upto_seq + 1]
    gathered |= _highlights(letter_context, seat, gathered["story_since"], gathered["clock"], gathered["now"])
    subject = _subject(letter_context, gathered)
    gathered["subject"] = subject
    gathered["proofs"] = proofs_of(source, lines)
    parts = _parts(Style.TEXT, letter_context, gathered, lines)
    attached = b"".join(line.raw + b"\n" for line in source.lines[since_seq + 1 : upto_seq + 1])
    return letter.Letter(
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
    link: letter.Link | None = None,
    asker: str = "",
    last: JsonObject | None = None,
) -> letter.Letter:
    """The invitation to ``seat``: the records up to ``upto`` are attached; it tells what is played and what to do now.

    ``host`` is what the host is called, ``title`` what he calls the match; no record holds them. ``word`` is the
    one-time word of a mailed invitation, ``joined`` the names of who has joined so far; ``asker`` who has asked a
    service for this table that is not the asker's own. ``last``: it is a rematch, and how the match before ended
    (``people`` with ``name``, ``score`` and ``won``, and the ``unit`` of the score).
    """
    details = {
        "host": clean(host, 140),
        "word": word,
        "asker": clean(asker, 140),
        "last": last,
        "joined": [clean_name(name) for name in joined],
    }
    letter_context = LetterContext(source, upto, language)
    beside = letter.LetterExtras(title)
    return compose(
        source,
        seat,
        upto,
        -1,
        letter.Kind.INVITATION,
        details=details,
        letter_context=letter_context,
        link=link,
        beside=beside,
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
    link: letter.Link | None = None,
    beside: letter.LetterExtras = letter.NOTHING_BESIDE,
    upto: int | None = None,
) -> letter.Letter:
    """The answer to a refused file: code and reason, where the match stands, and the signed ``reject``.

    ``sentence`` must follow from what everybody may know: it goes by mail in clear. ``reject_bytes`` is the canonical
    file; it is attached, since it proves the refusal. Without a ``language`` it is the seat's own. ``upto`` is the
    record that it was written after, the newest if it is not named.
    """
    body = reject_file["body"]
    upto = source.lines[-1].seq if upto is None else upto
    language = language or spoken(source, seat, upto)
    since = min(max(last_seen(source, seat, upto), 0), upto)
    refusal = {
        "code": body["code"],
        "n": body["n"],
        "action": body.get("action"),
        "rules": body.get("rules", []),
        "sentence": stopped(clean(language.tell(sentence), 400)),
        "hint": stopped(clean(language.tell(hint), 400)),
        "at": body["at"],
    }
    name = f"reject-{short_id(source.game)}-{seat}-{body['n']}.json"
    extra = (letter.Attachment(name, reject_bytes),) if reject_bytes else ()
    letter_context = LetterContext(source, upto, language)
    details = {"refusal": refusal}
    return compose(
        source,
        seat,
        upto,
        since,
        letter.Kind.REFUSED,
        details=details,
        extra=extra,
        letter_context=letter_context,
        link=link,
        beside=beside,
    )


def story_text(
    source: Source,
    since_seq: int,
    upto_seq: int,
    language: Language = ENGLISH,
    clock: Clock | None = None,
    *,
    timed: bool = True,
) -> str:
    """What happened in the records after ``since_seq``, as plain text at 76 columns.

    ``clock``: whose times these are, if anybody's; without one each record has its number too, as commands name it.
    Without ``timed`` both are left out.
    """
    letter_context = LetterContext(source, upto_seq, language)
    now = str(source.lines[upto_seq].body["at"])
    context = letter_context.speaking(Style.TEXT) | {"view": letter_context.view, "clock": clock, "now": now}
    lines = source.lines[since_seq + 1 : upto_seq + 1]
    story = story_of(letter_context.renderer(Style.TEXT, clock, now), lines)
    template = environment(Style.TEXT, language).get_template("story.txt.jinja")
    return fill(template.render(context | {"story": story, "timed": timed}))


# --- gathering ---------------------------------------------------------------------------------------------


def _gather(
    letter_context: LetterContext, seat: Seat, since: int, kind: letter.Kind, now: str | None
) -> dict[str, Any]:
    source, upto = letter_context.source, letter_context.upto
    waiting = waiting_at(source, seat or None, upto, letter_context.language, now=now)
    head, over = source.lines[upto], waiting.standing if isinstance(waiting.standing, Over) else None
    own = last_own_turn(source, seat, upto)
    news = source.lines[since + 1 : upto + 1]
    fresh = tuple(line.kind for line in news)
    story_since = since if kind.answers or kind is letter.Kind.INVITATION else max(since, own)
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
        "defaulted": _defaulted(source, seat, upto),
        "proposals": open_proposals(source, upto),
        "undone": undone(source, since, upto),
        "view": letter_context.view,
        "summary": letter_context.summary,
        "setup": source.rules.setup,
        "has_packets": source.rules.has_secrets,
        "hosted": _hosted(letter_context, upto),
        "receipt": _receipt(source, seat, since, upto),
        "story_since": story_since,
        "fresh": fresh,
        "pictured": kind.pictured
        or (
            kind is letter.Kind.ACCEPTED
            and any(KINDS[name].letter in (letter.Kind.STARTED, letter.Kind.MATCH_END) for name in fresh)
        ),
        "outcome": None if over is None else over.outcome,
        "roster": _roster(source, letter_context.names, upto),
        "invitation_holds": letter_context.language.tell(invitation_holds()),
        "odd_options": _odd_options(source),
        "head": {"seq": upto, "fingerprint": fingerprint(head.hash), "hash": b64(head.hash)},
        "proof_file": f"proofs-{short_id(source.game)}-{story_since + 1}-{upto}.txt",
        "attachment": letter.attachment_name(
            source.game, since + 1, upto, sum(len(line.raw) + 1 for line in news)
        ),
        "since": since,
        "lang": letter_context.language.code,
        "words": None,
        "rows_of": partial(rows_told, source.game_info.id, tell=letter_context.language.tell),
        "systems": letter_context.language.tell(SYSTEMS),
        **_NOT_SAID,
    }


def _hosted(letter_context: LetterContext, upto: int) -> str:
    """What is to be known of a host who plays; empty if the host does not."""
    sentence = host_plays(letter_context.source, letter_context.names, upto=upto)
    return "" if sentence is None else letter_context.language.tell(sentence)


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


def _defaulted(source: Source, seat: Seat, upto: int) -> int | None:
    """The newest record, if nobody has written since it, in which a default was played for this seat."""
    for seq in range(upto, -1, -1):
        line = source.lines[seq]
        if "msg" in line.body:
            return None
        if KINDS[line.kind].lapses and line.body["seat"] == seat:
            return line.seq
    return None


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
    refused = gathered["kind"] == letter.Kind.REFUSED
    title = gathered["match_title"] or (
        "" if gathered["kind"] == letter.Kind.INVITATION else letter_context.source.game_info.title
    )
    return subject_line(one_line(subject), "" if refused else gathered["waiting"].brief(), title)


def _highlights(
    letter_context: LetterContext, seat: Seat, since: int, clock: Clock, now: str
) -> dict[str, Any]:
    """What stands out of the records after ``since`` for this reader, in a line; public members only."""
    source, view = letter_context.source, letter_context.view
    was = (source.moment(since).public or {}) if since >= 0 else {}
    context = letter_context.speaking(Style.TEXT) | {
        "reader": seat,
        "clock": clock,
        "now": now,
        "view": view,
        "was": was,
        "summary": letter_context.summary,
        "summary_was": source.rules.summary(was) if was else {},
        "steps": [
            s
            for line in source.lines[since + 1 : letter_context.upto + 1]
            for s in line.body.get("steps", ())
        ],
    }
    said = macros(Style.TEXT, source.game_info.id, "headline.jinja", context, letter_context.language)
    news = source.lines[since + 1 : letter_context.upto + 1]
    return {
        "headline": one_line(said.headline()) if view else "",
        "result": one_line(said.standing_line()) if view else "",
        "speakers": [
            body["seat"]
            for _, body in messages(news)
            if body["seat"] != seat
            and ("say" in body or any(tell["to"] == seat for tell in body.get("tell", ())))
        ],
        "nudgers": [body["seat"] for _, body in messages(news) if body.get("nudge") == seat],
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


def _proof_sheet(letter_context: LetterContext, parts: Mapping[str, Any]) -> tuple[letter.Attachment, ...]:
    """The proofs of what a letter shows, as a text to be read beside it; nothing if there are none."""
    if not parts["proofs"]:
        return ()
    text = _text(letter_context, "proofs.txt.jinja", parts)
    return (letter.Attachment(parts["proof_file"], text.encode()),)


def _parts(
    style: Style,
    letter_context: LetterContext,
    gathered: Mapping[str, Any],
    lines: Sequence[Line],
    share: int = 1,
) -> dict[str, Any]:
    """What the templates are given; ``share`` 2 leaves space for half of the story and half of the proofs."""
    game, language = letter_context.source.game_info.id, letter_context.language
    context = dict(gathered) | letter_context.speaking(style)
    context["waiting"] = replace(gathered["waiting"], style=style)
    proofs = gathered["proofs"]
    played = [line for line in lines if line.seq == gathered["defaulted"]]
    rest = [line for line in lines if line not in played]
    clock, now, most = gathered["clock"], gathered["now"], MOST_SENTENCES // share
    context["story"] = story_of(letter_context.renderer(style, clock, now), rest, most)
    alone = letter_context.renderer(style, clock, now, played=True) if played else None
    context["played"] = story_of(alone, played, most).entries if alone else ()
    context["proofs"] = proofs[-(MOST_PROOFS // share) :]
    context["proofs_omitted"] = len(proofs) - len(context["proofs"])
    context["phases"] = macros(style, game, "phases.jinja", context, language)
    context["words"] = macros(style, game, "words.jinja", context, language)
    pictured = style is Style.HTML and gathered["pictured"]
    context["table"] = letter_context.table(style, pictured=pictured)
    return context


def _text(letter_context: LetterContext, template: str, parts: Mapping[str, Any]) -> str:
    return fill(environment(Style.TEXT, letter_context.language).get_template(template).render(parts))


def _html(letter_context: LetterContext, gathered: Mapping[str, Any], lines: Sequence[Line]) -> str:
    """As much as mail programs show; what is left out is in the attached lines, and the letter says so."""
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
    """Compiled, and only a mail needs it: whoever reads a story in a browser page does without."""
    from css_inline import CSSInliner

    return CSSInliner(
        keep_style_tags=False,
        keep_at_rules=True,
        load_remote_stylesheets=False,
        apply_width_attributes=True,
        apply_height_attributes=True,
    )


# --- subject ----------------------------------------------------------------------------------------------
#
# The subject of a letter: what the reader has to do or what happened, by when, and the title of the match
# last.
#
# In: what it says, by when, the title. Out: one line of at most ``LONGEST`` characters, in every language
# and with the longest names. The title is shortened first, then what is said; the time never is.

LONGEST: Final = 60
"""Characters; a phone's list of emails shows about so many."""
SHORTEST_TITLE: Final = 8
"""A title keeps so many characters, the mark of what was cut included."""
LONGEST_NAME: Final = 14
"""Characters of a player's name in a subject."""


def subject_line(subject: str, by: str = "", title: str = "") -> str:
    """``what, by (title)``; ``by`` and ``title`` may be empty.

    >>> subject_line("Your turn: draw", "by Fri 18:56 CET", "Friends 2026")
    'Your turn: draw, by Fri 18:56 CET (Friends 2026)'
    """
    subject, title = clean(subject, 200), clean(title, 200)
    tail = f", {by}" if by else ""
    room = LONGEST - len(tail)
    if title:
        shortest = min(len(title), SHORTEST_TITLE)
        said = shortened(subject, room - shortest - 3)
        return f"{said}{tail} ({shortened(title, room - len(said) - 3)})"
    return shortened(subject, room) + tail


def shortened(text: str, most: int) -> str:
    """``text`` in at most ``most`` characters; what is cut is marked by ``…``."""
    return text if len(text) <= most else text[: most - 1].rstrip(" ,.;:") + "…"
