"""``pbem host serve`` and its kin: the host's service by mail. ``pbem mail``: how a player's own files leave."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from pbem.base.errors import UsageProblem
from pbem.base.sentences import Sentence, joined, sentence, table
from pbem.cli.clients import clock
from pbem.cli.console import answer, coloured, read_input, say, write_output, write_shown
from pbem.cli.identities import squares
from pbem.cli.options import AsJson, ClockIsRight, ConfigFile, Grace, Hours, InvitationLang, Off, Title
from pbem.cli.options import ServedMatch as Match
from pbem.cli.passphrase import typed_webhook
from pbem.cli.service_run import (
    access_code,
    configuration,
    deliver_one,
    invite_people,
    links_of,
    notes_of,
    one_round,
    with_service,
)
from pbem.host.arguments import moment_behind
from pbem.host.copy_elsewhere import goes_on_here
from pbem.host.database.database import sqlite_path
from pbem.host.database.heads import Heads
from pbem.host.database.matches import Matches
from pbem.host.service import answers
from pbem.host.service.check import accept_older
from pbem.host.service.club import list_open, open_matches
from pbem.host.service.heal import Healer
from pbem.host.service.lists import Choice, matches_page, put_aside, raw_mail, released
from pbem.host.service.many import make_many, read_many
from pbem.host.service.trace import trace as traced
from pbem.host.service.trace import trace_words
from pbem.player.mail.outgoing import check_address
from pbem.protocol.record import Deadlines

app = typer.Typer()

MOST_MANY: Final = 1024 * 1024
"""Bytes of a file of matches."""


@app.command()
def run_once(config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Do one round of everything, for cron. Exit code 6 if a mail server could not be reached."""
    text, facts = one_round(config)
    answer(text, facts, as_json=as_json)
    raise typer.Exit(6 if facts["troubles"] else 0)


@app.command()
def deliver(
    config: ConfigFile = None,
    keep_only: Annotated[
        bool, typer.Option("--keep-only", help="Keep the email; a running service rules on it.")
    ] = False,
) -> None:
    """Take one email from standard input, for a mail server's pipe. Exit code 75: keep it and try again."""
    raise typer.Exit(deliver_one(config, keep_only=keep_only))


@app.command()
def invite(
    match: Annotated[
        str,
        typer.Argument(
            metavar="MATCH|FOLDER", help="A match of the service, or a folder of 'pbem host new'."
        ),
    ],
    seats: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SEAT=ADDRESS...]", help="Whom to invite: anna=anna@example.org ..."),
    ] = None,
    substitute: Annotated[
        bool, typer.Option("--substitute", help="The seats are taken; these people are to take them over.")
    ] = False,
    title: Title = None,
    lang: Annotated[
        str | None, typer.Option(metavar="CODE", help="Language of the invitations: en, fr, it or de.")
    ] = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Invite by email, each with an invite code. A folder's match moves into the service's database first."""
    text, facts = invite_people(config, match, seats or [], title, lang, substitutes=substitute)
    answer(text, facts, as_json=as_json)


@app.command()
def confirm(
    match: Match,
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="The seat whose join waits.")],
    key: Annotated[str, typer.Argument(metavar="KEY", help="Its key fingerprint, or the join's number.")],
    config: ConfigFile = None,
) -> None:
    """Let a join count that came without its invite code. Compare its key fingerprint with the player by phone."""
    with with_service(config) as service:
        service.matches.confirm(match, seat, key)
    say(sentence("The join for {seat} of match {match} counts.", seat=seat, match=match))


@app.command()
def matches(
    state: Annotated[
        str, typer.Option(metavar="STATE", help="running, stopped, over, open (not over) or all.")
    ] = "all",
    player: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Only where this address has a seat.")
    ] = None,
    game: Annotated[str | None, typer.Option(metavar="GAME", help="Only this game.")] = None,
    late: Annotated[bool, typer.Option("--late", help="Only where somebody's time is up.")] = False,
    waits_for_me: Annotated[
        bool, typer.Option("--mine", help="Only where you have to do something.")
    ] = False,
    sort: Annotated[
        str, typer.Option(metavar="BY", help="created, due, heard, name or records.")
    ] = "created",
    page: Annotated[int, typer.Option(metavar="N", min=1)] = 1,
    size: Annotated[int, typer.Option(metavar="N", min=1, help="Matches on one page.")] = 50,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """List the service's matches, and whom each one waits for.

    Chosen, sorted, by pages; with since when, until when and the last email seen.
    """
    choice = Choice(state, player, game, late, waits_for_me, sort, page, size)
    with with_service(config) as service:
        facts = matches_page(service, choice)
    answer(answers.matches_words(facts), facts, as_json=as_json)


@app.command()
def extend_all(
    hours: Annotated[int, typer.Argument(metavar="HOURS", min=1, help="How many hours more.")],
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Give everybody who is waited for more time, in all matches. Before you are away, or after trouble."""
    with with_service(config) as service:
        done, not_done = service.matches.extend_all(hours)
    answer(
        answers.extended_words(hours, done, not_done),
        {"extended": done, "not": dict(not_done)},
        as_json=as_json,
    )


@app.command()
def pause_all(
    until: Annotated[
        str,
        typer.Argument(
            metavar="UNTIL", help="A time (2026-12-01T18:00:00Z), +72h or +3d from now; 'now' ends a pause."
        ),
    ],
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Pause every match until the time that you give.

    You are away, or move the service. Everybody gets an email. Behind a pause, whoever is waited for gets the time back
    for which it stood still.
    """
    with with_service(config) as service:
        if until == "now":
            ended = service.time.go_on()
            words = (
                sentence("time runs again, and everybody hears of it")
                if ended
                else sentence("there is no pause")
            )
            return answer(words, {"ended": ended}, as_json=as_json)
        outage = service.time.begin_maintenance(moment_behind(until, clock))
    facts = {"since": outage.since, "until": outage.until}
    return answer(answers.pause_words(outage.until), facts, as_json=as_json)


@app.command()
def quarantine(
    numbers: Annotated[
        list[int] | None, typer.Argument(metavar="[NUMBER...]", help="Write this email to standard output.")
    ] = None,
    release: Annotated[
        bool, typer.Option("--release", help="Take these emails up again in the next round.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="With --release: every quarantined email.")] = False,
    letters: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="With --release: emails that wait for this address to work again."
        ),
    ] = None,
    before: Annotated[
        int, typer.Option(metavar="NUMBER", help="The page before this number: older emails.")
    ] = 0,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """List quarantined emails: from or to whom, and why.

    Those received are read again when they are released, those of the service are sent.
    """
    with with_service(config) as service:
        if release:
            return say(released(service, numbers or [], letters, every=every))
        if numbers:
            for number in numbers:
                write_shown(raw_mail(service, number))
            return None
        facts = put_aside(service, before=before)
    return answer(answers.quarantine_reasons(facts), facts, as_json=as_json)


@app.command()
def log(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[MESSAGE-ID|MATCH/SEAT]",
            help="What became of an email, of a posted file by its receipt, or of all that a seat sent.",
        ),
    ] = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Show what the service reports: bounces, refusals, joins.

    Of an email: when it came, what it was taken for, its record, and the emails that followed.
    """
    if name is None:
        notes = notes_of(config)
        return answer(answers.notes_words(notes), notes, as_json=as_json)
    with with_service(config) as service:
        steps = traced(service, name)
    return answer(trace_words(steps), steps, as_json=as_json)


@app.command()
def forget(
    person: Annotated[str, typer.Argument(metavar="ADDRESS", help="Whose address and emails.")],
    now: Annotated[
        bool, typer.Option("--now", help="Even if they sit in a running match; no email reaches them then.")
    ] = False,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Remove a person's address and emails, and say what stays. Signed records stay; it says why."""
    address = check_address(person)
    with with_service(config) as service:
        done = service.forget(address, even_now=now)
    facts = {"address": address, "removed": {"mails": done.mails, **done.counts}, "stays": list(done.stays)}
    answer(answers.forgotten_words(address, done), facts, as_json=as_json)


@app.command()
def go_on(
    clock_is_right: ClockIsRight = False,
    older_database: Annotated[
        bool,
        typer.Option(
            "--older-database", help="There is no newer database: ask the players for what is missing in it."
        ),
    ] = False,
    new_database: Annotated[
        bool, typer.Option("--new-database", help="The database is lost: start over, without any match.")
    ] = False,
    here: Annotated[
        bool, typer.Option("--here", help="The other place is gone for good: this one goes on.")
    ] = False,
    config: ConfigFile = None,
) -> None:
    """Resume sending after the hourly limit, or a check by hand."""
    if new_database or older_database:
        say(start_over(config) if new_database else accepted_older(config))
        return
    if here:
        goes_on_here(configuration(config))
        with with_service(config) as service:
            service.whereabouts.take()
        say(sentence("This host goes on here."))
        return
    with with_service(config) as service:
        if clock_is_right:
            say(service.time.clock_is_right().value)
            return
        service.go_on()
    say(sentence("Emails are sent again."))


@app.command()
def export(
    match: Match,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Otherwise standard output.")
    ] = None,
    config: ConfigFile = None,
) -> None:
    """Write the file of a match, for an audit."""
    with with_service(config) as service:
        lines = service.matches.lines(match)
    write_output(output, b"".join(line + b"\n" for line in lines))


@app.command()
def word(
    match: Match,
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="Whose access code.")],
    new: Annotated[
        bool,
        typer.Option(
            "--new", help="Withdraw the old code and the one in its invitation; emails carry the new one."
        ),
    ] = False,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Show a seat's access code. For whoever has lost the link, or shown it to others."""
    text, facts = access_code(config, match, seat, new=new)
    answer(text, facts, as_json=as_json)


@app.command()
def links(
    match: Match,
    seats: Annotated[
        list[str] | None, typer.Argument(metavar="[SEAT...]", help="Only these, invited by link from now on.")
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Withdraw the link and give another one, until the first deal.")
    ] = False,
    qr: Annotated[bool, typer.Option("--qr", help="With a QR code for each.")] = False,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Show each seat's link to paste, or who took it. A link takes one seat, until its first turn."""
    facts = links_of(config, match, seats or [], new=new)
    answer(answers.links_words(facts), facts, as_json=as_json)
    if qr and not as_json:
        for fact in facts:
            if fact["link"] and not fact["name"]:
                say(f"\n{fact['seat']}\n{squares(fact['link'], colour=coloured())}")


@app.command()
def webhook(
    match: Match,
    seat: Annotated[str, typer.Option(metavar="SEAT", help="A player's own; otherwise the group's.")] = "",
    off: Off = False,
    show: Annotated[
        bool, typer.Option("--show", help="Which services are called, and nothing else.")
    ] = False,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Announce turns by a chat webhook. Discord, Slack, Mattermost, Matrix, Telegram or ntfy. Its address is asked.

    The address holds a token: it is typed or comes by standard input, never on the command line, and is shown nowhere.
    """
    address = None if off or show else typed_webhook()
    with with_service(config) as service:
        services = service.matches.webhook(match, address, seat, off=off)
    facts = [{"seat": whose, "service": name} for whose, name in services.items()]
    lines = [joined((whose or sentence("all"), name), ": ") for whose, name in services.items()]
    answer(joined(lines, "\n") if lines else sentence("No webhook is called."), facts, as_json=as_json)


@app.command()
def many(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Each line: TITLE GAME SEAT=ADDRESS SEAT=ADDRESS.")
    ],
    hours: Hours = 72,
    grace: Grace = 24,
    lang: InvitationLang = "en",
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Make all matches of a file and invite everybody, for a club. Nothing is made if one line is wrong."""
    matches_ = read_many(
        read_input(file, limit=MOST_MANY).decode("utf-8", "replace"), Deadlines(hours, grace)
    )
    with with_service(config) as service:
        created = make_many(service, matches_, lang)
    facts = [{"title": title, "match": short} for title, short in created]
    answer(table([(fact["match"], fact["title"]) for fact in facts]), facts, as_json=as_json)


@app.command("open-seats")
def open_seats(
    matches_: Annotated[
        list[str] | None, typer.Argument(metavar="[MATCH]...", help="Short names; left out: what is open.")
    ] = None,
    shut: Annotated[bool, typer.Option("--shut", help="Not open any more.")] = False,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Let club members take free seats by email (JOIN).

    Without a match: list what is open. Who may ask is said by [club] in service.toml.
    """
    with with_service(config) as service, service.context.database.transaction() as transaction:
        for short in matches_ or ():
            list_open(transaction, Matches(transaction).required(short).game, shut=shut)
        facts = open_matches(service.context, transaction)
    lines = [(str(fact["match"]), str(fact["title"]), " ".join(fact["seats"])) for fact in facts]
    answer(table(lines) if lines else sentence("Nothing."), facts, as_json=as_json)


# A service whose database is lost, damaged or older than what it has signed: what a person decides there.


def start_over(path: Path | None) -> Sentence:
    """Expect no match any more; the next command makes a new database. Nothing is removed.

    Raises:
        UsageProblem: a database is still there.
    """
    config = configuration(path)
    existing = sqlite_path(config.database_url)
    if existing is not None and existing.exists() and existing.stat().st_size:
        raise UsageProblem(
            sentence("there is a database at {path}", path=existing),
            hint=sentence("Move it away first: a new service never starts on top of an old one."),
        )
    heads = Heads(config.heads)
    lost = list(heads.known())
    return answers.started_over_words(heads.put_aside(), lost)


def accepted_older(path: Path | None) -> Sentence:
    """The database stays, although more was signed; its matches stand still until the players' copies are there."""
    with with_service(path, checked=False) as service:
        behind, gone = accept_older(service.context)
        with service.context.database.transaction() as transaction:
            for game in behind:
                match = Matches(transaction).find(game)
                if match is not None:
                    Healer(service.context, transaction).stop_all_know(match)
    return answers.older_words(behind, gone)
