"""What is said of a file on its way is said of that file, and its record is on the table when it counts as accepted."""

from __future__ import annotations

from threading import Event
from typing import Any

from pbem.game import JsonObject
from tests.patience import PATIENCE
from tests.web.api import WORD, Api, opened
from tests.web.device import Phone
from tests.web.friends import Friends

_DRAW, _DISCARD = 2, 3
"""Of the files that the page posts, by number; a join and a ready file come before."""


class SlowApi(Api):
    """Answers to questions about a file come when the test lets them."""

    def __init__(self, friends: Friends) -> None:
        super().__init__(friends)
        self.answered = {_DRAW: Event(), _DISCARD: Event()}
        self.looked, self.arrives = Event(), Event()
        """Whether a look, which waits for no record, was answered that there is nothing new; whether that arrives."""
        self.arrives.set()

    def became_of(self, receipt: str) -> JsonObject:
        """See ``Api``."""
        number = list(self.became).index(receipt)
        if number in self.answered:
            self.answered[number].wait(PATIENCE)
        return super().became_of(receipt)

    def lines(self, after: int, wait: int = 0) -> bytes:
        """See ``Api``."""
        raw = super().lines(after, wait)
        if not raw and not wait:
            self.looked.set()
            self.arrives.wait(PATIENCE)
        return raw


def at_the_table(phone: Phone, api: SlowApi, url: str) -> None:
    """Joined and ready, with something to do."""
    phone.open(f"#join={api.match}&api={url}&word={WORD}")
    phone.wait("invitation")
    phone.fill("#name", "Anna")
    phone.press("Join")
    phone.play()


def sent(phone: Phone, api: SlowApi, number: int) -> None:
    """Until the host has this file, and the page says so."""
    phone.page.locator("#status", has_text="Sent").wait_for(state="attached")
    assert len(api.became) == number + 1


def test_accepted_of_one_file_is_not_said_while_the_next_is_on_its_way(browser: Any, served: str) -> None:
    phone, api = Phone(browser, served), SlowApi(Friends("wyatt-earp"))
    with opened(api) as url:
        at_the_table(phone, api, url)
        phone.sign()
        sent(phone, api, _DRAW)
        phone.news()  # its record, which somebody may ask for before its answer is there
        phone.sign()
        sent(phone, api, _DISCARD)
        api.looked.clear()
        api.answered[_DRAW].set()
        assert api.looked.wait(PATIENCE)  # the page brings what became of the draw
        for _ in range(20):  # and asks what it asks then
            phone.ask("globalThis.pbemMeasure()")
            assert phone.status.startswith("Sent")
        api.answered[_DISCARD].set()
        phone.page.locator("#status", has_text="Accepted").wait_for(state="attached")
    assert phone.said == []
    phone.close()


def test_a_file_is_accepted_when_its_record_is_there_though_the_page_had_looked_before(
    browser: Any, served: str
) -> None:
    phone, api = Phone(browser, served), SlowApi(Friends("wyatt-earp"))
    with opened(api) as url:
        at_the_table(phone, api, url)
        head = phone.head
        api.looked.clear()
        api.arrives.clear()
        phone.press("More")
        phone.press("Look for news")
        assert api.looked.wait(PATIENCE)
        phone.sign()
        sent(phone, api, _DRAW)
        phone.rest()
        api.answered[_DRAW].set()
        for _ in range(20):  # its answer has come, and the look has not ended
            phone.ask("globalThis.pbemMeasure()")
            assert phone.status.startswith("Sent")
        api.arrives.set()
        phone.page.locator("#status", has_text="Accepted").wait_for(state="attached")
        assert int(phone.head) > int(head)
    assert phone.said == []
    phone.close()
