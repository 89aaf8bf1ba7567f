"""Which names and texts are allowed in the lobby: none that play tricks on the terminals of others."""

from __future__ import annotations

import re

from fairplay.server.net.errors import Refusal
from fairplay.server.net.plain_text import is_plain

MAX_NAME_CHARS = 20
USER_NAME = re.compile(rf"(?!\.{{1,2}}$)[A-Za-z0-9_.-]{{1,{MAX_NAME_CHARS}}}")
TABLE_NAME = re.compile(rf"(?! )[A-Za-z0-9_. -]{{1,{MAX_NAME_CHARS}}}(?<! )")
BOT_NAME = re.compile(r"bot-[0-9]+", re.IGNORECASE)
MAX_TEXT_CHARS = 500


def fold(name: str) -> str:
    """Return the form of a name in which capital and small letters make no difference."""
    return name.lower()


def check_user_name(name: str) -> str:
    """Return the name of a user. Raises Refusal if it is not allowed."""
    if not USER_NAME.fullmatch(name):
        message = f"{name[:80]!r} is not a name: give 1 to {MAX_NAME_CHARS} letters, digits, '-', '_' or '.'"
        raise Refusal("NAME_INVALID", message, "name")
    if BOT_NAME.fullmatch(name):
        raise Refusal("NAME_INVALID", f"{name} is a name of bots: choose another one", "name")
    return name


def bot_name(number: int) -> str:
    """Return the name of a bot at a table, which no user may have."""
    return f"bot-{number}"


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
    if not is_plain(text):
        problem = "the text must have no line breaks or other control characters, and none that do not show"
        raise Refusal("TEXT_INVALID", problem, "text")
    return text
