"""Whether what the page shows can be used by everybody: axe, fingers, narrow screens."""

from __future__ import annotations

import json
from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT

from tests.web.device import Phone

_SMALL = """() => [...document.querySelectorAll('button, select, input, textarea, summary')].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.width && (box.width < 43.5 || box.height < 43.5);
}).map((one) => one.outerHTML.slice(0, 120))"""
_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def faults_of(phone: Phone) -> list[str]:
    """The faults of what is shown now, on the narrowest screen and on a client's."""
    faults = []
    for width in (1280, 360):
        phone.page.set_viewport_size({"width": width, "height": 844})
        faults += [f"{width}: {fault}" for fault in faults_at_this_width(phone)]
    return faults


def faults_at_this_width(phone: Phone) -> list[str]:
    """What axe finds, what is too small for a finger, and by how much the page is too wide."""
    tab = phone.context.new_cdp_session(
        phone.page
    )  # past the page's own policy, which allows no script of others
    tab.send(
        "Runtime.evaluate",
        {"expression": AXE_SCRIPT.read_text() if isinstance(AXE_SCRIPT, Path) else AXE_SCRIPT},
    )
    asked = {
        "expression": "axe.run(document, {resultTypes: ['violations']}).then(JSON.stringify)",
        "awaitPromise": True,
    }
    body = json.loads(tab.send("Runtime.evaluate", asked)["result"]["value"])
    tab.detach()
    assert len(body["passes"]) > 8
    faults = [f"{violation['id']}: {violation['nodes'][0]['html'][:160]}" for violation in body["violations"]]
    faults += [f"small: {control}" for control in phone.page.evaluate(_SMALL)]
    wide = phone.page.evaluate(_WIDE)
    return faults + ([f"{wide} pixels too wide"] if wide > 0 else [])
