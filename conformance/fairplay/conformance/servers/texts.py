"""Texts that count otherwise in bytes, in units of UTF-16 or as people see them, and texts that nearly fit."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fairplay.server.net.limits import limit_of

LETTERS = "xé猫𠀋"
"""A letter of 1, 2, 3 and 4 bytes each; the last one has two units in UTF-16."""
LARGEST = LETTERS[-1]
ACCENT = "\N{COMBINING ACUTE ACCENT}"
"""A character that is one letter together with those before it."""
_ODD = {
    "a line break": "\n",
    "a carriage return and a line break": "\r\n",
    "a line break of Unicode": "\u2028",
    "a NUL": "\0",
    "a space": " ",
    "a space of Unicode": "\u00a0",
    "a digit of full width": "\N{FULLWIDTH DIGIT ONE}",
    "an Arabic digit": "\N{ARABIC-INDIC DIGIT ONE}",
    "a Cyrillic letter": "\N{CYRILLIC SMALL LETTER A}",
    "the sign of Kelvin, whose small letter is k,": "\N{KELVIN SIGN}",
}


def size_of(letter: str) -> str:
    """Return the size of a letter in words."""
    size = len(letter.encode())
    return f"{size} byte{'s' if size > 1 else ''}"


def fit(field: str, word: str = "") -> str:
    """Return a text as long as a field of fairplay.v1 may be, of the characters that its pattern allows and a word."""
    limit = limit_of(field)
    allowed = "".join(each for each in map(chr, range(128)) if re.fullmatch(limit.pattern, each))
    return (allowed[: limit.max_characters - len(word)] + word).ljust(limit.max_characters, "x")


def misfits(field: str, fitting: str = "anna") -> Mapping[str, str]:
    """Return texts that the pattern of a field of fairplay.v1 does not match, by what each has beside `fitting`."""
    pattern = re.compile(limit_of(field).pattern)
    texts = {
        f"{what} {where}": text
        for what, odd in _ODD.items()
        for where, text in (
            ("at its end", f"{fitting}{odd}"),
            ("at its beginning", f"{odd}{fitting}"),
            ("inside", f"{fitting[:2]}{odd}{fitting[2:]}"),
        )
    }
    return {what: text for what, text in texts.items() if not pattern.fullmatch(text)}
