"""A host's push message reaches a phone: sealed at a real host, opened as a browser opens it, delivered by Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pbem.host.service.public_post import PublicPost
from pbem.host.service.push import NewMailNotifiers
from pbem.protocol.record import Deadlines
from tests.patience import patiently
from tests.service.push_service import Browser, PushService
from tests.service.test_api import URL, Apis
from tests.web.api import CODE, Api, opened
from tests.web.device import Phone
from tests.web.friends import ME, Friends

SUBSCRIBED = """(given) => {
  PushManager.prototype.getSubscription = async () => null;
  PushManager.prototype.subscribe = async (asked) => {
    globalThis.askedFor = asked;
    return { toJSON: () => given };
  };
}"""
"""No push service of a browser's maker is reached from here; all else is Chromium's own."""
NOTICES = "registration.getNotifications().then((all) => all.map((one) => [one.title, one.body]))"
PAGES = "clients.matchAll({ type: 'window', includeUncontrolled: true }).then((all) => all.length)"
SCOPES = """navigator.serviceWorker.getRegistrations()
  .then((all) => all.map((one) => one.scope).filter((one) => one.includes("/push/")))"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[PushService]:
    push = PushService(tmp_path / "push")
    yield push
    push.close()


class Host:
    """A real host of a match of two, who knows the push service of the tests; in a thread of its own, with its loop."""

    def __init__(self, folder: Path, service: PushService) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._apis = self._do(lambda: self._begun(folder, service))
        self.push_key: str = self._do(
            lambda: self._apis.client.request("GET", f"{URL}/push/key").json()["key"]
        )
        self.match = self._apis.table.short

    def _do(self, call: Callable[[], Any]) -> Any:
        return self._thread.submit(call).result()

    @staticmethod
    def _begun(folder: Path, service: PushService) -> Apis:
        apis = Apis(folder, deadlines=Deadlines(hours=72, grace=24))
        apis.table.start()
        context = apis.table.service.context
        context.push = (service.name,)
        caller = PublicPost(context.push, service.trusting)
        apis.table.service.notifiers = NewMailNotifiers(context, caller)
        return apis

    def call(self, wishes: list[bytes]) -> None:
        """Call for each of what the page has posted, one turn after the other."""
        self._do(lambda: self._call(wishes))

    def _call(self, wishes: list[bytes]) -> None:
        mine, other = self._apis.come().values()
        mine.fetch()
        other.fetch()
        mine, other = (mine, other) if mine.player.asked else (other, mine)
        for wish in wishes:
            assert other.ask("POST", f"{other.path}/push", content=wish).status_code == 201
            while mine.player.asked:
                mine.post(mine.player.move())
                self._apis.table.pump()
                mine.fetch()
            mine, other = other, mine
            mine.fetch()

    def close(self) -> None:
        """It is away."""
        self._do(self._apis.close)
        self._thread.shutdown()


@pytest.fixture
def host(tmp_path: Path, service: PushService) -> Iterator[Host]:
    new_host = Host(tmp_path / "host", service)
    yield new_host
    new_host.close()


def asked_to_be_called(phone: Phone, api: Api, *, named: bool) -> None:
    phone.press("Mehr")
    phone.press("Sag mir, wenn ich am Zug bin")
    if named:
        phone.page.locator("#push-named").click()
    before = len(api.pushed)
    phone.press("Einschalten")
    for _ in patiently("no registration came to the host"):
        if len(api.pushed) > before:
            break
        phone.page.wait_for_timeout(20)
    phone.rest()


def shows(phone: Phone, scope: str, text: str, body: str) -> None:
    """Chromium delivers ``text`` while no page is open, and then shows one notice alone, with this body.

    The notice before it is left where it is: one that is closed may take the next one of its tag with it.
    """
    tab, shown = phone.context.new_cdp_session(phone.page), {}

    def heard(given: Any) -> None:
        shown.update(
            {
                registration["scopeURL"]: registration["registrationId"]
                for registration in given["registrations"]
            }
        )

    tab.on("ServiceWorker.workerRegistrationUpdated", heard)
    tab.send("ServiceWorker.enable")
    for _ in patiently(lambda: f"no registration for {scope}: {shown}"):
        if scope in shown:
            break
        phone.page.wait_for_timeout(20)
    for _ in patiently(
        "the page is still there"
    ):  # as the worker sees it: to an open page it shows no notice
        workers = phone.context.service_workers
        if not any(worker.evaluate(PAGES) for worker in workers):
            break
        phone.page.wait_for_timeout(20)
    tab.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": phone.origin, "registrationId": shown[scope], "data": text},
    )

    def notices() -> list[list[str]]:
        workers = [
            worker
            for worker in phone.context.service_workers
            if worker.evaluate("registration.scope") == scope
        ]
        return [notice for worker in workers for notice in worker.evaluate(NOTICES)]

    for _ in patiently(lambda: f"{body} is expected, {notices()} is shown"):
        if notices() == [["pbem", body]]:
            break
        phone.page.wait_for_timeout(50)


def test_a_call_comes_to_a_phone_whose_page_is_closed_and_says_whose_turn_it_is(
    browser: Any, served: str, host: Host, service: PushService
) -> None:
    kept, api = Browser(service.name), Api(Friends("wyatt-earp"))
    api.push_key = host.push_key
    phone = Phone(browser, served, locale="de-DE", permissions=["notifications"])
    subscription = json.loads(kept.wish())["subscription"]
    phone.context.add_init_script(f"({SUBSCRIBED})({json.dumps(subscription)})")
    with opened(api) as url:
        phone.open(f"#join={api.match}&seat={ME}&api={url}&code={CODE}")
        phone.wait("invitation")
        phone.page.fill("#name", "Anna")
        phone.press("Beitreten")
        phone.play()
        asked_to_be_called(phone, api, named=False)
        phone.press("Mehr")
        phone.press("Sag mir, wenn ich am Zug bin")
        phone.press("Ausschalten")
        phone.until("() => !Object.keys(localStorage).some((key) => key.startsWith('push '))")
        asked_to_be_called(phone, api, named=True)
        assert phone.ask("() => askedFor.applicationServerKey") == api.push_key
        assert [json.loads(wish)["subscription"] for wish in api.pushed] == [subscription] * 2
        (scope,) = phone.ask(f"() => {SCOPES}")  # one for this host, however often it was asked for
        title = phone.ask("() => caches.match('words').then((kept) => kept.json())")["matches"][api.match]
    blank = phone.context.new_page()
    phone.page.close()
    phone.page = blank
    host.call(api.pushed)
    empty, named = service.calls
    assert empty.body == b""
    notice = kept.opened(named)
    assert notice["match"] == host.match
    shows(phone, scope, "", "Dein Zug")
    shows(phone, scope, json.dumps(notice), f"Dein Zug: {notice['match']}")
    ours = json.dumps({**notice, "match": api.match}).ljust(64)  # a match that this page knows by its title
    shows(phone, scope, ours, f"Dein Zug: {title}")
    assert phone.said == []
    phone.close()
