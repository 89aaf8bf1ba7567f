"""What the games of a comparison are, and what their results say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fairplay.client.comparison import (
    MAX_ABORTED,
    NEW,
    OLD,
    Comparison,
    result_for_new,
    seatings,
)
from fairplay.standings.sprt import Bounds
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup


def test_in_a_deal_everybody_has_every_seat_and_the_two_each_others_place() -> None:
    for count in [2, 3, 4, 5, 8]:
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


def test_whoever_is_ahead_of_the_other_has_won_wherever_the_rest_is() -> None:
    for seating, result, expected in [
        ((NEW, OLD), ranked([0], [1]), 1),
        ((OLD, NEW), ranked([0], [1]), 0),
        ((NEW, OLD), ranked([0, 1]), 0.5),
        ((NEW, OLD), ranked([1], failed=[0]), 0),
        ((NEW, OLD), ranked([0], failed=[1]), 1),
        ((NEW, OLD), ranked(failed=[0, 1]), 0.5),
        ((2, NEW, 3, OLD), ranked([0], [1], [2], [3]), 1),
        ((2, NEW, 3, OLD), ranked([3], [0, 1], failed=[2]), 0),
    ]:
        assert result_for_new(seating, result) == expected


def comparison(max_games: int = 1_000) -> Comparison:
    return Comparison(["new", "old"], Bounds(), max_games)


NEW_WINS = [ranked([0], [1]), ranked([1], [0])]


def test_deals_with_an_aborted_game_count_for_nobody_and_too_many_end_it() -> None:
    played = comparison()
    for deal in range(1, MAX_ABORTED + 1):
        assert not played.over
        played.add(deal, [NEW_WINS[0], GameResult(aborted="the referee failed")])
    assert played.over
    assert (played.game_count, played.aborted) == (0, "the referee failed")
