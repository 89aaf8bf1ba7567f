"""Nim as the conformance suite needs it: probes, which are situations that players get wrong, and mutations.

Heaps are written as a text of their sizes, e.g. "3 0 2". The player under test has seat 0 and the first turn.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fairplay.games.conformance import Conformance, Probe, Situation
from fairplay.games.kit.conformance import DRAWN_STATES, WHOLE_GAME, collect_mutations, mutation, with_field
from fairplay_nim.protocol import build_settings, build_state
from fairplay_nim.rules import Settings, State
from fairplay_nim.v1.nim_pb2 import TakeRequest, TakeResponse

# Probes


def _drawn(heaps: str, most: int = 3) -> Callable[[Random], Situation]:
    """Return how to begin a game of two with these heaps; it ends with the first decision of the player under test."""
    state = State(tuple(map(int, heaps.split())), most, players=(0, 1))
    return lambda rng: Situation(build_settings(Settings(most=most)), 2, 0, build_state(state))


PROBES = (
    Probe(
        "nim.take.last-match",
        ("nim.take.count",),
        "One match is left: a player that always takes two or three breaks a rule.",
        _drawn("1"),
    ),
    Probe(
        "nim.take.one-at-a-time",
        ("nim.take.count",),
        "The settings allow one match in a turn: a player that knows only the usual three breaks a rule.",
        _drawn("4 4 4", most=1),
    ),
    Probe(
        "nim.take.first-heap-gone",
        ("nim.take.heap",),
        "The first heap is gone, but keeps its place: a player that always takes from it breaks a rule.",
        _drawn("0 2 0 3"),
    ),
    Probe(
        "nim.take.zero",
        ("nim.take.required",),
        "Only heap 0 has matches: a reply that leaves out a zero names no heap.",
        _drawn("5 0"),
    ),
)

# Mutations

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


CONFORMANCE = Conformance(probes=PROBES, mutations=collect_mutations(globals()), package="fairplay_nim")
