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
    "backup": LazyCommand("identities", "Print an identity's recovery words, to keep on paper."),
    "restore": LazyCommand("identities", "Restore an identity from its recovery words or its backup."),
    "unlock": LazyCommand("identities", "Keep an identity open in this computer's keyring for a while."),
}
_HOST: Final = {
    "here": LazyCommand(
        "host_here",
        "Host on this computer: set up, invite, deal, send and fetch.",
        panel="Play a match with friends",
    ),
    "new": LazyCommand("hosting", "Create a match: game, rule options, seats, deadlines."),
    "again": LazyCommand("hosting", "Invite the same people to their next match."),
    "add": LazyCommand("hosting", "Take the joins (or any other files) that players sent."),
    "advance": LazyCommand("hosting", "Take turns, Ready, agreements: rule on each, then do what is due."),
    "start": LazyCommand("hosting", "Ask everybody to press Ready, once all have joined."),
    "status": LazyCommand("hosting", "Show whom the match waits for, and what you can do now."),
    "send": LazyCommand("host_send", "Send every email that waits in a match folder."),
    "default": LazyCommand("hosting", "Play the timeout move of an overdue seat.", panel="Time"),
    "extend": LazyCommand("hosting", "Give the seat that is waited for more time."),
    "burn": LazyCommand("hosting", "Void the deal of a missing seat, and announce the next."),
    "tick": LazyCommand("keeping", "Record everything that is due now, for cron."),
    "outage": LazyCommand("keeping", "Give back the time that was lost while the host was down."),
    "remind": LazyCommand("keeping", "Show when each seat is reminded, or change that for one."),
    "results": LazyCommand("keeping", "Keep results out of a seat's email subjects, or show how it is."),
    "substitute": LazyCommand(
        "hosting", "Put a replacement player into a seat, once it is agreed.", panel="Players and seats"
    ),
    "carry-out": LazyCommand("hosting", "Give a seat the keys that are proposed for it."),
    "withdraw": LazyCommand("hosting", "Withdraw what is proposed about a seat."),
    "reseal": LazyCommand("hosting", "Seal a seat's hand again, after its packet did not open."),
    "observe": LazyCommand("keeping", "List, add or remove spectators."),
    "end": LazyCommand("hosting", "End the match early, once those who must have agreed."),
    "archive": LazyCommand(
        "keeping", "Put everything that an audit needs into one file.", panel="Keep and recover"
    ),
    "recover": LazyCommand("hosting", "Rebuild a match from the copies that exist."),
    "init": LazyCommand(
        "service_setup", "Set up the service, and try every part of it.", panel="The service"
    ),
    "try": LazyCommand("service_setup", "Try everything that service.toml names."),
    "serve": LazyCommand("service_serve", "Fetch, rule and send until stopped (SIGTERM, Ctrl-C)."),
    "run-once": LazyCommand("service", "Do one round of everything, for cron."),
    "deliver": LazyCommand("service", "Take one email from standard input, for a mail server's pipe."),
    "matches": LazyCommand("service", "List the service's matches, and whom each one waits for."),
    "invite": LazyCommand("service", "Invite by email, each with an invite code."),
    "links": LazyCommand("service", "Show each seat's link to paste, or who took it."),
    "word": LazyCommand("service", "Show a seat's access code."),
    "confirm": LazyCommand("service", "Let a join count that came without its invite code."),
    "many": LazyCommand("service", "Make all matches of a file and invite everybody, for a club."),
    "open-seats": LazyCommand("service", "Let club members take free seats by email (JOIN)."),
    "webhook": LazyCommand("service", "Announce turns by a chat webhook."),
    "health": LazyCommand("service_serve", "Show how the service is, by its database."),
    "extend-all": LazyCommand(
        "service",
        "Give everybody who is waited for more time, in all matches.",
        panel="The service's time and emails",
    ),
    "pause-all": LazyCommand("service", "Pause every match until the time that you give."),
    "quarantine": LazyCommand("service", "List quarantined emails: from or to whom, and why."),
    "log": LazyCommand("service", "Show what the service reports: bounces, refusals, joins."),
    "forget": LazyCommand("service", "Remove a person's address and emails, and say what stays."),
    "go-on": LazyCommand("service", "Resume sending after the hourly limit, or a check by hand."),
    "export": LazyCommand("service", "Write the file of a match, for an audit.", panel="The service's data"),
    "backup": LazyCommand("service_backup", "Copy the database into one file while the service runs."),
    "restore": LazyCommand("service_backup", "Put a backup back, and catch up from the mailbox."),
}
_MAIL: Final = {"init": LazyCommand("mail", "Set up how your files are sent, and try it.")}
_WEB: Final = {
    "build": LazyCommand("web", "Build the web app."),
    "serve": LazyCommand("web", "Serve the web app on this machine, until Ctrl-C."),
    "check": LazyCommand("web", "Check a web app's files against their hashes."),
}
COMMANDS: Final[Table] = {
    "play": LazyCommand("play", "Play: see the table and your hand, choose a turn, send it.", panel="Play"),
    "practice": LazyCommand("practice", "Play at once against the computer; nothing is sent."),
    "rules": LazyCommand("rules", "Show all rules of a game, or some by number, for example D6."),
    "show": LazyCommand("show", "Draw the table and your hand, each card opened and checked."),
    "legal": LazyCommand("show", "List your legal moves, as you would type them."),
    "orders": LazyCommand("orders", "Show your standing orders; change, test or withdraw them."),
    "join": LazyCommand("seat", "Take the seat that an invitation offers.", panel="Your seat"),
    "ready": LazyCommand("seat", "Agree to the player list, with your part of the shuffle."),
    "turn": LazyCommand("seat", "Sign a turn: moves in order, checked here first."),
    "say": LazyCommand("seat", "Say something to everybody; it changes nothing on the table."),
    "consent": LazyCommand("seat", "Agree to something that needs everybody's agreement."),
    "webhook": LazyCommand("seat", "Announce your turns by a chat webhook of your own."),
    "away": LazyCommand("people", "Say when you will be away."),
    "rekey": LazyCommand("people", "Replace the keys of your seat."),
    "update": LazyCommand("updating", "Add an email's records to your copy, once verified."),
    "id": Group("Your identity: the secret behind all your keys.", _ID),
    "mail": Group("Your own mail account: how --send sends.", _MAIL),
    "host": Group("Host a match: invite, deal, rule and keep the time.", _HOST, "here", panel="Host"),
    "verify": LazyCommand(
        "checking", "Check every record: signatures, chain, draws, packets.", panel="Check and look back"
    ),
    "audit": LazyCommand("checking", "Prove or refute every draw, list findings, show the luck."),
    "compare": LazyCommand("checking", "Compare two copies of a match."),
    "inspect": LazyCommand("checking", "Identify a file without trusting it."),
    "check": LazyCommand("check", "Check a file offline as the host will."),
    "replay": LazyCommand("history", "Step through a match, move by move."),
    "stats": LazyCommand("history", "Show results, luck, waiting times and sources of points."),
    "web": Group(
        "The web app: build it, serve it on this machine, check it.",
        _WEB,
        panel="For programs, and for those who build on pbem",
    ),
    "demo": LazyCommand("demo", "Play a whole match by files alone, and audit it."),
}
"""Every command, in the order of ``--help``."""

app = typer.Typer(
    cls=LazyGroup,
    help="Play Wyatt Earp and Way Out West by email: signed turns, proven draws, sealed hands.",
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
    """Play Wyatt Earp and Way Out West by email: signed turns, proven draws, sealed hands."""
    del version  # its callback has answered
    if context.invoked_subcommand is None:
        from pbem.cli import speech, standing_here

        say(standing_here.standing_here(Path(), speech.language_here()))
