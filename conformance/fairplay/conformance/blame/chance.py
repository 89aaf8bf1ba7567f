"""What players draw by lot: whether misconduct is due to circumstances, or comes by chance whatever they are."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

from google.protobuf.message import Message

from fairplay.conformance.games.trial import Exchange, Trial

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
