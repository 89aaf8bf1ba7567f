"""Strangers' text that is shown to people: it must not steer what shows it."""

from __future__ import annotations

UNPRINTABLE = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"} | dict.fromkeys(
    [0x7F, *range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD
)
"""Control characters and the characters that are shown instead, for str.translate."""
