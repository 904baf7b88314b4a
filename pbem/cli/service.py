"""``pbem host serve`` and its kin: the host's service by mail. ``pbem mail``: how a player's own files leave."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from pbem.base.sentences import sentence
from pbem.cli.console import answer, say
from pbem.cli.options import AsJson, ClockIsRight, Home, Title, Untried

app = typer.Typer()
mail = typer.Typer(help="Your own mail: how --send sends.", no_args_is_help=True)

ConfigFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--config",
        envvar="PBEM_SERVICE",
        metavar="FILE",
        help="The service's configuration; otherwise service.toml in this folder.",
    ),
]
Match: TypeAlias = Annotated[
    str, typer.Argument(metavar="MATCH", help="The match's short name, as in subjects.")
]


@app.command()
def init(
    config: ConfigFile = None,
    untried: Untried = False,
    containers: Annotated[
        bool,
        typer.Option(
            "--containers", help="Write files for containers, with PostgreSQL and a TLS proxy, and no unit."
        ),
    ] = False,
    trying: Annotated[
        bool,
        typer.Option(
            "--trying", help="The same with mail servers of its own, to try everything. Asks nothing."
        ),
    ] = False,
    home: Home = None,
) -> None:
    """Set the service up: asks, tries all that it writes, and leaves what starts it (a systemd unit)."""
    from pbem.cli.service_setup import ask_and_write, set_up_for_trying

    if trying:
        set_up_for_trying(config)
    else:
        ask_and_write(config, home, untried=untried, containers=containers)


@app.command("try")
def try_(config: ConfigFile = None) -> None:
    """Try what service.toml names: folder, database, both servers, a test mail both ways, identity, passphrase."""
    from pbem.cli.service_setup import try_again

    try_again(config)


@app.command()
def serve(
    config: ConfigFile = None,
    pictures: Annotated[
        bool | None, typer.Option(help="Pictures in letters, whatever the configuration says.")
    ] = None,
    http: Annotated[
        str | None,
        typer.Option(
            "--http",
            metavar="ADDRESS",
            help="Open the HTTP door at HOST:PORT or unix:FILE, behind a TLS proxy; none: nowhere.",
        ),
    ] = None,
    health: Annotated[
        str | None,
        typer.Option(
            "--health",
            metavar="ADDRESS",
            help="Answer probes and Prometheus there; not for the world. none: nowhere.",
        ),
    ] = None,
    log: Annotated[
        str, typer.Option("--log", metavar="FORM", help="plain; text or json: everything, with times.")
    ] = "plain",
) -> None:
    """Fetch, rule and send until stopped (SIGTERM, Ctrl-C). Several may run at one PostgreSQL database."""
    from pbem.cli.service_serve import serve_until_stopped

    serve_until_stopped(config, pictures=pictures, http=http, health=health, log=log)


@app.command()
def run_once(config: ConfigFile = None, as_json: AsJson = False) -> None:
    """One round of everything, for cron. Exit code 6 if a mail server could not be reached."""
    from pbem.cli.service_run import one_round

    text, facts = one_round(config)
    answer(text, facts, as_json=as_json)
    raise typer.Exit(6 if facts["troubles"] else 0)


@app.command()
def deliver(
    config: ConfigFile = None,
    keep_only: Annotated[
        bool, typer.Option("--keep-only", help="Keep the mail; a running service rules on it.")
    ] = False,
) -> None:
    """Take one mail from standard input, for a mail server's pipe. Exit code 75: keep it and try again."""
    from pbem.cli.service_run import deliver_one

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
        str | None,
        typer.Option("--lang", metavar="CODE", help="Language of the invitations: en, fr, it or de."),
    ] = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Invite by mail, each with a one-time word. A folder's match moves into the service's database first."""
    from pbem.cli.service_run import invite_people

    text, facts = invite_people(config, match, seats or [], title, lang, substitutes=substitute)
    answer(text, facts, as_json=as_json)


@app.command()
def confirm(
    match: Match,
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="The seat whose join waits.")],
    config: ConfigFile = None,
) -> None:
    """Let a join count that came from the invited address without the word of its invitation."""
    from pbem.cli.service_run import with_service

    with with_service(config) as service:
        service.matches.confirm(match, seat)
    say(sentence("The join for {seat} of match {match} counts.", seat=seat, match=match))


@app.command()
def matches(
    state: Annotated[
        str, typer.Option("--state", metavar="STATE", help="running, stopped, over, open (not over) or all.")
    ] = "all",
    player: Annotated[
        str | None, typer.Option("--player", metavar="ADDRESS", help="Only where this address has a seat.")
    ] = None,
    game: Annotated[str | None, typer.Option("--game", metavar="GAME", help="Only this game.")] = None,
    late: Annotated[bool, typer.Option("--late", help="Only where somebody's time is up.")] = False,
    waits_for_me: Annotated[
        bool, typer.Option("--mine", help="Only where you have to do something.")
    ] = False,
    sort: Annotated[
        str, typer.Option("--sort", metavar="BY", help="created, due, heard, name or records.")
    ] = "created",
    page: Annotated[int, typer.Option("--page", metavar="N", min=1)] = 1,
    size: Annotated[int, typer.Option("--size", metavar="N", min=1, help="Matches on one page.")] = 50,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Matches of the service: who is awaited, since when, until when, last mail seen; chosen, sorted, by pages."""
    from pbem.cli.service_run import with_service
    from pbem.host.service.answers import matches_words
    from pbem.host.service.lists import Choice, matches_page

    choice = Choice(state, player, game, late, waits_for_me, sort, page, size)
    with with_service(config) as service:
        facts = matches_page(service, choice)
    answer(matches_words(facts), facts, as_json=as_json)


@app.command()
def extend_all(
    hours: Annotated[int, typer.Argument(metavar="HOURS", min=1, help="How many hours more.")],
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Give everybody who is awaited, in all running matches, more time: before you are away, or after trouble."""
    from pbem.cli.service_run import with_service
    from pbem.host.service.answers import extended_words

    with with_service(config) as service:
        done, not_done = service.matches.extend_all(hours)
    answer(extended_words(hours, done, not_done), {"extended": done, "not": dict(not_done)}, as_json=as_json)


@app.command()
def pause_all(
    until: Annotated[
        str, typer.Argument(metavar="UNTIL", help="A time (2026-12-01T18:00:00Z), or +72h, +3d from now.")
    ],
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Nobody's time runs until then, in any match: you are away, or move house. Everybody is written to."""
    from pbem.cli.desks import clock
    from pbem.cli.service_run import with_service
    from pbem.host.asked import moment_behind
    from pbem.host.service.answers import rest_words

    with with_service(config) as service:
        found = service.time.rest(moment_behind(until, clock))
    answer(rest_words(found.until), {"since": found.since, "until": found.until}, as_json=as_json)


@app.command()
def resume_all(config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Time runs again in every match; whoever is awaited has as much more as it stood still."""
    from pbem.cli.service_run import with_service

    with with_service(config) as service:
        ended = service.time.go_on()
    answer(
        sentence("time runs again, and everybody hears of it") if ended else sentence("there is no pause"),
        {"ended": ended},
        as_json=as_json,
    )


@app.command()
def shunted(
    number: Annotated[
        int | None, typer.Argument(metavar="[NUMBER]", help="Write this mail to standard output.")
    ] = None,
    before: Annotated[
        int, typer.Option("--before", metavar="NUMBER", help="The page behind this number.")
    ] = 0,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Mail that was put aside, and letters that are kept back: from or to whom, about what, and why."""
    from pbem.cli.console import write_shown
    from pbem.cli.service_run import with_service
    from pbem.host.service.answers import shunted_words
    from pbem.host.service.lists import mail_aside, put_aside

    with with_service(config) as service:
        if number is not None:
            write_shown(mail_aside(service, number))
            return
        facts = put_aside(service, before=before)
    answer(shunted_words(facts), facts, as_json=as_json)


@app.command()
def release(
    numbers: Annotated[
        list[int] | None, typer.Argument(metavar="[NUMBER...]", help="Mails that were put aside.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every mail that was put aside.")] = False,
    letters: Annotated[
        str | None, typer.Option("--letters", metavar="ADDRESS", help="Letters kept back for this address.")
    ] = None,
    config: ConfigFile = None,
) -> None:
    """Have mails that were put aside looked at anew, or letters that are kept back sent, in the next round."""
    from pbem.cli.service_run import with_service
    from pbem.host.service.lists import released

    with with_service(config) as service:
        say(released(service, numbers or [], letters, every=every))


@app.command()
def log(config: ConfigFile = None, as_json: AsJson = False) -> None:
    """What the service had to tell: bounces, refused letters, joins that wait."""
    from pbem.cli.service_run import notes_of
    from pbem.host.service.answers import notes_words

    notes = notes_of(config)
    answer(notes_words(notes), notes, as_json=as_json)


@app.command()
def trace(
    name: Annotated[
        str,
        typer.Argument(
            metavar="MESSAGE-ID|MATCH/SEAT",
            help="Whose way to tell: one mail's or letter's, a posted file's by its receipt, or all of a seat.",
        ),
    ],
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """What became of a mail: when it came, what it was taken for, its record, and the letters that followed."""
    from pbem.cli.service_run import with_service
    from pbem.host.service.trace import trace, trace_words

    with with_service(config) as service:
        steps = trace(service, name)
    answer(trace_words(steps), steps, as_json=as_json)


@app.command()
def forget(
    person: Annotated[str, typer.Argument(metavar="ADDRESS", help="Whose address and mail.")],
    now: Annotated[
        bool,
        typer.Option("--now", help="Even if he sits in a match that goes on; no letter reaches him then."),
    ] = False,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Remove a person's address and mail from everything but signed records, and say what stays and why."""
    from pbem.cli.service_run import with_service
    from pbem.host.service.answers import forgotten_words
    from pbem.player.mail.outgoing import check_address

    address = check_address(person)
    with with_service(config) as service:
        done = service.forget(address, even_now=now)
    facts = {"address": address, "removed": {"mails": done.mails, **done.counts}, "stays": list(done.stays)}
    answer(forgotten_words(address, done), facts, as_json=as_json)


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
        bool, typer.Option("--new-database", help="The database is lost: begin anew, without any match.")
    ] = False,
    config: ConfigFile = None,
) -> None:
    """Release the brake that too many letters in an hour have pulled; or go on after what a person has looked at."""
    from pbem.cli import service_mend
    from pbem.cli.service_run import with_service

    if new_database or older_database:
        say(service_mend.begin_anew(config) if new_database else service_mend.accepted_older(config))
        return
    with with_service(config) as service:
        if clock_is_right:
            say(service.time.clock_is_right().value)
            return
        service.go_on()
    say(sentence("Letters are sent again."))


@app.command()
def export(
    match: Match,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Otherwise standard output.")
    ] = None,
    config: ConfigFile = None,
) -> None:
    """Write the game file of a match: all that an audit needs."""
    from pbem.cli.console import write_output
    from pbem.cli.service_run import with_service

    with with_service(config) as service:
        lines = service.matches.lines(match)
    write_output(output, b"".join(line + b"\n" for line in lines))


@app.command()
def word(
    match: Match,
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="Whose word.")],
    new: Annotated[
        bool,
        typer.Option("--new", help="Withdraw the old word, and its invitation's; letters carry the new one."),
    ] = False,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """The word that opens the HTTP door for a seat: for whoever has lost his link, or shown it to others."""
    from pbem.cli.service_run import door_word

    text, facts = door_word(config, match, seat, new=new)
    answer(text, facts, as_json=as_json)


@app.command()
def health(config: ConfigFile = None, as_json: AsJson = False) -> None:
    """How the service is, by its database, without opening the identity. Exit code 6: somebody should look."""
    from pbem.cli.service_serve import tell_health

    raise typer.Exit(0 if tell_health(config, as_json=as_json) else 6)


@app.command()
def backup(
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Otherwise named by the time.")
    ] = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Copy the database into one file while the service runs, by the database's own means (PostgreSQL: pg_dump)."""
    from pbem.cli.service_backup import write_backup

    write_backup(config, output, as_json=as_json)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What 'pbem host backup' has written.")],
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Put a backup back, and learn from the mailbox what happened since; the players are asked for the rest."""
    from pbem.cli.service_backup import restore_backup

    restore_backup(config, file, as_json=as_json)


@mail.command("init")
def mail_init(
    untried: Untried = False,
    home: Home = None,
) -> None:
    """Set up how your files are sent: asks for your address and submission server, and tries it."""
    from pbem.cli.service_setup import ask_own_mail

    ask_own_mail(home, untried=untried)
