"""What ``pbem host`` calls: plans from options, acts and their answers. Imported only by bodies of commands."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pbem.cli.console import answer
from pbem.cli.desks import Keys, clock, load_json
from pbem.cli.host_desks import (
    AnyDesk,
    host_desk,
    incoming,
    is_served,
    match_and_rest,
    ruling_json,
    ruling_text,
    service_config,
    told,
)
from pbem.cli.pieces import copies_in
from pbem.cli.tables import columns
from pbem.crypto.digest import b64, short_id, unb64
from pbem.errors import RefusedError, UsageProblem
from pbem.game import Json, JsonObject, Seat
from pbem.host import HostDesk, Outcome
from pbem.host.branches import histories_text
from pbem.host.circle import checked_circle, checked_title
from pbem.host.recover import recover, recover_served
from pbem.record import Deadlines
from pbem.record.deadlines import format_time, parse_time, plus_hours
from pbem.record.line import read_line
from pbem.referee import MatchPlan
from pbem.values import dataclass


def plan_from(
    game: str,
    seats: str,
    profile: str,
    options: Sequence[str] | None,
    setup: Sequence[str] | None,
    board: Path | None,
    deadlines: Deadlines,
    reveal: str,
    consent: Sequence[str] | None,
) -> MatchPlan:
    """The plan of these options; whether it fits is for the referee."""
    if reveal not in ("epoch", "match"):
        raise UsageProblem(f"--reveal is epoch or match, not {reveal!r}")
    extra = dict(pair(text) for text in setup or ())
    if board is not None:
        extra["board"] = load_json(board)
    plan = MatchPlan(
        game,
        [seat.strip() for seat in seats.split(",") if seat.strip()],
        profile,
        dict(pair(text) for text in options or ()),
        extra,
        deadlines,
        reveal,
    )
    agreed = dict(pair(text) for text in consent or ())
    wrong = [who for who in agreed.values() if who not in ("all", "others", "seat", "host")]
    if wrong:
        raise UsageProblem(f"--consent KIND=WHO: all, others, seat or host, not {wrong[0]!r}")
    return replace(plan, consent={**plan.consent, **agreed}) if agreed else plan


def pair(text: str) -> tuple[str, Json]:
    """``KEY=VALUE``; the value as JSON where it is some, else as text."""
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise UsageProblem(f"expected KEY=VALUE, found {text!r}")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


@dataclass(frozen=True, slots=True)
class InvitationWords:
    """What the invitations say and no record holds, as it was typed."""

    title: str | None = None
    mail: str | None = None
    to: Sequence[str] = ()
    lang: str = "en"


def create(folder: Path, plan: MatchPlan, keys: Keys, telling: InvitationWords | None = None) -> JsonObject:
    """Create the match; what was made."""
    telling = telling or InvitationWords()
    name, raw, header = keys.any_of("host")
    if header.kind != "host":
        raise UsageProblem(
            f"the identity {name} is a player's; a host deals and therefore does not play",
            hint="Make one for hosting: pbem id new --host PERSON",
        )
    title = folder.resolve().name if telling.title is None else telling.title
    circle = checked_circle(header.name, telling.mail, title, telling.lang, telling.to, plan.seats)
    desk = HostDesk.create(folder, keys.open(raw, name), plan, clock, secrets.token_bytes, circle)
    return _created(folder, desk)


def _created(folder: Path, desk: HostDesk) -> JsonObject:
    told(desk)
    record_0 = desk.folder.game.read().lines[0]
    line = read_line(record_0)
    return {
        "folder": str(folder),
        "match": short_id(line.hash),
        "game": b64(line.hash),
        "file": str(desk.folder.game.path),
        "invitations": [str(desk.folder.outbox.path(letter)) for letter in desk.folder.outbox.letters()],
    }


def created_text(made: JsonObject) -> str:
    """Where the new match is, and what to do with its invitations."""
    folder, letters = made["folder"], "\n".join(f"  {path}" for path in made["invitations"])
    text = f"Created match {made['match']} in {folder}.\nInvitations, each with the file to join with:\n{letters}"
    return f"{text}\nNext: send them; then pbem host add {folder} JOIN..."


def next_match(old: Path, folder: Path | None, title: str | None, keys: Keys) -> tuple[str, JsonObject]:
    """The next match of the same people: from a folder to a new folder, or in the service."""
    if is_served(old):
        if folder is not None:
            raise UsageProblem(f"match {old} is one of the service; its next match needs no folder")
        return _next_served(str(old), title)
    if folder is None:
        raise UsageProblem(
            "the next match needs a new folder", hint=f"For example: pbem host again {old} {old.name}-2"
        )
    desk = host_desk(old, keys)
    if not isinstance(desk, HostDesk):
        raise UsageProblem(f"{old} is no match folder")
    named = checked_title(folder.resolve().name if title is None else title)
    made = _created(folder, desk.again(folder, secrets.token_bytes, named))
    told(desk)
    return created_text(made), made


def _next_served(short: str, title: str | None) -> tuple[str, JsonObject]:
    from pbem.cli.service_run import invited_text, with_service

    with with_service(service_config()) as service:
        named = None if title is None else checked_title(title)
        made, invited, unknown = service.matches.again(short, secrets.token_bytes(16), named)
    text, facts = invited_text(made, invited)
    if unknown:
        text += f"\nNo address is known of {', '.join(unknown)}: pbem host invite {made} SEAT=ADDRESS"
    return text, facts | {"unknown": unknown}


def started(desk: AnyDesk) -> JsonObject:
    """The state of the roster; refused while seats are free."""
    facts = desk.status()
    if facts["unjoined"]:
        told(desk)
        raise RefusedError(
            f"the match waits for {', '.join(facts['unjoined'])} to join",
            hint="Add their files with: pbem host add JOIN...",
        )
    letters = desk.rewrite_letters() if facts["phase"] == "getting ready" else ()
    return facts | {"letters": [desk.where(name) for name in letters]}


def roster_text(facts: JsonObject) -> str:
    """The roster with its fingerprints, and what is missing."""
    rows = [(one["seat"], one["name"], one["fingerprint"]) for one in facts["seats"]]
    text = columns(rows, ("seat", "player", "fingerprint of the signing key"))
    if facts["phase"] != "getting ready":
        return f"{text}\n\nThe match has started; it is at record {facts['head']['seq']} ({facts['phase']})."
    letters = "".join(f"\n  {path}" for path in facts["letters"])
    return f"{text}\n\nEpoch 1 is laid. {facts['says']} Letters of the last step:{letters}"


def awaited(desk: AnyDesk, arguments: Sequence[str]) -> Seat:
    """The seat named, or the one the match waits for."""
    if arguments:
        return seat_of(desk, arguments)
    waiting = desk.status().get("waiting")
    if waiting is None:
        raise RefusedError(
            "the match waits for no seat to act", hint="'pbem host status' says what it waits for."
        )
    return Seat(waiting["seat"])


def seat_of(desk: AnyDesk, arguments: Sequence[str]) -> Seat:
    """The one seat that was named."""
    seats = [one["seat"] for one in desk.status()["seats"]]
    if len(arguments) != 1 or arguments[0] not in seats:
        found = " ".join(arguments) or "nothing"
        raise UsageProblem(f"expected one seat of {', '.join(seats)}; found {found}")
    return Seat(arguments[0])


def desk_and_seat(match: Path | None, rest: Sequence[str], keys: Keys) -> tuple[AnyDesk, Seat]:
    """What ``[FOLDER] SEAT`` names: the host at this match, and the seat."""
    path, arguments = match_and_rest(match, rest)
    desk = host_desk(path, keys)
    return desk, seat_of(desk, arguments)


def moment(desk: AnyDesk, arguments: Sequence[str]) -> str:
    """``2026-12-01T18:00:00Z``, or ``+24h`` and ``+3d`` behind what is due now."""
    return moment_of(arguments[-1] if arguments else "", lambda: desk.status().get("due") or clock())


def moment_of(text: str, since: Callable[[], str] = clock) -> str:
    """A time, or ``+24h`` and ``+3d`` behind ``since``."""
    try:
        if text[:1] == "+" and text[-1:] in ("h", "d"):
            hours = int(text[1:-1]) * (24 if text.endswith("d") else 1)
            return plus_hours(since(), hours)
        return format_time(parse_time(text))
    except ValueError:
        raise UsageProblem(
            f"expected a time like 2026-12-01T18:00:00Z, or +24h, +3d; found {text!r}"
        ) from None


def newcomer(desk: AnyDesk, arguments: Sequence[str]) -> bytes:
    """The join of a substitute: a file, or the one that has come to the service for this seat."""
    if not isinstance(desk, HostDesk) and len(arguments) == 1 and arguments[0] in desk.seats:
        return desk.pending(Seat(arguments[0]))
    return incoming(arguments)[0][1]


def act(desk: AnyDesk, do: Callable[[], Outcome], name: str, *, as_json: bool) -> None:
    """Do it and say what was recorded."""
    result = ruling_json(name, do())
    told(desk)
    letters = "".join(f"\n  letter  {desk.where(one)}" for one in result["letters"])
    answer(ruling_text(result) + letters, result, as_json=as_json)


def recovered(output: Path, copies: Sequence[Path], keys: Keys, *, take: int) -> tuple[str, JsonObject]:
    """Rebuild the host's folder; what came of it in words and for programs."""
    read = copies_in(copies)
    genesis = next((lines[0] for _, lines in read if lines), None)
    if genesis is None:
        raise UsageProblem("the copies are empty")
    key = unb64(read_line(genesis).body["host"]["sign"], 32)
    name, raw = keys.find([key], "the host")
    found = recover(output, keys.open(raw, name), read, clock, take=take)
    facts: JsonObject = {
        "folder": str(found.folder),
        "source": found.source,
        "records": found.records,
        "notes": list(found.notes),
        "lost": list(found.lost),
    }
    words = [f"note: {note}" for note in found.notes]
    words += [f"Recovered {found.records} records from {found.source} into {found.folder}.", *_lost(facts)]
    return "\n".join([*words, f"Next: pbem host status {found.folder}"]), facts


def _lost(facts: JsonObject) -> list[str]:
    return [
        f"Lost: {one['kind']} {one['n']} of {one['seat']} (record {one['record']} of a history given up)"
        for one in facts.get("lost", ())
    ]


def recovered_served(short: str, copies: Sequence[Path], *, take: int) -> tuple[str, JsonObject]:
    """The same for a match of the service in this folder."""
    from pbem.cli.service_run import with_service

    with with_service(service_config()) as service:
        facts = recover_served(service, short, copies_in(copies), take=take)
    words = [*facts["told"], *_lost(facts)]
    if "histories" in facts:
        words += [
            histories_text(facts["histories"], facts["parts"]),
            f"Decide: pbem host recover {short} --take NUMBER",
        ]
    words.append(
        f"Match {short} goes on; it has {facts['records']} records."
        if facts["goes_on"]
        else f"Match {short} stands still at {facts['records']} records."
    )
    return "\n".join(words), facts
