"""The shortest history that shows a misconduct: what a player must have been asked before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from fairplay.conformance.games.trial import Entry

Shorten: TypeAlias = Callable[[Entry, int], Entry]
"""Returns an entry with games of at most so many decisions."""
FEW = (1, 2, 3, 5, 8)
"""Numbers of decisions that are tried for games of a history, before their own number."""


def shortest(
    history: Sequence[Entry], shorten: Shorten, shows: Callable[[Sequence[Entry]], bool]
) -> Sequence[Entry] | None:
    """Return the shortest history found that shows a misconduct, or None if not even the whole one does.

    `shows` plays a history, and what followed it, to a player without a past.
    """
    found = next((each for each in _ends(history) if shows(each)), None)
    if found is None:
        return None
    hasty = [shorten(entry, 1) for entry in found]
    if any(new is not old for new, old in zip(hasty, found, strict=True)) and shows(hasty):
        return _fewest(hasty, shows)
    return _shortened(_fewest(found, shows), shorten, shows)


def _ends(history: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """Yield the last entry, the last two, four, eight, …, and all."""
    size = 1
    while size < len(history):
        yield history[-size:]
        size *= 2
    yield history


def _fewest(history: Sequence[Entry], shows: Callable[[Sequence[Entry]], bool]) -> Sequence[Entry]:
    """Return a history without parts that are not needed: halves, then quarters, down to single entries."""
    size = len(history) // 2
    while size:
        start = 0
        while start < len(history) and len(history) > size:
            rest = [*history[:start], *history[start + size :]]
            if shows(rest):
                history = rest
            else:
                start += size
        size //= 2
    return history


def _shortened(history: Sequence[Entry], shorten: Shorten, shows: Callable[[Sequence[Entry]], bool]) -> Sequence[Entry]:
    """Return a history with games of as few decisions as will do."""
    found = list(history)
    for index, entry in enumerate(found):
        for turn_count in FEW:
            new = shorten(entry, turn_count)
            if new is not entry and shows([*found[:index], new, *found[index + 1 :]]):
                found[index] = new
                break
    return found
