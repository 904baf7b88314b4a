"""Whether what the page shows can be used by everybody: axe, fingers, narrow screens."""

from __future__ import annotations

import json
from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT

from tests.fonts import drawn, families, set_family
from tests.web.device import Phone

_SMALL = """() => [...document.querySelectorAll('button, select, input, textarea, summary')].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.width && (box.width < 43.5 || box.height < 43.5);
}).map((one) => one.outerHTML.slice(0, 120))"""
_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


_AXE = "axe.run(document, {options}).then(JSON.stringify)"
_SCROLLED = {"runOnly": ["scrollable-region-focusable"]}
"""Whether a part is scrolled that no key reaches depends on the letters; what else axe knows does not."""


def faults_of(phone: Phone) -> list[str]:
    """The faults of what is shown now, on the narrowest screen and on a client's."""
    faults = []
    for width in (1280, 360):
        phone.page.set_viewport_size({"width": width, "height": 844})
        faults += [f"{width}: {fault}" for fault in faults_at_this_width(phone)]
    return faults


def faults_at_this_width(phone: Phone) -> list[str]:
    """What axe finds; and in each family of letters what is too small for a finger, too wide, or out of reach."""
    tab = phone.context.new_cdp_session(
        phone.page
    )  # past the page's own policy, which allows no script of others
    tab.send(
        "Runtime.evaluate",
        {"expression": AXE_SCRIPT.read_text() if isinstance(AXE_SCRIPT, Path) else AXE_SCRIPT},
    )

    def violations(least: int, **options: object) -> list[str]:
        script = _AXE.format(options=json.dumps(options))
        answer = tab.send("Runtime.evaluate", {"expression": script, "awaitPromise": True})
        body = json.loads(answer["result"]["value"])
        assert len(body["passes"]) >= least
        return [
            f"{violation['id']}: {violation['nodes'][0]['html'][:160]}" for violation in body["violations"]
        ]

    faults = violations(9, resultTypes=["violations"])
    for family in families():
        set_family(phone.page, family)
        faults += [f"{family}: {fault}" for fault in violations(0, **_SCROLLED)]
        faults += [f"{family}: small: {control}" for control in phone.page.evaluate(_SMALL)]
        wide = phone.page.evaluate(_WIDE)
        faults += [f"{family}: {wide} pixels too wide"] if wide > 0 else []
    set_family(phone.page, drawn())
    tab.detach()
    return faults
