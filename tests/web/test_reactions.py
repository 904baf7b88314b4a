"""Six reactions under any event: on the moving table, in the list of those who want no motion, and what comes back."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.protocol.referee import Accepted
from tests.web.api import CODE, Api, opened
from tests.web.device import Phone
from tests.web.friends import ME, Friends
from tests.world import World

_FIRST = """() => new MutationObserver((_, seen) => {
  const face = document.querySelector('.game[data-news=yes] button.react');
  if (!face) return;
  seen.disconnect();
  face.click();
}).observe(document, { subtree: true, childList: true })"""
"""A finger on the face beside the first event that is shown, as soon as it is there: it stands a second at most."""
_RISES = """() => new MutationObserver(() => {
  const said = document.querySelector('#stage .saying');
  if (said) (globalThis.risen ??= new Set()).add(said.textContent);
}).observe(document, { subtree: true, childList: true })"""
_BOXES = """() => {
  scrollTo(0, 0);
  return ['.board', '.reactions', '#yes'].map((what) => {
    const { top, bottom } = document.querySelector(`.game ${what}`).getBoundingClientRect();
    return [top, bottom];
  });
}"""
_SEEN = """(head) => {
  const skip = document.querySelector('.game[data-news=yes] #yes');
  skip?.click();
  return !skip && Number(document.querySelector('.game')?.dataset.head) === head
    && document.documentElement.dataset.busy !== 'yes';
}"""
_LISTED = """() => {
  if (document.querySelector('.happened')?.textContent.includes('Ha ha!')) return true;
  document.querySelector('.game[data-news=yes] #yes')?.click();
  return false;
}"""
"""What happened before it is gone on from."""
_SAID = ["Well played!", "Ha ha!", "Wow!", "Ouch!", "Thanks!", "Sorry!"]


def reactions_of(world: World) -> list[Any]:
    """What the page's player has put under records."""
    bodies = [line.body["msg"]["body"] for line in world.record.lines if line.kind == "turn"]
    return [reaction for body in bodies if body["seat"] == ME for reaction in body.get("react", ())]


def play_on(phone: Phone, api: Api) -> None:
    """To the end of the own turn; the others take their time.

    From then on the page listens, and all that they do then comes to it. While its player is asked it does not listen:
    what somebody says meanwhile stays at the host until the next file.
    """
    api.friends.held = True
    while (api.friends.world.record.waiting or {}).get("seat") == ME:
        phone.sign()
        phone.post()


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_what_happened_is_answered_where_it_is_shown(motion: str, browser: Any, served: str) -> None:
    phone = Phone(browser, served, width=360, height=560, reduced_motion=motion)
    api = Api(Friends("wyatt-earp"))
    world = api.friends.world
    with opened(api) as url:
        phone.open(f"#join={api.match}&seat={ME}&api={url}&code={CODE}")
        phone.wait("invitation")
        phone.fill("#name", "Anna")
        phone.press("Join")
        phone.play()
        play_on(phone, api)
        phone.until(_SEEN, len(world.lines) - 1)  # the own turn
        phone.ask(_FIRST)
        api.go_on()
        phone.page.locator(".reactions").wait_for()
        assert phone.page.locator(".reactions button").all_inner_texts() == _SAID
        if motion == "no-preference":  # the table, the six words and the button on one screen
            tops = [edge for pair in phone.ask(_BOXES) for edge in pair]
            assert tops == sorted(tops)
            assert tops[-1] <= 560
        phone.page.locator(".reactions button", has_text="Ouch!").tap()
        if motion == "reduce":  # a list of what happened: it stays until it is read
            phone.page.locator(".happened .reactions [aria-pressed=true]").wait_for()
            assert phone.page.locator(".happened button.react").count() >= 2
            phone.until(_SEEN, len(world.lines) - 1)
        phone.page.locator(".game[data-news=no]").wait_for()  # the motion goes on by itself, to its end
        phone.rest()
        phone.ask(_RISES)
        upto = len(world.lines)
        play_on(phone, api)  # it goes along with the next file
        mine = reactions_of(world)
        assert [reaction["with"] for reaction in mine] == ["ouch"]
        assert 0 <= mine[0]["to"] < upto
        with api.grew:
            said = world.turn("curt", react={mine[0]["to"]: "laugh"}, leave_orders=True)
        assert isinstance(said, Accepted), said
        api.go_on()
        if motion == "reduce":
            phone.until(_LISTED)
        else:
            phone.until("() => globalThis.risen?.has('Ha ha!')")
    assert phone.said == []
    phone.close()
