"""One seat in the page from the link in an invitation to the end of a hand or game turn, in whatever browser.

The page is closed and opened again after every step: the join, each choice, each answer. For every third file there is
no network: nobody serves the page, and nobody answers at the host's door, so that this file is taken along by hand.
"""

from __future__ import annotations

import time
from itertools import count

from tests.web.door import WORD, Door, opened
from tests.web.friends import Friends
from tests.web.three import Tab, judged, remove_match


def evening(tab: Tab, name: str, game: str) -> str:
    """What was done in the browser of this ``name``, and who judged it how."""
    began, friends, starts, offline = time.monotonic(), Friends(game), count(1), 0
    door = Door(friends)

    def anew() -> None:
        next(starts)
        tab.again()

    with opened(door) as place:
        _join(tab, door, place)
        anew()
        tab.play()  # the page was ready by itself
        files = 2
        while not friends.closed:
            door.away = files % 3 == 2
            tab.offline(door.away)
            if door.away:
                offline += 1
                anew()
            chosen = tab.chosen
            while not tab.choose():
                anew()
                assert tab.chosen >= chosen, "what was chosen is gone"
                chosen = tab.chosen
            if door.away:
                tab.post_in_vain()  # it is taken by hand then
                before = len(friends.world.lines)
                friends.take(tab.shown())
                tab.offline(away=False)
                door.away = False
                tab.bring(friends.lines(before - 1))
                tab.wait("table")
            else:
                tab.post()
            files += 1
            anew()
        told = tab.audited()
        remove_match(tab)
    by_door = len(set(door.posted))
    return (
        f"{name}: {game} to the end of a hand or game turn, {by_door} files by the door, {files - by_door} as files,"
        f" closed and opened {next(starts) - 1} times, {offline} files without a network in the middle,"
        f" {len(friends.world.lines)} records, {judged(friends.world.lines)}; the page: {told}"
        f" {time.monotonic() - began:.0f} s in all"
    )


def _join(tab: Tab, door: Door, place: str) -> None:
    """By the link of the invitation; the page is closed before the signed join has left."""
    tab.open()
    tab.wait("home")
    tab.open(f"#join={door.match}&door={place}&word={WORD}")
    tab.wait("invitation")
    tab.fill("#name", "Anna")
    door.away = True
    tab.press("Join")
    tab.post_in_vain()
    tab.press("Done")
    door.away = False
    tab.again("joining")
    tab.press("Send the one that is signed")
    tab.post()
