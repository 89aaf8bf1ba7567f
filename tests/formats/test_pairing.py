"""The pairings of Swiss tournaments: who has met whom, who sits out, and who is paired with equals."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairplay.formats.grouping import Candidate, Groups, group_sizes
from fairplay.formats.pairing import Pairings, Ranked, match
from tests.slow import SLOW


def pair_rounds(count: int, rounds: int, seed: int) -> list[tuple[tuple[int, int], ...]]:
    """Pair rounds with results that are drawn; check that nobody meets twice, or sits out twice."""
    rng, pairings = Random(seed), Pairings(Random(seed))
    scores, first, out = Counter[int](), Counter[int](), Counter[int]()
    met: set[frozenset[int]] = set()
    all_rounds = []
    for left in range(rounds, 0, -1):
        order = sorted(range(count), key=lambda entrant: (-scores[entrant], entrant))
        pairs = pairings.pair([Ranked(each, scores[each], first[each]) for each in order], left)
        everybody = [entrant for pair in pairs for entrant in pair]
        assert len(everybody) == len(set(everybody)) == count - count % 2
        for entrant in set(order).difference(everybody):
            out[entrant] += 1
            scores[entrant] += 4
        for pair in pairs:
            assert frozenset(pair) not in met
            met.add(frozenset(pair))
            one, other = sorted(pair, key=lambda entrant: first[entrant])
            first.update({one: 1, other: -1})
            scores[rng.choice(pair)] += 4
        all_rounds.append(pairs)
    assert all(times <= 1 for times in out.values())
    assert all(abs(more) <= 2 for more in first.values()) or rounds > count // 2
    return all_rounds


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 24), st.integers(0, 1_000), st.data())
def test_nobody_meets_or_sits_out_twice_in_as_many_rounds_as_there_can_be(
    count: int, seed: int, data: st.DataObject
) -> None:
    rounds = data.draw(st.integers(1, count - 1 + count % 2))
    assert pair_rounds(count, rounds, seed) == pair_rounds(count, rounds, seed)


def test_whole_schedules_are_found_while_results_come_in() -> None:
    for count in [6, 9, 16, 31]:
        assert len(pair_rounds(count, count - 1 + count % 2, 7)) == count - 1 + count % 2


@SLOW
@pytest.mark.parametrize("count", [62, 63, 64])
def test_large_schedules_are_found_while_results_come_in(count: int) -> None:
    assert len(pair_rounds(count, 63 if count > 62 else 61, 7)) == (63 if count > 62 else 61)


def test_equals_meet_and_the_lowest_sits_out() -> None:
    ranking = [Ranked(entrant, score, 0) for entrant, score in enumerate([8, 8, 4, 4, 4, 4, 0])]
    pairs = Pairings(Random(1)).pair(ranking, 1)
    assert set(pairs) == {(0, 1), (2, 4), (3, 5)}


def test_the_lowest_who_has_not_sat_out_sits_out_next() -> None:
    pairings = Pairings(Random(1))
    ranking = [Ranked(entrant, 0, 0) for entrant in range(5)]
    out = [set(range(5)).difference(*pairings.pair(ranking, 5 - number)) for number in range(3)]
    assert out == [{4}, {3}, {2}]


def test_those_with_the_same_seat_too_often_do_not_meet() -> None:
    ranking = [Ranked(0, 4, 2), Ranked(1, 4, 2), Ranked(2, 4, -2), Ranked(3, 4, -2)]
    assert {frozenset(pair) for pair in Pairings(Random(1)).pair(ranking, 1)} == {frozenset({0, 2}), frozenset({1, 3})}


def test_where_all_have_met_those_who_met_least_meet_again() -> None:
    pairings = Pairings(Random(1))
    ranking = [Ranked(entrant, 0, 0) for entrant in range(4)]
    rounds = [pairings.pair(ranking, 1) for _ in range(6)]
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert set(met.values()) == {2}
    assert len(met) == 6


def test_whoever_leaves_is_paired_no_more() -> None:
    pairings = Pairings(Random(3))
    for left in range(6, 0, -1):
        staying = [Ranked(entrant, 0, 0) for entrant in range(1 + left)]
        pairs = pairings.pair(staying, left)
        assert {entrant for pair in pairs for entrant in pair} <= set(range(1 + left))


# --- matchings ---


@given(st.integers(1, 4), st.data())
def test_a_matching_costs_least(half: int, data: st.DataObject) -> None:
    count = 2 * half
    pairs = data.draw(st.lists(st.sampled_from(list(combinations(range(count), 2))), unique=True, min_size=1))
    costs = {pair: data.draw(st.integers(0, 10**6)) for pair in pairs}
    every = [each for each in combinations(pairs, half) if len({number for pair in each for number in pair}) == count]
    found = match(count, costs, Random(1))
    if not every:
        assert found is None
    else:
        assert found in {tuple(sorted(each)) for each in every}
        assert sum(costs[pair] for pair in found or ()) == min(sum(costs[pair] for pair in each) for each in every)


def test_what_is_drawn_among_equals_never_outweighs_a_cost() -> None:
    for seed in range(50):
        costs = {(0, 1): 0, (0, 2): 0, (0, 3): 0, (1, 2): 1, (1, 3): 0}
        assert match(4, costs, Random(seed)) == ((0, 2), (1, 3))


# --- groups of more than two ---


@given(st.integers(0, 200), st.integers(2, 8), st.integers(1, 4))
def test_groups_are_even_and_as_large_as_games_can_be(count: int, seats: int, least: int) -> None:
    least = min(least, seats)
    sizes = group_sizes(count, seats, range(least, seats + 1))
    assert all(least <= size <= seats for size in sizes)
    assert count - sum(sizes) < seats
    assert not sizes or max(sizes) - min(sizes) <= 1


def test_nobody_meets_twice_in_larger_games_while_there_is_room() -> None:
    for count, seats, rounds in [(30, 4, 6), (64, 4, 9), (27, 3, 8), (64, 8, 3)]:
        groups, rng, met = Groups(Random(5)), Random(5), set[tuple[int, int]]()
        scores = Counter[int]()
        for _ in range(rounds):
            order = sorted(range(count), key=lambda entrant: -scores[entrant])
            sizes = group_sizes(count, seats, range(2, seats + 1))
            for group in groups.form([Candidate(each, scores[each]) for each in order], sizes):
                pairs = set(combinations(sorted(group), 2))
                assert not met & pairs
                met |= pairs
                scores[rng.choice(group)] += 4


def test_groups_are_of_equals() -> None:
    order = [Candidate(entrant, score) for entrant, score in enumerate([9, 9, 9, 9, 5, 5, 5, 5, 0, 0, 0, 0])]
    groups = Groups(Random(1))
    assert groups.form(order, [4, 4, 4]) == ((0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11))
    again = groups.form(order, [4, 4, 4])
    assert sum(len({entrant // 4 for entrant in group}) > 1 for group in again) == 3
