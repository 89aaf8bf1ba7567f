"""What a worker of a cluster does with one core: games of bots that answer at once, and of the best ones."""

from __future__ import annotations

import itertools
import time

from benchmarks.figures import Figure, Pace, figure
from benchmarks.subjects import STRATEGY, Subject
from fairplay.games.envelopes import wrap
from fairplay.server.cluster.game_work import GameWork
from fairplay.server.ways import Ways
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.referee_pb2 import GamePlan

LIMIT_S = 600


def measure(subject: Subject, pace: Pace) -> list[Figure]:
    """Return how many games a worker plays in a second of processor time: of the strategy `first`, and of the last."""
    best = [*subject.contract.strategies][-1]
    return [
        figure(name, [_rate(subject, strategy, pace.seconds) for _ in range(pace.repeats)], game=subject.game)
        for name, strategy in (("worker", STRATEGY), ("worker-best", best))
    ]


def _rate(subject: Subject, strategy: str, seconds: float) -> float:
    began = time.process_time()
    for seed in itertools.count(1):
        _work(subject, strategy, seed).run()
        if (took := time.process_time() - began) >= seconds:
            return seed / took
    raise AssertionError


def _work(subject: Subject, strategy: str, seed: int) -> GameWork:
    names = (f"player{seat}" for seat in range(1, subject.contract.seats.start + 1))
    players = [Player(name=name, link=f"bot:{strategy}") for name in names]
    plan = GamePlan(game=subject.game, seed=seed, players=players)
    plan.settings.CopyFrom(wrap(GameSettings, subject.contract, subject.settings_message))
    control = plan.time_control
    control.decision_limit.seconds = control.first_decision_limit.seconds = LIMIT_S
    return GameWork(f"game{seed}", "", plan.SerializeToString(), Ways())
