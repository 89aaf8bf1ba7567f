"""Which states are drawn, those with features and pairs of them that none before had, and what all that covers."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple, TypeAlias

from fairplay.conformance.games.candidates import Candidate
from fairplay.conformance.games.features import Feature, matters
from fairplay.conformance.games.trial import Exchange, Trial
from fairplay.games.steps import CallKind

AT_RANDOM = 3
"""One state of so many is any one: a fault may have nothing to do with features."""
RARE = 0.01
"""How likely a fault escapes is told for one that shows in this share of the states."""

Gain: TypeAlias = tuple[int, int, int, int]
"""How many features that the game declares a state adds, how many of all, how many pairs of those that matter most, and
of all."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the drawn states cover in which a player was asked."""

    state_count: int
    decision_count: int
    """How many different decisions the player was asked for in these states and soon after."""
    counts: Mapping[Feature, int]
    """Feature -> how many of these states had it; 0: only others had it among which they were drawn, or none."""
    own: Mapping[Feature, str]
    """The features that the game declares -> the sentence of each."""
    pair_count: int
    """How many pairs of features these states had."""
    known_pair_count: int
    """How many pairs the states had among which they were drawn."""

    @property
    def sentence(self) -> str:
        """Return what is covered, for people."""
        covered = sum(count > 0 for count in self.counts.values())
        return (
            f"{self.state_count} states have {covered:,} of {len(self.counts):,} features and "
            f"{self.pair_count / max(1, self.known_pair_count):.1%} of their pairs. A fault that shows in one state of "
            f"a hundred escapes {self.decision_count:,} different decisions with probability "
            f"{(1 - RARE) ** self.decision_count:.2g}."
        )


class Known(NamedTuple):
    """What the states have among which some are drawn."""

    features: Set[Feature]
    pair_count: int


def measure_coverage(
    drawn: Sequence[Candidate], known: Known, own: Mapping[Feature, str], trials: Iterable[Trial]
) -> Coverage:
    """Return what drawn candidates cover, of all that are known; `trials` are the games that go on from them."""
    counts = Counter(feature for each in drawn for feature in each.features)
    asked = {_content(each) for trial in trials for each in trial.exchanges if each.kind is not CallKind.NOTIFICATION}
    return Coverage(
        len(drawn),
        len(asked),
        {feature: counts[feature] for feature in sorted(own.keys() | known.features)},
        own,
        Draw(drawn, own).pair_count(),
        known.pair_count,
    )


def _content(exchange: Exchange) -> bytes:
    """Return what a player was asked, whatever the id of the game."""
    request: Any = exchange.method.request.FromString(exchange.request)
    request.game_id = ""
    content: bytes = request.SerializeToString(deterministic=True)
    return content


class Draw:
    """Draws candidates one after the other, each the one that adds most, and any one now and then."""

    def __init__(self, candidates: Iterable[Candidate], own: Collection[Feature]) -> None:
        self._bit: dict[Feature, int] = {}
        self._own = self._set(own)
        self._candidates = [(each, self._set(each.features)) for each in candidates]
        self._mattering = self._set(each for each in self._bit if matters(each, own))
        self._uncovered: dict[int, int] = {}
        """The bit of each feature that was drawn -> the bits of those that were not drawn with it, below 0."""

    def pair_count(self) -> int:
        """Return how many pairs of features the candidates have."""
        together: dict[int, int] = {}
        for _, features in self._candidates:
            _cover(together, features)
        return sum((~mask).bit_count() - 1 for mask in together.values()) // 2

    def draw(self, rng: Random) -> Iterator[Candidate]:
        """Yield all candidates, in the order in which they are drawn."""
        left = dict(enumerate(self._candidates))
        any_order = iter(rng.sample(range(len(left)), len(left)))
        heap = self._by_gain(left)
        for turn in range(1, len(left) + 1):
            if turn % AT_RANDOM == 0:
                number = next(each for each in any_order if each in left)
            else:
                number = self._pop_best(heap, left)
                if not any(self._gain(left[number][1])):  # all is covered: once more
                    self._uncovered.clear()
                    heap = self._by_gain(left)
            candidate, features = left.pop(number)
            _cover(self._uncovered, features)
            yield candidate

    def _by_gain(self, left: Mapping[int, tuple[Candidate, _Set]]) -> list[tuple[Gain, int]]:
        heap = [(_negative(self._gain(features)), number) for number, (_, features) in left.items()]
        heapq.heapify(heap)
        return heap

    def _pop_best(self, heap: list[tuple[Gain, int]], left: Mapping[int, tuple[Candidate, _Set]]) -> int:
        """Return the one that adds most. What each adds only shrinks: few have to be looked at again."""
        while True:
            before, number = heap[0]
            if number not in left:
                heapq.heappop(heap)
                continue
            now = _negative(self._gain(left[number][1]))
            if now == before:
                heapq.heappop(heap)
                return number
            heapq.heapreplace(heap, (now, number))

    def _gain(self, features: _Set) -> Gain:
        own = single = mattering_pairs = pairs = 0
        for bit in features.bits:
            new = features.mask & self._uncovered.get(bit, ALL)
            if new:
                pairs += new.bit_count()
                if bit in self._mattering.bits:
                    mattering_pairs += (new & self._mattering.mask).bit_count()
                if bit not in self._uncovered:
                    single += 1
                    own += bit in self._own.bits
        return own, single, mattering_pairs, pairs

    def _set(self, features: Iterable[Feature]) -> _Set:
        # sorted, as the order of a set differs from one process to the next
        bits = {self._bit.setdefault(each, len(self._bit)) for each in sorted(features)}
        return _Set(bits, sum(1 << bit for bit in bits))


ALL = -1
"""All bits."""


class _Set(NamedTuple):
    """Features, by the bit of each, and as one number."""

    bits: Set[int]
    mask: int


def _cover(uncovered: dict[int, int], features: _Set) -> None:
    for bit in features.bits:
        uncovered[bit] = uncovered.get(bit, ALL) & ~features.mask


def _negative(gain: Gain) -> Gain:
    """Return a key of which the least is that of the greatest gain."""
    own, features, mattering_pairs, pairs = gain
    return -own, -features, -mattering_pairs, -pairs
