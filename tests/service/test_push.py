"""Browsers are called when it is their player's turn: once, sealed, not in the night, and nobody else is knocked at."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import http_ece
import pytest

from pbem.base.errors import StoreError
from pbem.host.database.push import PushRow, PushRows
from pbem.host.service.public_post import PublicPost
from pbem.host.service.push import (
    NewMailNotifiers,
    NotCalled,
    PushKey,
    read_subscription,
    service_of,
)
from pbem.protocol.record import Deadlines
from tests.service.api_people import Visitor
from tests.service.push_service import Browser, PushService, signed_by
from tests.service.test_api import URL, Apis


@pytest.fixture
def service(tmp_path: Path) -> Iterator[PushService]:
    new_service = PushService(tmp_path / "push")
    yield new_service
    new_service.close()


@pytest.fixture
def apis(tmp_path: Path, service: PushService) -> Iterator[Apis]:
    """A match of two that has begun; the host has added the push service. It is six in the evening, UTC."""
    started = Apis(tmp_path / "host", deadlines=Deadlines(hours=72, grace=24))
    started.table.start()
    context = started.table.service.context
    context.push = (service.name,)
    started.table.service.notifiers = NewMailNotifiers(context, PublicPost(context.push, service.trusting))
    yield started
    started.close()


def both(apis: Apis) -> tuple[Visitor, Visitor]:
    """Who is asked, and the other."""
    first, two = apis.come().values()
    first.fetch()
    two.fetch()
    return (first, two) if first.player.asked else (two, first)


def registered(visitor: Visitor, browser: Browser, **more: object) -> int:
    answer = visitor.ask("POST", f"{visitor.path}/push", content=browser.wish(**more))
    return int(answer.status_code)


def play(apis: Apis, visitor: Visitor) -> None:
    """Act until somebody else is asked."""
    while visitor.player.asked:
        visitor.post(visitor.player.move())
        apis.table.pump()
        visitor.fetch()


def rows(apis: Apis, seat: str) -> list[PushRow]:
    context = apis.table.service.context
    with context.database.reading() as transaction:
        game = str(transaction.run("SELECT game FROM matches")[0][0])
        return PushRows(transaction).of(game, seat)


def test_a_call_is_empty_signed_by_the_hosts_key_and_leaves_once_a_turn(
    apis: Apis, service: PushService
) -> None:
    mine, other = both(apis)
    browser = Browser(service.name)
    assert registered(other, browser) == 201
    apis.table.pump()
    assert service.calls == []  # it is not the other one's turn
    play(apis, mine)
    (call,) = service.calls
    assert call.body == b""
    assert f"https://{service.name}{call.path}" == browser.endpoint
    assert call.headers["TTL"] == "86400"
    key = apis.client.request("GET", f"{URL}/push/key").json()["key"]
    now = apis.table.service.context.clock()
    claims = signed_by(call, key, f"https://{service.name}", now)
    assert claims["sub"].startswith("mailto:")
    apis.table.pump()
    mine.fetch()
    assert len(service.calls) == 1  # once a turn, whatever else is recorded
    other.fetch()
    play(apis, other)
    mine.fetch()
    play(apis, mine)
    assert len(service.calls) == 2
    assert other.ask("DELETE", f"{other.path}/push").status_code == 204
    assert rows(apis, other.player.seat) == []
    other.fetch()
    play(apis, other)
    mine.fetch()
    play(apis, mine)
    assert len(service.calls) == 2


def test_a_nudge_calls_once_a_day_however_often_somebody_nudges(apis: Apis, service: PushService) -> None:
    mine, other = both(apis)
    assert registered(mine, Browser(service.name)) == 201
    for hours, calls in ((0, 1), (1, 1), (20, 1), (4, 2), (1, 2)):
        apis.table.clock.tick(3600 * hours)
        other.post(other.player.turn(nudge=mine.player.seat))
        apis.table.pump()
        assert other.state()["state"] == "recorded"
        other.fetch()
        assert len(service.calls) == calls, hours


def test_who_wants_the_match_named_gets_it_sealed_and_always_as_long(
    apis: Apis, service: PushService
) -> None:
    mine, other = both(apis)
    browser, stranger = Browser(service.name), Browser(service.name)
    assert registered(other, browser, named=True) == 201
    play(apis, mine)
    (call,) = service.calls
    opened = browser.opened(call)
    assert opened == {"match": apis.table.short, "seat": other.player.seat}
    assert apis.table.short.encode() not in call.body
    with pytest.raises(http_ece.ECEException):
        stranger.opened(call)
    other.fetch()
    play(apis, other)
    mine.fetch()
    play(apis, mine)
    assert len({len(call.body) for call in service.calls}) == 1


@pytest.mark.parametrize(
    ("zone", "hours", "called"),
    [
        ("Asia/Tokyo", 72, False),  # three in the morning
        ("Asia/Kolkata", 72, False),  # half past eleven in the evening
        ("Asia/Tokyo", 3, True),  # the time is up at six
        ("Europe/London", 72, True),
        ("America/New_York", 72, True),
    ],
)
def test_nobody_is_called_in_his_night_unless_time_is_short(
    tmp_path: Path, service: PushService, zone: str, hours: int, called: bool
) -> None:
    apis = Apis(tmp_path / "night", deadlines=Deadlines(hours=hours, grace=1))
    apis.table.start()
    context = apis.table.service.context
    context.push = (service.name,)
    apis.table.service.notifiers = NewMailNotifiers(context, PublicPost(context.push, service.trusting))
    mine, other = both(apis)
    registered(other, Browser(service.name), zone=zone)
    play(apis, mine)
    assert bool(service.calls) == called
    for _ in range(12):
        apis.table.clock.jump(3600)
        apis.table.service.notifiers.ring()
    assert len(service.calls) == 1  # in the morning at the latest, and once
    apis.close()


def test_a_browser_that_is_gone_is_forgotten_and_a_service_that_hangs_costs_one_call(
    apis: Apis, service: PushService
) -> None:
    mine, other = both(apis)
    registered(other, Browser(service.name))
    service.status = 410
    play(apis, mine)
    assert len(service.calls) == 1
    assert rows(apis, other.player.seat) == []
    service.status = 500
    registered(other, Browser(service.name))
    other.fetch()
    play(apis, other)
    mine.fetch()
    play(apis, mine)
    assert len(service.calls) == 2  # not again and again
    assert len(rows(apis, other.player.seat)) == 1


def test_registrations_are_forgotten_with_the_address_and_few_for_a_seat(
    apis: Apis, service: PushService
) -> None:
    mine, other = both(apis)
    for _ in range(8):
        assert registered(other, Browser(service.name)) == 201
    assert len(rows(apis, other.player.seat)) == 5
    assert registered(mine, Browser(service.name)) == 201
    apis.table.service.forget(other.player.address, even_now=True)
    assert rows(apis, other.player.seat) == []
    assert len(rows(apis, mine.player.seat)) == 1


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://fcm.googleapis.com/x",
        "https://fcm.googleapis.com.evil.test/x",
        "https://evil.test/fcm.googleapis.com",
        "https://user:word@fcm.googleapis.com/x",
        "https://fcm.googleapis.com:8443/x",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://169.254.169.254/latest/meta-data",
        "https://notify.windows.com/x",
        "https://a.b.notify.windows.com/x",
        "https://[bad/x",
        "file:///etc/passwd",
        "https://fcm.googleapis.com/" + "x" * 3000,
    ],
)
def test_a_host_knocks_at_listed_services_alone(endpoint: str, apis: Apis) -> None:
    with pytest.raises(NotCalled):
        service_of(endpoint)
    _, other = both(apis)
    browser = Browser("fcm.googleapis.com")
    browser.endpoint = endpoint
    answer = other.ask("POST", f"{other.path}/push", content=browser.wish())
    assert answer.status_code == 422
    assert answer.json()["error"] == "not-called"


def test_services_of_the_browsers_are_listed() -> None:
    for endpoint in ("https://fcm.googleapis.com/fcm/send/x", "https://updates.push.services.mozilla.com/wpush/v2/x",
                     "https://web.push.apple.com/x", "https://wns2-db5p.notify.windows.com/w/?token=x"):  # fmt: skip
        assert service_of(endpoint)


def test_a_listed_name_that_means_a_private_address_is_not_called(service: PushService) -> None:
    untrusting = PublicPost((), service.trusting)
    with pytest.raises(StoreError, match="no public address"):
        untrusting(f"https://{service.name}/x", {}, b"")
    assert service.calls == []


_SHORT_KEYS = (
    b'{"subscription":{"endpoint":"https://web.push.apple.com/x","keys":{"p256dh":"AA","auth":"AA"}}}'
)


@pytest.mark.parametrize(
    "raw", [b"", b"null", b"[]", b"{}", b'{"subscription":null}', b"[" * 3000, _SHORT_KEYS]
)
def test_what_is_no_registration_is_refused_in_a_sentence(raw: bytes, apis: Apis) -> None:
    with pytest.raises(NotCalled):
        read_subscription(raw)
    _, other = both(apis)
    assert other.ask("POST", f"{other.path}/push", content=raw).status_code == 422


def test_a_zone_that_nobody_knows_is_refused() -> None:
    browser = Browser("web.push.apple.com")
    assert read_subscription(browser.wish(zone="Europe/Berlin")).zone == "Europe/Berlin"
    for zone in ("Mars/Base", "../../etc/passwd", "/etc/passwd"):
        with pytest.raises(NotCalled):
            read_subscription(browser.wish(zone=zone))


def test_a_strangers_word_registers_nothing(apis: Apis, service: PushService) -> None:
    _, other = both(apis)
    wish = Browser(service.name).wish()
    path = f"{other.path}/push"
    assert apis.client.request("POST", path, content=wish).status_code == 401
    assert apis.client.request("DELETE", path).status_code == 401


def test_the_key_follows_from_the_host_and_is_the_same_after_a_restart(apis: Apis) -> None:
    context = apis.table.service.context
    assert PushKey(context.host, "mailto:a@b.test").public == PushKey(context.host, URL).public
    assert json.loads(apis.client.request("GET", f"{URL}/push/key").content)["key"]
