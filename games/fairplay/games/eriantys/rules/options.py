"""Long choices of actions of Eriantys, whose items are made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Generic, TypeVar, overload

from fairplay.games.eriantys.rules.actions import Action, PlayCharacter
from fairplay.games.eriantys.rules.state import COLOR_COUNT, Counts

_T_co = TypeVar("_T_co", covariant=True)


@lru_cache(maxsize=4096)
def multisets(counts: Counts, size: int) -> tuple[tuple[int, ...], ...]:
    """Return all choices of `size` students out of these, each with its colours in order."""
    chosen = combinations_with_replacement(range(COLOR_COUNT), size)
    return tuple([colors for colors in chosen if all(colors.count(color) <= counts[color] for color in colors)])


class Lazy(Sequence[_T_co], Generic[_T_co]):
    """A sequence of a known length, an item of which is made when it is asked for."""

    __slots__ = ("_count", "_make")

    def __init__(self, count: int, make: Callable[[int], _T_co]) -> None:
        """Take a function from an index of 0 to count - 1 to its item."""
        self._count = count
        self._make = make

    def __len__(self) -> int:
        """Return how many items there are."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> _T_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_T_co]: ...
    def __getitem__(self, index: int | slice) -> _T_co | Sequence[_T_co]:
        """Return an item, or those of a slice."""
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self._count))]
        return self._make(range(self._count)[index])


def chained(parts: Sequence[Sequence[Action]]) -> Sequence[Action]:
    """Return several choices as one."""

    def item(index: int) -> Action:
        for part in parts:
            if index < len(part):
                return part[index]
            index -= len(part)
        raise IndexError(index)

    return Lazy(sum([len(part) for part in parts]), item)


def swaps(character: int, left: Counts, right: Counts, sizes: range) -> Sequence[PlayCharacter]:
    """Return all exchanges of so many students of the one multiset for as many of the other."""
    pairs = [(multisets(left, size), multisets(right, size)) for size in sizes]

    def item(index: int) -> PlayCharacter:
        for lefts, rights in pairs:
            if index < len(lefts) * len(rights):
                given, got = lefts[index // len(rights)], rights[index % len(rights)]
                return PlayCharacter(character, swaps=tuple(zip(given, got, strict=True)))
            index -= len(lefts) * len(rights)
        raise IndexError(index)

    return Lazy(sum([len(lefts) * len(rights) for lefts, rights in pairs]), item)


def columns(pairs: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, ...]]:
    """Yield the left colours of swaps, and the right ones, each in order."""
    for side in (0, 1):
        yield tuple(sorted(pair[side] for pair in pairs))
