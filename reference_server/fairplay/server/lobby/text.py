"""Which names and texts are allowed in the lobby: none that play tricks on the terminals of others."""

from __future__ import annotations

import re
import unicodedata

from fairplay.server.errors import Refusal

MAX_NAME_CHARS = 20
USER_NAME = re.compile(rf"[A-Za-z0-9_.-]{{1,{MAX_NAME_CHARS}}}")
TABLE_NAME = re.compile(rf"(?! )[A-Za-z0-9_. -]{{1,{MAX_NAME_CHARS}}}(?<! )")
MAX_TEXT_CHARS = 500
CONTROL = {"Cc", "Zl", "Zp", "Cs"}
"""Unicode's categories of control characters, separators of lines and paragraphs, and surrogates."""

DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def fold(name: str) -> str:
    """Return the form of a name in which capital and small letters make no difference."""
    return name.lower()


def check_user_name(name: str) -> str:
    """Return the name of a user. Raises Refusal if it is not allowed."""
    if not USER_NAME.fullmatch(name):
        message = f"{name[:80]!r} is not a name: give 1 to {MAX_NAME_CHARS} letters, digits, '-', '_' or '.'"
        raise Refusal("NAME_INVALID", message, "name")
    return name


def check_table_name(name: str) -> str:
    """Return the name of a table. Raises Refusal if it is not allowed."""
    if not TABLE_NAME.fullmatch(name):
        allowed = f"give 1 to {MAX_NAME_CHARS} letters, digits, spaces, '-', '_' or '.', no space at either end"
        raise Refusal("NAME_INVALID", f"{name[:80]!r} is not a name for a table: {allowed}", "name")
    return name


def check_text(text: str) -> str:
    """Return what a user says. Raises Refusal if it is not allowed."""
    if not text.strip():
        raise Refusal("TEXT_INVALID", "there is nothing to say: give a text", "text")
    if len(text) > MAX_TEXT_CHARS:
        message = f"the text has {len(text):,} characters: at most {MAX_TEXT_CHARS} are allowed"
        raise Refusal("TEXT_INVALID", message, "text")
    if any(unicodedata.category(char) in CONTROL or char in DIRECTION for char in text):
        raise Refusal("TEXT_INVALID", "the text must have no line breaks or other control characters", "text")
    return text
