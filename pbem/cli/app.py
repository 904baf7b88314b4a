"""The command tree: every command, the module it is in, and its summary. Importing this must stay cheap."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from pbem.cli.console import say
from pbem.cli.lazy_group import Group, LazyCommand, LazyGroup, Table, group_of

_ID: Final = {
    "new": LazyCommand("identities", "Make an identity, sealed under a passphrase."),
    "show": LazyCommand("identities", "Show the public side of an identity, or of all of them."),
    "backup": LazyCommand("identities", "Print an identity's secret for paper."),
    "restore": LazyCommand(
        "identities",
        "Make an identity file again from its recovery paper or its backup, under a new passphrase.",
    ),
    "unlock": LazyCommand(
        "identities", "Let this computer's keyring keep an identity open for some minutes."
    ),
    "lock": LazyCommand(
        "identities", "Let the keyring forget an identity: from now on its passphrase is asked for again."
    ),
}
_HOST: Final = {
    "here": LazyCommand(
        "host_here",
        "Host here: asks what it does not know, then serves door and page, sends and fetches, and says who is awaited.",
    ),
    "new": LazyCommand("hosting", "Create a match: game, rule options, seats, deadlines."),
    "again": LazyCommand(
        "hosting",
        "Write the invitations to the next match of the same people: seats and first place turned by one.",
    ),
    "add": LazyCommand("hosting", "Take the joins (or any other files) that players sent."),
    "advance": LazyCommand("hosting", "Take turns, ready files, consents: rule on each and go on."),
    "start": LazyCommand(
        "hosting",
        "Show the roster's fingerprints once everybody has joined, and write the letters that ask for ready files.",
    ),
    "status": LazyCommand(
        "hosting", "Who is awaited, since when, until when; what the host may do now; which letters wait."
    ),
    "default": LazyCommand("hosting", "Play the default turn of an overdue seat."),
    "extend": LazyCommand("hosting", "Give the awaited seat more time."),
    "burn": LazyCommand("hosting", "Give up the announced epoch of a missing seat and announce the next."),
    "end": LazyCommand(
        "hosting", "End the match early, once everybody who must has consented (pbem consent GAME end)."
    ),
    "reseal": LazyCommand(
        "hosting", "Seal a seat's hand again, after a complaint that a packet does not open."
    ),
    "substitute": LazyCommand("hosting", "Put a new player into a seat, once those who must have consented."),
    "carry-out": LazyCommand("hosting", "Give a seat the keys that are proposed for it."),
    "withdraw": LazyCommand(
        "hosting", "Take back what is proposed about a seat: you have heard of its player."
    ),
    "recover": LazyCommand(
        "hosting",
        "Rebuild a match of the host from the copies that exist; if histories contradict each other, say which counts.",
    ),
    "init": LazyCommand(
        "service_setup",
        "Set the service up: asks, tries all that it writes, and leaves what starts it (a systemd unit).",
    ),
    "try": LazyCommand(
        "service_setup",
        "Try what service.toml names: folder, database, both servers, a test mail both ways, identity, passphrase.",
    ),
    "serve": LazyCommand("service_serve", "Fetch, rule and send until stopped (SIGTERM, Ctrl-C)."),
    "run-once": LazyCommand("service", "One round of everything, for cron."),
    "deliver": LazyCommand("service", "Take one mail from standard input, for a mail server's pipe."),
    "invite": LazyCommand("service", "Invite by mail, each with a one-time word."),
    "confirm": LazyCommand(
        "service", "Let a join count that came from the invited address without the word of its invitation."
    ),
    "matches": LazyCommand(
        "service",
        "Matches of the service: who is awaited, since when, until when, last mail seen; chosen, sorted, by pages.",
    ),
    "extend-all": LazyCommand(
        "service",
        "Give everybody who is awaited, in all running matches, more time: before you are away, or after trouble.",
    ),
    "pause-all": LazyCommand(
        "service", "Nobody's time runs until then, in any match: you are away, or move house."
    ),
    "resume-all": LazyCommand(
        "service", "Time runs again in every match; whoever is awaited has as much more as it stood still."
    ),
    "shunted": LazyCommand(
        "service",
        "Mail that was put aside, and letters that are kept back: from or to whom, about what, and why.",
    ),
    "release": LazyCommand(
        "service",
        "Have mails that were put aside looked at anew, or letters that are kept back sent, in the next round.",
    ),
    "log": LazyCommand("service", "What the service had to tell: bounces, refused letters, joins that wait."),
    "trace": LazyCommand(
        "service",
        "What became of a mail: when it came, what it was taken for, its record, and the letters that followed.",
    ),
    "forget": LazyCommand(
        "service",
        "Remove a person's address and mail from everything but signed records, and say what stays and why.",
    ),
    "go-on": LazyCommand(
        "service",
        "Release the brake that too many letters in an hour have pulled; or go on after what a person has looked at.",
    ),
    "export": LazyCommand("service", "Write the game file of a match: all that an audit needs."),
    "word": LazyCommand(
        "service",
        "The word that opens the HTTP door for a seat: for whoever has lost his link, or shown it to others.",
    ),
    "links": LazyCommand("service", "The link of each seat, to paste into a messenger, or who took it."),
    "channel": LazyCommand(
        "service",
        "Have a channel where friends talk told of turns (Discord, Slack, Matrix, Telegram, ntfy).",
    ),
    "many": LazyCommand("service", "Make all matches of a file and invite everybody, for a club."),
    "tables": LazyCommand("service", "Tables that were asked for by email and are open, by asker."),
    "health": LazyCommand(
        "service_serve", "How the service is, by its database, without opening the identity."
    ),
    "backup": LazyCommand(
        "service_backup",
        "Copy the database into one file while the service runs, by the database's own means (PostgreSQL: pg_dump).",
    ),
    "restore": LazyCommand(
        "service_backup",
        "Put a backup back, and learn from the mailbox what happened since; the players are asked for the rest.",
    ),
    "remind": LazyCommand("keeping", "Show when each seat is reminded, or change that for one."),
    "results": LazyCommand(
        "keeping", "Show to which seats subjects tell no results, or change that for one."
    ),
    "observe": LazyCommand("keeping", "List, add or remove observers: they get the public letters only."),
    "send": LazyCommand(
        "host_send",
        "Send every letter that waits in a match folder, by the mail account that is set up, and mark it as sent.",
    ),
    "tick": LazyCommand(
        "keeping", "Record everything that is due now: default turns, burns, what a pause held up."
    ),
    "outage": LazyCommand(
        "keeping",
        "Say that the host is at work (again): after an outage whoever is awaited gets that time back.",
    ),
    "archive": LazyCommand("keeping", "Put everything that an audit needs into one file."),
}
_MAIL: Final = {
    "init": LazyCommand(
        "mail", "Set up how your files are sent: asks for your address and submission server, and tries it."
    ),
}
_WEB: Final = {
    "build": LazyCommand("web", "Build the page; whoever builds the same release gets the same bytes."),
    "serve": LazyCommand("web", "Show the page on this machine, with the headers it needs, until Ctrl-C."),
    "use": LazyCommand(
        "web",
        "Keep the page's address among your settings, once it is checked: 'pbem id backup' puts it on your paper.",
    ),
    "check": LazyCommand("web", "Check every file of a page against its hashes, and its headers."),
}
_SCENARIO: Final = {
    "run": LazyCommand("trying", "Run scenarios: ok or FAIL with the first difference."),
}
_BOARD: Final = {
    "check": LazyCommand("boards", "Check a board file, with every fault that it has."),
}
COMMANDS: Final[Table] = {
    "man": LazyCommand("manual", "Print the manual page: pbem man -o pbem.1, then man ./pbem.1."),
    "id": Group("Your identity: the secret from which all your keys are derived.", _ID),
    "host": Group("Host a match: create it, take the players' files, keep its time.", _HOST, "here"),
    "join": LazyCommand("seat", "Take the seat that an invitation offers; send the file to the host."),
    "ready": LazyCommand("seat", "Agree to the roster and give your part of the next cut."),
    "show": LazyCommand(
        "show", "Draw the table, and your own hand beside it, opened and checked card by card."
    ),
    "legal": LazyCommand(
        "show",
        "List what you may do now, as you would type it; many of a kind in one line.",
    ),
    "turn": LazyCommand("seat", "Sign a turn: actions in order, checked here first."),
    "say": LazyCommand("seat", "Say something to everybody; changes nothing on the table."),
    "consent": LazyCommand("seat", "Agree to something that is recorded once everybody who must has agreed."),
    "elsewhere": LazyCommand(
        "seat",
        "Say that files of your seat which this device does not know were signed on another device of yours.",
    ),
    "update": LazyCommand(
        "seat", "Add the records that a letter brought to your copy, once they are verified."
    ),
    "lines": LazyCommand(
        "seat", "Write records of your copy as files that fit into mails, for a host who has lost them."
    ),
    "check": LazyCommand("check", "Check a file offline as the host will."),
    "orders": LazyCommand(
        "orders", "List your standing orders and what each would do now; change, test or withdraw them."
    ),
    "play": LazyCommand(
        "play", "See the table and your hand, choose a turn, look at it whole, and write or send it."
    ),
    "practice": LazyCommand(
        "practice",
        "Play at once against computer players: nothing to set up, nothing is mailed, and it is kept between sittings.",
    ),
    "rule": LazyCommand("rules", "Show rules by number, for example D6."),
    "rules": LazyCommand("rules", "Show all rules of a game, from the first to the last."),
    "away": LazyCommand("people", "Announce an absence."),
    "rekey": LazyCommand(
        "people",
        "Take your own seat over with a new identity: by the old one, by the recovery key, or by everybody's consent.",
    ),
    "stand-in": LazyCommand(
        "standing_in",
        "Let a computer play for you for a time, or for good in a computer's own seat; never with a host's identity.",
    ),
    "mail": Group("Your own mail: how --send sends.", _MAIL),
    "table": LazyCommand(
        "table", "Ask a service for a table of your friends, or send it the word that it has answered with."
    ),
    "verify": LazyCommand("checking", "Check every record of a copy: signatures, chain, draws, packets."),
    "audit": LazyCommand(
        "checking", "Prove or refute every draw of a match, list every fault, show the luck."
    ),
    "compare": LazyCommand("checking", "Compare two copies of a match."),
    "inspect": LazyCommand("checking", "Say what a file is, without keys and without believing it."),
    "replay": LazyCommand(
        "history", "Step through a match: n next, p back (or the arrows), g N go to, v other eyes, q quit."
    ),
    "diary": LazyCommand(
        "history",
        "Note words to yourself, or read them: kept beside your copy, sealed to you alone, never sent.",
    ),
    "stats": LazyCommand(
        "history", "Show what matches came to: results, luck, who waited for whom, money or points by source."
    ),
    "web": Group(
        "The page with which one plays in a browser: build it, serve it on this machine, check it.", _WEB
    ),
    "scenario": Group("Executable rules questions.", _SCENARIO),
    "board": Group("Board files.", _BOARD),
    "demo": LazyCommand("demo", "Play a whole match through the real path, by files alone, and audit it."),
}
"""Every command, in the order of ``--help``."""

app = typer.Typer(
    cls=LazyGroup,
    help="Play Wyatt Earp and Way Out West by mail: signed turns, proven draws, sealed hands.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,  # they print locals; ours are keys
    rich_markup_mode=None,  # plain help starts in half the time
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@cache
def command() -> Any:
    """The tree as Typer runs it."""
    return group_of(app, COMMANDS)


def release() -> str:
    """The program's name and version."""
    from importlib.metadata import PackageNotFoundError, version  # takes as long as the rest of --help

    try:
        return f"pbem {version('pbem')}"
    except PackageNotFoundError:
        return "pbem (from a checkout, not installed)"


def _version(wanted: bool) -> None:
    if wanted:
        say(release())
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Play Wyatt Earp and Way Out West by mail: signed turns, proven draws, sealed hands."""
    del version  # its callback has answered
    if context.invoked_subcommand is None:
        from pbem.cli import speech, standing_here

        say(standing_here.standing_here(Path(), speech.language_here()))
