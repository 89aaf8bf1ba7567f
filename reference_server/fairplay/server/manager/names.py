"""The pattern that names of a tournament must match.

It is a stranger's regular expression: Python's `re` can take exponential time for a short one, and would hold up every
game of the server. RE2 takes time in proportion to the name.
"""

from __future__ import annotations

import re2

MAX_PATTERN_CHARS = 200
OPTIONS = re2.Options()
OPTIONS.log_errors = False
OPTIONS.max_mem = 1024 * 1024


class NamePattern:
    """A pattern in RE2's syntax that names must match as a whole. Raises ValueError if it cannot be read."""

    def __init__(self, pattern: str) -> None:
        if len(pattern) > MAX_PATTERN_CHARS:
            raise ValueError(f"it has {len(pattern)} characters; at most {MAX_PATTERN_CHARS} are allowed")
        try:
            self._pattern = re2.compile(pattern, OPTIONS)
        except re2.error as error:
            (problem,) = error.args
            raise ValueError(f"it is not a regular expression in RE2's syntax: {problem.decode()}") from None

    def matches(self, name: str) -> bool:
        """Return whether the whole name matches."""
        return self._pattern.fullmatch(name) is not None
