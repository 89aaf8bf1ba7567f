"""What the games of a comparison are, and what their results say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from fairplay.standings.sprt import Answer, Bounds
from fairplay.terminal.playing.comparison import (
    MAX_ABORTED,
    NEW,
    OLD,
    Comparison,
    deal_seed,
    result_for_new,
    seatings,
)
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8])
def test_in_a_deal_everybody_has_every_seat_and_the_two_each_others_place(count: int) -> None:
    orders = seatings(count)
    for player in range(count):
        assert set(Counter(order.index(player) for order in orders).values()) == {len(orders) // count}
    swapped = [tuple({NEW: OLD, OLD: NEW}.get(player, player) for player in order) for order in orders]
    assert sorted(swapped) == sorted(orders)
    assert len(set(orders)) == len(orders) == (2 if count == 2 else 2 * count)


def ranked(*groups: Sequence[int], failed: Sequence[int] = ()) -> GameResult:
    return GameResult(
        ranking=[RankGroup(players=[RankedPlayer(seat=seat) for seat in group]) for group in groups],
        misconducts=[Misconduct(seat=seat, player="old") for seat in failed],
    )


@pytest.mark.parametrize(
    ("seating", "result", "expected"),
    [
        ((NEW, OLD), ranked([0], [1]), 1),
        ((OLD, NEW), ranked([0], [1]), 0),
        ((NEW, OLD), ranked([0, 1]), 0.5),
        ((NEW, OLD), ranked([1], failed=[0]), 0),
        ((NEW, OLD), ranked([0], failed=[1]), 1),
        ((NEW, OLD), ranked(failed=[0, 1]), 0.5),
        ((2, NEW, 3, OLD), ranked([0], [1], [2], [3]), 1),
        ((2, NEW, 3, OLD), ranked([3], [0, 1], failed=[2]), 0),
    ],
)
def test_whoever_is_ahead_of_the_other_has_won_wherever_the_rest_is(
    seating: Sequence[int], result: GameResult, expected: float
) -> None:
    assert result_for_new(seating, result) == expected


def comparison(max_games: int = 1_000) -> Comparison:
    return Comparison(["new", "old"], Bounds(), max_games)


NEW_WINS = [ranked([0], [1]), ranked([1], [0])]
OLD_WINS = [ranked([1], [0]), ranked([0], [1])]


def test_deals_count_in_their_order_whenever_they_end() -> None:
    early, late = comparison(), comparison()
    for deal in range(1, 6):
        early.add(deal, NEW_WINS if deal % 2 else OLD_WINS)
    for deal in (5, 4, 2, 3):
        late.add(deal, NEW_WINS if deal % 2 else OLD_WINS)
    assert late.game_count == 0
    late.add(1, NEW_WINS)
    assert late.as_json() == early.as_json()


def test_nothing_counts_after_the_answer() -> None:
    played = comparison()
    deal = 0
    while not played.over:
        deal += 1
        played.add(deal, NEW_WINS)
    before = played.as_json()
    played.add(deal + 1, OLD_WINS)
    assert played.as_json() == before
    assert played.answer is Answer.BETTER


def test_it_is_over_after_the_most_games() -> None:
    played = comparison(max_games=7)
    for deal in (1, 2, 3):
        assert not played.over
        played.add(deal, NEW_WINS)
    assert played.over
    assert played.answer is Answer.UNDECIDED


def test_failures_are_counted_and_whoever_always_fails_is_named() -> None:
    played = comparison()
    played.add(1, [ranked([0], failed=[1]), ranked([1], failed=[0])])
    assert played.always_failed() == ["old"]
    assert (played.results[1.0], played.failed_games[OLD], len(played.failures)) == (2, 2, 1)
    played.add(2, NEW_WINS)
    assert played.always_failed() == []


def test_deals_with_an_aborted_game_count_for_nobody_and_too_many_end_it() -> None:
    played = comparison()
    for deal in range(1, MAX_ABORTED + 1):
        assert not played.over
        played.add(deal, [NEW_WINS[0], GameResult(aborted="the referee failed")])
    assert played.over
    assert (played.game_count, played.aborted) == (0, "the referee failed")


def test_seeds_of_deals_differ_and_follow_from_the_seed() -> None:
    seeds = [deal_seed(seed, deal) for seed in (1, 2) for deal in range(1, 50)]
    assert len(set(seeds)) == len(seeds)
    assert max(seeds) < 2**53
    assert deal_seed(1, 1) == seeds[0]
