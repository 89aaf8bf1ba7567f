"""Which states are drawn, those with features and pairs of them that none before had, and what all that covers."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

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


def measure_coverage(
    drawn: Sequence[Candidate], known: Sequence[Candidate], own: Mapping[Feature, str], trials: Iterable[Trial]
) -> Coverage:
    """Return what drawn candidates cover, of all that are known; `trials` are the games that go on from them."""
    counts = Counter(feature for each in drawn for feature in each.features)
    features = own.keys() | {feature for each in known for feature in each.features}
    asked = {_content(each) for trial in trials for each in trial.exchanges if each.kind is not CallKind.NOTIFICATION}
    return Coverage(
        len(drawn),
        len(asked),
        {feature: counts[feature] for feature in sorted(features)},
        own,
        Draw(drawn, own).pair_count(),
        Draw(known, own).pair_count(),
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
        self._own = self._mask(own)
        self._candidates = [(each, self._mask(each.features)) for each in candidates]
        self._mattering = self._mask(each for each in self._bit if matters(each, own))
        self._covered: dict[int, int] = {}
        """The bit of each feature that was drawn -> the bits of those that were drawn with it, its own included."""

    def pair_count(self) -> int:
        """Return how many pairs of features the candidates have."""
        together: dict[int, int] = {}
        for _, mask in self._candidates:
            _cover(together, mask)
        return sum(mask.bit_count() - 1 for mask in together.values()) // 2

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
                    self._covered.clear()
                    heap = self._by_gain(left)
            candidate, mask = left.pop(number)
            _cover(self._covered, mask)
            yield candidate

    def _by_gain(self, left: Mapping[int, tuple[Candidate, int]]) -> list[tuple[Gain, int]]:
        heap = [(_negative(self._gain(mask)), number) for number, (_, mask) in left.items()]
        heapq.heapify(heap)
        return heap

    def _pop_best(self, heap: list[tuple[Gain, int]], left: Mapping[int, tuple[Candidate, int]]) -> int:
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

    def _gain(self, mask: int) -> Gain:
        own = features = mattering_pairs = pairs = 0
        for bit in _bits(mask):
            new = mask & ~self._covered.get(bit, 0)
            is_new = new >> bit & 1
            features += is_new
            pairs += new.bit_count()
            own += is_new & self._own >> bit
            if self._mattering >> bit & 1:
                mattering_pairs += (new & self._mattering).bit_count()
        return own, features, mattering_pairs, pairs

    def _mask(self, features: Iterable[Feature]) -> int:
        """Return the bits of features, as one number."""
        mask = 0
        for each in sorted(features):  # the order of a set differs from one process to the next
            mask |= 1 << self._bit.setdefault(each, len(self._bit))
        return mask


def _cover(covered: dict[int, int], mask: int) -> None:
    for bit in _bits(mask):
        covered[bit] = covered.get(bit, 0) | mask


def _bits(mask: int) -> Iterator[int]:
    """Yield which bits are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _negative(gain: Gain) -> Gain:
    """Return a key of which the least is that of the greatest gain."""
    own, features, mattering_pairs, pairs = gain
    return -own, -features, -mattering_pairs, -pairs
