"""Wrong answers in Nim: each breaks one rule, and is caught by the cases that it names."""

from __future__ import annotations

from functools import partial

from fairplay.games.kit.conformance import (
    DRAWN_STATES,
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    Wrong,
    build_mutations,
    replying,
    with_field,
)
from fairplay_nim.v1.nim_pb2 import TakeRequest, TakeResponse

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
take = partial(Wrong, "Take")


def most(request: TakeRequest, reply: TakeResponse) -> int:
    """Return how many matches may be taken from the heap of a sound reply."""
    return min(request.state.heaps[reply.heap], request.state.most)


WRONG_ANSWERS = {
    "names-no-heap-for-zero: Leaves out the heap where it is 0.": take(
        "take.required",
        lambda request, reply, rng: None if reply.heap else with_field(reply, "heap", None),
        ["take.zero"],
    ),
    "takes-behind-the-last-heap: Takes from the heap behind the last one.": take(
        "take.heap",
        lambda request, reply, rng: with_field(reply, "heap", len(request.state.heaps)),
        ANYWHERE,
    ),
    "takes-from-the-first-heap: Takes from the first heap even where it is gone.": take(
        "take.heap",
        replying(TakeResponse(heap=0, match_count=1)),
        ["take.first-heap-gone"],
        only=lambda request: not request.state.heaps[0],
    ),
    "takes-two: Takes two matches where it may take only one.": take(
        "take.count",
        lambda request, reply, rng: with_field(reply, "match_count", 2) if most(request, reply) == 1 else None,
        ["take.last-match", "take.one-at-a-time"],
    ),
    "takes-one-too-many: Takes one match more than it may.": take(
        "take.count",
        lambda request, reply, rng: with_field(reply, "match_count", most(request, reply) + 1),
        [*ANYWHERE, UNUSUAL_SETTINGS],
    ),
}

MUTATIONS = build_mutations("nim", WRONG_ANSWERS)
