"""``pbem host serve``: the loop, what runs beside it, and how it ends."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias
from urllib.parse import urlsplit

import typer

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.system.notify import ALIVE, READY, STOPPING, notify, watched
from pbem.base.values import dataclass
from pbem.cli.console import answer, print_notice
from pbem.cli.options import AsJson, ConfigFile
from pbem.cli.service_run import build_service, configuration, host_identity
from pbem.host.config import PACKED, PAGE_PATH, Config
from pbem.host.copy_elsewhere import Elsewhere
from pbem.host.database.database import Database
from pbem.host.service.answers import health_words
from pbem.host.service.context import utc_now
from pbem.host.service.health import health_of
from pbem.host.service.service import Service
from pbem.protocol.crypto.identity import Identity

app = typer.Typer()

NOWHERE: Final = "none"
"""What stands for an address that is not to be listened at, whatever the configuration says."""
LEFT: Final = 1.2
"""Seconds that a process which was asked to stop has for what it has in hand; then it ends as it is.

Every point of the loop may be interrupted, so nothing is lost; an email in the middle of being sent is looked up.
"""


class Pulse:
    """Signs of life: of the loop for probes, and for the supervisor if it wants some.

    Also the ``NewMailNotifier`` that ends it.

    What a signal does here takes no lock: it may come while this thread holds any.
    """

    def __init__(self) -> None:
        self._every = watched() / 2
        self._seen = self._reported = time.monotonic()
        self._ring, self._rung = socket.socketpair()
        self.stopping = False
        self.on_stop: list[Callable[[], None]] = []
        """Called when it is to stop: they take no lock."""

    def __call__(self) -> bool:
        """The loop moves; whether it is to stop."""
        self._seen = time.monotonic()
        if self._every and self._seen - self._reported >= self._every:
            self._reported = self._seen
            notify(ALIVE)
        return self.stopping

    def fileno(self) -> int:
        """See ``NewMailNotifier``."""
        return self._rung.fileno()

    def stop(self) -> None:
        """Whoever waits for this stops waiting."""
        self.stopping = True
        with suppress(OSError):  # nobody listens any more
            self._ring.send(b".")
        for call in self.on_stop:
            call()

    def close(self) -> None:
        """Nobody waits any more."""
        self._ring.close()
        self._rung.close()

    def silent(self) -> float:
        """Seconds since the loop has moved."""
        return time.monotonic() - self._seen

    def sleep(self, seconds: float) -> None:
        """Wait, with signs of life, until it is to stop."""
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as watch:
            watch.register(self, selectors.EVENT_READ)
            while not self() and (left := end - time.monotonic()) > 0:
                watch.select(min(left, 1.0))


@dataclass(frozen=True, slots=True)
class BackgroundLoop:
    """What an organiser's terminal is given to run beside the loop: how to make a service of its own, and the end.

    ``make`` is called once in each thread; ``stop`` ends the whole program as Ctrl-C does.
    """

    config: Config
    host: Identity
    elsewhere: Elsewhere | None
    make: Callable[[], Service]
    stop: Callable[[], None]


Watching: TypeAlias = Callable[[BackgroundLoop], AbstractContextManager[object]]
"""Runs as long as the loop does."""


def serve_until_stopped(
    path: Path | None,
    *,
    pictures: bool | None,
    http: str | None,
    health: str | None,
    watching: Watching | None = None,
) -> None:
    """The loop, with the HTTP API and health beside it; SIGTERM and Ctrl-C end it within two seconds."""
    with closing(Pulse()) as pulse, ExitStack() as sidecars:

        def stop(*_: object) -> None:
            if not pulse.stopping:
                pulse.stop()
                ending = threading.Timer(LEFT, os._exit, (0,))
                ending.daemon = True
                ending.start()
                notify(STOPPING)

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        config = configuration(path)
        http, health = (
            "" if given == NOWHERE else given or configured
            for given, configured in ((http, config.api.listen), (health, config.health))
        )
        sidecars.enter_context(_health(config, health, pulse))
        host = host_identity(config)
        elsewhere = None if config.backup_folder is None else Elsewhere(config, host)

        def make(*, fetches: bool = False) -> Service:
            return build_service(
                config,
                pictures=pictures,
                checked=False,
                host=host,
                fetches=fetches,
                elsewhere=elsewhere,
            )

        service = sidecars.enter_context(closing(make(fetches=True)))
        notify(READY)  # it may wait long for its database: nobody who starts it shall
        if service.begin(pulse, pulse.sleep, print_notice):
            sidecars.enter_context(_api(config, make, http, pulse, host))
            if watching is None:
                print_notice(sentence("serving; stop with Ctrl-C"))
            else:
                sidecars.enter_context(watching(BackgroundLoop(config, host, elsewhere, make, stop)))
            service.serve(pulse, pulse.sleep, print_notice)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # all is closed; what Python does at its end takes longer than that


@contextmanager
def _health(config: Config, address: str, pulse: Pulse) -> Iterator[None]:
    """Numbers and probes at their own address, if there is one."""
    if not address:
        yield
        return
    try:
        from pbem.host.service import probes, sidecar
    except ImportError:
        raise _missing(sentence("health over HTTP"), "starlette, uvicorn") from None
    app = probes.probes(config.database_url, utc_now, pulse.silent)
    with closing(sidecar.HttpServer(app, address)) as server:
        server.start()
        pulse.on_stop.append(server.stop)
        print_notice(sentence("health is served at {address}", address=address))
        yield


@contextmanager
def _api(
    config: Config, make: Callable[[], Service], address: str, pulse: Pulse, host: Identity
) -> Iterator[None]:
    """The HTTP API, if there is an address for it."""
    if not address:
        yield
        return
    try:
        from pbem.host.service.sidecar import RunningApi
    except ImportError:
        raise _missing(sentence("the HTTP API"), "starlette, uvicorn") from None
    page = page_below_api(config, host)
    with closing(
        RunningApi(make, address, config.api.proxies, print_notice, lambda: pulse.stopping, page)
    ) as api:
        api.start()
        pulse.on_stop.append(api.stop)
        print_notice(sentence("the HTTP API listens at {address}", address=address))
        yield


def page_below_api(config: Config, host: Identity) -> tuple[str, Any] | None:
    """The page that this host serves beside the API, and the path of its folder; None if there is none."""
    if not config.api.page:
        return None
    from pbem.web.serve import Pages, asgi, host_file, packed_page, page_files

    place = packed_page() if config.api.page == PACKED else config.folder / Path(config.api.page).expanduser()
    extra_files = host_file(config.name, host.sign_public, config.api.url)
    path = urlsplit(config.api.url).path.rstrip("/")
    prefix = f"{path}/{PAGE_PATH}/"
    return prefix, asgi(Pages(page_files(place), extra_files=extra_files), prefix)


def _missing(feature: str, names: str) -> UsageProblem:
    return UsageProblem(
        sentence("{what} needs the packages {names}", what=feature, names=names),
        hint=sentence('Install them: pip install "pbem[service]"'),
    )


def show_health(path: Path | None, *, as_json: bool) -> bool:
    """Say how the service is; whether nobody has to look."""
    with closing(Database(configuration(path).database_url)) as database:
        database.expect()
        facts = health_of(database, utc_now())
    answer(health_words(facts), facts, as_json=as_json)
    return bool(facts["healthy"])


@app.command()
def serve(
    config: ConfigFile = None,
    pictures: Annotated[
        bool | None, typer.Option(help="Pictures in emails, whatever the configuration says.")
    ] = None,
    http: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Serve the HTTP API at HOST:PORT or unix:FILE, behind a TLS proxy; none: nowhere.",
        ),
    ] = None,
    health: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Answer probes and Prometheus there; not for the world. none: nowhere."
        ),
    ] = None,
) -> None:
    """Fetch, rule and send until stopped (SIGTERM, Ctrl-C). Several may run at one PostgreSQL database."""
    serve_until_stopped(config, pictures=pictures, http=http, health=health)


@app.command()
def health(config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Show how the service is, by its database. The identity stays closed. Exit code 6: somebody should look."""
    raise typer.Exit(0 if show_health(config, as_json=as_json) else 6)
