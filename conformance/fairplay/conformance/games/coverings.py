"""Covering arrays: few combinations of values in which each pair of values is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from random import Random
from typing import TypeAlias

Row: TypeAlias = tuple[int, ...]
"""The index of a value for each factor."""
Value: TypeAlias = tuple[int, int]
"""The index of a factor, and of one of its values."""
Pair: TypeAlias = tuple[Value, Value]
"""Values of two factors, the factor with the lower index first."""

CHOICES = 4
"""From so many rows the best one is taken."""
ATTEMPTS = 6
"""After so many times in which none of them was allowed a pair of values is given up; the last one is all defaults."""


def cover_pairs(sizes: Sequence[int], is_allowed: Callable[[Row], bool], rng: Random) -> list[Row]:
    """Return allowed rows in which each pair of values of two factors is found, if it can be.

    `sizes` says how many values each factor has. The value 0 of each is its default: a pair that is allowed with the
    defaults of all other factors is always found, any other one nearly always.
    """
    missing = dict.fromkeys(_all_pairs(sizes))
    rows: list[Row] = []
    while missing:
        pair = next(iter(missing))
        found = _find_row(pair, sizes, missing, is_allowed, rng)
        if found is None:
            del missing[pair]
            continue
        rows.append(found)
        for covered in _pairs_of(found):
            missing.pop(covered, None)
    return rows


def _all_pairs(sizes: Sequence[int]) -> Iterator[Pair]:
    for first, second in combinations(range(len(sizes)), 2):
        for values in product(range(sizes[first]), range(sizes[second])):
            yield (first, values[0]), (second, values[1])


def _pairs_of(row: Row) -> Iterator[Pair]:
    return combinations(enumerate(row), 2)


def _find_row(
    pair: Pair, sizes: Sequence[int], missing: dict[Pair, None], is_allowed: Callable[[Row], bool], rng: Random
) -> Row | None:
    """Return an allowed row with a pair of values and many other missing pairs, or None if none was found."""
    for attempt in range(ATTEMPTS):
        rows = [_fill(pair, sizes, missing, rng, attempt / (ATTEMPTS - 1)) for _ in range(CHOICES)]
        rows.sort(key=lambda row: sum(each in missing for each in _pairs_of(row)), reverse=True)
        found = next(filter(is_allowed, rows), None)
        if found is not None:
            return found
    return None


def _fill(pair: Pair, sizes: Sequence[int], missing: dict[Pair, None], rng: Random, caution: float) -> Row:
    """Return a row with a pair: each other factor has the value with the most missing pairs, or else its default."""
    row = dict(pair)
    rest = [factor for factor in range(len(sizes)) if factor not in row]
    rng.shuffle(rest)
    for factor in rest:
        values = [0] if rng.random() < caution else rng.sample(range(sizes[factor]), sizes[factor])
        row[factor] = max(values, key=lambda value: _gain((factor, value), row, missing))
    return tuple(row[factor] for factor in range(len(sizes)))


def _gain(new: Value, row: dict[int, int], missing: dict[Pair, None]) -> int:
    """Return how many missing pairs a value has with those that a row already has."""
    return sum(((new, old) if new < old else (old, new)) in missing for old in row.items())
