"""All players in the page, the host one machine: from a tap to everybody's table; nobody presses anything for it."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import urlencode

import httpx

from pbem.game import Seat
from tests.service.api_people import Visitor
from tests.service.api_run import Party
from tests.web.device import Phone
from tests.web.three import decide


class Pages:
    """A page for each seat of a party; ``seconds``: from each tap until the last table had what it caused."""

    def __init__(self, browser: Any, url: str, party: Party) -> None:
        self.party = party
        self.eye: Visitor = party.people[0]
        self.phones = {person.player.seat: Phone(browser, url) for person in party.people}
        self.seconds: list[float] = []

    def begin(self) -> None:
        """Everybody comes by the link of their invitation, joins, and is ready."""
        for person in self.party.people:
            phone = self.phones[person.player.seat]
            assert isinstance(
                person.client, httpx.Client
            )  # which knows the API's port; the emails were written before it
            phone.open("#" + urlencode({**person.way, "api": str(person.client.base_url).rstrip("/")}))
            phone.wait("invitation")
            phone.page.fill("#name", person.player.seat.title())
            phone.press("Join")
            phone.post()
        for seat in self.phones:
            self.phones[seat].page.locator("section.choosing button.row").first.wait_for()
        for seat in self.phones:
            self.act(seat, looks=False)  # whoever is asked themselves does not look for what others do

    def play(self, most: int = 400) -> None:
        """Whoever is asked decides, until a hand or game turn has ended."""
        for _ in range(most):
            self.eye.fetch()
            if any(b'"kind":"close"' in line or b'"kind":"end"' in line for line in self.eye.player.lines):
                return
            waiting = self.eye.player.record.waiting
            assert waiting is not None
            self.act(Seat(waiting["seat"]))

    def act(self, seat: str, *, looks: bool = True) -> None:
        """One file of a seat, and the wait for all tables, if the others are to be shown."""
        phone = self.phones[seat]
        phone.page.locator("section.choosing button.row").first.wait_for()
        phone.rest()
        others = [other for other in self.phones.values() if other is not phone]
        heads = {other: other.head for other in others}
        begun = time.monotonic()
        decide(phone)
        phone.post()
        if looks:
            for other in others:
                other.grown(heads[other])
            self.seconds.append(time.monotonic() - begun)

    def close(self) -> None:
        """Everybody leaves."""
        for phone in self.phones.values():
            assert phone.said == []
            phone.close()
