"""Many games at once, random or between strategies, spread over processes, and how they ended as arrays."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from multiprocessing import get_context
from random import Random
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from google.protobuf.message import Message
from numpy.typing import NDArray

from fairplay.games.game import Game, find
from fairplay.games.research import count_players, find_research, play_randomly, ranks, read_settings, rewards
from fairplay.player.simulation import simulate

CHUNK = 64
"""How many games have random numbers of their own: a process plays so many in a row. Another number, other games."""


class Batch(NamedTuple):
    """How games ended, a row each, in the order in which they were asked for."""

    scores: NDArray[np.int64]
    """games x players: by seat, the points."""
    ranks: NDArray[np.int8]
    """games x players: by seat, the rank from 1; who ties shares one."""
    rewards: NDArray[np.float64]
    """games x players: by seat, from -1 to 1, as in `fairplay.games.research.rewards`."""
    actions: NDArray[np.int32]
    """games: how many actions were taken."""


class Playouts:
    """Games between `players`, every action any of those that the rules list; None: as few as can play.

    With `strategies` they are games between reference strategies, in turn order. `settings` are those of the game, as
    its message or in the words of protobuf-JSON; what they leave out has its default. `jobs` processes play them, 1:
    this one. The same seed gives the same batch, however many there are. Leave the context, or `close`, to end them.
    Raises ValueError if there is no such game or strategy.
    """

    def __init__(
        self,
        game: str,
        players: int | None = None,
        settings: Message | Mapping[str, Any] | None = None,
        jobs: int = 1,
        strategies: Sequence[str] = (),
    ) -> None:
        if jobs < 1:
            raise ValueError(f"jobs is {jobs}: it must be at least 1")
        found = find(game)
        chosen = read_settings(found, settings)
        if strategies and players not in (None, len(strategies)):
            raise ValueError(f"players is {players}, and there are {len(strategies)} strategies: leave players out")
        self.players = count_players(found, chosen, len(strategies) or players)
        self._strategies = strategies
        self._play: Callable[[str, Sequence[Any]], list[_Row]]
        if strategies:
            for each in strategies:
                found.player(each)
            self._play = partial(_play_strategies, game, strategies, chosen)
        else:
            self._play = partial(_play, game, self.players, find_research(game).settings(chosen))
        # Not forked: who learns has threads, whose locks a fork would take along.
        self._pool = ProcessPoolExecutor(jobs, get_context("spawn"), _ignore_interrupts) if jobs > 1 else None

    def play(self, count: int, seed: int) -> Batch:
        """Play so many fresh games. Between strategies each is what RulesService.SimulateGame plays: `seed` and on."""
        if count < 0:
            raise ValueError(f"count is {count}: it must be at least 0")
        return self._run([*range(seed, seed + count)] if self._strategies else [None] * count, seed)

    def play_from(self, states: Sequence[Any], each: int, seed: int) -> Batch:
        """Play on from states of the rules, `each` times from each: the rows of the first state come first.

        Raises ValueError if one has another number of players, or strategies are to play.
        """
        if self._strategies:
            raise ValueError("strategies play fresh games only")
        if each < 1:
            raise ValueError(f"each is {each}: it must be at least 1")
        return self._run([state for state in states for _ in range(each)], seed)

    def _run(self, starts: Sequence[Any], seed: int) -> Batch:
        chunks = [starts[first : first + CHUNK] for first in range(0, len(starts), CHUNK)]
        seeds = (f"{seed} {number}" for number in range(len(chunks)))
        play = map if self._pool is None else self._pool.map
        rows: list[_Row] = list(chain.from_iterable(play(self._play, seeds, chunks)))
        shape = len(rows), self.players
        return Batch(
            np.array([row.scores for row in rows], np.int64).reshape(shape),
            np.array([row.ranks for row in rows], np.int8).reshape(shape),
            np.array([row.rewards for row in rows], np.float64).reshape(shape),
            np.array([row.actions for row in rows], np.int32),
        )

    def close(self) -> None:
        """End the processes; what they play is dropped."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()


class _Row(NamedTuple):
    """How one game ended, by seat."""

    scores: Sequence[int]
    ranks: Sequence[int]
    rewards: Sequence[float]
    actions: int


def _play(game: str, players: int, settings: Any, seed: str, starts: Sequence[Any]) -> list[_Row]:
    """Play a chunk of games, each from a state, or fresh from None."""
    rules, rng = find_research(game).rules, Random(seed)
    fresh = partial(rules.initial, settings, players, rng)
    return [_finish(rules, players, fresh() if start is None else start, rng) for start in starts]


def _finish(rules: Any, players: int, start: Any, rng: Random) -> _Row:
    end, actions = play_randomly(rules, start, rng)
    scores, ranking = rules.scores(end), rules.ranking(end)
    if len(scores) != players:
        raise ValueError(f"a state has {len(scores)} players, and these games have {players}")
    return _Row(scores, ranks(ranking, players), rewards(ranking, players), actions)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, which ends its processes


def _play_strategies(
    game: str, strategies: Sequence[str], settings: Message, _: str, seeds: Sequence[int]
) -> list[_Row]:
    """Play a chunk of games between strategies, each from a seed of its own."""
    return [_finish_strategies(find(game), strategies, settings, seed) for seed in seeds]


def _finish_strategies(game: Game, strategies: Sequence[str], settings: Message, seed: int) -> _Row:
    players, count = [game.player(each) for each in strategies], len(strategies)
    names = [f"{name}-{seat}" for seat, name in enumerate(strategies)]
    outcome, _, decision_count = simulate(game, settings, names, players, seed)
    scores = {seat: score for group in outcome.ranking for seat, score in group}
    ranking = [[seat for seat, _ in group] for group in outcome.ranking]
    return _Row([scores[seat] for seat in range(count)], ranks(ranking, count), rewards(ranking, count), decision_count)
