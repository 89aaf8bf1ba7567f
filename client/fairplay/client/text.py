"""Text for people, parts of which were chosen by strangers: it is shown, and steers no terminal."""

from __future__ import annotations

import re

from rich.text import Text

from fairplay.games.kit.printable import harmless_text

FILE_NAME = re.compile(r"[^A-Za-z0-9_.-]")


def harmless(markup: str) -> Text:
    """Return the text of rich's markup without what could steer a terminal or a CI system."""
    text = Text.from_markup(markup, emoji=False)
    text.plain = harmless_text(text.plain)
    return text


def counted(count: int, noun: str) -> str:
    """Return a number of things, e.g. "1 entry" or "1,200 entries"."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("y") else f"{count:,} {noun}s"


def file_name(record_id: str, suffix: str) -> str:
    """Return a name for a file of a record, without '/': ids may have it."""
    return f"{FILE_NAME.sub('+', record_id) or 'record'}{suffix}"
