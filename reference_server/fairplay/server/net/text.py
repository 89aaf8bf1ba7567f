"""Names and texts of strangers: none may play tricks on the terminals and pages of those who read them."""

from __future__ import annotations

import re
import unicodedata

from fairplay.server.net.errors import Refusal
from fairplay.server.net.limits import limit_of

UNSAFE = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Unicode's categories of control characters (C0 and C1), invisible ones (zero width, changes of direction), private
and unassigned ones, surrogates, and separators of lines and paragraphs."""

MAX_NAME_CHARS = limit_of("EnterRequest.name").max_characters
USER_NAME = re.compile(rf"(?!\.{{1,2}}$){limit_of('EnterRequest.name').pattern}")
TABLE_NAME = re.compile(limit_of("CreateTableRequest.name").pattern)
BOT_NAME = re.compile(r"bot-[0-9]+", re.IGNORECASE)
MAX_TEXT_CHARS = limit_of("SayRequest.text").max_characters


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


def fold(name: str) -> str:
    """Return the form of a name in which capital and small letters make no difference."""
    return name.lower()


def check_user_name(name: str) -> str:
    """Return the name of a user. Raises Refusal if it is not allowed."""
    if not USER_NAME.fullmatch(name):
        allowed = f"1 to {MAX_NAME_CHARS} letters, digits, '-', '_' or '.'"
        message = f"{name[:80]!r} is not a name: give {allowed}"
        raise Refusal("NAME_INVALID", message, "name", given=name, allowed=allowed)
    if BOT_NAME.fullmatch(name):
        raise Refusal("NAME_INVALID", f"{name} is a name of bots: choose another one", "name", given=name)
    return name


def bot_name(number: int) -> str:
    """Return the name of a bot at a table, which no user may have."""
    return f"bot-{number}"


def check_table_name(name: str) -> str:
    """Return the name of a table. Raises Refusal if it is not allowed."""
    if not TABLE_NAME.fullmatch(name):
        allowed = f"1 to {MAX_NAME_CHARS} letters, digits, spaces, '-', '_' or '.', no space at either end"
        message = f"{name[:80]!r} is not a name for a table: give {allowed}"
        raise Refusal("NAME_INVALID", message, "name", given=name, allowed=allowed)
    return name


def check_text(text: str) -> str:
    """Return what a user says. Raises Refusal if it is not allowed."""
    if not text.strip():
        raise Refusal("TEXT_INVALID", "there is nothing to say: give a text", "text")
    if not is_plain(text):
        problem = "the text must have no line breaks or other control characters, and none that do not show"
        raise Refusal("TEXT_INVALID", problem, "text")
    return text
