"""``pbem host send``: the emails of match folders leave by SMTP; ``--sent`` marks those that were handed over."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from pbem.base.errors import UsageProblem
from pbem.base.sentences import Sentence, counted, joined, sentence
from pbem.cli.console import answer
from pbem.cli.host_clients import folder_client, match_folder, print_notices, service_config
from pbem.cli.keys import keyring_at
from pbem.cli.match_plan import with_service_config
from pbem.cli.options import KEYS, AsJson, Keys
from pbem.game import JsonObject
from pbem.host import FolderHost
from pbem.host.config import read_config
from pbem.host.config_file import open_outgoing
from pbem.host.folder_database import is_host_folder, require_host_folder
from pbem.player.mail.own import read_own_mail
from pbem.player.mail.ports import OWN_MAIL, Outgoing, always

app = typer.Typer()


class OneAccount:
    """A way out on which every email leaves in the name of the account, whatever the match says."""

    def __init__(self, address: str, outgoing: Outgoing) -> None:
        self._address = address
        self._outgoing = outgoing

    def send(
        self, env_from: str, to: Sequence[str], raw: bytes, envid: str, may: Callable[[], bool] = always
    ) -> None:
        """Send one email; see ``Outgoing``."""
        del env_from
        self._outgoing.send(self._address, to, raw, envid, may)

    def reach(self) -> None:
        """See ``Outgoing``."""
        self._outgoing.reach()

    def valid_until(self) -> str:
        """See ``Outgoing``."""
        return self._outgoing.valid_until()

    def close(self) -> None:
        """Hang up."""
        self._outgoing.close()


@app.command()
def send(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FOLDER...]", help="Match folders; otherwise this one, or all right below it."
        ),
    ] = None,
    sent: Annotated[
        bool, typer.Option("--sent", help="Send nothing: you have handed over all that wait; mark them.")
    ] = False,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Send every email that waits in a match folder.

    By the mail account that is set up; each is marked as sent. A receipt is left out if a newer email brings its news.
    """
    places = [match_folder(folder) for folder in folders or _here()]
    for place in places:
        require_host_folder(place)
    ready = with_service_config(keys)
    if sent:
        marked = {str(place): _at(place, ready, _marked) for place in places}
        count = sum(len(fact["marked"]) for fact in marked.values())
        text = counted("{n} email is marked as sent.", "{n} emails are marked as sent.", count)
        answer(text, marked, as_json=as_json)
        return
    address, outgoing = _way_out(ready)
    account = OneAccount(address, outgoing)
    with closing(outgoing):
        facts = {str(place): _at(place, ready, lambda host: host.send(account)) for place in places}
    answer(_words(facts), facts, as_json=as_json)
    raise typer.Exit(6 if any(run["refused"] or run["doubtful"] for run in facts.values()) else 0)


def _marked(host: FolderHost) -> JsonObject:
    return {"marked": host.mark_sent()}


def _at(place: Path, keys: Keys, do: Callable[[FolderHost], JsonObject]) -> JsonObject:
    """Do something as the host of the match in a folder."""
    with closing(folder_client(place, keys)) as host:
        facts = do(host)
        print_notices(host)
    return facts


def _here() -> list[Path]:
    """The match folder that this is, or those right below."""
    if is_host_folder(Path()):
        return [Path()]
    paths = sorted(path for path in Path().iterdir() if path.is_dir() and is_host_folder(path))
    if not paths:
        raise UsageProblem(
            sentence("there is no match folder here"), hint=sentence("Name one: pbem host send FOLDER")
        )
    return paths


def _way_out(keys: Keys) -> tuple[str, Outgoing]:
    """The service's account if there is one beside, else the own one of ``pbem mail init``."""
    path = service_config()
    if path.is_file() and (config := read_config(path)).smtp is not None:
        return config.address, open_outgoing(config, os.environ)
    folder = keyring_at(keys.home).folder
    if not (folder / OWN_MAIL).is_file():
        raise UsageProblem(
            sentence("no mail account is set up here"),
            hint=sentence(
                "Set yours up: pbem mail init. Or send the emails in outbox/ yourself, then: pbem "
                "host send --sent"
            ),
        )
    own = read_own_mail(folder, None, os.environ)
    return own.address, own.outgoing()


def _words(done: dict[str, Any]) -> Sentence:
    lines: list[str] = []
    for path, run in done.items():
        text = counted("{path}: {n} email sent", "{path}: {n} emails sent", len(run["sent"]), path=path)
        lines.append(text)
        lines += [
            sentence("{name}: nobody has told an address; hand it over", name=name)
            for name in run["no_address"]
        ]
        lines += [joined((name, why), ": ") for name, why in run["refused"].items()]
        lines += [
            sentence("{name}: it may have left; it goes again with the next 'pbem host send'", name=name)
            for name in run["doubtful"]
        ]
    return joined(lines, "\n")
