"""Nim as the conformance suite needs it: situations that players get wrong.

Heaps are written as a text of their sizes, e.g. "3 0 2". The player under test has seat 0 and the first turn.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fairplay.games.conformance import Conformance, Situation
from fairplay.games.kit.conformance import Check, build_probes
from fairplay_nim.mutations import MUTATIONS
from fairplay_nim.protocol import TURNS
from fairplay_nim.rules import Settings, State


def _drawn(heaps: str, most: int = 3) -> Callable[[Random], Situation]:
    """Return how to begin a game of two with these heaps; it ends with the first decision of the player under test."""
    state = State(tuple(map(int, heaps.split())), most, players=(0, 1))
    return lambda rng: Situation(TURNS.build_settings(Settings(most=most)), 2, 0, TURNS.build_state(state))


CHECKS = {
    "take.last-match: One match is left: a player that always takes two or three breaks a rule.": Check(
        ["take.count"], _drawn("1")
    ),
    "take.one-at-a-time: "
    "The settings allow one match in a turn: a player that knows only the usual three breaks a rule.": Check(
        ["take.count"], _drawn("4 4 4", most=1)
    ),
    "take.first-heap-gone: "
    "The first heap is gone, but keeps its place: a player that always takes from it breaks a rule.": Check(
        ["take.heap"], _drawn("0 2 0 3")
    ),
    "take.zero: Only heap 0 has matches: a reply that leaves out a zero names no heap.": Check(
        ["take.required"], _drawn("5 0")
    ),
}

PROBES = build_probes("nim", CHECKS)

CONFORMANCE = Conformance(probes=PROBES, mutations=MUTATIONS, package="fairplay_nim")
