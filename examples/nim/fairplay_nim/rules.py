"""The rules of Nim: players take matches from heaps in turn, and whoever takes the last match wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from fairplay.games.kit.settings import number

SEATS = range(2, 5)
MOST_HEAPS, LARGEST_HEAP, MOST_TAKEN = 9, 30, 9

RULES = {
    "nim.take.count": "A player takes 1 match or more, no more than the settings allow, and no more than the heap has.",
    "nim.take.heap": "A player takes from a heap that has matches.",
    "nim.take.required": "The answer to Take must hold a heap and a number of matches.",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be chosen about a game."""

    heaps: int = number(5, 1, MOST_HEAPS, "How many heaps there are.")
    largest: int = number(9, 1, LARGEST_HEAP, "Each heap has 1 to so many matches, drawn from the seed of the game.")
    most: int = number(3, 1, MOST_TAKEN, "How many matches a player may take in a turn.")


class State(NamedTuple):
    """The matches in each heap, and the seats that are left: the one whose turn it is first."""

    heaps: tuple[int, ...]
    most: int
    players: tuple[int, ...]
    revision: int = 0


class Take(NamedTuple):
    """Take so many matches from the heap with this index."""

    heap: int
    match_count: int


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """Return the state at the beginning of a game."""
    heaps = tuple(rng.randint(1, settings.largest) for _ in range(settings.heaps))
    return State(heaps, settings.most, tuple(range(seat_count)))


def turn(state: State) -> int | None:
    """Return the seat whose turn it is, or None if the game is over: no match is left, or one player."""
    return state.players[0] if any(state.heaps) and len(state.players) > 1 else None


def legal(state: State) -> Sequence[Take]:
    """Return everything that the player whose turn it is may do."""
    return [Take(heap, count) for heap, size in enumerate(state.heaps) for count in range(1, min(size, state.most) + 1)]


def violation(state: State, take: Take) -> str | None:
    """Return the id of the rule that an action breaks, or None if it is legal."""
    if not 0 <= take.heap < len(state.heaps) or not state.heaps[take.heap]:
        return "nim.take.heap"
    return None if 1 <= take.match_count <= min(state.heaps[take.heap], state.most) else "nim.take.count"


def apply(state: State, take: Take) -> State:
    """Return the state after a legal action."""
    heaps = list(state.heaps)
    heaps[take.heap] -= take.match_count
    return State(tuple(heaps), state.most, (*state.players[1:], state.players[0]), state.revision + 1)


def eliminate(state: State, seat: int) -> State:
    """Return the state without a player."""
    players = tuple(player for player in state.players if player != seat)
    return state._replace(players=players, revision=state.revision + 1)


def scores(state: State) -> list[int]:
    """Return the points by seat: once the game is over 1 for the winner, who moved last and so is last in `players`."""
    winner = state.players[-1:] if turn(state) is None else ()
    return [int((seat,) == winner) for seat in range(1 + max(state.players, default=0))]


def ranking(state: State) -> list[list[int]]:
    """Return the winner, then the other seats that are left."""
    return [group for group in ([*state.players[-1:]], sorted(state.players[:-1])) if group]


def find_problem(state: State) -> str | None:
    """Return a sentence that says why no game has such a state, or None if one has."""
    if sorted(state.players) != list(range(len(state.players))) or len(state.players) not in SEATS:
        return f"players is {list(state.players)}: it must hold the seats of 2 to 4 players, from 0."
    if not 1 <= len(state.heaps) <= MOST_HEAPS or max(state.heaps) > LARGEST_HEAP:
        return f"heaps is {list(state.heaps)}: it must hold 1 to {MOST_HEAPS} heaps of at most {LARGEST_HEAP} matches."
    return None if 1 <= state.most <= MOST_TAKEN else f"most is {state.most}: it must be between 1 and {MOST_TAKEN}."
