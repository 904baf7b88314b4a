"""One seat in the page from the link in an invitation to the end of a hand or game turn, in whatever browser.

The page is closed and opened again after every step: the join, each choice, each signature, each answer. In the middle
of every third file there is no network: nobody serves the page, and nobody answers at the host's door. Every second
file goes by that door, the others as files, answered by files.
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
        files = 1
        while not friends.closed:
            door.away = files % 3 == 2
            tab.offline(door.away)
            if door.away:
                offline += 1
                anew()
            while not tab.has_file:
                chosen = tab.chosen
                tab.take_last()
                if tab.chosen != chosen:
                    anew()
                    assert tab.chosen > chosen, "what was chosen is gone"
            tab.sign()
            if door.away:
                assert not tab.post_in_vain().startswith("It is record")
                tab.offline(away=False)
                door.away = False
            anew()
            tab.look_at_signed()
            before = len(friends.world.lines)
            if files % 2:
                tab.post()
            else:
                friends.take(tab.shown())
                tab.bring(friends.lines(before - 1))
                tab.wait("table")
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
    tab.press("Join")
    tab.press("It is written down")
    tab.press("Not yet")
    tab.again("joining")
    tab.press("Send the one that is signed, unchanged")
    tab.post()
