"""A hand without a finger: by the keyboard alone, and by the accessibility tree alone, as a screen reader has it."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from tests.web.device import Phone

_STANDS = """() => document.querySelector(
  'dialog.ending, .game[data-news=yes], section.choosing .rows button.row[data-do]')
  && document.documentElement.dataset.busy !== 'yes'"""
_ROWS = "section.choosing .rows > li > button.row:is([data-do=action], [data-do=open], [data-do=send])"
MOST = 900
"""More steps than any hand or game turn has."""


def stands(phone: Phone) -> None:
    """Until there is something to do."""
    phone.page.wait_for_function(_STANDS)


# --- the keyboard ------------------------------------------------------------------------------------------------


def by_keyboard(phone: Phone) -> str:
    """One thing by Tab and Enter: on with the news, or the last choice; the title where a hand ends."""
    page = phone.page
    stands(phone)
    if page.locator("dialog.ending").count():
        return str(page.locator("dialog.ending h2").inner_text())
    if page.locator(".game[data-news=yes]").count():
        wanted = str(page.locator("#yes").inner_text())
    else:
        send = page.locator(f"{_ROWS}[data-do=send]")
        row = send.last if send.count() else page.locator(_ROWS).last
        wanted = str(row.locator(".label").inner_text())
    phone.tab_to(wanted)
    phone.enter()
    if page.locator(".game[data-news=no] .clear").count() and phone.focused == "yes":
        phone.enter()
    return ""


# --- the accessibility tree ------------------------------------------------------------------------------------------


class Spoken:
    """The page as the browser gives it to a screen reader; what is pressed is pressed there."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._tab = phone.context.new_cdp_session(phone.page)
        self._tab.send("Accessibility.enable")
        self.read()

    def read(self) -> None:
        """The tree of now."""
        nodes = self._tab.send("Accessibility.getFullAXTree")["nodes"]
        self._nodes: dict[str, Any] = {node["nodeId"]: node for node in nodes}

    def within(self, role: str, name: str = "") -> list[tuple[str, str, Any]]:
        """What lies in the first part of this role and name: roles, names, and the nodes themselves."""
        for node in self._nodes.values():
            if _said(node, "role") == role and (not name or _said(node, "name") == name):
                return list(self._below(node))
        return []

    def _below(self, node: Any) -> Any:
        if not node.get("ignored"):
            yield _said(node, "role"), _said(node, "name"), node
        for child in node.get("childIds", ()):
            if child in self._nodes:
                yield from self._below(self._nodes[child])

    def press(self, node: Any) -> None:
        """Its default action, until that is done."""
        resolved = self._tab.send("DOM.resolveNode", {"backendNodeId": node["backendDOMNodeId"]})
        call = {
            "objectId": resolved["object"]["objectId"],
            "functionDeclaration": "function () { this.click(); }",
        }
        self._phone.done(partial(self._tab.send, "Runtime.callFunctionOn", call))


def _said(node: Any, name: str) -> str:
    return str(node.get(name, {}).get("value", ""))


def by_tree(phone: Phone, spoken: Spoken) -> str:
    """One thing by what is shown alone: on with the news, or the last choice; the title where a hand ends."""
    stands(phone)
    spoken.read()
    dialog = spoken.within("dialog")
    if dialog:
        return dialog[0][1]
    bar = [
        (name, node) for role, name, node in spoken.within("region", "What would be sent") if role == "button"
    ]
    on = [node for name, node in bar if name in ("Skip to your turn", "Go on")]
    if on:
        spoken.press(on[0])
        return ""
    rows = [(name, node) for role, name, node in spoken.within("list", "What you can do") if role == "button"]
    sends = [node for name, node in rows if name.startswith("Send")]
    spoken.press((sends or [node for name, node in rows if not name.startswith("Say more")])[-1])
    spoken.read()
    offered = [node for _, _, node in spoken.within("region", "What would be sent") if _has_focus(node)]
    if offered:  # what the row means is read out at once: its yes
        spoken.press(offered[0])
    return ""


def _has_focus(node: Any) -> bool:
    return any(
        member["name"] == "focused" and member["value"].get("value") for member in node.get("properties", ())
    )


def hands(browser: Any, url: str, game: str) -> list[str]:
    """A hand or game turn in each way, each as a line."""
    lines = []
    for way in ("keyboard", "accessibility tree"):
        phone = Phone(browser, url, width=360, height=640)
        phone.open(f"#practice={game}")
        phone.wait("table")
        spoken = Spoken(phone)
        began, steps, ended = time.monotonic(), 0, ""
        while not ended:
            ended = by_keyboard(phone) if way == "keyboard" else by_tree(phone, spoken)
            steps += 1
            assert steps < MOST, "no end"
        assert phone.said == []
        lines.append(
            f"{game} by the {way} alone: {steps} steps, {time.monotonic() - began:.0f} s, then “{ended}”"
        )
        phone.close()
    return lines
