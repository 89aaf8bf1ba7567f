"""Rivals of the player under test: reference players, which may leave the game, or begin it in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from random import Random
from typing import NamedTuple

import grpc
from google.protobuf.message import Message

from fairplay.games.conformance import Situation
from fairplay.games.game import Game
from fairplay.games.steps import Call, CallKind, Failure
from fairplay.player.handlers import reply_of
from fairplay.server.links.link import call_error, disconnected
from fairplay.v1.misconduct_pb2 import CallErrorReason, Overrun

RIVALS = ("first", "random")


def rival_names(game: Game) -> Sequence[str]:
    """Return the names of reference strategies that answer at once."""
    return [name for name in RIVALS if name in game.strategies] or list(game.strategies)[:1]


class Fault(StrEnum):
    """How a rival fails."""

    DISCONNECTION = "its connection ends"
    ERROR_STATUS = "one call fails"
    ILLEGAL_ANSWER = "its answers break the rules"


class Departure(NamedTuple):
    """A rival that leaves the game, and when.

    The moment is counted in decisions of the player under test, so that it is as early or late in any game, whoever is
    asked how often.
    """

    seat: int
    after: int = 0
    """The rival fails in the first call after the player under test has made so many decisions."""
    in_decision: bool = True
    """Whether only decisions count as calls; False: the rival may fail in a notification, e.g. that a game begins."""
    fault: Fault = Fault.DISCONNECTION

    def __str__(self) -> str:
        call = "first decision" if self.in_decision else "first call"
        return f"seat {self.seat}: {self.fault}, in its {call} after {self.after} decisions of the player under test"


class Rivals:
    """Answers for all seats but that of the player under test."""

    def __init__(self, game: Game, situation: Situation, seed: int, departures: Sequence[Departure]) -> None:
        self._turn = game.turn
        self._players = _players(game, situation, seed)
        self._departures = {departure.seat: departure for departure in departures}
        self._failed: set[int] = set()
        self._late_in = situation.rivals_late_in

    def fails(self, call: Call, decision_count: int) -> bool:
        """Return whether a rival fails in a call. `decision_count`: the decisions of the player under test so far."""
        departure = self._departures.get(call.seat)
        if departure is None:
            return False
        if departure.fault is Fault.ILLEGAL_ANSWER:
            return call.method is self._turn and decision_count >= departure.after
        if call.seat in self._failed:
            return departure.fault is Fault.DISCONNECTION
        return decision_count >= departure.after and not (departure.in_decision and call.kind is CallKind.NOTIFICATION)

    def answer(self, call: Call, decision_count: int) -> Message | Failure:
        """Return the answer of a rival, or its failure."""
        if not self.fails(call, decision_count):
            return Overrun() if call.method.name == self._late_in else reply_of(self._players[call.seat], call)
        self._failed.add(call.seat)
        fault = self._departures[call.seat].fault
        if fault is Fault.ILLEGAL_ANSWER:
            return call.method.response()
        if fault is Fault.DISCONNECTION:
            return disconnected("this rival has left")
        reason = CallErrorReason.CALL_ERROR_REASON_STATUS
        return call_error(reason, "this rival has failed", code=grpc.StatusCode.INTERNAL.value[0])

    def may_leave(self, seat: int) -> bool:
        """Return whether a rival leaves the game at some time."""
        return seat in self._departures


def _players(game: Game, situation: Situation, seed: int) -> Mapping[int, object]:
    rng, names = Random(seed), [situation.rivals] if situation.rivals else rival_names(game)
    return {seat: game.player(rng.choice(names)) for seat in range(situation.player_count) if seat != situation.seat}


class Joining(NamedTuple):
    """The first call of a game that the player under test gets."""

    method: str
    number: int
    """The number among the calls of this method to its seat, from 1."""


class StandIn:
    """Answers the calls before the player under test comes into a game."""

    def __init__(self, game: Game, joins: Joining | None, strategy: str = "", late_in: str = "") -> None:
        self._joins = joins
        self._player = None if joins is None else game.player(strategy or rival_names(game)[0])
        self._late_in = late_in
        self._count = 0

    def answers(self, call: Call) -> bool:
        """Count a call to the seat, and return whether it is one of those that are answered here."""
        if self._joins is None:
            return False
        self._count += call.method.name == self._joins.method
        return self._count < self._joins.number

    def answer(self, call: Call) -> Message | Overrun:
        """Return the answer of a reference player, or that it is late in the method in which the others are."""
        return Overrun() if call.method.name == self._late_in else reply_of(self._player, call)
