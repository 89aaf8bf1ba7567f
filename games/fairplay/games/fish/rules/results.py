"""How a game of Fish stands, and how it ended (fish.md section 5)."""

from __future__ import annotations

from fairplay.games.fish.rules.state import State


def scores(state: State) -> tuple[int, ...]:
    """Return the fish collected, by seat; those of eliminated seats do not count in the ranking."""
    return state.scores


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """Return the surviving seats, best first; those with the same score share a group."""
    survivors = [seat for seat, alive in enumerate(state.alive) if alive]
    best_first = sorted({state.scores[seat] for seat in survivors}, reverse=True)
    return tuple(tuple(seat for seat in survivors if state.scores[seat] == score) for score in best_first)
