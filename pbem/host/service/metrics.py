"""Numbers for Prometheus, and answers for probes, at an address of their own that is not for the world.

::

    /live      200 as long as the service's loop moves
    /health    200 or 503, with what ``pbem host health --json`` says
    /metrics   for Prometheus
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from pbem.game import JsonObject
from pbem.host.database.database import Database
from pbem.host.service.health import health_of
from pbem.host.service.meter import Meter
from pbem.protocol.record.deadlines import parse_time

STUCK: Final = 300.0
"""Seconds without a sign of the loop until it does not live any more."""
_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS: Final = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


class Metrics(Meter):
    """Counts of this process, and gauges from the database when somebody asks."""

    def __init__(self, url: str, clock: Callable[[], datetime]) -> None:
        self._url, self._clock = url, clock
        self.registry = CollectorRegistry()
        own = self.registry
        self._received = Counter(
            "pbem_mails_received", "Emails that came, files by the HTTP API too", registry=own
        )
        self._sent = Counter("pbem_letters_sent", "Letters that left", registry=own)
        self._ruled = Counter(
            "pbem_files_ruled", "Files ruled on, by what became of them", ["code"], registry=own
        )
        self._troubles = Counter("pbem_troubles", "Rounds that met trouble", registry=own)
        self._fetched_at = Gauge("pbem_last_fetch_timestamp_seconds", "Last successful look", registry=own)
        self._sent_at = Gauge("pbem_last_send_timestamp_seconds", "Last letter that left", registry=own)
        self._stages = Histogram(
            "pbem_stage_seconds", "Time of a stage of a round", ["stage"], buckets=_BUCKETS, registry=own
        )
        own.register(_FromDatabase(self))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """See ``Meter``."""
        begin = time.monotonic()
        yield
        self._stages.labels(name).observe(time.monotonic() - begin)
        if name == "fetch":
            self._fetched_at.set(self._clock().timestamp())

    def event(self, name: str, **facts: object) -> None:
        """See ``Meter``."""
        if name == "received":
            self._received.inc()
        elif name == "sent":
            self._sent.inc()
            self._sent_at.set(self._clock().timestamp())
        elif name == "ruled":
            self._ruled.labels(str(facts.get("code", ""))).inc()
        elif name == "trouble":
            self._troubles.inc()

    def health(self) -> JsonObject:
        """What ``pbem host health --json`` says."""
        with closing(Database(self._url)) as database:
            database.expect()
            return health_of(database, self._clock())


class _FromDatabase(Collector):
    """Gauges that follow from the database."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def describe(self) -> list[Metric]:
        """Nothing: the database is asked only when somebody collects."""
        return []

    def collect(self) -> Iterator[Metric]:
        """One look."""
        facts = self._metrics.health()
        yield _gauge("pbem_healthy", "1 if nobody has to look", int(facts["healthy"]))
        if "at" not in facts:
            return
        now = parse_time(facts["at"])
        for name, key in (
            ("pbem_oldest_unanswered_mail_seconds", "oldest_unanswered"),
            ("pbem_oldest_waiting_letter_seconds", "oldest_letter"),
            ("pbem_last_round_seconds", "last_round"),
        ):
            age = (now - parse_time(facts[key])).total_seconds() if facts[key] else 0
            yield _gauge(name, "Age; 0 if there is none", age)
        yield _gauge("pbem_readers", "Processes that read the mailbox", facts["readers"])
        yield _gauge("pbem_database_bytes", "Size of the database", facts["database"]["bytes"])
        for name, title in (("inbox", "Mails"), ("outbox", "Letters"), ("matches", "Matches")):
            family = GaugeMetricFamily(f"pbem_{name}", f"{title} by state", labels=["state"])
            for state, count in facts[name].items():
                family.add_metric([state], count)
            yield family


def _gauge(name: str, words: str, value: float) -> Metric:
    return GaugeMetricFamily(name, words, value=value)


def probes(metrics: Metrics, silent: Callable[[], float]) -> Starlette:
    """The three addresses; ``silent`` says for how many seconds the loop has given no sign."""

    async def live(_: Request) -> Response:
        seconds = silent()
        words = f"the loop moved {seconds:.0f} seconds ago\n"
        return PlainTextResponse(words, 200 if seconds < STUCK else 503)

    async def health(_: Request) -> Response:
        facts = await run_in_threadpool(metrics.health)
        return JSONResponse(facts, 200 if facts["healthy"] else 503)

    async def numbers(_: Request) -> Response:
        text = await run_in_threadpool(generate_latest, metrics.registry)
        return Response(text, media_type=_TYPE)

    app = Starlette(routes=[Route("/live", live), Route("/health", health), Route("/metrics", numbers)])
    app.router.redirect_slashes = False
    return app
