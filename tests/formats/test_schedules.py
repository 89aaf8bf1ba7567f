"""Balanced schedules: each pair meets equally often, and everybody has each seat equally often."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from fairplay.formats.schedules import Round, game_count, schedule


def spreads(rounds: list[Round], count: int, seats: int) -> tuple[int, int, int]:
    """Return the fewest meetings of a pair, and how far meetings of pairs, and seats of an entrant, differ."""
    games = [game for each in rounds for game in each]
    met = Counter(pair for game in games for pair in combinations(sorted(game), 2))
    sat = Counter((entrant, seat) for game in games for seat, entrant in enumerate(game))
    meetings = [met[pair] for pair in combinations(range(count), 2)]
    uneven = [
        max(sat[entrant, seat] for seat in range(seats)) - min(sat[entrant, seat] for seat in range(seats))
        for entrant in range(count)
    ]
    return min(meetings), max(meetings) - min(meetings), max(uneven)


def test_pairs_and_seats_differ_by_one_at_the_most() -> None:
    for seats in [2, 3, 4, 5, 6, 7, 8]:
        for count in range(seats, 25):
            least, meetings, uneven = spreads(list(schedule(count, seats)), count, seats)
            assert least >= 1, count
            assert meetings <= 1, count
            assert uneven <= 1, count


@given(st.data())
def test_pairs_meet_as_often_as_is_asked_for(data: st.DataObject) -> None:
    seats = data.draw(st.sampled_from([2, 3, 4, 5, 8]))
    count = data.draw(st.integers(seats, 24))
    times = data.draw(st.integers(1, 12))
    rounds = list(schedule(count, seats, times))
    least, meetings, uneven = spreads(rounds, count, seats)
    assert (least >= times, meetings <= 1, uneven <= 1) == (True, True, True)
    assert sum(map(len, rounds)) >= game_count(count, seats, times)
    for each in rounds:
        assert len({entrant for game in each for entrant in game}) == seats * len(each)


@given(st.integers(2, 60))
def test_games_of_two_take_as_few_rounds_as_can_be(count: int) -> None:
    rounds = list(schedule(count, 2))
    assert len(rounds) == count - 1 + count % 2
    assert sum(map(len, rounds)) == game_count(count, 2) == count * (count - 1) // 2


def test_larger_schedules_are_nearly_as_even() -> None:
    for count, seats in [(200, 2), (100, 3), (200, 4), (120, 8)]:
        least, meetings, uneven = spreads(list(schedule(count, seats)), count, seats)
        assert least >= 1
        assert meetings <= 3
        assert uneven <= 1
