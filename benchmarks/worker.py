"""What a worker of a cluster does with one core: games of bots that answer at once, and of the best ones."""

from __future__ import annotations

import itertools
import time

from benchmarks.figures import STRATEGY, Figure, MeasuredGame, Pace, figure
from fairplay.games.envelopes import wrap
from fairplay.server.cluster.runner import GameWork
from fairplay.server.links.ways import Ways
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.referee_pb2 import GamePlan

LIMIT_S = 600


def measure(measured: MeasuredGame, pace: Pace) -> list[Figure]:
    """Return how many games a worker plays in a second of processor time: of the strategy `first`, and of the last."""
    best = [*measured.contract.strategies][-1]
    return [
        figure(name, [_rate(measured, strategy, pace.seconds) for _ in range(pace.repeats)], game=measured.game)
        for name, strategy in (("worker", STRATEGY), ("worker-best", best))
    ]


def _rate(measured: MeasuredGame, strategy: str, seconds: float) -> float:
    began = time.process_time()
    for seed in itertools.count(1):
        _work(measured, strategy, seed).run()
        if (took := time.process_time() - began) >= seconds:
            return seed / took
    raise AssertionError


def _work(measured: MeasuredGame, strategy: str, seed: int) -> GameWork:
    names = (f"player{seat}" for seat in range(1, measured.contract.seats.start + 1))
    players = [Player(name=name, link=f"bot:{strategy}") for name in names]
    plan = GamePlan(game=measured.game, seed=seed, players=players)
    plan.settings.CopyFrom(wrap(GameSettings, measured.contract, measured.settings_message))
    control = plan.time_control
    control.decision_limit.seconds = control.first_decision_limit.seconds = LIMIT_S
    return GameWork(f"game{seed}", "", plan.SerializeToString(), Ways())
