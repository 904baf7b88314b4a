"""``pbem host``: a match from its making to its end. The host deals, and plays only if everybody is informed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.base.sentences import sentence
from pbem.cli.clients import clock
from pbem.cli.console import answer, print_notice
from pbem.cli.host_clients import (
    act,
    client_and_seat,
    host_client,
    incoming,
    is_served,
    match_alone,
    match_and_rest,
    newcomer,
    print_notices,
    take_all,
)
from pbem.cli.match_plan import (
    InvitationWords,
    create,
    next_match,
    plan_from,
    recovered,
    recovered_served,
    with_service_config,
)
from pbem.cli.options import (
    KEYS,
    AsJson,
    Grace,
    Hours,
    InvitationLang,
    Keys,
    MatchFolderOption,
    MatchRest,
    RuleOptions,
    Title,
    WhichGame,
)
from pbem.cli.speech import language_of_answer
from pbem.cli.timing import policy_from
from pbem.host import FolderHost
from pbem.host.answers import created_words, roster_words, status_words
from pbem.host.arguments import awaited_or_named, moment_behind, started
from pbem.protocol.record import Deadlines

Beside = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Print the match file into this folder, too: one that friends share."),
]

app = typer.Typer(help="Host a match: invite, deal, rule and keep the time.", no_args_is_help=True)

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="[FOLDER] FILE...",
        help="Files that players sent: JSON, text block or email, a folder of them, or - for standard input.",
    ),
]


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder for the match.")],
    game: WhichGame,
    seats: Annotated[str, typer.Option(metavar="A,B,C", help="The seats, clockwise: anna,burt,curt.")],
    profile: Annotated[str, typer.Option(help="A named set of rule options.")] = "default",
    option: RuleOptions = None,
    setup: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Setup, e.g. dealer=curt; may be repeated.")
    ] = None,
    board: Annotated[Path | None, typer.Option(metavar="FILE", help="A board file (Way Out West).")] = None,
    hours: Hours = 72,
    grace: Grace = 24,
    again: Annotated[int, typer.Option(help="Hours for further answers of a seat that is silent.")] = 0,
    then: Annotated[str, typer.Option(help="What follows: default or wait.")] = "default",
    excused: Annotated[int, typer.Option(help="How many missed deadlines each seat is excused.")] = 0,
    days: Annotated[
        str, typer.Option(metavar="MON,TUE", help="Days on which a time may run out; all if left out.")
    ] = "",
    between: Annotated[
        str,
        typer.Option(metavar="FROM-TO", help="Hours of the day in which a time may run out: 09:00-21:00."),
    ] = "00:00-24:00",
    zone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="The zone of these days and hours: Europe/Berlin.")
    ] = None,
    reveal: Annotated[
        str,
        typer.Option(
            help="When draws are revealed: after each hand or game turn (epoch), or at the end (match)."
        ),
    ] = "epoch",
    consent: Annotated[
        list[str] | None, typer.Option(metavar="KIND=WHO", help="Who must agree: all, others, seat or host.")
    ] = None,
    plays: Annotated[
        str | None,
        typer.Option(
            metavar="SEAT", help="The seat that you play yourself; everybody is told what you could see."
        ),
    ] = None,
    title: Title = None,
    mail: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Your address: emails come from it, answers go to it."),
    ] = None,
    to: Annotated[
        list[str] | None,
        typer.Option(metavar="SEAT=ADDRESS", help="Where a seat's invitation goes; may be repeated."),
    ] = None,
    lang: InvitationLang = "en",
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Create a match: game, rule options, seats, deadlines. Writes the invitations."""
    policy = policy_from(Deadlines(hours, grace, again, then, excused), days, between, zone)
    plan = plan_from(game, seats, profile, option, setup, board, policy, reveal, consent, plays)
    if policy.then == "wait":
        print_notice(
            sentence(
                "in this match nobody is ever played for: who falls silent holds it, unless the others replace them"
            )
        )
    invitation = InvitationWords(title, mail, to or (), lang)
    created = create(folder, plan, with_service_config(keys), invitation)
    answer(created_words(created), created, as_json=as_json)


@app.command("again")
def again_(
    old: Annotated[
        str,
        typer.Argument(metavar="FOLDER|MATCH", help="The match that is over: its folder, or its short name."),
    ],
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[NEW]", help="A new folder; left out for a match of the service."),
    ] = None,
    title: Title = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Invite the same people to their next match. Seats and first place move on by one.

    All else stays as it was. The email at its end brings the season's table.
    """
    text, facts = next_match(Path(old), folder, title, keys)
    answer(text, facts, as_json=as_json)


@app.command()
def add(files: Files, match: MatchFolderOption = None, keys: Keys = KEYS, as_json: AsJson = False) -> None:
    """Take the joins (or any other files) that players sent. Exit code 5 if one is refused."""
    path, rest = match_and_rest(match, files)
    client = host_client(path, keys)
    raise typer.Exit(take_all(client, incoming(rest), as_json=as_json))


@app.command()
def advance(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FOLDER] [FILE...]",
            help="What players sent: JSON, text block, email or copy of the match file, or a folder of them.",
        ),
    ] = None,
    beside: Beside = None,
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Take turns, Ready, agreements: rule on each, then do what is due.

    Copies of the match file, too. Hand in everything that came in time. Exit code 5 if a file is refused.
    """
    path, rest = match_and_rest(match, files or [])
    client = host_client(path, keys)
    if beside is not None and isinstance(client, FolderHost):
        client.print_beside(beside)
    raise typer.Exit(take_all(client, incoming(rest) if rest else [], due=True, as_json=as_json))


@app.command()
def start(
    rest: MatchRest = None, match: MatchFolderOption = None, keys: Keys = KEYS, as_json: AsJson = False
) -> None:
    """Ask everybody to press Ready, once all have joined. Shows the fingerprints of the player list first."""
    client = host_client(match_alone(match, rest), keys)
    try:
        facts = started(client, language_of_answer(as_json=as_json))
    finally:
        print_notices(client)
    answer(roster_words(facts), facts, as_json=as_json)


@app.command()
def status(
    rest: MatchRest = None, match: MatchFolderOption = None, keys: Keys = KEYS, as_json: AsJson = False
) -> None:
    """Show whom the match waits for, and what you can do now.

    Also since when, until when, and which emails wait to be sent.
    """
    client = host_client(match_alone(match, rest), keys)
    facts = client.status(language_of_answer(as_json=as_json))
    print_notices(client)
    answer(status_words(facts), facts, as_json=as_json)


@app.command()
def default(
    rest: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FOLDER] [SEAT]", help="The seat; otherwise the one that the match waits for."
        ),
    ] = None,
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Play the timeout move of an overdue seat. Refused (exit code 5) unless it is due."""
    path, arguments = match_and_rest(match, rest or [])
    client = host_client(path, keys)
    seat = awaited_or_named(client, arguments)
    act(client, lambda: client.default(seat), sentence("timeout move for {seat}", seat=seat), as_json=as_json)


@app.command()
def extend(
    rest: Annotated[
        list[str],
        typer.Argument(metavar="[FOLDER] [SEAT] UNTIL", help="A time (2026-12-01T18:00:00Z), or +24h, +3d."),
    ],
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Give the seat that is waited for more time."""
    path, arguments = match_and_rest(match, rest)
    client = host_client(path, keys)
    seat = awaited_or_named(client, arguments[:-1])
    until = moment_behind(arguments[-1] if arguments else "", lambda: client.status().get("due") or clock())
    name = sentence("extension of {seat} to {until}", seat=seat, until=until)
    act(client, lambda: client.extend(seat, until), name, as_json=as_json)


@app.command()
def burn(
    rest: MatchRest = None, match: MatchFolderOption = None, keys: Keys = KEYS, as_json: AsJson = False
) -> None:
    """Void the deal of a missing seat, and announce the next. Refused unless it is due."""
    client = host_client(match_alone(match, rest), keys)
    act(client, client.burn, sentence("burn"), as_json=as_json)


@app.command()
def end(
    rest: MatchRest = None,
    why: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The reason, if the players' agreements give several.")
    ] = None,
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """End the match early, once those who must have agreed. They agree with: pbem consent COPY end."""
    client = host_client(match_alone(match, rest), keys)
    act(client, lambda: client.end(why), sentence("end of the match"), as_json=as_json)


@app.command()
def reseal(
    rest: Annotated[list[str], typer.Argument(metavar="[FOLDER] SEAT", help="Whose packets to seal again.")],
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Seal a seat's hand again, after its packet did not open."""
    client, seat = client_and_seat(match, rest, keys)
    act(client, lambda: client.reseal(seat), sentence("reseal for {seat}", seat=seat), as_json=as_json)


@app.command()
def substitute(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[FOLDER] JOIN",
            help="The new player's join; or its seat, and KEY if several wait.",
        ),
    ],
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Put a replacement player into a seat, once it is agreed. In a service the seat names them.

    A seat that has not resigned is only proposed for them at first; run it again when the hold is over.
    """
    path, rest = match_and_rest(match, files)
    client = host_client(path, keys)
    raw = newcomer(client, rest)
    act(client, lambda: client.substitute(raw), sentence("substitute"), as_json=as_json)


@app.command("carry-out")
def carry_out(
    rest: Annotated[list[str], typer.Argument(metavar="[FOLDER] SEAT", help="The seat that gets new keys.")],
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Give a seat the keys that are proposed for it. Refused (exit code 5) before its hold is over."""
    client, seat = client_and_seat(match, rest, keys)
    act(client, lambda: client.carry_out(seat), sentence("new keys for {seat}", seat=seat), as_json=as_json)


@app.command()
def withdraw(
    rest: Annotated[
        list[str], typer.Argument(metavar="[FOLDER] SEAT", help="The seat that something is proposed about.")
    ],
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Withdraw what is proposed about a seat. For when you have heard from its player."""
    client, seat = client_and_seat(match, rest, keys)
    act(client, lambda: client.withdraw(seat), sentence("withdrawal for {seat}", seat=seat), as_json=as_json)


@app.command()
def recover(
    copies: Annotated[
        list[Path],
        typer.Argument(
            metavar="[MATCH] COPY...",
            help="Copies of the match file, the players' too; name a match of the service here first.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder to rebuild, or to complete.")
    ] = Path("recovered"),
    take: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Which history counts, if two were signed.")
    ] = 0,
    plays: Annotated[
        str | None,
        typer.Option(metavar="SEAT", help="The seat that you play yourself, or nobody; else you are asked."),
    ] = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Rebuild a match from the copies that exist. If they contradict each other, say which counts."""
    if is_served(copies[0]):
        text, facts = recovered_served(str(copies[0]), copies[1:], keys, take=take, plays=plays)
    else:
        text, facts = recovered(output, copies, keys, take=take, plays=plays)
    answer(text, facts, as_json=as_json)
    raise typer.Exit(4 if "histories" in facts else 0)  # as a folder: nobody has decided yet
