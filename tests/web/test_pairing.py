"""A seat goes along to another device by six signs: two workers, two pages, and what a host between them can do."""

from __future__ import annotations

import base64
import hmac
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf import hkdf

from pbem.host.service.pairing import PairMailboxes
from pbem.web.build import HKDF
from pbem.web.pairing import answers
from tests.web.api import CODE, Api, opened
from tests.web.device import Phone
from tests.web.friends import ME, Friends
from tests.web.worker import Device, joined


class Pair:
    """Anna's device, which has her seat, and her other one."""

    def __init__(self, root: Path) -> None:
        self.friends = Friends("wyatt-earp")
        self.old, self.new = Device(root / "old"), Device(root / "new", drawn=1000)
        self.match, _ = joined(self.old, self.friends)
        for device in (self.old, self.new):
            device.worker.add(answers)

    def begin(self, typed: str = "") -> tuple[str, Any]:
        """The code, and the first message of the other device, which typed it or something else."""
        code = self.old("pair-give", match=self.match, channel="K7")["code"]
        return code, self.new("pair-take", code=typed or code, device="Phone")


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def test_a_seat_is_on_the_other_device_after_a_yes_and_plays_there(pair: Pair) -> None:
    code, first = pair.begin()
    assert re.fullmatch("K7[0-9A-HJKMNP-TV-Z]{4}", code)
    assert first["channel"] == "K7"
    second = pair.old("pair-hear", data=first["send"])
    third = pair.new("pair-hear", data=second["send"])
    assert pair.old("pair-hear", data=third["send"])["device"] == "Phone"
    fourth = pair.old("pair-yes")
    fifth = pair.new("pair-hear", data=fourth["send"])
    assert fifth["done"]
    assert fifth["scene"]["match"] == pair.match
    assert pair.old("pair-hear", data=fifth["send"])["done"]
    pair.new.open()
    assert (
        pair.new("open", match=pair.match)["scene"]["head"]
        == pair.old("open", match=pair.match)["scene"]["head"]
    )
    assert pair.new.secrets[pair.match] == pair.old.secrets[pair.match]


def test_nothing_is_given_before_the_other_device_has_shown_that_it_has_the_code(pair: Pair) -> None:
    _, first = pair.begin()
    with pytest.raises(AssertionError, match="no device asks for this seat"):
        pair.old("pair-yes")
    pair.old("pair-hear", data=first["send"])
    with pytest.raises(AssertionError, match="no device asks for this seat"):
        pair.old("pair-yes")


def test_a_wrong_code_ends_it_for_both(pair: Pair) -> None:
    code, _ = pair.begin()
    typed = code[:2] + ("0000" if code[2:] != "0000" else "1111")
    first = pair.new("pair-take", code=typed.lower(), device="Phone")
    second = pair.old("pair-hear", data=first["send"])
    for device, message in ((pair.new, second["send"]), (pair.old, base64.b64encode(bytes(80)).decode())):
        with pytest.raises(AssertionError, match="the codes do not match: nothing was sent"):
            device("pair-hear", data=message)
        with pytest.raises(AssertionError, match="this code is over"):
            device("pair-hear", data=message)
    with pytest.raises(AssertionError, match="this code is over"):
        pair.old("pair-yes")


def test_a_code_lives_ten_minutes_on_the_device_that_gives(pair: Pair) -> None:
    _, first = pair.begin()
    pair.old.now = (datetime.fromisoformat(pair.old.now) + timedelta(seconds=601)).isoformat()
    with pytest.raises(AssertionError, match="this code is over"):
        pair.old("pair-hear", data=first["send"])


def test_a_message_of_an_earlier_exchange_is_no_use(pair: Pair) -> None:
    _, first = pair.begin()
    second = pair.old("pair-hear", data=first["send"])
    pair.old("pair-hear", data=pair.new("pair-hear", data=second["send"])["send"])
    fourth = pair.old("pair-yes")["send"]
    pair.begin()
    with pytest.raises(AssertionError, match="the codes do not match"):
        pair.new("pair-hear", data=fourth)
    with pytest.raises(AssertionError, match="the codes do not match"):
        pair.old("pair-hear", data=fourth)


@pytest.mark.parametrize("typed", ["", "K7ABC", "K7ABCDE", "K7ABCÄ", "K7ABC!"])
def test_what_is_no_code_asks_no_host(pair: Pair, typed: str) -> None:
    with pytest.raises(AssertionError, match="a code has six signs"):
        pair.new("pair-take", code=typed, device="Phone")


def test_the_pages_own_hkdf_is_the_one_of_the_rfc() -> None:
    own: dict[str, Any] = {"hmac": hmac}
    exec(HKDF, own)  # noqa: S102 - as the page's Python does
    for length in (1, 32, 33, 48, 100):
        given: dict[str, Any] = {"length": length, "salt": b"", "info": b"SPAKE2 pw"}
        other = hkdf.HKDF(algorithm=hashes.SHA256(), **given).derive(b"code")
        assert own["HKDF"](algorithm=dict, **given).derive(b"code") == other


def test_two_browsers_do_the_whole_thing_and_a_wrong_code_is_shown_to_both(browser: Any, served: str) -> None:
    friends = Friends("wyatt-earp")
    api, old, new = Api(friends), Phone(browser, served), Phone(browser, served, width=1280)
    with opened(api) as url:
        old.open(f"#join={api.match}&seat={ME}&api={url}&code={CODE}")
        old.wait("invitation")
        old.fill("#name", "Anna")
        old.press("Join")
        old.play()
        new.open(f"#match={api.match}&seat={ME}&api={url}")
        new.page.get_by_role("button", name="Bring a seat from another device", exact=True).last.click()
        code = shown_code(old)
        new.fill("#pair-code", code[:3] + ("000" if code[3:] != "000" else "111"))
        new.press("Take in")
        for phone in (old, new):
            phone.page.locator("dialog [role=alert]").wait_for()
        assert "the codes do not match: nothing was sent" in new.page.inner_text("dialog")
        assert "This code is over" in old.page.inner_text("dialog")
        old.press("Close")
        api.boxes = PairMailboxes(lambda: 0.0)  # the host is killed and comes again while a code is shown
        shown_code(old)
        api.boxes = PairMailboxes(lambda: 0.0)
        old.page.locator("dialog [role=alert]").wait_for()
        assert "This code is over" in old.page.inner_text("dialog")
        old.press("Close")
        code = shown_code(old)
        new.fill("#pair-code", f"{code[:3].lower()} {code[3:]}")
        new.fill("#pair-name", "My laptop")
        new.press("Take in")
        yes = old.page.get_by_role("button", name="Yes, send my seat", exact=True)
        yes.wait_for()
        assert "The device “My laptop” asks for this seat" in old.page.inner_text("dialog")
        assert "Now answer the question on the other device." in new.page.inner_text("dialog")
        yes.click()
        old.page.locator("dialog [role=alert]").wait_for()
        assert "The seat is on “My laptop” now." in old.page.inner_text("dialog")
        new.wait("table")
        assert len(api.boxes.known) == 0
        before = len(api.posted)
        new.sign()
        new.post()
        assert len(api.posted) == before + 1
    assert old.said == new.said == []
    old.close()
    new.close()


def shown_code(phone: Phone) -> str:
    """The code that the device with the seat shows, asked for in its menu."""
    phone.press("More")
    phone.press("Move this seat to another device")
    phone.page.locator("dialog p.code").wait_for()
    return str(phone.page.inner_text("dialog p.code")).replace(" ", "")
