"""Text of strangers: none of it may play tricks on the terminals and pages of those who read it."""

from __future__ import annotations

import unicodedata

UNSAFE = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Unicode's categories of control characters (C0 and C1), invisible ones (zero width, changes of direction), private
and unassigned ones, surrogates, and separators of lines and paragraphs."""


def is_plain(text: str) -> bool:
    """Return whether all characters of a text show, or are spaces, and stay on its line."""
    return text.isprintable() or not any(unicodedata.category(char) in UNSAFE for char in text)


def visible(text: str) -> str:
    """Return a text with its unsafe characters escaped, e.g. "\\u202e"."""
    if is_plain(text):
        return text
    return "".join(_escape(char) if unicodedata.category(char) in UNSAFE else char for char in text)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
