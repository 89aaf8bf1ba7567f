"""Which names and texts are allowed in the lobby: nothing in them may play tricks on the terminals of others."""

from __future__ import annotations

import re
import unicodedata

from fairplay.server.errors import Refusal
from fairplay.server.links.dial_in import NAME

TABLE_NAME = re.compile(r"(?! )[A-Za-z0-9_. -]{1,64}(?<! )")
MAX_TEXT_CHARS = 500
SETTING = {"Cc", "Zl", "Zp", "Cs"}
"""Unicode's categories of control characters, separators of lines and paragraphs, and halves of characters."""

DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def checked_user_name(name: str) -> str:
    """The name. Refusal: it is not allowed."""
    if not NAME.fullmatch(name):
        message = f"{name[:80]!r} is not a name: give 1 to 64 letters, digits, '-', '_' or '.'"
        raise Refusal("NAME_INVALID", message, "name")
    return name


def checked_table_name(name: str) -> str:
    """The name. Refusal: it is not allowed."""
    if not TABLE_NAME.fullmatch(name):
        allowed = "give 1 to 64 letters, digits, spaces, '-', '_' or '.', no space at either end"
        raise Refusal("NAME_INVALID", f"{name[:80]!r} is not a name for a table: {allowed}", "name")
    return name


def checked_text(text: str) -> str:
    """What is said. Refusal: it is not allowed."""
    if not text.strip():
        raise Refusal("TEXT_INVALID", "there is nothing to say: give a text", "text")
    if len(text) > MAX_TEXT_CHARS:
        message = f"the text has {len(text):,} characters: at most {MAX_TEXT_CHARS} are allowed"
        raise Refusal("TEXT_INVALID", message, "text")
    if any(unicodedata.category(char) in SETTING or char in DIRECTION for char in text):
        raise Refusal("TEXT_INVALID", "the text must have no line breaks or other control characters", "text")
    return text
