"""The style of the screens, for 80 by 24 and more."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from fairplay.client.lobby.keys import shown
from fairplay.games.frontends import Key

CSS = """
Screen { background: $background; overflow: hidden; }
ContentSwitcher { height: 1fr; }
.line { height: 1; width: 1fr; }
.heading { background: $primary-darken-2; color: $text; text-style: bold; padding: 0 1; }
.keys { background: $panel; padding: 0 1; }
.trouble { background: $error; color: $text; padding: 0 1; height: 1; display: none; }
#tables { width: 1fr; height: 1fr; background: $background; }
#users { width: 30; height: 1fr; border-left: solid $panel; padding: 0 1; }
#detail, #notice { padding: 0 1; color: $text-muted; }
#table { height: 1fr; }
#middle { height: 2fr; min-height: 13; }
#board { width: 1fr; height: 1fr; padding: 0 0 0 1; scrollbar-size: 1 1; }
#drawing { width: auto; height: auto; }
#side { width: 24; height: 1fr; border-left: solid $panel; padding: 0 0 0 1; }
#status { padding: 0 1; }
#talk { height: 1fr; min-height: 3; padding: 0 1; scrollbar-size: 1 1; border-top: solid $panel; }
#spoken { height: auto; }
#say { height: 1; padding: 0 1; }
Form, Help, Question { align: center middle; background: $background 60%; }
.box { width: 70; max-width: 96%; height: auto; max-height: 96%; }
.box { border: round $primary; padding: 0 1; background: $surface; }
.box Static { height: auto; }
.box .refusal { color: $text-error; }
.box Input, .box Select { margin: 0 0 1 0; }
.box .hint { color: $text-muted; }
"""


def key_bar(keys: Iterable[Key]) -> Text:
    """Return the keys that do something now, in one line."""
    parts: list[Text | tuple[str, str] | str] = []
    for key in keys:
        parts += [(shown(key.name), "bold reverse"), f" {key.label}  "]
    return Text.assemble(*parts, no_wrap=True, overflow="ellipsis")
