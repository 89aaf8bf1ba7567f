"""Games that a worker simulates are those that RulesService.SimulateGame simulates."""

from __future__ import annotations

import pickle

import pytest

from fairplay.server.cluster.jobs import JobError, make_job
from fairplay.server.cluster.simulations import SimulationWork
from fairplay.server.cluster.worker import do
from fairplay.server.game.rules import simulate_game
from fairplay.v1.rules_pb2 import SimulateGameRequest, SimulateGameResponse


def simulated(*requests: SimulateGameRequest) -> list[SimulateGameResponse]:
    done = do(make_job("simulate", SimulationWork([each.SerializeToString() for each in requests]), ()))
    return [SimulateGameResponse.FromString(each) for each in pickle.loads(done)]


def test_a_worker_simulates_the_same_games_in_the_same_order() -> None:
    requests = [SimulateGameRequest(game="fish", seed=seed, strategies=["greedy", "random"]) for seed in range(3)]
    assert simulated(*requests) == [simulate_game(each) for each in requests]


def test_what_cannot_be_simulated_is_said_to_be_so() -> None:
    with pytest.raises(JobError, match="nobody"):
        simulated(SimulateGameRequest(game="fish", strategies=["first", "nobody"]))
