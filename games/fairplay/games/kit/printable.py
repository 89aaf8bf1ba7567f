"""Strangers' text that is shown to people: it must not steer what shows it."""

from __future__ import annotations

import re

UNPRINTABLE = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"} | dict.fromkeys(
    [0x61C, 0x7F, *range(0x80, 0xA0), 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)], 0xFFFD
)
"""Control characters and the characters that are shown instead, for str.translate."""

COMMANDS_OF_CI = re.compile(r"(?m)^(?P<before>\s*):(?=:)|#(?=#(?:\[|vso|teamcity))")
"""How lines begin that CI systems take for commands, e.g. ::error:: and ##[error]."""


def harmless_text(text: str) -> str:
    """Return a text, as long as before, that steers neither a terminal nor a CI system that reads it in a log."""
    return COMMANDS_OF_CI.sub(_unlike_a_command, text.translate(UNPRINTABLE))


def _unlike_a_command(found: re.Match[str]) -> str:
    return "\uff03" if found["before"] is None else f"{found['before']}\uff1a"
