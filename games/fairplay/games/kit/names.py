"""Which names a tournament takes, for people who read no regular expressions."""

from __future__ import annotations

import re

COUNTED_CLASS = re.compile(r"\[([A-Za-z0-9 _.-]+)\]\{(\d+),(\d+)\}")
RANGES = {"a-z": "small letters", "A-Z": "capital letters", "0-9": "digits"}


def describe_names(pattern: str) -> str:
    """Return which names match a regular expression as a whole, e.g. "1 to 12 letters from a to z"."""
    found = COUNTED_CLASS.fullmatch(pattern)
    if found is None:
        return f"what matches the regular expression {pattern} as a whole"
    allowed, least, most = found.groups()
    words = [word for letters, word in RANGES.items() if letters in allowed]
    rest = re.sub("|".join(RANGES), "", allowed)
    if words[:2] == ["small letters", "capital letters"]:
        words[:2] = ["letters from A to z"]
    words += ["spaces" if letter == " " else f"'{letter}'" for letter in rest]
    listed = " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    return f"{least} to {most} {listed}"
