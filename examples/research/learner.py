"""A player of Fish that learns from games against itself: a linear policy, improved by policy gradient (REINFORCE).

It weighs what can be seen of the cell that a penguin leaves and of the cell that it goes to, with weights that it finds
out by itself: it begins with zeros, which is to play at random.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairplay.games.fish.rules.board import FISH_LIMIT, board_of, neighbours
from fairplay.pettingzoo import GameEnvironment

Floats = NDArray[np.float64]

FEATURES = ("fish", "ways out", "fish around", "rivals around", "own around")
"""What is seen of a cell."""
WEIGHT_COUNT = 3 * len(FEATURES)
"""Of a cell to place a penguin on; of the one that a move leaves; of the one that it goes to."""
SETTINGS = {"rows": 6, "columns": 5, "randomFish": True, "holes": 3}
"""What tournaments of Fish are played with unless they say otherwise."""
STEP = 0.1
"""How far a game moves the weights."""


class Board(NamedTuple):
    """A position as a player sees it, cell by cell."""

    near: Floats
    """By pair of cells: 1 if they are next to each other."""
    fish: Floats
    own: Floats
    """1 where a penguin of the player stands."""
    others: Floats
    """1 where a penguin of anybody else stands."""


class Choice(NamedTuple):
    """What a player can do: place a penguin on `target`, or move one there from `source`."""

    source: int | None
    target: int


@cache
def near(rows: int, columns: int) -> Floats:
    """Return which cells are next to each other."""
    found = np.zeros((rows * columns, rows * columns))
    board = board_of(columns, [1] * (rows * columns))
    for cell in range(rows * columns):
        found[cell, list(neighbours(board, cell))] = 1.0
    return found


def features(board: Board, choices: list[Choice]) -> Floats:
    """Return a row of `WEIGHT_COUNT` numbers for each choice."""
    taken = board.own + board.others
    free = (board.fish > 0) * (1.0 - taken)
    cells = np.stack(
        (
            board.fish / FISH_LIMIT,
            board.near @ free / 6,
            board.near @ (free * board.fish) / (6 * FISH_LIMIT),
            board.near @ board.others / 6,
            board.near @ board.own / 6,
        ),
        axis=1,
    )
    found = np.zeros((len(choices), 3, len(FEATURES)))
    for row, (source, target) in zip(found, choices, strict=True):
        if source is None:
            row[0] = cells[target]
        else:
            row[1], row[2] = cells[source], cells[target]
    return found.reshape(len(choices), WEIGHT_COUNT)


def see(environment: GameEnvironment, observation: dict[str, Any]) -> tuple[Board, NDArray[np.int64], list[Choice]]:
    """Return what an agent observes as a board, and its legal actions with what they do."""
    parts = environment.split(observation["observation"])
    rows, columns = parts["fish"].shape
    penguins = parts["penguins"].reshape(len(parts["penguins"]), -1)
    board = Board(
        near(rows, columns),
        parts["fish"].reshape(-1).astype(float),
        (penguins[0] > 0).astype(float),
        (penguins[1:] > 0).any(axis=0).astype(float),
    )
    size = rows * columns
    cell_of = {int(number) - 1: cell for cell, number in enumerate(penguins[0]) if number}
    actions = np.flatnonzero(observation["action_mask"])
    choices = [
        Choice(None, int(action)) if action < size else Choice(cell_of[int(action) // size - 1], int(action) % size)
        for action in actions
    ]
    return board, actions, choices


class Policy:
    """Chances for the choices of a player, by the weighted sum of their features."""

    def __init__(self, weights: Floats | None = None) -> None:
        self.weights = np.zeros(WEIGHT_COUNT) if weights is None else weights

    def chances(self, rows: Floats) -> Floats:
        """Return the chance of each choice."""
        sums = rows @ self.weights
        raised = np.exp(sums - sums.max())
        return raised / raised.sum()

    def best(self, board: Board, choices: list[Choice]) -> int:
        """Return the place of the best choice, the first of several."""
        return int(np.argmax(features(board, choices) @ self.weights))

    def save(self, path: Path) -> None:
        """Write the weights as JSON."""
        path.write_text(json.dumps({"features": FEATURES, "weights": self.weights.tolist()}, indent=1))

    @classmethod
    def load(cls, path: Path) -> Policy:
        """Read what `save` has written."""
        return cls(np.array(json.loads(path.read_text())["weights"]))


def learn(games: int, seed: int = 1) -> Policy:
    """Return a policy that has learned from so many games between two players, both of which it was."""
    policy, rng = Policy(), np.random.default_rng(seed)
    environment = GameEnvironment("fish", 2, SETTINGS)
    for game in range(games):
        environment.reset(seed + game)
        slopes = {agent: np.zeros(WEIGHT_COUNT) for agent in environment.possible_agents}
        gained = dict.fromkeys(environment.possible_agents, 0.0)
        for agent in environment.agent_iter():
            observation, reward, terminated, _, _ = environment.last()
            gained[agent] += reward
            if terminated:
                environment.step(None)
                continue
            board, actions, choices = see(environment, observation)
            rows = features(board, choices)
            chances = policy.chances(rows)
            chosen = int(rng.choice(len(choices), p=chances))
            slopes[agent] += rows[chosen] - chances @ rows
            environment.step(int(actions[chosen]))
        for agent, slope in slopes.items():
            policy.weights = policy.weights + STEP * gained[agent] * slope
    return policy


def count_wins(policy: Policy, games: int, seed: int = 1_000_000) -> tuple[int, int]:
    """Return how many games a policy has won and lost against random players, as first and second in turn."""
    rng, won, lost = np.random.default_rng(seed), 0, 0
    environment = GameEnvironment("fish", 2, SETTINGS)
    for game in range(games):
        environment.reset(seed + game // 2)
        learner = environment.possible_agents[game % 2]
        for agent in environment.agent_iter():
            observation, reward, terminated, _, _ = environment.last()
            if agent == learner:
                won, lost = won + (reward > 0), lost + (reward < 0)
            if terminated:
                environment.step(None)
                continue
            board, actions, choices = see(environment, observation)
            chosen = policy.best(board, choices) if agent == learner else int(rng.integers(len(choices)))
            environment.step(int(actions[chosen]))
    return won, lost


def main() -> None:
    """Learn, say how good that is, and write the weights to the file that is named."""
    arguments = ArgumentParser(description="Learn to play Fish.")
    arguments.add_argument("file", type=Path, help="where the weights go, e.g. fish.json")
    arguments.add_argument("--games", type=int, default=500, help="how many games to learn from (500)")
    arguments.add_argument("--seed", type=int, default=1, help="the same seed, the same weights (1)")
    chosen = arguments.parse_args()
    policy = learn(chosen.games, chosen.seed)
    policy.save(chosen.file)
    won, lost = count_wins(policy, 200)
    print(f"learned from {chosen.games} games; of 200 against random players {won} won, {lost} lost")


if __name__ == "__main__":
    main()
