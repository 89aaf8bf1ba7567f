"""Rounds that are kept in reserve, so that nobody has to meet twice in a later round.

A round of games of two is a perfect matching of those who have not met. A matching that is good now may leave pairs of
which no matchings can be made any more: of two groups of three, say, in which everybody has met the other group. So
where rounds are many, those to come are held in reserve, as matchings without a common pair. There are always some: the
rounds of the circle method at the beginning, and after each round those that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from random import Random
from typing import TypeAlias

from fairplay.formats.matching import Pair, match

Matching: TypeAlias = tuple[Pair, ...]

RETRIES = 40
"""How many matchings are taken back, in a search for many, before it is given up."""


def is_safe(count: int, least_degree: int, rounds: int) -> bool:
    """Return whether so many rounds without a repetition are certain, whatever is played in them.

    `least_degree` is the fewest others that somebody has not met. Where everybody has not met half of all there is a
    matching (Dirac's theorem), and each round takes one.
    """
    return rounds == 0 or 2 * (least_degree - rounds + 1) >= count


def find_matchings(count: int, pairs: Collection[Pair], wanted: int, rng: Random) -> list[Matching] | None:
    """Return so many matchings without a common pair, made of these pairs; None if none were found."""
    left, found, retries = set(pairs), list[Matching](), 0
    while len(found) < wanted:
        matching = match(count, dict.fromkeys(left, 0), rng)
        if matching is not None:
            found.append(matching)
            left -= set(matching)
            continue
        retries += 1
        if retries > RETRIES or not found:
            return None
        for _ in range(min(len(found), 2 + retries % 3)):
            left |= set(found.pop())
    return found


def take_best(matchings: Sequence[Matching], cost: Callable[[Pair], int]) -> tuple[Matching, list[Matching]]:
    """Return a good matching that can be made of pairs of these, and matchings of the pairs that are left over.

    It begins with the best one. Two matchings make circles of pairs that are in turn of the one and of the other; where
    a circle is better with the others, they change places.
    """
    first, *others = sorted(matchings, key=lambda matching: (sum(map(cost, matching)), matching))
    best, rest = set(first), [set(matching) for matching in others]
    while sum(_exchange(best, other, cost) for other in rest):
        pass
    return tuple(sorted(best)), [tuple(sorted(matching)) for matching in rest]


def _exchange(best: set[Pair], other: set[Pair], cost: Callable[[Pair], int]) -> bool:
    """Exchange the pairs of the circles in which the other matching is better; return whether there were any."""
    better = [(mine, theirs) for mine, theirs in _circles(best, other) if sum(map(cost, theirs)) < sum(map(cost, mine))]
    for mine, theirs in better:
        best -= mine
        best |= theirs
        other -= theirs
        other |= mine
    return bool(better)


def _circles(one: Collection[Pair], other: Collection[Pair]) -> Iterator[tuple[set[Pair], set[Pair]]]:
    """Return the circles of two matchings, each as its pairs of the one and of the other."""
    ones = {number: pair for pair in one for number in pair}
    others = {number: pair for pair in other for number in pair}
    seen: set[int] = set()
    for start in sorted(ones):
        mine, theirs, number = set[Pair](), set[Pair](), start
        while number not in seen:
            partner = sum(ones[number]) - number
            seen |= {number, partner}
            mine.add(ones[number])
            theirs.add(others[partner])
            number = sum(others[partner]) - partner
        if mine:
            yield mine, theirs
