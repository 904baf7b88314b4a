"""Colours and measures of the client: two themes, one sheet of styles."""

from __future__ import annotations

from typing import Final

from rich.terminal_theme import TerminalTheme
from textual.theme import Theme

DARK: Final = Theme(
    name="pbem-dark",
    primary="#d9a441",
    secondary="#b5651d",
    accent="#e8c27a",
    foreground="#eee4d2",
    background="#17120d",
    surface="#211a12",
    panel="#33271a",
    success="#8fbf6a",
    warning="#e0a030",
    error="#e2725b",
    dark=True,
    variables={"footer-key-foreground": "#e8c27a", "block-cursor-text-style": "none"},
)
LIGHT: Final = Theme(
    name="pbem-light",
    primary="#7a3b12",
    secondary="#9a5a20",
    accent="#8a4510",
    foreground="#2b2118",
    background="#fbf5e6",
    surface="#f4ead2",
    panel="#e6d6b2",
    success="#2a6436",
    warning="#7a5200",
    error="#9b2226",
    dark=False,
    variables={"footer-key-foreground": "#7a3b12", "block-cursor-text-style": "none"},
)

# Black, red, green, yellow, blue, magenta, cyan, white: legible on either background, dimmed or not.
ANSI_DARK: Final = TerminalTheme(
    (23, 18, 13),
    (238, 228, 210),
    [(23, 18, 13), (240, 113, 103), (143, 191, 106), (224, 176, 64), (122, 170, 240), (208, 140, 220),
     (110, 195, 200), (238, 228, 210)],
)  # fmt: skip
ANSI_LIGHT: Final = TerminalTheme(
    (251, 245, 230),
    (43, 33, 24),
    [(43, 33, 24), (155, 34, 38), (42, 100, 54), (113, 86, 0), (31, 78, 140), (107, 45, 115), (20, 90, 96),
     (251, 245, 230)],
)  # fmt: skip

CSS: Final = """
* { scrollbar-color: $secondary; scrollbar-color-hover: $primary; scrollbar-color-active: $primary;
  scrollbar-background: $surface; scrollbar-background-hover: $surface; scrollbar-background-active: $surface; }
Screen { background: $background; color: $foreground; }
#top { height: 1; background: $panel; }
#nav, #moment-steps { link-style: none; link-background: transparent; link-color: $foreground;
  link-style-hover: underline; link-background-hover: transparent; link-color-hover: $foreground; }
#nav { width: auto; background: $panel; }
#top-text { width: 1fr; text-align: right; padding: 0 1; background: $panel; color: $accent; text-style: bold; }
ContentSwitcher { height: 1fr; }
#turn { layout: vertical; height: 100%; }
#table-pane { height: auto; max-height: 66%; padding: 0 1; scrollbar-size-vertical: 1; }
#choose-pane { height: 1fr; min-height: 6; }
#glance, #whole, #moment-table { width: 100%; height: auto; }
Choosing, Tray { border: none; border-top: solid $secondary; border-title-color: $accent; border-title-style: bold;
  border-subtitle-color: $foreground 80%; background: $background; padding: 0; scrollbar-size-vertical: 1; }
Choosing > .option-list--option, Tray > .option-list--option { padding: 0 1; }
#latest-title, #latest { display: none; width: 100%; height: auto; }
#latest-title { color: $accent; text-style: bold; margin-top: 1; }
.-wide #latest-title, .-wide #latest { display: block; }
Choosing { height: 1fr; min-height: 3; }
Tray { height: auto; max-height: 5; color: $foreground; }
Choosing:focus, Tray:focus { border: none; border-top: solid $primary; background-tint: $foreground 0%; }
Choosing > .option-list--option-highlighted, Tray > .option-list--option-highlighted {
  background: $panel; color: $foreground; }
Choosing:focus > .option-list--option-highlighted, Tray:focus > .option-list--option-highlighted {
  background: $primary 45%; color: $foreground; text-style: bold; }
Choosing > .option-list--option-disabled, Tray > .option-list--option-disabled { color: $foreground 75%; }
Choosing:nocolor:focus > .option-list--option-highlighted, Tray:nocolor:focus > .option-list--option-highlighted,
.box OptionList:nocolor > .option-list--option-highlighted { text-style: reverse; }
#story { height: 100%; }
#moment-title { height: 1; padding: 0 1; color: $accent; text-style: bold; }
#moment-steps { height: 1; padding: 0 1; }
#moment-pane { height: 1fr; min-height: 4; padding: 0 1; scrollbar-size-vertical: 1; }
#moment-pane:focus { background-tint: $foreground 0%; }
#moment-text { width: 100%; height: auto; }
#moment-under { height: auto; max-height: 62%; padding: 0 1; border-top: solid $secondary; scrollbar-size-vertical: 1; }
#table { height: 100%; padding: 0 1; scrollbar-size-vertical: 1; }
.-short #table-pane { max-height: 35%; }
.-wide #turn { layout: horizontal; }
.-wide #table-pane { width: 1fr; height: 100%; max-height: 100%; }
.-wide #choose-pane { width: 42; height: 100%; border-left: solid $secondary; }
.-wide Tray { max-height: 14; }
ModalScreen { align: center middle; background: $background 70%; }
.box { width: 76; max-width: 100%; height: auto; max-height: 100%; border: round $primary; border-title-color: $accent;
  border-title-style: bold; background: $surface; padding: 0 1; }
.box VerticalScroll { height: auto; max-height: 15; scrollbar-size-vertical: 1; }
.box Static { width: 100%; height: auto; }
.box OptionList { border: none; border-top: solid $secondary; background: $surface; height: auto; max-height: 8;
  padding: 0; }
.box OptionList:focus { border: none; border-top: solid $primary; }
.box OptionList:focus > .option-list--option-highlighted { background: $primary 45%; color: $foreground; }
#orders-box { max-height: 100%; }
#orders-box OptionList { max-height: 12; }
#orders-answers-pane { max-height: 5; }
#text-scroll { max-height: 100%; }
.box Input { border: tall $secondary; height: 3; background: $background; }
.box Input:focus { border: tall $primary; }
.box Select { height: 3; }
.fault { color: $error; }
Footer { background: $panel; }
Toast { background: $panel; color: $foreground; }
"""
