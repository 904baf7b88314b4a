"""One seat in the page from the link in an invitation to the end of a hand or game turn, in whatever browser.

The page is closed and opened again after every step: the join, each choice, each answer. For every third file there is
no network: nobody serves the page, and nobody answers at the host's API, so that this file is taken along by hand.
"""

from __future__ import annotations

import time
from itertools import count

from tests.web.api import WORD, Api, opened
from tests.web.friends import Friends
from tests.web.three import Tab, judged, remove_match


def evening(tab: Tab, name: str, game: str) -> str:
    """What was done in the browser of this ``name``, and who judged it how."""
    began, friends, starts, offline = time.monotonic(), Friends(game), count(1), 0
    api = Api(friends)

    def restart() -> None:
        next(starts)
        tab.again()

    with opened(api) as place:
        _join(tab, api, place)
        restart()
        tab.play()  # the page was ready by itself
        files = 2
        while not friends.closed:
            api.away = files % 3 == 2
            tab.offline(api.away)
            if api.away:
                offline += 1
                restart()
            chosen = tab.chosen
            while not tab.choose():
                restart()
                assert tab.chosen >= chosen, "what was chosen is gone"
                chosen = tab.chosen
            if api.away:
                tab.post_in_vain()  # it is taken by hand then
                before = len(friends.world.lines)
                friends.take(tab.shown())
                tab.offline(away=False)
                api.away = False
                tab.bring(friends.lines(before - 1))
                tab.wait("table")
            else:
                tab.post()
            files += 1
            restart()
        sentence = tab.audited()
        remove_match(tab)
    by_api = len(set(api.posted))
    return (
        f"{name}: {game} to the end of a hand or game turn, {by_api} files by the API, {files - by_api} as files,"
        f" closed and opened {next(starts) - 1} times, {offline} files without a network in the middle,"
        f" {len(friends.world.lines)} records, {judged(friends.world.lines)}; the page: {sentence}"
        f" {time.monotonic() - began:.0f} s in all"
    )


def _join(tab: Tab, api: Api, place: str) -> None:
    """By the link of the invitation; the page is closed before the signed join has left."""
    tab.open()
    tab.wait("home")
    tab.open(f"#join={api.match}&api={place}&word={WORD}")
    tab.wait("invitation")
    tab.fill("#name", "Anna")
    api.away = True
    tab.press("Join")
    tab.post_in_vain()
    tab.press("Done")
    api.away = False
    tab.again("joining")
    tab.press("Send the one that is signed")
    tab.post()
