"""The time of a game of Webset, which goes on by what answers take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from fairplay.games.steps import Arrival, Race
from fairplay.games.webset.protocol.controller import GameTime
from fairplay.games.webset.rules.settings import settings_of


def some_time() -> GameTime:
    """Return a time of which what is left of a second says how far it has come."""
    return GameTime(settings_of(min_reaction_ms=1000, min_players=1))


@pytest.mark.parametrize(
    ("hold_s", "handicaps", "arrivals", "left_s"),
    [
        (0.5, {}, [(0, 0.2)], 0.5),  # held
        (0.5, {0: 0.25}, [(0, 0.2)], 0.25),
        (0.0, {}, [(1, 0.6), (0, 0.2)], 0.4),  # no moment lies before the one before
        (0.5, {}, [(0, 0.2), (2, 0.4)], 0.5),  # who joins in the same moment was not called: since the race began
    ],
)
def test_time_goes_on_to_the_moment_at_which_an_answer_counts(
    hold_s: float, handicaps: Mapping[int, float], arrivals: Sequence[tuple[int, float]], left_s: float
) -> None:
    time = some_time()
    for seat in (0, 1):
        time.record_call(seat)
    assert time.hold_s() == 1.0
    time.advance(Race((), hold_s, handicaps), [Arrival(seat, None, elapsed_s) for seat, elapsed_s in arrivals])
    assert time.hold_s() == left_s


def test_what_an_answer_takes_begins_with_its_call() -> None:
    time = some_time()
    time.record_call(0)
    time.advance(Race((), 0.0), [Arrival(1, None, 0.3)])
    time.record_call(1)
    time.advance(Race((), 0.0), [Arrival(0, None, 0.4)])
    assert time.hold_s() == 0.6
    time.advance(Race((), 0.0), [Arrival(1, None, 0.4)])
    assert time.hold_s() == 0.3
    time.record_change()
    assert time.hold_s() == 1.0
