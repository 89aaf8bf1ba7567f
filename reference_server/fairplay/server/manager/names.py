"""The pattern that names of a tournament must match, without the traps of a stranger's regular expression.

Python's `re` can take exponential time for a short pattern, and would hold up every game of the server. Here a pattern
is a function from the places where a match may begin to those where it may end, which takes time in proportion to the
name. It knows the common part of RE2's syntax: characters, escapes, classes, groups, alternatives and repetitions.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import TypeAlias

MAX_PATTERN_CHARS = 200
MAX_REPEATS = 1_000
MAX_DEPTH = 5

Part: TypeAlias = Callable[[str, set[int]], set[int]]

CHARACTER = re.compile(r"\\[dDsSwW]|\\[^a-zA-Z0-9]|\[\^?\]?(?:\\.|[^\[\]\\])*\]|[^\\\[\](){}|*+?^$]")
REPEAT = re.compile(r"([*+?]|\{(\d{1,4})(?:(,)(\d{0,4}))?\})\??")
GROUP = re.compile(r"\((\?:|\?P?<\w+>)?")
GROUP_END, OR, ANCHOR = re.compile(r"\)"), re.compile(r"\|"), re.compile(r"[\^$]")
BOUNDS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class NamePattern:
    """A pattern that names must match as a whole. ValueError: it cannot be read; the sentence says where."""

    def __init__(self, pattern: str) -> None:
        if len(pattern) > MAX_PATTERN_CHARS:
            raise ValueError(f"it has {len(pattern)} characters; at most {MAX_PATTERN_CHARS} are allowed")
        self._match = _Reader(pattern).whole()

    def matches(self, name: str) -> bool:
        """Whether the whole name matches."""
        return len(name) in self._match(name, {0})


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def whole(self) -> Part:
        part = self._alternatives()
        if self._at < len(self._text):
            raise self._stuck()
        return part

    def _stuck(self) -> ValueError:
        rest = self._text[self._at :]
        return ValueError(f"{rest!r} cannot be read" if rest else "a group is not closed")

    def _take(self, token: re.Pattern[str]) -> re.Match[str] | None:
        found = token.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return found

    def _alternatives(self) -> Part:
        parts = [self._sequence()]
        while self._take(OR) is not None:
            parts.append(self._sequence())
        return lambda name, starts: set().union(*(part(name, starts) for part in parts))

    def _sequence(self) -> Part:
        parts = []
        while (part := self._piece()) is not None:
            parts.append(part)

        def match(name: str, places: set[int]) -> set[int]:
            for part in parts:
                places = part(name, places)
            return places

        return match

    def _piece(self) -> Part | None:
        part = self._atom()
        if part is not None and (found := self._take(REPEAT)) is not None:
            return _repeated(part, *self._bounds(found))
        return part

    def _atom(self) -> Part | None:
        if self._take(GROUP) is not None:
            return self._group()
        if self._take(ANCHOR) is not None:
            return _anchor(self._text[self._at - 1])
        found = self._take(CHARACTER)
        return _character(found[0]) if found is not None else None

    def _group(self) -> Part:
        if self._depth == MAX_DEPTH:
            raise ValueError(f"more than {MAX_DEPTH} groups inside each other are not allowed")
        self._depth += 1
        part = self._alternatives()
        self._depth -= 1
        if self._take(GROUP_END) is None:
            raise self._stuck()
        return part

    def _bounds(self, found: re.Match[str]) -> tuple[int, int | None]:
        if found[1] in BOUNDS:
            return BOUNDS[found[1]]
        low = int(found[2])
        high = int(found[4]) if found[4] else None if found[3] else low
        if max(low, high or 0) > MAX_REPEATS or (high is not None and high < low):
            raise ValueError(f"{found[0]} is not a number of times; at most {MAX_REPEATS:,} are allowed")
        return low, high


def _anchor(text: str) -> Part:
    return lambda name, starts: starts & {0 if text == "^" else len(name)}


def _character(text: str) -> Part:
    try:
        with warnings.catch_warnings(action="error"):  # what may mean something else in a later Python
            one = re.compile(text, re.ASCII)
    except (re.error, FutureWarning) as error:
        raise ValueError(f"{text!r} cannot be read: {error}") from None
    return lambda name, starts: {place + 1 for place in starts if place < len(name) and one.match(name, place)}


def _repeated(part: Part, low: int, high: int | None) -> Part:
    def match(name: str, starts: set[int]) -> set[int]:
        places, count = starts, 0
        while places and count < low:
            before, places, count = places, part(name, places), count + 1
            if places == before:  # it may match nothing: more times change nothing
                count = low
        found, fresh = set(places), places
        while fresh and (high is None or count < high):
            fresh = part(name, fresh) - found
            found |= fresh
            count += 1
        return found

    return match
