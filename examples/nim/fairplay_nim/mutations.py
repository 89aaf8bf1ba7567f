"""Wrong answers in Nim: each breaks one rule, and is caught by the cases that it names."""

from __future__ import annotations

from random import Random

from fairplay.games.kit.conformance import DRAWN_STATES, WHOLE_GAME, collect_mutations, mutation, with_field
from fairplay_nim.v1.nim_pb2 import TakeRequest, TakeResponse

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)


@mutation("Take", "nim.take.required", "nim.take.zero")
def names_no_heap_for_zero(request: TakeRequest, reply: TakeResponse, rng: Random) -> TakeResponse | None:
    """Leaves out the heap where it is 0."""
    return None if reply.heap else with_field(reply, "heap", None)


@mutation("Take", "nim.take.heap", *ANYWHERE)
def takes_behind_the_last_heap(request: TakeRequest, reply: TakeResponse, rng: Random) -> TakeResponse | None:
    """Takes from the heap behind the last one."""
    return with_field(reply, "heap", len(request.state.heaps))


@mutation("Take", "nim.take.heap", "nim.take.first-heap-gone")
def takes_from_the_first_heap(request: TakeRequest, reply: TakeResponse, rng: Random) -> TakeResponse | None:
    """Takes from the first heap even where it is gone."""
    return None if request.state.heaps[0] else TakeResponse(heap=0, match_count=1)


@mutation("Take", "nim.take.count", "nim.take.last-match", "nim.take.one-at-a-time")
def takes_two(request: TakeRequest, reply: TakeResponse, rng: Random) -> TakeResponse | None:
    """Takes two matches where it may take only one."""
    return with_field(reply, "match_count", 2) if _most(request, reply) == 1 else None


@mutation("Take", "nim.take.count", *ANYWHERE, "rules.unusual-settings")
def takes_one_too_many(request: TakeRequest, reply: TakeResponse, rng: Random) -> TakeResponse | None:
    """Takes one match more than it may."""
    return with_field(reply, "match_count", _most(request, reply) + 1)


def _most(request: TakeRequest, reply: TakeResponse) -> int:
    return min(request.state.heaps[reply.heap], request.state.most)


MUTATIONS = collect_mutations(globals())
