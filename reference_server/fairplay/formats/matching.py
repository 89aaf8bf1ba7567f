"""Perfect matchings of least cost: everybody is paired with somebody, and the sum of the costs is the least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from random import Random
from typing import TypeAlias

Pair: TypeAlias = tuple[int, int]
"""Two numbers, the smaller one first."""

NOISE_BITS = 40
WEIGHT_BITS = 120
"""rustworkx takes weights of 128 bits, and adds up to four of them."""


def match(count: int, costs: Mapping[Pair, int], rng: Random) -> tuple[Pair, ...] | None:
    """Return the perfect matching of the numbers below `count` of least cost; None if there is none.

    Only the pairs in `costs` may be chosen; no cost is negative. Among equally good matchings `rng` draws: a little
    noise on each cost makes the best one unique, so that each implementation of the algorithm finds the same.
    """
    import rustworkx  # noqa: PLC0415 - only some formats need it

    room = (count // 2).bit_length()  # all noise of a matching together is less than a cost of 1
    bits = max(0, min(NOISE_BITS, WEIGHT_BITS - max(costs.values(), default=0).bit_length() - room))
    noisy = [(one, other, (costs[one, other] << bits + room) + rng.getrandbits(bits)) for one, other in sorted(costs)]
    top = max((cost for *_, cost in noisy), default=0)
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph()
    graph.add_nodes_from([None] * count)
    graph.add_edges_from([(one, other, top - cost) for one, other, cost in noisy])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda weight: weight)
    return tuple(sorted((min(pair), max(pair)) for pair in found)) if 2 * len(found) == count else None


def rank_costs(criteria: Mapping[Pair, Sequence[int]], pair_count: int) -> dict[Pair, int]:
    """Return costs for `match` from criteria: the sum of the first one decides, then that of the second, and so on.

    `pair_count` is how many pairs a matching has. No criterion is negative.
    """
    sums = [pair_count * max(values) + 1 for values in zip(*criteria.values(), strict=True)]
    factors = [prod(sums[place + 1 :]) for place in range(len(sums))]
    return {
        pair: sum(value * factor for value, factor in zip(values, factors, strict=True))
        for pair, values in criteria.items()
    }
