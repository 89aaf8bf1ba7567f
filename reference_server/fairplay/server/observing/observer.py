"""Those who are told what happens in games, and change nothing; the meter, which counts, among them."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from fairplay.games.kit.messages import enum_word
from fairplay.games.steps import Call, Failure
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, MisconductKind
from fairplay.v1.referee_pb2 import Game

ANSWERED, TIMEOUT = "answered", "timeout"

BOUNDS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
"""The upper bounds of the buckets of durations; one more takes what is longer."""
BEAT_S = 0.25
"""How often the lag of the event loop is measured."""


class Observer(Protocol):
    """Somebody who is told of all games, in the event loop: what is called for each call must be quick."""

    def game_begun(self, game: Game) -> None:
        """Hear that a game begins, or goes on after a restart of the server."""

    def trace(self, game_id: str) -> str:
        """Return the span of a game that has begun, in the W3C's form of a traceparent; empty if there is none."""

    def call_settled(self, game_id: str, call: Call, link: str, outcome: bytes | Failure, elapsed_s: float) -> None:
        """Hear how a call has ended. `link` is the word before the colon of the player's link."""

    def game_left(self, game: Game) -> None:
        """Hear that a game is over, or left where it is since the server stops: then it has no result."""


def outcome_word(outcome: bytes | Failure) -> str:
    """Return the word for how a call has ended."""
    if isinstance(outcome, bytes):
        return ANSWERED
    if isinstance(outcome, CallError):
        return enum_word(CallErrorReason, outcome.reason)
    return TIMEOUT


def link_kinds(players: Sequence[Player]) -> list[str]:
    """Return how each player is reached: the word before the colon of its link."""
    return [player.link.partition(":")[0] for player in players]


class Durations:
    """How many durations fell into each bucket, and their sum in seconds."""

    __slots__ = ("counts", "total_s")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS_S) + 1)
        self.total_s = 0.0

    def add(self, seconds: float) -> None:
        """Count a duration."""
        self.counts[bisect_left(BOUNDS_S, seconds)] += 1
        self.total_s += seconds

    def cumulated(self) -> list[int]:
        """Return for each bound how many durations were at most that long, and last how many there were."""
        return list(accumulate(self.counts))


class Meter:
    """What a server has counted since it started.

    `calls`: (link, method, outcome) -> their durations; `games`: (game, status) -> number; `misconducts`: (game, kind)
    -> number; `refusals`: reason -> number; `lag`: how late the event loop came to each beat.
    """

    def __init__(self) -> None:
        self.calls: dict[tuple[str, str, str], Durations] = {}
        self.games = Counter[tuple[str, str]]()
        self.misconducts = Counter[tuple[str, str]]()
        self.refusals = Counter[str]()
        self.lag = Durations()

    def game_begun(self, game: Game) -> None:
        """Count nothing: how many games are running is seen when it is asked."""

    def trace(self, game_id: str) -> str:
        """Return nothing: games are counted, not traced."""
        return ""

    def call_settled(self, game_id: str, call: Call, link: str, outcome: bytes | Failure, elapsed_s: float) -> None:
        """Count a call, by link, method and outcome."""
        key = link, call.method.path, outcome_word(outcome)
        durations = self.calls.get(key)
        if durations is None:
            durations = self.calls[key] = Durations()
        durations.add(elapsed_s)

    def game_left(self, game: Game) -> None:
        """Count a game that is over, with its misconducts."""
        if game.HasField("result"):
            self.games[game.plan.game, "aborted" if game.result.aborted else "finished"] += 1
            for misconduct in game.result.misconducts:
                self.misconducts[game.plan.game, enum_word(MisconductKind, misconduct.kind)] += 1

    def count_refusal(self, reason: str) -> None:
        """Count a request that was refused."""
        self.refusals[reason] += 1

    async def beat(self) -> None:
        """Measure the lag of the event loop until this task is cancelled."""
        while True:
            due = time.monotonic() + BEAT_S  # the time of the loop stands still when the loop does
            await asyncio.sleep(BEAT_S)
            self.lag.add(max(0.0, time.monotonic() - due))
