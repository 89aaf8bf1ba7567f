"""The shortest history that shows a misconduct, and whether it comes by chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import TypeAlias

from google.protobuf.message import Message

from fairplay.conformance.games.trial import Entry, Exchange, Trial

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


MAX_ROUNDS = 8
SIGNIFICANT = 0.05
"""A difference that chance makes more rarely than this is due to the circumstances."""


def due_to_circumstances(with_them: Callable[[], bool], without: Callable[[], bool]) -> bool:
    """Return whether misconduct shows with circumstances, and significantly less often without them.

    Both functions try it once more and return whether it showed. Without the circumstances it was tried once before,
    and did not show. What always shows with them is settled after three rounds.
    """
    shown = 0
    for rounds in range(1, MAX_ROUNDS + 1):
        if rounds > 1 and without():
            return False
        shown += with_them()
        if probability(shown, rounds) <= SIGNIFICANT:
            return True
        if not shown and rounds >= MAX_ROUNDS // 2:
            return False
    return False


def probability(shown: int, rounds: int) -> float:
    """Return how probable it is that what shows so often in all rounds does so only with the circumstances."""
    return comb(rounds, shown) / comb(2 * rounds, shown)


def answers_differ(one: Trial, other: Trial) -> bool:
    """Return whether the player answered the same request differently in two games from the same situation."""
    for first, second in zip(one.exchanges, other.exchanges, strict=False):
        if _content(first) != _content(second):  # those of other methods are of other types
            return False
        if first.answer != second.answer:
            return True
    return False


def _content(exchange: Exchange) -> Message:
    """Return a request without the id of its game, which is a new one each time."""
    request = exchange.method.request.FromString(exchange.request)
    request.ClearField("game_id")
    return request
