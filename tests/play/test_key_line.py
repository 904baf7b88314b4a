"""The last line of the screen: the keys that can be pressed, composed again only for others."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot
from textual.widgets._footer import FooterKey

from pbem.player.play.panels import KeyLine
from tests.play.test_screen import drive, earp


def test_the_keys_in_the_last_line_can_be_pressed_and_are_composed_again_only_for_others(
    tmp_path: Path,
) -> None:
    async def script(pilot: Pilot[None]) -> None:
        app = pilot.app
        keys = app.query_one(KeyLine)
        lines = []
        for pressed in ("3", "2", "1", "tab"):
            await pilot.press(pressed)
            await pilot.pause()
            lines.append([key.key for key in keys.query(FooterKey)])
            first: dict[str, str] = {}
            for active in app.screen.active_bindings.values():
                if active.binding.show:
                    first.setdefault(active.binding.action, active.binding.key)
            assert lines[-1] == list(first.values())
            before = list(keys.children)
            app.refresh_bindings()
            await pilot.pause()
            assert list(keys.children) == before
        assert len(set(map(tuple, lines))) > 2

    drive(earp(tmp_path).session(), script)
